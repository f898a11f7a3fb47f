"""Known-wrong answers to the exercises of notebook 09: each is rejected with a message about its own mistake."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import anneal_edu as ae
from anneal_edu.course.check import image_models
from anneal_edu.course.check.unseen_pixels import log_normal


def chains(r, spread, budget):
    return (r**2 * budget / (2 * spread**2)) ** (1 / 3)


def cheapest(error):
    """The C of the smallest error(r, C, spread, budget), found by a computer."""

    def answer(r, spread, budget):
        options = {"bounds": (1, budget), "method": "bounded", "options": {"xatol": 1e-7}}
        return minimize_scalar(lambda C: error(r, C, spread, budget), **options).x

    return answer


WRONG_CHAINS = {
    "all for patches": (lambda r, s, B: 1, "What do they do to the bias"),
    "all for chains": (lambda r, s, B: B, "all chains into one patch"),
    "no bias": (cheapest(lambda r, C, s, B: (s**2 * C + r) / B), "What do they do to the bias"),
    "no spread": (cheapest(lambda r, C, s, B: (r / C) ** 2 / 4 + r / B), "all chains into one patch"),
    "averaged bias": (cheapest(lambda r, C, s, B: (r / C) ** 2 * C / (4 * B) + (s**2 * C + r) / B), "has all of it"),
    "no half": (cheapest(lambda r, C, s, B: (r / C) ** 2 + (s**2 * C + r) / B), "*half* of r/C"),
    "bias not squared": (cheapest(lambda r, C, s, B: r / C / 2 + (s**2 * C + r) / B), "Its *square* adds"),
    "bias plus bar": (cheapest(lambda r, C, s, B: r / C / 2 + np.sqrt((s**2 * C + r) / B)), "*squared* bias"),
    "spread not squared": (cheapest(lambda r, C, s, B: (r / C) ** 2 / 4 + (s * C + r) / B), "variance has its square"),
    "equal parts": (lambda r, s, B: np.cbrt(r**2 * B / (4 * s**2)), "where their slopes cancel"),
    "a factor 2": (lambda r, s, B: np.cbrt(r**2 * B / s**2), "The factor 2 is lost"),
    "r not squared": (lambda r, s, B: np.cbrt(r * B / (2 * s**2)), "its square has r²"),
    "bias as large as the chains' bar": (lambda r, s, B: np.sqrt(r * B) / 2, "leaves out that patches differ"),
    "square root": (lambda r, s, B: np.sqrt(r**2 * B / (2 * s**2)), "it is C³ that you have found"),
    "brackets missing": (lambda r, s, B: (r * r * B / (2 * s * s)) ** 1 / 3, "write `** (1/3)`"),
    "twice the budget": (lambda r, s, B: 2 * B, "more chains a patch than the budget has, 1,000"),
    "no root": (lambda r, s, B: r**2 * B / (2 * s**2), "a root is missing"),
    "patches": (lambda r, s, B: B / chains(r, s, B), "the number of patches"),
    "a slope's sign": (lambda r, s, B: (-(r**2) * B / (2 * s**2)) ** (1 / 3), "a sign?"),
    "less than none": (lambda r, s, B: -chains(r, s, B), "is positive"),
    "one more": (lambda r, s, B: chains(r, s, B) + 1, "not C - 1"),
    "upside down": (lambda r, s, B: 1 / chains(r, s, B), "upside down"),
    "a third of r²": (lambda r, s, B: np.cbrt(r**2 * B / (3 * s**2)), "*squared* bias"),
    "the variance of a weight for that of a patch": (
        lambda r, s, B: np.cbrt(r**2 * B / (2 * (s**2 + r))), "r is the variance of a single weight"
    ),
    "a third too many": (lambda r, s, B: 1.3 * chains(r, s, B), "Near, but not yet"),
    "spread forgotten": (lambda r, s, B: np.cbrt(r**2 * B / 2), "`spread` is missing"),
    "half of it": (lambda r, s, B: chains(r, s, B) / 2, "measured in 1,500 repeats"),
    "root of the budget": (lambda r, s, B: np.sqrt(B), "measured in 1,500 repeats"),
    "always the same": (lambda r, s, B: 16.84, "right for a budget of 1,000"),
    "for a budget of 1,000": (lambda r, s, B: chains(r, s, 1000), "right for a budget of 1,000"),
    "a third too many with a large budget": (
        lambda r, s, B: chains(r, s, B) * (1.3 if B > 1000 else 1.0), "budget 30,000: your C = 68"
    ),
    "a thousand at most": (lambda r, s, B: min(1000, chains(r, s, B)), "r = 200"),
    "eight patches at least": (lambda r, s, B: min(B / 8, chains(r, s, B)), "r = 60"),
    "two at least": (lambda r, s, B: max(2, chains(r, s, B)), "r = 0.3"),
    "one and a half at least": (lambda r, s, B: max(1.5, chains(r, s, B)), "r = 0.3"),
    "a power of 0.33": (lambda r, s, B: (r**2 * B / (2 * s**2)) ** 0.33, "as the power 1/3"),
    "r a deviation": (lambda r, s, B: chains(r**2, s, B), "r is a variance already"),
    "a patch too few": (lambda r, s, B: B / (np.floor(B / chains(r, s, B)) - 1), "not C - 1"),

    "a pair": (lambda r, s, B: (B / 10, 10), "shape"),
    "NaN": (lambda r, s, B: np.nan, "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_CHAINS)
def test_wrong_chains(mistake):
    answer, message = WRONG_CHAINS[mistake]
    verdict = image_models.chains_a_patch(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_chains():
    cuts = np.floor, np.round, np.ceil
    whole = [lambda *given, cut=cut: int(cut(chains(*given))) for cut in cuts]
    whole += [lambda r, s, B, cut=cut: B / cut(B / chains(r, s, B)) for cut in cuts]
    searched = cheapest(lambda r, C, s, B: (r / C) ** 2 / 4 + (s**2 * C + r) / B)
    for answer in (chains, lambda *given: np.array(chains(*given)), searched, *whole):
        assert image_models.chains_a_patch(answer).passed, image_models.chains_a_patch(answer)


def test_chains_that_pass_have_been_measured(monkeypatch):
    monkeypatch.setattr(image_models, "_measured", lambda chains: [1.0, 2.0, 1.4])
    assert "Yours should be much the smallest" in image_models.chains_a_patch(chains).message


def scatter(a, b, ddof=1):
    return np.std(a - b, ddof=ddof) / np.sqrt(len(a))


def gap(a, b, each, shared):
    return np.hypot(scatter(a, b), shared)


def of_chains(each):
    return np.sqrt(np.sum(each**2)) / len(each)


def separately(a, b):
    return np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / len(a))


WRONG_GAP = {
    "log_z_error twice": (
        lambda a, b, each, shared: np.sqrt(np.var(a - b, ddof=1) / len(a) + 2 * shared**2), "count log_z_error twice"
    ),
    "separately": (lambda a, b, each, shared: separately(a, b), "patches of its own"),
    "separately, all": (lambda a, b, each, shared: np.hypot(separately(a, b), shared), "patches of its own"),
    "separately, and the chains'": (
        lambda a, b, each, shared: np.sqrt(separately(a, b) ** 2 + of_chains(each) ** 2 + shared**2),
        "patches of its own",
    ),
    "the chains' once more": (
        lambda a, b, each, shared: np.hypot(gap(a, b, each, shared), of_chains(each)), "mc_errors once more"
    ),
    "the chains' once more, as of one patch": (
        lambda a, b, each, shared: np.hypot(gap(a, b, each, shared), each.mean()), "mc_errors once more"
    ),
    "everything by root N": (
        lambda a, b, each, shared: np.sqrt((np.var(a - b, ddof=1) + (each**2).mean() + shared**2) / len(a)),
        "mc_errors once more",
    ),
    "all three added": (
        lambda a, b, each, shared: scatter(a, b) + of_chains(each) + shared, "mc_errors once more"
    ),
    "the chains' alone": (lambda a, b, each, shared: of_chains(each), "the patches are another"),
    "the chains' in place of the scatter": (
        lambda a, b, each, shared: np.hypot(of_chains(each), shared), "the patches are another"
    ),
    "the chains' taken away": (
        lambda a, b, each, shared: np.sqrt(gap(a, b, each, shared) ** 2 - of_chains(each) ** 2), "out of the scatter"
    ),
    "log Z by root N": (lambda a, b, each, shared: np.hypot(scatter(a, b), shared / np.sqrt(len(a))), "by √N: but"),
    "log Z by N": (lambda a, b, each, shared: np.hypot(scatter(a, b), shared / len(a)), "by N: but"),
    "log Z forgotten": (lambda a, b, each, shared: scatter(a, b), "leave out that log Ẑ may be off"),
    "log Z alone": (lambda a, b, each, shared: shared, "log_z_error and no more"),
    "log Z taken away": (lambda a, b, each, shared: np.sqrt(scatter(a, b) ** 2 - shared**2), "comes on top"),
    "log Z not squared": (lambda a, b, each, shared: np.sqrt(scatter(a, b) ** 2 + shared), "it is its square"),
    "a plain sum": (lambda a, b, each, shared: scatter(a, b) + shared, "add in squares"),
    "the larger of the two": (lambda a, b, each, shared: max(scatter(a, b), shared), "the larger of the two errors"),
    "the larger of the two, by N": (
        lambda a, b, each, shared: max(scatter(a, b, 0), shared), "the larger of the two errors"
    ),
    "ddof 0": (lambda a, b, each, shared: np.hypot(scatter(a, b, 0), shared), "divide the squares by N - 1"),
    "1 taken away twice": (
        lambda a, b, each, shared: np.hypot(np.std(a - b, ddof=1) / np.sqrt(len(a) - 1), shared), "away twice"
    ),
    "no root": (lambda a, b, each, shared: gap(a, b, each, shared) ** 2, "The root is missing"),
    "of one difference": (lambda a, b, each, shared: np.hypot(np.std(a - b, ddof=1), shared), "*one* difference"),
    "by N": (lambda a, b, each, shared: np.hypot(np.std(a - b, ddof=1) / len(a), shared), "with √N only"),
    "by 10": (lambda a, b, each, shared: np.hypot(np.std(a - b, ddof=1) / 10, shared), "here there are N patches"),
    "two of them": (lambda a, b, each, shared: 2 * gap(a, b, each, shared), "two standard errors"),
    "a sum of models": (lambda a, b, each, shared: np.hypot(scatter(a, -b), shared), "You add the two models"),
    "of the first model": (lambda a, b, each, shared: np.hypot(scatter(a, 0 * a), shared), "The second model's"),
    "of the second model": (lambda a, b, each, shared: np.hypot(scatter(b, 0 * b), shared), "The first model's"),
    "of the one that varies less": (
        lambda a, b, each, shared: np.hypot(min(scatter(a, 0 * a), scatter(b, 0 * b)), shared), "The first model's"
    ),
    "variances by N, with a root of less than 0": (
        lambda a, b, each, shared: np.sqrt((a.var() + b.var() - 4 * np.cov(a, b)[0, 1]) / len(a)),
        "The root of a negative number?",
    ),
    "variances by N": (
        lambda a, b, each, shared: np.sqrt((a.var() + b.var() - 2 * np.cov(a, b)[0, 1]) / len(a) + shared**2),
        "variances by N and the covariance by N - 1",
    ),
    "covariance by N": (
        lambda a, b, each, shared: np.sqrt(
            (a.var(ddof=1) + b.var(ddof=1) - 2 * np.cov(a, b, ddof=0)[0, 1]) / len(a) + shared**2
        ),
        "variances by N - 1 and the covariance by N:",
    ),
    "the chains' at least": (
        lambda a, b, each, shared: np.hypot(max(scatter(a, b), of_chains(each)), shared), "You take the larger one"
    ),
    "no mean": (
        lambda a, b, each, shared: np.hypot(np.sqrt(((a - b) ** 2).sum() / (len(a) - 1) / len(a)), shared), "d - d̄"
    ),
    "no signs": (lambda a, b, each, shared: np.hypot(scatter(abs(a - b), 0 * a), shared), "take no |d|"),
    "log Z times root N": (lambda a, b, each, shared: np.hypot(scatter(a, b), shared * len(a) ** 0.5), "You multiply"),
    "ddof 2": (lambda a, b, each, shared: np.hypot(scatter(a, b, min(2, len(a) - 1)), shared), "by N - 2"),
    "log Z of few": (lambda a, b, each, shared: np.hypot(scatter(a, b), shared * (len(a) < 1000)), "is 0.1"),
    "a tenth at least": (lambda a, b, each, shared: max(0.1, gap(a, b, each, shared)), "of 3 patches"),
    "ten at most": (lambda a, b, each, shared: min(10.0, gap(a, b, each, shared)), "patches your error is 10; it"),
    "the 2 of the covariance forgotten": (
        lambda a, b, each, shared: np.sqrt(
            max(0, a.var(ddof=1) + b.var(ddof=1) - np.cov(a, b)[0, 1]) / len(a) + shared**2
        ),
        "the 2 is missing",
    ),
    "a median": (
        lambda a, b, each, shared: np.hypot(np.median(abs(a - b - np.median(a - b))) / np.sqrt(len(a)), shared),
        "by a median",
    ),
    "a median, as for a Gaussian": (
        lambda a, b, each, shared: np.hypot(
            1.4826 * np.median(abs(a - b - np.median(a - b))) / np.sqrt(len(a)), shared
        ),
        "by a median",
    ),
    **{
        f"divided by N {by:+d}": (
            lambda a, b, each, shared, by=by: np.hypot((a - b).std(ddof=1) / np.sqrt(len(a) + by), shared),
            "of 8 patches your error is",
        )
        for by in (1, 2)
    },
    "weighted": (lambda a, b, each, shared: np.hypot((1 / each**2).sum() ** -0.5, shared), "in root mean square"),
    "a covariance that is never negative": (
        lambda a, b, each, shared: np.sqrt(
            (a.var(ddof=1) + b.var(ddof=1) - 2 * max(0, np.cov(a, b)[0, 1])) / len(a) + shared**2
        ),
        "your error is",
    ),
    "a twentieth too long": (lambda a, b, each, shared: 1.05 * gap(a, b, each, shared), "of 8 patches"),
    "the gap": (lambda a, b, each, shared: a.mean() - b.mean(), "An error is positive"),
    "negative": (lambda a, b, each, shared: -gap(a, b, each, shared), "An error is positive"),
    "each patch": (lambda a, b, each, shared: np.hypot(a - b, shared), "shape"),
    "NaN": (lambda a, b, each, shared: np.nan, "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_GAP)
def test_wrong_gap(mistake):
    answer, message = WRONG_GAP[mistake]
    verdict = image_models.gap_error(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_gap():
    def with_covariance(a, b, each, shared):
        cov = np.cov(a, b)
        return np.array(np.sqrt((cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]) / len(a) + shared**2))

    def with_loops(a, b, each, shared):
        d = [float(one - other) for one, other in zip(a, b, strict=True)]
        mean = sum(d) / len(d)
        return (sum((one - mean) ** 2 for one in d) / (len(d) - 1) / len(d) + shared**2) ** 0.5

    for answer in (gap, with_covariance, with_loops):
        assert image_models.gap_error(answer).passed, image_models.gap_error(answer)


def gaussian(cov_of, factor=1.0, half=0.5, pi=2 * np.pi, determinant=0.5):
    def log_joint(x, bases, noise):
        cov = cov_of(bases, noise)
        squares = (x * np.linalg.solve(cov, x.T).T).sum(1)
        normaliser = 0.5 * x.shape[1] * np.log(pi) + determinant * np.linalg.slogdet(cov)[1]
        return factor * (-half * squares - normaliser)

    return lambda x, b, s, seen: log_joint(x, b, s) - log_joint(x[:, seen], b[seen], s)


def right_cov(bases, noise):
    return bases @ bases.T + noise**2 * np.eye(len(bases))


def covariance_by_columns(bases, noise):
    return (bases.T @ bases)[: len(bases), : len(bases)] + noise**2 * np.eye(len(bases))


def by_moments(moves=1.0, narrows=1.0, alone=False):
    """Of the unseen pixels given the seen ones, by the mean and the covariance that they then have."""

    def answer(x, bases, noise, seen):
        cov = right_cov(bases, noise)
        K = np.linalg.solve(cov[np.ix_(seen, seen)], cov[np.ix_(seen, ~seen)])
        left = cov[np.ix_(~seen, ~seen)] - narrows * cov[np.ix_(~seen, seen)] @ K
        left = np.diag(np.diag(left)) if alone else left
        away = x[:, ~seen] - moves * x[:, seen] @ K
        return -0.5 * (away * np.linalg.solve(left, away.T).T).sum(1) - 0.5 * np.linalg.slogdet(2 * np.pi * left)[1]

    return answer


def by_determinant_of_the_unseen(x, bases, noise, seen):
    """Finite with 200 pixels unseen of 400, and with 360 no more."""
    cov = right_cov(bases, noise)
    K = np.linalg.solve(cov[np.ix_(seen, seen)], cov[np.ix_(seen, ~seen)])
    left, away = cov[np.ix_(~seen, ~seen)] - cov[np.ix_(~seen, seen)] @ K, x[:, ~seen] - x[:, seen] @ K
    with np.errstate(divide="ignore"):
        return -0.5 * (away * np.linalg.solve(left, away.T).T).sum(1) - 0.5 * np.log(np.linalg.det(2 * np.pi * left))


def by_determinant(x, bases, noise, seen):
    def log_joint(x, bases):
        cov = right_cov(bases, noise)
        squares = (x * np.linalg.solve(cov, x.T).T).sum(1)
        with np.errstate(divide="ignore"):
            return -0.5 * squares - 0.5 * np.log(np.linalg.det(cov)) - 0.5 * len(bases) * np.log(2 * np.pi)

    with np.errstate(invalid="ignore"):
        return log_joint(x, bases) - log_joint(x[:, seen], bases[seen])


def in_single_precision(x, bases, noise, seen):
    x, bases = x.astype(np.float32), bases.astype(np.float32)
    return gaussian(right_cov)(x, bases, np.float32(noise), seen)


def by_densities(x, bases, noise, seen):
    """The logarithm of a quotient of densities."""

    def density(x, bases):
        cov = right_cov(bases, noise)
        squares = (x * np.linalg.solve(cov, x.T).T).sum(1)
        return np.exp(-0.5 * squares) / np.sqrt(np.linalg.det(2 * np.pi * cov))

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(density(x, bases) / density(x[:, seen], bases[seen]))


def whole(x, b, s):
    return ae.LinearGenerative(b, s).log_density(x)


WRONG_GAUSSIAN = {
    "all pixels": (lambda x, b, s, seen: whole(x, b, s), "Yours is about all pixels"),
    "the seen": (lambda x, b, s, seen: whole(x[:, seen], b[seen], s), "Yours is about the seen"),
    "seen given unseen": (lambda x, b, s, seen: by_moments()(x, b, s, ~seen), "Yours is about the seen"),
    "added": (lambda x, b, s, seen: whole(x, b, s) + whole(x[:, seen], b[seen], s), "is a quotient"),
    "the unseen alone": (lambda x, b, s, seen: whole(x[:, ~seen], b[~seen], s), "you leave out what the seen"),
    "does not narrow": (by_moments(narrows=0.0), "does not make the rest narrower"),
    "does not move": (by_moments(moves=0.0), "does not move its mean"),
    "moves away": (by_moments(moves=-1.0), "the wrong way"),
    "widens": (by_moments(narrows=-1.0), "in yours it is wider"),
    "narrows by half": (by_moments(narrows=0.5), "vary by"),
    "moves by half": (by_moments(moves=0.5), "yours is wrong"),
    "noise not squared": (gaussian(lambda b, s: b @ b.T + s * np.eye(len(b))), "with variance noise"),
    "no 2π": (gaussian(right_cov, pi=1.0), "(2π)"),
    "no determinant": (gaussian(right_cov, determinant=0), "lacks the determinant"),
    "whole determinant": (gaussian(right_cov, determinant=1), "without its ½"),
    "determinant added": (gaussian(right_cov, determinant=-0.5), "is to be subtracted"),
    "no half": (gaussian(right_cov, half=1), "½ before the squares"),
    "squares added": (gaussian(right_cov, half=-0.5), "adds the squares"),
    "covariance for its inverse": (
        gaussian(lambda b, s: np.linalg.inv(right_cov(b, s)), determinant=-0.5),
        "it should be its inverse",
    ),
    "turned": (gaussian(right_cov, factor=-1), "the wrong sign"),
    "no half at all": (gaussian(right_cov, factor=2), "before the squares and before the logarithm"),
    "base 10": (gaussian(right_cov, factor=1 / np.log(10)), "base 10"),
    "base 2": (gaussian(right_cov, factor=1 / np.log(2)), "base 2"),
    "density": (lambda *given: np.exp(gaussian(right_cov)(*given)), "return its logarithm"),
    "centred": (lambda x, b, s, seen: gaussian(right_cov)(x - x.mean(0), b, s, seen), "the model's mean is 0"),
    "noise of 0.1": (gaussian(lambda b, s: b @ b.T + 0.01 * np.eye(len(b))), "a noise of 0.1"),
    "noise of 1": (gaussian(lambda b, s: b @ b.T + np.eye(len(b))), "with variance 1"),
    "half the noise": (gaussian(lambda b, s: b @ b.T + s**2 / 2 * np.eye(len(b))), "half of that variance"),
    "inner products of the bases": (gaussian(lambda b, s: b.T @ b + s**2 * np.eye(len(b))), "here (4, 4)"),
    "inner products, solved": (gaussian(lambda b, s: b.T @ b + s**2 * np.eye(b.shape[1])), "here (4, 4)"),
    "bases ignored": (gaussian(lambda b, s: s**2 * np.eye(len(b))), "vary by"),
    "columns": (gaussian(covariance_by_columns), "rotation of the causes"),
    "elementwise": (gaussian(lambda b, s: np.diag((b**2).sum(1)) + s**2 * np.eye(len(b))), "says anything of another"),
    "independent given what is seen": (by_moments(alone=True), "still depend on each other"),
    "a jitter": (gaussian(lambda b, s: right_cov(b, s) + 1e-3 * np.eye(len(b))), "a little more or less"),
    "a small jitter": (gaussian(lambda b, s: right_cov(b, s) + 1e-8 * np.eye(len(b))), "You add 1e-08 to"),
    "a noise of 0.01 at least": (gaussian(lambda b, s: right_cov(b, max(s, 0.01))), "with variance 1e-6"),
    "single precision": (in_single_precision, "in its twelfth digit"),
    "the covariance in single precision": (
        gaussian(lambda b, s: (b @ b.T).astype(np.float32) + s**2 * np.eye(len(b))), "in its twelfth digit"
    ),
    "densities": (by_densities, "and p itself 0 for a computer"),
    "2π for every pixel": (
        lambda x, b, s, seen: gaussian(right_cov)(x, b, s, seen) - seen.sum() * np.log(2 * np.pi) / 2,
        "for each pixel, seen or not",
    ),
    "2π for the seen": (
        lambda x, b, s, seen: gaussian(right_cov)(x, b, s, seen) + (~seen).sum() * np.log(2 * np.pi) / 2
        - seen.sum() * np.log(2 * np.pi) / 2,
        "of the seen pixels; n counts",
    ),
    "per pixel": (lambda x, b, s, seen: gaussian(right_cov)(x, b, s, seen) / x.shape[1], "the number of pixels"),
    "per unseen pixel": (lambda x, b, s, seen: gaussian(right_cov)(x, b, s, seen) / (~seen).sum(), "number of unseen"),
    "the first were seen": (lambda x, b, s, seen: gaussian(right_cov)(x, b, s, np.sort(seen)[::-1]), "the first pix"),
    "the last were seen": (lambda x, b, s, seen: gaussian(right_cov)(x, b, s, np.sort(seen)), "the last pixels"),
    "of the images": (
        lambda x, b, s, seen: log_normal(x, np.cov(x.T)) - log_normal(x[:, seen], np.cov(x.T)[np.ix_(seen, seen)]),
        "of the images that were given",
    ),
    "twice": (gaussian(lambda b, s: 2 * b @ b.T + s**2 * np.eye(len(b))), "vary by"),
    "no noise": (gaussian(lambda b, s: b @ b.T), "The noise is still there"),
    "noise everywhere": (gaussian(lambda b, s: b @ b.T + s**2), "in every entry"),
    "a noise of its own": (gaussian(lambda b, s: b @ b.T + 0.49 * np.eye(len(b))), "the noise that you are given"),
    "two noises": (gaussian(lambda b, s: right_cov(b, s) + s**2 * np.eye(len(b))), "twice that variance"),
    "one number": (lambda *given: gaussian(right_cov)(*given).mean(), "shape"),
    "NaN": (lambda x, b, s, seen: x[:, 0] * np.nan, "NaN"),
    "log of a determinant": (by_determinant, "slogdet"),
    "log of a determinant, of few": (by_determinant_of_the_unseen, "40 of them seen, yours is not finite"),
}


@pytest.mark.parametrize("mistake", WRONG_GAUSSIAN)
def test_wrong_gaussian(mistake):
    answer, message = WRONG_GAUSSIAN[mistake]
    verdict = image_models.linear_gaussian(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_gaussian():
    assert image_models.linear_gaussian(gaussian(right_cov)).passed
    assert image_models.linear_gaussian(by_moments()).passed


@pytest.mark.parametrize("check", [image_models.chains_a_patch, image_models.gap_error, image_models.linear_gaussian])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
