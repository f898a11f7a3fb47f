"""Training Gaussian RBMs by contrastive divergence (CD) and persistent contrastive divergence (PCD)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from tqdm.auto import tqdm

from anneal_edu.distributions import GaussianRBM
from anneal_edu.distributions.bernoulli import bernoulli
from anneal_edu.distributions.gaussian_rbm import as_sigma
from anneal_edu.validation import as_choice, as_count, as_finite_array, as_flag, as_positive, require_generator

_FAR = 5  # training makes little progress if the data spread 5 times as wide as sigma, or a fifth


@dataclass(frozen=True, eq=False)
class GaussianTrainingState:
    """The model after ``n_updates`` updates, as `TrainingState`, with log σ as well."""

    n_updates: int
    weights: np.ndarray
    visible_bias: np.ndarray
    hidden_bias: np.ndarray
    log_sigma: np.ndarray

    @property
    def rbm(self) -> GaussianRBM:
        """The model as a distribution."""
        return GaussianRBM(self.weights, self.visible_bias, self.hidden_bias, np.exp(self.log_sigma))


def energy_slopes(
    v: np.ndarray, weights: np.ndarray, visible_bias: np.ndarray, hidden_bias: np.ndarray, log_sigma: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The mean of -∂E/∂θ over a batch v (B, D), with h averaged out given v, for each of the four parameters.

    The gradient of the mean log likelihood is this at the data minus this at draws from the model.
    """
    sigma = np.exp(log_sigma)
    s, away = v / sigma, (v - visible_bias) / sigma  # (B, D)
    p = expit(s @ weights + hidden_bias)  # (B, H)
    slope_log_sigma = (away**2).mean(0) - (s * (p @ weights.T)).mean(0)
    return s.T @ p / len(v), away.mean(0) / sigma, p.mean(0), slope_log_sigma


def gibbs_step(
    v: np.ndarray, weights: np.ndarray, visible_bias: np.ndarray, hidden_bias: np.ndarray, sigma: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """h ~ p(h | v), then v ~ p(v | h), in float32: (B, D) -> (B, D), without the set-up of a `GaussianRBM`."""
    h = bernoulli(v / sigma @ weights + hidden_bias, rng)  # (B, H)
    return visible_bias + sigma * (h @ weights.T + rng.standard_normal(v.shape, dtype=np.float32))


def gaussian_contrastive_divergence(
    data: np.ndarray, n_hidden: int, method: str, *, n_gibbs: int, n_updates: int, learning_rate: float,
    batch_size: int, sigma: np.ndarray, learn_sigma: bool, rng: np.random.Generator,
) -> Iterator[GaussianTrainingState]:
    """Yield the state after every update; the arguments are those of `train_gaussian_rbm`."""
    N, D = data.shape
    W = 0.01 * rng.standard_normal((D, n_hidden), dtype=np.float32)
    b, c = data.mean(0), np.zeros(n_hidden, dtype=np.float32)
    log_sigma = np.log(sigma)
    particles = data[rng.integers(N, size=batch_size)]  # (B, D): the persistent chains of PCD
    for update in range(n_updates):
        rate = np.float32(learning_rate * (1 - update / n_updates))
        batch = data[rng.integers(N, size=batch_size)]  # (B, D)
        v, sd = batch if method == "cd" else particles, np.exp(log_sigma)
        for _ in range(n_gibbs):
            v = gibbs_step(v, W, b, c, sd, rng)
        particles = v
        at_data, at_model = (energy_slopes(x, W, b, c, log_sigma) for x in (batch, v))
        for parameter, up, down in zip((W, b, c, log_sigma), at_data, at_model, strict=True):
            if parameter is not log_sigma or learn_sigma:
                parameter += rate * (up - down)
        yield GaussianTrainingState(update + 1, W, b, c, log_sigma)


def train_gaussian_rbm(
    data: np.ndarray, n_hidden: int, method: str = "cd", n_gibbs: int = 1, n_updates: int = 5000,
    learning_rate: float = 0.05, batch_size: int = 100, sigma: float | np.ndarray = 1.0, learn_sigma: bool = False, *,
    rng: np.random.Generator, progress: bool = False,
) -> GaussianRBM:
    """Train a Gaussian RBM as `train_rbm` does a binary one; the learning rate falls linearly to zero.

    The variance of v in a Gaussian RBM is at least σ². If the data vary less than ``sigma``, the weights shrink to
    zero: pass ``sigma=data.std(0)``, or learn it. A factor of 5 between the two gives a warning. The learning rate
    suits data whose standard deviations are around 1.

    Parameters
    ----------
    data : (N, D) array of real numbers
    n_hidden, n_gibbs, n_updates, batch_size, progress : see `train_rbm`
    method : "cd" or "pcd"
    learning_rate : float
        At the first update. More hidden units need a lower one: on patches of images 20 take 0.05, and 200 take 0.02.
    sigma : float or (D,) array
        Standard deviations of the visible units given the hidden ones, in the units of the data.
    learn_sigma : bool
        Learn log σ along with the other parameters, starting at ``sigma``.
    rng : numpy.random.Generator

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rng = np.random.default_rng(0)
    >>> data = rng.normal(size=(500, 1)) * [1.0, 0.5] + [3.0, 0.0]
    >>> ae.train_gaussian_rbm(data, n_hidden=2, sigma=data.std(0), n_updates=10, rng=rng)
    GaussianRBM(D=2, H=2)
    """
    as_choice("method", method, ("cd", "pcd"))
    as_flag("learn_sigma", learn_sigma)
    require_generator(rng)
    data = as_finite_array("data", data, ndim=2, dtype=np.float32)
    n_updates, learning_rate = as_count("n_updates", n_updates), as_positive("learning_rate", learning_rate)
    sigma = as_sigma(sigma, data.shape[1], np.float32)
    spread = np.sqrt(np.mean((data.std(0) / sigma) ** 2))
    if not 1 / _FAR < spread < _FAR:
        warnings.warn(f"the data spread {spread:.2g} times as wide as sigma: pass sigma=data.std(0)", stacklevel=2)
    states = gaussian_contrastive_divergence(
        data, as_count("n_hidden", n_hidden), method,
        n_gibbs=as_count("n_gibbs", n_gibbs), n_updates=n_updates, learning_rate=learning_rate,
        batch_size=as_count("batch_size", batch_size), sigma=sigma, learn_sigma=learn_sigma, rng=rng,
    )
    with np.errstate(all="ignore"):  # of a training that diverges, before it is reported
        for state in tqdm(states, desc=f"{method} training", total=n_updates, disable=not progress):
            if not np.isfinite(state.weights).all():
                raise ValueError(
                    f"training diverged at update {state.n_updates}: learning_rate {learning_rate:g} is too large, or "
                    "the data are far from a standard deviation of 1"
                )
    return state.rbm
