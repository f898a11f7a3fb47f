"""Tables of biases for notebook 03 in which one number is wrong, and what some look for in place of it."""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from anneal_edu.distributions import Gaussian
from anneal_edu.paths.asymptotics import kl_bias
from anneal_edu.paths.geometric import geometric_path, moment_path
from anneal_edu.paths.schedules import linear_schedule

Table = tuple[np.ndarray, np.ndarray, int]
"""K (n,), forward and reverse bias (2, n), and the row of which one number is wrong."""


_WRONG = (3, 5, 4, 1, 0, 6, 3, 5, 3, 2, 9, 0)
_STEPS = (  # in no order, and one K far from the rest; in order; few or many; 2 to 1000
    (53, 47, 58, 8, 51, 45, 56), (61, 55, 64, 57, 68, 9, 59), (10, 13, 21, 30, 38, 47, 60),
    (9, 15, 22, 33, 40, 52, 65), (12, 19, 24, 35, 41, 50, 63), (8, 17, 29, 36, 44, 58, 61),
    (11, 14, 27, 31, 43, 49, 57), (9, 20, 26, 34, 46, 55, 64),
    (2, 3, 5, 8, 16, 32, 64), (40, 10, 20), tuple(range(90, 10, -7)), (300, 2, 1000, 30),
)  # fmt: skip
# here one bias is the larger one by far
_WIDE_TO_NARROW = Gaussian([-10, 0], 4 * np.eye(2)), Gaussian([10, 0], 0.25 * np.eye(2))


def _given_ends(k: int) -> Gaussian:
    """A Gaussian that has nothing in common with the next one."""
    a = np.array([[np.cos(7 * k), np.sin(11 * k)], [np.sin(13 * k), np.cos(17 * k)]])
    return Gaussian([3 * np.cos(3 * k), 3 * np.sin(5 * k)], a @ a.T + 0.5 * np.eye(2))


@cache
def tables_with_one_wrong() -> list[Table]:
    """Several, from paths of both kinds, short and long, in order and not."""
    tables = []
    for case, n_steps in enumerate(map(np.array, _STEPS)):
        p0, p1 = _WIDE_TO_NARROW if case == 8 else (_given_ends(2 * case), _given_ends(2 * case + 1))
        path = (moment_path if case == 8 else (geometric_path, moment_path)[case % 2])(p0, p1)
        biases = np.array([[kl_bias(path, linear_schedule(K), reverse) for K in n_steps] for reverse in (False, True)])
        wrong = _WRONG[case]
        which = int(biases[0, wrong] < biases[1, wrong])  # the larger one, so that 1.5% of it is not lost
        biases[which, wrong] *= (1.015, 0.985)[case // 3 % 2]
        tables.append((n_steps, biases, wrong))
    return tables


_FARTHEST: tuple[Callable[[np.ndarray], int], ...] = (  # the row farthest from the median, from 0, from the mean
    lambda x: int(abs(x - np.median(x)).argmax()),
    lambda x: int(abs(x).argmax()),
    lambda x: int(abs(x - x.mean()).argmax()),
)


def slips_of_row(tables: list[Table]) -> Iterator[tuple[str, list[int]]]:
    """What some look at in place of K (forward + reverse): the sentence that helps, and the rows it leads to."""

    def off_a_line(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return y - np.polyval(np.polyfit(x, y, 1), x)

    yield "You say the next row each time: Python counts from 0.", [wrong + 1 for *_, wrong in tables]
    smallest = (
        "You name the row of the smallest K each time. There the biases are largest, and the directions differ most: "
        "did you multiply by K itself, not by K + 1 or K - 1, and add both?"
    )
    yield smallest, [int(K.argmin()) for K, *_ in tables]
    found = [int(np.flatnonzero(np.argsort(K) == wrong)[0]) for K, _, wrong in tables]
    yield "It would be that row if they stood in the order of K: did you sort them?", found
    not_times_k = "The sums themselves fall like 1/K: did you multiply by K?"
    one_alone = (
        "Neither K times one direction nor K times their difference need be constant, only their sum is bound: did you "
        "add both?"
    )
    product = "A product need not be constant, nor a root of squares: the identity adds the two."
    extreme = "You take the largest number, or the smallest; the wrong one is farthest from what most have."
    for sentence, of in (
        (not_times_k, lambda K, f, r: f + r),
        (one_alone, lambda K, f, r: K * f),
        (one_alone, lambda K, f, r: K * r),
        (one_alone, lambda K, f, r: abs(f - r)),
        (one_alone, lambda K, f, r: K * abs(f - r)),
        (product, lambda K, f, r: K**2 * f * r),
        (product, lambda K, f, r: np.sqrt(K**2 * f * r)),
        (product, lambda K, f, r: np.log(K**2 * f * r)),
        (product, lambda K, f, r: np.hypot(K * f, K * r)),
    ):
        for row in _FARTHEST:
            yield sentence, [row(of(K, *biases)) for K, biases, _ in tables]
    for row in (np.argmax, np.argmin):
        yield extreme, [int(row(K * biases.sum(0))) for K, biases, _ in tables]
    rounded = "You round: one or two per cent of the number may be less than that."
    for digits in range(4):
        yield rounded, [_FARTHEST[0](np.round(K * biases.sum(0), digits)) for K, biases, _ in tables]
    free = "Did you fit a line to the logs? Left free, its slope gives way to a row that stands alone; it is -1."
    yield free, [_FARTHEST[1](off_a_line(np.log(K), np.log(biases.sum(0)))) for K, biases, _ in tables]
    leans = "Did you fit c / K to the sums? It leans on the rows of small K, where they are large: multiply by K first."
    fits = [biases.sum(0) - (biases.sum(0) @ (1 / K)) / (1 / K @ (1 / K)) / K for K, biases, _ in tables]
    yield leans, [_FARTHEST[1](fit) for fit in fits]
    one_row = (
        "You compare with one row, the first, the last or a neighbour. Where that one is wrong, all others seem so, or "
        "two do: compare with the median."
    )
    totals = [K * biases.sum(0) for K, biases, _ in tables]
    for base in (0, -1):
        yield one_row, [int(abs(x - x[base]).argmax()) for x in totals]
    for by in (0, 1):
        yield one_row, [int(abs(np.diff(x)).argmax()) + by for x in totals]
    leaning = "The wrong row draws the mean, or the middle of the range, its way: compare with the median."
    for middle in (lambda x: (x.max() + x.min()) / 2, lambda x: 1 / np.mean(1 / x), np.mean):
        yield leaning, [int(abs(x - middle(x)).argmax()) for x in totals]
