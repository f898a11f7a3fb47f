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
