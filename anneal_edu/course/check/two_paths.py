"""Exercises of notebook 02: two paths between two Gaussians."""

import numpy as np

from anneal_edu.course.check.engine import Exercise, exercise, require
from anneal_edu.distributions import Gaussian
from anneal_edu.weights import log_mean_exp


# Exercise 1: how many steps until an error bar means something?
def _ends():
    """(start, target) by what is special; in the plain case the first step widens most across the gap."""
    one, tilted, slanted = np.eye(1), np.array([[1.0, -0.5], [-0.5, 1.0]]), np.array([[1.0, 0.9], [0.9, 1.0]])
    a, b = np.random.default_rng(5).normal(size=(2, 3, 3))
    apart = {d: (Gaussian([0.0], one), Gaussian([d], one)) for d in (0.5, 2.0, 3.0, 12.0)}
    return {
        "": (Gaussian([0.0, 0.0], tilted), Gaussian([4.0, 0.0], np.diag([1.0, 30.0]))),
        "N(0, 1) to N(3, 1)": apart[3.0],
        "N(0, 1) to N(0.5, 1)": apart[0.5],
        "N(0, 1) to N(2, 1), where K = 2 gives the eigenvalue 0": apart[2.0],
        "N(0, 1) to N(5, 0.1)": (Gaussian([0.0], one), Gaussian([5.0], 0.1 * one)),
        "N(0, 1) to N(0, 10)": (Gaussian([0.0], one), Gaussian([0.0], 10 * one)),
        "a target with correlation": (Gaussian([0.0, 0.0], np.eye(2)), Gaussian([0.0, 4.0], slanted)),
        "three dimensions": (
            Gaussian(2 * a[0], a @ a.T + 0.5 * np.eye(3)), Gaussian(2 * b[0], b @ b.T + 0.5 * np.eye(3))),
        "five dimensions": (Gaussian(np.zeros(5), np.eye(5)), Gaussian([0.0, 0.0, 0.0, 5.0, 0.5], np.eye(5))),
        "N(0, 1) to N(12, 1)": apart[12.0],
    }  # fmt: skip


def _first(p0, p1, safe):
    """The smallest K ≥ 2 for which the first step of the moment path, from Σ_p to Σ_q, is safe."""
    gap, beta = p1.mean - p0.mean, 1 / np.arange(2, 2000)[:, None, None]
    covs = (1 - beta) * p0.cov + beta * p1.cov + beta * (1 - beta) * np.outer(gap, gap)
    return 2 + int(np.argmax(safe(p0.cov, covs)))


def _eigenvalues(p, q):
    """Eigenvalues, ascending, of 2 Σ_q⁻¹ - Σ_p⁻¹."""
    return np.linalg.eigvalsh(2 * np.linalg.inv(q) - np.linalg.inv(p))


def _wrong_numbers_of_steps(p0, p1):
    gap, right = p1.mean - p0.mean, steps_for_finite_variance.solution(p0, p1)
    return {
        "you looked in one direction only. The step must be safe in each: ask for the smallest eigenvalue.": _first(
            p0, p1, lambda p, q: gap @ q @ gap <= 2 * gap @ p @ gap),
        "every eigenvalue must be positive, not only the largest.": _first(
            p0, p1, lambda p, q: _eigenvalues(p, q)[:, -1] > 0),
        "each eigenvalue must be positive, not each entry of the matrix.": _first(
            p0, p1, lambda p, q: (2 * np.linalg.inv(q) - np.linalg.inv(p) > 0).all((1, 2))),
        "your matrix is turned round, or without inverses, or of another step: the first step goes from p = p0 to "
        "q = path(1 / K).": _first(p0, p1, lambda p, q: _eigenvalues(q, p)[:, 0] > 0),
        "an eigenvalue of 0 is not positive: the variance is infinite there.": _first(
            p0, p1, lambda p, q: _eigenvalues(p, q)[:, 0] > -1e-9),
        "one step fewer than is needed: is that the last K that fails?": right - 1,
        "one step more than is needed.": right + 1,
        "that is d². How wide is the path at β = 1/K, exactly?": max(2, int(np.ceil(gap @ gap))),
        "the gap between the means is in the covariances of the path, too.": _first(
            Gaussian(p1.mean, p0.cov), p1, lambda p, q: _eigenvalues(p, q)[:, 0] > 0),
    }  # fmt: skip


@exercise(
    hints=(
        "Which step of the moment path is the dangerous one: from wide to narrow, or from narrow to wide?",
        "For K = 2, 3, 4, … take q = ae.moment_path(p0, p1)(1 / K), until the step from p0 to q is safe.",
        "it is safe if np.linalg.eigvalsh(2 * q.precision - p0.precision)[0] > 0",
    ),
    returns={"K": "Take the path from the p0 to the p1 that are given. At which K, from 2 on, is the smallest "
                  "eigenvalue of 2 Σ_q⁻¹ - Σ_p⁻¹ first above 0, with q = path(1 / K)?"},
    cases=_ends, slips=_wrong_numbers_of_steps,
    praise="right: 8 steps for a distance of 3, and about d² for a distance of d. With fewer, no number of chains "
    "gives an error bar.",
)  # fmt: skip
def steps_for_finite_variance(p0, p1):
    """The smallest K ≥ 2 for which the first step of the moment path has weights of finite variance."""
    return _first(p0, p1, lambda p, q: _eigenvalues(p, q)[:, 0] > 0)


# Exercise 2: turn the plane
def _planes():
    planes = []
    for long_axis, line in ((0.25, 0.5), (1.3, 1.05), (-0.25, 1.0), (2.1, 0.3)):
        axis, gap = (np.array([np.cos(a), np.sin(a)]) for a in (long_axis, line))
        cov, middle = 0.2 * np.eye(2) + 2.0 * np.outer(axis, axis), np.array([-30.0, 4.0])
        ends = Gaussian(middle - 30 * gap, cov), Gaussian(middle + 30 * gap, cov)
        planes += [(*ends, style) for style in ("geometric", "moments")]
    return planes


def _judge_turns(exercise: Exercise, answer):
    planes = _planes()
    found = [exercise.asked(answer, given) for given in planes]
    angles = all(np.ndim(a) == 0 and np.asarray(a).dtype.kind in "iuf" and np.isfinite(a) for a in found)
    require(angles, "return one angle, in radians.")
    axes, gaps = (np.array([best_turn.solution(p0, p1, s) for p0, p1, _ in planes]) for s in ("geometric", "moments"))
    geometric = np.array([style == "geometric" for *_, style in planes])
    right = np.where(geometric, axes, gaps)

    def off(a, b):
        """How far two angles are from each other, up to quarter turns."""
        return np.abs(np.sin(2 * np.subtract(a, b))) / 2

    slips = {
        "that is the angle in degrees: give radians.": (np.radians(found), right),
        "the other sign: [[cos a, -sin a], [sin a, cos a]] turns to the left.": (np.negative(found), right),
        "you exchanged the two paths.": (found, np.where(geometric, gaps, axes)),
        "on the moment path the covariances are stretched along the gap between the means.": (found, axes),
        "on the geometric path every covariance is that of the ends, without the gap between the means.": (found, gaps),
        "you do not turn the plane. The long axis should lie along a coordinate axis.": (found, 0.0),
        "45° turns equal variances; the long axis is at another angle here.": (found, np.pi / 4),
    }  # fmt: skip
    if (off(found, right) < 0.02).all():
        return
    said = next((said for said, (a, b) in slips.items() if (off(a, b) < 0.02).all()), None)
    i = int(np.argmax(off(found, right)))
    path = f"{planes[i][2]}: turned by your angle, the covariances point {off(found, right)[i]:.2g} rad off an axis."
    require(False, said or f"{path} Which way do the covariances of this path point?")


@exercise(
    hints=(
        "What would the covariances along a path have to look like for a Gibbs sweep to be a perfect transition?",
        "On the geometric path every covariance is that of the ends. On the moment path, far apart, they are stretched "
        "along the gap between the means. Turn this direction onto an axis.",
        "-arctan2(y, x), where (x, y) is an eigenvector of the covariance, or p1.mean - p0.mean",
    ),
    judge=_judge_turns,
    mistakes={
        "give radians": lambda *given: np.degrees(best_turn.solution(*given)),
        "the other sign": lambda *given: -best_turn.solution(*given),
        "you exchanged the two paths": lambda p0, p1, style: best_turn.solution(
            p0, p1, "moments" if style == "geometric" else "geometric"),
        "on the moment path the covariances": lambda p0, p1, style: best_turn.solution(p0, p1, "geometric"),
        "on the geometric path every": lambda p0, p1, style: best_turn.solution(p0, p1, "moments"),
        "you do not turn": lambda p0, p1, style: 0.0,
        "45°": lambda p0, p1, style: np.pi / 4,
        "off an axis": lambda *given: best_turn.solution(*given) + 0.2,
        "return one angle": lambda p0, p1, style: np.linalg.eigh(p0.cov)[1],
    },
    praise="right: in these coordinates the covariances have no correlation, and Gibbs keeps up.",
)  # fmt: skip
def best_turn(p0, p1, style):
    """The angle by which to turn the plane so that Gibbs keeps up along the path."""
    along = p1.mean - p0.mean if style == "moments" else np.linalg.eigh(p0.cov)[1][:, 0]
    return -np.arctan2(along[1], along[0])


# Exercise 3: judge a set of log weights
def _carriers(log_weights):
    """Log weights and weights, heaviest first, and how many carry half."""
    lw = np.sort(log_weights)[::-1]
    w = np.exp(lw - lw[0])
    return lw, w, 1 + int(np.searchsorted(np.cumsum(w), w.sum() / 2))


def _sets_of_weights():
    lw = np.random.default_rng(7).normal(-3, 2, size=1000)
    return {
        "": (lw,),
        "401 equal weights": (np.full(401, -5.0),),
        "four weights of 1 among 120, the others 0": (np.where(np.arange(120) // 4 == 15, 0.0, -np.inf),),
        "one chain with a third of the weight, and 5,000 light ones": (np.r_[0.0, np.full(5000, np.log(3.7e-4))],),
        "log weights of about 2000 (subtract the largest before exp)": (lw + 2000.0,),
        "log weights of about -2000 (subtract the largest before exp)": (lw - 2000.0,),
        "one weight 900 nats above the others (subtract the largest of those that are left)": (
            np.r_[-900 - lw[:99] ** 2, 0.0],),
        "one weight of 1 among 100, the others 0": (np.r_[np.full(99, -np.inf), 0.0],),
    }  # fmt: skip


def _misjudged(log_weights):
    lw, w, n = _carriers(log_weights)
    left, every = log_mean_exp(lw[n:]), log_mean_exp(lw)
    tied = lw < lw[n - 1]
    return {
        "return first how many chains, then log Ẑ without them.": (left, float(n)),
        "one chain too few: index 0 is one chain already.": (n - 1, ...),
        "one chain too many: half is enough.": (n + 1, ...),
        "that is how many of the lightest it takes.": (1 + np.searchsorted(np.cumsum(w[::-1]), w.sum() / 2), ...),
        "your shares do not add up to 1: those of ae.normalised_weights have the mean 1.": (1, ...),
        "this is log Ẑ of all chains.": (..., every),
        "you still divide by C, but C - n chains are left.": (..., left + np.log1p(-n / len(lw))),
        "you take the sum of the weights: divide it by the C - n chains that are left.": (
            ..., left + np.log(len(lw) - n)),
        "you subtract the largest log weight that is left: add it after the logarithm.": (..., left - lw[n]),
        "you subtract the largest log weight of all: add it after the logarithm.": (..., left - lw[0]),
        "this is the mean of the log weights: take the log of the mean weight.": (..., lw[n:].mean()),
        "this is by how much log Ẑ falls. Return what it falls to.": (..., every - left),
        "leave out n chains, not all that weigh as much as one of them.": (
            ..., log_mean_exp(lw[tied]) if tied.any() else np.nan),
    }  # fmt: skip


@exercise(
    hints=(
        "Had the heaviest chain not been run: what would the sum of the weights be, and by how many is it divided?",
        "Sort, and add up from the heaviest down until half is reached. The others have a largest one of their own.",
        "the smallest n with w_1 + … + w_n ≥ ½ Σ w, heaviest first; then the log of the mean of w_{n+1}, …, w_C",
    ),
    returns={"n": "Count the heaviest chains until they carry half.",
             "log Ẑ without them": "It is the log of the mean weight of those that are left."},
    cases=_sets_of_weights, slips=_misjudged, praise="right: so few chains carry the estimate, without overflow.",
)  # fmt: skip
def judge_weights(log_weights):
    """How many of the heaviest chains carry half of the weight, and log Ẑ without them."""
    lw, _, n = _carriers(log_weights)
    return n, log_mean_exp(lw[n:])
