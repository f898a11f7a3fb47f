"""Other right answers to the exercises of notebook 08."""

import math

import numpy as np


def by_a_root(v, gamma, rng):
    """The variance that is missing to 1, and r with the other sign."""
    a = 1 - gamma
    return a * v - math.sqrt(1 - a * a) * rng.normal(size=v.shape)


def in_single_precision(v, gamma, rng):
    """Chains of float32."""
    r = rng.standard_normal(v.shape).astype(np.float32)
    return ((1 - gamma) * v).astype(np.float32) + np.float32((1 - (1 - gamma) ** 2) ** 0.5) * r


def by_the_distance(x, v, grad, eps, wall):
    """The distance from the wall is what keeps its size."""
    for time in (eps / 2, eps / 2):
        away = x - wall + time * v
        x, v = wall + np.abs(away), np.copysign(1, away) * v
        if grad is not None:
            v, grad = v + eps * grad(x), None
    return x, v


def by_masks(x, v, grad, eps, wall):
    """Reflect in place, in own arrays."""
    x, v = x + 0.5 * eps * v, v.copy()
    hit = x < wall
    x[hit], v[hit] = (2 * wall - x)[hit], -v[hit]
    v += eps * grad(x)
    x += 0.5 * eps * v
    hit = x < wall
    x[hit], v[hit] = (2 * wall - x)[hit], -v[hit]
    return [x, v]


def by_energies(x, v, new_x, new_v, log_f, u):
    """Turn all, and take those that are accepted."""
    energy, new_energy = (np.sum(b**2, axis=1) / 2 - log_f(a) for a, b in ((x, v), (new_x, new_v)))
    accepted = u < np.exp(np.minimum(energy - new_energy, 0))
    x, v = x.copy(), -v
    x[accepted], v[accepted] = new_x[accepted], new_v[accepted]
    return x, v


def chain_by_chain(x, v, new_x, new_v, log_f, u):
    """A loop over chains."""
    log_p, log_p_new = log_f(x) - 0.5 * (v * v).sum(axis=1), log_f(new_x) - 0.5 * (new_v * new_v).sum(axis=1)
    x, v = x.copy(), -v
    for c in range(len(x)):
        if math.log(u[c]) < log_p_new[c] - log_p[c]:
            x[c], v[c] = new_x[c], new_v[c]
    return x, v


ANSWERS = {
    "refresh": (by_a_root, in_single_precision),
    "leapfrog": (by_the_distance, by_masks),
    "decide": (by_energies, chain_by_chain),
}
