"""Checks of notebook 12: shares of time, the loop of RTS, and the objective of MBAR."""

import numpy as np
from scipy.special import logsumexp

from anneal_edu import Gaussian, geometric_path, linear_schedule, log_density_matrix, mbar
from anneal_edu.course.check.verdict import call, exercise, reject, require, same, several
from anneal_edu.tempering.simulated import log_conditionals, ratio_estimate


# Exercise 1
@exercise(
    hints=(
        "For one draw x, over what should q(β_k | x) add up to 1?",
        "Stay in logs: log f_k(x) - log Ẑ_k, minus the logsumexp of it over the rungs; exponentiate last.",
        "q = exp(log f - log Ẑ - logsumexp over k), c_k = mean over the draws of q(β_k | x_n)",
    )
)
def shares(answer) -> str:
    """``answer(log_f, log_z)`` must return q(β_k | x_n), (K+1, N), and the shares c_k, (K+1,), for logs of any size.

    Examples
    --------
    >>> def over_the_draws(log_f, log_z):
    ...     p = np.exp(log_f - log_z[:, None])
    ...     q = p / p.sum(1, keepdims=True)
    ...     return q, q.mean(1)
    >>> shares(over_the_draws)
    ✗ your q adds up to 1 over the draws of each rung. For each draw x it should add up to 1 over the rungs: x is \
given, and k is asked for.
      A hint: ae.check.tempered_sampling.shares.hint()
    """
    rng = np.random.default_rng(12)
    log_f, log_z = rng.normal(0, 1.5, (4, 50)), np.array([0.0, 1.0, -0.5, 2.0])
    p = np.exp(log_f - log_z[:, None])
    right = p / p.sum(0)
    q, c = _pair(answer, log_f.copy(), log_z.copy())
    reject(q, {
        "your q is f/Ẑ as it stands: for each draw x it should add up to 1 over the rungs. Divide by that sum.": p,
        "your q adds up to 1 over the draws of each rung. For each draw x it should add up to 1 over the rungs: x is "
        "given, and k is asked for.": p / p.sum(1, keepdims=True),
        "your q adds up to 1 over all rungs and draws together; it should for each draw.": p / p.sum(),
        "Ẑ does not enter: q(β_k | x) is proportional to f_k(x) / Ẑ_k.": np.exp(log_f - logsumexp(log_f, axis=0)),
        "Ẑ has the wrong sign: q(β_k | x) is proportional to f_k(x) divided by "
        "Ẑ_k.": np.exp(log_f + log_z[:, None] - logsumexp(log_f + log_z[:, None], axis=0)),
        "that is log q; return q itself.": np.log(right),
        "q is a probability, not a decision for the likeliest rung.": (right == right.max(0)).astype(float),
    })
    require(same(q, right), "q(β_k | x) should be f_k(x) / Ẑ_k, divided by the sum of these over all k.")
    _judge_shares(c, right)
    far = rng.choice([-1000.0, 1000.0], (1, 50))
    q, c = _pair(answer, log_f + far - 1000, log_z)
    require(
        same(q, right) and same(c, right.mean(1)),
        "with logs of -2000 the answer changes, but q does not feel a number that all rungs of a draw have in common.",
    )
    steep = log_f - np.array([[1500.0], [0.0], [0.0], [0.0]])
    q, c = _pair(answer, steep, log_z)
    right = np.exp(log_conditionals(steep, log_z))
    require(same(q, right) and same(c, right.mean(1)), "where one rung is 1500 below the others, yours is off.")
    return "right: q adds up to 1 for each draw, c is its mean over the draws, and logs of -2000 do no harm."


def _pair(answer, log_f, log_z) -> tuple[np.ndarray, np.ndarray]:
    pair = several(call(answer, log_f, log_z), 2, "return two arrays: q and c.")
    q, c = (np.asarray(part, dtype=float) for part in pair)
    require(q.shape == log_f.shape, f"your q has shape {q.shape}; it should be {log_f.shape}.")
    require(
        np.isfinite(q).all(),
        "your q has NaN or infinite entries where logs are near -2000: exp of that is 0, and 0/0 is not a number. "
        "Subtract the logarithm of the sum (logsumexp) before you take exp.",
    )
    require(
        c.shape != (log_f.shape[1],),
        "your c has an entry for each draw: you averaged over the rungs. Average over the draws.",
    )
    require(c.shape == (len(log_f),), f"your c has shape {c.shape}; it should be {(len(log_f),)}.")
    return q, c


def _judge_shares(c: np.ndarray, q: np.ndarray) -> None:
    right = q.mean(1)
    reject(c, {
        "your c is a sum; divide by the number of draws.": q.sum(1),
        "that counts likeliest rungs; average q instead.": np.bincount(q.argmax(0), minlength=len(q)) / q.shape[1],
        "that is the mean of log q; average q itself.": np.exp(np.log(q).mean(1)),
        "that is log c; return c itself.": np.log(right),
    })
    require(
        float(np.ptp(c)) > 1e-9,
        "all your shares are equal: there is no k in them. That is the form the poster prints, with q(β_{k(i)} | x_i); "
        "c_k is the mean of q(β_k | x_i).",
    )
    require(same(c, right), "c_k should be the mean of q(β_k | x_n) over the draws n.")


# Exercise 2
_TABLE = np.array([[0.0] * 6, [0, 1, 2, -1, 0, 2], [1, 3, 4, -2, 1, 4], [2, 4, 7, -4, 2, 8.0]])  # log f_k of 6 states
_EXACT = logsumexp(_TABLE, axis=1)
_N = 20_000


@exercise(
    hints=(
        "A rung is visited too often: is its Ẑ too large or too small?",
        "In each round: walk at the present guess, compute the shares at that guess, correct the guess. Z_0 is known.",
        "log Ẑ_k ← log Ẑ_k + log c_k - log c_0",
    )
)
def rts_loop(answer) -> str:
    """``answer(walk, log_z, n_rounds)`` must correct log Ẑ n_rounds times, keep log Ẑ_0, and return the last.

    Examples
    --------
    >>> def never_fed_back(walk, log_z, n_rounds):
    ...     for _ in range(n_rounds):
    ...         q = walk(log_z) - log_z[:, None]
    ...         c = np.exp(q - logsumexp(q, axis=0)).mean(1)
    ...         new = log_z + np.log(c) - np.log(c[0])
    ...     return new
    >>> rts_loop(never_fed_back)
    ✗ every round walks at the first Ẑ. Each should walk at the Ẑ that the round before has found.
      A hint: ae.check.tempered_sampling.rts_loop.hint()
    """
    rng, asked, seen = np.random.default_rng(3), [], []

    def walk(log_z):
        log_z = np.asarray(log_z, dtype=float)
        require(log_z.shape == (4,), f"you call walk with shape {log_z.shape}; it should be (4,).")
        require(np.isfinite(log_z).all(), "your log Ẑ became NaN or infinite.")
        share = np.exp(_TABLE - log_z[:, None] - logsumexp(_TABLE - log_z[:, None])).sum(0)
        asked.append(log_z.copy())
        seen.append(_TABLE[:, rng.choice(6, _N, p=share)])
        return seen[-1].copy()

    start, n_rounds = np.full(4, _EXACT[0]), 5
    found = call(answer, walk, start.copy(), n_rounds, shape=(4,))
    require(len(asked) > 0, "you never call walk: without draws there are no shares.")
    require(same(asked[0], start), "the first round should walk at the log_z that you are given.")
    after_first = asked[1] if len(asked) > 1 else found
    if len(asked) > 1:
        require(
            not all(same(z, start) for z in asked),
            "every round walks at the first Ẑ. Each should walk at the Ẑ that the round before has found.",
        )
    _judge_update(after_first, start, seen[0])
    require(len(asked) == n_rounds, f"you walk {len(asked)} times; {n_rounds} rounds were asked for.")
    require(not same(found, asked[-1]), "you return the Ẑ of the last walk; it should be corrected once more.")
    for number, (old, log_f, new) in enumerate(zip(asked, seen, [*asked[1:], found], strict=True), start=1):
        require(
            same(new, _updated(old, log_f)),
            f"round {number} does not correct its Ẑ as the first round does: log Ẑ_k + log c_k - log c_0, in full, "
            "with the c of this round alone.",
        )
    error = float(np.abs(found - _EXACT).max())
    require(error < 0.15, f"after {n_rounds} rounds log Ẑ is off by {error:.2f} nats; 0.15 would be much already.")
    return f"right: {n_rounds} rounds, log Ẑ_0 stays what it is, and all others are within 0.15 nats of the exact ones."


def _updated(old: np.ndarray, log_f: np.ndarray) -> np.ndarray:
    return ratio_estimate(old, logsumexp(log_conditionals(log_f, old), axis=1))


def _judge_update(new: np.ndarray, old: np.ndarray, log_f: np.ndarray) -> None:
    log_q = log_conditionals(log_f, old)
    log_c = logsumexp(log_q, axis=1) - np.log(log_f.shape[1])
    c, counted = np.exp(log_c), np.bincount(log_q.argmax(0), minlength=4) / log_f.shape[1]
    reject(new, {
        "your correction has the wrong sign. A rung that is visited too often has a Ẑ_k that is too "
        "small.": old - log_c + log_c[0],
        "your correction has the wrong sign, and leaves out c_0.": old - log_c,
        f"log Ẑ_0 moved from {old[0]:.2f} to {new[0]:.2f}, but Z_0 is known: divide by the share c_0.": old + log_c,
        "log Ẑ_0 moved, but Z_0 is known: divide by the share c_0, not by a mean.": old + log_c - log_c.mean(),
        "log Ẑ_0 moved, but Z_0 is known: divide by the share c_0, not by 1 / (K+1).": old + log_c + np.log(4),
        "shares multiply Ẑ; to log Ẑ their logarithms are added.": old + c - c[0],
        "the shares correct the old Ẑ: add log Ẑ_k, or it is forgotten.": log_c - log_c[0],
    })
    if counted[0] > 0:
        reject(new, {"average q, do not count likeliest rungs.": old + np.log(counted) - np.log(counted[0])})
    require(abs(new[0] - old[0]) < 1e-9, f"log Ẑ_0 moved from {old[0]:.2f} to {new[0]:.2f}, but Z_0 is known: keep it.")
    require(
        same(new, _updated(old, log_f)),
        "after the first round log Ẑ_k should be its old value + log c_k - log c_0, with the c of Exercise 1.",
    )


# Exercise 3
@exercise(
    hints=(
        "What happens to the objective when every Z_k doubles?",
        "One logsumexp over the rungs for each draw, with the shares n_k/N inside; average it; then a term linear "
        "in log Z.",
        "(1/N) Σ_n log Σ_k (n_k/N) f_k(x_n)/Z_k + Σ_k (n_k/N) log Z_k",
    )
)
def mbar_objective(answer) -> str:
    """``answer(log_f, counts, log_z)`` must be MBAR's objective, which is to be minimised.

    With counts n_k in place of the shares n_k/N it is log N larger everywhere, and as good.

    Examples
    --------
    >>> def as_printed(log_f, counts, log_z):
    ...     s = counts / counts.sum()
    ...     return -logsumexp(np.log(s)[:, None] - log_z[:, None] + log_f, axis=0).mean() - s @ log_z
    >>> mbar_objective(as_printed)
    ✗ at the log Z of ae.mbar yours is higher than all around it, so that it has to be maximised, as the poster says. \
The objective printed there has the other sign: it is a valley, not a hill.
      A hint: ae.check.tempered_sampling.mbar_objective.hint()
    """
    log_f, counts = _three_rungs()
    best, s = mbar(log_f, counts).log_z, counts / counts.sum()

    def value(log_z, log_f=log_f):
        found = np.asarray(call(answer, log_f.copy(), counts.copy(), np.array(log_z)), dtype=float)
        require(found.shape == (), f"your function returned shape {found.shape}; it should be one number.")
        require(
            np.isfinite(found),
            "your function returned NaN or infinity: take logsumexp over the rungs, not the log of a sum of exp.",
        )
        return float(found)

    _judge_common_factor(value(best + 5) - value(best))
    _judge_valley(value, log_f, counts, best)
    constant = value(best) - _mixture(log_f, best, s) - s @ best
    require(
        min(abs(constant), abs(constant - np.log(counts.sum()))) < 1e-6,
        f"yours is {constant:.4g} too high everywhere. No minimum is moved by it, but the value of (4) is another.",
    )
    lower = log_f - np.random.default_rng(5).choice([0.0, 1000.0], log_f.shape[1])
    aside = best + 0.2 * np.array([0, 1, 1])
    far, near = value(aside, lower) - value(best, lower), value(aside) - value(best)
    require(abs(far - near) < 1e-6, "with logs of -1000 the answer changes: take logsumexp over the rungs.")
    return "right: a valley whose lowest point is the log Z of ae.mbar, blind to a common factor of all Z."


def _three_rungs() -> tuple[np.ndarray, np.ndarray]:
    """log f of 400 draws from three rungs, (3, 400), and how many came from each."""
    path, schedule = geometric_path(Gaussian([0.0], [[1.0]]), Gaussian([2.0], [[0.5]])), linear_schedule(2)
    rng, counts = np.random.default_rng(4), np.array([60, 200, 140])
    x = np.concatenate([path(float(b)).sample(n, rng) for b, n in zip(schedule, counts, strict=True)])
    return log_density_matrix(path, schedule, x) + np.array([[0.0], [1.0], [-2.0]]), counts


def _mixture(log_f, log_z, s) -> float:
    return float(logsumexp(np.log(s)[:, None] + log_f - np.reshape(log_z, (-1, 1)), axis=0).mean())


def _judge_common_factor(shift: float) -> None:
    for wrong, why in (
        (-5, "The term Σ_r (n_r/N) log Z_r is missing."),
        (-10, "The first term falls by 5, so the second, Σ_r (n_r/N) log Z_r, must rise by 5. Its sign is wrong."),
        (10, "In the first term each f_k is divided by its Z_k, so that it falls by 5."),
        (shift, "Do the weights of both terms, n_k/N, add up to 1?"),
    ):
        require(
            abs(shift) < 1e-6 or abs(shift - wrong) > 1e-6,
            f"adding 5 to every log Z_k changes yours by {shift:.4g}, but only ratios of Z can be known from these "
            f"draws. {why}",
        )


def _judge_valley(value, log_f, counts, best) -> None:
    s, even = counts / counts.sum(), np.full(3, 1 / 3)
    steps = 0.3 * np.random.default_rng(6).normal(size=(6, 3)) * [0, 1, 1]
    around = best + np.concatenate([steps, -steps])  # there and back: no slope rises, or falls, in all of them
    rises = np.array([value(z) for z in around]) - value(best)

    def rises_with(inside, outside):
        return np.array([_mixture(log_f, z, inside) + outside @ z for z in around]) - (
            _mixture(log_f, best, inside) + outside @ best
        )

    expected = rises_with(s, s)
    reject(rises, {
        "yours is the same at all log Z, so that it has no lowest point. The logarithm stands before the sum over the "
        "rungs: log Σ_k (n_k/N) f_k(x_n)/Z_k, and that is averaged over the draws.": np.zeros(12)
    })
    require(
        not (rises < 0).all(),
        "at the log Z of ae.mbar yours is higher than all around it, so that it has to be maximised, as the poster "
        "says. The objective printed there has the other sign: it is a valley, not a hill.",
    )
    require(
        not same(rises, rises_with(even, even)) and not same(rises, rises_with(even, s)),
        "every rung has the same weight in yours. They gave 60, 200 and 140 draws: rung k weighs n_k/N.",
    )
    require(not same(rises, counts.sum() * expected), "yours is N times the objective: a mean over draws, not a sum.")
    require(
        (rises > 0).all(),
        "the log Z of ae.mbar is not its lowest point. It is (1/N) Σ_n log Σ_k (n_k/N) f_k(x_n)/Z_k + Σ_r (n_r/N) "
        "log Z_r.",
    )
    require(same(rises, expected), "it is lowest at the right place, but is not the objective of the poster.")
