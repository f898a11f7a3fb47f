"""What is thrown away at the beginning is thrown away, and nothing else: exactly, on chains without chance.

Every chain here begins far from where it ends up, so that a first sweep that is counted would show.
"""

import numpy as np
import pytest
from scipy.special import logsumexp

import anneal_edu as ae


def rng():
    return np.random.default_rng(0)


def step_right(distribution, x, rng):
    """A kernel that counts its calls in the first coordinate."""
    return x + np.array([1.0, 0.0])


class Origin(ae.Gaussian):
    """A start all of whose draws have 0 as their first coordinate, and alternate signs as their second."""

    def sample(self, n, rng):
        return np.stack([np.zeros(n), (-1.0) ** np.arange(n)], axis=1)


FLAT = ae.Unnormalized(lambda x: np.zeros(x.shape[:-1]), 2)
POSITIVE = ae.Unnormalized(lambda x: np.where(x[..., 1] > 0, 0.0, -np.inf), 2)
START = Origin([0.0, 0.0], 1e6 * np.eye(2))
SCHEDULE = [0.0, 0.5, 1.0]


@pytest.mark.parametrize("n_burn_in", [0, 1, 7])
def test_parallel_tempering_keeps_the_sweeps_after_the_burn_in(n_burn_in):
    path = ae.geometric_path(START, FLAT)
    run = ae.parallel_tempering(path, SCHEDULE, 4, 3, step_right, n_burn_in=n_burn_in, rng=rng())
    first = run.samples[..., 0]  # (T, K+1, C)
    where = n_burn_in + 1 + np.arange(4)
    assert (first == where[:, None, None]).all()
    assert run.replicas.shape == (4, 3, 3) and run.log_mean_ratios.shape == (2, 2, 2, 3)
    half_of_log_start = 0.5 * (-0.5 * (where**2 + 1) / 1e6 - np.log(2e6 * np.pi))
    mean = logsumexp(-half_of_log_start.reshape(2, 2), axis=1) - np.log(2)  # of the first two sweeps, and of the others
    np.testing.assert_allclose(run.log_mean_ratios[0, :, 0], np.tile(mean[:, None], 3), rtol=1e-12)


@pytest.mark.parametrize("n_burn_in", [0, 1, 7])
def test_simulated_tempering_keeps_the_sweeps_after_the_burn_in(n_burn_in):
    path = ae.geometric_path(START, FLAT)
    run = ae.simulated_tempering(path, SCHEDULE, np.zeros(3), 4, 3, step_right, n_burn_in=n_burn_in, rng=rng())
    assert (run.samples[..., 0] == n_burn_in + 1 + np.arange(4)[:, None]).all()
    assert run.rungs.shape == (4, 3) and run.log_conditionals.shape == (4, 3, 3)


@pytest.mark.parametrize("n_burn_in", [0, 1, 7])
def test_a_sandwich_begins_its_reverse_run_after_so_many_moves_from_what_the_weights_chose(n_burn_in):
    """Half of the forward chains weigh nothing; a way up of 2 moves, the long run, and a way down of 3."""
    both = ae.sandwich(
        ae.geometric_path(START, POSITIVE), SCHEDULE, 20, step_right, n_burn_in=n_burn_in, rng=rng()
    )
    assert both.draws == "a long run"
    assert np.isneginf(both.forward.log_weights).sum() == 10
    assert (both.forward.samples[:, 0] == 2).all()
    assert (both.reverse.samples[:, 0] == 2 + n_burn_in + 3).all()
    assert (both.reverse.samples[:, 1] == 1).all()


N_DOMINOES = 6


def dominoes(big=1000.0):
    """Units in a row v_1 h_1 v_2 h_2 … v_6, each of which stays up only while both of its neighbours do; v_1 falls.

    The couplings leave nothing to chance: if all stand, v_t falls in step t.
    """
    weights = np.zeros((N_DOMINOES, N_DOMINOES - 1))
    beside = np.arange(N_DOMINOES - 1)
    weights[beside, beside] = weights[beside + 1, beside] = big
    visible_bias = np.full(N_DOMINOES, -1.5 * big)
    visible_bias[0], visible_bias[-1] = -10 * big, -0.5 * big
    return ae.BinaryRBM(weights, visible_bias, np.full(N_DOMINOES - 1, -1.5 * big))


@pytest.mark.parametrize("standing", [N_DOMINOES, 4], ids=["all stand", "two have fallen"])
@pytest.mark.parametrize(("n_steps", "n_burn_in", "every"), [(3, 0, 1), (5, 2, 1), (6, 1, 2), (6, 2, 2), (4, 3, 1)])
def test_moments_are_means_over_the_steps_that_are_used(n_steps, n_burn_in, every, standing, monkeypatch):
    fallen = N_DOMINOES - standing
    start = np.tile(np.arange(N_DOMINOES) >= fallen, (7, 1)).astype(np.float32)
    monkeypatch.setattr("anneal_edu.paths.chain_moments.bernoulli", lambda *_: start)
    used = [step for step in range(n_burn_in + every, n_steps + 1, every)]
    v = np.array([np.arange(N_DOMINOES) >= fallen + step for step in used], dtype=float)  # after each of these steps
    h = v[:, :-1] * v[:, 1:]
    found = ae.estimate_moments(dominoes(), 7, n_steps, n_burn_in, every=every, rng=rng())
    expected = v.mean(0), h.mean(0), v.T @ h / len(used)
    for moment, exact in zip(found, expected, strict=True):
        np.testing.assert_allclose(moment, exact, atol=1e-12)


@pytest.mark.parametrize("n_updates", [1, 7, 100, 101, 150])
def test_the_residual_of_a_fit_by_chains_is_a_mean_over_its_last_updates(n_updates):
    """Units that are certainly on, or off, and hardly learn: those that are on miss 0.25 by 0.75 each time."""
    bias = np.array([60.0, -60.0])
    target = tuple(np.full(shape, 0.25) for shape in ((2,), (2,), (2, 2)))
    fit = ae.pcd_fit(n_updates, 5, 1e-9, rng=rng())
    assert fit(target, ae.BinaryRBM(np.zeros((2, 2)), bias, bias)).residual == pytest.approx(0.75, abs=1e-6)


class Scripted(ae.GaussianRBM):
    """The t-th draw of v is 2^t in every chain; h is on where v is large."""

    def visible_given_hidden(self, h, rng):
        object.__setattr__(self, "drawn", getattr(self, "drawn", 0) + 1)
        return np.full((len(h), 1), 2.0**self.drawn)

    def hidden_field(self, v):
        return np.where(v > 2.0**4.5, 1e4, -1e4)


@pytest.mark.parametrize(("n_steps", "n_burn_in"), [(3, 0), (6, 2), (7, 4)])
def test_mean_and_covariance_are_over_the_steps_after_the_burn_in(n_steps, n_burn_in):
    rbm = Scripted([[3.0]], [0.5], [0.0], [2.0])
    drawn = 2.0 ** np.arange(1, n_steps + 1)[n_burn_in:]
    mean, cov = ae.estimate_mean_and_cov(rbm, 5, n_steps, n_burn_in, rng=rng(), rao_blackwellized=False)
    assert mean == pytest.approx(drawn.mean()) and cov.item() == pytest.approx(drawn.var())
    rbm = Scripted([[3.0]], [0.5], [0.0], [2.0])
    given_h = 0.5 + 2 * 3 * (drawn > 2.0**4.5)
    mean, cov = ae.estimate_mean_and_cov(rbm, 5, n_steps, n_burn_in, rng=rng())
    assert mean == pytest.approx(given_h.mean()) and cov.item() == pytest.approx(given_h.var() + 4)
