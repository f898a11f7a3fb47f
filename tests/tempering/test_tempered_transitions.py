import numpy as np
import pytest

import anneal_edu as ae
from tests.frequencies import UNLIKELY, chance_of_farthest


def two_islands():
    """An RBM with two far-apart pictures, 000000 and 111111, between which Gibbs sampling hardly moves."""
    return ae.BinaryRBM(np.full((6, 2), 6.0), np.full(6, -6.0), np.full(2, -18.0))


def rbm_path(rbm):
    return ae.geometric_path(ae.uniform_rbm(rbm.dim, rbm.n_hidden), rbm)


def small_rbm(seed=0):
    rng = np.random.default_rng(seed)
    return ae.BinaryRBM(2 * rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3))


@pytest.mark.parametrize("n_steps", [1, 2, 6])
def test_the_target_is_left_invariant(n_steps):
    """From 40,000 exact draws, one move: frequencies of all 32 states."""
    rbm, n = small_rbm(), 40_000
    kernel = ae.tempered_transitions(rbm_path(rbm), ae.linear_schedule(n_steps))
    rng = np.random.default_rng(0)
    move = kernel.move(rbm.sample(n, rng), rng)
    assert 100 < move.accepted.sum() < n - 100
    codes = (move.x @ (1 << np.arange(5)[::-1])).astype(int)
    p = np.exp(rbm.log_density(ae.binary_states(5)) - rbm.log_z())
    assert chance_of_farthest(np.bincount(codes, minlength=32) / n, p, n) > UNLIKELY


def test_moves_are_reversible():
    """As many go from each state to each other as come back: counts of pairs within 5 standard errors."""
    rbm, n = small_rbm(), 200_000
    kernel = ae.tempered_transitions(rbm_path(rbm), ae.linear_schedule(3))
    rng = np.random.default_rng(0)
    x = rbm.sample(n, rng)
    before, after = ((states @ (1 << np.arange(5)[::-1])).astype(int) for states in (x, kernel.move(x, rng).x))
    counts = np.zeros((32, 32))
    np.add.at(counts, (before, after), 1)
    difference, total = counts - counts.T, counts + counts.T
    assert (np.abs(difference) <= 5 * np.sqrt(np.maximum(total, 1))).all()


def test_gaussians_whose_sweeps_have_an_order_are_moved_rightly():
    path = ae.geometric_path(ae.Gaussian(np.zeros(2), 9 * np.eye(2)), ae.Gaussian([1.0, 0.0], [[1.0, 0.8], [0.8, 1.0]]))
    rng, n = np.random.default_rng(0), 40_000
    x = ae.tempered_transitions(path, ae.linear_schedule(4))(path(1.0), path(1.0).sample(n, rng), rng)
    for feature, exact in ((x[:, 0], 1.0), (x[:, 1], 0.0), (x[:, 0] * x[:, 1], 0.8), (x[:, 1] ** 2, 1.0)):
        assert abs(feature.mean() - exact) < 5 * feature.std() / np.sqrt(n)


def test_they_cross_where_gibbs_stays():
    rbm, rng = two_islands(), np.random.default_rng(0)
    start = np.zeros((500, 6), dtype=np.float32)
    stuck, freed = start, start
    kernel = ae.tempered_transitions(rbm_path(rbm), ae.linear_schedule(20))
    for _ in range(20):
        freed = kernel(rbm, freed, rng)
    for _ in range(20 * 40):
        stuck = rbm.gibbs(stuck, rng)
    assert freed.mean() > 0.3
    assert stuck.mean() < 0.2


def test_another_target_is_refused():
    kernel = ae.tempered_transitions(rbm_path(small_rbm()), ae.linear_schedule(3))
    with pytest.raises(TypeError, match="end of its own path"):
        kernel(small_rbm(1), np.zeros((2, 5)), np.random.default_rng(0))
    with pytest.raises(ValueError, match="schedule must start at 0"):
        ae.tempered_transitions(rbm_path(small_rbm()), [0.0, 0.5])


def test_a_target_that_gives_up_is_named_with_its_beta():
    """The target is asked once more at the end of a move, at β = 1."""

    class Moody(ae.Unnormalized):
        def log_density(self, x):
            return np.full(x.shape[:-1], np.nan if self.moody else 0.0)

    target = Moody(lambda x: x[..., 0], dim=1)
    target.moody = False
    start = ae.Gaussian([0.0], [[1.0]])
    kernel = ae.tempered_transitions(lambda beta: target if beta == 1 else start, [0.0, 0.5, 1.0], ae.random_walk(1.0))

    def sour_at_the_bottom(distribution, x, rng):
        target.moody = distribution is start
        return x

    late = ae.tempered_transitions(kernel.path, [0.0, 0.5, 1.0], sour_at_the_bottom)
    with pytest.raises(ValueError, match=r"at beta = 1$"):
        late.move(np.zeros((2, 1)), np.random.default_rng(0))
