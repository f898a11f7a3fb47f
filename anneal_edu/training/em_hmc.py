"""Expectation maximisation (EM) for generative image models, with Hamiltonian Monte Carlo (HMC) in the E step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import scipy
from tqdm.auto import tqdm

from anneal_edu.annealing.hais import hais_states
from anneal_edu.distributions import BilinearGenerative, LatentPosterior, LinearGenerative
from anneal_edu.training.parameters import Parts, pack, unpack
from anneal_edu.validation import Point, as_count, as_finite_array, require_generator, require_shape
from anneal_edu.workers import Remembered

GenerativeModel = LinearGenerative | BilinearGenerative

_WANTED_ACCEPTANCE = 0.85  # a rejected chain reverses its momentum and goes back where it came from
_FIRST_NOISES = 30  # the first latents are annealed from a large noise down to the model's
_DESCENT = 3  # L-BFGS iterations of an M step without a closed form


@dataclass(frozen=True, eq=False)
class EMStep:
    """The model after an iteration of EM.

    ``latent`` (N, L) has one posterior draw of the causes of every data point, under the model before the M step;
    ``acceptance`` is the fraction of accepted leapfrog steps.
    """

    model: GenerativeModel = field(repr=False)
    latent: np.ndarray = field(repr=False)
    acceptance: float


def move_latents(
    model: GenerativeModel, x: np.ndarray, latent: np.ndarray, momentum: np.ndarray, step_size: np.ndarray,
    n_moves: int, rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move one Hamiltonian chain a data point by ``n_moves`` steps: latent (N, L), momentum (N, L), acceptance (N,)."""
    posterior, step = LatentPosterior(model, x), step_size[:, None]
    refresh = 1 - 0.5 ** (step / model.noise)  # half of the momentum's power in a time of one noise
    point, acceptance = Point(posterior, 1.0, Remembered(posterior.log_density)), np.zeros(len(x))
    settings = [1.0] * (n_moves + 1), latent, momentum, [step] * n_moves, [refresh] * n_moves, rng
    for state in hais_states(lambda beta: point, *settings, posterior.nonnegative):
        latent, momentum = state.x, state.v
        acceptance += state.accepted / n_moves
    return latent, momentum, acceptance


def squared_error(model: GenerativeModel, x: np.ndarray, latent: np.ndarray) -> tuple[float, Parts]:
    """½ mean_n |x_n - reconstruct(latent_n)|², which the M step lowers, and its gradient by name."""
    error = model.reconstruct(latent) - x  # (N, D)
    value = 0.5 * float((error * error).sum()) / len(x)
    return value, model.reconstruction_slopes(latent, error / len(x))


def maximised(model: GenerativeModel, x: np.ndarray, latent: np.ndarray) -> GenerativeModel:
    """The M step: fit the parameters to images and causes, by least squares or by a few iterations of L-BFGS."""
    if isinstance(model, LinearGenerative):
        return replace(model, bases=np.linalg.solve(latent.T @ latent, latent.T @ x).T)
    _, slopes = squared_error(model, x, latent)
    start = {name: getattr(model, name) for name in slopes}

    def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, slopes = squared_error(replace(model, **unpack(theta, start)), x, latent)
        return value, pack(slopes)

    found = scipy.optimize.minimize(objective, pack(start), jac=True, method="L-BFGS-B", options={"maxiter": _DESCENT})
    return replace(model, **unpack(found.x, start))


def em_steps(
    data: np.ndarray, model: GenerativeModel, n_iterations: int, n_moves: int, rng: np.random.Generator
) -> Iterator[EMStep]:
    """Yield every iteration; the arguments are those of `expectation_maximisation`."""
    latent = model.latent_prior.sample(len(data), rng)
    momentum, step = rng.standard_normal(latent.shape), np.full(len(data), 0.3)  # steps in units of the noise
    noises = np.geomspace(max(model.noise, 3 * data.std()), model.noise, _FIRST_NOISES)
    for iteration in range(-_FIRST_NOISES, n_iterations):
        at = replace(model, noise=noises[iteration]) if iteration < 0 else model
        latent, momentum, acceptance = move_latents(at, data, latent, momentum, step * at.noise, n_moves, rng)
        step = np.minimum(step * np.where(acceptance > _WANTED_ACCEPTANCE, 1.1, 1 / 1.1), 1.0)
        if iteration >= 0:
            model = maximised(model, data, latent)
            yield EMStep(model, latent, float(acceptance.mean()))


def expectation_maximisation(
    data: np.ndarray, model: GenerativeModel, n_iterations: int = 200, n_moves: int = 10, *,
    rng: np.random.Generator, progress: bool = False,
) -> GenerativeModel:
    """Train a generative model by EM, with one Hamiltonian chain for every data point in the E step.

    The average over p(causes | x) in the E step has no closed form. One draw a data point replaces it, as in
    Sohl-Dickstein and Culpepper (2012), Section 4; each chain continues where the last E step left it, so a few moves
    suffice. The M step fits the images to their causes by least squares. The noise is kept. With little noise EM is
    slow: on whitened data an iteration closes about a fraction noise² of the remaining distance.

    Parameters
    ----------
    data : (N, D) array
    model : LinearGenerative or BilinearGenerative
        Where training begins. With orthogonal bases chains mix well; parameters that are all zero stay zero.
    n_iterations : int
        E and M steps.
    n_moves : int
        Leapfrog steps an E step, each with a Metropolis decision. Their length adapts to each data point.
    rng : numpy.random.Generator
    progress : bool

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rng, start = np.random.default_rng(0), ae.LinearGenerative(np.eye(2), noise=0.5)
    >>> data = rng.normal(size=(500, 2)) * [2.0, 1.0]
    >>> trained = ae.training.expectation_maximisation(data, start, 50, rng=rng)
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
