"""How an audit asks an estimator: each question with answers made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

import anneal_edu as ae
from anneal_edu.auditing import of_estimators
from anneal_edu.auditing.findings import Docket
from anneal_edu.auditing.of_estimators import N_CHAINS, N_REPEATS, N_STEPS, SHIFT, Problem, Runs


def rng(seed=0):
    return np.random.default_rng(seed)


ENDS = ae.Gaussian([0.0], [[2.0]], 0.5), ae.Gaussian([1.0], [[0.5]], -1.0)
PROBLEM = Problem("a line", lambda start, end: ae.geometric_path(*ENDS), -1.0, ae.exact)


def answers(log_z, **more):
    """An estimator that knows what it answers: log_z(path, schedule, third, kernel, rng)."""

    def estimator(path, schedule, n_chains, kernel=None, *, rng):
        return SimpleNamespace(log_z=log_z(path, schedule, n_chains, kernel, rng), **more)

    return estimator


def test_an_estimator_is_handed_the_path_a_linear_schedule_the_chains_and_the_kernel():
    handed = []
    shifts, generator = [], rng()
    problem = Problem("", lambda start, end: shifts.append((start, end)) or ENDS[0], 0.0, ae.gibbs)
    runs = Runs(answers(lambda *given: handed.append(given)))
    runs(problem, generator)
    runs(problem, generator, 7, 3, (1.0, 2.0), kernel=ae.exact)
    runs(problem, generator, path="another")
    assert shifts == [(0, 0), (1, 2)]
    assert [(path, chains, kernel) for path, _, chains, kernel, _ in handed] == [
        (ENDS[0], N_CHAINS, ae.gibbs), (ENDS[0], 7, ae.exact), ("another", N_CHAINS, ae.gibbs)
    ]  # fmt: skip
    np.testing.assert_allclose(handed[0][1], np.linspace(0, 1, N_STEPS + 1))
    np.testing.assert_allclose(handed[1][1], np.linspace(0, 1, 4))
    assert all(given[-1] is generator for given in handed)


def test_who_starts_from_draws_gets_draws_and_who_takes_no_kernel_gets_none():
    handed = []

    def from_above(path, schedule, samples, *, rng):
        handed.append(samples)

    def anything(path, schedule, n_chains, *, rng, **more):
        handed.append(more)

    Runs(from_above)(PROBLEM, rng(1), 5)
    np.testing.assert_array_equal(handed[0], ENDS[1].sample(5, rng(1)))
    Runs(anything)(PROBLEM, rng(1))
    assert handed[1] == {"kernel": ae.exact}
    assert not Runs(from_above).takes_kernel and Runs(ae.ais).takes_kernel
    assert Runs(ae.reverse_ais).from_above and not Runs(ae.ais).from_above


@pytest.mark.parametrize("problem", of_estimators.problems()[:3], ids=lambda problem: problem.name)
def test_both_ends_of_a_problem_can_be_shifted(problem):
    """And what the start says of its log Z with it."""
    plain, shifted = problem.make_path(0.0, 0.0), problem.make_path(0.3, 5.0)
    x = plain(0.0).sample(9, rng())
    np.testing.assert_allclose(shifted(0.0).log_density(x) - plain(0.0).log_density(x), 0.3)
    assert shifted(0.0).log_z() - plain(0.0).log_z() == pytest.approx(0.3)
    y = problem.draws(9, rng())
    np.testing.assert_allclose(shifted(1.0).log_density(y) - plain(1.0).log_density(y), 5.0)
    np.testing.assert_allclose(problem.draws(2000, rng(1)).mean(0), plain(1.0).sample(2000, rng(2)).mean(0), atol=0.3)


def problem_in_turn(monkeypatch, refused, reached):
    problems = [Problem(name, PROBLEM.make_path, -1.0, ae.exact) for name in ("one", "two", "three")]
    monkeypatch.setattr(of_estimators, "problems", lambda: problems)
    monkeypatch.setattr(of_estimators, "_ask", lambda runs, problem, *_, first: reached.append((problem.name, first)))
    answer, docket = iter([refused, 1.0, 1.0]), Docket()
    of_estimators.audit_estimator(answers(lambda *_: 1 / next(answer) - 1), docket, rng())
    return docket


@pytest.mark.parametrize(("refused", "words"), [(0, "ZeroDivisionError"), (np.nan, "ValueError: log_z is nan")])
def test_a_problem_that_is_refused_does_not_end_the_audit(monkeypatch, refused, words):
    reached = []
    docket = problem_in_turn(monkeypatch, refused, reached)
    assert reached == [("two", True), ("three", False)] and docket.facts == []
    assert len(docket.left_out) == 1 and docket.left_out[0].startswith(f"one: {words}")


def test_each_problem_is_asked_in_turn(monkeypatch):
    reached = []
    docket = problem_in_turn(monkeypatch, 1.0, reached)
    assert reached == [("one", True), ("two", False), ("three", False)] and docket.left_out == []


def asked(problem, first):
    docket = Docket()
    noisy = answers(lambda path, schedule, n, kernel, rng: -1.0 + rng.standard_normal() / np.sqrt(n), std_error=0.1)
    of_estimators._ask(Runs(noisy), problem, docket, rng(3), first)
    return docket


def test_the_first_problem_is_asked_more(monkeypatch):
    monkeypatch.setattr(of_estimators, "N_REPEATS", 40)
    others, first = asked(PROBLEM, False), asked(PROBLEM, True)
    assert set(others.asked) == {"log Z of a line", "constants", "error bars"}
    assert [test.kind for test in others.tests] == ["biased", "wrong error bar"]
    assert [test.kind for test in first.tests] == ["biased", "wrong error bar", "chains left out"]
    assert {*others.asked, "chance, kernel, schedule", "more chains"} == set(first.asked)
    assert [fact.kind for fact in others.facts] == ["constants"]  # its log Z does not follow the path's
    assert {fact.kind for fact in first.facts} == {"constants", "ignores its schedule", "ignores its kernel"}


def test_bits_have_no_constants(monkeypatch):
    monkeypatch.setattr(of_estimators, "N_REPEATS", 10)

    def bits(start, end):
        return PROBLEM.make_path(start, end)

    assert asked(Problem("bits", bits, -1.0, ae.exact), False).facts == []


@pytest.mark.parametrize(("off", "excused"), [(-0.3, 0.0), (0.3, 0.0), (0.2, 0.2)])
def test_a_bias_is_told_in_its_errors(monkeypatch, off, excused):
    """Its p-value is that of the mean error beyond three quarters of the variance."""
    monkeypatch.setattr(of_estimators, "N_REPEATS", 50)
    errors = off + 0.1 * norm.ppf((np.arange(100) + 0.5) / 100) * (1 if not excused else 6)
    docket = Docket()
    runs = Runs(answers(lambda path, schedule, n, kernel, rng: -1.0 + off + 0.1 * rng.standard_normal()))
    of_estimators._ask_bias(runs, PROBLEM, errors, docket, rng())
    beyond = abs(errors.mean()) - 0.75 * errors.var(ddof=1)
    p = 2 * norm.sf(max(0, beyond) / (errors.std(ddof=1) / 10))
    assert docket.tests[0].p_value == pytest.approx(p, rel=1e-4) and docket.tests[0].kind == "biased"
    assert (f"log Ẑ is off by {off:+.3f} ± " in docket.tests[0].sentence) and docket.left_out == []
    assert ("four times the steps by" in docket.tests[0].sentence) == (not excused)


@pytest.mark.parametrize(("left", "is_excused"), [(0.095, True), (0.105, False), (0.02, True)])
def test_a_tenth_of_a_bias_may_be_left_after_four_times_the_steps(monkeypatch, left, is_excused):
    monkeypatch.setattr(of_estimators, "N_REPEATS", 50)
    asked_with, docket = [], Docket()

    def log_z(path, schedule, n, kernel, rng):
        asked_with.append((len(schedule) - 1, n))
        return -1.0 + left + 1e-4 * rng.standard_normal()

    of_estimators._ask_bias(Runs(answers(log_z)), PROBLEM, np.tile([0.99, 1.01], 50), docket, rng())
    assert asked_with == [(4 * N_STEPS, N_CHAINS)] * 50
    assert (docket.tests[0].p_value == 1) is is_excused and (len(docket.left_out) == 1) is is_excused
    assert f"and with four times the steps by {left:+.3f} ± 0.000" in docket.tests[0].sentence


def shifted(log_z, spread=0.01):
    docket = Docket()
    problem = Problem("a line", lambda start, end: (start, end), -1.0, ae.exact)
    runs = Runs(answers(lambda path, schedule, n, kernel, rng: log_z(*path) + rng.standard_normal()))
    of_estimators._look_at_shifts(runs, problem, spread, docket, rng(5))
    return [fact.sentence for fact in docket.facts]


def test_constants_shift_log_z_as_they_should():
    """Equal generators: whatever chance there is, is the same in all three."""
    assert shifted(lambda start, end: end) == []
    assert shifted(lambda start, end: 0.0) == ["log f + 2 gives log Ẑ +0.000 (a line)"]
    assert shifted(lambda start, end: -end) == ["log f + 2 gives log Ẑ -2.000 (a line)"]
    assert shifted(lambda start, end: end - start) == ["log f_0 + 2, with its log Z, gives log Ẑ -2.000 for +0"]
    assert SHIFT == 2


@pytest.mark.parametrize("sign", [-1, 1])
def test_constants_may_be_off_by_eight_of_the_spread(sign):
    for off, told in ((0.09, 0), (0.11, 1)):
        assert len(shifted(lambda start, end, off=off: end * (1 + sign * off / 2))) == told
        assert len(shifted(lambda start, end, off=off: end + sign * start * off / 2)) == told


def weights(log_weights, log_z, **more):
    docket = Docket()
    of_estimators._look_at_weights(SimpleNamespace(log_z=log_z, log_weights=log_weights), docket)
    return [str(fact) for fact in docket.facts]


def test_log_z_is_the_mean_weight_from_below_or_from_above():
    w = rng().standard_normal(N_CHAINS)
    below, above = np.log(np.exp(w).mean()), -np.log(np.exp(-w).mean())
    for right in (below, above, below + 5e-7, [0.0, below]):
        assert weights(w, right) == []
    said = f"not the mean weight: log_z is {below + 0.01:.4f}, the log mean weight {below:.4f}"
    assert weights(w, below + 0.01) == [said]
    w[3] = -np.inf
    assert weights(w, np.log(np.exp(w).mean())) == []
    assert weights(list(w), 0.7) != []


def test_weights_are_one_a_chain_or_not_looked_at():
    assert weights(np.zeros(N_CHAINS - 1), 0.0) == ["chains left out: 99 log weights of 100 chains"]
    assert weights(np.zeros((N_CHAINS, 2)), 9.0) == weights(None, 9.0) == []
    docket = Docket()
    of_estimators._look_at_weights(SimpleNamespace(log_z=9.0), docket)
    assert docket.facts == []


def test_error_bars_that_differ_are_uncertain_themselves():
    """By twice sd / √n of their own: an error bar that is short in one run and long in the next is no verdict."""
    errors, said = norm.ppf((np.arange(100) + 0.5) / 100), np.tile([0.2, 0.8], 50)
    docket, bars = Docket(), iter(said)
    results = [SimpleNamespace(std_error=next(bars)) for _ in errors]
    of_estimators._ask_error_bars(SimpleNamespace(name="one", log_z=0.0), results, errors, docket)
    own, true = np.sqrt(0.34), errors.std(ddof=1)
    noise = np.sqrt(2 / 100) + 2 * 0.3 / own / 10  # a kurtosis below that of a Gaussian is taken for it
    z = (2 * np.log(true / own) - 2 * np.log(1.25)) / noise
    assert docket.tests[0].p_value == pytest.approx(2 * norm.sf(z))
    assert docket.tests[0].sentence == f"its standard error is {own / true:.2f} of how much 100 runs differ (one)"


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0, -1.0])
def test_error_bars_that_are_none_are_not_asked(bad):
    bars, docket = np.ones(20), Docket()
    bars[7] = bad
    results = [SimpleNamespace(std_error=bar) for bar in bars]
    of_estimators._ask_error_bars(SimpleNamespace(name="one", log_z=0.0), results, rng().normal(size=20), docket)
    assert docket.tests == []


def conduct(log_z):
    docket = Docket()
    of_estimators._look_at_conduct(Runs(answers(log_z)), PROBLEM, docket)
    return [str(fact) for fact in docket.facts]


def walked(path, schedule, n, kernel, rng):
    x = ENDS[0].sample(n, rng)
    for beta in schedule:
        x = kernel(path(beta), x, rng)
    return x.sum()


def test_an_estimator_that_walks_its_schedule_with_its_kernel_and_its_chance():
    assert conduct(walked) == []


def test_what_an_estimator_ignores_is_told():
    assert conduct(lambda *given: walked(*given[:-1], rng(0))) == [
        "no chance: different generators give the same result"
    ]
    calls = []
    assert conduct(lambda *given: walked(*given) + (calls.append(0) or len(calls) > 1)) == [
        "chance of its own: equal generators give two results: it draws from elsewhere, or remembers"
    ]
    assert conduct(lambda path, schedule, *more: walked(path, np.delete(schedule, [3, 12]), *more)) == [
        "ignores its schedule: it never asks for the path at β = 0.25, 1"
    ]
    assert conduct(lambda path, schedule, n, kernel, rng: walked(path, schedule, n, ae.exact, rng)) == [
        "ignores its kernel: the kernel that it is given is never called"
    ]
    rounded = conduct(lambda path, schedule, *more: walked(path, schedule + 1e-13 * (schedule < 0.9), *more))
    assert rounded == []


def test_who_takes_no_kernel_ignores_none():
    def estimator(path, schedule, n_chains, *, rng):
        return SimpleNamespace(log_z=walked(path, schedule, n_chains, ae.exact, rng))

    docket = Docket()
    of_estimators._look_at_conduct(Runs(estimator), PROBLEM, docket)
    assert docket.facts == []


def test_more_chains_are_four_times_as_many():
    asked_with, errors = [], rng().standard_normal(N_REPEATS)

    def log_z(path, schedule, n, kernel, rng):
        asked_with.append(n)
        return rng.standard_normal() / 2

    docket = Docket()
    of_estimators._ask_more_chains(Runs(answers(log_z)), PROBLEM, errors, docket, rng(2))
    assert asked_with == [4 * N_CHAINS] * N_REPEATS and docket.tests[0].kind == "chains left out"
    later = np.array([child.standard_normal() / 2 for child in rng(2).spawn(N_REPEATS)])
    ratio = errors.var(ddof=1) / later.var(ddof=1)
    assert docket.tests[0].sentence == f"four times the chains divide the variance of log Ẑ by {ratio:.1f}, not by 4"
