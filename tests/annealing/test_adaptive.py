"""Schedules that a pilot run places, kernels that it tunes, and the resampling that goes with them."""

from itertools import pairwise

import numpy as np
import pytest

import anneal_edu as ae

START, NARROW = ae.Gaussian(np.zeros(2), 25.0), ae.Gaussian([2.0, -1.0], [1.0, 0.01], log_scale=1.5)
PATH = ae.geometric_path(START, NARROW)


def smc(path, schedule, n, kernel, seed, resample=0.5):
    return ae.ais(path, schedule, n, kernel, resample=resample, rng=np.random.default_rng(seed))


RBM = ae.BinaryRBM([[2.0, -1.5], [-1.0, 2.5], [1.5, 1.0]], [-1.0, 0.5, 0.0], [0.5, -1.0])
BITS = ae.geometric_path(ae.uniform_rbm(3, 2), RBM)


@pytest.mark.parametrize(
    ("path", "log_z", "kernel", "share"),
    [(PATH, 1.5, ae.hmc(0.3, 3), 0.5), (PATH, 1.5, ae.exact, 1.0), (BITS, RBM.log_z(), ae.gibbs, 0.99)],
)
def test_the_mean_weight_stays_unbiased_with_resampling_and_the_error_bar_counts_families(path, log_z, kernel, share):
    betas = np.linspace(0, 1, 9) ** (3 if path is PATH else 1)
    runs = [smc(path, betas, 50, kernel, seed, share) for seed in range(200)]
    z = np.exp([run.log_z - log_z for run in runs])
    assert abs(z.mean() - 1) < 4.5 * z.std() / np.sqrt(len(z))
    assert np.mean([len(np.unique(run.founders)) < 50 for run in runs]) > 0.9
    own, true = np.sqrt(np.mean([run.std_error**2 for run in runs])), np.log(z).std()
    assert own > 0.4 * true, "the copies of a chain are no independent chains"


def conditional_ess(path, before, now, n=20_000):
    x = path(before).sample(n, np.random.default_rng(1))
    w = np.exp(path(now).log_density(x) - path(before).log_density(x))
    return w.mean() ** 2 / (w**2).mean()


@pytest.mark.parametrize("ess", [0.5, 0.9])
def test_every_step_loses_the_share_that_was_asked_for(ess):
    betas = ae.adaptive_schedule(PATH, 2000, ae.exact, ess=ess, rng=np.random.default_rng(0)).schedule
    found = [conditional_ess(PATH, *step) for step in pairwise(betas[:-1])]
    np.testing.assert_allclose(np.log(found), np.log(ess), rtol=0.4)  # loss within 10%, and the noise of a pilot
    assert conditional_ess(PATH, *betas[-2:]) > ess**1.5


@pytest.mark.parametrize("kernel", [ae.hmc(0.2, 3), ae.random_walk(0.5)])
def test_steps_shrink_with_every_coordinate_until_the_best_share_is_accepted(kernel):
    found = ae.adaptive_schedule(PATH, 500, kernel, rng=np.random.default_rng(0))
    first, last = found.scales[0], found.scales[-1]
    assert 0.6 < first[0] / first[1] < 1.6 and 6 < last[0] / last[1] < 16  # standard deviations 5, 5 and 1, 0.1
    assert abs(found.acceptance[-10:].mean() - kernel.best_acceptance) < 0.1
    x = NARROW.sample(4000, np.random.default_rng(1))
    moved = (found(NARROW, x, np.random.default_rng(2)) != x).any(1).mean()
    assert abs(moved - kernel.best_acceptance) < 0.15


class Watched:
    """A kernel that offers another one at every β."""

    def __init__(self):
        self.asked = set()

    def at(self, beta):
        self.asked.add(round(float(beta), 6))
        return ae.random_walk(1.0)

    def __call__(self, distribution, x, rng):
        return self.at(1.0)(distribution, x, rng)


BETAS = [0.0, 0.25, 0.75, 1.0]


@pytest.mark.parametrize(
    ("run", "betas"),
    [
        (lambda k, rng: ae.ais(PATH, BETAS, 5, k, rng=rng), BETAS[1:]),
        (lambda k, rng: ae.reverse_ais(PATH, BETAS, NARROW.sample(5, rng), k, rng=rng), BETAS),
        (lambda k, rng: ae.parallel_tempering(PATH, BETAS, 3, 2, k, rng=rng), BETAS),
        (lambda k, rng: ae.rts(PATH, BETAS, 4, 9, 40, k, rng=rng), BETAS),
        (lambda k, rng: ae.tempered_transitions(PATH, BETAS, k).move(NARROW.sample(5, rng), rng), BETAS[:-1]),
    ],
)
def test_every_estimator_asks_for_the_kernel_of_its_beta(run, betas):
    kernel = Watched()
    run(kernel, np.random.default_rng(0))
    assert kernel.asked == set(betas)


def test_what_was_found_serves_hais_and_tempering():
    found = ae.adaptive_schedule(PATH, 300, ae.hmc(0.2, 1), ess=0.995, rng=np.random.default_rng(0))
    rng = np.random.default_rng(1)
    plain, tuned = (ae.hais(PATH, found.schedule, 500, step, rng=rng) for step in (0.2, found.scales))
    assert tuned.acceptance_along_path[-1] > 2 * plain.acceptance_along_path[-1] and tuned.ess > 1.5 * plain.ess
    ladder = ae.parallel_tempering(PATH, np.append(found.schedule[:-1:12], 1), 100, 10, found, rng=rng)
    assert abs(ladder.log_z - 1.5) < 5 * ladder.std_error < 1
    with pytest.raises(ValueError, match="step_size must be positive, one for each of 2 steps"):
        ae.hais(PATH, [0, 0.5, 1], 9, found.scales, rng=rng)


def test_a_wall_costs_chains_and_no_steps_and_a_target_that_nobody_meets_is_refused():
    beyond = ae.Unnormalized(lambda x: np.where(x[..., 0] > 0, -0.5 * (x**2).sum(-1), -np.inf), 2)
    path = ae.geometric_path(START, beyond)
    betas = ae.adaptive_schedule(path, 500, ae.random_walk(1.0), rng=np.random.default_rng(0)).schedule
    assert 10 < len(betas) < 60 and betas[1] > 1e-4
    nowhere = ae.geometric_path(START, ae.Unnormalized(lambda x: np.where(x[..., 0] > 1e3, 0.0, -np.inf), 2))
    with pytest.raises(ValueError, match="no chain has a density a little beyond beta = 0"):
        ae.adaptive_schedule(nowhere, 50, ae.random_walk(1.0), rng=np.random.default_rng(0))
