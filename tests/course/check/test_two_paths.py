"""Known-wrong answers to the exercises of notebook 02: each is rejected with a message about its own mistake."""

import numpy as np
import pytest
from scipy.special import logsumexp, softmax

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


def between_units(apart):
    return next(n for n in range(2, 1000) if (n - 1) * apart < n**2)


WRONG_STEPS = {
    "last step only": (smallest(lambda stop, n: finite(stop(n - 1), stop(n))), "step 1 still has weights of infinite"),
    "a factor of 4": (all_steps(lambda p, q: np.linalg.eigvalsh(4 * q.precision - p.precision)[0] > 0), "eigenvalue"),
    "traces": (all_steps(lambda p, q: np.trace(2 * q.precision - p.precision) > 0), "infinite variance"),
    "covariances": (all_steps(lambda p, q: np.linalg.eigvalsh(2 * q.cov - p.cov)[0] > 0), "(2 Σ_q - Σ_p is, too)"),
    "no gap": (lambda p0, p1: right_steps(ae.Gaussian(p0.mean, p0.cov), ae.Gaussian(p0.mean, p1.cov)), "is -0.38"),
    "turned round": (all_steps(lambda p, q: finite(q, p), lambda n: reversed(range(n))), "turned round"),
    "one too few": (lambda p0, p1: right_steps(p0, p1) - 1, "fewer than is needed"),
    "one too many": (lambda p0, p1: right_steps(p0, p1) + 1, "more than is needed"),
    "d²": (lambda p0, p1: max(2, int(np.ceil(((p1.mean - p0.mean) ** 2).sum()))), "It is d², too"),
    "not below 0": (all_steps(almost_finite), "more than 0"),
    "the geometric path": (lambda p0, p1: 2, "infinite variance"),
    "variances of 1": (lambda p0, p1: between_units(((p1.mean - p0.mean) ** 2).sum()), "right between two of variance"),
    "from 1": (all_steps(finite, first=1), "2 or more"),
    "too many": (lambda p0, p1: right_steps(p0, p1) + 7, "fewer are enough"),
    "a search that ends": (lambda p0, p1: min(right_steps(p0, p1), 1000), "you say 1000 steps: with so few"),
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


def line_of_means(p0, p1, style):
    gap = p1.mean - p0.mean
    return -np.arctan2(gap[1], gap[0])


def axes_of_the_mean(c):
    return abs(c[:, 0, 1].mean())


WRONG_TURNS = {
    "sign": (lambda *given: -tried_out(*given), "the other sign"),
    "degrees": (lambda *given: np.degrees(tried_out(*given, np.linspace(0, 2, 201))), "give radians"),
    "other path": (lambda p0, p1, style: tried_out(p0, p1, other(style)), "the other path"),
    "one angle for both": (lambda p0, p1, style: long_axis(p0, p1, "geometric"), "the other path, geometric"),
    "as in the lesson": (lambda p0, p1, style: np.pi / 4, "The number to make small"),
    "not at all": (lambda p0, p1, style: 0.0, "The number to make small"),
    "a matrix": (lambda p0, p1, style: np.eye(2), "return one angle"),
    "the line between the means": (line_of_means, "geometric path do not point along it"),
    "far apart alone": (long_axis, "too near for it"),
    "half-way alone": (half_way, "The number to make small"),
    "r with its sign": (other_average(signed), "The number to make small"),
    "the mean cloud": (other_average(axes_of_the_mean), "The number to make small"),
    "a coarse grid": (lambda *given: tried_out(*given, angles=np.linspace(0, np.pi / 2, 7)), "try finer ones"),
}


def axes_of(weight):
    """The axes of a cloud with a part of the gap between the means in it; the geometric path's own for that one."""

    def answer(p0, p1, style):
        gap = p1.mean - p0.mean
        cov = p0.cov + (style == "moments") * weight(gap, p0.cov) * np.outer(gap, gap)
        return -np.arctan2(*np.linalg.eigh(cov)[1][::-1, -1])

    return answer


def beyond(length, in_units_of_the_cloud=False):
    """The line of the means where they lie far apart, and else the axes of the ends."""

    def weight(gap, cov):
        apart = gap @ np.linalg.solve(cov, gap) if in_units_of_the_cloud else gap @ gap
        return 1e6 * (apart > length**2)

    return axes_of(weight)


@pytest.mark.parametrize("weight", [0.02, 0.05, 1 / 12, 0.1, 0.11, 0.125, 0.14, 1 / 6, 0.2, 0.22, 0.25, 0.5, 1.0])
def test_no_mixture_of_the_cloud_and_the_gap_will_do(weight):
    assert two_paths.best_turn(axes_of(lambda gap, cov: weight)).passed is False


@pytest.mark.parametrize("in_units_of_the_cloud", [False, True])
@pytest.mark.parametrize("length", [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0])
def test_no_distance_decides_which_axes(length, in_units_of_the_cloud):
    verdict = two_paths.best_turn(beyond(length, in_units_of_the_cloud))
    assert verdict.passed is False
    assert "the other sign" not in verdict.message


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


def carriers(lw):
    """How many of the heaviest chains carry half of the weight, and all log weights in their order."""
    lw = np.sort(lw)[::-1]
    w = np.exp(lw - lw[0])
    return 1 + np.searchsorted(np.cumsum(w), w.sum() / 2), lw


def judge(lw, others=ae.log_mean_exp):
    n, lw = carriers(lw)
    return n, others(lw[n:])


def one_by_one(lw):
    """Chains are taken out, the heaviest first, until those that are left carry half or less."""
    left, all_of_it = sorted(lw.tolist()), np.logaddexp.reduce(lw)
    while np.logaddexp.reduce(left) > all_of_it - np.log(2):
        left.pop()
    return len(lw) - len(left), np.logaddexp.reduce(left) - np.log(len(left))


def counted(of):
    return lambda lw: (of(lw), judge(lw)[1])


def below_top(lw):
    return np.exp(lw - lw.max())


def without_logs(lw):
    w = np.sort(np.exp(lw))[::-1]
    n = 1 + np.searchsorted(np.cumsum(w), w.sum() / 2)
    return n, np.log(w[n:].mean())


def one_top_for_all(lw):
    n, lw = carriers(lw)
    return n, lw[0] + np.log(np.exp(lw[n:] - lw[0]).mean())


def above(level):
    def of(left):
        return level(left) + np.log(np.exp(left - level(left)).mean())

    return lambda lw: judge(lw, of)


def from_top(left):
    return ae.log_mean_exp(left - left.max())


def changing(lw):
    lw.sort()
    return judge(lw)


def more_than_half(lw):
    lw = np.sort(lw)[::-1]
    w = np.exp(lw - lw[0])
    n = 1 + int(np.argmax(np.cumsum(w) > w.sum() / 2))
    return n, ae.log_mean_exp(lw[n:])


def added_in_logs(lw):
    lw = np.sort(lw)[::-1]
    n = 1 + int(np.argmax(np.logaddexp.accumulate(lw) >= np.logaddexp.reduce(lw) - np.log(2)))
    return n, ae.log_mean_exp(lw[n:])


def by_shares(lw):
    order = np.argsort(-lw)
    shares = softmax(lw)[order]
    n = next(n for n in range(1, len(lw)) if shares[:n].sum() >= 0.5)
    return [n, logsumexp(lw[order[n:]]) - np.log(len(lw) - n)]


def tops(left):
    return ae.log_mean_exp(left) if left.size else -np.inf


WRONG_JUDGEMENTS = {
    "more than half": (more_than_half, "they have it without the last one"),
    "from 0": (counted(lambda lw: carriers(lw)[0] - 1), "position 0 holds one already"),
    "one more": (counted(lambda lw: carriers(lw)[0] + 1), "one chain too many"),
    "a share": (counted(lambda lw: carriers(lw)[0] / len(lw)), "not their share"),
    "lightest": (
        counted(lambda lw: 1 + np.searchsorted(np.cumsum(np.sort(below_top(lw))), below_top(lw).sum() / 2)),
        "sort the other way",
    ),
    "half of them": (counted(lambda lw: len(lw) // 2), "half of the chains"),
    "ESS": (counted(lambda lw: below_top(lw).sum() ** 2 / (below_top(lw) ** 2).sum()), "that is the ESS"),
    "half as heavy": (counted(lambda lw: (below_top(lw) > 0.5).sum()), "half of the heaviest one"),
    "a hundredth": (counted(lambda lw: len(lw) // 100), "the heaviest"),
    "all that tie": (counted(lambda lw: (lw >= np.sort(lw)[-carriers(lw)[0]]).sum()), "every chain that ties"),
    "none that ties is left": (lambda lw: (n := judge(lw)[0], tops(lw[lw < np.sort(lw)[-n]])), "chains all the same"),
    "equal ones are one": (lambda lw: (n := judge(lw)[0], tops(np.unique(lw)[:-n])), "chains all the same"),
    "weight 0 left out": (lambda lw: judge(lw, lambda left: tops(left[left > -np.inf])), "were run, too, and count"),
    "all chains": (lambda lw: (judge(lw)[0], ae.log_mean_exp(lw)), "log Ẑ of all chains"),
    "C in place of C - n": (
        lambda lw: (judge(lw)[0], judge(lw)[1] + np.log1p(-judge(lw)[0] / len(lw))),
        "you still divide by C",
    ),
    "log of sum": (lambda lw: judge(lw, np.logaddexp.reduce), "log of the sum"),
    "mean of log": (lambda lw: judge(lw, np.mean), "Jensen"),
    "the heaviest": (lambda lw: (judge(lw)[0], ae.log_mean_exp(carriers(lw)[1][: judge(lw)[0]])), "it is the others"),
    "the fall": (lambda lw: (judge(lw)[0], ae.log_mean_exp(lw) - judge(lw)[1]), "return what it falls to"),
    "log 2": (lambda lw: (judge(lw)[0], ae.log_mean_exp(lw) - np.log(2)), "you took log 2 off"),
    "no logarithm": (lambda lw: (judge(lw)[0], np.exp(judge(lw)[1])), "return its logarithm"),
    "top not added back": (lambda lw: (judge(lw)[0], judge(lw)[1] - lw.max()), "and did not add it back"),
    "own top not added back": (lambda lw: judge(lw, from_top), "that is left, and"),
    "another top": (
        lambda lw: (judge(lw)[0], judge(lw, from_top)[1] + lw.max()),
        "added the largest of all",
    ),
    "in the other order": (lambda lw: judge(lw)[::-1], "in the other order"),
    "another number": (lambda lw: (judge(lw)[0], judge(lw)[1] + 1), "chains are left, the log of their"),
    "overflow": (without_logs, "of those that are *left*"),
    "one top for all": (one_top_for_all, "the largest log weight of those that are *left*"),
    "the smallest taken out": (above(np.min), "of those that are *left*"),
    "the smallest finite one taken out": (above(lambda lw: lw[np.isfinite(lw)].min()), "that are *left*"),
    "one number": (lambda lw: judge(lw)[0], "return two numbers"),
    "who they are": (lambda lw: (np.argsort(lw)[-judge(lw)[0] :], judge(lw)[1]), "return two numbers"),
    "changes its input": (changing, "changes the"),
}


@pytest.mark.parametrize("mistake", WRONG_JUDGEMENTS)
def test_wrong_judgement(mistake):
    answer, message = WRONG_JUDGEMENTS[mistake]
    verdict = two_paths.judge_weights(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_answers():
    assert two_paths.steps_for_finite_variance(right_steps).passed
    first_step = smallest(lambda stop, n: finite(stop(0), stop(1)))  # suffices, as Σ(β) is concave
    assert two_paths.steps_for_finite_variance(first_step).passed
    assert two_paths.best_turn(tried_out).passed
    assert two_paths.best_turn(lambda *given: tried_out(*given) + np.pi / 2).passed
    for n in (46, 50, 91):
        assert two_paths.best_turn(lambda *given, n=n: tried_out(*given, np.linspace(0, np.pi / 2, n))).passed
    assert two_paths.best_turn(lambda *given: np.float32(tried_out(*given, np.arange(0, 1.6, 0.02)))).passed
    assert two_paths.judge_weights(judge).passed
    for answer in (one_by_one, added_in_logs, by_shares):
        assert two_paths.judge_weights(answer).passed
    assert two_paths.judge_weights(lambda lw: np.array(judge(lw))).passed


@pytest.mark.parametrize(
    "check", [two_paths.steps_for_finite_variance, two_paths.best_turn, two_paths.judge_weights]
)
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
