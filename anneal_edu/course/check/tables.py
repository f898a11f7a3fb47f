"""What an answer to the exercise of notebook 01 did in place of p_k T_k - p_k."""

from itertools import product

import numpy as np

from anneal_edu.course.bugs.transition_matrices import Tables, normalised


def slip_of(said: list[int], worlds: list[Tables]) -> str:
    """The sentence for what some do in place of p_k T_k - p_k, where it gives all that is said."""

    def top(log_f: np.ndarray) -> np.ndarray:
        return np.exp(log_f - log_f.max())

    left = (
        "In every world you name the table with the largest T p - p. p stands on the left of T, p @ T: row x of T says "
        "where the chains at x go."
    )
    early = "In every world you compare T_k with f_{k-1}. That is log_f[k - 1]; tables[k - 1] belongs to log_f[k]."
    slips = (
        (left, normalised, 1, True),
        (left, top, 1, True),
        (early, normalised, 0, False),
        (early, top, 0, False),
    )
    for (sentence, of, k, transposed), size in product(slips, (np.max, np.sum)):
        largest = []
        for log_f, tables, _ in worlds:
            pairs = [(of(f), T.T if transposed else T) for f, T in zip(log_f[k:], tables, strict=False)]
            largest.append(1 + int(np.argmax([size(abs(p @ T - p)) for p, T in pairs])))
        if said == largest:
            return f" {sentence}"
    pairs = [(normalised(log_f[1:]), tables) for log_f, tables, _ in worlds]
    but_last = [[abs(p @ T - p).max() for p, T in zip(*pair, strict=True)][:-1] for pair in pairs]
    if said == [1 + int(np.argmax(each)) if each else 1 for each in but_last]:
        return " Where you are wrong the last table is broken. It changes no weight, and is broken all the same."
    if said == [len(tables) for _, tables, _ in worlds]:
        return " In every world you name the last table."
    sums = [1 + int(np.argmax([abs(T.sum(1) - 1).max() for T in tables])) for _, tables, _ in worlds]
    if said == sums:
        return " All rows add up to one in every table: the broken one is a kernel, too, but of another distribution."
    if said == [broken - 1 for *_, broken in worlds]:
        return " In every world you say one less: do you count from 0? tables[0] is T_1."
    return ""
