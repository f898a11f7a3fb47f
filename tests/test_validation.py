"""The door for arguments, where no estimator's own tests look."""

from types import SimpleNamespace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu import validation
from anneal_edu.distributions import enumeration
from anneal_edu.validation import as_chains, require_distribution


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_chains_keep_their_precision(dtype):
    assert as_chains("x", np.zeros((2, 3), dtype), 3).dtype == dtype
    assert as_chains("x", [[0, 1, 1]], 3).dtype == np.float64


@pytest.mark.parametrize("half", [{"dim": 2}, {"log_density": lambda x: x.sum(-1)}])
def test_half_a_distribution_is_none(half):
    with pytest.raises(TypeError, match="p0 must be a distribution"):
        require_distribution("p0", SimpleNamespace(**half))
    require_distribution("p0", SimpleNamespace(dim=2, log_density=lambda x: x.sum(-1)))


RBM = ae.uniform_rbm(2, 1)
GAUSSIANS = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]]))
RUN = ae.ais(GAUSSIANS, [0, 1], 3, rng=np.random.default_rng(0))
INTERVALS = {
    "level": (lambda level: RUN.interval(level), 0, 1),
    "ess": (lambda ess: ae.adaptive_schedule(GAUSSIANS, 50, ae.exact, ess=ess, rng=np.random.default_rng(0)), 0, 1),
}


@pytest.mark.parametrize("name", INTERVALS)
def test_open_intervals_end_where_they_say(name):
    call, low, high = INTERVALS[name]
    call(low + 0.4 * (high - low))
    for outside in (low - 0.1, low, high, high + 0.1):
        with pytest.raises(ValueError, match=f"{name} must lie strictly between {low} and {high}"):
            call(outside)


POSITIVE = {
    "sigma": lambda sigma: ae.GaussianRBM(np.zeros((2, 1)), [0.0, 0.0], [0.0], sigma),
    "sigma of training": lambda sigma: ae.train_gaussian_rbm(
        np.ones((3, 2)), 1, n_updates=1, sigma=sigma, rng=np.random.default_rng(0)
    ),
    "sigma to be widened": lambda sigma: ae.paths.covariance.widen_covariance(4 * np.eye(2), sigma),
    "weights": lambda weights: ae.ProductOfExperts(np.eye(2), weights),
    "scale": ae.random_walk,
}


@pytest.mark.filterwarnings("ignore:the data spread")
@pytest.mark.parametrize("name", POSITIVE)
def test_zero_is_not_positive_and_little_is(name):
    POSITIVE[name]([1.0, 1e-3])
    for wrong in (0.0, -1e-30, -1.0):
        with pytest.raises(ValueError, match=f"{name.split()[0]} must be positive"):
            POSITIVE[name]([1.0, wrong])


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_a_matrix_is_symmetric_to_eight_digits_or_twelve_of_the_largest(size):
    for above, below in ((0.5, 0.5), (0.5 + 1e-10, 0.5), (1e-13, 0.0)):
        A = size * np.array([[1.0, above], [below, 1.0]])
        L = validation.as_cholesky("cov", A)
        np.testing.assert_allclose(L @ L.T, A, rtol=1e-8, atol=1e-12 * size)
    for above, below in ((0.5 + 1e-6, 0.5), (1e-11, 0.0)):
        with pytest.raises(ValueError, match="cov must be symmetric"):
            validation.as_cholesky("cov", size * np.array([[1.0, above], [below, 1.0]]))


def test_sums_over_all_states_end_at_24_units():
    enumeration.require_enumerable(24)
    with pytest.raises(ValueError, match=r"at most 2\^24 are summed"):
        enumeration.require_enumerable(25)


def test_a_strangers_log_density_is_asked_for_states_of_any_shape():
    stranger = SimpleNamespace(dim=2, log_density=lambda x: -np.abs(x).sum(-1), sample=None)
    x = np.arange(12.0).reshape(3, 2, 2)
    np.testing.assert_array_equal(validation.log_density_of(stranger, x), -x.sum(-1))
