"""Known-wrong answers to the exercises of notebook 05: each is rejected with a message about its own mistake."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from scipy.stats import binom

from anneal_edu.course.check import splines
from anneal_edu.course.check.hills import hills


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def moments(given=lambda h, W, b: sigmoid(h @ W.T + b), mean=lambda p, x: p @ x, product=None):
    """The moments, with chosen faults."""

    def answer(h, p, W, b):
        v = given(h, W, b)
        together = (v * p[:, None]).T @ h if product is None else product(v, h, p)
        return mean(p, v), p @ h, together

    return answer


def overflowing(a):
    return np.exp(a) / (1 + np.exp(a))


def states_of_its_own(h, p, W, b):
    return moments()(np.array(list(np.ndindex((2,) * h.shape[1]))), p, W, b)


def three_hidden(v, h, p):
    return np.stack([(v * p[:, None]).T @ h[:, j] for j in range(3)], axis=1)


def by_python(h, W, b):
    return np.array([[1 / (1 + math.exp(-x)) for x in row] for row in h @ W.T + b])


WRONG_MOMENTS = {
    "a sigmoid that overflows": (moments(given=lambda h, W, b: overflowing(h @ W.T + b)), "infinity over infinity"),
    "W not transposed": (moments(given=lambda h, W, b: sigmoid(h @ W + b)), "the sizes do not fit"),
    "states of its own": (states_of_its_own, "in another order"),
    "three hidden units": (moments(product=three_hidden), "2 visible and 4 hidden units"),
    "independent": (moments(product=lambda v, h, p: np.outer(p @ v, p @ h)), "independent layers"),
    "transposed": (moments(product=lambda v, h, p: h.T @ (v * p[:, None])), "transposed"),
    "product without p": (moments(product=lambda v, h, p: v.T @ h), "p_h are missing"),
    "product halved": (moments(product=lambda v, h, p: 0.5 * (v * p[:, None]).T @ h), "Σ_h p(h) p(v_i = 1 | h) h_j"),
    "given h_j": (moments(product=lambda v, h, p: (v * p[:, None]).T @ h / (p @ h)), "*while* feature j is on"),
    "no sigmoid": (moments(given=lambda h, W, b: h @ W.T + b), "average the probabilities"),
    "no bias": (moments(given=lambda h, W, b: sigmoid(h @ W.T)), "visible biases are missing"),
    "unweighted v": (moments(mean=lambda p, x: x.mean(0)), "E v is wrong: you averaged over the states as if"),
    "summed v": (moments(mean=lambda p, x: x.sum(0)), "E v is wrong: you summed over the states without"),
    "something else": (moments(mean=lambda p, x: p @ x / 2), "E v is wrong: it is"),
    "sigmoid of -x": (moments(given=lambda h, W, b: sigmoid(-(h @ W.T) - b)), "the sign in the exponent"),
    "bias subtracted": (moments(given=lambda h, W, b: sigmoid(h @ W.T - b)), "the bias has the wrong sign"),
    "weights subtracted": (moments(given=lambda h, W, b: sigmoid(b - h @ W.T)), "the weights have the wrong sign"),
    "exp": (moments(given=lambda h, W, b: np.exp(h @ W.T + b)), "the mean of exp(b + W h)"),
    "tanh": (moments(given=lambda h, W, b: np.tanh(h @ W.T + b)), "tanh runs from"),
    "-1 and 1": (moments(given=lambda h, W, b: np.tanh((h @ W.T + b) / 2)), "as if a pixel were -1 or 1"),
    "twice the field": (moments(given=lambda h, W, b: sigmoid(2 * (h @ W.T + b))), "a factor 2 in your exponent"),
    "log f of a pixel": (moments(given=lambda h, W, b: np.logaddexp(0, h @ W.T + b)), "brings to log f"),
    "the likelier value": (moments(given=lambda h, W, b: h @ W.T + b > 0), "the likelier value"),
    "a sigmoid of Python": (moments(given=by_python), "math.exp raises OverflowError"),
    "mean field": (
        lambda h, p, W, b: (sigmoid(p @ h @ W.T + b), p @ h, (sigmoid(h @ W.T + b) * p[:, None]).T @ h),
        "sigmoid of the mean",
    ),
    "unweighted h": (lambda h, p, W, b: (np.zeros(4), h.mean(0), np.zeros((4, 3))), "E h is wrong: you averaged"),
    "summed h": (lambda h, p, W, b: (np.zeros(4), h.sum(0), np.zeros((4, 3))), "E h is wrong: you summed"),
    "other h": (lambda h, p, W, b: (np.zeros(4), np.zeros(3), np.zeros((4, 3))), "E h is wrong: it is"),
    "one array": (lambda h, p, W, b: p @ h, "return three arrays"),
    "wrong shape": (lambda h, p, W, b: (p @ h, p @ h, p @ h), "shape (3,)"),
    "NaN": (lambda h, p, W, b: (np.full(4, np.nan), p @ h, np.zeros((4, 3))), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_MOMENTS)
def test_wrong_moments(mistake):
    answer, message = WRONG_MOMENTS[mistake]
    verdict = splines.moments(answer)
    assert verdict.passed is False
    assert message in verdict.message


def in_loops(h, p, W, b):
    """State by state, with a sigmoid that overflows nowhere."""
    mean_v, mean_h, mean_vh = np.zeros(len(b)), np.zeros(h.shape[1]), np.zeros(W.shape)
    for row, share in zip(h, p, strict=True):
        v = np.exp(-np.logaddexp(0, -(b + W @ row)))
        mean_v, mean_h, mean_vh = mean_v + share * v, mean_h + share * row, mean_vh + share * np.outer(v, row)
    return [mean_v, mean_h, mean_vh]


@pytest.mark.parametrize("answer", [moments(), in_loops])
def test_right_moments(answer):
    verdict = splines.moments(answer)
    assert verdict.passed, verdict


def rate(of, slope=lambda g, p, s: s - p @ g):
    """A rate from the slope r, r·g of every state, its variance and the covariance of the statistics."""

    def answer(g, p, target):
        r = slope(g, p, target)
        along, centred = g @ r, g - p @ g
        return of(r, along, p @ (along - p @ along) ** 2, centred.T @ (p[:, None] * centred), p)

    return answer


def right_rate(r, along, bend, cov, p):
    return r @ r / bend


def by_covariance(r, along, bend, cov, p):
    return np.array(r @ r / (r @ cov @ r))


def by_loops(g, p, target):
    model = [sum(p[x] * g[x][i] for x in range(len(p))) for i in range(len(target))]
    r = [s - m for s, m in zip(target, model, strict=True)]
    along = [sum(a * (b - m) for a, b, m in zip(r, row, model, strict=True)) for row in g]
    return sum(a * a for a in r) / sum(q * x * x for q, x in zip(p, along, strict=True))


def by_search(g, p, target):
    r, centred = target - p @ g, g - p @ g

    def height(log_rate):
        return logsumexp(np.exp(log_rate) * centred @ r, b=p) - np.exp(log_rate) * (r @ r)

    return np.exp(minimize_scalar(height, bounds=(-25, 25), method="bounded", options={"xatol": 1e-9}).x)


def by_weighted_cov(g, p, target):
    r = target - p @ g
    return r @ r / (r @ np.cov(g.T, aweights=p, ddof=0) @ r)


WRONG_RATE = {
    "no mean taken off": (rate(lambda r, x, bend, cov, p: r @ r / (p @ x**2)), "the mean of (r·g)²; a variance"),
    "squares of what is large": (
        lambda g, p, s: (r := s - p @ g) @ r / (r @ (g.T @ (p[:, None] * g) - np.outer(p @ g, p @ g)) @ r),
        "take the mean off before you square",
    ),
    "n times": (rate(lambda r, x, bend, cov, p: len(r) * (r @ r) / bend), "yours is n times the rate"),
    "mean of r²": (rate(lambda r, x, bend, cov, p: np.mean(r**2) / bend), "the rate divided by n"),
    "trace": (rate(lambda r, x, bend, cov, p: 1 / np.trace(cov)), "adds up the bends of all directions: safe"),
    "trace below": (rate(lambda r, x, bend, cov, p: r @ r / np.trace(cov)), "the slope is right; but"),
    "mean bend": (rate(lambda r, x, bend, cov, p: len(r) / np.trace(cov)), "mean bend of all directions"),
    "largest eigenvalue": (rate(lambda r, x, bend, cov, p: 1 / np.linalg.eigvalsh(cov)[-1]), "a longer step gains"),
    "smallest eigenvalue": (rate(lambda r, x, bend, cov, p: 1 / np.linalg.eigvalsh(cov)[0]), "another rate gains"),
    "variances alone": (rate(lambda r, x, bend, cov, p: r @ r / (r**2 @ np.diag(cov))), "covariances between them"),
    "mean inverse bend": (
        rate(lambda r, x, bend, cov, p: r @ np.linalg.pinv(cov) @ r / (r @ r)),
        "this is a mean of 1/bend",
    ),
    "no length": (rate(lambda r, x, bend, cov, p: 1 / bend), "‖r‖² is missing"),
    "length not squared": (rate(lambda r, x, bend, cov, p: (r @ r) ** 0.5 / bend), "‖r‖ stands where its square"),
    "length of the step": (rate(lambda r, x, bend, cov, p: (r @ r) ** 1.5 / bend), "this is the length of the step"),
    "length four times": (rate(lambda r, x, bend, cov, p: (r @ r) ** 2 / bend), "this is ‖r‖² t"),
    "standard deviation": (rate(lambda r, x, bend, cov, p: r @ r / bend**0.5), "the bend is its variance"),
    "root": (rate(lambda r, x, bend, cov, p: (r @ r / bend) ** 0.5), "this is the root of the rate"),
    "no bend": (rate(lambda r, x, bend, cov, p: r @ r), "the bend is missing"),
    "upside down": (rate(lambda r, x, bend, cov, p: bend / (r @ r)), "turned round"),
    "half": (rate(lambda r, x, bend, cov, p: r @ r / bend / 2), "this is half the rate"),
    "twice": (rate(lambda r, x, bend, cov, p: 2 * (r @ r) / bend), "on the other side of the top"),
    "sign": (rate(lambda r, x, bend, cov, p: -r @ r / bend), "the sign: along +r"),
    "downhill": (rate(lambda r, x, bend, cov, p: -0.1), "that walks downhill"),
    "height gained": (rate(lambda r, x, bend, cov, p: (r @ r) ** 2 / bend / 2), "this is the height gained"),
    "states alike": (rate(lambda r, x, bend, cov, p: r @ r / np.var(x)), "alike in your variance"),
    "states alike, as draws": (rate(lambda r, x, bend, cov, p: r @ r / np.var(x, ddof=1)), "alike in your covariance"),
    "states alike in the mean": (rate(right_rate, lambda g, p, s: s - g.mean(0)), "alike in your mean of g"),
    "S - 1": (rate(lambda r, x, bend, cov, p: r @ r / bend * (1 - 1 / len(p))), "S - 1 is for draws"),
    "np.cov": (
        lambda g, p, s: (r := s - p @ g) @ r / (r @ np.cov(g.T, aweights=p) @ r),
        "with aweights=p it needs ddof=0",
    ),
    "along s": (rate(right_rate, lambda g, p, s: s), "you walk along s, the target"),
    "along E[g]": (rate(right_rate, lambda g, p, s: p @ g), "you walk along E[g]"),
    "bend along s": (lambda g, p, s: (s - p @ g) @ (s - p @ g) / (p @ (g @ s - p @ g @ s) ** 2), "is that along s"),
    "a constant": (lambda g, p, s: 0.1, "of what another rate gains"),
    "0": (lambda g, p, s: 0.0, "stays where it is"),
    "a twentieth too long": (rate(lambda r, x, bend, cov, p: 1.05 * (r @ r) / bend), "your step gains 99."),
    "a hundredth too long": (rate(lambda r, x, bend, cov, p: 1.01 * (r @ r) / bend), "its top is elsewhere"),
    "a search": (by_search, "no search, one division"),
    "a rate for each": (rate(lambda r, x, bend, cov, p: r / np.diag(cov)), "one rate, a single number"),
    "the step": (rate(lambda r, x, bend, cov, p: r * (r @ r) / bend), "one rate, a single number"),
    "NaN": (lambda g, p, s: np.nan, "NaN"),
}


OF_ONE_SIZE = {  # right for statistics of the size of 1
    **{f"{e:g} lest it divide by 0": rate(lambda r, x, bend, cov, p, e=e: r @ r / (bend + e)) for e in (1e-12, 1e-15)},
    "0 where r is short": rate(lambda r, x, bend, cov, p: r @ r / bend if np.sqrt(r @ r) > 1e-6 else 0.0),
    "10 at most": rate(lambda r, x, bend, cov, p: min(10.0, r @ r / bend)),
    "a million at most": rate(lambda r, x, bend, cov, p: min(1e6, r @ r / bend)),
    "0.001 at least": rate(lambda r, x, bend, cov, p: max(1e-3, r @ r / bend)),
    "eight digits": rate(lambda r, x, bend, cov, p: np.round(r @ r / bend, 8)),
}


@pytest.mark.parametrize("guard", OF_ONE_SIZE)
def test_a_rate_of_statistics_of_any_size(guard):
    said = splines.best_rate(OF_ONE_SIZE[guard])
    assert said.passed is False


@pytest.mark.parametrize("by", [1e-6, 1e-3, 1e3])
def test_a_hill_in_other_units_is_as_high(by):
    for hill in hills():
        assert np.isclose(hill.scaled(by).top, hill.top)
        assert np.isclose(hill.scaled(by).height(0.1 / by**2), hill.height(0.1))


@pytest.mark.parametrize("mistake", WRONG_RATE)
def test_wrong_rate(mistake):
    answer, message = WRONG_RATE[mistake]
    verdict = splines.best_rate(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


@pytest.mark.parametrize("answer", [rate(right_rate), rate(by_covariance), by_loops, by_weighted_cov])
def test_right_rate(answer):
    verdict = splines.best_rate(answer)
    assert verdict.passed
    assert "twice the rate gains 0%" in verdict.message
    assert "the rate is 0.01 times what it was" in verdict.message


def test_a_hill_is_highest_at_its_top():
    for hill in hills():
        for theta in (hill.end + 0.01 * np.eye(len(hill.end)), hill.end - 0.01 * np.eye(len(hill.end))):
            assert all(at @ hill.slope - hill.log_partition(at) <= hill.top + 1e-12 for at in theta)
        assert all(hill.height(t) <= hill.top for t in np.geomspace(1e-3, 10, 50))


def at_least_one(reach, n_chains):
    return -np.expm1(n_chains * np.log1p(-reach))


def miss(of_each=at_least_one, of=np.log):
    return lambda p, reach, n_chains: of(p @ of_each(reach, n_chains))


def none(reach, n_chains):
    return (1 - reach) ** n_chains


def drawn(p, reach, n_chains):
    """The mean over a thousand runs."""
    rng = np.random.default_rng(0)
    runs = rng.choice(len(p), size=(1000, min(n_chains, 100)), p=reach / reach.sum())
    return np.log(np.mean([p[np.unique(run)].sum() for run in runs]))


def in_logs(p, reach, n_chains):
    return logsumexp(np.log(p) + np.log(at_least_one(reach, n_chains)))


def chain_by_chain(p, reach, n_chains):
    """What the first, the second, … chain adds, as a geometric series; in closed form where there are many."""
    if n_chains > 100:
        return miss()(p, reach, n_chains)
    return np.log(sum(p @ (reach * (1 - reach) ** before) for before in range(n_chains)))


WRONG_MISS = {
    "no log": (miss(of=float), "this is the share"),
    "sign": (miss(of=lambda share: -np.log(share)), "too low"),
    "missed": (miss(none), "what is *missed*"),
    "one chain": (miss(lambda reach, C: reach), "what one chain reaches"),
    "expected number": (miss(lambda reach, C: C * reach), "how many chains to expect"),
    "bounded by 1": (miss(lambda reach, C: np.minimum(1, C * reach)), "Where one is to be expected, none may come"),
    "not all": (miss(lambda reach, C: 1 - reach**C), "not *all* chains"),
    "all": (miss(lambda reach, C: reach**C), "*all* chains are there"),
    "Poisson": (miss(lambda reach, C: -np.expm1(-C * reach)), "rare states alone"),
    "ever so many": (miss(lambda reach, C: reach > 0), "that can be reached"),
    "states alike": (lambda p, reach, C: np.log(at_least_one(reach, C).mean()), "count alike"),
    "without p": (lambda p, reach, C: np.log(at_least_one(reach, C).sum()), "without what they hold"),
    "exchanged": (lambda p, reach, C: miss()(reach, p, C), "changed places"),
    "mean chance": (lambda p, reach, C: np.log(at_least_one(p @ reach, C)), "one mean chance"),
    "mean of logs": (lambda p, reach, C: p @ np.log(at_least_one(reach, C)), "the log of the average"),
    "one fewer": (lambda p, reach, C: miss()(p, reach, C - 1), "fewer"),
    "one more": (lambda p, reach, C: miss()(p, reach, C + 1), "one chain more"),
    "log10": (miss(of=np.log10), "yours is"),
    "the likeliest end": (lambda p, reach, C: np.log(p[reach.argmax()]), "yours is"),
    "drawn": (drawn, "yours is"),
    "digits lost": (miss(lambda reach, C: 1 - none(reach, C)), "right for a few chains"),
    "half of them lost": (miss(lambda reach, C: 1 - np.exp(C * np.log1p(-reach))), "right for a few chains"),
    "lost in the log": (miss(lambda reach, C: -np.expm1(C * np.log(1 - reach))), "right for a few chains"),
    "a floor": (miss(of=lambda share: np.log(share + 1e-9)), "right for a few chains"),
    "an array": (lambda p, reach, C: np.log(p * at_least_one(reach, C)), "shape"),
    "in place": (lambda p, reach, C: (reach.sort(), 0.0)[1], "changes the reach"),
}


@pytest.mark.parametrize("mistake", WRONG_MISS)
def test_wrong_miss(mistake):
    answer, message = WRONG_MISS[mistake]
    verdict = splines.predicted_miss(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def in_single_precision(p, reach, n_chains):
    return miss()(p, reach.astype(np.float32), n_chains)


@pytest.mark.parametrize(
    "answer", [miss(), in_logs, chain_by_chain, miss(lambda reach, C: binom.sf(0, C, reach)), in_single_precision]
)
def test_right_miss(answer):
    assert splines.predicted_miss(answer).passed


def test_the_formula_is_the_mean_over_runs():
    p, reach = np.array([0.02, 0.43, 0.07, 0.3, 0.11, 0.07]), np.array([0.45, 0.02, 0.2, 0.01, 0.3, 0.02])
    runs = np.random.default_rng(2).choice(6, size=(20_000, 5), p=reach)
    shares = np.array([p[np.unique(run)].sum() for run in runs])
    error = shares.std() / np.sqrt(len(shares))
    assert abs(shares.mean() - np.exp(miss()(p, reach, 5))) < 4.5 * error


@pytest.mark.parametrize("check", [splines.moments, splines.best_rate, splines.predicted_miss])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
