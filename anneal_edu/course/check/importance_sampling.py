"""Checks for notebook 01: the weights of AIS, the effective sample size, the acceptance of Metropolis."""

from itertools import product

import numpy as np
from scipy.special import logsumexp

from anneal_edu import effective_sample_size, metropolis_matrix
from anneal_edu.course.check.verdict import call, exercise, reject, require, same

_LOG_F = np.log([[2.0, 1.0, 1.0], [1.0, 2.0, 5.0], [1.0, 0.5, 12.0]])
"""A world of three states and three stages, (K+1, S) with K = 2."""


def _all_trajectories(log_f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every trajectory x_0 … x_K, (S^(K+1), K+1), and its probability under Metropolis."""
    n_stages, n_states = log_f.shape
    x = np.array(list(product(range(n_states), repeat=n_stages)))
    p = np.exp(log_f[0] - logsumexp(log_f[0]))[x[:, 0]]
    for k in range(1, n_stages):
        p = p * metropolis_matrix(log_f[k])[x[:, k - 1], x[:, k]]
    return x, p


def _true_log_weights(log_f, log_z_0, x):
    ratios = [log_f[k][x[:, k - 1]] - log_f[k - 1][x[:, k - 1]] for k in range(1, len(log_f))]
    return log_z_0 + np.sum(ratios, axis=0)


def _mistaken_log_weights(log_f, log_z_0, x):
    """What common slips return, each with the sentence that helps."""
    right, stages = _true_log_weights(log_f, log_z_0, x), range(1, len(log_f))
    late = log_z_0 + sum(log_f[k][x[:, k]] - log_f[k - 1][x[:, k]] for k in stages)
    mixed = log_z_0 + sum(log_f[k][x[:, k]] - log_f[k - 1][x[:, k - 1]] for k in stages)
    return {
        "the mean of your weights is Z / Z_0, not Z. The ratios only say how Z changes along the path: start from "
        "log_z_0.": right - log_z_0,
        "your ratios are evaluated at x_k, after the move. Weigh first, move afterwards: the ratio f_k / f_{k-1} "
        "belongs at x_{k-1}, x[:, k-1], where the chain stands when the target changes under its feet.": late,
        "your ratio compares two different places, f_k(x_k) / f_{k-1}(x_{k-1}). Both densities belong at the same "
        "place x_{k-1}: what is weighed is the change of the target, not the move of the chain.": mixed,
        "your ratios are upside down: the new density f_k stands above, the old one f_{k-1} below.": (
            2 * log_z_0 - right
        ),
        "these are the weights themselves. Return their logarithms: in a real model w overflows.": np.exp(right),
        "this is plain importance sampling: it jumps from f_0 to f_K at x_0 and uses no state in "
        "between.": log_z_0 + log_f[-1][x[:, 0]] - log_f[0][x[:, 0]],
        "only the first step is counted. There are K = len(log_f) - 1 ratios, one a "
        "step.": log_z_0 + log_f[1][x[:, 0]] - log_f[0][x[:, 0]],
    }


@exercise(
    hints=(
        "At the moment when the target changes from f_{k-1} to f_k, has the chain moved yet?",
        "Start from log_z_0 and add one log ratio for each k from 1 to K; both densities stand at the same column "
        "of x.",
        "log w = log Z_0 + Σ_k [log f_k(x_{k-1}) - log f_{k-1}(x_{k-1})]",
    )
)
def log_weights(answer):
    """Is (log_f (K+1, S), log_z_0, x (C, K+1)) -> log w (C,) the log weight of AIS?

    All trajectories of a tiny world are weighed, so that the mean of w is exact: it must be Z.
    """
    x, p = _all_trajectories(_LOG_F)
    log_z_0, z = logsumexp(_LOG_F[0]), np.exp(logsumexp(_LOG_F[-1]))
    lw = call(answer, _LOG_F.copy(), log_z_0, x.copy(), shape=(len(x),))
    reject(lw, _mistaken_log_weights(_LOG_F, log_z_0, x))
    mean = float(p @ np.exp(np.minimum(lw, 100.0)))
    require(
        abs(mean / z - 1) < 1e-9,
        f"averaged exactly over all {len(x)} trajectories of a tiny world your w has mean {mean:.4g}, but Z is "
        f"{z:.4g}. Write down log w for K = 1 first: log_z_0 + log f_1(x_0) - log f_0(x_0).",
    )
    require(
        np.allclose(lw, _true_log_weights(_LOG_F, log_z_0, x)),
        "the mean of your w is Z, but the weights are not those of AIS: add log f_k(x_{k-1}) - log "
        "f_{k-1}(x_{k-1}) for each k.",
    )
    rng = np.random.default_rng(1)  # another world, so that nothing is fitted to the first
    log_f, x = 3 * rng.standard_normal((6, 4)), rng.integers(4, size=(50, 6))
    lw = call(answer, log_f.copy(), 7.0, x.copy(), shape=(50,))
    require(
        np.allclose(lw, _true_log_weights(log_f, 7.0, x)),
        "right for K = 2 steps, wrong for K = 5: sum over all k from 1 to K, whatever K is.",
    )
    return f"right: over all 27 trajectories of a tiny world the mean of your w is {mean:.6f}, and Z is {z:.6f}."


def _mistaken_ess(lw):
    """What common slips return for these log weights, each with the sentence that helps."""
    w = np.exp(lw - lw.max())
    share, n = w / w.sum(), len(w)
    return {
        "you return C whatever the weights are: the formula needs their spread.": n,
        "this is the variance of the log weights. The variance in the formula is that of the weights, normalised to "
        "mean 1.": n / (1 + lw.var()),
        "your weights are normalised to sum 1, so that their variance is tiny and every ESS looks like C. The formula "
        "wants weights of mean 1.": n / (1 + share.var()),
        "this divides by 1 plus the standard deviation; it should be the variance.": n / (1 + (w / w.mean()).std()),
        "almost: you divide the squares by C - 1. Divide by C (the default of var), else one weight that carries "
        "everything gives an ESS below 1.": n / (1 + (w / w.mean()).var(ddof=1)),
        "this is the ESS as a fraction of C: multiply by the number of chains.": 1 / (1 + (w / w.mean()).var()),
        "upside down: this is Σ w*² with w* summing to 1, and the ESS is one over it.": (share**2).sum(),
    }


@exercise(
    hints=(
        "What happens to the shares of the weights when every log weight grows by 5?",
        "Subtract the largest log weight before you exponentiate, and normalise the weights to mean 1.",
        "C / (1 + var(w / mean w)), which is (Σ w)² / Σ w²",
    )
)
def effective_size(answer):
    """Is log_weights (C,) -> float the effective sample size, whatever the scale of the weights?"""
    rng = np.random.default_rng(2)
    lw = rng.standard_normal(40)
    ess = call(answer, lw.copy())
    require(np.ndim(ess) == 0, f"the ESS is one number; your function returned shape {np.shape(ess)}.")
    reject(ess, _mistaken_ess(lw))
    require(
        np.isclose(call(answer, lw + 3.0), ess),
        "multiplying every weight by the same number changed your ESS. Only the shares matter: normalise the weights.",
    )
    equal, one = call(answer, np.zeros(8)), call(answer, np.array([0.0, -800.0, -800.0, -800.0]))
    require(np.isclose(equal, 8), f"eight equal weights are worth 8 draws; you say {float(equal):.4g}.")
    require(np.isclose(one, 1), f"one weight that carries everything is worth 1 draw; you say {float(one):.4g}.")
    for shift in (1000.0, -1000.0):
        shifted = call(answer, lw + shift)
        require(
            np.isclose(shifted, ess),
            f"with {shift:+.0f} added to every log weight you return {float(shifted):.4g}: exp overflowed or vanished. "
            "Subtract the largest log weight before you exponentiate; the ESS does not notice.",
        )
    for _ in range(5):
        lw = 2 * rng.standard_normal(30)
        require(
            np.isclose(call(answer, lw.copy()), effective_sample_size(lw)),
            "right for simple weights, wrong for others: compare with C / (1 + variance of w / mean(w)).",
        )
    return "right: equal weights give C, one heavy weight gives 1, and log weights of +1000 do no harm."


def _matrix_of(answer, log_f: np.ndarray) -> np.ndarray:
    """The transition matrix on a line of S sites of the learner's acceptance probability, (S, S)."""
    T = np.zeros((len(log_f), len(log_f)))
    for x in range(len(log_f)):
        for new in (x - 1, x + 1):
            if 0 <= new < len(log_f):
                a = call(answer, float(log_f[x]), float(log_f[new]))
                require(np.ndim(a) == 0, f"the acceptance is one number; your function returned shape {np.shape(a)}.")
                require(
                    -1e-12 <= a <= 1 + 1e-12,
                    f"an acceptance of {float(a):.4g} is no probability. Uphill the ratio exceeds 1: take the "
                    "smaller of it and 1.",
                )
                T[x, new] = 0.5 * a
    return T + np.diag(1 - T.sum(1))


@exercise(
    hints=(
        "If much mass stands here and little there, which of the two ways must be walked more reluctantly?",
        "Ask that as much flows there as back, f(here) a(here → there) = f(there) a(there → here), and stay in logs.",
        "a = min(1, exp(there - here)), with the minimum taken before exp overflows.",
    )
)
def acceptance(answer):
    """Does (log_f_here, log_f_there) -> probability make a Metropolis step that leaves f invariant?

    The whole transition matrix is built from the answer, and π T = π is checked; any rule that holds it passes.
    """
    for log_f in (np.log([1.0, 2.0, 6.0, 3.0]), np.log([5.0, 1.0, 1.0, 4.0, 0.2])):
        T, p = _matrix_of(answer, log_f), np.exp(log_f - logsumexp(log_f))
        drift = float(abs(p @ T - p).max())
        inverted = abs(T - metropolis_matrix(-log_f)).max() < 1e-9
        require(
            not inverted,
            "your ratio is upside down: it goes downhill gladly and uphill reluctantly, and leaves 1/f invariant. "
            "The place you would go to stands above, the place you are at below.",
        )
        require(
            not np.allclose(np.diag(T, 1), 0.5),
            "you accept every proposal: that leaves the flat distribution invariant, not f.",
        )
        require(
            drift < 1e-9,
            f"p T differs from p by up to {drift:.3f}: chains that start in equilibrium would leave it. Ask for "
            "detailed balance, f(here) a(here → there) = f(there) a(there → here).",
        )
        require(
            (np.diag(T, 1) > 0).all(),
            "a chain that never moves does leave f invariant, and AIS with it stays unbiased. But it is importance "
            "sampling again: let the chain move.",
        )
    far = call(answer, 1000.0, 0.0), call(answer, 0.0, 1000.0)
    require(
        np.isfinite(far).all() and far[0] < 1e-12 and far[1] > 1 - 1e-12,
        f"1000 nats downhill must be refused and 1000 nats uphill accepted; you return {far[0]:.3g} and {far[1]:.3g}. "
        "Subtract the logs before you exponentiate.",
    )
    require(
        same(call(answer, -5000.0, -5001.0), call(answer, 0.0, -1.0)),
        "adding the same number to both logs changed your answer, and it must not: Z cancels. exp(-5000) is 0 in a "
        "computer: subtract the logs before you exponentiate.",
    )
    return "right: p T = p on two landscapes, and constants such as log Z cancel."
