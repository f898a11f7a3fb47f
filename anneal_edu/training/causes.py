"""Expectation maximisation for the generative image models, with Hamiltonian chains in the E step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import minimize
from tqdm.auto import tqdm

from anneal_edu.annealing.hais import hais_states
from anneal_edu.distributions import BilinearGenerative, LatentPosterior, LinearGenerative
from anneal_edu.training.parameters import Parts, pack, unpack
from anneal_edu.validation import Point, as_count, as_finite_array, require_generator, require_shape
from anneal_edu.workers import Remembered

GenerativeModel = LinearGenerative | BilinearGenerative

_WANTED_ACCEPTANCE = 0.85  # a rejected chain turns around and loses what way it made
_FIRST_NOISES = 30  # the first latents follow the noise down to its value, as in simulated annealing
_DESCENT = 3  # L-BFGS iterations of an M step without a closed form


@dataclass(frozen=True, eq=False)
class EMStep:
    """One iteration of training.

    Attributes
    ----------
    model : LinearGenerative or BilinearGenerative
        After the M step.
    latent : (N, L) array
        One draw of the causes of every data point, from their posterior under the model before.
    acceptance : float
        Share of the leapfrog steps of the E step that were accepted.
    """

    model: GenerativeModel = field(repr=False)
    latent: np.ndarray = field(repr=False)
    acceptance: float


def move_latents(
    model: GenerativeModel,
    x: np.ndarray,
    latent: np.ndarray,
    momentum: np.ndarray,
    step_size: np.ndarray,
    n_moves: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Transitions that leave p(latent | x) invariant: one Hamiltonian chain for every data point, momenta kept.

    Parameters
    ----------
    model : LinearGenerative or BilinearGenerative
    x : (N, D) array
    latent, momentum : (N, L) arrays
        Where the chains are.
    step_size : (N,) array
        Every chain has its own.
    n_moves : int
        Leapfrog steps, each with a Metropolis decision.
    rng : numpy.random.Generator

    Returns
    -------
    latent, momentum : (N, L) arrays
    acceptance : (N,) array

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> model, rng = ae.LinearGenerative(np.eye(2)), np.random.default_rng(0)
    >>> x, step_size = np.ones((9, 2)), np.full(9, 0.05)
    >>> latent, _, acceptance = move_latents(model, x, x, 0 * x, step_size, 5, rng)
    >>> latent.shape, acceptance.shape
    ((9, 2), (9,))
    """
    posterior, step = LatentPosterior(model, x), step_size[:, None]
    refresh = 1 - 0.5 ** (step / model.noise)  # half of the power in the time that the noise's width takes
    point, acceptance = Point(posterior, 1.0, Remembered(posterior.log_density)), np.zeros(len(x))
    settings = [1.0] * (n_moves + 1), latent, momentum, [step] * n_moves, [refresh] * n_moves, rng
    for state in hais_states(lambda beta: point, *settings, posterior.nonnegative):
        latent, momentum = state.x, state.v
        acceptance += state.accepted / n_moves
    return latent, momentum, acceptance


def squared_error(model: GenerativeModel, x: np.ndarray, latent: np.ndarray) -> tuple[float, Parts]:
    """½ mean_n |x_n - reconstruct(latent_n)|², and its gradient in every parameter.

    Times -1 / noise² it is the part of the mean log p(x, latent) that parameters change.

    Parameters
    ----------
    model : LinearGenerative or BilinearGenerative
    x : (N, D) array
    latent : (N, L) array

    Returns
    -------
    float, dict of arrays by the parameters' names

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> squared_error(ae.LinearGenerative([[2.0]]), np.array([[5.0]]), np.array([[1.0]]))
    (4.5, {'bases': array([[-3.]])})
    """
    error = model.reconstruct(latent) - x  # (N, D)
    value = 0.5 * float((error * error).sum()) / len(x)
    return value, model.reconstruction_slopes(latent, error / len(x))


def maximised(model: GenerativeModel, x: np.ndarray, latent: np.ndarray) -> GenerativeModel:
    """The M step: the model under which images and causes together are most likely, or a more likely one.

    A model that offers ``least_squares`` solves them. The error of another is lowered by a few iterations of L-BFGS.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> maximised(ae.LinearGenerative([[2.0]]), np.array([[5.0]]), np.array([[1.0]])).bases
    array([[5.]])
    """
    if hasattr(model, "least_squares"):
        return model.least_squares(x, latent)
    _, slopes = squared_error(model, x, latent)
    start = {name: getattr(model, name) for name in slopes}

    def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, slopes = squared_error(replace(model, **unpack(theta, start)), x, latent)
        return value, pack(slopes)

    found = minimize(objective, pack(start), jac=True, method="L-BFGS-B", options={"maxiter": _DESCENT})
    return replace(model, **unpack(found.x, start))


@dataclass(eq=False)
class _Chains:
    """The causes of every data point, moving; step sizes adapt, which training may do and an estimate may not."""

    latent: np.ndarray
    momentum: np.ndarray
    relative_step: np.ndarray  # in units of the noise

    def move(self, model: GenerativeModel, x: np.ndarray, n_moves: int, rng: np.random.Generator) -> float:
        self.latent, self.momentum, acceptance = move_latents(
            model, x, self.latent, self.momentum, self.relative_step * model.noise, n_moves, rng
        )
        factor = np.where(acceptance > _WANTED_ACCEPTANCE, 1.1, 1 / 1.1)
        self.relative_step = np.minimum(self.relative_step * factor, 1.0)
        return float(acceptance.mean())


def _first_chains(model: GenerativeModel, x: np.ndarray, n_moves: int, rng: np.random.Generator) -> _Chains:
    latent = model.latent_prior.sample(len(x), rng)
    chains = _Chains(latent, rng.standard_normal(latent.shape), np.full(len(x), 0.3))
    for noise in np.geomspace(max(model.noise, 3 * x.std()), model.noise, _FIRST_NOISES):
        chains.move(replace(model, noise=noise), x, n_moves, rng)
    return chains


def em_steps(
    data: np.ndarray, model: GenerativeModel, n_iterations: int, n_moves: int, rng: np.random.Generator
) -> Iterator[EMStep]:
    """Yield every iteration; the arguments are those of `expectation_maximisation`."""
    chains = _first_chains(model, data, n_moves, rng)
    for _ in range(n_iterations):
        acceptance = chains.move(model, data, n_moves, rng)
        model = maximised(model, data, chains.latent)
        yield EMStep(model, chains.latent, acceptance)


def expectation_maximisation(
    data: np.ndarray,
    model: GenerativeModel,
    n_iterations: int = 200,
    n_moves: int = 10,
    *,
    rng: np.random.Generator,
    progress: bool = False,
) -> GenerativeModel:
    """Train a generative model by EM, its E step a Hamiltonian chain for every data point.

    The E step should average over p(causes | x), which cannot be done in closed form. One draw a data point stands in
    for it, as in Sohl-Dickstein and Culpepper (2012), Section 4; chains carry on where the last E step left them, so
    that a few moves suffice. The M step fits the images to their causes by least squares. The noise is kept.

    With little noise EM is slow: on whitened data an iteration closes about a share noise² of the remaining distance.

    Parameters
    ----------
    data : (N, D) array
    model : LinearGenerative or BilinearGenerative
        Where training begins. Orthogonal bases make for chains that mix well; parameters that are all zero stay so.
    n_iterations : int
        E and M steps.
    n_moves : int
        Leapfrog steps an E step, each with a Metropolis decision. Their length adapts, for every data point on its own.
    rng : numpy.random.Generator
    progress : bool
        Show a progress bar.

    Returns
    -------
    LinearGenerative or BilinearGenerative

    Raises
    ------
    TypeError
        Where the model is neither.
    ValueError
        Where the data do not fit the model, are fewer than the causes, or a setting is out of range.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rng, start = np.random.default_rng(0), ae.LinearGenerative(np.eye(2), noise=0.5)
    >>> data = rng.normal(size=(500, 2)) * [2.0, 1.0]
    >>> trained = ae.expectation_maximisation(data, start, 50, rng=rng)
    >>> bool(trained.log_density(data).mean() > start.log_density(data).mean() + 0.2)
    True
    """
    if not isinstance(model, LinearGenerative | BilinearGenerative):
        raise TypeError(f"model must be a LinearGenerative or a BilinearGenerative, got {type(model).__name__}")
    data = as_finite_array("data", data, ndim=2)
    require_shape("data", data, (as_count("number of data points", len(data), model.n_latent + 1), model.dim))
    require_generator(rng)
    n_iterations = as_count("n_iterations", n_iterations)
    steps = em_steps(data, model, n_iterations, as_count("n_moves", n_moves), rng)
    for step in tqdm(steps, desc="expectation maximisation", total=n_iterations, disable=not progress):
        model = step.model
    return model
