"""How likely are held-out data under a model? By this Sohl-Dickstein and Culpepper (2012) compare image models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anneal_edu import weights
from anneal_edu.annealing.ais import require_walk
from anneal_edu.annealing.hais import EFFORT, Block, HAISResult, hais, hais_of, half_life_refresh, walked
from anneal_edu.annealing.reverse import as_draws_of, reverse_ais
from anneal_edu.distributions import Distribution, Gaussian, Generative, LatentPosterior
from anneal_edu.estimate import Diagnostic, Result
from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.capabilities import Path
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.validation import (
    as_count,
    as_finite_array,
    as_positive,
    as_schedule,
    log_density_of,
    require_distribution,
    require_generator,
    require_shape,
)
from anneal_edu.workers import Watch, in_blocks

_PIECE = 30_000_000  # numbers in the states of all chains that RAISE walks at once


@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodResult(Result):
    """Log likelihoods of data points under one model, in nats.

    Attributes
    ----------
    log_likelihoods : (N,) array
        Estimates of log p(x_n).
    point_errors : (N,) array
        Monte Carlo standard error of each. Of an analysis model they are all the error of one log Ẑ.
    shared_error : bool
        Whether the points share one Monte Carlo error, that of log Ẑ.
    acceptance : float
        Share of accepted leapfrog steps.
    warnings : tuple of Diagnostic
        What looks wrong.
    """

    log_likelihoods: np.ndarray
    point_errors: np.ndarray
    shared_error: bool
    acceptance: float
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def mean(self) -> float:
        """Average log likelihood per data point (Sohl-Dickstein and Culpepper 2012, Eq. 26 and 28)."""
        return float(self.log_likelihoods.mean())

    @property
    def std_error(self) -> float:
        """Standard error of the mean over data points: how much another test set would change it."""
        return float(self.log_likelihoods.std(ddof=1) / np.sqrt(len(self.log_likelihoods)))

    @property
    def monte_carlo_error(self) -> float:
        """Standard error of the mean over the chains: how much another seed would change it."""
        if self.shared_error:
            return float(self.point_errors[0])
        return float(np.sqrt((self.point_errors**2).sum()) / len(self.point_errors))

    @property
    def jensen_bias(self) -> float:
        """How far the mean is expected to lie above the truth, because a log Ẑ falls short by about ½ std_error².

        Negative for a generative model, -½ the mean of the squared ``point_errors``; positive for an analysis model,
        which subtracts its log Ẑ. To leading order in 1 / n_chains. More points do not reduce it, as they do
        `monte_carlo_error`.
        """
        sign = 0.5 if self.shared_error else -0.5
        return float(sign * (self.point_errors**2).mean())

    def _lines(self) -> list[str]:
        return [
            f"log likelihood {self.mean:.2f} ± {self.std_error:.2f} (over {len(self.log_likelihoods)} points) "
            f"± {self.monte_carlo_error:.2f} (over chains); {self.acceptance:.1%} of the leapfrog steps accepted"
        ]


def log_likelihood(
    model: Distribution | Generative, data: np.ndarray, schedule: np.ndarray, n_chains: int = 200,
    step_size: float = 0.2, *, rng: np.random.Generator, workers: int | None = None, progress: bool = False,
) -> LikelihoodResult:
    """Estimate log p(x) of data points by Hamiltonian AIS  (Sohl-Dickstein and Culpepper 2012, Eq. 26 to 29).

    An analysis model, such as a product of experts, gives log f(x) at once; one run from N(0, I) estimates its log Z. A
    generative model needs log ∫ p(x, a) da for every x: one run from the prior of a, vectorised over points × chains.

    Parameters
    ----------
    model : LinearGenerative, BilinearGenerative, or any distribution with a gradient
    data : (N, D) array
        At least two points.
    schedule : (K+1,) array
        Rises from 0 to 1.
    n_chains : int
        Chains, for every point where the model is generative; the paper takes 200.
    step_size : float
        Of the leapfrog; a generative model with little noise needs a small one.
    rng : numpy.random.Generator
    workers, progress : see `anneal_edu.workers`

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> model, rng = ae.LinearGenerative(np.eye(2), noise=1.0), np.random.default_rng(0)
    >>> x = model.sample(3, rng)
    >>> found = ae.log_likelihood(model, x, ae.linear_schedule(50), 500, rng=rng)
    >>> bool(np.abs(found.log_likelihoods - model.log_density(x)).max() < 0.3)
    True
    """
    if not isinstance(model, Generative):
        require_distribution("model", model)
    data = as_finite_array("data", data, ndim=2)
    require_shape("data", data, (as_count("number of data points", len(data), minimum=2), model.dim))
    n_chains = as_count("n_chains", n_chains)
    estimator: Any = of_generative_model if isinstance(model, Generative) else of_analysis_model
    how = {"rng": rng, "workers": workers, "progress": progress}
    found: LikelihoodResult = estimator(model, data, schedule, n_chains, step_size, **how)
    return found


def of_analysis_model(
    model: Distribution, data: np.ndarray, schedule: np.ndarray, n_chains: int, step_size: float, **how: Any
) -> LikelihoodResult:
    """log f(x_n) - log Ẑ, with one log Ẑ for all points  (Sohl-Dickstein and Culpepper 2012, Eq. 26)."""
    path = geometric_path(Gaussian(np.zeros(model.dim), np.eye(model.dim)), model)
    run = hais(path, schedule, n_chains, step_size, **how)
    errors = np.full(len(data), run.std_error)
    return LikelihoodResult(log_density_of(model, data) - run.log_z, errors, True, run.acceptance, run.warnings)


def of_generative_model(
    model: Generative, data: np.ndarray, schedule: np.ndarray, n_chains: int, step_size: float, **how: Any
) -> LikelihoodResult:
    """log Ẑ_n of the posterior of every point's latent variables  (Sohl-Dickstein and Culpepper 2012, Eq. 28)."""
    x = np.repeat(data, n_chains, axis=0)  # (N C, D): every chain has its point, and its posterior
    run = hais_of_posteriors(model, x, schedule, step_size, **how)
    log_w = run.log_weights.reshape(len(data), n_chains)  # (N, C)
    estimates = np.array([weights.log_mean_exp(point) for point in log_w])  # log Ẑ_n
    errors = np.array([weights.log_mean_exp_std_error(point) for point in log_w])
    return LikelihoodResult(estimates, errors, False, run.acceptance, poor_points(log_w) + run.acceptance_warnings)


def poor_points(log_w: np.ndarray) -> tuple[Diagnostic, ...]:
    """What the weights of the chains of every point, (N, C), say against their estimates."""
    n_points, n_chains = log_w.shape
    poor = sum(weights.effective_sample_size(point) < max(2, 0.1 * n_chains) for point in log_w)
    sentence = f"at {poor} of {n_points} points fewer than two chains, or a tenth of {n_chains}, carry the weight"
    return (Diagnostic("poor points", sentence),) if poor else ()


def hais_of_posteriors(
    model: Generative, x: np.ndarray, schedule: np.ndarray, step_size: float, *, rng: np.random.Generator,
    workers: int | None = None, progress: bool = False,
) -> HAISResult:
    """`hais` from the prior of the latent variables to the posterior of chain i given x_i, (C, D)."""
    schedule, step_size = as_schedule("schedule", schedule), as_positive("step_size", step_size)
    require_generator(rng)

    def walk(chains: slice, rng: np.random.Generator, watch: Watch) -> Block:
        path, n = geometric_path(model.latent_prior, LatentPosterior(model, x[chains])), len(x[chains])
        return walked(path, schedule, n, step_size, half_life_refresh(step_size), rng, watch)

    blocks = in_blocks(
        walk, len(x), model, effort=EFFORT, n_steps=len(schedule), desc="HAIS", rng=rng, workers=workers,
        progress=progress,
    )
    return hais_of(blocks, rng)


def raise_log_likelihood(
    path: Path, schedule: np.ndarray, data: np.ndarray, n_chains: int, kernel: Kernel = gibbs, *,
    rng: np.random.Generator, workers: int | None = None, progress: bool = False,
) -> np.ndarray:
    """Estimate log p(v) of data under the target by reverse AIS that starts at the data: RAISE.

    The mean of f(v) / w over chains annealed from v down to the start is unbiased for the probability of v under the
    *annealing model*, whose draws are the last states of AIS run up the path (Burda, Grosse and Salakhutdinov 2015,
    "Accurate and conservative estimates of MRF log-likelihood using reverse annealing"). Its logarithm is low on
    average, and over draws of the target the annealing model's log likelihood is below the target's: conservative,
    where log f(v) - log Ẑ of forward AIS is too good on average.

    Parameters
    ----------
    path : callable, beta -> Distribution
        ``path(0)`` must have ``log_z``.
    schedule : (K+1,) array
        Rises from 0 to 1.
    data : (N, D) array
        States of the target; on a path of `JointRBM`, both layers, and the estimate is of log p(v, h).
    n_chains : int
        Chains for each data point.
    kernel : callable, (distribution, x, rng) -> x
        The kernel of the annealing model; its time reversal is used, as in `reverse_ais`.
    rng : numpy.random.Generator
    workers, progress : see `anneal_edu.workers`

    Returns
    -------
    (N,) array
        In nats; -inf where the target has no density.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> target, rng = ae.Gaussian([2.0], [[1.0]]), np.random.default_rng(0)
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), target)
    >>> ae.raise_log_likelihood(path, ae.linear_schedule(100), np.array([[2.0]]), 500, rng=rng).round(1)
    array([-0.9])
    """
    require_walk(path, kernel, rng)
    n_chains, data = as_count("n_chains", n_chains), as_draws_of("data", data, path(1.0))
    log_f = log_density_of(path(1.0), data, 1)  # (N,)
    possible = ~np.isneginf(log_f)
    if not possible.any():
        return np.full(len(data), -np.inf)
    log_p, at_once = np.full(len(data), -np.inf), max(1, _PIECE // (n_chains * data.shape[1]))
    for some in np.split(np.flatnonzero(possible), range(at_once, possible.sum(), at_once)):
        chains = np.repeat(data[some], n_chains, axis=0)
        run = reverse_ais(path, schedule, chains, kernel, rng=rng, workers=workers, progress=progress)
        log_p[some] = [weights.log_mean_exp(row) for row in -run.log_weights.reshape(-1, n_chains)]
    return log_f + log_p
