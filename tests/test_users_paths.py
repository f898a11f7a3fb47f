"""A path of the user's own is right in every estimator, also where it is made of the library's and overrides it."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.annealing.ais import annealer
from anneal_edu.kernels import swapped
from anneal_edu.paths.capabilities import checked
from anneal_edu.paths.geometric import family_of
from anneal_edu.paths.ladder import ladder_on
from anneal_edu.tempering.parallel import sweep_on
from anneal_edu.tempering.swaps import EvenOdd
from tests.cases import always

SCHEDULE = np.array([0.0, 0.3, 0.7, 1.0])
RUNGS = ae.linear_schedule(12)  # with four of them swaps are rare, and 100 sweeps say too little of their own error
KERNELS = {"gibbs": ae.gibbs, "auxiliary gibbs": ae.auxiliary_gibbs}


def rng(seed):
    return np.random.default_rng(seed)


def rbm(seed, scale=1.0, shape=(5, 3)):
    return ae.BinaryRBM(scale * rng(seed).normal(size=shape), rng(seed).normal(size=shape[0]), rng(seed).normal(size=3))


GRBM = ae.GaussianRBM(0.7 * np.cos(np.arange(6.0)).reshape(3, 2), [0.5, -0.5, 0.0], [0.3, -0.3], [0.5, 1.0, 1.5])
ENDS = {
    "Gaussians": (ae.Gaussian([0.0, 1.0], np.eye(2)), ae.Gaussian([2.0, -1.0], [[2.0, 0.5], [0.5, 1.0]])),
    "RBMs, no weights": (rbm(3, 0.0), rbm(4)),
    "RBMs": (rbm(5, 0.5), rbm(4)),
    "both layers": (ae.JointRBM(rbm(3, 0.0)), ae.JointRBM(rbm(4))),
    "Gaussian RBMs": (ae.covariance_start([0.0, 0.5, 0.0], np.diag([4.0, 3.0, 5.0]), 2), GRBM),
}


def squared(path):
    """Three ways to write β ↦ path(β²)."""

    class Overriding(type(path)):
        def __call__(self, beta):
            return super().__call__(float(beta) ** 2)

    class Wrapping:
        def __call__(self, beta):
            return path(float(beta) ** 2)

    own = {name: getattr(path, name) for name in ("start", "end", "betas", "distributions") if hasattr(path, name)}
    return {"a subclass": Overriding(**own), "an object": Wrapping(), "a function": lambda beta: path(float(beta) ** 2)}


PATHS = {name: ae.geometric_path(*ends) for name, ends in ENDS.items()}
PATHS["moments"] = ae.moment_path(*ENDS["Gaussians"])
PATHS["a spline of RBMs"] = ae.spline_path([0, 0.5, 1], [rbm(3, 0.0), rbm(6, 0.3), rbm(4)])
PATHS["a spline of Gaussians"] = ae.spline_path([0, 0.5, 1], [ENDS["Gaussians"][0], *ENDS["Gaussians"]])
WRITTEN = {
    f"{name}: {how}": (path, made) for name, path in PATHS.items() for how, made in squared(path).items()
}
STEPS = [(name, kernel) for name in WRITTEN for kernel in KERNELS if kernel == "gibbs" or "Gaussian RBMs" in name]
REAL = [name for name in WRITTEN if name.startswith(("Gaussian", "moments", "a spline of Gaussians"))]


def states(path, n=7):
    return path(0.0).sample(n, rng(7)).astype(np.float32)


@pytest.mark.parametrize("name", WRITTEN)
def test_densities_and_slopes_are_those_of_the_path_as_it_is_written(name):
    path, made = WRITTEN[name]
    x = states(path).astype(np.float64)
    expected = np.stack([path(float(beta) ** 2).log_density(x) for beta in SCHEDULE])
    for kind in (np.float32, np.float64):
        found = ae.log_density_matrix(made, SCHEDULE, x.astype(kind))
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(ladder_on(made, SCHEDULE).log_density(x), expected, rtol=1e-4, atol=1e-4)
    step = 1e-5
    up, down = (np.stack([path(b**2).log_density(x) for b in SCHEDULE[1:-1] + s]) for s in (step, -step))
    slopes = ae.log_density_slopes(made, SCHEDULE, x)[1:-1]
    np.testing.assert_allclose(slopes, (up - down) / (2 * step), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("name", "kernel"), STEPS)
def test_a_step_of_ais_weighs_by_the_path_as_it_is_written(name, kernel):
    path, made = WRITTEN[name]
    x = states(path)
    log_ratio, moved = annealer(made, KERNELS[kernel])((0.3, 0.7), x, rng(8))
    expected = path(0.49).log_density(x.astype(float)) - path(0.09).log_density(x.astype(float))
    np.testing.assert_allclose(log_ratio, expected, rtol=1e-4, atol=1e-4)
    assert moved.shape == x.shape


@pytest.mark.parametrize("name", WRITTEN)
def test_swaps_are_judged_by_the_path_as_it_is_written(name):
    path, made = WRITTEN[name]
    x = np.stack([states(path) for _ in SCHEDULE]).astype(np.float64)
    new, _, accepted, _, found = sweep_on(made, SCHEDULE, ae.gibbs)(x, EvenOdd(3, x.shape[1]), rng(3))
    v, f = swapped(new, accepted).astype(float), [path(float(beta) ** 2).log_density for beta in SCHEDULE]
    up = [f[k + 1](v[k]) - f[k](v[k]) for k in range(3)]
    down = [f[k](v[k + 1]) - f[k + 1](v[k + 1]) for k in range(3)]
    np.testing.assert_allclose(found, [up, down], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", REAL)
def test_hamiltonian_ais_sees_the_path_as_it_is_written(name):
    path, made = WRITTEN[name]
    x, (points, _) = states(path).astype(np.float64), checked(made)
    for beta in SCHEDULE:
        point, right = points(float(beta)), path(float(beta) ** 2)
        np.testing.assert_allclose(point.log_density(x), right.log_density(x), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(point.grad_log_density(x), right.grad_log_density(x), rtol=1e-9, atol=1e-9)


ESTIMATORS = {
    "ais": lambda path: ae.ais(path, ae.linear_schedule(10), 500, rng=rng(9)),
    "sandwich": lambda path: ae.sandwich(path, ae.linear_schedule(10), 500, rng=rng(9)).reverse,
    "parallel tempering": lambda path: ae.parallel_tempering(path, RUNGS, 100, 20, n_burn_in=20, rng=rng(9)),
    "rts": lambda path: ae.rts(path, SCHEDULE, 6, 30, 50, rng=rng(9)),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", always(*[name for name in WRITTEN if "a function" in name], of=WRITTEN))
def test_every_estimator_finds_log_z(name, estimator):
    """Within 6 of its own standard errors and a hundredth."""
    _, made = WRITTEN[name]
    result = ESTIMATORS[estimator](made)
    log_z, std_error = np.atleast_1d(result.log_z)[-1], np.atleast_1d(result.std_error)[-1]
    assert abs(log_z - made(1.0).log_z()) < 6 * std_error + 0.01


class Moody:
    """A Gaussian of the user's own, which at one β knows no density."""

    dim = 1

    def __init__(self, sour):
        self.sour = sour

    def log_density(self, x):
        return np.full(x.shape[:-1], np.nan) if self.sour else -0.5 * (x**2).sum(-1)

    def grad_log_density(self, x):
        return -x

    def sample(self, n, rng):
        return rng.standard_normal((n, 1))

    def log_z(self):
        return 0.5 * np.log(2 * np.pi)


HALVES, WALK, X = np.array([0.0, 0.5, 1.0]), ae.random_walk(0.5), np.array([[0.3], [-0.2]])
ASKED_EVERYWHERE = {
    "ais": lambda path: ae.ais(path, HALVES, 3, WALK, rng=rng(0)),
    "hais": lambda path: ae.hais(path, HALVES, 3, rng=rng(0)),
    "reverse_ais": lambda path: ae.reverse_ais(path, HALVES, X, rng=rng(0), kernel=stay),
    "raise_log_likelihood": lambda path: ae.raise_log_likelihood(path, HALVES, X, 3, stay, rng=rng(0)),
    "parallel_tempering": lambda path: ae.parallel_tempering(path, HALVES, 3, 2, stay, rng=rng(0)),
    "simulated_tempering": lambda path: ae.simulated_tempering(path, HALVES, np.zeros(3), 3, 2, stay, rng=rng(0)),
    "log_density_matrix": lambda path: ae.log_density_matrix(path, HALVES, X),
    "log_density_slopes": lambda path: ae.log_density_slopes(path, HALVES, X),
}


def stay(distribution, x, rng):
    return x


@pytest.mark.parametrize("sour", HALVES)
@pytest.mark.parametrize("call", ASKED_EVERYWHERE.values(), ids=ASKED_EVERYWHERE)
def test_a_density_that_is_none_is_refused_by_its_beta(call, sour):
    with pytest.raises(ValueError, match=rf"NaN .*at beta = {sour:g}$"):
        call(lambda beta: Moody(beta == sour))


@pytest.mark.parametrize("sour", [0.0, 1.0])
@pytest.mark.parametrize("call", [ASKED_EVERYWHERE[name] for name in ("hais", "log_density_matrix")])
def test_an_end_of_a_geometric_path_that_is_none_is_refused_by_its_beta(call, sour):
    with pytest.raises(ValueError, match=rf"NaN .*at beta = {sour:g}$"):
        call(ae.geometric_path(Moody(sour == 0), Moody(sour == 1)))


def test_a_model_that_weighs_otherwise_is_no_member_of_its_parents_family():
    class Doubled(ae.BinaryRBM):
        def log_density(self, v):
            return 2 * super().log_density(v)

    target = rbm(4)
    doubled = Doubled(target.weights, target.visible_bias, target.hidden_bias)
    assert family_of(doubled) is Doubled and family_of(target) is ae.BinaryRBM
    path, v = ae.geometric_path(rbm(3, 0.0), doubled), ae.binary_states(5)[:4]
    expected = 0.5 * (rbm(3, 0.0).log_density(v) + doubled.log_density(v))
    np.testing.assert_allclose(path(0.5).log_density(v), expected)
    np.testing.assert_allclose(ae.log_density_matrix(path, [0, 0.5, 1], v)[1], expected)
