"""Minimum probability flow (MPF): training a model of unknown Z (Sohl-Dickstein, Battaglino and DeWeese 2011)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy
from tqdm.auto import tqdm

from anneal_edu.distributions import MeanCovarianceRBM, ProductOfExperts
from anneal_edu.kernels import leapfrog
from anneal_edu.training.parameters import pack, unpack
from anneal_edu.validation import as_count, as_finite_array, as_positive, require_generator, require_shape
from anneal_edu.weights import log_mean_exp

AnalysisModel = ProductOfExperts | MeanCovarianceRBM


@dataclass(frozen=True, eq=False)
class FlowRound:
    """The model after a round of training, and log K on the neighbours of this round before and after the fit."""

    model: AnalysisModel = field(repr=False)
    before: float
    after: float


def log_flow(model: AnalysisModel, x: np.ndarray, y: np.ndarray, kinetic: np.ndarray) -> tuple[float, np.ndarray]:
    """Log K and its gradient in the model's free parameters; ``kinetic`` (N,) is ½ |v|² - ½ |v'|².

    K = mean_n exp(½ [H(x_n, v_n) - H(y_n, v'_n)]) with H(x, v) = -log f(x) + ½ |v|²: the flow of probability out of the
    data x, per unit time, into a neighbour y of each. Its logarithm has the same minimum, and does not overflow.
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
    options = {"maxiter": n_iterations}
    found = scipy.optimize.minimize(objective, pack(start), jac=True, method="L-BFGS-B", options=options)
    return FlowRound(model.with_free_parameters(unpack(found.x, start)), before, float(found.fun))


def flow_rounds(
    data: np.ndarray, model: AnalysisModel, n_rounds: int, n_iterations: int, step_size: float, n_leapfrog: int,
    rng: np.random.Generator,
) -> Iterator[FlowRound]:
    """Yield every round; the arguments are those of `minimum_probability_flow`."""
    for _ in range(n_rounds):
        v = rng.standard_normal(data.shape)
        y, v_y, divergent = leapfrog(model.grad_log_density, data, v, step_size, n_leapfrog)
        if divergent.any():
            raise ValueError(f"step_size {step_size:g} is too long: a trajectory diverged")
        kinetic = 0.5 * (v * v).sum(-1) - 0.5 * (v_y * v_y).sum(-1)
        found = fit_to_neighbours(model, data, y, kinetic, n_iterations)
        model = found.model
        yield found


def minimum_probability_flow(
    data: np.ndarray, model: AnalysisModel, n_rounds: int = 60, n_iterations: int = 2, step_size: float = 0.05,
    n_leapfrog: int = 20, *, rng: np.random.Generator, progress: bool = False,
) -> AnalysisModel:
    """Train a product of experts or an mcRBM by minimum probability flow, without its log Z.

    Dynamics that leave the model invariant are started at the data. If the model fits, nothing changes; otherwise
    probability begins to flow to other states. Its rate between two states needs only the ratio of their densities, in
    which Z cancels (Sohl-Dickstein, Battaglino and DeWeese 2011). Here, as in Sohl-Dickstein and Culpepper (2012), it
    flows from each data point to the end of a Hamiltonian trajectory with a fresh momentum. A round finds these
    neighbours with the present model, then lowers the flow to them by L-BFGS. Of Laplace experts it learns the filters;
    of Student-t experts the weights too, kept above D / 2L; of the mcRBM everything.

    Parameters
    ----------
    data : (N, D) array
        Of variance about 1; otherwise change the step size.
    model : ProductOfExperts or MeanCovarianceRBM
        Where training begins, for example at random filters.
    n_rounds : int
        How often new neighbours are found.
    n_iterations : int
        L-BFGS iterations a round. More of them move the model far from the one that found the neighbours; fitted to
        photographs, it then loses several nats.
    step_size : float
    n_leapfrog : int
        A trajectory takes time step_size · n_leapfrog. With a short one the model learns its log density only close to
        the data; on photographs, time 1 gained over 10 nats on time 0.1.
    rng : numpy.random.Generator
    progress : bool

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rng = np.random.default_rng(0)
    >>> data = ae.ProductOfExperts(np.eye(2)).sample(2000, rng)
    >>> trained = ae.training.minimum_probability_flow(data, ae.ProductOfExperts([[1.0, 2.0], [3.0, -1.0]]), rng=rng)
    >>> bool(np.abs(np.sort(np.abs(trained.filters), axis=1) - [0, 1]).max() < 0.2)
    True
    """
    if not hasattr(model, "free_parameters"):
        raise TypeError(f"model must be a ProductOfExperts or a MeanCovarianceRBM, got {type(model).__name__}")
    data = as_finite_array("data", data, ndim=2)
    require_shape("data", data, (len(data), model.dim))
    require_generator(rng)
    n_rounds = as_count("n_rounds", n_rounds)
    n_iterations, n_leapfrog = as_count("n_iterations", n_iterations), as_count("n_leapfrog", n_leapfrog)
    step_size = as_positive("step_size", step_size)
    rounds = flow_rounds(data, model, n_rounds, n_iterations, step_size, n_leapfrog, rng)
    with np.errstate(over="ignore", invalid="ignore"):  # of a trajectory that diverges, before it is reported
        for found in tqdm(rounds, desc="minimum probability flow", total=n_rounds, disable=not progress):
            model = found.model
    return model
