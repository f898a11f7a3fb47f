"""Every check of notebook 07 accepts what is right, however it is written, and rejects its own wrong answers."""

import numpy as np
import pytest
from scipy.stats import binom

from anneal_edu.course.check import covariance_start as check

# Exercise 1


def share(beta, s2, noise):
    return (1 - beta) * (1 - noise / s2)


def so_far(beta, s2, noise, left):
    """As large as the number of sweeps must be."""
    return np.log(left) / np.log(share(beta, s2, noise))


def foretold_kept(beta, s2, noise, left):
    return share(beta, s2, noise), int(np.ceil(so_far(beta, s2, noise, left)))


def loop_below(beta, s2, noise, left):
    n = 1
    while not share(beta, s2, noise) ** n < left:
        n += 1
    return n


def with_share(number):
    return lambda beta, s2, noise, left: (number(beta, s2, noise), foretold_kept(beta, s2, noise, left)[1])


def with_sweeps(number):
    return lambda *given: (share(*given[:3]), number(*given))


WRONG_KEPT = {
    "of x": (with_share(lambda beta, s2, noise: 1 - beta), "the part of x that v takes over"),
    "of v": (with_share(lambda beta, s2, noise: 1 - noise / s2), "the part of v - m that x takes over"),
    "nothing": (with_share(lambda *given: 0.0), "without x this is right"),
    "forgotten": (with_share(lambda *given: 1 - share(*given)), "that a sweep forgets"),
    "negative": (with_share(lambda *given: -share(*given)), "the sign is wrong"),
    "β exchanged": (with_share(lambda beta, s2, noise: beta * (1 - noise / s2)), "β and 1 - β have changed places"),
    "what x leaves": (with_share(lambda beta, s2, noise: (1 - beta) * noise / s2), "does *not* take over"),
    "v with x": (with_share(lambda *given: share(*given) ** 0.5), "the correlation of v with x"),
    "of the variance": (with_share(lambda *given: share(*given) ** 2), "of the *variance*"),
    "roots": (with_share(lambda beta, s2, noise: (1 - beta) * (1 - (noise / s2) ** 0.5)), "takes their roots"),
    "squares": (with_share(lambda beta, s2, noise: (1 - beta) * (1 - (noise / s2) ** 2)), "squares them again"),
    "variances exchanged": (with_share(lambda beta, s2, noise: share(beta, noise, s2)), "s² and σ² have changed"),
    "prior of x at full weight": (
        with_share(lambda beta, s2, noise: (1 - beta) ** 2 / noise / (1 / (s2 - noise) + (1 - beta) / noise)),
        "*both* terms with x",
    ),
    "1 - β twice": (with_share(lambda beta, s2, noise: (1 - beta) ** 2 * (1 - noise / s2)), "1 - β counts once"),
    "x as wide as v": (with_share(lambda beta, s2, noise: (1 - beta) * s2 / (s2 + noise)), "the variance s² - σ²"),
    "a variance": (with_share(lambda beta, s2, noise: (1 - beta) * (s2 - noise)), "is a variance, and no share"),
    "half": (with_share(lambda *given: share(*given) / 2), "chains set far apart keep 0.68"),
    "near": (with_share(lambda *given: share(*given) + 1e-4), "complete both squares"),
    "one too few": (with_sweeps(lambda *given: np.floor(so_far(*given))), "is still left after as few as 12"),
    "less than left": (with_sweeps(lambda *given: np.floor(so_far(*given)) + 1), "Exactly as much is no more"),
    "a loop until it is less": (with_sweeps(loop_below), "Exactly as much is no more"),
    "a time": (with_sweeps(lambda *given: np.ceil(1 / (1 - share(*given[:3])))), "whatever `left` is"),
    "of an autocorrelation": (
        with_sweeps(lambda *given: np.ceil((1 + share(*given[:3])) / (1 - share(*given[:3])))),
        "it does not ask for `left`",
    ),
    "the first logarithm of base 10": (
        with_sweeps(lambda *given: np.ceil(np.log10(given[3]) / np.log(share(*given[:3])))), "have different bases"
    ),
    "the second logarithm of base 10": (
        with_sweeps(lambda *given: np.ceil(np.log(given[3]) / np.log10(share(*given[:3])))), "have different bases"
    ),
    "an autocorrelation's number, once": (  # where `left` is 0.00844 alone: it asks for `left`, after all
        with_sweeps(lambda *given: np.ceil(so_far(*given) / 2.4)), "still left after as few as 6"
    ),
    "one too many": (with_sweeps(lambda *given: foretold_kept(*given)[1] + 1), "yours waits longer"),
    "rounded": (with_sweeps(lambda *given: round(so_far(*given))), "still left"),
    "not whole": (with_sweeps(so_far), "no whole number of sweeps"),
    "by as much each time": (
        with_sweeps(lambda beta, s2, noise, left: np.ceil((1 - left) / (1 - share(beta, s2, noise)))),
        "it falls by less in each",
    ),
    "its square": (with_sweeps(lambda *given: np.ceil(so_far(*given) / 2)), "with yours its square does"),
    "upside down": (with_sweeps(lambda *given: np.ceil(1 / so_far(*given))), "still left after as few as 1"),
    "none": (with_sweeps(lambda *given: 0), "1 is still left after as few as 0"),
    "a search that ends": (with_sweeps(lambda *given: min(foretold_kept(*given)[1], 1000)), "after as few as 1,000"),
    "a long search": (with_sweeps(lambda *given: min(foretold_kept(*given)[1], 30_000)), "as few as 30,000"),
    "never less than 1e-8": (
        lambda beta, s2, noise, left: foretold_kept(beta, s2, noise, max(left, 1e-8)),
        "e-09 is still left after as few as 49",
    ),
    "a variance of 1 at least": (
        lambda beta, s2, noise, left: foretold_kept(beta, max(s2, 1.0), noise, left),
        "with β = 0.2, s² = 0.003",
    ),
    "one number": (lambda *given: share(*given[:3]), "return two numbers"),
    "exchanged": (lambda *given: foretold_kept(*given)[::-1], "the share first"),
    "NaN": (with_share(lambda *given: np.nan), "NaN"),
    "nothing returned": (lambda *given: None, "a `return` missing"),
}


@pytest.mark.parametrize("mistake", WRONG_KEPT)
def test_wrong_kept(mistake):
    answer, message = WRONG_KEPT[mistake]
    verdict = check.kept(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_kept():
    def by_the_variance_of_v(beta, s2, noise, left):
        kept, n = 1 - noise * (beta / noise + (1 - beta) / s2), 1
        while kept**n > left:
            n += 1
        return [kept, np.array(n)]

    for answer in (foretold_kept, by_the_variance_of_v, lambda *given: np.array(foretold_kept(*given))):
        verdict = check.kept(answer)
        assert verdict.passed, verdict


# Exercise 2


def weights_of(log_w):
    w = np.exp(log_w - log_w.max())
    return w / w.sum()


def right_moments(h, log_w, grbm):
    w, v = weights_of(log_w), h @ grbm.weights.T * grbm.sigma + grbm.visible_bias
    return w @ v, (w * (v - w @ v).T) @ (v - w @ v) + np.diag(grbm.sigma**2)


def from_draws(h, log_w, grbm):
    w, v = weights_of(log_w), grbm.visible_given_hidden(h, np.random.default_rng(0))
    return w @ v, np.cov(v.T, aweights=w, ddof=0)


def overflowing(h, log_w, grbm):
    w, v = np.exp(log_w) / np.exp(log_w).sum(), grbm.visible_mean(h)
    return w @ v, np.cov(v.T, aweights=w, ddof=0) + np.diag(grbm.sigma**2)


def by_log_weights(h, log_w, grbm):
    return log_w / log_w.sum() @ grbm.visible_mean(h), right_moments(h, log_w, grbm)[1]


def with_mean(mean):
    """Of log weights and E[v | h]; the covariance is right."""
    return lambda h, log_w, grbm: (mean(log_w, grbm.visible_mean(h)), right_moments(h, log_w, grbm)[1])


def with_cov(cov):
    """Of weights, E[v | h], its deviations and σ²; the mean is right."""

    def answer(h, log_w, grbm):
        w, v = weights_of(log_w), grbm.visible_mean(h)
        return w @ v, cov(w, v, v - w @ v, np.diag(grbm.sigma**2))

    return answer


def spread(w, d):
    return (w * d.T) @ d


WRONG_MOMENTS = {
    "nothing of a single chain": (
        lambda h, w, g: (right_moments(h, w, g)[0], right_moments(h, w, g)[1] * (len(h) > 1)),
        "a single chain has its own E[v | h] for mean",
    ),
    "no weights": (with_mean(lambda log_w, v: v.mean(0)), "leaves the weights out"),
    "log weights": (by_log_weights, "by their *log* weights"),
    "not normalised": (with_mean(lambda log_w, v: np.exp(log_w) @ v), "not divided by the sum of the weights"),
    "largest is 1": (with_mean(lambda log_w, v: np.exp(log_w - log_w.max()) @ v), "whose largest is 1"),
    "divided by n": (with_mean(lambda log_w, v: np.exp(log_w) @ v / len(v)), "divides by the number of chains"),
    "largest is 1, divided by n": (
        with_mean(lambda log_w, v: np.exp(log_w - log_w.max()) @ v / len(v)), "after the largest weight was made 1"
    ),
    "divided twice": (with_mean(lambda log_w, v: weights_of(log_w) @ v / len(v)), "divides by n once more"),
    "turned": (with_mean(lambda log_w, v: weights_of(-log_w) @ v), "heavy chains count little"),
    "heaviest": (with_mean(lambda log_w, v: v[log_w.argmax()]), "each chain with its weight"),
    "sigma missing": (
        lambda h, log_w, g: (weights_of(log_w) @ (h @ g.weights.T + g.visible_bias), np.eye(g.dim)),
        "factor σ is missing",
    ),
    "bias missing": (
        lambda h, log_w, g: (weights_of(log_w) @ (h @ g.weights.T * g.sigma), np.eye(g.dim)),
        "b is missing",
    ),
    "draws": (from_draws, "the mean is wrong"),
    "overflow": (overflowing, "log weights around 1000: NaN or infinity"),
    "clipped": (lambda h, log_w, g: overflowing(h, np.clip(log_w, -700, 700), g), "a factor common to all weights"),
    "the mean log weight subtracted": (
        lambda h, log_w, g: overflowing(h, log_w - log_w[np.isfinite(log_w)].mean(), g),
        "log weights up to 1000: NaN or infinity",
    ),
    "heavy weights cut": (
        lambda h, log_w, g: right_moments(h, np.minimum(log_w, np.median(log_w) + 50), g),
        "should alone count",
    ),
    "noise missing": (with_cov(lambda w, v, d, noise: spread(w, d)), "v still varies when h is given"),
    "σ": (with_cov(lambda w, v, d, noise: spread(w, d) + noise**0.5), "the *variance* σ²"),
    "everywhere": (with_cov(lambda w, v, d, noise: spread(w, d) + noise.diagonal()), "a diagonal matrix"),
    "subtracted": (with_cov(lambda w, v, d, noise: spread(w, d) - noise), "not subtracted"),
    "noise of a mean": (with_cov(lambda w, v, d, noise: spread(w, d) + noise / len(w)), "does not average away"),
    "noise n times": (with_cov(lambda w, v, d, noise: spread(w, d) + noise * len(w)), "it counts once"),
    "noise weighed": (with_cov(lambda w, v, d, noise: spread(w, d) + noise * (w @ w)), "weighed twice"),
    "twice the noise": (with_cov(lambda w, v, d, noise: spread(w, d) + 2 * noise), "add diag(σ²) once"),
    "diagonal": (with_cov(lambda w, v, d, noise: np.diag(np.diag(spread(w, d) + noise))), "it was the covariances"),
    "covariance of all": (with_cov(lambda w, v, d, noise: np.cov(v.T) + noise), "the covariance is not"),
    "of all, by n": (with_cov(lambda w, v, d, noise: np.cov(v.T, ddof=0) + noise), "the covariance is not"),
    "weighted centres": (with_cov(lambda w, v, d, noise: np.cov(len(w) * w * v.T) + noise), "centres are multiplied"),
    "weights twice": (with_cov(lambda w, v, d, noise: spread(w**2, d) + noise), "each weight counts twice"),
    "products of all": (with_cov(lambda w, v, d, noise: d.T @ d / len(w) + noise), "but all count the same"),
    "unweighted mean": (with_cov(lambda w, v, d, noise: spread(w, v - v.mean(0)) + noise), "*unweighted* mean"),
    "about zero": (with_cov(lambda w, v, d, noise: spread(w, v) + noise), "subtract the mean"),
    "by n as well": (with_cov(lambda w, v, d, noise: spread(w, d) / len(w) + noise), "divided by n as well"),
    "weights not divided": (
        lambda h, log_w, g: (
            right_moments(h, log_w, g)[0],
            spread(np.exp(log_w), g.visible_mean(h) - right_moments(h, log_w, g)[0]) + np.diag(g.sigma**2),
        ),
        "not divided by their sum",
    ),
    "by n - 1": (
        with_cov(lambda w, v, d, noise: spread(w, d) * len(w) / (len(w) - 1) + noise),
        "or by n - 1",
    ),
    "rows": (with_cov(lambda w, v, d, noise: np.cov(v)), "np.cov wants one *row*"),
    "NaN": (with_cov(lambda w, v, d, noise: spread(w, d) * np.nan), "NaN"),
    "exchanged": (lambda *given: right_moments(*given)[::-1], "the mean first"),
    "one thing": (lambda *given: right_moments(*given)[1], "return two arrays"),
}


@pytest.mark.parametrize("mistake", WRONG_MOMENTS)
def test_wrong_moments(mistake):
    answer, message = WRONG_MOMENTS[mistake]
    verdict = check.weighted_covariance(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_a_chain_of_no_weight_that_makes_it_nan():
    def answer(h, log_w, grbm):
        return right_moments(h, log_w - log_w.mean(), grbm)

    verdict = check.weighted_covariance(answer)
    assert verdict.passed is False
    assert "NaN" in verdict.message


def test_right_moments():
    def answer(h, log_w, grbm, ddof=0):
        w, v = weights_of(log_w), grbm.visible_mean(h)
        return np.average(v, axis=0, weights=w), np.cov(v.T, aweights=w, ddof=ddof) + np.diag(grbm.sigma**2)

    assert "you divide by 1 - Σw²" in check.weighted_covariance(lambda *given: answer(*given, ddof=1)).message
    for right in (answer, right_moments, lambda *given: list(answer(*given))):
        verdict = check.weighted_covariance(right)
        assert verdict.passed, verdict


# Exercise 3


def others(q, W):
    return (1 - q * W) / (1 - q)


def foretold(q, W, n_runs, n_chains):
    u = others(q, W)
    return (1 - q) ** (n_runs * n_chains), np.log(u), q * W**2 + (1 - q) * u**2 - 1


def with_number(i, number):
    """The right three numbers with number i replaced."""

    def answer(q, W, n_runs, n_chains):
        three = list(foretold(q, W, n_runs, n_chains))
        three[i] = number(q, W, n_runs, n_chains)
        return tuple(three)

    return answer


WRONG_UNSEEN = {
    "backwards": (lambda *given: foretold(*given)[::-1], "in another order"),
    "one run": (with_number(0, lambda q, W, R, C: (1 - q) ** C), "about one run"),
    "runs": (with_number(0, lambda q, W, R, C: (1 - q) ** R), "counts runs"),
    "seen": (with_number(0, lambda q, W, R, C: 1 - (1 - q) ** (R * C)), "some chain arrives"),
    "expected": (with_number(0, lambda q, W, R, C: R * C * q), "expected to arrive"),
    "subtracted": (with_number(0, lambda q, W, R, C: 1 - R * C * q), "multiply"),
    "Poisson": (with_number(0, lambda q, W, R, C: np.exp(-R * C * q)), "near for small q alone"),
    "a thousandth at least": (with_number(0, lambda q, W, R, C: max(1e-3, (1 - q) ** (R * C))), "is 2.656e-05"),
    "10^-12 at least": (with_number(0, lambda q, W, R, C: max(1e-12, (1 - q) ** (R * C))), "is 7.889e-31"),
    "a first order": (with_number(1, lambda q, W, R, C: others(q, W) - 1), "near the logarithm only"),
    "q W": (with_number(1, lambda q, W, R, C: -q * W), "to first order"),
    "of a coin of 1 and W": (with_number(2, lambda q, W, R, C: q * (1 - q) * (W - 1) ** 2), "W - u, not W - 1"),
    "squares of the rare": (with_number(2, lambda q, W, R, C: q * (W - 1) ** 2), "the others are off by u - 1"),
    "no 1 - q": (with_number(2, lambda q, W, R, C: q * (W - others(q, W)) ** 2), "lacks the 1 - q"),
    "sum of exponents": (with_number(0, lambda q, W, R, C: (1 - q) ** (R + C)), "none arrives"),
    "no log": (with_number(1, lambda q, W, R, C: others(q, W)), "return its logarithm"),
    "too high": (with_number(1, lambda q, W, R, C: -np.log(others(q, W))), "too low"),
    "no error": (with_number(1, lambda q, W, R, C: 0.0), "weigh less than Z"),
    "not divided": (with_number(1, lambda q, W, R, C: np.log(1 - q * W)), "only 1 - q of them"),
    "of the rare": (with_number(1, lambda q, W, R, C: np.log(q * W)), "what such a chain would bring"),
    "log10": (with_number(1, lambda q, W, R, C: np.log10(others(q, W))), "to base 10"),
    "log of twice": (with_number(1, lambda q, W, R, C: np.log(2 * others(q, W))), "the natural log of that"),
    "mean square": (with_number(2, lambda q, W, R, C: foretold(q, W, R, C)[2] + 1), "still to be subtracted"),
    "rare alone": (with_number(2, lambda q, W, R, C: q * W**2), "leaves out the other chains"),
    "rare alone, less 1": (with_number(2, lambda q, W, R, C: q * W**2 - 1), "leaves out the other chains"),
    "others weigh Z": (with_number(2, lambda q, W, R, C: q * W**2 - q), "more than Z"),
    "root": (with_number(2, lambda q, W, R, C: foretold(q, W, R, C)[2] ** 0.5), "standard deviation"),
    "of the mean": (with_number(2, lambda q, W, R, C: foretold(q, W, R, C)[2] / C), "of one weight"),
    "of log w": (with_number(2, lambda q, W, R, C: q * (1 - q) * np.log(W / others(q, W)) ** 2), "variance of log w"),
    "of a coin": (with_number(2, lambda q, W, R, C: q * (1 - q) * W**2), "the variance of w / Z is"),
    "never too high": (with_number(1, lambda q, W, R, C: min(0, np.log(others(q, W)))), "weigh less than Z"),
    "a nat at most": (with_number(1, lambda q, W, R, C: max(-1, np.log(others(q, W)))), "the natural log of that"),
    "of many chains": (with_number(0, lambda q, W, R, C: (1 - q) ** max(R * C, 5)), "with q = 0.6"),
    "two": (lambda *given: foretold(*given)[:2], "return three numbers"),
    "arrays": (with_number(2, lambda q, W, R, C: np.array([1.0])), "shape"),
    "NaN": (with_number(2, lambda q, W, R, C: np.nan), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_UNSEEN)
def test_wrong_unseen(mistake):
    answer, message = WRONG_UNSEEN[mistake]
    verdict = check.unseen(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_unseen():
    assert check.unseen(foretold).passed
    coin = lambda q, W, R, C: q * (1 - q) * (W - others(q, W)) ** 2  # noqa: E731
    assert check.unseen(with_number(2, coin)).passed
    assert check.unseen(with_number(0, lambda q, W, R, C: np.exp(R * C * np.log1p(-q)))).passed
    assert check.unseen(with_number(0, lambda q, W, R, C: binom.pmf(0, R * C, q))).passed
    assert check.unseen(lambda *given: np.array(foretold(*given))).passed


@pytest.mark.parametrize("one", [check.kept, check.weighted_covariance, check.unseen])
def test_untouched_stub(one):
    for stub in (..., lambda *given: ..., lambda *given: (..., ...)):
        verdict = one(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
