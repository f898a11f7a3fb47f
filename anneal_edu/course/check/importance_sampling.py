"""Checks for notebook 01: the weights of AIS, a kernel that is not sound, the acceptance of Metropolis."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.special import logsumexp

from anneal_edu import expected_ais_weights, metropolis_matrix
from anneal_edu.course.bugs.transition_matrices import balanced_tables, broken_tables, exchanged_tables, normalised
from anneal_edu.course.check.acceptances import asked, judge_moves, judge_pair
from anneal_edu.course.check.tables import slip_of
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
        "the first ratio is missing: k runs from 1, and all are added up.": right
        - log_f[1][x[:, 1]]
        + log_f[0][x[:, 1]],
        "log_z_0 is subtracted in yours; log w starts from + log_z_0.": right - 2 * log_z_0,
        "log_z_0 comes once.": right + (len(stages) - 1) * log_z_0,
        "the log ratios are added up, not averaged.": log_z_0 + (right - log_z_0) / len(stages),
        "the places are exchanged, f_k(x_{k-1}) / f_{k-1}(x_k): both densities belong at the same place.": log_z_0
        + sum(log_f[k][x[:, k - 1]] - log_f[k - 1][x[:, k]] for k in stages),
        "some steps are not counted: the last, or all but the first. There are K = len(log_f) - 1 ratios, one a "
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
        "right for K = 2 steps and 3 sites, wrong for K = 5 steps and 4 sites: sum over all k from 1 to K, whatever K "
        "is, and take each site as it comes.",
    )
    for shift in (900, -900):
        far = np.asarray(answer(shift + log_f, shift + log_z_0, x.copy()))
        require(
            np.allclose(far, shift + _true_log_weights(log_f, log_z_0, x), atol=1e-2),
            f"right, but not where log f is about {shift}, and log Z_0 with it: exp({shift}) is "
            f"{'infinite' if shift > 0 else '0'} in a computer. Add and subtract the logs, and exponentiate nothing.",
        )
    for n_steps, n_chains in ((1, 1), (9, 2)):
        stage, site, chain = np.arange(n_steps + 1), np.arange(3), np.arange(n_chains)
        log_f = 400.0 * (-1) ** stage[:, None] + 10 * np.sin(stage[:, None] ** 2 + site)  # each step goes ±800
        x = (chain[:, None] + stage**2) % 3
        lw = np.asarray(call(answer, log_f.copy(), logsumexp(log_f[0]), x.copy()))
        one_each = f"for C = {n_chains} the weights have shape ({n_chains},), one a chain; yours have {lw.shape}."
        require(lw.shape == (n_chains,), one_each)
        require(
            np.allclose(lw, _true_log_weights(log_f, logsumexp(log_f[0]), x), atol=1e-2),
            f"right for small ratios, but not with K = {n_steps}, C = {n_chains} and ratios of e^{{±hundreds}}: add "
            "the differences of the logs as they are, all of them, and exponentiate nothing.",
        )
    return f"right: over all 27 trajectories of a tiny world the mean of your w is {mean:.6f}, and Z is {z:.6f}."


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
        (*broken_tables(seed, broken, fault, shift), broken, shift)
        for seed, broken, fault, shift in (
            (1, 3, "careless", 0.0), (2, 5, "the old target", 0.0), (3, 1, "a little too steep", 0.0),
            (4, 4, "the old target", 0.0), (5, 2, "the old target", 900.0), (6, 4, "careless", -900.0),
            (0, 3, "a little too steep", 0.0), (10, 4, "a leak to both sides", 0.0),
            (14, 3, "a leak to both sides", 0.0), (8, 5, "hardly too steep", 0.0),
        )
    ]  # fmt: skip
    for world in (balanced_tables(), exchanged_tables(4, 3, (9, 11)), exchanged_tables(2, 2, (2, 4))):
        worlds.append((*world, 0.0))
    said = []
    for log_f, tables, _, _ in worlds:
        k = call(answer, log_f.copy(), [T.copy() for T in tables])
        require(np.ndim(k) == 0 and float(k).is_integer(), "return one whole number, the k of the broken T_k.")
        said.append(int(k))
    everywhere = slip_of(said, [world[:3] for world in worlds])
    for k, world in zip(said, worlds, strict=True):
        _say_what_is_sound(k, *world, everywhere)
    for rare in (0, -1):  # whoever subtracts log f of one site, and not the largest, is lost there
        log_f, _ = broken_tables(7, 2, "the old target", 0.0)
        log_f[4, rare] -= 40.0
        tables = [metropolis_matrix(log_f[k - (k == 2)]) for k in range(1, 7)]
        require(
            call(answer, log_f.copy(), tables) == 2,
            f"right, but not where the {'last' if rare else 'first'} site is improbable at one stage, log f lower by "
            "40: subtract the *largest* log f_k of each stage, and divide by the sum.",
        )
    for log_f, tables, broken, why in _hidden_faults():
        require(call(answer, log_f.copy(), tables) == broken, f"right, but not where the broken table moves {why}")
    log_f, tables = broken_tables(7, 2, "the old target", 0.0)
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


def _hidden_faults() -> Iterator[tuple[np.ndarray, list[np.ndarray], int, str]]:
    """Worlds of one f with a table that is hardly broken, which it is, and what it moves."""
    few, rare = np.array([0.0, 0.0, -6.0, -7.0]), np.array([0.0, 0.0, -25.0, -25.0])
    in_part, hardly = np.eye(4), np.eye(4)
    in_part[2], hardly[2:] = [0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.2, 0.8]
    for log_f, table, why in (
        (few, in_part, "improbable sites alone: p T = p is asked of every site."),
        (
            rare, hardly,
            "sites alone that hold 1e-11 of the probability: it changes p by 4e-12 there, which np.allclose overlooks "
            "as it comes. Look for the largest change of all tables.",
        ),
    ):  # fmt: skip
        yield np.tile(log_f, (4, 1)), [metropolis_matrix(log_f), table, metropolis_matrix(log_f)], 2, why
    p, why = np.array([0.4, 0.3, 0.2, 0.1]), (
        "4e-11 of the probability from one likely site to another, and rounding is 1e-16. Single precision hides it, "
        "and so does a square, or an average of logarithms."
    )
    for broken in (7, 4, 11, 9):  # whoever sees rounding alone names one of twelve by luck
        tables = [(1 - a) * np.eye(4) + a * p for a in np.linspace(0.31, 0.83, 12)]
        tables[broken - 1][0] += [-1e-10, 1e-10, 0.0, 0.0]
        yield np.tile(np.log(p), (13, 1)), tables, broken, why


def _say_what_is_sound(
    k: int, log_f: np.ndarray, tables: list[np.ndarray], broken: int, shift: float, everywhere: str
) -> None:
    if k == broken:
        return
    far = f" (Here log f is about {shift:+.0f}: subtract the largest before you exponentiate.)" if shift else ""
    outside = f"you say {k}, but k runs from 1 to {len(tables)}: tables[0] is T_1.{everywhere}{far}"
    require(1 <= k <= len(tables), outside)
    p, p_broken = normalised(log_f[[k, broken]])
    T, change = tables[k - 1], abs(p_broken @ tables[broken - 1] - p_broken)
    kept = change < 1e-12
    if kept.any():
        far += " (The broken table keeps some sites, and many a number that p has: compare the whole of p T with p.)"
    if change.max() < 0.01:
        slight = f"{change.max():.1g}"
        far += f" (The broken table changes p by {slight}, and rounding by 1e-16: look for the largest change.)"
    if not everywhere and np.linalg.matrix_rank(T - np.eye(len(p))) < len(p) - 1:
        everywhere = (
            f" T_{k} leaves many distributions invariant, for it does not lead from everywhere to everywhere. Ask "
            f"whether p_{k} is one of them."
        )
    flow = p[:, None] * T
    ring = (
        f" T_{k} has no detailed balance, and yet it is sound: as many chains come into each site as leave it. Ask for "
        f"invariance itself, p_{k} T_{k} = p_{k} to within rounding, of probabilities."
    )
    raise WrongAnswerError(
        f"T_{k} is sound: p_{k} T_{k} differs from p_{k} by {abs(p @ T - p).max():.0e} at most. T_k must leave f_k "
        f"invariant, log_f[k], and tables[k - 1] is T_k."
        f"{ring if not everywhere and abs(flow - flow.T).max() > 1e-9 else ''}{everywhere}{far}"
    )


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
        judge_moves(answer, log_f)
    for down in (0.01, 0.5, 1.2, 2.5, 3.5, 4.5, 6.0, 9.0, 14.0, 22.0, 35.0, 50.0, 80.0, 300.0, 650.0):
        judge_pair(answer, -2.0, -2.0 - down)
    far = asked(answer, 1000.0, 0.0), asked(answer, 0.0, 1000.0)
    require(
        np.isfinite(far).all() and far[0] < 1e-12 < far[1],
        f"1000 nats downhill must be refused, 1000 nats uphill accepted now and then; you return {far[0]:.3g} and "
        f"{far[1]:.3g}. Subtract the logs before you exponentiate.",
    )
    require(
        same(call(answer, -5000.0, -5001.0), call(answer, 0.0, -1.0)),
        "adding the same number to both logs changed your answer, and it must not: Z cancels. exp(-5000) is 0 in a "
        "computer: subtract the logs before you exponentiate.",
    )
    for high, down in ((5000.0, 2**-5), (-5000.0, 2**-5), (2.0**20, 2**-3), (-5000.0, 3.0)):  # exact in any precision
        judge_pair(answer, high, high - down)
    return "right: p T = p on four landscapes, and constants such as log Z cancel."
