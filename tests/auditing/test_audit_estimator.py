"""The audit of an estimator, on faulty ones and on estimators made for one check each."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

import anneal_edu as ae
from anneal_edu.auditing import audit_estimator
from anneal_edu.auditing.audit_estimator import N_CHAINS, N_STEPS, LogZProblem, Runs, log_z_problems
from anneal_edu.auditing.report import Report
from tests.auditing.helpers import rng, sentences

START, TARGET = ae.Gaussian([0.0], [[2.0]], 0.5), ae.Gaussian([1.0], [[0.5]], -1.0)
PROBLEM = LogZProblem("a line", ae.geometric_path(START, TARGET), ae.exact, -1.0)


@pytest.fixture
def fewer(monkeypatch):
    """Runs and problems: an audit of an estimator takes seconds."""
    problems = log_z_problems()
    monkeypatch.setattr(audit_estimator, "N_REPEATS", 30)
    monkeypatch.setattr(audit_estimator, "log_z_problems", lambda: problems[:1])


def estimator(log_z, **more):
    """An estimator with log_z(path, schedule, n_chains, kernel, rng)."""

    def estimate(path, schedule, n_chains, kernel=None, *, rng):
        return SimpleNamespace(log_z=log_z(path, schedule, n_chains, kernel, rng), **more)

    return estimate


def annealed(log_w=lambda w: w, betas=lambda s: s, bar=1.0):
    """AIS with a fault."""

    class Result(ae.annealing.ais.AISResult):
        std_error = property(lambda self: ae.annealing.ais.AISResult.std_error.fget(self) * bar)

    def estimate(path, schedule, n_chains, kernel=ae.gibbs, *, rng):
        run = ae.ais(path, betas(schedule), n_chains, kernel, rng=rng, workers=1)
        return Result(log_w(run.log_weights), run.samples, 0)

    return estimate


def last_step_missing(path, schedule, n_chains, kernel, rng):
    return ae.ais(lambda beta: path(beta * schedule[-2]), schedule, n_chains, kernel, rng=rng, workers=1).log_z


FAULTY = {
    "a factor of 1.2": (annealed(lambda w: w + np.log(1.2)), "biased"),
    "log Z of the start forgotten": (annealed(lambda w: w - 0.7), "biased"),
    "the last step missing": (estimator(last_step_missing), "ignores its schedule"),
    "half of the chains": (annealed(lambda w: w[: len(w) // 2]), "chains left out"),
    "every second step": (annealed(betas=lambda s: np.append(s[:-1:2], 1.0)), "ignores its schedule"),
    "an error bar a fifth as long": (annealed(bar=0.2), "wrong error bar"),
}


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_estimator_is_found(fault):
    faulty, kind = FAULTY[fault]
    found = ae.audit(faulty, rng=rng())
    assert kind in found.kinds, found
    assert ("moved before they are weighted?" in str(found)) == (fault in ("a factor of 1.2", "the last step missing"))


@pytest.mark.usefixtures("fewer")
def test_a_right_estimator_passes():
    found = ae.audit(ae.ais, risk=1e-5, rng=rng())
    assert found.passed and found.subject == "estimator", found


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(("power", "allowed"), [(2, True), (1, False)])
def test_the_bias_of_a_quadrature_rule_is_allowed(power, allowed):
    """Four times the steps leave a sixteenth of it; a bias of which a quarter is left is reported."""

    def biased(path, schedule, n, kernel, rng):
        bias = 0.3 * (N_STEPS / (len(schedule) - 1)) ** power
        return path(1.0).log_z() + bias + 0.1 * rng.standard_normal() / np.sqrt(n)

    found = ae.audit(estimator(biased), rng=rng())
    assert ("biased" not in found.kinds) == allowed, found
    assert any("with four times the steps" in why and "allowed, as" in why for why in found.skipped) == allowed


@pytest.mark.usefixtures("fewer")
def test_an_estimator_that_raises_is_told_why():
    found = ae.audit(estimator(lambda *given: 1 / 0), rng=rng())
    assert found.skipped == ("two Gaussians: ZeroDivisionError: division by zero",)
    assert [str(finding) for finding in found.findings] == [f"fails: on every problem. {found.skipped[0]}"]
    calls = iter(range(6))
    tired = estimator(lambda path, *given: path(1.0).log_z() + 0.1 * given[-1].standard_normal() + 0 * next(calls))
    assert "on two Gaussians: StopIteration" in str(ae.audit(tired, rng=rng()))


def exact_log_z(point):
    if getattr(point, "binary", False):
        return logsumexp(point.log_density(ae.binary_states(point.dim)))
    axes = [np.linspace(-40, 40, 80_001 if point.dim == 1 else 1601)] * point.dim
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return logsumexp(point.log_density(x)) + point.dim * np.log(axes[0][1] - axes[0][0])


@pytest.mark.parametrize("problem", log_z_problems(), ids=lambda problem: problem.name)
def test_the_problems_know_their_log_z(problem):
    start, target = problem.path(0.0), problem.path(1.0)
    assert exact_log_z(target) == pytest.approx(problem.log_z, abs=2e-4)
    assert exact_log_z(start) == pytest.approx(start.log_z(), abs=2e-4)
    assert abs(start.log_z()) > 0.3, "an estimator that forgets it is biased"


def test_what_an_estimator_gets():
    got, generator = [], rng()
    runs = Runs(estimator(lambda *given: got.append(given)), None)
    runs(PROBLEM, generator)
    runs(PROBLEM, generator, 3)
    (path, schedule, *some), (_, coarse, *_) = got
    assert (path, some) == (PROBLEM.path, [N_CHAINS, ae.exact, generator])
    np.testing.assert_allclose(schedule, np.linspace(0, 1, N_STEPS + 1))
    np.testing.assert_allclose(coarse, np.linspace(0, 1, 4))
    got.clear()
    Runs(lambda path, schedule, samples, *, rng: got.append(samples), None)(PROBLEM, rng(1))
    np.testing.assert_array_equal(got[0], TARGET.sample(N_CHAINS, rng(1)))
    Runs(lambda path, schedule, n_chains, *, rng, **more: got.append(more), None)(PROBLEM, rng(1))
    assert got[1] == {"kernel": ae.exact}
    forward, reverse = Runs(ae.ais, None), Runs(ae.reverse_ais, None)
    assert forward.takes_kernel and not forward.from_target and reverse.from_target


@pytest.mark.parametrize(("first", "words"), [(-1.0, None), (np.nan, "ValueError: log_z is nan")])
def test_every_problem_is_tried(monkeypatch, first, words):
    problems = [PROBLEM._replace(name=name) for name in ("one", "two", "three")]
    reached, report, answer = [], Report(), iter([first, -1.0, -1.0])
    monkeypatch.setattr(audit_estimator, "log_z_problems", lambda: problems)
    monkeypatch.setattr(audit_estimator, "_check", lambda runs, problem, rng: reached.append(problem.name))
    monkeypatch.setattr(audit_estimator, "_check_arguments", lambda runs, problem: reached.append("arguments"))
    audit_estimator.audit_estimator(estimator(lambda *given: next(answer)), report, rng())
    assert reached == (["two", "arguments", "three"] if words else ["one", "arguments", "two", "three"])
    assert report.failures == [] and report.skipped == ([f"one: {words}"] if words else [])


def test_the_half_line_is_left_out_for_estimators_from_the_target(monkeypatch):
    monkeypatch.setattr(audit_estimator, "_check", lambda *given: None)
    monkeypatch.setattr(audit_estimator, "_check_arguments", lambda *given: None)
    report = Report()
    audit_estimator.audit_estimator(lambda p, s, samples, *, rng: SimpleNamespace(log_z=0.0), report, rng())
    assert report.skipped == ["a half-line: from the target no chain leaves the half-line"]


@pytest.mark.parametrize(("bar", "compared"), [(0.1, 1), ([9, 0.1], 1), (np.nan, 0), (np.inf, 0), (0.0, 0), (-1.0, 0)])
def test_error_bars_are_compared_with_the_spread_if_they_are_positive_numbers(monkeypatch, bar, compared):
    monkeypatch.setattr(audit_estimator, "N_REPEATS", 40)
    noisy = estimator(lambda path, schedule, n, kernel, rng: -1.0 + 0.1 * rng.standard_normal(), std_error=bar)
    report = Report()
    audit_estimator._check(Runs(noisy, report), PROBLEM, rng(3))
    assert [test.kind for test in report.tests] == ["biased", "wrong error bar"][: 1 + compared]
    assert report.checks == ["log Z of a line", "error bars"][: 1 + compared] and report.failures == []
    errors = np.array([0.1 * child.standard_normal() for child in rng(3).spawn(40)])
    said = f"its standard error is {0.1 / errors.std(ddof=1):.2f} times the standard deviation of 40 runs (a line)"
    assert [test.sentence for test in report.tests[1:]] == [said] * compared


@pytest.mark.parametrize(("off", "spread"), [(-0.3, 0.1), (0.3, 0.1), (0.03, 0.1), (0.2, 0.6)])
def test_a_bias_in_its_standard_errors(monkeypatch, off, spread):
    """Of a mean error up to three quarters of the variance may be that of the logarithm of a mean."""
    monkeypatch.setattr(audit_estimator, "N_REPEATS", 50)
    errors, report = off + spread * norm.ppf((np.arange(100) + 0.5) / 100), Report()
    runs = Runs(estimator(lambda path, schedule, n, kernel, rng: -1.0 + off + 0.1 * rng.standard_normal()), report)
    audit_estimator._check_bias(runs, PROBLEM, errors, rng())
    beyond = max(0, abs(errors.mean()) - 0.75 * errors.var(ddof=1))
    (test,) = report.tests
    assert test.p_value == pytest.approx(2 * norm.sf(beyond / (errors.std(ddof=1) / 10)), rel=1e-4)
    assert f"on a line the mean error of log Ẑ is {off:+.3f} ± " in test.sentence and report.skipped == []
    assert ("four times the steps" in test.sentence) == (test.p_value < 1e-3)


@pytest.mark.parametrize(("left", "allowed"), [(0.095, True), (0.105, False)])
def test_a_tenth_of_a_bias_may_be_left_after_four_times_the_steps(monkeypatch, left, allowed):
    monkeypatch.setattr(audit_estimator, "N_REPEATS", 50)
    got, report = [], Report()

    def log_z(path, schedule, n, kernel, rng):
        got.append((len(schedule) - 1, n))
        return -1.0 + left + 1e-4 * rng.standard_normal()

    audit_estimator._check_bias(Runs(estimator(log_z), report), PROBLEM, np.tile([0.99, 1.01], 50), rng())
    assert got == [(4 * N_STEPS, N_CHAINS)] * 50
    assert (report.tests[0].p_value == 1) is allowed and len(report.skipped) == allowed
    assert f"and with four times the steps {left:+.3f} ± 0.000" in report.tests[0].sentence


@pytest.mark.parametrize(("n", "found"), [(N_CHAINS, []), (99, ["99 log weights of 100 chains"])])
def test_every_chain_has_a_weight(monkeypatch, n, found):
    monkeypatch.setattr(audit_estimator, "N_REPEATS", 5)
    weighted = estimator(lambda *given: -1.0 + given[-1].standard_normal(), log_weights=np.zeros(n))
    report = Report()
    audit_estimator._check(Runs(weighted, report), PROBLEM, rng(3))
    assert sentences(report) == found


def moved(path, schedule, n, kernel, rng):
    x = START.sample(n, rng)
    for beta in schedule:
        x = kernel(path(beta), x, rng)
    return x.sum()


CALLS = []


@pytest.mark.parametrize(
    ("log_z", "found"),
    [
        (moved, []),
        (lambda path, schedule, *more: moved(path, schedule + 1e-13 * (schedule < 0.9), *more), []),
        (lambda *given: moved(*given[:-1], rng(0)), ["no randomness: different generators give the same result"]),
        (
            lambda *given: moved(*given) + (CALLS.append(0) or len(CALLS) > 1),
            ["other randomness: equal generators give two results: not all randomness comes from rng, or it keeps "
             "something"],
        ),
        (
            lambda path, schedule, *more: moved(path, np.delete(schedule, [3, 12]), *more),
            ["ignores its schedule: it never calls the path at β = 0.25, 1"],
        ),
        (
            lambda path, schedule, n, kernel, rng: moved(path, schedule, n, ae.exact, rng),
            ["ignores its kernel: it never calls the kernel that it gets"],
        ),
    ],
)  # fmt: skip
def test_what_an_estimator_ignores(log_z, found):
    report = Report()
    audit_estimator._check_arguments(Runs(estimator(log_z), report), PROBLEM)
    assert [str(failure) for failure in report.failures] == found


def test_an_estimator_without_a_kernel_ignores_none():
    report = Report()
    without = lambda path, schedule, n_chains, *, rng: SimpleNamespace(log_z=moved(path, schedule, n_chains, ae.exact, rng))  # noqa: E731, E501
    audit_estimator._check_arguments(Runs(without, report), PROBLEM)
    assert report.failures == []
