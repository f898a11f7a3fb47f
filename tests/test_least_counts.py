"""Every whole number that a caller gives is taken at its least, and refused with its name just below it."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu import data

BETAS = ae.linear_schedule(2)
PATH = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[0.5]]))
RBM = ae.uniform_rbm(3, 2)
GRBM = ae.GaussianRBM([[0.5], [0.2]], [0.0, 0.0], [0.1], [1.0, 1.0])
CAUSES = ae.LinearGenerative(np.eye(2), noise=0.5)
EXPERTS = ae.ProductOfExperts([[1.0, 0.3], [0.2, 1.5]])
BINARY = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
REAL = np.array([[0.3, -0.2], [1.0, 0.4], [-0.7, 0.1]])
PICTURES = [np.random.default_rng(0).uniform(0, 255, size=(9, 12, 3))]
GREYS = [np.random.default_rng(0).uniform(0, 255, size=(300, 300))]  # large: two patches are hardly ever the same
HALF = ae.Gaussian([0.0], [[1.0]])


def counted(function, *arguments, **options):
    """A call that gives one count by its name."""
    return lambda name, n: function(*arguments, **(options | {name: n}), rng=np.random.default_rng(0))


ais = counted(ae.ais, PATH, BETAS, n_chains=1)
sandwich = counted(ae.sandwich, PATH, BETAS, n_chains=3, n_burn_in=1)
raised = counted(ae.raise_log_likelihood, ae.geometric_path(RBM, RBM), BETAS, BINARY, n_chains=1)
hais = counted(ae.hais, PATH, BETAS, n_chains=1)
analysed = counted(ae.log_likelihood, CAUSES, REAL, BETAS, n_chains=1)
tempered = counted(ae.parallel_tempering, PATH, BETAS, n_sweeps=3, n_chains=2, n_burn_in=1)
walked = counted(ae.simulated_tempering, PATH, BETAS, np.zeros(3), n_sweeps=3, n_chains=2, n_burn_in=1)
rts = counted(ae.rts, PATH, BETAS, n_rounds=1, n_sweeps=2, n_chains=3, n_initial=0)
moments = counted(ae.estimate_moments, RBM, n_chains=2, n_steps=4, n_burn_in=1, every=1)
covariance = counted(ae.estimate_mean_and_cov, GRBM, n_chains=2, n_steps=4, n_burn_in=1)
binary = counted(ae.train_rbm, BINARY, n_hidden=2, n_gibbs=1, n_updates=2, batch_size=2)
between_temperatures = counted(ae.train_rbm, BINARY, 2, "pt", n_updates=1, batch_size=2)
gaussian = counted(ae.train_gaussian_rbm, REAL, n_hidden=2, n_gibbs=1, n_updates=2, batch_size=2)
flowed = counted(ae.minimum_probability_flow, REAL, EXPERTS, n_rounds=1, n_iterations=1, n_leapfrog=1)
maximised = counted(ae.expectation_maximisation, REAL, CAUSES, n_iterations=1, n_moves=1)
fit = counted(lambda rng, **options: ae.pcd_fit(**options, rng=rng), n_updates=1, n_particles=1, learning_rate=0.1)


def drawn_from(model):
    return lambda n: model.sample(n, np.random.default_rng(0))


def grey(name, n):
    settings = {"n": 3, "size": 3, "n_components": 2, "n_held_out": 1} | {name: n}
    return data.gray_patches(**settings, images=GREYS, rng=np.random.default_rng(0))


def analyse_points(n):
    return ae.log_likelihood(CAUSES, REAL[:n], BETAS, 1, rng=np.random.default_rng(0))


def maximise_on(n):
    return ae.expectation_maximisation(REAL[:n], CAUSES, 1, 1, rng=np.random.default_rng(0))


def plainly(call):
    return lambda _, n: call(n)


COUNTS = [
    ("n_chains", 1, ais),
    ("n_burn_in", 0, sandwich),
    ("n_chains", 1, raised),
    ("n_chains", 1, hais),
    ("n_chains", 1, analysed),
    ("n_sweeps", 1, tempered),
    ("n_chains", 1, tempered),
    ("n_burn_in", 0, tempered),
    ("n_sweeps", 1, walked),
    ("n_chains", 1, walked),
    ("n_burn_in", 0, walked),
    ("n_rounds", 1, rts),
    ("n_sweeps", 1, rts),
    ("n_chains", 1, rts),
    ("n_initial", 0, rts),
    ("n_chains", 1, moments),
    ("every", 1, moments),
    ("n_burn_in", 0, moments),
    ("n_steps", 2, moments),  # one after a burn-in of one
    ("n_chains", 1, covariance),
    ("n_burn_in", 0, covariance),
    ("n_steps", 2, covariance),
    ("n_hidden", 1, binary),
    ("n_gibbs", 1, binary),
    ("n_updates", 1, binary),
    ("batch_size", 1, binary),
    ("n_rungs", 2, between_temperatures),
    ("n_hidden", 1, gaussian),
    ("n_gibbs", 1, gaussian),
    ("n_updates", 1, gaussian),
    ("batch_size", 1, gaussian),
    ("n_rounds", 1, flowed),
    ("n_iterations", 1, flowed),
    ("n_leapfrog", 1, flowed),
    ("n_iterations", 1, maximised),
    ("n_moves", 1, maximised),
    ("n_updates", 1, fit),
    ("n_particles", 1, fit),
    ("n_steps", 1, plainly(ae.linear_schedule)),
    ("n_steps", 2, plainly(lambda n: ae.piecewise_schedule([0.0, 0.5, 1.0], n))),
    ("n_steps", 1, plainly(lambda n: ae.piecewise_schedule([0.0, 0.5, 1.0], [2, n]))),
    ("n_steps", 3, plainly(lambda n: ae.optimal_allocation([1.0, 1.0, 1.0], n))),
    ("n_bins", 1, plainly(lambda n: ae.optimal_binned_schedule(PATH, 12, n))),
    ("n_steps", 1, plainly(lambda n: ae.equal_rejection_schedule(BETAS, [0.2, 0.3], n))),
    ("knots", 1, plainly(lambda n: ae.moment_spline_path(RBM, RBM, knots=n))),
    ("max_evaluations", 1, plainly(lambda n: ae.match_moments(ae.uniform_rbm(3, 2).moments(), RBM, max_evaluations=n))),
    ("n_leapfrog", 1, plainly(lambda n: ae.hmc(0.1, n))),
    ("n_resamples", 1, plainly(lambda n: ae.bootstrap_log_mean_exp([0.0, 1.0], n, rng=np.random.default_rng(0)))),
    ("n_resamples", 1, plainly(lambda n: ae.larger_ess_p_value([0.0], [1.0], n, rng=np.random.default_rng(0)))),
    ("dim", 1, plainly(lambda n: ae.Unnormalized(lambda x: -(x**2).sum(-1), dim=n))),
    ("n_visible", 1, plainly(lambda n: ae.uniform_rbm(n, 2))),
    ("n_hidden", 1, plainly(lambda n: ae.uniform_rbm(3, n))),
    ("n_hidden", 1, plainly(lambda n: ae.base_rate_rbm(BINARY, n))),
    ("n_hidden", 1, plainly(lambda n: ae.covariance_start([0.0, 0.0], np.eye(2), n))),
    *(("n", 1, plainly(drawn_from(model))) for model in (HALF, RBM, GRBM, CAUSES, EXPERTS)),
    ("size", 2, plainly(lambda n: data.bars_and_stripes(n))),
    ("n", 2, plainly(lambda n: data.color_patches(n, 3, PICTURES, rng=np.random.default_rng(0)))),
    ("size", 2, plainly(lambda n: data.color_patches(3, n, PICTURES, rng=np.random.default_rng(0)))),
    ("n", 3, grey),  # one more than components
    ("size", 2, grey),
    ("n_components", 1, grey),
    ("n_held_out", 1, grey),
    ("number of data points", 2, plainly(lambda n: analyse_points(n))),
    ("number of data points", 3, plainly(lambda n: maximise_on(n))),  # one more than causes
]


@pytest.mark.parametrize("name, least, call", COUNTS)
def test_a_count_is_taken_at_its_least_and_refused_below(name, least, call):
    call(name, least)
    with pytest.raises(ValueError, match=rf"{name}\b.* must be at least {least}, got {least - 1}"):
        call(name, least - 1)
