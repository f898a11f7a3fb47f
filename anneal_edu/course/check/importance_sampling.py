"""Checks for notebook 01: the weights of AIS, a kernel that is not sound, the acceptance of Metropolis."""

from itertools import product

import numpy as np
from scipy.special import logsumexp

from anneal_edu import expected_ais_weights, metropolis_matrix
from anneal_edu.course.check.verdict import WrongAnswerError, call, exercise, reject, require, same

_LOG_F = np.log([[2.0, 1.0, 1.0], [1.0, 2.0, 5.0], [1.0, 0.5, 12.0]])
"""A world of three states and three stages, (K+1, S) with K = 2."""


def _all_trajectories(log_f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every trajectory x_0 … x_K, (S^(K+1), K+1), and its probability where step k moves by Metropolis for f_{k-1}."""
    n_stages, n_states = log_f.shape
    x = np.array(list(product(range(n_states), repeat=n_stages)))
    p = np.exp(log_f[0] - logsumexp(log_f[0]))[x[:, 0]]
    for k in range(1, n_stages):
        p = p * metropolis_matrix(log_f[k - 1])[x[:, k - 1], x[:, k]]
    return x, p


def _true_log_weights(log_f, log_z_0, x):
    ratios = [log_f[k][x[:, k]] - log_f[k - 1][x[:, k]] for k in range(1, len(log_f))]
    return log_z_0 + np.sum(ratios, axis=0)


def _mistaken_log_weights(log_f, log_z_0, x):
    """What common slips return, each with the sentence that helps."""
    right, stages = _true_log_weights(log_f, log_z_0, x), range(1, len(log_f))
    early = log_z_0 + sum(log_f[k][x[:, k - 1]] - log_f[k - 1][x[:, k - 1]] for k in stages)
    mixed = log_z_0 + sum(log_f[k][x[:, k]] - log_f[k - 1][x[:, k - 1]] for k in stages)
    return {
        "the mean of your weights is Z / Z_0, not Z. The ratios only say how Z changes along the path: start from "
        "log_z_0.": right - log_z_0,
        "your ratios are evaluated at x_{k-1}, before the move. So they are in the lesson, which weighs first. Here "
        "the chain has moved already when the target changes under its feet: where does it stand then?": early,
        "your ratio compares two different places, f_k(x_k) / f_{k-1}(x_{k-1}). Both densities belong at the same "
        "place: what is weighed is the change of the target, not the move of the chain.": mixed,
        "your ratios are upside down: the new density f_k stands above, the old one f_{k-1} below.": (
            2 * log_z_0 - right
        ),
        "these are the weights themselves. Return their logarithms: in a real model w overflows.": np.exp(right),
        "this is plain importance sampling: it jumps from f_0 to f_K at x_0 and uses no state in "
        "between.": log_z_0 + log_f[-1][x[:, 0]] - log_f[0][x[:, 0]],
        "only the first step is counted. There are K = len(log_f) - 1 ratios, one a "
        "step.": log_z_0 + log_f[1][x[:, 1]] - log_f[0][x[:, 1]],
    }


@exercise(
    hints=(
        "At the moment when the target changes from f_{k-1} to f_k, has the chain of this program moved yet?",
        "Start from log_z_0 and add one log ratio for each k from 1 to K; both densities stand at the same column "
        "of x, after the move.",
        "log w = log Z_0 + Σ_k [log f_k(x_k) - log f_{k-1}(x_k)]",
    )
)
def log_weights(answer):
    """Is (log_f (K+1, S), log_z_0, x (C, K+1)) -> log w (C,) the log weight of AIS that moves before it weighs?

    All trajectories of a tiny world are weighed, so that the mean of w is exact: it must be Z.
    """
    x, p = _all_trajectories(_LOG_F)
    log_z_0, z = logsumexp(_LOG_F[0]), np.exp(logsumexp(_LOG_F[-1]))
    lw = call(answer, _LOG_F.copy(), log_z_0, x.copy(), shape=(len(x),))
    reject(lw, _mistaken_log_weights(_LOG_F, log_z_0, x))
    mean = float(p @ np.exp(np.minimum(lw, 100.0)))
    require(
        abs(mean / z - 1) < 1e-5,
        f"averaged exactly over all {len(x)} trajectories of a tiny world your w has mean {mean:.4g}, but Z is "
        f"{z:.4g}. Write down log w for K = 1 first: log_z_0 and one log ratio, at the place that the move has led to.",
    )
    require(
        np.allclose(lw, _true_log_weights(_LOG_F, log_z_0, x), atol=1e-6),
        "the mean of your w is Z, but the weights are not those of AIS: for each k add one log ratio, at the place "
        "where the chain stands when the target changes.",
    )
    rng = np.random.default_rng(1)  # another world, so that nothing is fitted to the first
    log_f, x = 3 * rng.standard_normal((6, 4)), rng.integers(4, size=(50, 6))
    log_z_0 = logsumexp(log_f[0])
    lw = call(answer, log_f.copy(), log_z_0, x.copy(), shape=(50,))
    require(
        np.allclose(lw, _true_log_weights(log_f, log_z_0, x), atol=1e-5),
        "right for K = 2 steps, wrong for K = 5: sum over all k from 1 to K, whatever K is.",
    )
    far = np.asarray(answer(900 + log_f, 900 + log_z_0, x.copy()))
    require(
        np.allclose(far, 900 + _true_log_weights(log_f, log_z_0, x), atol=1e-2),
        "right, but not where log f is about 900: exp(900) is infinite in a computer. Add and subtract the logs, and "
        "exponentiate nothing.",
    )
    return f"right: over all 27 trajectories of a tiny world the mean of your w is {mean:.6f}, and Z is {z:.6f}."


def _valid_tables(log_f: np.ndarray) -> dict[str, np.ndarray]:
    """Transition matrices that all leave f (S,) invariant."""
    p = np.exp(log_f - logsumexp(log_f))
    T = metropolis_matrix(log_f)
    ring = np.roll(np.eye(len(p)), 1, axis=1)  # round the ring, always forwards: no detailed balance
    flow = 0.9 * p.min()
    two_rooms = np.zeros_like(T)
    for room in (slice(0, 2), slice(2, None)):  # exact draws in each, and no door
        two_rooms[room, room] = p[room] / p[room].sum()
    return {
        "Metropolis": T,
        "twice": T @ T,
        "exact draws": np.tile(p, (len(p), 1)),
        "lazy": 0.7 * np.eye(len(p)) + 0.3 * T,
        "round": np.eye(len(p)) + (flow / p)[:, None] * (ring - np.eye(len(p))),
        "frozen": np.eye(len(p)),
        "two rooms": two_rooms,
    }


def _leaking(T: np.ndarray) -> np.ndarray:
    """The table (5, 5), but that the middle site sends more to both neighbours: the ends and the mean site stay."""
    leak = np.zeros_like(T)
    leak[2, 1:4] = 0.1, -0.2, 0.1
    return T + leak


def _broken_world(seed: int, broken: int, fault: str, shift: float) -> tuple[np.ndarray, list[np.ndarray]]:
    """log f (K+1, S) with K = 6, and K tables of which T_broken does not leave f_broken invariant."""
    rng = np.random.default_rng(seed)
    log_f = np.linspace(0.2, 1.2, 7)[:, None] * rng.normal(size=5) * 1.5 + 0.3 * rng.normal(size=(7, 5)) + shift
    leaks = fault == "a leak to both sides"
    if leaks:  # the likeliest site stands first: the leak keeps it, too
        likeliest = int(log_f[broken].argmax())
        log_f[:, [0, likeliest]] = log_f[:, [likeliest, 0]]
    kinds = np.resize(rng.permutation([*_valid_tables(log_f[0])]), 6)
    if fault == "careless":  # what is unusual and sound is met for sure
        kinds[[0, 1, 3]] = "round", "frozen", "two rooms"
    tables = [_valid_tables(log_f[k])[kind] for k, kind in enumerate(kinds, start=1)]
    own = {
        "the old target": metropolis_matrix(log_f[broken - 1]),
        "careless": metropolis_matrix(np.zeros(5)),
        "a little too steep": metropolis_matrix(1.05 * log_f[broken]),
        "a leak to both sides": _leaking(_valid_tables(log_f[broken])["lazy"]),
    }
    if leaks:  # sound tables to 13 digits: what the leak keeps, they change by more than it does
        tables = [T.round(13) for T in tables]
    tables[broken - 1] = own[fault]
    return log_f, tables


@exercise(
    hints=(
        "Which property of T_k does the proof need, and does it need anything else?",
        "T_k must leave f_k invariant, the f of the same k. It need not have detailed balance.",
        "largest |p_k T_k - p_k| over sites, with p_k = f_k / sum f_k: it is 0 for all k but one. Subtract the largest "
        "log f_k before you exponentiate.",
    )
)
def broken_step(answer):
    """Is (log_f (K+1, S), tables T_1 … T_K) -> the k whose table does not leave f_k invariant found, and no other?"""
    worlds = [
        (1, 3, "careless", 0.0), (2, 5, "the old target", 0.0), (3, 1, "a little too steep", 0.0),
        (4, 4, "the old target", 0.0), (5, 2, "the old target", 900.0), (6, 4, "careless", -900.0),
        (0, 3, "a little too steep", 0.0), (10, 4, "a leak to both sides", 0.0),
        (14, 3, "a leak to both sides", 0.0),
    ]  # fmt: skip
    for seed, broken, fault, shift in worlds:
        log_f, tables = _broken_world(seed, broken, fault, shift)
        said = call(answer, log_f.copy(), [T.copy() for T in tables])
        require(np.ndim(said) == 0 and float(said).is_integer(), "return one whole number, the k of the broken T_k.")
        k = int(said)
        _say_what_is_sound(log_f, tables, k, broken, shift)
    log_f, tables = _broken_world(7, 2, "the old target", 0.0)
    apart = 400.0 * np.arange(7)[:, None]  # Z_k may differ by any factor
    require(
        call(answer, log_f + apart, tables) == 2,
        "right, but not where each f_k has another constant of hundreds of nats: subtract each stage's own largest "
        "log f_k, and divide by the sum.",
    )
    log_f = np.outer([0, 1 / 3, 2 / 3, 1], np.log([1.0, 9.0, 1.0, 1.0, 9.0]))
    tables = [metropolis_matrix(log_f[k]) for k in (1, 0, 3)]  # T_2 is careless
    ratio = expected_ais_weights(log_f, tables)[-1].sum() / np.exp(logsumexp(log_f[-1]))
    return (
        f"right, in all {len(worlds)} worlds. How much it matters: from flat to f = (1, 9, 1, 1, 9) in three steps, "
        f"with a careless T_2 alone, E[w] is {ratio:.2f} Z. In three of the worlds the kernel was that of the *old* "
        "target, f_{k-1}: an easy slip in a program."
    )


def _normalised(log_f: np.ndarray) -> np.ndarray:
    return np.exp(log_f - logsumexp(log_f, axis=-1, keepdims=True))


def _say_what_is_sound(log_f: np.ndarray, tables: list[np.ndarray], k: int, broken: int, shift: float) -> None:
    if k == broken:
        return
    far = f" (Here log f is about {shift:+.0f}: subtract the largest before you exponentiate.)" if shift else ""
    require(1 <= k <= len(tables), f"you say {k}, but k runs from 1 to {len(tables)}: tables[0] is T_1.{far}")
    p, p_broken = _normalised(log_f[[k, broken]])
    T = tables[k - 1]
    broken_change = p_broken @ tables[broken - 1] - p_broken
    slight = float(abs(broken_change).max())
    if abs(broken_change[[0, -1]]).max() < 1e-12:
        far += (
            " (The broken table keeps the first site, which is the likeliest, the last and the mean: compare the whole "
            "of p T with p.)"
        )
    elif slight < 0.01:
        far += f" (The broken table changes p by {slight:.1g}, and rounding by 1e-16: look for the largest change.)"
    change, flow = float(abs(p @ T - p).max()), p[:, None] * T
    counted = " Or do you count from 0? tables[0] is T_1." if k == broken - 1 else ""
    if k == 1 + int(np.argmax([abs(f @ t - f).max() for f, t in zip(_normalised(log_f[:-1]), tables, strict=True)])):
        counted += " Or do you compare T_k with f_{k-1}? That is log_f[k - 1]; tables[k - 1] belongs to log_f[k]."
    if np.linalg.matrix_rank(T - np.eye(len(p))) < len(p) - 1:
        counted += (
            f" T_{k} leaves many distributions invariant, for it does not lead from everywhere to everywhere. Ask "
            f"whether p_{k} is one of them."
        )
    ring = (
        f" T_{k} has no detailed balance, and yet it is sound: chains go round in a ring, as many into each site as "
        "out of it. Ask for invariance itself."
    )
    raise WrongAnswerError(
        f"T_{k} is sound: p_{k} T_{k} differs from p_{k} by {change:.0e} at most. T_k must leave f_k invariant, "
        f"log_f[k], and tables[k - 1] is T_k.{ring if abs(flow - flow.T).max() > 1e-9 else ''}{counted}{far}"
    )


def _matrix_of(answer, log_f: np.ndarray) -> np.ndarray:
    """The transition matrix on a line of S sites of the learner's acceptance probability, (S, S)."""
    T = np.zeros((len(log_f), len(log_f)))
    for x in range(len(log_f)):
        for new in (x - 1, x + 1):
            if 0 <= new < len(log_f):
                a = call(answer, float(log_f[x]), float(log_f[new]))
                require(np.ndim(a) == 0, f"the acceptance is one number; your function returned shape {np.shape(a)}.")
                require(
                    a >= -1e-12,
                    f"an acceptance of {float(a):.4g} is no probability: here and there are logs. Their difference is "
                    "the log of the ratio; exponentiate it.",
                )
                require(
                    a <= 1 + 1e-6,
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
    base = call(answer, -1.0, -1.5)
    require(
        all(same(call(answer, -1.0, -1.5), base) for _ in range(40)),
        "asked again, your function gives another answer: return the probability itself, and leave the coin to the one "
        "who asks.",
    )
    here = all(same(call(answer, x, -1.5), base) for x in (-2.5, 0.7))
    there = all(same(call(answer, -1.0, x), base) for x in (-3.0, -0.2))
    require(there or not here, "your acceptance does not ask where the chain stands: only f(there) / f(here) counts.")
    require(here or not there, "your acceptance does not ask where the chain would go: only f(there) / f(here) counts.")
    steep = np.array([0.0, 5.0, -7.0, 0.5])
    for log_f in (np.log([0.1, 0.2, 0.6, 0.3]), np.log([1.0, 2.0, 6.0, 3.0]), np.log([5.0, 1.0, 1.0, 4.0, 0.2]), steep):
        _judge_moves(answer, log_f)
    far = call(answer, 1000.0, 0.0), call(answer, 0.0, 1000.0)
    require(
        np.isfinite(far).all() and far[0] < 1e-12 and same(far[1], call(answer, 0.0, 30.0)),
        f"1000 nats downhill must be refused, 1000 nats uphill accepted as 30 are; you return {far[0]:.3g} and "
        f"{far[1]:.3g}. Subtract the logs before you exponentiate.",
    )
    require(
        same(call(answer, -5000.0, -5001.0), call(answer, 0.0, -1.0)),
        "adding the same number to both logs changed your answer, and it must not: Z cancels. exp(-5000) is 0 in a "
        "computer: subtract the logs before you exponentiate.",
    )
    return "right: p T = p on four landscapes, and constants such as log Z cancel."


def _judge_moves(answer, log_f: np.ndarray) -> None:
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
    uphill_only = np.where(np.diff(log_f) > 0, 0.5, 0.0)
    require(
        not np.allclose(np.diag(T, 1)[np.diff(log_f) != 0], uphill_only[np.diff(log_f) != 0]),
        "on a landscape of ours you never go downhill: chains climb to a peak and stay. Mass must flow down, too.",
    )
    require(
        drift < 1e-6,
        f"p T differs from p by up to {drift:.2g}: chains that start in equilibrium would leave it. Ask for "
        "detailed balance, f(here) a(here → there) = f(there) a(there → here).",
    )
    require(
        (np.diag(T, 1) > 1e-6).all(),
        "a chain that never moves does leave f invariant, and AIS with it stays unbiased. But it is importance "
        "sampling again: let the chain move.",
    )
