"""Known-wrong answers to the exercises of notebook 02: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.check import two_paths


def stops(p0, p1, n_steps):
    """The members of the moment path by their numbers, each made when it is asked for."""
    return lambda k: ae.moment_path(p0, p1)(ae.linear_schedule(n_steps)[k])


def finite(p, q):
    return np.linalg.eigvalsh(2 * q.precision - p.precision)[0] > 0


def almost_finite(p, q):
    return np.linalg.eigvalsh(2 * q.precision - p.precision)[0] > -1e-9


def smallest(test, first=2):
    def answer(p0, p1):
        n_steps = first
        while not test(stops(p0, p1, n_steps), n_steps):
            n_steps += 1
        return n_steps

    return answer


def all_steps(test, order=range, first=2):
    return smallest(lambda stop, n_steps: all(test(stop(k), stop(k + 1)) for k in order(n_steps)), first)


right_steps = all_steps(finite)


WRONG_STEPS = {
    "last step only": (smallest(lambda stop, n: finite(stop(n - 1), stop(n))), "step 1 still has weights of infinite"),
    "a factor of 4": (all_steps(lambda p, q: np.linalg.eigvalsh(4 * q.precision - p.precision)[0] > 0), "eigenvalue"),
    "traces": (all_steps(lambda p, q: np.trace(2 * q.precision - p.precision) > 0), "infinite variance"),
    "covariances": (all_steps(lambda p, q: np.linalg.eigvalsh(2 * q.cov - p.cov)[0] > 0), "covariances in their place"),
    "no gap": (lambda p0, p1: right_steps(ae.Gaussian(p0.mean, p0.cov), ae.Gaussian(p0.mean, p1.cov)), "is -0.38"),
    "turned round": (all_steps(lambda p, q: finite(q, p), lambda n: reversed(range(n))), "turned round"),
    "one too few": (lambda p0, p1: right_steps(p0, p1) - 1, "fewer than is needed"),
    "one too many": (lambda p0, p1: right_steps(p0, p1) + 1, "more than is needed"),
    "not below 0": (all_steps(almost_finite), "more than 0"),
    "the geometric path": (lambda p0, p1: 2, "infinite variance"),
    "from 1": (all_steps(finite, first=1), "2 or more"),
    "too many": (lambda p0, p1: right_steps(p0, p1) + 7, "fewer are enough"),
    "too few": (lambda p0, p1: max(right_steps(p0, p1) - 4, 2), "infinite variance"),
    "a fraction": (lambda p0, p1: right_steps(p0, p1) - 0.5, "whole number"),
}


@pytest.mark.parametrize("mistake", WRONG_STEPS)
def test_wrong_steps_for_finite_variance(mistake):
    answer, message = WRONG_STEPS[mistake]
    verdict = two_paths.steps_for_finite_variance(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_the_weights_of_a_step_judged_infinite_have_no_variance():
    """E[w²] = ∫ q²/p on ever wider intervals: it settles, or it does not."""
    x = np.linspace(0, 40, 40_001)[:, None]
    for n_steps, settles in ((5, False), (12, True)):
        p, q = map(stops(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([3.0], [[1.0]]), n_steps), (0, 1))
        part = np.cumsum(np.exp(2 * q.log_density(x) - p.log_density(x)))
        assert (part[-1] < 1.05 * part[20_000]) == settles == finite(p, q)


def long_axis(p0, p1, style):
    along = p1.mean - p0.mean if style == "moments" else np.linalg.eigh(p0.cov)[1][:, -1]
    return -np.arctan2(along[1], along[0])


def half_way(p0, p1, style):
    """Right for the cloud at β = 1/2, which is a long one; with near ends it is not right for all the others."""
    path = {"geometric": ae.geometric_path, "moments": ae.moment_path}[style](p0, p1)
    return -np.arctan2(*np.linalg.eigh(path(0.5).cov)[1][::-1, -1])


def other(style):
    return "moments" if style == "geometric" else "geometric"


def other_average(of):
    """The angle that makes another average over the clouds small than that of r²."""

    def answer(p0, p1, style):
        path = {"geometric": ae.geometric_path, "moments": ae.moment_path}[style](p0, p1)
        covs = np.array([path(beta).cov for beta in np.linspace(0, 1, 51)])

        def turned(a):
            R = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            return R @ covs @ R.T

        return min(np.linspace(0, np.pi / 2, 181), key=lambda a: of(turned(a)))

    return answer


def signed(c):
    return abs(np.mean(c[:, 0, 1] / np.sqrt(c[:, 0, 0] * c[:, 1, 1])))


def axes_of_the_mean(c):
    return abs(c[:, 0, 1].mean())


WRONG_TURNS = {
    "sign": (lambda p0, p1, style: -long_axis(p0, p1, style), "the other sign"),
    "degrees": (lambda p0, p1, style: np.degrees(long_axis(p0, p1, style)), "give radians"),
    "other path": (lambda p0, p1, style: long_axis(p0, p1, other(style)), "the other path"),
    "one angle for both": (lambda p0, p1, style: long_axis(p0, p1, "geometric"), "the other path, geometric"),
    "as in the lesson": (lambda p0, p1, style: np.pi / 4, "The number to make small"),
    "not at all": (lambda p0, p1, style: 0.0, "The number to make small"),
    "a matrix": (lambda p0, p1, style: np.eye(2), "return one angle"),
    "far apart alone": (long_axis, "here they are near"),
    "half-way alone": (half_way, "The number to make small"),
    "r with its sign": (other_average(signed), "The number to make small"),
    "the mean cloud": (other_average(axes_of_the_mean), "The number to make small"),
    "a coarse grid": (lambda *given: tried_out(*given, angles=np.linspace(0, np.pi / 2, 7)), "try finer ones"),
}


@pytest.mark.parametrize("mistake", WRONG_TURNS)
def test_wrong_best_turn(mistake):
    answer, message = WRONG_TURNS[mistake]
    verdict = two_paths.best_turn(answer)
    assert verdict.passed is False
    assert message in verdict.message


def tried_out(p0, p1, style, angles=None):
    angles = np.linspace(-1, 1, 201) if angles is None else angles
    path = {"geometric": ae.geometric_path, "moments": ae.moment_path}[style](p0, p1)
    covs = np.array([path(beta).cov for beta in np.linspace(0, 1, 21)])

    def kept(a):
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        c = turn @ covs @ turn.T
        return np.mean(c[:, 0, 1] ** 2 / (c[:, 0, 0] * c[:, 1, 1]))

    return min(angles, key=kept)


def share_of_heaviest(lw, n):
    w = np.sort(np.exp(lw - lw.max()))
    return w[-n:].sum() / w.sum()


def judge(lw):
    return ae.log_mean_exp(lw), share_of_heaviest(lw, len(lw) // 100)


def overflowing(lw):
    w = np.sort(np.exp(lw))
    return np.log(w.mean()), w[-len(w) // 100 :].sum() / w.sum()


def changing(lw):
    lw.sort()
    return judge(lw)


def above(lw, level):
    w = np.sort(np.exp(lw - level))
    return level + np.log(w.mean()), w[-(len(w) // 100) :].sum() / w.sum()


WRONG_JUDGEMENTS = {
    "mean of log": (lambda lw: (lw.mean(), judge(lw)[1]), "Jensen"),
    "log of sum": (lambda lw: (judge(lw)[0] + np.log(len(lw)), judge(lw)[1]), "log of the sum"),
    "no logarithm": (lambda lw: (np.exp(judge(lw)[0]), judge(lw)[1]), "return its logarithm"),
    "top not added back": (lambda lw: (judge(lw)[0] - lw.max(), judge(lw)[1]), "did not add it back"),
    "another number": (lambda lw: (judge(lw)[0] + 1, judge(lw)[1]), "the log of the mean weight; you return"),
    "overflow": (overflowing, "subtract the largest"),
    "the smallest taken out": (lambda lw: above(lw, lw.min()), "subtract the largest"),
    "the smallest finite one taken out": (lambda lw: above(lw, lw[np.isfinite(lw)].min()), "subtract the largest"),
    "one too many": (lambda lw: (judge(lw)[0], share_of_heaviest(lw, -(-len(lw) // 100))), "of 199"),
    "per cent": (lambda lw: (judge(lw)[0], 100 * judge(lw)[1]), "not in per cent"),
    "all that tie": (
        lambda lw: (judge(lw)[0], share_of_heaviest(lw, (lw >= np.quantile(lw, 0.99)).sum())),
        "every chain that ties",
    ),
    "lightest": (
        lambda lw: (judge(lw)[0], np.sort(np.exp(lw))[: len(lw) // 100].sum() / np.exp(lw).sum()),
        "sort the other way",
    ),
    "log weights added": (
        lambda lw: (judge(lw)[0], np.sort(lw)[-(len(lw) // 100) :].sum() / lw.sum()),
        "you added log weights",
    ),
    "a single chain": (lambda lw: (judge(lw)[0], share_of_heaviest(lw, 1)), "single heaviest chain"),
    "ten per cent": (lambda lw: (judge(lw)[0], share_of_heaviest(lw, len(lw) // 10)), "the heaviest 10 of 1000"),
    "one number": (lambda lw: judge(lw)[0], "return two numbers"),
    "changes its input": (changing, "changes the"),
}


@pytest.mark.parametrize("mistake", WRONG_JUDGEMENTS)
def test_wrong_judgement(mistake):
    answer, message = WRONG_JUDGEMENTS[mistake]
    verdict = two_paths.judge_weights(answer)
    assert verdict.passed is False
    assert message in verdict.message


def lowest_subtracted(lw):
    w = np.sort(np.exp(lw - lw.min()))
    return lw.min() + np.log(w.mean()), w[-(len(w) // 100) :].sum() / w.sum()


def test_the_lowest_log_weight_is_the_wrong_one_to_subtract():
    verdict = two_paths.judge_weights(lowest_subtracted)
    assert verdict.passed is False
    assert "subtract the largest" in verdict.message


def test_right_answers():
    assert two_paths.steps_for_finite_variance(right_steps).passed
    first_step = smallest(lambda stop, n: finite(stop(0), stop(1)))  # suffices, as Σ(β) is concave
    assert two_paths.steps_for_finite_variance(first_step).passed
    assert two_paths.best_turn(tried_out).passed
    assert two_paths.best_turn(lambda *given: tried_out(*given) + np.pi / 2).passed
    assert two_paths.judge_weights(judge).passed
    assert two_paths.judge_weights(lambda lw: np.array(judge(lw))).passed


@pytest.mark.parametrize(
    "check", [two_paths.steps_for_finite_variance, two_paths.best_turn, two_paths.judge_weights]
)
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
