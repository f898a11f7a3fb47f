"""Tracking the log likelihood of an RBM during training, by Rao-Blackwellized tempered sampling (RTS)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from scipy.special import logsumexp

from anneal_edu.distributions import BinaryRBM, Distribution, JointRBM, base_rate_rbm
from anneal_edu.paths.capabilities import Path
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.ladder import ladder_on
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.tempering.rts import RTSRound, rts_round, rts_rounds
from anneal_edu.tempering.simulated import log_conditionals
from anneal_edu.training.rbm import TrainingState
from anneal_edu.validation import as_binary_data, as_count, as_flag, as_schedule, require_generator, require_shape

_FIRST_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class TrackedLikelihood:
    """The model after some updates, and its estimated log likelihoods, in nats.

    ``train`` and ``validation`` are means of log f(v) - log Ẑ over the data; NaN without validation data. Their error,
    and that of ``log_z``, is ``std_error`` = √(standard error² + correction²). The standard error comes from the
    differences between chains. The correction is the change of log_z in this round; it is large if all chains lag
    behind the model.
    """

    n_updates: int
    rbm: BinaryRBM = field(repr=False)
    log_z: float
    std_error: float
    train: float
    validation: float


def track_log_likelihood(
    states: Iterable[TrainingState], train: np.ndarray, validation: np.ndarray | None = None, every: int = 100,
    n_sweeps: int = 10, n_chains: int = 100, schedule: np.ndarray | None = None, *, both_layers: bool = False,
    rng: np.random.Generator,
) -> Iterator[TrackedLikelihood]:
    """Track the training of an RBM: yield estimated log likelihoods of its data after every ``every`` updates.

    Between two estimates the model should change little. So the tempered chains continue, their Ẑ_k are carried over by
    reweighting, and each estimate is one short round of RTS  (Carlson et al. 2016, "Tracking"). The path starts at the
    base rates of the training data.

    Parameters
    ----------
    states : iterable of TrainingState
        The iterator that `contrastive_divergence` returns; training goes on as it is consumed. A list made of it would
        hold the last model only, because training changes its arrays in place.
    train : (N, D) array of 0 and 1
    validation : (M, D) array of 0 and 1, optional
    every : int
        Updates between two estimates.
    n_sweeps, n_chains : int
        Sweeps for each estimate, and the number of tempered chains.
    schedule : (K+1,) array, optional
        Rungs; 100 equal steps if not given.
    both_layers : bool
        Whether the states of the tempered chains are (v, h), see `JointRBM`. With hundreds of hidden units a sweep then
        costs several times less, for a somewhat larger error; with ten, summing over h is better.
    rng : numpy.random.Generator
        Another generator than that of the training, which is then the same without tracking.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> digits, rng = ae.data.digits(8), np.random.default_rng(0)
    >>> states = ae.contrastive_divergence(
    ...     digits, 5, "pcd", n_gibbs=1, n_updates=200, learning_rate=0.05, batch_size=50, rng=rng
    ... )
    >>> looks = list(ae.training.track_log_likelihood(states, digits, rng=np.random.default_rng(1)))
    >>> [look.n_updates for look in looks], abs(looks[-1].log_z - looks[-1].rbm.log_z()) < 0.3
    ([100, 200], True)
    """
    train = as_binary_data("train", train)
    validation = None if validation is None else as_binary_data("validation", validation)
    every, n_sweeps = as_count("every", every), as_count("n_sweeps", n_sweeps)
    n_chains = as_count("n_chains", n_chains)
    schedule = linear_schedule(100) if schedule is None else as_schedule("schedule", schedule)
    require_generator(rng)
    if validation is not None:
        require_shape("validation", validation, (len(validation), train.shape[1]))
    if isinstance(states, list | tuple) and len(states) > 1 and states[0].weights is states[-1].weights:
        raise ValueError("states share their arrays: pass the iterator itself, not a list made of it")
    layers = JointRBM if as_flag("both_layers", both_layers) else lambda rbm: rbm
    return _looks(_as_wide_as(train, states), train, validation, every, n_sweeps, n_chains, schedule, layers, rng)


def _as_wide_as(train: np.ndarray, states: Iterable[TrainingState]) -> Iterator[TrainingState]:
    for state in states:
        require_shape("train", train, (len(train), state.rbm.dim))
        yield state


def _looks(
    states: Iterable[TrainingState], train: np.ndarray, validation: np.ndarray | None, every: int, n_sweeps: int,
    n_chains: int, schedule: np.ndarray, layers: Callable[[BinaryRBM], Distribution], rng: np.random.Generator,
) -> Iterator[TrackedLikelihood]:
    look: RTSRound | None = None
    path: Path | None = None
    for state in states:
        if state.n_updates % every:
            continue
        rbm = state.rbm
        before, path = path, geometric_path(layers(base_rate_rbm(train, rbm.n_hidden)), layers(rbm))
        if look is None or before is None:
            first = rts_rounds(path, schedule, _FIRST_ROUNDS, n_sweeps, n_chains, rng=rng)
            *_, look = islice(first, _FIRST_ROUNDS + 1)
        else:
            guess = carried_over(look, before, path, schedule)
            look = rts_round(ladder_on(path, schedule), n_sweeps, rng, None, guess, look.x, look.rungs)
        log_z, correction = float(look.log_z[-1]), float(look.log_z[-1] - look.assumed_log_z[-1])
        error = float(np.hypot(look.std_error[-1], correction))
        means = [np.nan if data is None else float(rbm.log_density(data).mean()) for data in (train, validation)]
        yield TrackedLikelihood(state.n_updates, rbm, log_z, error, *(m - log_z for m in means))


def carried_over(look: RTSRound, before: Path, now: Path, schedule: np.ndarray) -> np.ndarray:
    """First log Ẑ_k of a model that has changed, (K+1,), from the states of the last look at the one before.

    Z'_k / Z_k is the mean of f'_k(x) / f_k(x) over draws of rung k. Every state counts on every rung, by q(β_k | x) at
    the Ẑ_k of that look.
    """
    log_f, new_log_f = (ladder_on(path, schedule).log_density(look.x) for path in (before, now))  # (K+1, C)
    log_q = log_conditionals(log_f, look.assumed_log_z)
    return look.corrected_log_z + logsumexp(log_q + new_log_f - log_f, axis=1) - logsumexp(log_q, axis=1)
