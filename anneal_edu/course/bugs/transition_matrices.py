"""Transition matrices for the exercises of notebook 01, of which one does not leave its f invariant."""

import numpy as np
from scipy.special import logsumexp

from anneal_edu.annealing.matrices import metropolis_matrix

Tables = tuple[np.ndarray, list[np.ndarray], int]
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


def broken_tables(seed: int, broken: int, fault: str, shift: float) -> tuple[np.ndarray, list[np.ndarray]]:
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


def exchanged_tables(n_stages: int, broken: int, sites: tuple[int, int]) -> Tables:
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


def balanced_tables() -> Tables:
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
