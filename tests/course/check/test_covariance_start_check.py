"""Every check of notebook 07 accepts what is right, however it is written, and rejects its own wrong answers."""

import numpy as np
import pytest

from anneal_edu.course.check import covariance_start as check
from anneal_edu.course.experiments import kiwaki

# Exercise 1


def right_conditional(h, beta, grbm, mean, variance):
    precision = beta / grbm.sigma**2 + (1 - beta) / variance
    pull = beta * (grbm.visible_bias + grbm.sigma * (h @ grbm.weights.T)) / grbm.sigma**2 + (1 - beta) * mean / variance
    return pull / precision, 1 / precision


def as_printed(h, beta, grbm, mean, variance):
    spread = 1 / (beta / variance + (1 - beta) / grbm.sigma**2)
    pull = beta / grbm.sigma**2 * (grbm.sigma * (h @ grbm.weights.T) + grbm.visible_bias)
    return spread * (pull + (1 - beta) / variance * mean), spread


def of_right(change):
    return lambda *given: change(*right_conditional(*given))


def with_image(image):
    def answer(h, beta, grbm, mean, variance):
        precision = beta / grbm.sigma**2 + (1 - beta) / variance
        pull = beta * image(h, grbm) / grbm.sigma**2 + (1 - beta) * mean / variance
        return pull / precision, 1 / precision

    return answer


def backwards(h, beta, grbm, mean, variance):
    return right_conditional(h, 1 - beta, grbm, mean, variance)


def variances_averaged(h, beta, grbm, mean, variance):
    return right_conditional(h, beta, grbm, mean, variance)[0], beta * grbm.sigma**2 + (1 - beta) * variance


def variances_and_means_averaged(h, beta, grbm, mean, variance):
    centre = beta * grbm.visible_mean(h) + (1 - beta) * mean
    return centre, beta * grbm.sigma**2 + (1 - beta) * variance


def test_an_average_that_is_right_where_variances_are_alike():
    """Only variances that differ greatly tell it from the right answer."""

    def geometric(h, beta, grbm, mean, variance):
        centre, spread = right_conditional(h, beta, grbm, mean, variance)
        log = np.clip(np.log(variance / grbm.sigma**2), -2, 2)
        return centre, spread if (np.abs(log) < 2).all() else np.exp(log) * grbm.sigma**2

    verdict = check.conditional(geometric)
    assert verdict.passed is False
    assert "your mean is right and your variance is here too large and there too small" in verdict.message
    assert "complete the square" in verdict.message


def plain_average(h, beta, grbm, mean, variance):
    centre = beta * grbm.visible_mean(h) + (1 - beta) * mean
    return centre, right_conditional(h, beta, grbm, mean, variance)[1]


def with_precision(of_target, of_start, in_mean=True):
    """1/σ² and 1/s² replaced, in the mean and the variance or in the variance alone."""

    def answer(h, beta, grbm, mean, variance):
        target, start = beta / of_target(grbm.sigma), (1 - beta) / of_start(variance)
        pull = target * grbm.visible_mean(h) + start * mean
        right = right_conditional(h, beta, grbm, mean, variance)[0]
        return pull / (target + start) if in_mean else right, 1 / (target + start)

    return answer


def of_deviations(in_mean):
    return with_precision(lambda sigma: sigma, np.sqrt, in_mean)


WRONG_CONDITIONAL = {
    "as printed": (as_printed, "Eq. 9 as printed"),
    "σ in the precision": (with_precision(lambda sigma: sigma, lambda s2: s2), "yours has σ there"),
    "√s² in the precision": (with_precision(np.square, np.sqrt), "yours takes its root first"),
    "deviations in the precisions": (of_deviations(True), "in both of yours"),
    "σ in the variance": (with_precision(lambda sigma: sigma, lambda s2: s2, False), "in your variance the target's"),
    "√s² in the variance": (with_precision(np.square, np.sqrt, False), "in your variance the start's"),
    "deviations in the variance": (of_deviations(False), "in your variance a precision"),
    "NaN at the start": (of_right(lambda m, v: (m, v + 0 * np.log(v - v.min() - 1e-3))), "at β = 0.2 the variance has"),
    "backwards": (backwards, "runs the path backwards"),
    "standard deviation": (of_right(lambda m, v: (m, np.sqrt(v))), "its square root"),
    "precision": (of_right(lambda m, v: (m, 1 / v)), "its inverse"),
    "variances averaged": (variances_averaged, "it is the *precisions*"),
    "variances averaged, means too": (variances_and_means_averaged, "pulls harder"),
    "plain average": (plain_average, "pulls harder"),
    "no division": (of_right(lambda m, v: (m / v, v)), "not yet divided"),
    "sigma missing": (with_image(lambda h, g: h @ g.weights.T + g.visible_bias), "the factor σ is missing"),
    "all averaged": (
        lambda h, beta, g, m, v: (beta * g.visible_mean(h) + (1 - beta) * m, beta * g.sigma**2 + (1 - beta) * v),
        "you averaged variances and centres",
    ),
    "averaged and divided": (
        lambda h, beta, g, m, v: (
            (beta * g.sigma**2 + (1 - beta) * v) * (beta * g.visible_mean(h) / g.sigma**2 + (1 - beta) * m / v),
            beta * g.sigma**2 + (1 - beta) * v,
        ),
        "you averaged the variances, and divided by them",
    ),
    "bias missing": (with_image(lambda h, g: g.sigma * (h @ g.weights.T)), "the visible bias is missing"),
    "target alone": (lambda h, beta, g, m, v: (g.visible_mean(h), g.sigma**2), "the conditional of the target"),
    "slightly too wide": (of_right(lambda m, v: (m, 1.1 * v)), "your mean is right and your variance is too large."),
    "slightly too narrow": (of_right(lambda m, v: (m, 0.9 * v)), "your mean is right and your variance is too small."),
    "slightly beside": (of_right(lambda m, v: (m + 0.1, v)), "your mean is too large and your variance is right."),
    "stretched": (of_right(lambda m, v: (2 * m, v)), "your mean is here too large and there too small"),
    "right at the target": (
        lambda h, beta, g, m, v: right_conditional(h, np.sqrt(beta), g, m, v),
        "only the start is left, yours is right; at β = 1, where only the target is left, right.",
    ),
    "wrong at the start": (
        lambda h, beta, g, m, v: right_conditional(h, beta, g, m, 2 * v),
        "only the start is left, yours is wrong; at β = 1, where only the target is left, right.",
    ),
    "swapped": (of_right(lambda m, v: (v, m)), "the mean has shape"),
    "one row": (of_right(lambda m, v: (m[0], v)), "one row for each h"),
    "a variance for each h": (of_right(lambda m, v: (m, np.tile(v, (len(m), 1)))), "the same for every h"),
    "negative": (of_right(lambda m, v: (m, -v)), "must be positive"),
    "NaN": (of_right(lambda m, v: (m * np.nan, v)), "NaN"),
    "mean alone": (lambda *given: right_conditional(*given)[0], "return two arrays"),
    "error": (lambda *given: given[0] / "h", "raised TypeError"),
}


@pytest.mark.parametrize("mistake", WRONG_CONDITIONAL)
def test_wrong_conditional(mistake):
    answer, message = WRONG_CONDITIONAL[mistake]
    verdict = check.conditional(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_conditional():
    assert check.conditional(right_conditional).passed

    def in_units_of_sigma(h, beta, grbm, mean, variance):
        ratio = grbm.sigma**2 / variance
        precision = beta + (1 - beta) * ratio
        return (beta * grbm.visible_mean(h) + (1 - beta) * ratio * mean) / precision, grbm.sigma**2 / precision

    assert check.conditional(in_units_of_sigma).passed


@pytest.mark.parametrize("grbm", [kiwaki.four_modes(), kiwaki.strong_covariances()], ids=["four modes", "strong"])
def test_the_conditional_of_the_lesson_is_the_printed_one(grbm):
    mean, cov = grbm.mean_and_cov()
    h = np.eye(grbm.n_hidden)
    for beta in (0.0, 0.3, 1.0):
        lesson = kiwaki.printed_conditional(h, beta, grbm, mean, cov.diagonal())
        for found, printed in zip(lesson, as_printed(h, beta, grbm, mean, cov.diagonal()), strict=True):
            np.testing.assert_allclose(found, printed)


@pytest.mark.parametrize("grbm", [kiwaki.four_modes(), kiwaki.strong_covariances()], ids=["four modes", "strong"])
def test_the_printed_conditional_moves_the_moments_and_the_right_one_does_not(grbm):
    for beta in (0.2, 0.8, 1.0):
        assert check.shift_after_one_step(right_conditional, grbm, beta) < 5
        assert check.shift_after_one_step(as_printed, grbm, beta) > 20
    assert check.shift_after_one_step(as_printed, grbm, 0.5) < 5, "at ½ nothing is exchanged"


# Exercise 2


def right_moments(h, grbm):
    v = h @ grbm.weights.T * grbm.sigma + grbm.visible_bias
    return v.mean(0), np.cov(v.T, ddof=0) + np.diag(grbm.sigma**2)


def from_draws(h, grbm):
    v = grbm.visible_given_hidden(h, np.random.default_rng(0))
    return v.mean(0), np.cov(v.T)


def of_centres(change):
    def answer(h, grbm):
        v = grbm.visible_mean(h)
        return v.mean(0), change(np.cov(v.T), grbm, v)

    return answer


WRONG_MOMENTS = {
    "noise missing": (of_centres(lambda cov, g, v: cov), "it is singular"),
    "sigma": (of_centres(lambda cov, g, v: cov + np.diag(g.sigma)), "the *variance* σ²"),
    "everywhere": (of_centres(lambda cov, g, v: cov + g.sigma**2), "a diagonal matrix"),
    "subtracted": (of_centres(lambda cov, g, v: cov - np.diag(g.sigma**2)), "not subtracted"),
    "diagonal": (of_centres(lambda cov, g, v: np.diag(cov.diagonal() + g.sigma**2)), "it was the covariances"),
    "about zero": (of_centres(lambda cov, g, v: v.T @ v / len(v) + np.diag(g.sigma**2)), "subtract the mean"),
    "rows": (of_centres(lambda cov, g, v: np.cov(v)), "np.cov wants one *row*"),
    "half the noise": (of_centres(lambda cov, g, v: cov + 0.5 * np.diag(g.sigma**2)), "narrower than σ²"),
    "twice the noise": (of_centres(lambda cov, g, v: cov + 2 * np.diag(g.sigma**2)), "it is biased"),
    "n - 2": (of_centres(lambda cov, g, v: cov * (len(v) - 1) / (len(v) - 2) + np.diag(g.sigma**2)), "n - 1 or n"),
    "half the spread": (of_centres(lambda cov, g, v: 0.5 * cov + np.diag(g.sigma**2)), "it is biased"),
    "draws": (from_draws, "the mean is wrong"),
    "mean right, covariance of draws": (lambda h, g: (right_moments(h, g)[0], from_draws(h, g)[1]), "narrower than σ²"),
    "sigma missing": (lambda h, g: ((h @ g.weights.T + g.visible_bias).mean(0), np.eye(6)), "factor σ is missing"),
    "bias missing": (lambda h, g: ((g.sigma * (h @ g.weights.T)).mean(0), np.eye(6)), "visible bias is missing"),
    "NaN": (of_centres(lambda cov, g, v: cov * np.nan), "NaN"),
    "exchanged": (lambda h, g: right_moments(h, g)[::-1], "the mean first"),
    "one thing": (lambda h, g: right_moments(h, g)[1], "return two arrays"),
}


@pytest.mark.parametrize("mistake", WRONG_MOMENTS)
def test_wrong_moments(mistake):
    answer, message = WRONG_MOMENTS[mistake]
    verdict = check.averaged_covariance(answer)
    assert verdict.passed is False
    assert message in verdict.message


@pytest.mark.parametrize("ddof", [0, 1])
def test_right_moments(ddof):
    def answer(h, grbm):
        v = grbm.visible_mean(h)
        return v.mean(0), np.cov(v.T, ddof=ddof) + np.diag(grbm.sigma**2)

    verdict = check.averaged_covariance(answer)
    assert verdict.passed, verdict
    assert "never narrower" in verdict.message


def test_a_noisier_covariance_that_is_widened_is_not_enough():
    def widened(h, grbm):
        mean, _ = right_moments(h, grbm)
        cov = from_draws(h, grbm)[1] / np.outer(grbm.sigma, grbm.sigma)
        eigenvalues, R = np.linalg.eigh(cov)
        return mean, (R * np.maximum(eigenvalues, 1)) @ R.T * np.outer(grbm.sigma, grbm.sigma)

    assert check.averaged_covariance(widened).passed is False


def test_a_covariance_of_draws_is_unbiased_and_too_noisy():
    rng = np.random.default_rng(3)

    def answer(h, grbm):
        mean, cov = right_moments(h, grbm)
        return mean, cov if len(h) < 50 else np.cov(grbm.visible_given_hidden(h, rng).T)

    verdict = check.averaged_covariance(answer)
    assert verdict.passed is False
    assert "as noisy as that of the states" in verdict.message, verdict


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
    "one run": (with_number(0, lambda q, W, R, C: (1 - q) ** C), "about one run"),
    "runs": (with_number(0, lambda q, W, R, C: (1 - q) ** R), "counts runs"),
    "seen": (with_number(0, lambda q, W, R, C: 1 - (1 - q) ** (R * C)), "some chain arrives"),
    "expected": (with_number(0, lambda q, W, R, C: R * C * q), "expected to arrive"),
    "subtracted": (with_number(0, lambda q, W, R, C: 1 - R * C * q), "multiply"),
    "Poisson": (with_number(0, lambda q, W, R, C: np.exp(-R * C * q)), "none arrives"),
    "sum of exponents": (with_number(0, lambda q, W, R, C: (1 - q) ** (R + C)), "none arrives"),
    "no log": (with_number(1, lambda q, W, R, C: others(q, W)), "return its logarithm"),
    "too high": (with_number(1, lambda q, W, R, C: -np.log(others(q, W))), "too low"),
    "no error": (with_number(1, lambda q, W, R, C: 0.0), "weigh less than Z"),
    "not divided": (with_number(1, lambda q, W, R, C: np.log(1 - q * W)), "only 1 - q of them"),
    "of the rare": (with_number(1, lambda q, W, R, C: np.log(q * W)), "has seen such a chain"),
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
    assert check.unseen(lambda *given: np.array(foretold(*given))).passed


@pytest.mark.parametrize("one", [check.conditional, check.averaged_covariance, check.unseen])
def test_untouched_stub(one):
    for stub in (..., lambda *given: ..., lambda *given: (..., ...)):
        verdict = one(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
