"""Known-wrong answers to the exercises of notebook 03: each is rejected with a message about its own mistake."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import anneal_edu as ae
from anneal_edu.course.check import bias


def moments_matched(mean, cov):
    return np.trace(cov) / len(mean)


def precisions_averaged(mean, cov):
    return len(mean) / np.trace(np.linalg.inv(cov))


def round_by(first=moments_matched, second=precisions_averaged, m_first=None, m_second=None):
    """The nearest round Gaussians; a width or a place may be another."""

    def answer(mean, cov):
        places = [mean if place is None else place(mean, cov) for place in (m_first, m_second)]
        return (places[0], first(mean, cov)), (places[1], second(mean, cov))

    return answer


def by_search(mean, cov):
    """Both widths by minimising the library's own divergence."""
    p = ae.Gaussian(mean, cov)

    def least(divergence):
        def at(log_variance):
            return divergence(ae.Gaussian(mean, np.exp(log_variance) * np.eye(len(mean))))

        return mean, np.exp(minimize_scalar(at, bounds=(-15, 15), method="bounded", options={"xatol": 1e-5}).x)

    return least(lambda q: ae.kl_divergence(p, q)), least(lambda q: ae.kl_divergence(q, p))


def same_volume(mean, cov):
    return np.linalg.det(cov) ** (1 / len(mean))


WRONG_ROUND = {
    "exchanged": (lambda mean, cov: round_by()(mean, cov)[::-1], "the two are exchanged"),
    "moments matched twice": (round_by(second=moments_matched), "second pair, for KL(q ‖ p): this σ² makes the other"),
    "precisions averaged twice": (round_by(precisions_averaged), "first pair, for KL(p ‖ q): this σ² makes the other"),
    "same volume": (round_by(same_volume, same_volume), "the same volume as p"),
    "same volume, second": (round_by(second=same_volume), "second pair, for KL(q ‖ p): with det(cov)^(1/D)"),
    "sum of variances": (round_by(lambda mean, cov: np.trace(cov)), "this is the sum of the variances"),
    "sum of precisions turned": (
        round_by(second=lambda mean, cov: 1 / np.trace(np.linalg.inv(cov))),
        "the precisions are added up",
    ),
    "sum of precisions": (round_by(second=lambda mean, cov: np.trace(np.linalg.inv(cov))), "neither a mean nor"),
    "a precision": (round_by(second=lambda mean, cov: 1 / precisions_averaged(mean, cov)), "this is 1/σ²"),
    "σ": (round_by(lambda mean, cov: moments_matched(mean, cov) ** 0.5), "this is the standard deviation"),
    "σ, second": (round_by(second=lambda mean, cov: precisions_averaged(mean, cov) ** 0.5), "standard deviation"),
    "σ⁴": (round_by(lambda mean, cov: moments_matched(mean, cov) ** 2), "the square of what it should be"),
    "half": (round_by(lambda mean, cov: moments_matched(mean, cov) / 2), "half of what it should be"),
    "twice": (round_by(second=lambda mean, cov: 2 * precisions_averaged(mean, cov)), "twice what it should be"),
    "variances turned one by one": (
        round_by(second=lambda mean, cov: 1 / np.mean(1 / np.diag(cov))),
        "turned the variances round one by one",
    ),
    "all of cov": (round_by(lambda mean, cov: cov.mean()), "all entries of cov are averaged"),
    "all of the precision": (
        round_by(second=lambda mean, cov: len(mean) / np.linalg.inv(cov).sum()),
        "all entries of cov⁻¹ are added",
    ),
    "longest axis": (round_by(lambda mean, cov: np.linalg.eigvalsh(cov)[-1]), "p's longest axis"),
    "shortest axis": (round_by(second=lambda mean, cov: np.linalg.eigvalsh(cov)[0]), "p's shortest axis"),
    "about 0": (round_by(lambda mean, cov: (np.trace(cov) + mean @ mean) / len(mean)), "moments about 0"),
    "D - 1": (round_by(lambda mean, cov: np.trace(cov) / (len(mean) - 1)), "estimated from draws"),
    "mean σ": (round_by(lambda mean, cov: np.sqrt(np.diag(cov)).mean() ** 2), "averages standard deviations, and"),
    "mean σ of the axes": (
        round_by(lambda mean, cov: np.sqrt(np.linalg.eigvalsh(cov)).mean() ** 2),
        "standard deviations along the axes",
    ),
    "halfway": (
        round_by(lambda mean, cov: (moments_matched(mean, cov) + precisions_averaged(mean, cov)) / 2),
        "halfway between the two",
    ),
    "two dimensions": (round_by(lambda mean, cov: np.trace(cov) / 2), "smaller by a thousandth lowers it"),
    "too narrow": (round_by(lambda mean, cov: 0.98 * moments_matched(mean, cov)), "larger by a thousandth lowers it"),
    "too wide": (round_by(second=lambda mean, cov: 1.02 * precisions_averaged(mean, cov)), "smaller by a thousandth"),
    "at 0": (round_by(m_first=lambda mean, cov: 0 * mean), "p stands elsewhere"),
    "mirrored": (round_by(m_second=lambda mean, cov: -mean), "your m has the wrong sign"),
    "one number for all": (round_by(m_first=lambda mean, cov: np.full(len(mean), mean.mean())), "mean of all coordin"),
    "natural parameter for m": (
        round_by(m_second=lambda mean, cov: np.linalg.solve(cov, mean)),
        "q moved elsewhere it falls",
    ),
    "m is a number": (round_by(m_first=lambda mean, cov: mean.mean()), "your m has shape ()"),
    "a matrix": (round_by(lambda mean, cov: moments_matched(mean, cov) * np.eye(len(mean))), "a single number"),
    "negative": (round_by(lambda mean, cov: -moments_matched(mean, cov)), "a variance is positive"),
    "NaN": (round_by(second=lambda mean, cov: np.nan), "NaN"),
    "one pair": (lambda mean, cov: (mean, moments_matched(mean, cov)), "return m and σ², a pair"),
    "four values": (lambda mean, cov: sum(round_by()(mean, cov), ()), "return two pairs"),
    "a width forgotten": (round_by(lambda mean, cov: None), "part 2 of what you return is None"),
}


@pytest.mark.parametrize("mistake", WRONG_ROUND)
def test_wrong_round(mistake):
    answer, message = WRONG_ROUND[mistake]
    verdict = bias.nearest_round(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_the_two_middles_are_told():
    assert "σ² is 1.00 and 0.28" in bias.nearest_round(round_by()).message


def in_shares_of(wish):
    """One step each, and the rest of the time in these shares, rounded down."""

    def answer(F, t, T):
        return 1 + np.floor((T - t.sum()) * wish(F, t) / (t @ wish(F, t))).astype(int)

    return answer


the_best_shares = in_shares_of(lambda F, t: np.sqrt(F / t))


def ideal(F, t, T):
    return T * np.sqrt(F / t) / np.sqrt(F * t).sum()


def one_by_one(F, t, T):
    """Each step to where a second saves most, as long as there is time."""
    K = np.ones(len(F), dtype=int)
    while (fits := t @ K + t <= T).any():
        K[np.where(fits, F / (K * (K + 1) * t), -1).argmax()] += 1
    return K


def none_where_it_costs_nothing(F, t, T):
    return the_best_shares(F, t, T) * (F > 0)


def everything_to_one_bin(F, t, T):
    return np.append(1 + np.floor((T - t.sum()) / t[0]), np.ones(len(F) - 1)).astype(int)


WRONG_ALLOCATIONS = {
    "as in the lesson": (in_shares_of(lambda F, t: F**0.5), "as if a step took as long everywhere"),
    "seconds by the root": (in_shares_of(lambda F, t: F**0.5 / t), "share the seconds out"),
    "no root": (in_shares_of(lambda F, t: F / t), "a square"),
    "half a root": (in_shares_of(lambda F, t: F / t**0.5), "over the whole quotient"),
    "times upside down": (in_shares_of(lambda F, t: (F * t) ** 0.5), "upside down"),
    "by cost": (in_shares_of(lambda F, t: F), "in proportion to F_j, and"),
    "linear": (in_shares_of(lambda F, t: F**0), "that is the linear schedule"),
    "the same time": (in_shares_of(lambda F, t: 1 / t), "where are the costs"),
    "upside down": (in_shares_of(lambda F, t: np.maximum(F, 1) ** -0.5), "turn it round"),
    "reciprocals": (in_shares_of(lambda F, t: 1 / np.maximum(F, 1)), "turn it round"),
    "none where there is one bin": (
        lambda F, t, T: one_by_one(F, t, T) if len(F) > 1 else np.ones(1, int), "1 bin, 400.5 seconds: you leave 398.5"
    ),
    "half of the time, where steps cost the same": (
        lambda F, t, T: the_best_shares(F, t, T / 2 if np.ptp(t) == 0 else T), "6 bins, 1200 seconds: you leave 6"
    ),
    "the library's rule": (lambda F, t, T: ae.optimal_allocation(F, int(T)), "a step is not a second"),
    "the library's rule, by price": (lambda F, t, T: ae.optimal_allocation(F / t, int(T)), "a step is not a second"),
    "the library's steps, at mean price": (
        lambda F, t, T: ae.optimal_allocation(F, max(int(T / t.mean()), len(F))),
        "6000 seconds: your steps take",
    ),
    "fractions": (ideal, "fraction of a step"),
    "seconds": (lambda F, t, T: t * the_best_shares(F, t, T), "these are the seconds"),
    "rounded": (lambda F, t, T: np.maximum(1, np.round(ideal(F, t, T))).astype(int), "One for every bin first"),
    "rounded down": (lambda F, t, T: np.floor(ideal(F, t, T)).astype(int), "at least one step"),
    "one at least": (lambda F, t, T: np.maximum(1, ideal(F, t, T).astype(int)), "One for every bin first"),
    "98% of the time": (lambda F, t, T: one_by_one(F, t, max(0.98 * T, t.sum())), "can be reached"),
    "an exponent of 0.45": (in_shares_of(lambda F, t: (F / t) ** 0.45), "can be reached"),
    "an exponent of 0.55": (in_shares_of(lambda F, t: (F / t) ** 0.55), "can be reached"),
    "a cube root": (in_shares_of(lambda F, t: np.cbrt(F / t)), "can be reached"),
    "a bit more of every cost": (lambda F, t, T: one_by_one(F + 0.05, t, T), "can be reached"),
    "half of the time": (lambda F, t, T: the_best_shares(F, t, max(T / 2, t.sum())), "3040 of them unused"),
    "nothing where nothing changes": (none_where_it_costs_nothing, "whatever its cost"),
    "one bin takes all": (everything_to_one_bin, "can be reached"),
    "ten bins at most": (lambda F, t, T: the_best_shares(F[:10], t[:10], T), "shape (10,)"),
    "wrong length": (lambda F, t, T: np.array([T]), "shape (1,)"),
}


@pytest.mark.parametrize("mistake", WRONG_ALLOCATIONS)
def test_wrong_allocation(mistake):
    answer, message = WRONG_ALLOCATIONS[mistake]
    verdict = bias.allocation(answer)
    assert verdict.passed is False
    assert message in verdict.message


def seconds_as_in_the_lesson(F, t, T):
    """With u_j = t_j K_j the loss is the sum of F_j t_j / u_j: Theorem 3 for the costs F_j t_j, in seconds."""
    u = (T - t.sum()) * np.sqrt(F * t) / np.sqrt(F * t).sum()
    return (1 + u // t).astype(float)


@pytest.mark.parametrize("answer", [the_best_shares, one_by_one, seconds_as_in_the_lesson])
def test_right_allocation(answer):
    assert bias.allocation(answer).passed


def farthest(values):
    return int(abs(values - np.median(values)).argmax())


def in_the_order_of_k(K, forward, reverse):
    order = np.argsort(K)
    return farthest((K * (forward + reverse))[order])


def off_a_fitted_line(K, forward, reverse):
    log_k, log_sum = np.log(K), np.log(forward + reverse)
    return int(abs(log_sum - np.polyval(np.polyfit(log_k, log_sum, 1), log_k)).argmax())


def off_a_hyperbola(K, forward, reverse):
    total = forward + reverse
    return int(abs(total - (total @ (1 / K)) / (1 / K @ (1 / K)) / K).argmax())


WRONG_ENTRIES = {
    "sorted rows": (in_the_order_of_k, "did you sort them?"),
    "a line of any slope": (off_a_fitted_line, "it is -1"),
    "not times K": (lambda K, f, r: farthest(f + r), "did you multiply by K"),
    "forward alone": (lambda K, f, r: farthest(K * f), "did you add both?"),
    "difference": (lambda K, f, r: farthest(K * abs(f - r)), "only their sum is bound"),
    "difference, the largest": (lambda K, f, r: int(abs(K * f - K * r).argmax()), "and add both?"),
    "difference, not times K": (lambda K, f, r: int(abs(f - r).argmax()), "the row of the smallest K"),
    "next row": (lambda K, f, r: (farthest(K * (f + r)) + 1) % len(K), "One does not agree"),
    "counted from 1": (lambda K, f, r: min(farthest(K * (f + r)) + 1, len(K) - 1), "One does not agree"),
    "rounded away": (lambda K, f, r: farthest(np.round(K * (f + r))), "You round"),
    "the largest": (lambda K, f, r: int(np.argmax(K * (f + r))), "You take the largest"),
    "c / K": (off_a_hyperbola, "leans on the rows of small K"),
    "K + 1": (lambda K, f, r: farthest((K + 1) * (f + r)), "One does not agree"),
    "the first row": (lambda K, f, r: 0, "One does not agree"),
    "the largest jump": (lambda K, f, r: int(abs(np.diff(K * (f + r))).argmax()), "You compare with one row"),
    "off the first row": (lambda K, f, r: int(abs(K * (f + r) - K[0] * (f + r)[0]).argmax()), "You compare with one"),
    "off the last row": (lambda K, f, r: int(abs(K * (f + r) - (K * (f + r))[-1]).argmax()), "You compare with one"),
    "off the middle of the range": (
        lambda K, f, r: int(abs((x := K * (f + r)) - (x.min() + x.max()) / 2).argmax()), "draws the mean",
    ),
    "seven rows": (lambda K, f, r: farthest((K * (f + r))[:7]), "One does not agree"),
    "row 2, whatever it holds": (lambda K, f, r: 2, "One does not agree"),
    "K itself": (lambda K, f, r: K[farthest(K * (f + r))], "Not K itself"),
    "a row of numbers": (lambda K, f, r: K * (f + r), "whole number"),
}


@pytest.mark.parametrize("mistake", WRONG_ENTRIES)
def test_wrong_entry_that_is_not(mistake):
    answer, message = WRONG_ENTRIES[mistake]
    verdict = bias.wrong_entry(answer)
    assert verdict.passed is False
    assert message in verdict.message


PRODUCTS = {
    "a product": lambda K, f, r: farthest(K**2 * f * r),
    "a mean of logs": lambda K, f, r: farthest(np.log(K * f) + np.log(K * r)),
    "root of a product": lambda K, f, r: farthest(K * np.sqrt(f * r)),
    "root of squares": lambda K, f, r: farthest(K * np.hypot(f, r)),
}


@pytest.mark.parametrize("mistake", PRODUCTS)
def test_a_product_is_not_what_stays(mistake):
    verdict = bias.wrong_entry(PRODUCTS[mistake])
    assert verdict.passed is False
    assert "the identity adds the two" in verdict.message


def test_right_answers():
    assert bias.nearest_round(round_by()).passed
    assert bias.nearest_round(by_search).passed
    assert bias.nearest_round(lambda mean, cov: [[list(m), np.array(s2)] for m, s2 in round_by()(mean, cov)]).passed
    for of in (lambda total: total, np.log, lambda total: total - total.mean() + np.median(total)):
        assert bias.wrong_entry(lambda K, f, r, of=of: farthest(of(K * (f + r)))).passed
    assert bias.wrong_entry(lambda K, f, r: int(abs(K * (f + r) - np.mean(K * (f + r))).argmax())).passed
    assert bias.wrong_entry(lambda K, f, r: np.argmin([np.delete(K * (f + r), i).std() for i in range(len(K))])).passed


@pytest.mark.parametrize("check", [bias.nearest_round, bias.allocation, bias.wrong_entry])
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
