"""The panels of notebook 11: what they show is what a small model really does."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.panels import particles_and_modes as small
from anneal_edu.panels.tempered_training import BARS, COSTS, DIGITS, TemperedTraining, stored_curves


def test_shares_and_probabilities_each_sum_to_one():
    images, rng = ae.data.bars_and_stripes(3), np.random.default_rng(0)
    rbm = ae.BinaryRBM(rng.normal(size=(9, 4)), rng.normal(size=9), rng.normal(size=4))
    p, q = small.exact_probabilities(rbm, images), small.shares(rbm.sample(50_000, rng), images)
    assert p.sum() == pytest.approx(1) and q.sum() == pytest.approx(1)
    assert (np.abs(p - q) < 4.5 * np.sqrt(p * (1 - p) / 50_000)).all()


@pytest.fixture(scope="module")
def runs():
    return small.trained("pcd", 0.3, 0), small.trained("pt", 0.3, 0, 8)


def test_snapshots_are_those_of_training(runs):
    for run in runs:
        assert [s.n_updates for s in run] == list(range(200, 1801, 200))
        last = run[-1]
        images = ae.data.bars_and_stripes(4)
        assert last.log_likelihood == pytest.approx(last.rbm.log_density(images).mean() - last.rbm.log_z())
        assert last.model.sum() == pytest.approx(1) and last.share.sum() == pytest.approx(1)
        assert 0 <= last.distance <= 1 and last.particles.shape == (20, 16)


def test_the_lesson_is_there(runs):
    pcd, pt = runs
    assert pt[-1].log_likelihood > pcd[-1].log_likelihood + 1
    assert pcd[-1].distance > pt[-1].distance + 0.1
    assert max(s.log_likelihood for s in pcd) > pcd[-1].log_likelihood + 1


def test_the_panel_says_when_nothing_has_been_learned(runs):
    panel = small.ParticlesAndModes()
    try:
        assert "no particle visits" in panel.takeaway
        panel.updates.value = 400
        assert "still mix" in panel.takeaway
    finally:
        panel.close()


def test_the_stored_curves_are_complete():
    for data in (BARS, DIGITS):
        curves = stored_curves()[data]
        assert list(curves) == list(COSTS)
        shapes = {values.shape for _, values in curves.values()}
        assert len(shapes) == 1 and next(iter(shapes))[1] >= 5


def test_every_state_has_its_own_words():
    panel = TemperedTraining()
    try:
        late = panel.takeaway
        panel.moment.value = 10
        early = panel.takeaway
        panel.data.value = DIGITS
        assert len({late, early, panel.takeaway}) == 3
    finally:
        panel.close()


def test_the_takeaway_compares_with_the_stored_medians_and_names_the_leader():
    curves = stored_curves()[BARS]
    last = {name: np.median(values[-1]) for name, (_, values) in curves.items()}
    panel = TemperedTraining()
    try:
        assert f"plain PCD {last['PT, even-odd'] - last['PCD']:.1f} below" in panel.takeaway
        assert f"First of all nine: {max(last, key=last.get)}" in panel.takeaway and "CD-25" in panel.takeaway
        panel.methods.value = "three ways to swap"
        assert panel.takeaway.index("even-odd") < panel.takeaway.index("coin") < panel.takeaway.index("lifted")
        panel.methods.value = "CD"
        assert f"CD-25 {last['CD-25'] - last['PT, even-odd']:.1f} above" in panel.takeaway
    finally:
        panel.close()


def test_at_equal_numbers_of_gibbs_steps_every_pcd_has_fallen_behind_tempering():
    """40,000 steps each, medians of the seeds; on the digits nobody is more than a nat behind."""
    curves = stored_curves()[BARS]
    pt = np.median(curves["PT, even-odd"][1][-1])
    for rival in ("PCD, 10 steps", "PCD, 10 times the chains", "PCD, 10 small updates"):
        n, values = curves[rival]
        assert n[-1] * COSTS[rival] == 40_000 and np.median(values[-1]) < pt - 0.5
    n, values = curves["CD-25"]
    assert np.median(values[n == 1600]) > pt + 0.5
    assert np.ptp([np.median(values[-1]) for _, values in stored_curves()[DIGITS].values()]) < 1


def test_what_is_elsewhere_is_written_down():
    panel = small.ParticlesAndModes(updates=400)
    try:
        texts = [artist.get_text() for ax in panel.axes[1:] for artist in ax.texts if artist.get_gid() == "elsewhere"]
        at = small.trained("pcd", 0.3, 0)[1]
        assert texts[0] == f"elsewhere:\nmodel {at.model[-1]:.0%}, particles {at.share[-1]:.0%}"
    finally:
        panel.close()
