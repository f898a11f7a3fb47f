import pickle

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.distributions import GeometricBridge

SQUARE = ae.Unnormalized(lambda x: -(x**2).sum(-1), dim=2, grad=lambda x: -2 * x)


def test_bridge_is_the_geometric_average_with_its_gradient():
    p = ae.Gaussian([1.0, 2.0], np.eye(2))
    x = np.random.default_rng(0).normal(size=(5, 2))
    bridge = GeometricBridge(p, SQUARE, 0.25)
    np.testing.assert_allclose(bridge.log_density(x), 0.75 * p.log_density(x) - 0.25 * (x**2).sum(1))
    np.testing.assert_allclose(bridge.grad_log_density(x), -0.75 * (x - [1.0, 2.0]) - 0.5 * x)


@pytest.mark.parametrize(
    ("log_density", "error", "message"),
    [
        (lambda x: -(x**2), ValueError, "sum over the last axis"),
        (lambda x: x.sum(-1) * np.nan, ValueError, "NaN"),
        (lambda x: x.sum(-1) * 0 + np.inf, ValueError, r"\+inf"),
    ],
)
def test_a_log_density_of_the_wrong_kind_is_refused(log_density, error, message):
    with pytest.raises(error, match=message):
        ae.Unnormalized(log_density, dim=2).log_density(np.zeros((3, 2)))


def test_minus_infinity_is_a_value_outside_the_support():
    target = ae.Unnormalized(lambda x: np.where(x[..., 0] > 0, -x[..., 0], -np.inf), dim=1)
    np.testing.assert_array_equal(target.log_density(np.array([[-1.0], [2.0]])), [-np.inf, -2.0])


def test_a_missing_gradient_says_what_to_do():
    with pytest.raises(TypeError, match="grad="):
        ae.Unnormalized(lambda x: -(x**2).sum(-1), dim=2).grad_log_density(np.zeros((3, 2)))


def test_arguments_of_the_wrong_kind_are_refused():
    with pytest.raises(ValueError, match="dim must be at least 1"):
        ae.Unnormalized(lambda x: x, dim=0)
    with pytest.raises(TypeError, match="log_density must be a function"):
        ae.Unnormalized(3.0, dim=1)
    with pytest.raises(ValueError, match="grad must map"):
        ae.Unnormalized(lambda x: -(x**2).sum(-1), dim=2, grad=lambda x: x.sum(-1)).grad_log_density(np.zeros((3, 2)))


def standard_normal(x):
    return -0.5 * (x**2).sum(-1)


def test_a_target_made_of_a_named_function_can_be_pickled():
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Unnormalized(standard_normal, 1))
    again = pickle.loads(pickle.dumps(path))
    assert again(0.5).log_density(np.zeros((1, 1))) == path(0.5).log_density(np.zeros((1, 1)))
