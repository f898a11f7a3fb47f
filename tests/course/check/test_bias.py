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
    "counted from 1": (lambda K, f, r: farthest(K * (f + r)) + 1, "counts from 0"),
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


def test_right_answers():
    assert bias.nearest_round(round_by()).passed
    assert bias.nearest_round(by_search).passed
    assert bias.nearest_round(lambda mean, cov: [[list(m), np.array(s2)] for m, s2 in round_by()(mean, cov)]).passed
    assert bias.allocation(shared_by(np.sqrt)).passed
    assert bias.allocation(ae.optimal_allocation).passed
    assert bias.wrong_entry(lambda K, f, r: farthest(K * (f + r))).passed


@pytest.mark.parametrize("check", [bias.nearest_round, bias.allocation, bias.wrong_entry])
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
