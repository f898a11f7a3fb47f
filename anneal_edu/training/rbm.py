"""Training binary RBMs by contrastive divergence (CD), persistent chains (PCD) or parallel tempering (PT)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from tqdm.auto import tqdm

from anneal_edu.distributions import BinaryRBM, base_rate_rbm
from anneal_edu.training.negative_phase import FromTheData, NegativePhase, Persistent, Tempered
from anneal_edu.validation import as_binary_data, as_choice, as_count, as_flag, as_positive, require_generator


@dataclass(frozen=True, eq=False)
class TrainingState:
    """The model after ``n_updates`` updates.

    Training changes these arrays in place; ``rbm`` is a copy to keep. ``particles`` (B, D) are the draws from the model
    that the last update used.
    """

    n_updates: int
    weights: np.ndarray
    visible_bias: np.ndarray
    hidden_bias: np.ndarray
    particles: np.ndarray | None = None

    @property
    def rbm(self) -> BinaryRBM:
        """The model as a distribution."""
        return BinaryRBM(self.weights, self.visible_bias, self.hidden_bias)


def negative_phase(
    method: str, particles: np.ndarray, start: BinaryRBM, n_gibbs: int, swaps: str, n_rungs: int
) -> NegativePhase:
    """The source of draws from the model, by the name of the method."""
    as_choice("method", method, ("cd", "pcd", "pt"))
    if method == "cd":
        return FromTheData(n_gibbs)
    if method == "pcd":
        return Persistent(particles, n_gibbs)
    return Tempered(particles, start, n_gibbs, swaps, n_rungs)


def contrastive_divergence(
    data: np.ndarray, n_hidden: int, method: str, *, n_gibbs: int, n_updates: int, learning_rate: float,
    batch_size: int, rng: np.random.Generator, swaps: str = "even_odd", n_rungs: int = 10, decay: bool = True,
) -> Iterator[TrainingState]:
    """Yield the state after every update; the arguments are those of `train_rbm`."""
    require_generator(rng)
    data = as_binary_data("data", data)
    N, D = data.shape
    start = base_rate_rbm(data, n_hidden)
    b = start.single_precision[1].copy()
    c = np.zeros(n_hidden, dtype=np.float32)
    W = 0.01 * rng.standard_normal((D, n_hidden), dtype=np.float32)
    particles = data[rng.integers(N, size=batch_size)]  # (B, D): where persistent chains begin
    draw_from_model = negative_phase(method, particles, start, n_gibbs, swaps, n_rungs)
    for update in range(n_updates):
        rate = np.float32(learning_rate * (1 - decay * update / n_updates) / batch_size)
        batch = data[rng.integers(N, size=batch_size)]  # (B, D)
        v = draw_from_model(W, b, c, batch, rng)  # (B, D)
        h_data, h_model = expit(batch @ W + c), expit(v @ W + c)  # (B, H): p(h_j = 1 | v)
        # ∇ log likelihood = E_data[v hᵀ] - E_model[v hᵀ], with h averaged out given v
        W += rate * (batch.T @ h_data - v.T @ h_model)
        b += rate * (batch - v).sum(0)
        c += rate * (h_data - h_model).sum(0)
        yield TrainingState(update + 1, W, b, c, particles=v)


def train_rbm(
    data: np.ndarray, n_hidden: int, method: str = "cd", n_gibbs: int = 1, n_updates: int = 5000,
    learning_rate: float = 0.05, batch_size: int = 100, *, swaps: str | None = None, n_rungs: int | None = None,
    decay: bool = True, rng: np.random.Generator, progress: bool = False,
) -> BinaryRBM:
    """Train a binary RBM by stochastic gradient ascent on an approximate log likelihood.

    The gradient E_data[v hᵀ] - E_model[v hᵀ] (Kadan et al. 2018, Eq. 2, printed with the other sign) needs draws from
    the model. CD-k takes them k Gibbs steps away from the data (Hinton 2002); PCD from chains that continue between
    updates (Tieleman 2008); PT from the last rung of such chains on a ladder of temperatures (Desjardins et al. 2010),
    which cost as many Gibbs steps as there are rungs. On all three: Kadan et al. 2018, Sections 3, 3.1 and 4.1.

    Parameters
    ----------
    data : (N, D) array of 0 and 1
    n_hidden : int
        Number of hidden units H.
    method : "cd", "pcd" or "pt"
    n_gibbs : int
        Gibbs steps an update, k; sweeps of the whole ladder for "pt".
    n_updates : int
    learning_rate : float
        At the first update.
    batch_size : int
        Training examples an update, and number of persistent chains or ladders.
    swaps : "even_odd", "stochastic_even_odd" or "lifted", optional
        For "pt" only, as in `parallel_tempering`; "even_odd" by default.
    n_rungs : int, optional
        For "pt" only: rungs of the ladder from the base-rate RBM to the model, evenly spaced; 10 by default.
    decay : bool
        Let the learning rate fall linearly to zero.
    rng : numpy.random.Generator
    progress : bool

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rng = np.random.default_rng(0)
    >>> ae.train_rbm(ae.data.digits(8), n_hidden=5, n_updates=10, rng=rng).weights.shape
    (64, 5)
    """
    for name, value in (("swaps", swaps), ("n_rungs", n_rungs)):
        if method != "pt" and value is not None:
            raise ValueError(f'{name} belongs to method "pt", and {method!r} has no use for it: got {value!r}')
    as_flag("decay", decay)
    n_updates = as_count("n_updates", n_updates)
    states = contrastive_divergence(
        data, as_count("n_hidden", n_hidden), method,
        n_gibbs=as_count("n_gibbs", n_gibbs), n_updates=n_updates,
        learning_rate=as_positive("learning_rate", learning_rate), batch_size=as_count("batch_size", batch_size),
        swaps="even_odd" if swaps is None else swaps, decay=decay, rng=rng,
        n_rungs=as_count("n_rungs", 10 if n_rungs is None else n_rungs, minimum=2),
    )
    for state in tqdm(states, desc=f"{method} training", total=n_updates, disable=not progress):
        last = state
    return last.rbm
