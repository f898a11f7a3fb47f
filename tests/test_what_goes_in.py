"""Data as others keep them: lists, tables and read-only arrays give what a plain array gives, or are refused in words.

`Table` stands for a pandas DataFrame, which is tried too where it is installed: it becomes an array when it is asked,
and what one picks from it are columns, by name. `log_conditionals`, a line of the inner loop, trusts what it is given.
"""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

import anneal_edu as ae
from tests.records import numbers


def rng(seed=0):
    return np.random.default_rng(seed)


RBM = ae.BinaryRBM(rng(1).normal(size=(4, 3)), rng(2).normal(size=4), rng(3).normal(size=3))
BINARY = (rng(4).random((30, 4)) < [0.2, 0.4, 0.6, 0.8]).astype(float)
REAL = rng(5).normal(size=(30, 2)) * [1.0, 0.5]
GRBM = ae.GaussianRBM(np.eye(2), np.zeros(2), np.zeros(2), np.ones(2))
PATH = ae.geometric_path(ae.Gaussian([0.0, 0.0], np.eye(2)), ae.Gaussian([1.0, 0.0], 0.3 * np.eye(2)))
RBM_PATH = ae.geometric_path(ae.uniform_rbm(4, 3), RBM)
LAPLACE = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=2)
TO_LAPLACE = ae.geometric_path(ae.Gaussian([0.0, 0.0], np.eye(2)), LAPLACE)
EXPERTS = ae.ProductOfExperts([[1.0, 0.3], [0.2, 1.5], [0.7, -0.9]])
CAUSES = ae.LinearGenerative(np.eye(2), noise=0.5)
BETAS = ae.linear_schedule(3)
LOG_F = ae.log_density_matrix(PATH, BETAS, REAL[:12])
SLOPES = ae.log_density_slopes(PATH, BETAS, REAL[:12])
COUNTS, CHAINS, LOG_WEIGHTS = np.array([3, 3, 3, 3]), np.tile([0, 1, 2], 4), rng(6).normal(size=30)
REPLICAS = np.array([[[0], [1]], [[1], [0]], [[0], [1]]])
SQUARE = np.array([[1.0, 0.2], [0.2, 0.5]])


def first_updates(data):
    states = ae.contrastive_divergence(
        data, 3, "cd", n_gibbs=1, n_updates=2, learning_rate=0.1, batch_size=5, rng=rng()
    )
    return [state.weights.copy() for state in states]


def tracked(train, validation):
    states = ae.contrastive_divergence(
        BINARY, 3, "cd", n_gibbs=1, n_updates=2, learning_rate=0.1, batch_size=5, rng=rng()
    )
    looks = ae.track_log_likelihood(states, train, validation, every=2, n_chains=3, schedule=BETAS, rng=rng())
    return list(looks)


def drawn_with(log_z):
    return ae.simulated_tempering(PATH, BETAS, log_z, 3, 2, rng=rng())


TAKES = {  # a call, and the data that it is given
    "train_rbm": (lambda data: ae.train_rbm(data, 3, n_updates=3, rng=rng()), BINARY),
    "contrastive_divergence": (first_updates, BINARY),
    "train_gaussian_rbm": (lambda data: ae.train_gaussian_rbm(data, 2, n_updates=3, rng=rng()), REAL),
    "train_gaussian_rbm: sigma": (
        lambda sigma: ae.train_gaussian_rbm(REAL, 2, n_updates=3, sigma=sigma, rng=rng()), np.array([1.0, 0.5])),
    "minimum_probability_flow": (
        lambda data: ae.minimum_probability_flow(data, EXPERTS, 2, 2, rng=rng()), REAL),
    "expectation_maximisation": (lambda data: ae.expectation_maximisation(data, CAUSES, 2, 2, rng=rng()), REAL),
    "track_log_likelihood: train": (lambda data: tracked(data, BINARY[:5]), BINARY),
    "track_log_likelihood: validation": (lambda data: tracked(BINARY, data), BINARY),
    "base_rate_rbm": (lambda data: ae.base_rate_rbm(data, 3), BINARY),
    "data_moments": (partial(ae.data_moments, RBM), BINARY),
    "data_moments: example_weights": (partial(ae.data_moments, RBM, BINARY), np.arange(30.0)),
    "estimate_moments: start": (
        lambda start: ae.estimate_moments(RBM, 30, 3, 1, start=start, rng=rng()), BINARY),
    "log_likelihood, experts": (lambda data: ae.log_likelihood(EXPERTS, data, BETAS, 5, rng=rng()), REAL),
    "log_likelihood, causes": (lambda data: ae.log_likelihood(CAUSES, data, BETAS, 5, rng=rng()), REAL),
    "raise_log_likelihood": (lambda data: ae.raise_log_likelihood(RBM_PATH, BETAS, data, 3, rng=rng()), BINARY),
    "reverse_ais": (lambda samples: ae.reverse_ais(RBM_PATH, BETAS, samples, rng=rng()), BINARY),
    "sandwich: data": (
        lambda data: ae.sandwich(TO_LAPLACE, BETAS, 5, ae.random_walk(0.5), n_burn_in=2, data=data, rng=rng()), REAL),
    "examine": (lambda data: ae.models.examine(RBM, data, 5, 5, rng=rng()), BINARY),
    "log_density_matrix": (partial(ae.log_density_matrix, PATH, BETAS), REAL),
    "log_density_slopes": (partial(ae.log_density_slopes, PATH, BETAS), REAL),
    "mbar": (lambda matrix: ae.mbar(matrix, COUNTS), LOG_F),
    "mbar: counts": (lambda counts: ae.mbar(LOG_F, counts), COUNTS),
    "mbar: chains": (lambda chains: ae.mbar(LOG_F, COUNTS, chains=chains), CHAINS),
    "stepping_stone": (lambda matrix: ae.stepping_stone(matrix, COUNTS), LOG_F),
    "stepping_stone: counts": (lambda counts: ae.stepping_stone(LOG_F, counts), COUNTS),
    "stepping_stone: chains": (lambda chains: ae.stepping_stone(LOG_F, COUNTS, chains=chains), CHAINS),
    "thermodynamic_integration": (lambda matrix: ae.thermodynamic_integration(matrix, COUNTS, BETAS), LOG_F),
    "thermodynamic_integration: schedule": (
        lambda schedule: ae.thermodynamic_integration(LOG_F, COUNTS, schedule), BETAS),
    "thermodynamic_integration: slopes": (
        lambda slopes: ae.thermodynamic_integration(LOG_F, COUNTS, BETAS, slopes), SLOPES),
    "thermodynamic_integration: log_z": (
        lambda log_z: ae.thermodynamic_integration(LOG_F, COUNTS, BETAS, rao_blackwellized=True, log_z=log_z),
        np.array([0.0, 0.1, 0.2, 0.3])),
    "simulated_tempering: log_z": (drawn_with, np.array([0.0, 0.1, 0.2, 0.3])),
    "rts: log_z": (lambda log_z: ae.rts(PATH, BETAS, 3, 2, 3, log_z=log_z, rng=rng()), np.array([0.0, 0.1, 0.2, 0.3])),
    "ais: schedule": (lambda schedule: ae.ais(PATH, schedule, 4, rng=rng()), BETAS),
    "BinaryRBM: weights": (lambda weights: ae.BinaryRBM(weights, np.zeros(4), np.zeros(3)), RBM.weights.copy()),
    "BinaryRBM: visible_bias": (lambda b: ae.BinaryRBM(RBM.weights, b, np.zeros(3)), np.arange(4.0)),
    "BinaryRBM.log_density": (lambda v: RBM.log_density(v), BINARY),
    "GaussianRBM: weights": (lambda W: ae.GaussianRBM(W, np.zeros(2), np.zeros(2), np.ones(2)), np.eye(2)),
    "GaussianRBM.log_density": (lambda v: GRBM.log_density(v), REAL),
    "Gaussian: mean": (lambda mean: ae.Gaussian(mean, np.eye(2)), np.array([1.0, 2.0])),
    "Gaussian: cov": (lambda cov: ae.Gaussian([0.0, 0.0], cov), SQUARE),
    "covariance_path: mean": (lambda mean: ae.covariance_path(mean, 2 * np.eye(2), GRBM)(0.5).log_density(REAL),
                              np.array([1.0, 2.0])),
    "widen_covariance: cov": (lambda cov: ae.widen_covariance(cov, np.ones(2)), SQUARE),
    "spline_path: betas": (lambda betas: ae.spline_path(betas, [PATH(b) for b in BETAS]).betas, BETAS),
    "gray_patches": (
        lambda image: ae.data.gray_patches(20, 3, 3, images=[image], n_held_out=4, rng=rng()).train,
        rng(7).uniform(0, 255, size=(9, 24))),
    "effective_sample_size": (ae.effective_sample_size, LOG_WEIGHTS),
    "log_mean_exp": (ae.log_mean_exp, LOG_WEIGHTS),
    "normalised_weights": (ae.normalised_weights, LOG_WEIGHTS),
    "pareto_tail_index": (ae.pareto_tail_index, LOG_WEIGHTS),
    "bootstrap_log_mean_exp": (lambda lw: ae.bootstrap_log_mean_exp(lw, 3, rng=rng()), LOG_WEIGHTS),
    "larger_ess_p_value": (lambda lw: ae.larger_ess_p_value(lw, LOG_WEIGHTS, 20, rng=rng()), LOG_WEIGHTS),
    "count_round_trips": (ae.count_round_trips, REPLICAS),
    "cumulative_barrier": (lambda rates: ae.cumulative_barrier(BETAS, rates)(0.4), np.array([0.1, 0.2, 0.3])),
    "equal_rejection_schedule": (lambda rates: ae.equal_rejection_schedule(BETAS, rates, 4), np.array([0.1, 0.2, 0.3])),
    "metropolis_matrix": (ae.metropolis_matrix, np.array([0.0, 1.0])),
    "match_moments": (lambda mean_v: ae.match_moments((mean_v, *RBM.moments()[1:]), ae.uniform_rbm(4, 3)),
                      RBM.moments()[0].copy()),
}  # fmt: skip

class Table:
    """Numbers in rows and columns with names: an array when it is asked for one, and no sooner."""

    def __init__(self, array):
        self._array, self.shape = array, array.shape

    def __len__(self):
        return len(self._array)

    def __array__(self, dtype=None, copy=None):
        return self._array.astype(dtype or self._array.dtype)

    def __getitem__(self, column):
        raise KeyError(column)


def read_only(array):
    array = array.copy()
    array.setflags(write=False)
    return array


def every_other(array):
    wide = np.repeat(array, 2, axis=0)
    return wide[::2]


KINDS = {
    "list": np.ndarray.tolist,
    "table": Table,
    "read-only": read_only,
    "by columns": np.asfortranarray,
    "every other row": every_other,
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
}


def pandas_of(array):
    pandas = pytest.importorskip("pandas")
    if array.ndim > 2:
        pytest.skip("a DataFrame has two axes")
    if array.ndim == 1:
        return pandas.Series(array, index=np.arange(len(array)) + 7)
    return pandas.DataFrame(array, index=np.arange(len(array)) + 7, columns=[f"c{i}" for i in range(array.shape[1])])


def parts(result):
    if isinstance(result, ae.BinaryRBM | ae.GaussianRBM | ae.Gaussian):
        return [getattr(result, name) for name in vars(result) if isinstance(getattr(result, name), np.ndarray)]
    return numbers(result)


@pytest.mark.parametrize("kind", [*KINDS, "pandas"])
@pytest.mark.parametrize("name", TAKES)
def test_data_of_any_kind_are_taken(name, kind):
    call, data = TAKES[name]
    expected = parts(call(data.copy()))
    given = pandas_of(data) if kind == "pandas" else KINDS[kind](data)
    found = parts(call(given))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        if one.dtype.kind in "OUS":
            assert (one == other).all()
        else:
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", TAKES)
def test_what_goes_in_is_left_as_it_was(name):
    call, data = TAKES[name]
    given = data.copy()
    call(given)
    np.testing.assert_array_equal(given, data)
    assert given.flags.writeable, "and the array stays its owner's"


REFUSED = {
    "words": lambda array: np.full(array.shape, "a"),
    "objects": lambda array: array.astype(object) if array.ndim else None,
    "complex": lambda array: array + 1j,
    "masked": lambda array: np.ma.masked_array(array, mask=np.ones(array.shape, bool)),
    "NaN": lambda array: np.full(array.shape, np.nan),
    "nothing": lambda array: None,
}
OPTIONAL = {  # None stands for "no such thing" there
    "track_log_likelihood: validation", "data_moments: example_weights", "estimate_moments: start", "sandwich: data",
    "examine", "mbar: chains", "stepping_stone: chains", "thermodynamic_integration: slopes",
    "rts: log_z",
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("name", TAKES)
def test_what_is_no_data_is_refused_in_words(name, kind):
    call, data = TAKES[name]
    if (kind == "nothing" and name in OPTIONAL) or (kind == "objects" and name.endswith("counts")):
        return  # no such thing, and whole numbers that count whatever they are called
    with pytest.raises((TypeError, ValueError), match=r"must|need"):
        call(REFUSED[kind](data))


@pytest.mark.parametrize("name", [name for name, (_, data) in TAKES.items() if data.ndim == 2])
def test_a_sparse_matrix_is_refused_in_words(name):
    call, data = TAKES[name]
    with pytest.raises(TypeError, match=r"must be an array of real numbers, got csr_matrix|must be .*got"):
        call(sparse.csr_matrix(data))
