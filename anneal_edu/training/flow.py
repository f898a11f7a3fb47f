"""Minimum probability flow: learning a model whose log Z nobody knows (Sohl-Dickstein, Battaglino, DeWeese 2011)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize
from tqdm.auto import tqdm

from anneal_edu.distributions import MeanCovarianceRBM, ProductOfExperts
from anneal_edu.kernels import leapfrog
from anneal_edu.training.parameters import pack, unpack
from anneal_edu.validation import as_count, as_finite_array, as_positive, require_generator, require_shape
from anneal_edu.weights import log_mean_exp

AnalysisModel = ProductOfExperts | MeanCovarianceRBM


@dataclass(frozen=True, eq=False)
class FlowRound:
    """One round of training: the flow before and after it, and the model it led to.

    Attributes
    ----------
    model : ProductOfExperts or MeanCovarianceRBM
    before, after : float
        log K on the neighbours of this round, for the model that found them and for the one fitted to them.
    """

    model: AnalysisModel = field(repr=False)
    before: float
    after: float


def log_flow(
    model: AnalysisModel, x: np.ndarray, y: np.ndarray, kinetic: np.ndarray
) -> tuple[float, np.ndarray]:
    """Log K and its gradient in the model's free parameters.

    K = mean_n exp(½ [H(x_n, v_n) - H(y_n, v'_n)]) with H(x, v) = -log f(x) + ½ |v|²: the flow of probability out of the
    data, per unit time, into their neighbours. Its logarithm has the same minimum, and does not overflow.

    Parameters
    ----------
    model : ProductOfExperts or MeanCovarianceRBM
    x, y : (N, D) arrays
        Data, and a neighbour of each.
    kinetic : (N,) array
        ½ |v|² at the data minus ½ |v'|² at the neighbours; no parameter changes it.

    Returns
    -------
    float, (P,) array

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> model, x = ae.ProductOfExperts(np.eye(2)), np.ones((3, 2))
    >>> log_flow(model, x, x, np.zeros(3))[0]
    0.0
    """
    exponent = 0.5 * (model.log_density(y) - model.log_density(x) + kinetic)  # (N,)
    flow = log_mean_exp(exponent)
    w = 0.5 * np.exp(exponent - flow) / len(x)  # (N,): ½ of each neighbour's share of K
    return float(flow), pack(model.parameter_slopes(y, w)) - pack(model.parameter_slopes(x, w))


def fit_to_neighbours(
    model: AnalysisModel, x: np.ndarray, y: np.ndarray, kinetic: np.ndarray, n_iterations: int
) -> FlowRound:
    """Lower log K by L-BFGS, the neighbours held fixed; the arguments are those of `log_flow`."""
    start = model.free_parameters()

    def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
        return log_flow(model.with_free_parameters(unpack(theta, start)), x, y, kinetic)

    before, _ = log_flow(model, x, y, kinetic)
    found = minimize(objective, pack(start), jac=True, method="L-BFGS-B", options={"maxiter": n_iterations})
    return FlowRound(model.with_free_parameters(unpack(found.x, start)), before, float(found.fun))


def flow_rounds(
    data: np.ndarray,
    model: AnalysisModel,
    n_rounds: int,
    n_iterations: int,
    step_size: float,
    n_leapfrog: int,
    rng: np.random.Generator,
) -> Iterator[FlowRound]:
    """Yield every round; the arguments are those of `minimum_probability_flow`."""
    for _ in range(n_rounds):
        v = rng.standard_normal(data.shape)
        y, v_y, divergent = leapfrog(model.grad_log_density, data, v, step_size, n_leapfrog)
        if divergent.any():
            raise ValueError(f"step_size {step_size:g} is too long: a trajectory ran away to infinity")
        kinetic = 0.5 * (v * v).sum(-1) - 0.5 * (v_y * v_y).sum(-1)
        found = fit_to_neighbours(model, data, y, kinetic, n_iterations)
        model = found.model
        yield found


def minimum_probability_flow(
    data: np.ndarray,
    model: AnalysisModel,
    n_rounds: int = 60,
    n_iterations: int = 2,
    step_size: float = 0.05,
    n_leapfrog: int = 20,
    *,
    rng: np.random.Generator,
    progress: bool = False,
) -> AnalysisModel:
    """Train an analysis model without its log Z: let as little probability as possible flow out of the data.

    Imagine dynamics that leave the model invariant, started at the data. Where the model fits, nothing changes; where
    it does not, probability begins to flow to other states. Its rate between two states needs only the ratio of their
    densities, in which Z cancels (Sohl-Dickstein, Battaglino and DeWeese 2011).

    Which states are connected is up to us, as long as it goes both ways. Here, as in Sohl-Dickstein and Culpepper
    (2012), each data point is joined to the end of a trajectory of Hamiltonian dynamics with a fresh momentum. A round
    finds these neighbours with the model as it is, then lowers the flow to them by L-BFGS.

    Parameters
    ----------
    data : (N, D) array
        Of variance about 1, which the step size takes as given.
    model : ProductOfExperts or MeanCovarianceRBM
        Where training begins: random filters, say.
    n_rounds : int
        How often neighbours are found anew.
    n_iterations : int
        L-BFGS iterations a round. More of them move the model far from the one whose neighbours they are. Where the
        data were drawn from such a model, that does no harm; fitted to photographs, it loses several nats.
    step_size : float
    n_leapfrog : int
        Of the dynamics, in the units of the data: a trajectory takes time step_size · n_leapfrog. With a short one the
        model learns the shape of its log density close to the data alone; on photographs, time 1 gained over 10 nats on
        time 0.1. The step must be short enough for the dynamics to be accurate.
    rng : numpy.random.Generator
    progress : bool
        Show a progress bar.

    Returns
    -------
    ProductOfExperts or MeanCovarianceRBM
        Of Laplace experts the filters are learned; of Student-t experts the weights too, kept above D / 2L; of the
        mcRBM everything.

    Raises
    ------
    TypeError
        Where the model is neither.
    ValueError
        Where the data do not fit the model, a setting is out of range, or the step size is far too long.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rng = np.random.default_rng(0)
    >>> data = ae.ProductOfExperts(np.eye(2)).sample(2000, rng)
    >>> trained = ae.minimum_probability_flow(data, ae.ProductOfExperts([[1.0, 2.0], [3.0, -1.0]]), rng=rng)
    >>> bool(np.abs(np.sort(np.abs(trained.filters), axis=1) - [0, 1]).max() < 0.2)
    True
    """
    if not hasattr(model, "free_parameters"):
        raise TypeError(f"model must be a ProductOfExperts or a MeanCovarianceRBM, got {type(model).__name__}")
    data = as_finite_array("data", data, ndim=2)
    require_shape("data", data, (len(data), model.dim))
    require_generator(rng)
    n_rounds = as_count("n_rounds", n_rounds)
    rounds = flow_rounds(
        data,
        model,
        n_rounds,
        as_count("n_iterations", n_iterations),
        as_positive("step_size", step_size),
        as_count("n_leapfrog", n_leapfrog),
        rng,
    )
    with np.errstate(over="ignore", invalid="ignore"):  # on its way to infinity, before it is noticed
        for found in tqdm(rounds, desc="minimum probability flow", total=n_rounds, disable=not progress):
            model = found.model
    return model
