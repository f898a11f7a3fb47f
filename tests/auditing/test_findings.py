"""What an audit says, and what it notes while it watches a kernel move."""

import numpy as np
import pytest

from anneal_edu.auditing.findings import AuditResult, Docket, Finding, z_and_p
from anneal_edu.auditing.moves import Moves, UnfitStatesError
from anneal_edu.auditing.worlds import World, tiny_worlds

WORLDS = tiny_worlds(np.random.default_rng(0))
SPACE, BITS = WORLDS[1], WORLDS[-1]


def rng(seed=0):
    return np.random.default_rng(seed)


def test_a_report_is_words():
    findings = Finding("does nothing", "no chain ever moved"), Finding("biased", "by much", 1e-9)
    report = AuditResult("kernel", findings, 12, 0.001, ("invariance", "chance"), ("bits: it moves real numbers",))
    assert str(report).splitlines() == [
        "kernel: 2 findings in 12 tests (something right is accused with probability 0.001 or less)",
        "  ✗ does nothing: no chain ever moved",
        "  ✗ biased: by much",
        "  asked: invariance, chance",
        "  not asked: bits: it moves real numbers",
    ]
    few, many = (AuditResult("kernel", (), 20, 0.001, n_draws=n) for n in (1600, 8000))
    assert str(few).splitlines()[1] == "  weak: averages that are off by less than 0.10 standard deviations go unseen"
    assert " in 20 tests of 1,600 draws per world (" in str(few) and "weak" not in str(many)
    one = AuditResult("path", findings[:1], 3, 0.01)
    assert str(one).splitlines()[0].startswith("path: 1 finding in 3 tests") and len(str(one).splitlines()) == 2
    assert not one.passed and report.kinds == ("does nothing", "biased")


def test_a_docket_keeps_the_first_fact_and_the_worst_test_of_a_kind():
    docket = Docket(asked=["a", "b", "a"], left_out=["c"])
    for sentence in ("first", "second"):
        docket.fact("wrong", sentence)
    for p in (1e-5, 1e-9, 0.5):
        docket.test("odd", f"p = {p:g}", p)
    closed = docket.closed("kernel", 0.01)
    assert [str(finding) for finding in closed.findings] == ["wrong: first", "odd: p = 1e-09"]
    assert (closed.asked, closed.left_out, closed.n_tests, closed.risk) == (("a", "b"), ("c",), 3, 0.01)


@pytest.mark.parametrize(("p", "told"), [(0.001 / 2 * 0.99, True), (0.001 / 2, False)])
def test_bonferroni(p, told):
    docket = Docket()
    docket.test("odd", "", p)
    docket.test("even", "", 1.0)
    assert docket.closed("kernel", 0.001).passed is not told


@pytest.mark.parametrize(("n", "z"), [(49, 0.0), (50, 50 / 1000 / np.sqrt(50 * 950 / 1000 / 999 / 1000))])
def test_fifty_that_differ_are_enough(n, z):
    differences = np.zeros((1000, 2))
    differences[:n, 1] = -1.0
    found, p = z_and_p(differences)
    np.testing.assert_allclose(found, [0, -z])
    assert p[0] == 1 and (p[1] < 1e-9) == (z > 0)


def test_every_column_needs_fifty_of_its_own():
    differences = np.zeros((1000, 2))
    differences[:30] = 1.0
    assert z_and_p(differences)[0].tolist() == [0, 0]


def test_differences_that_are_all_equal_say_nothing_of_chance():
    assert z_and_p(np.full((100, 1), 2.0))[0] == 0


def moved(answer, world=SPACE, n=30):
    docket, x = Docket(), world.distribution.sample(n, rng(1))
    moves = Moves(lambda distribution, x, rng: answer(x), docket)
    try:
        states = moves(world, x, rng())
    except UnfitStatesError:
        states = None
    return states, [str(fact) for fact in docket.facts]


def test_moves_return_what_the_kernel_returns():
    states, said = moved(lambda x: x + 1)
    np.testing.assert_array_equal(states, SPACE.distribution.sample(30, rng(1)) + 1)
    assert said == [] and states.dtype == np.float64
    states, said = moved(lambda x: (1 - x).astype(int), BITS)
    assert said == [] and states.dtype == BITS.distribution.sample(1, rng()).dtype
    states, said = moved(lambda x: x.tolist())
    assert said == [] and states.shape == (30, 3)


def test_what_is_kept_is_a_copy():
    kept = []

    def same_array(x):
        kept.append(x + 1)
        return kept[0]

    states, _ = moved(same_array)
    kept[0][:] = 0
    assert (states != 0).all()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: (x, 1), "no states: it must return an array of states (30, 3), got tuple"),
        (lambda x: None, "no states: it must return an array of states (30, 3), got NoneType"),
        (lambda x: [[1], [2, 3]], "no states: it must return an array of states (30, 3), got list"),
        (lambda x: x.astype(str), "no states: it must return an array of states (30, 3), got ndarray"),
        (lambda x: x[:-1], "no states: it must return one state for each chain, (30, 3), got (29, 3)"),
        (lambda x: np.where(np.arange(3) == 1, np.nan, x), "no states: NaN or infinity in 30 of 90 coordinates"),
        (lambda x: np.where(np.arange(3) == 1, -np.inf, x), "no states: NaN or infinity in 30 of 90 coordinates"),
    ],
)
def test_no_states(answer, words):
    assert moved(answer) == (None, [words])


def test_what_leaves_the_support_is_counted():
    walled = next(world for world in WORLDS if world.name == "a half-line")
    _, said = moved(lambda x: np.where(np.arange(30)[:, None] < 4, -1.0, x), walled)
    assert said == ["leaves the support: 4 of 30 chains stand where the density is zero (a half-line)"]
    _, said = moved(lambda x: np.where(np.arange(30)[:, None] == 29, 2.0, x), BITS)
    assert said == ["leaves the support: 1 of 30 chains have a value that no draw has (an RBM of three bits)"]


def in_place(x):
    x += 1
    return x


@pytest.mark.parametrize("world", [SPACE, BITS])
def test_changes_in_place_are_seen(world):
    _, said = moved(in_place if world is SPACE else lambda x: np.copyto(x, 1 - x) or x, world)
    assert len(said) == 1 and said[0].startswith("changes its input")


@pytest.mark.parametrize(("n", "told"), [(19, False), (20, True)])
def test_single_precision_is_seen(n, told):
    rounds = lambda x: (x + 0.1).astype(np.float32)  # noqa: E731
    _, said = moved(rounds, n=n)
    assert said == ["rounds its states: every coordinate that it returns is a number of single precision"] * told
    one_double = lambda x: np.where(np.arange(n)[:, None] < 1, x, rounds(x))  # noqa: E731
    assert moved(one_double, n=n)[1] == []


def test_who_is_given_single_precision_does_not_round():
    docket = Docket()
    x = SPACE.distribution.sample(30, rng(1)).astype(np.float32)
    Moves(lambda distribution, x, rng: x, docket)(SPACE, x, rng())
    assert docket.facts == []


def test_a_world_looks_with_all_its_probes():
    world = World("", None, False, (("a", lambda x: x[:, 0]), ("b", lambda x: -x[:, 1])), ())
    np.testing.assert_array_equal(world.look(np.array([[1.0, 2.0], [3.0, 4.0]])), [[1, -2], [3, -4]])
