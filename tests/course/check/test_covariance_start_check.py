"""Every check of notebook 07 accepts what is right, however it is written, and rejects its own wrong answers."""

import numpy as np
import pytest
from scipy.linalg import cholesky, eigh, solve_triangular

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


def plain_average(h, beta, grbm, mean, variance):
    centre = beta * grbm.visible_mean(h) + (1 - beta) * mean
    return centre, right_conditional(h, beta, grbm, mean, variance)[1]


WRONG_CONDITIONAL = {
    "as printed": (as_printed, "Eq. 9 as printed"),
    "backwards": (backwards, "runs the path backwards"),
    "standard deviation": (of_right(lambda m, v: (m, np.sqrt(v))), "its square root"),
    "precision": (of_right(lambda m, v: (m, 1 / v)), "its inverse"),
    "variances averaged": (variances_averaged, "it is the *precisions*"),
    "plain average": (plain_average, "pulls harder"),
    "no division": (of_right(lambda m, v: (m / v, v)), "not yet divided"),
    "sigma missing": (with_image(lambda h, g: h @ g.weights.T + g.visible_bias), "the factor σ is missing"),
    "bias missing": (with_image(lambda h, g: g.sigma * (h @ g.weights.T)), "the visible bias is missing"),
    "target alone": (lambda h, beta, g, m, v: (g.visible_mean(h), g.sigma**2), "the conditional of the target"),
    "slightly too wide": (of_right(lambda m, v: (m, 1.1 * v)), "p_β is not invariant"),
    "slightly beside": (of_right(lambda m, v: (m + 0.1, v)), "p_β is not invariant"),
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
    "half the spread": (of_centres(lambda cov, g, v: 0.5 * cov + np.diag(g.sigma**2)), "it is biased"),
    "draws": (from_draws, "the mean is wrong"),
    "mean right, covariance of draws": (lambda h, g: (right_moments(h, g)[0], from_draws(h, g)[1]), "narrower than σ²"),
    "sigma missing": (lambda h, g: ((h @ g.weights.T + g.visible_bias).mean(0), np.eye(6)), "factor σ is missing"),
    "bias missing": (lambda h, g: ((g.sigma * (h @ g.weights.T)).mean(0), np.eye(6)), "visible bias is missing"),
    "NaN": (of_centres(lambda cov, g, v: cov * np.nan), "NaN"),
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


def right_coordinates(P0, P1):
    eigenvalues, A = eigh(P0, P1)
    return A, eigenvalues


def by_hand(P0, P1):
    L = cholesky(P1, lower=True)
    inverse = solve_triangular(L, np.eye(len(P1)), lower=True)
    eigenvalues, R = np.linalg.eigh(inverse @ P0 @ inverse.T)
    return (inverse.T @ R)[:, ::-1], eigenvalues[::-1]


def not_normalised(P0, P1):
    eigenvalues, A = np.linalg.eig(np.linalg.inv(P1) @ P0)
    return A, eigenvalues


def exchanged(P0, P1):
    eigenvalues, A = eigh(P1, P0)
    return A, eigenvalues


def whitened_only(P0, P1):
    inverse = np.linalg.inv(cholesky(P1, lower=True))
    return inverse.T, np.diag(inverse @ P0 @ inverse.T)


def of_the_target(P0, P1):
    eigenvalues, A = np.linalg.eigh(P1)
    return A, eigenvalues


def of_right_coordinates(change):
    return lambda P0, P1: change(*right_coordinates(P0, P1))


WRONG_COORDINATES = {
    "of the start": (lambda P0, P1: np.linalg.eigh(P0)[::-1], "Whiten P1 first"),
    "of the target": (of_the_target, "eigenvectors of P1 alone"),
    "not normalised": (not_normalised, "divide each column"),
    "exchanged": (exchanged, "you have exchanged the two"),
    "not rotated": (whitened_only, "A rotation is still free"),
    "transposed": (of_right_coordinates(lambda A, lam: (A.T, lam)), "return the transpose"),
    "inverse": (of_right_coordinates(lambda A, lam: (A, 1 / lam)), "the inverses"),
    "other order": (of_right_coordinates(lambda A, lam: (A, lam[::-1])), "not in the order"),
    "other values": (of_right_coordinates(lambda A, lam: (A, lam + 1)), "should be the diagonal"),
    "the other way round": (of_right_coordinates(lambda A, lam: (lam, np.diag(lam))), "A first, then λ"),
    "matrix": (of_right_coordinates(lambda A, lam: (A, np.diag(lam))), "the diagonal alone"),
    "identity": (lambda P0, P1: (np.eye(len(P0)), np.diag(P0).copy()), "is not the identity"),
    "NaN": (of_right_coordinates(lambda A, lam: (A * np.nan, lam)), "NaN"),
    "A alone": (of_right_coordinates(lambda A, lam: A[0]), "return two arrays"),
}


@pytest.mark.parametrize("mistake", WRONG_COORDINATES)
def test_wrong_coordinates(mistake):
    answer, message = WRONG_COORDINATES[mistake]
    verdict = check.common_coordinates(answer)
    assert verdict.passed is False
    assert message in verdict.message


@pytest.mark.parametrize("answer", [right_coordinates, by_hand])
def test_right_coordinates(answer):
    assert check.common_coordinates(answer).passed


@pytest.mark.parametrize("one", [check.conditional, check.averaged_covariance, check.common_coordinates])
def test_untouched_stub(one):
    for stub in (..., lambda *given: ..., lambda *given: (..., ...)):
        verdict = one(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
