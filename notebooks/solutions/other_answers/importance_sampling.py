"""Other right answers to the exercises of notebook 01."""

import math

import numpy as np


def in_one_go(log_f, log_z_0, x):
    """All ratios at once, by two indices."""
    k = np.arange(1, len(log_f))
    return log_z_0 + (log_f[k, x[:, 1:]] - log_f[k - 1, x[:, 1:]]).sum(1)


def chain_by_chain(log_f, log_z_0, x):
    """One chain after the other."""
    log_w = []
    for sites in x:
        steps = enumerate(sites[1:], start=1)
        log_w.append(log_z_0 + sum(log_f[k, site] - log_f[k - 1, site] for k, site in steps))
    return log_w


def first_that_changes(log_f, tables):
    """The first table that changes p_k beyond numpy's tolerances."""
    for k, T in enumerate(tables, start=1):
        p = np.exp(log_f[k]) / np.exp(log_f[k]).sum()
        if not np.allclose(p @ T, p):
            return k


def by_flows(log_f, tables):
    """What flows into each site, against what flows out of it."""
    off = []
    for f, T in zip(np.exp(log_f - log_f.max(1, keepdims=True))[1:], tables, strict=True):
        flow = f[:, None] / f.sum() * T
        off.append(np.sum((flow.sum(0) - flow.sum(1)) ** 2))
    return np.argmax(off) + 1


def metropolis(here, there):
    """Uphill always, downhill by the ratio."""
    return 1.0 if there > here else math.exp(there - here)


def barker(here, there):
    """f(there) / (f(here) + f(there))."""
    return np.exp(there - np.logaddexp(here, there))


ANSWERS = {
    "log_weights": (in_one_go, chain_by_chain),
    "broken_step": (first_that_changes, by_flows),
    "acceptance": (metropolis, barker),
}
