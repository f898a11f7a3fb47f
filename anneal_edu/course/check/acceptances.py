"""Metropolis between sites in a row, as an acceptance makes it: for the check of notebook 01 that asks for one."""

import numpy as np
from scipy.special import logsumexp

from anneal_edu import metropolis_matrix
from anneal_edu.course.check.verdict import WrongAnswerError, call, require


def asked(answer, here: float, there: float) -> float:
    """The acceptance from here to there, a probability."""
    try:
        a = call(answer, here, there)
    except OverflowError as error:
        raise WrongAnswerError(
            f"from log f = {here:g} to {there:g} your function raises OverflowError: {error}. exp of more than 709 is "
            "too large for a computer: take the minimum before you exponentiate."
        ) from None
    require(
        not np.isnan(a).any(),
        f"from log f = {here:g} to {there:g} your acceptance is NaN: an exp is infinite or 0. Subtract the logs before "
        "you exponentiate.",
    )
    require(np.ndim(a) == 0, f"the acceptance is one number; your function returned shape {np.shape(a)}.")
    require(
        a >= -1e-12,
        f"an acceptance of {float(a):.4g} is no probability: here and there are logs. Their difference is the log of "
        "the ratio; exponentiate it.",
    )
    require(
        a <= 1 + 1e-6,
        f"an acceptance of {float(a):.4g} is no probability. Uphill the ratio exceeds 1: take the smaller of it and 1.",
    )
    return a


def _matrix_of(answer, log_f: np.ndarray) -> np.ndarray:
    """The transition matrix on a line of S sites of the learner's acceptance probability, (S, S)."""
    T = np.zeros((len(log_f), len(log_f)))
    for x in range(len(log_f)):
        for new in (x - 1, x + 1):
            if 0 <= new < len(log_f):
                T[x, new] = 0.5 * asked(answer, float(log_f[x]), float(log_f[new]))
    return T + np.diag(1 - T.sum(1))


def judge_moves(answer, log_f: np.ndarray) -> None:
    """On a line of sites with these log f, (S,), the step must leave f invariant and move."""
    T, p = _matrix_of(answer, log_f), np.exp(log_f - logsumexp(log_f))
    drift = float(abs(p @ T - p).max())
    inverted = abs(T - metropolis_matrix(-log_f)).max() < 1e-9
    require(
        not inverted,
        "your ratio is upside down: it goes downhill gladly and uphill reluctantly, and leaves 1/f invariant. "
        "The place you would go to stands above, the place you are at below.",
    )
    require(
        not np.allclose([np.diag(T, 1), np.diag(T, -1)], 0.5),
        "you accept every proposal: that leaves the flat distribution invariant, not f.",
    )
    down, up = ([call(answer, here * x, there * x) > 0 for x in (0.1, 1.0, 4.0)] for here, there in ((0, -1), (-1, 0)))
    require(
        any(down) or not all(up),
        "you never go downhill: chains climb to a peak and stay. Mass must flow down, too.",
    )
    require(
        drift < 1e-6,
        f"p T differs from p by up to {drift:.2g}: chains that start in equilibrium would leave it. Ask for "
        "detailed balance, f(here) a(here → there) = f(there) a(there → here).",
    )
    still = np.minimum(np.diag(T, 1), np.diag(T, -1)) < 1e-12
    require(
        not still.all(),
        "a chain that never moves, or next to never, does leave f invariant, and AIS with it stays unbiased. But it is "
        "importance sampling again: let the chain move.",
    )
    x = int(np.argmax(still))
    require(
        not still[x],
        f"between neighbours with log f = {log_f[x]:.3g} and {log_f[x + 1]:.3g} your chain never goes either way, "
        "or next to never: f is left invariant, but hardly anybody comes across. Let the chain move.",
    )


def judge_pair(answer, high: float, low: float) -> None:
    """Between two neighbours as much must flow down as up, however steep it is."""
    down, up = asked(answer, high, low), asked(answer, low, high)
    if np.asarray(down).dtype.itemsize < 8 and high - low > 85:  # exp of less is 0 in single precision
        return
    wanted = float(up) * np.exp(low - high)
    fits = 0 < up and np.isclose(float(down), wanted, rtol=1e-4, atol=0)
    require(
        fits or not (down > 0 and wanted < 1e-11 and abs(float(down) - wanted) < 1e-15),
        f"{high - low:g} nats downhill your probability is {float(down):.3g}, and should be {wanted:.3g}: right but "
        "for a rounding error, or for an exponent that is cut off. Where numbers near 1 are subtracted a small "
        "difference is lost: let nothing cancel, and cut nothing.",
    )
    require(
        fits,
        f"from log f = {high:.10g} to {low:.10g} your chain goes with probability {float(down):.3g}, and back with "
        f"{float(up):.3g}. For as much to flow down as up, the first should be exp({low - high:g}) = "
        f"{np.exp(low - high):.3g} times the second.",
    )
