"""The samplers a second time, each as short as its paper has it: what results are compared with."""

from itertools import islice, pairwise

import numpy as np
from scipy.special import logsumexp

from anneal_edu.kernels import leapfrog, reversal_of


def accept(log_alpha, rng):
    return np.exp(-rng.standard_exponential(log_alpha.shape)) < np.exp(np.minimum(log_alpha, 0))


def anneal(path, betas, x, kernel, rng):
    """Σ_k log f_k(x_{k-1}) / f_{k-1}(x_{k-1}), (C,), and the last states; β may rise or fall."""
    log_w = np.zeros(len(x))
    for before, now in pairwise(betas):
        log_w += path(now).log_density(x) - path(before).log_density(x)
        x = kernel(path(now), x, rng)
    return log_w, x


def ais(path, schedule, n_chains, kernel, rng):
    log_w, x = anneal(path, schedule, path(0.0).sample(n_chains, rng), kernel, rng)
    return path(0.0).log_z() + log_w, x


def reverse_ais(path, schedule, x, kernel, rng):
    back = reversal_of(kernel)
    log_w, x = anneal(path, schedule[::-1], back(path(1.0), x, rng), back, rng)
    return path(0.0).log_z() - log_w, x


def tempered_transition(path, schedule, x, kernel, rng):
    """The log of the ratio in the acceptance probability, which moves were accepted, and the next states."""
    up, y = anneal(path, schedule[::-1], x, reversal_of(kernel), rng)
    y = kernel(path(0.0), y, rng)
    down, y = anneal(path, schedule[:-1], y, kernel, rng)
    log_alpha = up + down + path(1.0).log_density(y) - path(schedule[-2]).log_density(y)
    accepted = accept(log_alpha, rng)
    return log_alpha, accepted, np.where(accepted[:, None], y, x)


def hais(path, schedule, n_chains, epsilon, gamma, rng):
    """Log weights, last states and the share of accepted steps, by the five steps of the paper's Section 2.3."""
    x = path(0.0).sample(n_chains, rng)
    v, log_w, shares = rng.standard_normal(x.shape), np.full(n_chains, path(0.0).log_z()), []
    for before, now in pairwise(schedule):
        f = path(now)
        log_w = log_w + f.log_density(x) - path(before).log_density(x)
        y, p, _ = leapfrog(f.grad_log_density, x, v, epsilon)
        yes = accept(f.log_density(y) - f.log_density(x) + 0.5 * ((v * v).sum(-1) - (p * p).sum(-1)), rng)
        x, v = np.where(yes[:, None], y, x), np.where(yes[:, None], p, -v)
        v = np.sqrt(1 - gamma) * v + np.sqrt(gamma) * rng.standard_normal(v.shape)
        shares.append(yes.mean())
    return log_w, x, shares


def parallel_tempering(path, schedule, n_sweeps, n_chains, kernel, rng):
    """After each sweep: x, replicas, proposed, accepted, α and the two log ratios; even pairs first, then odd ones."""
    rungs, n_pairs = [path(beta) for beta in schedule], len(schedule) - 1
    x = np.stack([path(0.0).sample(n_chains, rng) for _ in rungs])
    replicas = np.tile(np.arange(n_pairs + 1)[:, None], (1, n_chains))
    for sweep in range(n_sweeps):
        x = np.stack([kernel(f, x_k, rng) for f, x_k in zip(rungs, x, strict=True)])
        log_f = np.array([[f.log_density(x_k) for x_k in x] for f in rungs])  # of rung j's states on rung i, (i, j, C)
        k = np.arange(n_pairs)
        above, below = log_f[k + 1, k] - log_f[k, k], log_f[k, k + 1] - log_f[k + 1, k + 1]
        log_alpha = np.minimum(0.0, above + below)
        proposed = np.tile((k % 2 == sweep % 2)[:, None], (1, n_chains))
        accepted = proposed & accept(log_alpha, rng)
        for k, c in zip(*np.nonzero(accepted), strict=True):
            x[[k, k + 1], c], replicas[[k, k + 1], c] = x[[k + 1, k], c], replicas[[k + 1, k], c]
        yield x.copy(), replicas.copy(), proposed, accepted, np.exp(log_alpha), np.stack([above, below])


def tempered_walk(path, schedule, log_z, x, rungs, kernel, rng):
    """After each sweep: x, rungs, log q(β_k | x)."""
    while True:
        moved = np.empty_like(x)
        for k in np.unique(rungs):
            moved[rungs == k] = kernel(path(schedule[k]), x[rungs == k], rng)
        x, log_q = moved, np.stack([path(beta).log_density(moved) for beta in schedule]) - log_z[:, None]
        log_q -= logsumexp(log_q, axis=0)  # q(β_k | x) ∝ f_k(x) / Ẑ_k
        rungs = (log_q - np.log(rng.standard_exponential(log_q.shape))).argmax(0)
        yield x, rungs, log_q


def crossings_of(rungs, top):
    """How often a chain that was on the first rung came to the last: rungs (T, C)."""
    found = 0
    for chain in rungs.T:
        from_below = False
        for rung in chain:
            found += from_below and rung == top
            from_below = (from_below or rung == 0) and rung != top
    return found


def rts(path, schedule, n_initial, n_rounds, n_sweeps, log_z, x, kernel, rng):
    """Every round, log Ẑ_k, log q(β_k | x) (T, K+1, C), rungs (T, C) and crossings; and the last states."""
    rungs, done, top = np.zeros(len(x), dtype=int), [], len(schedule) - 1
    for r in range(n_rounds):
        began, walk = rungs, tempered_walk(path, schedule, log_z, x, rungs, kernel, rng)
        states = list(islice(walk, n_sweeps))
        x, rungs, _ = states[-1]
        visited, log_q = np.array([state[1] for state in states]), np.array([state[2] for state in states])
        crossings = crossings_of(np.vstack([began, visited]), top)
        if r > n_initial:  # this round and the earlier ones at the same Ẑ_k
            _, before, seen, made = done[-1]
            log_q, visited, crossings = np.vstack([before, log_q]), np.vstack([seen, visited]), made + crossings
        done.append((log_z, log_q, visited, crossings))
        if r < n_initial:  # corrected, as if one draw at least had come to each rung
            log_c = np.maximum(logsumexp(log_q, axis=(0, 2)), 0.0)
            log_z = log_z + log_c - log_c[0]
    return done, x, rungs
