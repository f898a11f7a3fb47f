"""The report of an audit, the p-values of its tests, and the states that a kernel returns."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from anneal_edu.auditing.problems import standard_problems
from anneal_edu.auditing.report import AuditResult, AuditStoppedError, Finding, Report, explain
from anneal_edu.auditing.statistics import bonferroni, error_bar_p_value, z_and_p
from tests.auditing.helpers import checked, rng

PROBLEMS = standard_problems(rng())
SPACE, HALF_LINE, BITS = PROBLEMS[1], PROBLEMS[4], PROBLEMS[5]


def test_a_printed_report():
    findings = Finding("never moves", "no chain moved"), Finding("biased", "by much", 1e-9)
    report = AuditResult("kernel", findings, 12, 0.001, ("invariance", "rows"), ("bits: it moves real numbers",))
    assert str(report).splitlines() == [
        "kernel: 2 findings in 12 tests (risk of a false alarm: 0.001 or less)",
        "  ✗ never moves: no chain moved",
        "  ✗ biased: by much",
        "  checked: invariance, rows",
        "  not checked: bits: it moves real numbers",
    ]
    assert not report.passed and report.kinds == ("never moves", "biased")
    few, many = (AuditResult("kernel", (), 20, 0.001, n_draws=n) for n in (1600, 8000))
    weak = "  few draws: errors of less than 0.10 standard deviations in a mean go undetected"
    assert str(few).splitlines()[1:] == [weak] and len(str(many).splitlines()) == 1
    assert " in 20 tests with 1,600 draws per problem (" in str(few)


def test_a_report_keeps_the_first_failure_and_the_smallest_p_value_of_a_kind():
    report = Report(checks=["a", "b", "a"], skipped=["c"])
    for sentence in ("first", "second"):
        report.add_failure("wrong", sentence)
    for p in (1e-5, 1e-9, 0.5):
        report.add_test("odd", f"p = {p:g}", p)
    result = report.finish("kernel", 0.01)
    assert [str(finding) for finding in result.findings] == ["wrong: first", "odd: p = 1e-09"]
    assert (result.checks, result.skipped, result.n_tests, result.risk) == (("a", "b"), ("c",), 3, 0.01)


@pytest.mark.parametrize(("p", "found"), [(0.001 / 2 * 0.99, True), (0.001 / 2, False)])
def test_two_tests_share_the_risk(p, found):
    report = Report()
    report.add_test("odd", "", p)
    report.add_test("even", "", 1.0)
    assert report.finish("kernel", 0.001).passed is not found


def test_causes_come_before_consequences():
    report = Report()
    for kind, p in (("biased weights", 0.0), ("not invariant", 1e-9), ("chains share randomness", 1e-7)):
        report.add_test(kind, "seen", p)
    assert report.finish("kernel", 0.001).kinds == ("chains share randomness", "biased weights", "not invariant")


def test_what_a_distribution_lacks_is_said():
    with pytest.raises(AttributeError) as caught:
        SimpleNamespace(log_density=len).grad_log_density  # noqa: B018
    assert explain(caught.value) == "it needs a gradient"
    assert explain(ArithmeticError("too tired")) == "ArithmeticError: too tired"


@pytest.mark.parametrize(("n", "z"), [(49, 0.0), (50, 50 / 1000 / np.sqrt(50 * 950 / 1000 / 999 / 1000))])
def test_a_mean_of_differences_in_its_standard_errors(n, z):
    """Fifty that are not zero are enough, in each column."""
    differences = np.zeros((1000, 3))
    differences[:30], differences[:n, 1], differences[:, 2] = 1.0, -1.0, 2.0
    found, p = z_and_p(differences)
    np.testing.assert_allclose(found, [0, -z, 0])
    np.testing.assert_allclose(p, [1, 2 * ndtr(-z), 1])


def test_the_smallest_of_several_p_values():
    assert bonferroni(np.array([0.5, 1e-4])) == 2e-4 and bonferroni(np.array([0.6, 0.7])) == 1


def test_an_error_bar_is_compared_with_the_spread():
    """sd(log s²) = √(2 / n) for a kurtosis of 3 or less; a spread of the bars makes the test weaker, as outliers do."""

    def p_value(values, *bars):
        return error_bar_p_value(values, np.resize(bars, len(values)), slack=1.25)

    errors, signs, allowed = ndtri((np.arange(400) + 0.5) / 400), np.tile([1.0, -1.0], 200), np.log(1.25)
    assert p_value(errors, 0.85) == p_value(errors, 1.2) == 1
    assert max(p_value(errors, 0.5), p_value(errors, 2.0)) < 1e-9
    z = 2 * (np.log(np.sqrt(400 / 399) / 0.7) - allowed) / np.sqrt(2 / 400)
    assert p_value(signs, 0.7) == pytest.approx(2 * ndtr(-z))
    own = np.sqrt(0.34)
    z = 2 * (np.log(np.sqrt(400 / 399) / own) - allowed) / (np.sqrt(2 / 400) + 2 * 0.3 / own / 20)
    assert p_value(signs, 0.2, 0.8) == pytest.approx(2 * ndtr(-z))
    outliers = np.where(np.arange(60) < 2, 8, 1) * signs[:60]  # a kurtosis of 14
    assert p_value(outliers, 1.0) > 0.1 > 1e-3 > p_value(signs[:60], 0.5)


def moved(answer, problem=SPACE, n=30):
    """What a kernel's states become, None if they cannot be used, and what is reported of them."""
    kernel, x = checked(lambda f, x, rng: answer(x)), problem.distribution.sample(n, rng(1))
    try:
        states = kernel(problem, x, rng())
    except AuditStoppedError:
        states = None
    return states, [str(failure) for failure in kernel.report.failures]


def test_states_that_can_be_used():
    x, (states, said) = SPACE.distribution.sample(30, rng(1)), moved(lambda x: x + 1)
    np.testing.assert_array_equal(states, x + 1)
    assert said == [] and states.dtype == np.float64
    states, said = moved(lambda x: (1 - x).astype(int), BITS)
    assert said == [] and states.dtype == BITS.distribution.sample(1, rng()).dtype
    assert moved(lambda x: x.tolist())[1] == []
    kept = []
    states, _ = moved(lambda x: kept.append(x + 1) or kept[0])
    kept[0][:] = 0
    assert (states != 0).all(), "the states are a copy"


SPOILED = np.arange(3) == 1


@pytest.mark.parametrize(
    ("answer", "problem", "words"),
    [
        (lambda x: (x, 1), SPACE, "invalid states: it must return an array of states (30, 3), got tuple"),
        (lambda x: None, SPACE, "invalid states: it must return an array of states (30, 3), got NoneType"),
        (lambda x: x.astype(str), SPACE, "invalid states: it must return an array of states (30, 3), got ndarray"),
        (lambda x: x[:-1], SPACE, "invalid states: it must return one state per chain, (30, 3), got (29, 3)"),
        (lambda x: np.where(SPOILED, np.nan, x), SPACE, "invalid states: NaN or infinity in 30 of 90 coordinates"),
        (lambda x: np.where(SPOILED, -np.inf, x), SPACE, "invalid states: NaN or infinity in 30 of 90 coordinates"),
        (
            lambda x: np.where(np.arange(30)[:, None] < 4, -1.0, x), HALF_LINE,
            "leaves the support: 4 of 30 chains are where the density is zero (a half-line)",
        ),
        (
            lambda x: np.where(np.arange(30)[:, None] == 29, 2.0, x), BITS,
            "leaves the support: 1 of 30 chains have a value that no draw has (an RBM of three bits)",
        ),
    ],
)  # fmt: skip
def test_states_that_cannot_be_used(answer, problem, words):
    assert moved(answer, problem) == (None, [words])


def test_changes_of_the_input_are_seen():
    (said,) = moved(lambda x: np.add(x, 1, out=x))[1]
    assert said.startswith("changes its input")


@pytest.mark.parametrize(("n", "n_double", "found"), [(19, 0, False), (20, 0, True), (20, 1, False)])
def test_single_precision_is_seen_in_twenty_chains(n, n_double, found):
    rounded = lambda x: np.where(np.arange(n)[:, None] < n_double, x, (x + 0.1).astype(np.float32))  # noqa: E731
    sentence = "rounds its states: every coordinate that it returns has single precision"
    assert moved(rounded, n=n)[1] == [sentence] * found
