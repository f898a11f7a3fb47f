"""Ladders that equal shares of a pilot's rejections make, for the check of notebook 10 that asks for the shortest."""

import numpy as np

from anneal_edu.course.check.verdict import WrongAnswerError, call, require, same


def judge_ladder(answer, pilot: np.ndarray, rates: np.ndarray, most: float, tolerance: float = 0.03) -> None:
    """The ladder that is handed in, (K + 1,), must have the right ends and number of pairs, and parts alike."""
    total = np.append(0, np.cumsum(rates))
    found = np.asarray(call(answer, pilot.copy(), rates.copy(), most), dtype=float)
    require(found.ndim == 1 and found.size > 0, f"a ladder is a row of rungs; yours has shape {found.shape}.")
    require(np.isfinite(found).all(), "your ladder has NaN or infinite entries.")
    _judge_ends(found, pilot)
    _judge_rise(found)
    _judge_number(found, total, most)
    _judge_parts(found, pilot, total, tolerance)


def _judge_ends(found: np.ndarray, pilot: np.ndarray) -> None:
    first, last = found[[0, -1]]
    require(not same([first, last], [1, 0]), "your ladder comes down, from 1 to 0; its first rung is the start, β = 0.")
    require(
        not same([first, last], [pilot[1], 1]),
        f"your ladder begins at {first:.3g}, the pilot's second rung. There Λ is the first rate already; what is it at "
        "the first rung?",
    )
    inner = "The start and the target are rungs, too." if 0 < first and last < 1 else ""
    require(
        same([first, last], [0, 1]),
        f"a ladder goes from 0 to 1; yours goes from {first:.3g} to {last:.3g}. {inner}".rstrip(),
    )


def _judge_rise(found: np.ndarray) -> None:
    number = 1 + int(np.argmax(np.diff(found) <= 0))
    before, here = found[[number - 1, number]] if found.size > 1 else (0.0, 1.0)
    if before < here:
        return
    at_end = "You read off β at more than Λ(1), or you divided Λ by its end in one place and not in the other."
    require(here < 1, f"the rungs should rise; yours stand at 1 from rung {number - 1} on. {at_end}")
    falls = f"the rungs should rise; your rung {number}, {here:.3g}, is not above rung {number - 1}, {before:.3g}."
    raise WrongAnswerError(f"{falls} np.interp needs heights that rise, and so does Λ at the pilot's rungs.")


def _judge_number(found: np.ndarray, total: np.ndarray, most: float) -> None:
    """That no pair refuses more than ``most``, and that no shorter ladder would do."""
    n_pairs, barrier = len(found) - 1, total[-1]
    right = int(np.ceil(round(barrier / most, 9)))
    case = f"with Λ = {barrier:.3g} and most = {most:g}, your ladder of {len(found)} rungs has {n_pairs} "
    case += f"pair{'s' * (n_pairs != 1)}: if they refuse alike, each refuses {barrier / n_pairs:.4g}"
    require(n_pairs >= right, f"{case}, and that is more. (K pairs have K + 1 rungs.)")
    exactly = " Exactly as much is not more." if same(barrier / most, float(right)) else ""
    require(
        n_pairs == right,
        f"{case}. A shorter one will do: with {right} each would refuse {barrier / right:.4g}.{exactly}",
    )


def _judge_parts(found: np.ndarray, pilot: np.ndarray, total: np.ndarray, tolerance: float) -> None:
    """That every pair has the same part of the pilot's rejections."""
    n_pairs = len(found) - 1
    even, parts = np.linspace(0, 1, n_pairs + 1), np.diff(np.interp(found, pilot, total))
    off = float(np.abs(parts / parts.mean() - 1).max())
    if off < tolerance:
        return
    digits = ".2f" if off > 0.05 else ".6g"
    wanted = f"its parts carry from {parts.min():{digits}} to {parts.max():{digits}} of rejections, and they should "
    wanted += f"all carry {total[-1] / n_pairs:{digits}}."
    linear = f"your ladder is linear, as if the pilot's pairs had refused alike all the way: {wanted}"
    require(not same(found, even), linear)
    require(
        not np.allclose(found, np.interp(even, pilot, total / total[-1]), atol=1e-3),
        "this is Λ at evenly spaced β; wanted are the β at evenly spaced Λ. Exchange the roles of the two axes: "
        "np.interp(new heights, heights, positions).",
    )
    require(
        not np.allclose(found, np.interp(even * total[-1], total, np.linspace(0, 1, len(pilot))), atol=1e-6),
        f"you take the pilot's rungs to be even, and they stand where `schedule` says: {wanted}",
    )
    wanted += "" if off > 0.05 else " That is near: are the rungs rounded, or the rates changed?"
    add_up = "Λ at a rung of the pilot is the sum of the rates themselves up to it. Read off β at equal parts of Λ."
    raise WrongAnswerError(f"the parts are not alike: {wanted} {add_up}")
