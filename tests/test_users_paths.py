"""A user's path is right in every estimator, also if it overrides one of the library's."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.paths.covariance import auxiliary_gibbs, covariance_start
from tests.records import numbers

SCHEDULE = np.array([0.0, 0.3, 0.7, 1.0])
RUNGS = ae.linear_schedule(12)  # with four of them swaps are rare, and 100 sweeps say too little of their own error


def rng(seed):
    return np.random.default_rng(seed)


def rbm(seed, scale=1.0, shape=(5, 3)):
    return ae.BinaryRBM(scale * rng(seed).normal(size=shape), rng(seed).normal(size=shape[0]), rng(seed).normal(size=3))


GRBM = ae.GaussianRBM(0.7 * np.cos(np.arange(6.0)).reshape(3, 2), [0.5, -0.5, 0.0], [0.3, -0.3], [0.5, 1.0, 1.5])
GAUSSIANS = ae.Gaussian([0.0, 1.0], np.eye(2)), ae.Gaussian([2.0, -1.0], [[2.0, 0.5], [0.5, 1.0]])
PATHS = {
    "Gaussians": ae.geometric_path(*GAUSSIANS),
    "RBMs, no weights": ae.geometric_path(rbm(3, 0.0), rbm(4)),
    "RBMs": ae.geometric_path(rbm(5, 0.5), rbm(4)),
    "both layers": ae.geometric_path(ae.JointRBM(rbm(3, 0.0)), ae.JointRBM(rbm(4))),
    "Gaussian RBMs": ae.geometric_path(covariance_start([0.0, 0.5, 0.0], np.diag([4.0, 3.0, 5.0]), 2), GRBM),
    "moments": ae.moment_path(*GAUSSIANS),
    "a spline of RBMs": ae.spline_path([0, 0.5, 1], [rbm(3, 0.0), rbm(6, 0.3), rbm(4)]),
    "a spline of Gaussians": ae.spline_path([0, 0.5, 1], [GAUSSIANS[0], *GAUSSIANS]),
}
REAL = "Gaussians", "moments", "a spline of Gaussians", "Gaussian RBMs"


def squared(path):
    """Three ways to write β ↦ path(β²): a function, a subclass, and an object."""

    class Overriding(type(path)):
        def __call__(self, beta):
            return super().__call__(float(beta) ** 2)

    class Wrapping:
        def __call__(self, beta):
            return path(float(beta) ** 2)

    own = {name: getattr(path, name) for name in ("start", "end", "betas", "distributions") if hasattr(path, name)}
    return (lambda beta: path(float(beta) ** 2)), Overriding(**own), Wrapping()


ESTIMATORS = {
    "ais": lambda path: ae.ais(path, ae.linear_schedule(10), 500, rng=rng(9)),
    "sandwich": lambda path: ae.sandwich(path, ae.linear_schedule(10), 500, rng=rng(9)).reverse,
    "parallel tempering": lambda path: ae.parallel_tempering(path, RUNGS, 100, 20, n_burn_in=20, rng=rng(9)),
    "rts": lambda path: ae.rts(path, SCHEDULE, 6, 30, 50, rng=rng(9)),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", PATHS)
def test_every_estimator_finds_log_z(name, estimator):
    """Within 6 of its own standard errors and a hundredth."""
    path, *_ = squared(PATHS[name])
    result = ESTIMATORS[estimator](path)
    log_z, std_error = np.atleast_1d(result.log_z)[-1], np.atleast_1d(result.std_error)[-1]
    assert abs(log_z - path(1.0).log_z()) < 6 * std_error + 0.01


@pytest.mark.parametrize("name", PATHS)
def test_a_path_that_overrides_another_gives_the_numbers_of_the_plain_function(name):
    """To the last bit: the faster steps of the overridden path are not used."""
    function, *others = squared(PATHS[name])
    x = PATHS[name](0.0).sample(7, rng(7))
    calls = [
        lambda path: ae.ais(path, SCHEDULE, 20, rng=rng(9)),
        lambda path: ae.reverse_ais(path, SCHEDULE, x, rng=rng(9)),
        lambda path: ae.parallel_tempering(path, SCHEDULE, 3, 5, rng=rng(9)),
        lambda path: ae.rts(path, SCHEDULE, 4, 3, 10, rng=rng(9)),
        lambda path: ae.tempered_transitions(path, SCHEDULE).move(x, rng(9)),
        lambda path: ae.log_density_matrix(path, SCHEDULE, x),
        lambda path: ae.log_density_slopes(path, SCHEDULE, x),
    ]
    if name == "Gaussian RBMs":
        calls.append(lambda path: ae.ais(path, SCHEDULE, 20, auxiliary_gibbs, rng=rng(9)))
    elif name in REAL:
        calls.append(lambda path: ae.hais(path, SCHEDULE, 20, rng=rng(9)))
    for call in calls:
        expected = numbers(call(function))
        for path in others:
            for one, other in zip(expected, numbers(call(path)), strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", PATHS)
def test_densities_and_slopes_are_those_of_the_path(name):
    """On the path as it is, by what it offers, and on one that is overridden."""
    x, step = PATHS[name](0.0).sample(7, rng(7)).astype(float), 1e-5
    for path in (PATHS[name], squared(PATHS[name])[1]):
        expected = np.stack([path(beta).log_density(x) for beta in SCHEDULE])
        for kind in (np.float32, np.float64):
            found = ae.log_density_matrix(path, SCHEDULE, x.astype(kind))
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
        up, down = (np.stack([path(b + s).log_density(x) for b in SCHEDULE[1:-1]]) for s in (step, -step))
        slopes = ae.log_density_slopes(path, SCHEDULE, x)[1:-1]
        np.testing.assert_allclose(slopes, (up - down) / (2 * step), rtol=1e-3, atol=1e-3)


def test_a_model_that_weighs_otherwise_is_no_member_of_its_parents_family():
    class Doubled(ae.BinaryRBM):
        def log_density(self, v):
            return 2 * super().log_density(v)

    target = rbm(4)
    doubled = Doubled(target.weights, target.visible_bias, target.hidden_bias)
    path, v = ae.geometric_path(rbm(3, 0.0), doubled), ae.binary_states(5)[:4]
    expected = 0.5 * (rbm(3, 0.0).log_density(v) + doubled.log_density(v))
    np.testing.assert_allclose(path(0.5).log_density(v), expected)
    np.testing.assert_allclose(ae.log_density_matrix(path, [0, 0.5, 1], v)[1], expected)
