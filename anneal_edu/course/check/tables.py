"""Worlds for notebook 01 in which one table of several does not leave its f invariant."""

from itertools import product

import numpy as np
from scipy.special import logsumexp

from anneal_edu import metropolis_matrix

World = tuple[np.ndarray, list[np.ndarray], int]
"""log f (K+1, S), the K tables, and the k of the broken one."""


def normalised(log_f: np.ndarray) -> np.ndarray:
    """p of each stage, (…, S)."""
    return np.exp(log_f - logsumexp(log_f, axis=-1, keepdims=True))


def _valid_tables(log_f: np.ndarray) -> dict[str, np.ndarray]:
    """Transition matrices that all leave f (S,) invariant."""
    p = normalised(log_f)
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


def broken_world(seed: int, broken: int, fault: str, shift: float) -> tuple[np.ndarray, list[np.ndarray]]:
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
        "hardly too steep": metropolis_matrix(1.0003 * log_f[broken]),
        "a leak to both sides": _leaking(_valid_tables(log_f[broken])["lazy"]),
    }
    if leaks:  # sound tables to 13 digits: what the leak keeps, they change by more than it does
        tables = [T.round(13) for T in tables]
    tables[broken - 1] = own[fault]
    return log_f, tables


def _sound_tables(log_f: np.ndarray) -> list[np.ndarray]:
    """Tables for stages 1 … K, sound to 13 digits: what a fault keeps, these change by more than it does."""
    kinds = np.resize(["Metropolis", "exact draws", "lazy", "twice", "two rooms"], len(log_f) - 1)
    return [_valid_tables(f)[kind].round(13) for f, kind in zip(log_f[1:], kinds, strict=True)]


def exchanged_world(n_stages: int, broken: int, sites: tuple[int, int]) -> World:
    """Two of 14 sites exchange their p, and all others keep it: who does not ask which is which sees nothing."""
    rng = np.random.default_rng(n_stages)
    log_f = rng.normal(size=(n_stages + 1, 14))
    log_f[:, [1, 12]] = 2.5, -2.5  # the likeliest and the least likely site are others
    log_f[:, sites] = 0.2, 1.1
    tables = _sound_tables(log_f)
    order = np.arange(14)
    order[list(sites)] = sites[::-1]
    tables[broken - 1] = np.eye(14)[order]
    return log_f, tables, broken


def balanced_world() -> World:
    """Exact draws from another p, which keeps the ends, the extremes, the middle and many averages of every kind."""
    log_f = np.linspace(0, 1, 5)[:, None] * np.random.default_rng(2).normal(size=18) * 1.2
    broken, tables = 3, _sound_tables(log_f)
    p, site = normalised(log_f[broken]), np.arange(18.0)
    still = np.eye(18)[[0, 1, 9, 16, 17, p.argmax(), p.argmin()]]
    means = np.stack([site**0, site, site**2, (-1) ** site, p, log_f[broken], p * log_f[broken]])
    free = np.linalg.svd(np.vstack([still, means]))[2][-4:]  # the changes that none of these sees
    change = free.T @ (free @ np.where(p > np.median(p), p, -p))
    change *= 0.8 / np.max(-change / p)
    tables[broken - 1] = np.tile(p + change, (18, 1))
    return log_f, tables, broken


def slip_of(said: list[int], worlds: list[World]) -> str:
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
