"""Every distribution: densities of states in any arrangement, gradients against differences, refused states."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.distributions.generative import IndependentPrior


def rng(seed):
    return np.random.default_rng(seed)


BINARY = ae.BinaryRBM(rng(0).normal(size=(4, 3)), rng(1).normal(size=4), rng(2).normal(size=3))
GAUSSIAN = ae.Gaussian([1.0, -0.5, 0.2], [[2.0, 0.3, 0.1], [0.3, 1.0, -0.4], [0.1, -0.4, 0.7]], log_scale=0.7)
GRBM = ae.GaussianRBM(rng(3).normal(size=(3, 2)), rng(4).normal(size=3), rng(5).normal(size=2), [0.5, 1.0, 2.0])
PRECISION = np.diag([1.0, 2.0, 0.5]) + 0.1
COUPLED = ae.distributions.GaussianBernoulli(rng(6).normal(size=3), PRECISION, rng(7).normal(size=(3, 2)), [0.3, -0.2])
LINEAR = ae.LinearGenerative(rng(8).normal(size=(3, 2)), noise=0.8)
CONTINUOUS = {
    "Gaussian": GAUSSIAN,
    "GaussianRBM": GRBM,
    "Gaussian-Bernoulli": COUPLED,
    "Laplace experts": ae.ProductOfExperts(rng(12).normal(size=(5, 3))),
    "Student-t experts": ae.ProductOfExperts(rng(13).normal(size=(5, 3)), np.linspace(1, 3, 5), "student_t"),
    "mean and covariance": ae.MeanCovarianceRBM(
        rng(14).normal(size=(4, 3)), -rng(15).uniform(size=(4, 2)), [0.5, 1.0],
        rng(16).normal(size=(2, 3)), [0.1, -0.2], [0.0, 0.3, -0.3], sigma=0.7
    ),
    "normal prior": IndependentPrior(3, False, np.zeros(3, dtype=bool)),
    "Laplace prior": IndependentPrior(3, True, np.zeros(3, dtype=bool)),
    "between two Gaussians": ae.geometric_path(ae.Gaussian(np.zeros(3), np.eye(3)), GAUSSIAN)(0.3),
    "to experts": ae.geometric_path(GAUSSIAN, ae.ProductOfExperts(rng(12).normal(size=(5, 3))))(0.3),
}  # fmt: skip
WITHOUT_GRADIENT = {"linear causes": LINEAR}
DISCRETE = {
    "BinaryRBM": BINARY,
    "JointRBM": ae.JointRBM(BINARY),
    "between two RBMs": ae.geometric_path(ae.uniform_rbm(4, 3), BINARY)(0.3),
}


def states_of(name, model):
    if name in DISCRETE:  # ten of them, no two alike
        return ae.binary_states(model.dim)[1:11].reshape(2, 5, model.dim)
    return 1.3 * rng(20).normal(size=(2, 5, model.dim))


@pytest.mark.parametrize(("name", "model"), (CONTINUOUS | WITHOUT_GRADIENT | DISCRETE).items())
def test_each_state_has_its_own_density(name, model):
    x = states_of(name, model)
    together = model.log_density(x)
    assert together.shape == (2, 5)
    one_by_one = [[model.log_density(state) for state in row] for row in x]
    np.testing.assert_allclose(together, one_by_one, rtol=1e-5, atol=1e-6)
    assert len(np.unique(together.round(6))) > 5


@pytest.mark.parametrize("model", (CONTINUOUS | WITHOUT_GRADIENT | DISCRETE).values())
def test_states_of_another_width_or_without_numbers_are_refused(model):
    x = np.zeros((5, model.dim))
    for wrong, message in ((x[:, 1:], rf"x must have shape \(..., {model.dim}\)"), (x * np.nan, "x must be finite")):
        with pytest.raises(ValueError, match=message):
            model.log_density(wrong)


@pytest.mark.parametrize(("name", "model"), CONTINUOUS.items())
def test_each_state_has_its_own_gradient(name, model):
    x, step = states_of(name, model), 1e-5
    together = model.grad_log_density(x)
    assert together.shape == x.shape
    alone = [[model.grad_log_density(state) for state in row] for row in x]
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-9)
    ahead = [model.log_density(x + step * along) for along in np.eye(model.dim)]
    behind = [model.log_density(x - step * along) for along in np.eye(model.dim)]
    slopes = np.moveaxis((np.array(ahead) - np.array(behind)) / (2 * step), 0, -1)
    np.testing.assert_allclose(together, slopes, rtol=1e-5, atol=1e-6)
