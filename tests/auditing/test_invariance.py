"""How an audit asks whether a kernel leaves a distribution as it is: each question with states made by hand."""

import numpy as np
import pytest
from scipy.stats import norm

from anneal_edu.auditing import invariance
from anneal_edu.auditing.findings import Docket
from anneal_edu.auditing.worlds import World
from tests.auditing.by_hand import Normal, jitter, rng

COORDINATES = tuple((f"coordinate {j}", lambda x, j=j: x[:, j]) for j in range(2))
WORLD = World("a plane", Normal(2), False, tuple((f"the mean of {name}", f) for name, f in COORDINATES), COORDINATES)


def test_changes_are_told_probe_by_probe_and_stop_after_stop():
    stages = [np.add([[0.0, 10.0]] * 3, [i, 2 * i]) for i in range(4)]
    for j, changed in enumerate(([1, 2, 3], [2, 4, 6])):
        np.testing.assert_array_equal(invariance.changes(WORLD.probes[j][1], stages), [changed] * 3)


def test_bits_stay_bits_and_the_rest_are_double():
    class Bits(Normal):
        def sample(self, n, rng):
            return np.zeros((n, 1), dtype=np.float32)

    for discrete, kind in ((True, np.float32), (False, np.float64)):
        world = World("", Bits(1), discrete, (), ())
        stages = invariance.walked(lambda world, x, rng: x, world, 3, rng())
        assert [x.dtype for x in stages] == [kind] * 4


def test_the_most_suspicious_are_asked_with_eight_times_as_many():
    """The second coordinate drifts: after twelve moves most, then after four."""

    def drifts(world, x, rng):
        return jitter(world, x + np.array([0.0, 0.05]), rng)

    docket = Docket()
    assert invariance.ask_invariance(drifts, WORLD, 1000, docket, rng(1))
    again = rng(1)
    invariance.walked(drifts, WORLD, 1000, again)
    start, _, four, twelve = invariance.walked(drifts, WORLD, 8000, again)
    for test, after, moves in zip(docket.tests, (twelve, four), (12, 4), strict=True):
        change = (after - start)[:, 1]
        z = change.mean() / change.std(ddof=1) * np.sqrt(8000)
        assert test.p_value == pytest.approx(2 * norm.sf(z)) and test.kind == "not invariant"
        said = f"of 8000 exact draws (a plane) the mean of coordinate 1 is {z:.1f} standard errors off"
        assert test.sentence == f"{said} after {moves} moves"


def test_after_one_move_is_said_in_the_singular():
    def there_and_away(world, x, rng):
        calls.append(0)
        return jitter(world, x, rng) + (3.0 if len(calls) % 12 == 1 else -3.0 if len(calls) % 12 == 2 else 0.0)

    calls, docket = [], Docket()
    invariance.ask_invariance(there_and_away, WORLD, 1000, docket, rng(1))
    assert all(test.sentence.endswith("standard errors off after 1 move") for test in docket.tests)


@pytest.mark.parametrize("row", range(4))
def test_every_row_of_a_few_is_asked(row):
    def wrong_in_one(world, x, rng):
        return jitter(world, x, rng) + np.outer(np.arange(len(x)) == row, [0.0, 0.5])

    docket = Docket()
    invariance.ask_rows(wrong_in_one, WORLD, 300, docket, rng(2))
    again = rng(2)
    for n in (300, 600):
        x = after = WORLD.distribution.sample(4 * n, again).reshape(n, 4, 2)
        for _ in range(2):
            after = np.array([wrong_in_one(WORLD, few, again) for few in after])
    change = (after - x)[:, row, 1]
    z = change.mean() / change.std(ddof=1) * np.sqrt(600)
    (test,) = docket.tests
    assert test.p_value == pytest.approx(2 * norm.sf(z)) and test.kind == "not invariant"
    said = f"in calls with 4 chains (a plane) the mean of coordinate 1 of chain {row} is {z:.1f} standard errors off"
    assert test.sentence == f"{said} after 2 moves"


def never(scalars, x, after, discrete=False):
    docket = Docket()
    invariance._look_for_what_never_changes(World("here", None, discrete, (), tuple(scalars)), [x, x, after], docket)
    return [fact.sentence for fact in docket.facts]


def moved(n, dim=2):
    """States of 1000 chains in a box away from 0, and where n of them went, anywhere in it."""
    x, after = rng(1).uniform(1, 2, size=(2, 1000, dim))
    after[n:] = x[n:]
    return x, after


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize(("n", "told"), [(79, False), (80, True)])
def test_of_eighty_chains_that_moved_what_never_changed_is_told(n, told, discrete):
    x, after = moved(n)
    after[:, 1] = x[:, 1]
    sentence = "coordinate 1 never changes: it stays as it began in all chains (here)"
    assert never(COORDINATES, x, after, discrete) == [sentence] * told


@pytest.mark.parametrize(("change", "told"), [(1e-10, True), (1e-8, False)])
def test_what_changes_in_its_rounding_only_never_changes(change, told):
    x, after = moved(1000)
    after[:, 0] = x[:, 0] + change * x[:, 0].std() * rng(2).choice([-1, 1], size=1000)
    sentence = "coordinate 0 never changes: it stays as it began in all chains (here)"
    assert never(COORDINATES[:1], x, after) == [sentence] * told


def test_what_hardly_differs_between_discrete_states_may_change_unseen():
    """One chain of a thousand differs in its first coordinate: one site of many, rarely tried, rarely flips."""
    x, after = moved(1000)
    x[:, 0] = after[:, 0] = np.arange(1000) == 7
    assert never(COORDINATES[:1], x, after, discrete=True) == [] != never(COORDINATES[:1], x, after)


def test_what_is_equal_in_all_chains_need_not_change():
    x, after = moved(1000)
    x[:, 0] = after[:, 0] = 1.5
    assert never(COORDINATES[:1], x, after) == []


@pytest.mark.parametrize(
    ("dim", "name", "told"),
    [(1, "log f", 0), (2, "log f", 1), (1, "coordinate 0", 1), (1, "the distance from 0", 1)],
)
def test_on_a_line_the_density_may_stay_as_it_is(dim, name, told):
    """Two points of equal density, and nothing between: a symmetric density's mirror, which its distance tells."""
    x, after = moved(1000, dim)
    assert len(never([(name, lambda x: np.where(np.arange(1000) % 2, 1.0, 2.0))], x, after, discrete=True)) == told


def test_a_threshold_that_nobody_crosses_is_told_but_not_of_bits():
    x = np.linspace(-1, 2, 4000)[:, None]
    after = np.sign(x) * rng(4).uniform(0, 1, size=x.shape)
    assert never(COORDINATES[:1], x, after) == ["no chain ever takes coordinate 0 across 0.00 (here)"]
    assert never(COORDINATES[:1], x, after, discrete=True) == []


def test_zero_is_a_threshold_of_its_own():
    """41 others in some three: none of them is exactly where nobody crosses."""
    before = np.linspace(-1, 2, 4000)
    now = np.sign(before) * rng(4).uniform(0, 1, size=4000)
    assert invariance._never_crossed(before, now) == 0
    now[0] = -now[0]
    assert invariance._never_crossed(before, now) is None
    assert invariance._never_crossed(before + 1.5, now + 1.5) is None


def two_rooms(n=4000, wall=0.3, jump=0.5):
    """n chains on each side of a wall of a tenth; each goes some way, and never through it."""
    room = rng(3).uniform(0.05, 1, size=2 * n)
    side = np.repeat([-1, 1], n)
    return wall + side * room, wall + side * np.clip(room + rng(4).uniform(-jump, jump, size=2 * n), 0.05, 1.2)


def test_a_wall_is_found_between_those_who_live_near_it():
    before, now = two_rooms()
    assert invariance._never_crossed(before, now) == pytest.approx(0.3, abs=0.05)
    assert invariance._never_crossed(-before, -now) == pytest.approx(-0.3, abs=0.05)
    now[0] = 0.4
    assert invariance._never_crossed(before, now) is None


@pytest.mark.parametrize(("n", "told"), [(79, False), (80, True)])
def test_eighty_of_those_that_moved_must_have_been_near(n, told):
    """n chains at 0.2 go up, and never come below it; all others live far off, and go up and down."""
    far = np.linspace(5, 6, 1000)
    before = np.concatenate([np.full(n, 0.2), far])
    now = np.concatenate([np.full(n, 0.7), far + np.tile([0.5, -0.5], 500)])
    assert (invariance._never_crossed(before, now) is not None) is told


def test_small_steps_far_from_a_wall_are_no_sign_of_it():
    before, now = two_rooms(jump=0.01)
    before, now = before + 5 * np.sign(before - 0.3), now + 5 * np.sign(now - 0.3)
    assert invariance._never_crossed(before, now) is None
    assert invariance._never_crossed(before[:79], now[:79]) is None
    assert invariance._never_crossed(before, before) is None


def test_who_stands_still_crosses_nothing_and_needs_not():
    """Of 4000 chains 3000 stand still, some of them near 0; those that move go through it."""
    before = rng(3).uniform(-1, 1, size=4000)
    now = before.copy()
    now[:1000] = rng(4).uniform(-1, 1, size=1000)
    assert invariance._never_crossed(before, now) is None
    now[:1000] = np.abs(now[:1000]) * np.sign(before[:1000])
    assert invariance._never_crossed(before, now) == pytest.approx(0, abs=0.02)


def lattices(x, after):
    docket = Docket()
    invariance._look_for_lattices(World("here", None, False, (), ()), [x, after, x + 100.0], docket)
    return [fact.sentence for fact in docket.facts]


def test_chains_that_meet_are_told():
    x = rng(1).standard_normal((1000, 2))
    meeting = x[rng(2).integers(0, 1000, size=1000)]
    n = len(np.unique(meeting[:, 0]))
    assert lattices(x, meeting) == [f"1000 chains that were all apart stand on {n} points after one move (here)"]
    few = x + 1.0 * rng(3).standard_normal(x.shape)
    few[:99] = few[99]
    assert lattices(x, few) == []  # 901 points: nine in ten are apart
    few[:101] = few[101]
    assert len(lattices(x, few)) == 1


@pytest.mark.parametrize(("n", "told"), [(79, False), (80, True)])
@pytest.mark.parametrize("times", [False, True], ids=["steps", "factors"])
def test_steps_on_a_lattice(n, told, times):
    """Seven steps, or factors, in the second coordinate; the first goes anywhere."""
    x, after = moved(n)
    step = rng(5).choice([0.25, 0.5, 0.75, 1.25, 1.5, 1.75, 2.0], size=1000)
    after[:n, 1] = (x[:, 1] * step if times else x[:, 1] + step)[:n]
    sentence = "coordinate 1 takes only 7 different steps: most points are out of reach (here)"
    assert lattices(x, after) == [sentence] * told


def test_mirrors_and_free_steps_are_no_lattice():
    x, after = moved(1000)
    mirrored = after.copy()
    mirrored[:, 1] = x[:, 1] * rng(6).choice([-1, 1], size=1000)
    assert lattices(x, mirrored) == []
    assert lattices(x, after) == []
    x[:, 1] = 0.0
    assert lattices(x, after) == []


def test_a_tenth_of_different_steps_is_many():
    x, after = moved(1000)
    step = np.repeat(np.linspace(0.1, 1.0, 100), 10)
    after[:, 1] = x[:, 1] + step
    assert lattices(x, after) == []
    after[:, 1] = x[:, 1] + np.where(step > 0.995, 0.1, step)
    assert len(lattices(x, after)) == 1
