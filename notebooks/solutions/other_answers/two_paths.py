"""Other right answers to the exercises of notebook 02."""

from itertools import count, pairwise

import numpy as np

import anneal_edu as ae


def by_every_step(p0, p1):
    """Ask all steps: after the first none is worse."""
    for K in count(2):
        stops = map(ae.moment_path(p0, p1), ae.linear_schedule(K))
        if all((np.linalg.eigvals(2 * q.precision - p.precision) > 0).all() for p, q in pairwise(stops)):
            return K


def by_whitening(p0, p1):
    """No direction may have twice the variance of p0 or more, in the coordinates that make p0 round."""
    gap, K = p1.mean - p0.mean, 2
    while True:
        cov = (1 - 1 / K) * p0.cov + p1.cov / K + (1 - 1 / K) / K * np.outer(gap, gap)
        if np.linalg.eigvals(np.linalg.solve(p0.cov, cov)).real.max() < 2:
            return K
        K += 1


def by_the_middle(p0, p1, style):
    """The long axis of the distribution half-way, onto the second axis."""
    path = ae.moment_path(p0, p1) if style == "moments" else ae.geometric_path(p0, p1)
    x, y = np.linalg.eigh(path(0.5).cov)[1][:, -1]
    return np.pi / 2 - np.arctan2(y, x)


def by_a_grid(p0, p1, style):
    """The angle, of a degree each, that makes the mean of r² over the path smallest."""
    path = {"geometric": ae.geometric_path, "moments": ae.moment_path}[style](p0, p1)
    covs = np.array([path(beta).cov for beta in np.linspace(0, 1, 51)])
    kept = []
    for a in np.radians(range(90)):
        R = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        c = R @ covs @ R.T
        kept.append(np.mean(c[:, 0, 1] ** 2 / c[:, 0, 0] / c[:, 1, 1]))
    return np.radians(np.argmin(kept))


def added_in_logs(log_weights):
    """Add the weights up in logs."""
    lw = np.sort(log_weights)[::-1]
    n = 1 + np.argmax(np.logaddexp.accumulate(lw) >= np.logaddexp.reduce(lw) - np.log(2))
    return n, ae.log_mean_exp(lw[n:])


def one_by_one(log_weights):
    """Remove the heaviest until the others carry half or less."""
    left, everything = sorted(log_weights), np.logaddexp.reduce(log_weights)
    while np.logaddexp.reduce(left) > everything - np.log(2):
        left.pop()
    return len(log_weights) - len(left), np.logaddexp.reduce(left) - np.log(len(left))


ANSWERS = {
    "steps_for_finite_variance": (by_every_step, by_whitening),
    "best_turn": (by_the_middle, by_a_grid),
    "judge_weights": (added_in_logs, one_by_one),
}
