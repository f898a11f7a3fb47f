"""Each check of notebook 00: wrong answers are rejected with the sentence that helps, right ones pass."""

import numpy as np
import pytest
from scipy.special import logsumexp

import anneal_edu as ae
from anneal_edu.course.check import start as check

P0, P1 = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([3.0], [[1.0]])


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (20 * np.log(2), "all states of 20 switches"),
        (np.log(2**19 - 1), "Is 0 even?"),
        (2**19, "Z itself"),
        (19, "another base"),
        (np.log10(2**19), "another base"),
        (np.log(20), "two positions"),
        (7.0, "count the states"),
        (-19 * np.log(2), "the sign"),
        (13.2, "to two decimals"),
        ("many", "one number"),
        ([20, np.log(2)], "one number"),
        (np.log, "one number"),
        (np.nan, "not finite"),
    ],
)
def test_wrong_log_number_of_states(answer, advice):
    verdict = check.log_number_of_states(answer)
    assert verdict.passed is False
    assert advice in verdict.message


@pytest.mark.parametrize("answer", [19 * np.log(2), np.log(2**19), 13.1698, 13.17])
def test_right_log_number_of_states(answer):
    assert check.log_number_of_states(answer).passed


def verdict_of(gap, reach):
    return "undecided" if abs(gap) <= reach else "a" if gap > 0 else "b"


def lead(a, b, za, zb):
    return (a.mean() - za) - (b.mean() - zb)


def by_numbers(a, b, za, zb, error):
    p_a, p_b = np.exp(a).mean() / np.exp(za), np.exp(b).mean() / np.exp(zb)
    return "a" if p_a > p_b else "b" if p_b > p_a else "undecided"


WRONG_DECISIONS = {
    "log f alone": lambda a, b, za, zb, e: verdict_of(a.mean() - b.mean(), 2 * e),
    "you add log Z": lambda a, b, za, zb, e: verdict_of(a.mean() + za - b.mean() - zb, 2 * e),
    "or subtract the other model's": lambda a, b, za, zb, e: verdict_of(lead(a, b, zb, za), 2 * e),
    "smaller Z": lambda a, b, za, zb, e: verdict_of(zb - za, 2 * e),
    "exp(-2000) is 0": lambda a, b, za, zb, e: (
        verdict_of(lead(a, b, za, zb), 2 * e) if a.mean() > -700 else by_numbers(a, b, za, zb, e)
    ),
    "log Z_a and log Z_b lie near": lambda a, b, za, zb, e: verdict_of(
        lead(a, b, za, zb), np.inf if abs(za - zb) <= 2 * e else 0
    ),
    "could turn a lead of 0.5 round": lambda a, b, za, zb, e: verdict_of(lead(a, b, za, zb), 0),
    "opposite directions": lambda a, b, za, zb, e: verdict_of(lead(a, b, za, zb), e),
    "not sums": lambda a, b, za, zb, e: (
        verdict_of((a - za).sum() - (b - zb).sum(), 2 * e) if len(a) > 9 else verdict_of(lead(a, b, za, zb), 2 * e)
    ),
    "a leads by 2.6": lambda a, b, za, zb, e: verdict_of(lead(a, b, za, zb), 3 * e),
    'return "a", "b"': lambda a, b, za, zb, e: lead(a, b, za, zb) > 0,
    "with the two models exchanged": lambda a, b, za, zb, e: "a",
    "you name the other model": lambda a, b, za, zb, e: verdict_of(lead(b, a, zb, za), 2 * e),
    "you compare log Z alone": lambda a, b, za, zb, e: verdict_of(za - zb, 2 * e),
    "No observation may be left out": lambda a, b, za, zb, e: verdict_of(
        lead(a[np.isfinite(a)], b[np.isfinite(b)], za, zb), 2 * e
    ),
    "the least lead decides": lambda a, b, za, zb, e: verdict_of(lead(a, b, za, zb), max(2 * e, 0.01)),
    "the evidence says": lambda a, b, za, zb, e: "a" if np.mean(a - za > b - zb) > 0.5 else "b",
    "you count observations": lambda a, b, za, zb, e: verdict_of(np.mean(a - za > b - zb) - 0.5, 0),
    "you compare medians": lambda a, b, za, zb, e: verdict_of(np.median(a) - za - np.median(b) + zb, 2 * e),
    "subtract log Z once": lambda a, b, za, zb, e: verdict_of(a.sum() - za - b.sum() + zb, 2 * e),
    "you divide by n - 1": lambda a, b, za, zb, e: verdict_of(
        a.sum() / (len(a) - 1) - za - b.sum() / (len(b) - 1) + zb, 2 * e
    ),
    "you compare one observation": lambda a, b, za, zb, e: verdict_of(a.max() - za - b.max() + zb, 2 * e),
    "the best or the worst": lambda a, b, za, zb, e: verdict_of(a.min() - za - b.min() + zb, 2 * e),
    "average the logs": lambda a, b, za, zb, e: verdict_of(
        logsumexp(a) - logsumexp(b) - np.log(len(a) / len(b)) - za + zb, 2 * e
    ),
    "does not make it smaller": lambda a, b, za, zb, e: verdict_of(lead(a, b, za, zb), 2 * e / np.sqrt(len(a))),
    "the same for every observation": lambda a, b, za, zb, e: verdict_of(lead(a, b, za, zb), e / len(a)),
    "the two mean log f lie near": lambda a, b, za, zb, e: verdict_of(
        lead(a, b, za, zb), np.inf if abs(a.mean() - b.mean()) <= 2 * e else 0
    ),
}


@pytest.mark.parametrize("advice", WRONG_DECISIONS)
def test_wrong_better_model(advice):
    verdict = check.better_model(WRONG_DECISIONS[advice])
    assert verdict.passed is False
    assert advice in verdict.message


REACHES = {
    "1.9 errors": lambda a, b, za, zb, e: 1.9 * e,
    "2.1 errors": lambda a, b, za, zb, e: 2.1 * e,
    "both errors only where they are large": lambda a, b, za, zb, e: 2 * e if e > 0.5 else e,
    "both errors only where they are small": lambda a, b, za, zb, e: 2 * e if e < 2 else e,
    "the factors of Z": lambda a, b, za, zb, e: 2 * np.expm1(e),
    "both added, not as logs": lambda a, b, za, zb, e: 2 * np.log1p(e),
    "in parts of log Z": lambda a, b, za, zb, e: 2 * e * max(1, abs(za) / 100),
    "an error of the mean": lambda a, b, za, zb, e: 2 * e + (a - b).std() / 1000,
}


@pytest.mark.parametrize("reach", REACHES)
def test_the_bound_is_twice_the_error(reach):
    bound = REACHES[reach]
    verdict = check.better_model(lambda a, b, za, zb, e: verdict_of(lead(a, b, za, zb), bound(a, b, za, zb, e)))
    assert verdict.passed is False
    assert "the evidence says" in verdict.message


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_means_that_are_rounded_are_refused(digits):
    def rounded(a, b, za, zb, e):
        return verdict_of(round(a.mean() - za, digits) - round(b.mean() - zb, digits), 2 * e)

    assert check.better_model(rounded).passed is False


@pytest.mark.parametrize("of_log_z", [abs, lambda log_z: max(log_z, 0.0)])
def test_log_z_has_its_sign(of_log_z):
    verdict = check.better_model(lambda a, b, za, zb, e: verdict_of(lead(a, b, of_log_z(za), of_log_z(zb)), 2 * e))
    assert verdict.passed is False


def in_loops(a, b, za, zb, e):
    """The means in single precision, and each log Z at the worst end of what it may be."""
    worst = [sum(np.float32(x) for x in f) / len(f) - z for f, z in ((a, za), (b, zb))]
    if worst[0] - e > worst[1] + e:
        return "a"
    return "b" if worst[1] - e > worst[0] + e else "undecided"


def selected(a, b, za, zb, e):
    """A word in an array, as `numpy.select` returns it."""
    ahead = lead(a, b, za, zb)
    return np.select([ahead > 2 * e, ahead < -2 * e], ["a", "b"], "undecided")


@pytest.mark.parametrize(
    "answer", [in_loops, selected, lambda a, b, za, zb, e: verdict_of(lead(a, b, za, zb), 2 * e)]
)
def test_right_better_model(answer):
    verdict = check.better_model(answer)
    assert verdict.passed, verdict


def by_chance(beta):
    return ae.Gaussian([3 * beta + 0.1 * beta * (1 - beta) * np.random.default_rng().normal()], [[1.0]])


def slid(to=lambda beta: beta, variance=lambda beta: 1.0):
    return lambda beta: ae.Gaussian([3 * to(beta)], [[variance(beta)]])


def scaled(log_z):
    return lambda beta: ae.Gaussian([3 * beta], [[1.0]], log_scale=log_z(beta))


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (P1, "a path is a function"),
        (lambda beta: 3 * beta, "return a distribution"),
        (lambda beta: ae.Gaussian, "returns a class"),
        (lambda beta: ae.Gaussian([3 * beta, 0.0], np.eye(2)), "lives in 2 dimensions"),
        (ae.geometric_path(P1, P0), "backwards"),
        (lambda beta: P1, "the start"),
        (ae.geometric_path(P0, ae.Gaussian([3.0], [[2.0]])), "the target"),
        (ae.geometric_path(P0, P1), "log Z of your path is -1.1"),
        (scaled(lambda beta: beta * (0.5 - beta) * (1 - beta)), "log Z of your path is 0.0"),
        (scaled(lambda beta: 0.1 * np.sin(4 * np.pi * beta)), "log Z of your path"),
        (scaled(lambda beta: 0.1 * np.sin(60 * np.pi * beta)), "log Z of your path"),
        (scaled(lambda beta: 5.0 * (0.31 < beta < 0.315)), "log Z of your path is 5 at β = 0.31"),
        (lambda beta: P0 if beta < 0.5 else P1, "leaps near β = 0.50"),
        *((slid(lambda beta, n=n: np.floor(n * beta + 1e-9) / n), "leaps near") for n in (3, 4, 5, 8, 10, 50, 100)),
        *((slid(lambda beta, n=n: round(beta, n)), "leaps near") for n in (1, 2, 3)),
        (slid(lambda beta: 3.0 if 0.4321 < beta < 0.4325 else beta), "leaps near β = 0.432"),
        *((slid(lambda beta, n=n: beta + 10 * np.sin(n * np.pi * beta)), "less than a 200th") for n in (400, 800)),
        (slid(variance=lambda beta: 1.0 if beta < 0.5 or beta == 1 else 2 - beta), "leaps near β = 0.50"),
        (slid(variance=lambda beta: 1.0 if beta < 0.3 else 1 + 0.5 * (1 - beta)), "leaps near β = 0.30"),
        (slid(lambda beta: 1 / (1 + np.exp(-1000 * (beta - 0.5)))), "or nearly"),
        (scaled(lambda beta: 5.0 * (0.4321 < beta < 0.4325)), "log Z of your path is 5 at β = 0.43"),
        (by_chance, "draw nothing at random"),
        (lambda beta: {0.0: P0, 1.0: P1}.get(beta, ae.Gaussian([100.0], [[1.0]])), "leaps"),
    ],
)
def test_wrong_path(answer, advice):
    verdict = check.your_path(answer)
    assert verdict.passed is False
    assert advice in verdict.message


def test_a_start_of_the_right_shape_is_told_its_log_z():
    verdict = check.your_path(lambda b: ae.Unnormalized(lambda x: -((x[:, 0] - 3 * b) ** 2) / 2, dim=1))
    assert "log Z = 0.92: N(0, 1) is normalised" in verdict.message


def test_only_a_geometric_average_is_told_that_it_is_thin():
    def heavy(beta):
        return ae.Gaussian([3 * beta], [[1.0]], log_scale=beta * (1 - beta))

    said = [check.your_path(path).message for path in (ae.geometric_path(P0, P1), heavy)]
    assert ["thin between" in message for message in said] == [True, False]


def test_what_follows_the_evidence_is_one_sentence():
    verdict = check.better_model(lambda a, b, za, zb, e: "a" if np.mean(a) > np.mean(b) else "b")
    assert 'the evidence says "' in verdict.message and '". ' not in verdict.message


@pytest.mark.parametrize(
    ("answer", "praise"),
    [
        (ae.moment_path(P0, P1), "moment path"),
        (ae.hellinger_path(P0, P1), "of your own"),
        (lambda beta: ae.Gaussian([3 * beta**4], [[1 + beta * (1 - beta)]]), "of your own"),
        (lambda beta: ae.Gaussian([3 * beta], [[1.0]], log_scale=0.0), "of your own"),
        (slid(lambda beta: beta**0.5), "of your own"),
        (slid(lambda beta: min(2 * beta, 1.0), lambda beta: 1 + 2 * max(0.0, 0.25 - (beta - 0.5) ** 2)), "of your own"),
        (lambda beta: ae.Gaussian([3 * beta], [[1 + 900 * beta * (1 - beta) ** 2 * beta]]), "of your own"),
    ],
)
def test_right_path(answer, praise):
    verdict = check.your_path(answer)
    assert verdict.passed
    assert praise in verdict.message


@pytest.mark.parametrize("judge", [check.log_number_of_states, check.better_model, check.your_path])
def test_untouched_stubs_fail_kindly(judge):
    assert judge(...).passed is None


def test_an_untouched_function_fails_kindly():
    assert check.better_model(lambda *given: ...).passed is None
