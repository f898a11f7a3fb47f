"""Exercises of notebook 00: the first steps."""

import numpy as np
from scipy.special import logsumexp

from anneal_edu.course.check.engine import Exercise, exercise, require
from anneal_edu.distributions import Gaussian
from anneal_edu.paths.geometric import geometric_path


# Exercise 1: count
def _miscounted():
    return {
        "you count all states of 20 switches. Count only those with an even number of switches on.": 20 * np.log(2),
        "that is Z itself, the number of states. Give its natural logarithm.": 2.0**19,
        "that is the logarithm to base 2. Here log is the natural logarithm: use np.log.": 19.0,
        "that is the logarithm to base 10. Here log is the natural logarithm: use np.log.": np.log10(2.0**19),
        "that is the log of the number of switches. Each has two positions: count states.": np.log(20),
        "the sign: Z is larger than 1, so its log is above 0.": -19 * np.log(2),
    }


@exercise(
    hints=(
        "In how many ways can two switches stand so that an even number of them is on, and in how many three?",
        "Let all switches but the last stand as they like. How many choices are left for the last?",
        "half of the 2^20 states: log Z = log 2^19 = 19 log 2, with the natural logarithm np.log.",
    ),
    returns={"log Z": "Count the states for 2, 3 and 4 switches first."},
    slips=_miscounted, rtol=4e-4,
    praise="right: log Z = 19 log 2 = 13.17 nats. Nineteen switches are free, and the last one is not.",
)  # fmt: skip
def log_number_of_states():
    """log Z of 20 light switches of which an even number is on, all these states alike with f = 1."""
    return 19 * np.log(2)


# Exercise 2: which model is better?
def _evidence():
    """(log f of a and of b, log Z of a and of b, error) by what is special; log f is skewed: its median is no mean."""
    numbers = {
        "a clear case": (-4.0, -5.0, 1.0, 3.0, 0.1, 5),
        "a model with the larger log f and the larger Z": (3.0, 0.0, 5.0, 0.0, 0.1, 8),
        "a better model with the larger Z": (-10.0, -5.0, 1.0, 7.0, 0.1, 8),
        "a lead of 1.96 nats, and errors of 1 nat each": (-3.04, -5.0, 2.0, 2.0, 1.0, 9),
        "a lead of 2.04 nats, and errors of 1 nat each": (-7.04, -5.0, 2.0, 2.0, 1.0, 9),
        "a lead of 0.5 nats, and errors of 0.6": (-4.5, -5.0, 2.0, 2.0, 0.6, 9),
        "a lead of 0.3 nats, and errors of 0.4": (-4.7, -5.0, 2.0, 2.0, 0.4, 4),
        "a lead of 0.1 nats, and errors of 1 nat each": (-4.9, -5.0, 2.0, 2.0, 1.0, 4),
        "a lead of 0.6 nats, and errors of 0.1": (-4.4, -5.0, 2.0, 2.0, 0.1, 9),
        "a lead of 0.0196 nats, and errors of 0.01": (-4.0 + 1.5196, -4.0, -1.5, -3.0, 0.01, 40),
        "fifty observations": (-6.0, -5.0, 2.0, 2.0, 0.8, 50),
        "three observations": (-4.0, -6.0, 5.0, 2.0, 0.1, 3),
        "log f of -2000 (exp(-2000) is 0: stay in logs)": (-2000.0, -2003.0, 5.0, 5.5, 0.1, 6),
        "log Z without error": (-4.99, -5.0, 2.0, 2.0, 0.0, 9),
    }
    cases = {}
    for name, (mean_a, mean_b, *rest, n) in numbers.items():
        skewed = -2 * np.log1p(-(np.arange(n) + 0.5) / n)
        cases[name] = (mean_a + skewed - skewed.mean(), mean_b - skewed + skewed.mean(), *rest)
    partly = np.array([-1.0, -np.inf, -1.0, -1.0])
    return cases | {"an observation that is impossible in one model": (partly, np.full(4, -1.0), -50.0, 0.0, 0.1)}


def _misjudged(log_f_a, log_f_b, log_z_a, log_z_b, error):
    def decided(score, reach=2 * error, leads=1):
        gap = leads * (score(log_f_a, log_z_a) - score(log_f_b, log_z_b))
        return "undecided" if abs(gap) <= reach else "a" if gap > 0 else "b"

    def right(f, log_z):
        return f.mean() - log_z

    return {
        "you name the other model: the higher mean of log f - log Z is the better one.": decided(right, leads=-1),
        "you compare log f alone. p = f / Z: subtract each log Z.": decided(lambda f, log_z: f.mean()),
        "you add log Z. p = f / Z: subtract it.": decided(lambda f, log_z: f.mean() + log_z),
        "the model with the smaller Z is not yet the better one: f counts as well.": decided(lambda f, log_z: -log_z),
        "each observation has its own log f - log Z: take the mean of log f, not the sum.": decided(
            lambda f, log_z: f.sum() - log_z),
        "b can be the better one as well: compare |gap| with 2 error.": (
            "a" if right(log_f_a, log_z_a) - right(log_f_b, log_z_b) > 2 * error else "undecided"),
        "compare the mean, not the median.": decided(lambda f, log_z: np.median(f) - log_z),
        "you average p and take its log. Average the logs.": decided(
            lambda f, log_z: logsumexp(f) - np.log(len(f)) - log_z),
        "each log Z may be wrong, and in opposite directions: together by 2 error.": decided(right, error),
        "you do not use the error of log Z.": decided(right, 0.0),
        "the error of log Z is the same for every observation: a mean over the data does not make it smaller.": decided(
            right, 2 * error / np.sqrt(len(log_f_a))),
    }  # fmt: skip


@exercise(
    hints=(
        "Which number of each model may be compared with that of another one: log f, log Z, or something made of both?",
        "Compare mean log f - log Z. Then ask by how much the two errors together could change the difference.",
        "gap = (mean log f_a - log Z_a) - (mean log f_b - log Z_b); undecided where |gap| ≤ 2 error.",
    ),
    returns={"what you return": "Compare the mean of log f - log Z, and ask what the errors could change."},
    errors={"truth value": "log_f_a and log_f_b have one entry for each observation: take their means."},
    cases=_evidence, slips=_misjudged,
    praise="right: log p decides, not log f and not log Z, and only as far as the errors of log Z allow.",
)  # fmt: skip
def better_model(log_f_a, log_f_b, log_z_a, log_z_b, error):
    """The model with the higher mean log p, "a" or "b"; "undecided" if the errors of log Z could change it."""
    gap = (log_f_a.mean() - log_z_a) - (log_f_b.mean() - log_z_b)
    if abs(gap) <= 2 * error:
        return "undecided"
    return "a" if gap > 0 else "b"


# Exercise 3: build a path
def _log_z_on_a_line(p):
    """log ∫ f(x) dx by a sum over a grid, fine between -10 and 10."""
    t = np.linspace(-8, 8, 8001)  # x from -1490 to 1490
    return float(logsumexp(p.log_density(np.sinh(t)[:, None]) + np.log(np.cosh(t) * (t[1] - t[0]))))


def _judge_path(exercise: Exercise, path):
    x, ends = np.linspace(-2, 5, 8)[:, None], (Gaussian([0.0], [[1.0]]), Gaussian([3.0], [[1.0]]))
    at = {beta: exercise.asked(path, (beta,)) for beta in (0.0, 1.0, *np.linspace(0.01, 0.99, 99))}
    for beta, p in at.items():
        found = f"called with β = {beta:g} your path returns"
        require(not isinstance(p, type), f"{found} a class: give ae.Gaussian its mean and its covariance.")
        require(hasattr(p, "log_density"), f"{found} a {type(p).__name__}: it should return a distribution.")
        require(getattr(p, "dim", 1) == 1, f"{found} {p.dim} dimensions; N(0, 1) and N(3, 1) have one.")
    again = exercise.asked(path, (0.5,))
    require(_equal(at[0.5], again, x), "asked twice for β = 0.5, your path returns two different distributions.")
    backwards = all(_equal(at[b], ends[1 - int(b)], x) for b in (0.0, 1.0))
    require(not backwards, "your path runs backwards: β = 0 is the start, N(0, 1), and β = 1 the target, N(3, 1).")
    require(_equal(at[0.0], ends[0], x), "at β = 0 your path should be the start, N(0, 1), normalised.")
    require(_equal(at[1.0], ends[1], x), "at β = 1 your path should be the target, N(3, 1), normalised.")
    for beta, p in at.items():
        log_z = _log_z_on_a_line(p)
        geometric = abs(log_z + 4.5 * beta * (1 - beta)) < 1e-3
        thin = "A geometric average is thin between two bells. " if geometric else ""
        advice = f"{thin}You may write a path whose every member is normalised."
        require(abs(log_z) < 1e-3, f"log Z of your path is {log_z:.2g} at β = {beta:.2g}; it should be 0. {advice}")
    line = np.linspace(-12, 15, 601)[:, None]
    roots = np.exp([0.5 * at[beta].log_density(line) for beta in sorted(at)])
    overlaps = (roots[1:] * roots[:-1]).sum(1) * 27 / 600  # ∫ √(p q) dx
    leap = f"your path leaps near β = {(overlaps.argmin() + 0.5) / 100:.3g}. Chains cannot follow a leap."
    require(overlaps.min() > 0.8, f"{leap} Neighbours on a path should overlap.")


def _equal(p, q, x):
    """Whether two distributions have the same log density."""
    return np.allclose(p.log_density(x), q.log_density(x))


_AT_0, _AT_1 = Gaussian([0.0], [[1.0]]), Gaussian([3.0], [[1.0]])


@exercise(
    hints=(
        "Which distribution should your path be at β = 0, and which at β = 1? And what is log Z of a normalised one?",
        "A path can be a function of β. Every ae.Gaussian is normalised unless you tell it otherwise, and wants a list "
        "for the mean.",
        "path(β) = N(m(β), 1) with a mean that runs from m(0) = 0 to m(1) = 3",
    ),
    judge=_judge_path,
    errors={"mean must have 1 axes": "a mean is a list, [3.0], and a covariance a matrix, [[1.0]]."},
    mistakes={
        "A geometric average is thin between two bells": geometric_path(_AT_0, _AT_1),
        "runs backwards": lambda beta: Gaussian([3 * (1 - beta)], [[1.0]]),
        "your path leaps near β = 0.505": lambda beta: _AT_0 if beta <= 0.505 else _AT_1,
        "should be the target": lambda beta: Gaussian([beta], [[1.0]]),
        "it should return a distribution": lambda beta: 3 * beta,
        "a class": lambda beta: Gaussian,
    },
    praise="right: from N(0, 1) to N(3, 1), normalised all the way. AIS could walk it.",
)  # fmt: skip
def your_path(beta):
    """The distribution at β of a path from N(0, 1) to N(3, 1) with log Z = 0 everywhere."""
    return Gaussian([3 * beta], [[1.0]])
