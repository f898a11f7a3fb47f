"""The randomness, the memory and the chains of kernels made for one check each."""

import numpy as np
import pytest
from scipy.stats import chi2

from anneal_edu.auditing import behaviour
from anneal_edu.auditing.problems import Problem, standard_problems
from tests.auditing.helpers import PLANE, Normal, checked, jitter, kinds, rng


def randomness(kernel, later=False):
    kernel = checked(kernel)
    repeat = behaviour.check_randomness(kernel, PLANE)
    if later:
        repeat()
    return kinds(kernel.report)


def drifting(from_call):
    """A kernel that from some call on adds 1, whatever rng is."""
    calls = []
    return lambda f, x, rng: jitter(f, x, rng) + (calls.append(0) or len(calls) >= from_call)


def test_all_randomness_comes_from_rng_and_nothing_is_kept():
    assert randomness(jitter, later=True) == []
    assert randomness(lambda f, x, rng: x + 1.0) == ["no randomness"]
    assert randomness(lambda f, x, rng: x) == [], "a kernel that never moves is reported elsewhere"
    assert randomness(drifting(2)) == ["other randomness"]
    assert randomness(drifting(9)) == [] and randomness(drifting(9), later=True) == ["keeps state"]


@pytest.mark.parametrize("seed", range(2, 8))
def test_one_generator_of_six_with_other_moves_is_enough(seed):
    usual = rng(seed).random()
    assert randomness(lambda f, x, rng: x + 1.0 + (rng.random() == usual)) == []


def every_chain(kernel):
    kernel = checked(kernel)
    behaviour.check_every_chain(kernel, PLANE, 30, rng())
    return kernel.report


def test_a_single_chain_must_work():
    report = every_chain(lambda f, x, rng: jitter(f, x, rng)[[1, 0, *range(2, len(x))]])
    assert kinds(report) == ["fails"] and not report.tests
    assert "with a single chain: IndexError" in report.failures[0].sentence


@pytest.mark.parametrize(("share", "p"), [(1.0, 0.0), (0.5, 8 * 0.5**12), (0.25, min(1.0, 8 * 0.75**12))])
def test_chains_that_never_move_are_compared_with_the_others(share, p):
    """The others move in a share of the twelve runs: in all first runs, in none of the later ones."""
    calls = []

    def kernel(f, x, rng):
        if len(x) != 8:
            return jitter(f, x, rng)
        run = len(calls) // behaviour.N_MOVES
        calls.append(0)
        moves = run < share * behaviour.N_RUNS and ~np.isin(np.arange(8), (3, 6))
        return np.where(np.reshape(moves, (-1, 1)), jitter(f, x, rng), x)

    (test,) = every_chain(kernel).tests
    assert test.kind == "chains left out" and test.p_value == pytest.approx(p)
    assert test.sentence == f"chain 3 and 1 others of 8 never move; the rest move in {share:.0%} of 12 runs"


def test_every_row_of_many_must_move():
    report = every_chain(lambda f, x, rng: np.where(np.arange(len(x))[:, None] < 10, jitter(f, x, rng), x))
    (test,) = report.tests
    assert test.sentence.startswith("chain 10 and 19 others of 30 never move") and test.p_value == 0
    assert every_chain(lambda f, x, rng: x).tests == []


def test_a_chain_that_returns_to_its_start_has_moved():
    calls = {}

    def there_and_back(f, x, rng):
        calls[len(x)] = calls.get(len(x), -1) + 1
        return x + {0: 1.0, 1: -1.0}.get(calls[len(x)] % behaviour.N_MOVES, 0.0) * (len(x) > 1)

    assert every_chain(there_and_back).tests == []


def lazy_walk(share, draw=lambda rng, n: rng.random(n)):
    """A random walk that moves in a share of its steps."""

    def lazy(f, x, rng):
        y = x + 0.7 * rng.standard_normal(x.shape)
        accepted = np.log(rng.random(len(x))) < f.log_density(y) - f.log_density(x)
        return np.where((accepted & (draw(rng, len(x)) < share))[:, None], y, x)

    return lazy


def p_of_independence(kernel, seed):
    kernel = checked(kernel)
    behaviour.check_independence(kernel, standard_problems(rng())[0], rng(seed))
    return kernel.report.tests[0].p_value


def test_lazy_chains_are_independent_unless_they_wait_for_each_other():
    """By the spread that is seen every twentieth right walk is suspected, by that of independent chains none of 600."""
    assert sum(p_of_independence(lazy_walk(0.02), seed) < 1 for seed in range(25)) <= 1
    together = lazy_walk(0.1, draw=lambda rng, n: np.full(n, rng.random()))
    assert max(p_of_independence(together, seed) for seed in range(5)) < 1e-9
    z, p = behaviour._correlation(checked(lambda f, x, rng: x), PLANE, 5, rng(1))
    assert (z == 0).all() and (p == 1).all()


@pytest.mark.parametrize(("first", "later", "p"), [(1e-6, 1e-9, 1e-9), (1e-6, 0.5, 1.0), (0.5, None, 1.0)])
def test_a_suspicious_correlation_is_tested_with_four_times_as_many_calls(monkeypatch, first, later, p):
    found = iter([([0.1, -5.0, 0.2], [0.9, first, 0.9]), ([0.3, -6.0, 0.4], [0.9, later, 0.9])])
    calls = []

    def correlation(kernel, problem, n_calls, rng):
        calls.append(n_calls)
        return tuple(map(np.array, next(found)))

    monkeypatch.setattr(behaviour, "_correlation", correlation)
    kernel = checked(None)
    behaviour.check_independence(kernel, PLANE, rng())
    assert calls == [behaviour.N_CALLS, 4 * behaviour.N_CALLS][: 1 + (later is not None)]
    (test,) = kernel.report.tests
    assert test.p_value == p and f"{5 + (later is not None)}.0 standard errors from 0" in test.sentence


def test_features_of_a_move_are_in_units_of_each_coordinates_spread():
    class Wide(Normal):
        def sample(self, n, rng):
            return super().sample(n, rng) * [1.0, 100.0]

    features = behaviour._features(Problem("wide", Wide(2), False, (), ()))
    x, step = np.full((3, 2), 3.0), np.array([[0.1, 10.0], [-0.1, -10.0], [0.0, 0.0]])
    found = features(x, x + step)
    np.testing.assert_allclose(found[:, :2], np.tanh(0.2 * np.sign(step)), rtol=0.15)  # 500 draws say how wide
    assert found[:, 2].tolist() == [1, 1, 0]
    np.testing.assert_allclose(found[:, 3], np.tanh([0.02, 0.02, 0]), rtol=0.3)


OTHERS = "where the others are", "how many others there are", "its place among the others"


@pytest.mark.parametrize(
    ("scale", "seen"),
    [
        (lambda x: np.ones(len(x)), ()),
        (lambda x: np.full(len(x), 0.5 + 2 * np.any(x != x[0])), OTHERS),
        (lambda x: np.full(len(x), 0.5 + 2 * (len(x) > 6)), OTHERS[1:2]),
        (lambda x: 0.5 + 2 * (np.arange(len(x)) > 2), OTHERS[2:]),
    ],
    ids=["nothing", "where", "how many", "place"],
)
def test_what_a_move_depends_on_is_named(scale, seen):
    kernel = checked(lambda f, x, rng: x + scale(x)[:, None] * rng.standard_normal(x.shape))
    behaviour.check_exchangeability(kernel, PLANE, 60, rng(1))
    assert {test.kind for test in kernel.report.tests} == {"chains depend on each other"}
    for on, test in zip(OTHERS, kernel.report.tests, strict=True):
        assert f"the move of a chain depends on {on} (a plane): p = " in test.sentence
        assert test.p_value < 1e-9 if on in seen else test.p_value > 1e-5


def test_differences_at_four_places_make_one_chi_squared(monkeypatch):
    monkeypatch.setattr(behaviour, "_z_of_difference", lambda a, b: np.array([1.5, -0.5]))
    for p in behaviour._dependences(checked(jitter), PLANE, 3, rng()).values():
        np.testing.assert_allclose(p, chi2.sf([4 * 1.5**2, 4 * 0.5**2], 4))


def test_z_of_a_difference():
    a, b = rng(1).normal(0.2, 1.0, size=(120, 1)), rng(2).normal(0.0, 2.0, size=(80, 1))
    errors = np.sqrt(a.std(ddof=1) ** 2 / 120 + b.std(ddof=1) ** 2 / 80)
    np.testing.assert_allclose(behaviour._z_of_difference(a, b), (a.mean() - b.mean()) / errors)
    constant = np.full((60, 1), 0.1)
    assert behaviour._z_of_difference(constant, constant + 1e-12) == 0
    assert behaviour._z_of_difference(constant, constant + 0.1) == 40


@pytest.mark.parametrize(("n", "m", "enough"), [(25, 25, True), (24, 25, False), (50, 0, True), (0, 50, True)])
def test_fifty_events_are_enough_for_a_difference(n, m, enough):
    a, b = np.zeros((200, 1)), np.zeros((200, 1))
    a[:n], b[:m] = 1e-3, -1e-3
    assert (behaviour._z_of_difference(a, b)[0] > 0) is np.bool_(enough)
