"""Known-wrong answers to the exercises of notebook 03: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.check import bias


def kl(mp, cp, mq, cq):
    return ae.kl_divergence(ae.Gaussian(mp, cp), ae.Gaussian(mq, cq))


def log_det(c):
    return np.linalg.slogdet(c)[1]


def distance(mp, mq, c):
    return (mq - mp) @ np.linalg.solve(c, mq - mp)


def kl_with(
    factors=(1, 1, 1, 1),
    of_trace=lambda cp, cq: np.linalg.solve(cq, cp),
    between=lambda cp, cq: cq,
    log_dets=lambda cp, cq: log_det(cq) - log_det(cp),
):
    """The divergence; trace, distance, -D and log determinants with other factors, or made of other matrices."""

    def answer(mp, cp, mq, cq):
        parts = np.trace(of_trace(cp, cq)), distance(mp, mq, between(cp, cq)), -len(mp), log_dets(cp, cq)
        return 0.5 * np.dot(factors, parts)

    return answer


def entropy(c):
    return 0.5 * (len(c) * (1 + np.log(2 * np.pi)) + log_det(c))


kl_by_hand = kl_with()


WRONG_KL = {
    "reverse": (lambda mp, cp, mq, cq: kl(mq, cq, mp, cp), "the other direction"),
    "both": (lambda mp, cp, mq, cq: kl(mq, cq, mp, cp) + kl(mp, cp, mq, cq), "one direction was asked for"),
    "no ½": (lambda *given: 2 * kl(*given), "factor ½"),
    "no D": (lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) + len(mp) / 2, "subtract the dimension"),
    "no means": (lambda mp, cp, mq, cq: kl(mp, cp, mp, cq), "the means do not enter"),
    "no determinants": (
        lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) - (log_det(cq) - log_det(cp)) / 2,
        "determinants are missing",
    ),
    "determinants turned": (
        lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) - (log_det(cq) - log_det(cp)),
        "wrong sign",
    ),
    "no trace": (lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) - np.trace(np.linalg.solve(cq, cp)) / 2, "trace term"),
    "precision of p": (
        lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) + (distance(mp, mq, cp) - distance(mp, mq, cq)) / 2,
        "precision of p",
    ),
    "bits": (lambda *given: kl(*given) / np.log(2), "nats"),
    "½ twice": (lambda *given: kl(*given) / 2, "½ is there twice"),
    "trace twice": (kl_with((2, 1, 1, 1)), "the trace term: twice"),
    "distance twice": (kl_with((1, 2, 1, 1)), "the distance of the means: twice"),
    "determinants twice": (kl_with((1, 1, 1, 2)), "the log determinants: twice"),
    "half the determinants": (kl_with((1, 1, 1, 0.5)), "the log determinants: half"),
    "half the distance": (kl_with((1, 0.5, 1, 1)), "the distance of the means: half"),
    "distance turned": (kl_with((1, -1, 1, 1)), "the distance of the means: the sign"),
    "trace turned": (kl_with((-1, 1, 1, 1)), "the trace term: the sign"),
    "D turned": (kl_with((1, 1, -1, 1)), "the dimension D: the sign"),
    "D twice": (kl_with((1, 1, 2, 1)), "you subtract 4 inside"),
    "one dimension": (lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) + (len(mp) - 1) / 2, "you subtract 1 inside"),
    "two dimensions": (lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) + (len(mp) - 2) / 2, "where D = 1 is right"),
    "precision of p throughout": (
        kl_with(of_trace=lambda cp, cq: np.linalg.solve(cp, cq), between=lambda cp, cq: cp),
        "Σ_p⁻¹ Σ_q in the trace and Σ_p⁻¹ between",
    ),
    "covariance for precision": (
        kl_with(of_trace=lambda cp, cq: cq @ cp, between=lambda cp, cq: np.linalg.inv(cq)),
        "Σ_q Σ_p in the trace and Σ_q between",
    ),
    "Euclid": (kl_with(between=lambda cp, cq: np.eye(len(cp))), "no matrix between"),
    "precision of p in the trace": (kl_with(of_trace=lambda cp, cq: np.linalg.solve(cp, cq)), "Σ_p⁻¹ Σ_q in the trace"),
    "neither trace nor D": (kl_with(of_trace=lambda cp, cq: np.eye(len(cp))), "nothing but D in the trace"),
    "no determinant of p": (lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) + log_det(cp) / 2, "log |Σ_p| is missing"),
    "no determinant of q": (lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) - log_det(cq) / 2, "log |Σ_q| is missing"),
    "determinants added": (lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) + log_det(cp), "determinants are added"),
    "2π": (lambda *given: kl(*given) + len(given[0]) * np.log(2 * np.pi) / 2, "and cancels"),
    "cross entropy": (lambda mp, cp, mq, cq: kl(mp, cp, mq, cq) + entropy(cp), "cross entropy"),
    "no logarithm": (kl_with(log_dets=lambda cp, cq: np.linalg.det(cq) / np.linalg.det(cp)), "their logarithms"),
    "log of a determinant": (
        lambda mp, cp, mq, cq: kl_by_hand(mp, cp, mq, cq)
        + 0.5 * (np.log(np.linalg.det(cq)) - np.log(np.linalg.det(cp)) - log_det(cq) + log_det(cp)),
        "np.linalg.slogdet",
    ),
    "negative": (lambda *given: -kl(*given), "never negative"),
    "zero": (lambda *given: 0.0, "this is not KL"),
    "a matrix": (lambda mp, cp, mq, cq: np.linalg.solve(cq, cp), "a single number"),
    "NaN": (lambda *given: np.nan, "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_KL)
def test_wrong_kl(mistake):
    answer, message = WRONG_KL[mistake]
    verdict = bias.kl_gaussians(answer)
    assert verdict.passed is False
    assert message in verdict.message


def shared_by(wish):
    """Largest remainders, one step a bin guaranteed."""

    def answer(costs, n_steps):
        ideal = (n_steps - len(costs)) * wish(costs) / wish(costs).sum()
        counts = np.floor(ideal).astype(int)
        counts[np.argsort(counts - ideal)[: n_steps - len(costs) - counts.sum()]] += 1
        return counts + 1

    return answer


def rounded(costs, n_steps):
    return np.maximum(1, np.round(n_steps * np.sqrt(costs) / np.sqrt(costs).sum()).astype(int))


def everything_to_one_bin(costs, n_steps):
    counts = np.ones(len(costs), dtype=int)
    counts[0] += n_steps - len(costs)
    return counts


def the_last_one_pays(costs, n_steps):
    counts = np.maximum(np.floor(n_steps * np.sqrt(costs) / np.sqrt(costs).sum()), 1).astype(int)
    counts[-1] += n_steps - counts.sum()
    return counts


def left_over_to_the_least(costs, n_steps):
    ideal = (n_steps - len(costs)) * np.sqrt(costs) / np.sqrt(costs).sum()
    counts = np.floor(ideal).astype(int)
    counts[np.argsort(ideal - counts)[: n_steps - len(costs) - counts.sum()]] += 1
    return counts + 1


def the_rest_to_the_largest(costs, n_steps):
    """Rounded up to one at least, and what is missing or too much is the largest bin's: of ten it gets -2."""
    counts = np.maximum(1, np.round(n_steps * np.sqrt(costs) / np.sqrt(costs).sum()).astype(int))
    counts[np.argmax(counts)] += n_steps - counts.sum()
    return counts


def none_where_it_costs_nothing(costs, n_steps):
    counts = np.zeros(len(costs), dtype=int)
    counts[costs > 0] = ae.optimal_allocation(costs[costs > 0], n_steps)
    return counts


WRONG_ALLOCATIONS = {
    "by cost": (shared_by(lambda F: F), "in proportion to the costs F_j"),
    "linear": (shared_by(np.ones_like), "that is the linear schedule"),
    "upside down": (shared_by(lambda F: 1 / np.sqrt(F)), "turn it round"),
    "squares": (shared_by(lambda F: F**2), "square roots"),
    "fractions": (lambda F, K: K * np.sqrt(F) / np.sqrt(F).sum(), "fraction of a step"),
    "rounded": (rounded, "Rounding loses or gains"),
    "nothing where nothing changes": (none_where_it_costs_nothing, "whatever its cost"),
    "empty bins": (lambda F, K: np.append(np.zeros(len(F) - 1, dtype=int), K), "at least one step"),
    "one bin takes all": (everything_to_one_bin, "can be reached"),
    "left over to the least in need": (left_over_to_the_least, "who gets those that rounding left over"),
    "the last one pays": (the_last_one_pays, "at least one step"),
    "the rest to the largest": (the_rest_to_the_largest, "at least one step"),
    "ten bins at most": (lambda F, K: ae.optimal_allocation(F[:10], K), "shape (10,)"),
    "wrong length": (lambda F, K: np.array([K]), "shape (1,)"),
}


@pytest.mark.parametrize("mistake", WRONG_ALLOCATIONS)
def test_wrong_allocation(mistake):
    answer, message = WRONG_ALLOCATIONS[mistake]
    verdict = bias.allocation(answer)
    assert verdict.passed is False
    assert message in verdict.message


def rest_to_the_last(costs, n_steps):
    counts = np.floor(n_steps * np.sqrt(costs) / np.sqrt(costs).sum()).astype(int)
    counts[-1] += n_steps - counts.sum()
    return counts


def rest_to_the_last_but_one_each(costs, n_steps):
    counts = np.maximum(1, np.floor(n_steps * np.sqrt(costs) / np.sqrt(costs).sum()).astype(int))
    counts[-1] += n_steps - counts.sum()
    return counts


@pytest.mark.parametrize("answer", [rest_to_the_last, rest_to_the_last_but_one_each])
def test_the_rest_must_not_go_to_whoever_is_last(answer):
    verdict = bias.allocation(answer)
    assert verdict.passed is False
    assert "at least one step" in verdict.message or "rounding leaves over" in verdict.message


def farthest(values):
    return int(abs(values - np.median(values)).argmax())


def in_the_order_of_k(K, forward, reverse):
    order = np.argsort(K)
    return farthest((K * (forward + reverse))[order])


def off_a_fitted_line(K, forward, reverse):
    log_k, log_sum = np.log(K), np.log(forward + reverse)
    return int(abs(log_sum - np.polyval(np.polyfit(log_k, log_sum, 1), log_k)).argmax())


WRONG_ENTRIES = {
    "sorted rows": (in_the_order_of_k, "did you sort them?"),
    "a line of any slope": (off_a_fitted_line, "it is -1"),
    "not times K": (lambda K, f, r: farthest(f + r), "did you multiply by K?"),
    "forward alone": (lambda K, f, r: farthest(K * f), "did you add both?"),
    "difference": (lambda K, f, r: int(abs(f - r).argmax()), "only their sum is bound"),
    "next row": (lambda K, f, r: (farthest(K * (f + r)) + 1) % len(K), "One does not agree"),
    "K itself": (lambda K, f, r: K[farthest(K * (f + r))], "Not K itself"),
    "a row of numbers": (lambda K, f, r: K * (f + r), "whole number"),
}


@pytest.mark.parametrize("mistake", WRONG_ENTRIES)
def test_wrong_entry_that_is_not(mistake):
    answer, message = WRONG_ENTRIES[mistake]
    verdict = bias.wrong_entry(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_answers():
    assert bias.kl_gaussians(kl_by_hand).passed
    assert bias.allocation(shared_by(np.sqrt)).passed
    assert bias.allocation(ae.optimal_allocation).passed
    assert bias.wrong_entry(lambda K, f, r: farthest(K * (f + r))).passed


@pytest.mark.parametrize("check", [bias.kl_gaussians, bias.allocation, bias.wrong_entry])
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
