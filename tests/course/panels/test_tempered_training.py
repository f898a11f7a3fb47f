"""The panels of notebook 11: what they show is what a small model really does."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course import particles as small
from anneal_edu.course.panels.particles_and_modes import LEFT, WIDE, beads
from anneal_edu.course.panels.tempered_training import BARS, COSTS, DIGITS, apart, stored_curves
from tests.frequencies import UNLIKELY, chance_of_farthest


def test_shares_and_probabilities_each_sum_to_one():
    images, rng = ae.data.bars_and_stripes(3), np.random.default_rng(0)
    rbm = ae.BinaryRBM(rng.normal(size=(9, 4)), rng.normal(size=9), rng.normal(size=4))
    p, q = small.exact_probabilities(rbm, images), small.shares(rbm.sample(50_000, rng), images)
    assert p.sum() == pytest.approx(1) and q.sum() == pytest.approx(1)
    assert chance_of_farthest(q, p, 50_000) > UNLIKELY


def both_trained(seed):
    """PCD and PT."""
    return small.trained("pcd", 0.3, seed), small.trained("pt", 0.3, seed)


@pytest.fixture(scope="module")
def both():
    return both_trained(0)


@pytest.fixture(scope="module")
def runs(both):
    """Of three seeds."""
    return [both, *map(both_trained, (1, 2))]


def test_other_particles_are_as_far_from_the_model_as_their_shares_are(both):
    images, last = ae.data.bars_and_stripes(4), both[0][-1]
    p = np.exp(last.rbm.log_density(images) - last.rbm.log_z())
    assert last.distance_of(images[[3, 3]]) == pytest.approx(1 - p[3], abs=1e-4)  # in single precision
    assert last.distance_of(last.rbm.sample(20_000, np.random.default_rng(0))) < 0.05


def test_snapshots_are_those_of_training(both):
    for run in both:
        assert [s.n_updates for s in run] == list(range(200, 1801, 200))
        last = run[-1]
        images = ae.data.bars_and_stripes(4)
        assert last.log_likelihood == pytest.approx(last.rbm.log_density(images).mean() - last.rbm.log_z())
        assert last.model.sum() == pytest.approx(1) and last.share.sum() == pytest.approx(1)
        assert 0 <= last.distance <= 1 and last.particles.shape == (20, 16)


@pytest.mark.thorough("what the scenes of the panel say")
def test_the_lesson_is_there(runs):
    """Of 8 seeds PT is 5.6 ± 2 nats above PCD, which is 5 ± 2 below its best, and 0.65 ± 0.07 from its particles."""
    ends = [(pcd[-1], pt[-1]) for pcd, pt in runs]
    assert np.mean([pt.log_likelihood - pcd.log_likelihood for pcd, pt in ends]) > 0.3
    assert np.mean([max(s.log_likelihood for s in pcd) - pcd[-1].log_likelihood for pcd, _ in runs]) > 0.3
    assert all(pcd.distance > 0.3 for pcd, _ in ends)
    assert np.mean([pt.distance for _, pt in ends]) < 0.7


@pytest.mark.fixed_seed("the training of seed 0 is stored")
def test_a_stored_training_is_the_beginning_of_the_same_training_anew():
    """Later, rounding takes it elsewhere on another processor."""
    for method in small.METHODS:
        anew, stored = list(small.snapshots(method, 0.3, 0, 25, 100)), small.stored_film(method, 0.3, 0)
        np.testing.assert_allclose(stored.log_likelihood[:4], [s.log_likelihood for s in anew], atol=0.01)
        np.testing.assert_allclose(stored.model[:4], [s.model for s in anew], atol=2e-4)


def test_beads_are_percents_of_the_particles_and_move_only_if_they_must():
    x, _ = beads("pcd", 0.3, 0)
    place = np.searchsorted(LEFT, x, side="right") - 1
    counts = np.array([np.bincount(row, minlength=31) for row in place])
    assert (np.abs(counts - 100 * small.stored_film("pcd", 0.3, 0).share) < 1).all()
    assert (x <= LEFT[place] + WIDE[place]).all()
    np.testing.assert_array_equal((np.diff(place, axis=0) != 0).sum(1), np.maximum(np.diff(counts, axis=0), 0).sum(1))


def test_at_equal_numbers_of_gibbs_steps_every_pcd_has_fallen_behind_tempering():
    """40,000 steps each, medians of the seeds; on the digits nobody is more than a nat behind."""
    curves = stored_curves()[BARS]
    pt = np.median(curves["PT, even-odd"][1][-1])
    for rival in ("PCD, 10 steps", "PCD, 10 times the chains", "PCD, 10 small updates"):
        n, values = curves[rival]
        assert n[-1] * COSTS[rival] == 40_000 and np.median(values[-1]) < pt - 0.5
    n, values = curves["CD-25"]
    assert np.median(values[n == 1600]) > pt + 0.5
    assert np.ptp([np.median(values[-1]) for _, values in stored_curves()[DIGITS].values()]) < 0.6


def test_labels_are_apart_and_in_order():
    y = np.array([[0.3, 0.0, 0.1, 5.0], [1.0, 2.0, 3.0, 4.0]])
    found = apart(y, 1.0)
    assert (np.diff(np.sort(found, axis=1), axis=1) > 0.99).all()
    np.testing.assert_array_equal(np.argsort(found, axis=1), np.argsort(y, axis=1))
    np.testing.assert_allclose(found[1], y[1])
