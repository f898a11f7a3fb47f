"""How an audit asks a kernel for its chance, its memory and its chains: each question with answers made by hand."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

from anneal_edu.auditing import conduct
from anneal_edu.auditing.findings import Docket
from anneal_edu.auditing.worlds import World
from tests.auditing.by_hand import Normal, jitter, rng

WORLD = World("a plane", Normal(2), False, (), ())


def asked_for_chance(moves, later=False):
    docket = Docket()
    once_more = conduct.ask_chance(moves, WORLD, docket)
    if later:
        once_more()
    return [fact.kind for fact in docket.facts]


def drifting(from_call):
    """A kernel that from some call on adds 1, whatever rng says."""
    calls = []

    def moves(world, x, rng):
        calls.append(0)
        return jitter(world, x, rng) + (len(calls) >= from_call)

    return moves


def test_all_chance_from_rng_and_no_memory():
    assert asked_for_chance(jitter, later=True) == []
    assert asked_for_chance(lambda world, x, rng: x + 1.0) == ["no chance"]
    assert asked_for_chance(drifting(2)) == ["chance of its own"]
    assert asked_for_chance(drifting(9)) == [] and asked_for_chance(drifting(9), later=True) == ["remembers"]


@pytest.mark.parametrize("seed", range(2, 8))
def test_one_generator_of_six_that_gives_other_states_is_chance_enough(seed):
    usual = rng(seed).random()

    def rarely(world, x, rng):
        return x + 1.0 + (rng.random() == usual)

    assert asked_for_chance(rarely) == []


def asked_for_few(moves):
    docket = Docket()
    conduct.ask_few_chains(moves, WORLD, 30, docket, rng())
    return docket


def test_a_kernel_that_cannot_move_a_single_chain_is_told_so_and_asked_no_more():
    def of_many(world, x, rng):
        return jitter(world, x, rng)[[1, 0, *range(2, len(x))]]

    docket = asked_for_few(of_many)
    assert [fact.kind for fact in docket.facts] == ["fails"] and not docket.tests
    assert "with a single chain: IndexError" in docket.facts[0].sentence


@pytest.mark.parametrize(("share", "p"), [(1.0, 0.0), (0.5, 8 * 0.5**12), (0.25, min(1.0, 8 * 0.75**12))])
def test_chains_that_never_move_are_counted_against_those_that_do(share, p):
    """The others move in a share of the twelve runs: all in the first runs, none in the later ones."""
    calls = []

    def moves(world, x, rng):
        if len(x) != 8:
            return jitter(world, x, rng)
        run = len(calls) // conduct.N_MOVES
        calls.append(0)
        lucky = run < share * conduct.N_REPEATS and ~np.isin(np.arange(8), (3, 6))
        return np.where(np.reshape(lucky, (-1, 1)), jitter(world, x, rng), x)

    (test,) = asked_for_few(moves).tests
    assert len(calls) == conduct.N_REPEATS * conduct.N_MOVES and test.kind == "chains left out"
    assert test.p_value == pytest.approx(p)
    said = f"2 of 8 chains never move, where the others move in {share:.0%} of 12 runs; the first of these is chain 3"
    assert test.sentence == said


def test_every_row_of_many_is_asked_as_well():
    first_ten = asked_for_few(lambda world, x, rng: np.where(np.arange(len(x))[:, None] < 10, jitter(world, x, rng), x))
    (test,) = first_ten.tests
    assert test.sentence.startswith("20 of 30 chains never move") and test.p_value == 0


def test_a_chain_that_comes_back_has_moved():
    """Out and back: after 24 of 25 moves it stands where it began, but it has been elsewhere."""
    home = {}

    def moves(world, x, rng):
        out = home.setdefault(len(x), 0) % conduct.N_MOVES
        home[len(x)] += 1
        return x + {0: 1.0, 1: -1.0}.get(out, 0.0) * (len(x) > 1)

    assert asked_for_few(moves).tests == []


def test_who_never_moves_at_all_leaves_no_chain_out():
    assert asked_for_few(lambda world, x, rng: x).tests == []


@pytest.mark.parametrize(("p", "suspicious"), [([0.02, 0.5], True), ([0.5, 0.02], True), ([0.03, 0.5], False)])
def test_suspicious_is_less_than_a_twentieth_for_the_least_of_all(p, suspicious):
    assert conduct._suspicious(np.array(p)) is suspicious


@pytest.mark.parametrize(("later", "p"), [(1e-9, 1e-9), (0.5, 1.0)])
def test_the_look_that_was_most_suspicious_is_the_one_that_is_told(monkeypatch, later, p):
    found = iter([([0.1, -5.0, 0.2], [0.5, 1e-6, 0.5]), ([0.3, -6.0, 0.4], [0.5, later, 0.4])])
    monkeypatch.setattr(conduct, "_likeness", lambda *_: tuple(map(np.array, next(found))))
    docket = Docket()
    conduct.ask_independence(None, WORLD, docket, rng())
    assert docket.tests[0].p_value == p and "correlation is 6.0 standard errors" in docket.tests[0].sentence


@pytest.mark.parametrize("together", [0.0, 0.5])
def test_likeness_is_the_mean_product_of_what_two_chains_did_in_its_own_errors(together):
    def moves(world, x, rng):
        return jitter(world, x, rng) + together * rng.standard_normal()

    z, p = conduct._likeness(moves, WORLD, 9, rng(4))
    again, looks, products, expected = rng(4), conduct._looks(WORLD), [], []
    for start in WORLD.distribution.sample(conduct.N_STARTS, again):
        x = np.repeat(start[None], conduct.N_CHAINS, axis=0)
        seen = np.array([looks(x, moves(WORLD, x, again)) for _ in range(9)])
        away = seen - seen.mean(axis=0)
        pairs = [(i, j) for i in range(conduct.N_CHAINS) for j in range(conduct.N_CHAINS) if i != j]
        products += [sum(call[i] * call[j] for i, j in pairs) for call in away]
        spread = away.std(axis=0, ddof=1)
        expected.append(sum(2 * (spread[i] * spread[j]) ** 2 for i, j in pairs))
    seen, of_independent = np.std(products, axis=0, ddof=1), np.sqrt(np.mean(expected, axis=0))
    errors = np.maximum(seen, of_independent) / np.sqrt(len(products))
    moving = errors > 0
    np.testing.assert_allclose(z[moving], (np.mean(products, axis=0) / np.where(moving, errors, 1))[moving])
    np.testing.assert_allclose(p, 2 * norm.sf(np.abs(z)))
    assert moving.tolist() == [True, True, False, True] and z[2] == 0


def test_looks_are_in_units_of_each_coordinates_spread():
    class Wide(Normal):
        def sample(self, n, rng):
            return super().sample(n, rng) * [1.0, 100.0]

    looks = conduct._looks(World("wide", Wide(2), False, (), ()))
    here = np.array([[3.0, -200.0]])
    found = looks(here, here + np.array([0.1, 10.0]))[0]
    np.testing.assert_allclose(found[:2], np.tanh(0.2), rtol=0.15)  # 500 draws say how wide
    np.testing.assert_allclose(found[3], np.tanh(0.02), rtol=0.3)


def test_only_what_is_suspicious_of_company_is_asked_again(monkeypatch):
    first = {"where the others are": [1e-5, 0.5], "how many others there are": [0.2, 0.3], "its place": [1e-4, 0.9]}
    later = {"where the others are": [1e-9, 0.5], "how many others there are": [1e-9, 0.3], "its place": [0.4, 0.9]}
    calls = []

    def companions(moves, world, n_calls, rng):
        calls.append(n_calls)
        return {said: np.array(p) for said, p in (first if len(calls) == 1 else later).items()}

    monkeypatch.setattr(conduct, "_companions", companions)
    docket = Docket()
    conduct.ask_companions(None, WORLD, 70, docket, rng())
    assert calls == [70, 280] and {test.kind for test in docket.tests} == {"chains depend on each other"}
    assert [test.p_value for test in docket.tests] == [2e-9, 1.0, 1.0]
    assert "depends on where the others are (a plane): p = 2e-09" in docket.tests[0].sentence
    calls.clear()
    first = {said: [0.4, 0.4] for said in first}
    conduct.ask_companions(None, WORLD, 70, docket, rng())
    assert calls == [70]


COMPANY = "where the others are", "how many others there are", "its place among the others"


def steps(scale):
    return lambda world, x, rng: x + scale(x)[:, None] * rng.standard_normal(x.shape)


@pytest.mark.parametrize(
    ("scale", "seen"),
    [
        (lambda x: np.ones(len(x)), ()),
        (lambda x: np.full(len(x), 0.5 + 2 * np.any(x != x[0])), COMPANY),
        (lambda x: np.full(len(x), 0.5 + 2 * (len(x) > 6)), COMPANY[1:2]),
        (lambda x: 0.5 + 2 * (np.arange(len(x)) > 2), COMPANY[2:]),
    ],
    ids=["nothing", "where", "how many", "place"],
)
def test_what_a_move_depends_on_is_named(scale, seen):
    found = conduct._companions(steps(scale), WORLD, 60, rng(1))
    assert tuple(found) == COMPANY
    for said, p in found.items():
        assert p.shape == (4,) and (p.min() < 1e-9 if said in seen else p.min() > 1e-5), (said, p)


def test_gaps_of_four_places_are_one_chi_squared(monkeypatch):
    monkeypatch.setattr(conduct, "_gap", lambda a, b: np.array([1.5, -0.5]))
    found = conduct._companions(jitter, WORLD, 3, rng())
    for p in found.values():
        np.testing.assert_allclose(p, chi2.sf([4 * 1.5**2, 4 * 0.5**2], 4))


def test_a_gap_is_the_difference_of_two_means_in_its_errors():
    a, b = rng(1).normal(0.2, 1.0, size=(120, 1)), rng(2).normal(0.0, 2.0, size=(80, 1))
    errors = np.sqrt(a.std(ddof=1) ** 2 / 120 + b.std(ddof=1) ** 2 / 80)
    np.testing.assert_allclose(conduct._gap(a, b), (a.mean() - b.mean()) / errors)


@pytest.mark.parametrize(("n", "m", "enough"), [(25, 25, True), (24, 25, False), (50, 0, True), (0, 50, True)])
def test_fifty_events_in_all_are_enough_for_a_gap(n, m, enough):
    a, b = np.zeros((200, 1)), np.zeros((200, 1))
    a[:n], b[:m] = 1e-3, -1e-3
    assert (conduct._gap(a, b)[0] > 0) is np.bool_(enough)


def test_equal_in_all_but_the_rounding_are_no_gap():
    assert conduct._gap(np.full((60, 1), 0.1), np.full((60, 1), 0.1 + 1e-12)) == 0
