"""A leapfrog step before a wall as it should be, for the check of notebook 08, and what an answer makes of one."""

from functools import partial

import numpy as np

from anneal_edu.course.check.verdict import arrays, call, same


def turns_only(answer, x, v, eps, wall) -> bool:
    """Whether, without a force, the momenta are right and positions are not."""
    new, right = (
        np.array(step(x, v, np.zeros_like, eps, wall)) for step in (partial(stepped, answer), right_step)
    )
    return same(new[1], right[1]) and not same(new[0], right[0])


def reflected(x: np.ndarray, v: np.ndarray, wall: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return wall + np.abs(x - wall), np.where(x < wall, -v, v)


def right_step(x, v, grad, eps, wall) -> tuple[np.ndarray, np.ndarray]:
    half, p = reflected(x + eps / 2 * v, v, wall)
    p = p + eps * grad(half)
    return reflected(half + eps / 2 * p, p, wall)


def stepped(answer, x, v, grad, eps, wall) -> list[np.ndarray]:
    pair = call(answer, x.copy(), v.copy(), grad, eps, wall.copy())
    pair = tuple(pair) if isinstance(pair, np.ndarray) and pair.ndim == 3 else pair
    return arrays(pair, {"your x": x.shape, "your v": x.shape}, "return two arrays: the new x and the new v.")


def volume(answer, x, v, grad, eps, wall) -> float:
    """|det ∂(x', v') / ∂(x, v)| by finite differences."""
    h, point = 1e-6, np.concatenate([x, v])
    around = np.concatenate([point + h * np.eye(4), point - h * np.eye(4)])
    if (around[:, :2] < wall).any():
        return 1.0
    new = np.hstack(stepped(answer, around[:, :2], around[:, 2:], grad, eps, wall))
    return float(abs(np.linalg.det((new[:4] - new[4:]) / (2 * h))))
