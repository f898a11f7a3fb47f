"""Checks for notebook 00: the first steps."""

import numpy as np

from anneal_edu import geometric_path
from anneal_edu.course.check.verdict import attempt, exercise, require
from anneal_edu.distributions import Gaussian


@exercise(
    hints=(
        "In how many ways can two switches stand, and in how many three?",
        "Each further switch doubles the number of states, so it adds the same amount to the logarithm.",
        "log Z = log 2^20 = 20 log 2, with the natural logarithm np.log.",
    )
)
def log_number_of_states(answer):
    """Is the answer log Z of a world of 20 light switches, all states alike with f = 1?"""
    right = 20 * np.log(2)
    require(not np.isclose(answer, 2.0**20), "that is Z itself, the number of states. Give its natural logarithm.")
    require(
        not (np.isclose(answer, 20) or np.isclose(answer, np.log10(2.0**20))),
        "a logarithm to another base. In this course log is the natural logarithm, and its unit the nat: use np.log.",
    )
    require(
        not np.isclose(answer, np.log(20)),
        "that is the log of the number of switches. Each has two positions: count states.",
    )
    require(np.isclose(answer, right, atol=5e-3), "count the states: two, times two, twenty times. Then take np.log.")
    return f"right: log Z = 20 log 2 = {right:.2f} nats."


@exercise(
    hints=(
        "What must f be divided by so that it sums to 1?",
        "p = f / Z: what does a quotient become when you take logarithms?",
        "log p = log f - log Z",
    )
)
def log_probability(answer):
    """Is (log_f, log_z) -> log p the normalised log probability?"""
    got = float(attempt(answer(-3.0, 5.0)))
    require(not np.isclose(got, 2.0), "log f + log Z would be a multiplication. p = f / Z divides: subtract the logs.")
    require(not np.isclose(got, -0.6), "dividing the logs is not dividing the numbers: log(f / Z) = log f - log Z.")
    require(not np.isclose(got, np.exp(-8.0)), "that is p itself; return its logarithm.")
    require(
        np.isclose(got, -8.0),
        f"for log f = -3 and log Z = 5 you return {got:.4g}; p = f / Z, so take logs of both sides.",
    )
    require(
        np.isclose(answer(-1000.0, -990.0), -10.0),
        "wrong for log f = -1000 and log Z = -990: exp of such numbers vanishes. Stay in logs all the way.",
    )
    return "right: log p(x) = log f(x) - log Z. All that is missing is log Z: the rest of the course."


@exercise(
    hints=(
        "Which distribution should your path be at β = 0, and which at β = 1?",
        "ae.geometric_path takes the start first and the target second; ae.Gaussian wants a list for the mean.",
        "ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([3.0], [[1.0]]))",
    )
)
def your_path(answer):
    """Is the answer a path from N(0, 1) to N(3, 1): the target at β = 1?"""
    require(callable(answer), "a path is a function: you should be able to call it with a β between 0 and 1.")
    start, end = answer(0.0), answer(1.0)
    require(
        hasattr(start, "log_density") and hasattr(end, "log_density"),
        f"called with β = 0 your path returns a {type(start).__name__}; it should return a distribution.",
    )
    x = np.linspace(-2, 5, 8)[:, None]
    p0, p1 = Gaussian([0.0], [[1.0]]), Gaussian([3.0], [[1.0]])
    ends = [np.allclose(p.log_density(x), q.log_density(x)) for p, q in ((start, p0), (end, p1))]
    backwards = np.allclose(start.log_density(x), p1.log_density(x)) and np.allclose(
        end.log_density(x), p0.log_density(x)
    )
    require(
        not backwards, "your path runs backwards: β = 0 is the tractable start, N(0, 1), and β = 1 the target, N(3, 1)."
    )
    require(ends[0], "at β = 0 your path should be the start, N(0, 1).")
    require(ends[1], "at β = 1 your path should be the target, N(3, 1).")
    middle = geometric_path(p0, p1)(0.5)
    here = answer(0.5)
    require(np.isfinite(here.log_density(x)).all(), "at β = 0.5 your path returns a density that is not finite.")
    where = "on the geometric path" if np.allclose(here.log_density(x), middle.log_density(x)) else "a path of your own"
    return f"right: from N(0, 1) to N(3, 1), {where}. Every estimator of this course could walk it."
