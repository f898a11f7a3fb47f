"""Invariance and reach, on states made for one check each."""

import numpy as np
import pytest
from scipy.stats import norm

from anneal_edu.auditing import invariance
from anneal_edu.auditing.problems import Problem
from tests.auditing.helpers import Normal, checked, jitter, rng, sentences

COORDINATES = tuple((f"coordinate {j}", lambda x, j=j: x[:, j]) for j in range(2))
PLANE = Problem("a plane", Normal(2), False, tuple((f"the mean of {name}", f) for name, f in COORDINATES), COORDINATES)


def test_statistics_are_compared_after_one_four_and_twelve_moves():
    stages = invariance.moved_draws(checked(lambda f, x, rng: np.add(x, [1.0, 2.0])), PLANE, 5, rng())
    np.testing.assert_allclose([(x - stages[0])[0, 0] for x in stages], [0, 1, 4, 12])
    np.testing.assert_allclose(invariance.changes(PLANE.statistics[1][1], stages), [[2, 8, 24]] * 5)


@pytest.mark.parametrize(("discrete", "kind"), [(True, np.float32), (False, np.float64)])
def test_the_dtype_of_discrete_draws_is_kept(discrete, kind):
    class Bits(Normal):
        def sample(self, n, rng):
            return np.zeros((n, 1), dtype=np.float32)

    problem = Problem("", Bits(1), discrete, (), ())
    assert [x.dtype for x in invariance.moved_draws(checked(lambda f, x, rng: x), problem, 3, rng())] == [kind] * 4


def test_the_most_suspicious_statistics_are_tested_with_eight_times_as_many_draws():
    """The second coordinate drifts: after twelve moves most, then after four."""
    drifts = checked(lambda f, x, rng: jitter(f, x + np.array([0.0, 0.05]), rng))
    assert invariance.check_invariance(drifts, PLANE, 1000, rng(1))
    again = rng(1)
    invariance.moved_draws(drifts, PLANE, 1000, again)
    start, _, four, twelve = invariance.moved_draws(drifts, PLANE, 8000, again)
    for test, after, moves in zip(drifts.report.tests, (twelve, four), (12, 4), strict=True):
        change = (after - start)[:, 1]
        z = change.mean() / change.std(ddof=1) * np.sqrt(8000)
        assert test.p_value == pytest.approx(2 * norm.sf(z)) and test.kind == "not invariant"
        off = f"the mean of coordinate 1 is {z:.1f} standard errors off after {moves} moves"
        assert test.sentence == f"8000 exact draws (a plane): {off}"


def test_a_kernel_that_moves_once_and_back_is_seen_after_one_move():
    calls = []

    def there_and_back(f, x, rng):
        calls.append(0)
        return jitter(f, x, rng) + {1: 3.0, 2: -3.0}.get(len(calls) % 12, 0.0)

    kernel = checked(there_and_back)
    assert invariance.check_invariance(kernel, PLANE, 1000, rng(1), "a hint")
    assert all(test.sentence.endswith("standard errors off after 1 move: a hint") for test in kernel.report.tests)


def reach(observables, x, after, discrete=False):
    kernel = checked(None)
    invariance._check_reach(kernel, Problem("here", None, discrete, (), tuple(observables)), [x, x, after])
    return sentences(kernel.report)


def moved(n, dim=2):
    """States of 1000 chains in a box away from 0, and where n of them went, anywhere in it."""
    x, after = rng(1).uniform(1, 2, size=(2, 1000, dim))
    after[n:] = x[n:]
    return x, after


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize(("n", "change", "found"), [(79, 0, 0), (80, 0, 1), (99, 1e-10, 1), (99, 1e-8, 0)])
def test_what_never_changes_in_eighty_chains_that_move(n, change, found, discrete):
    x, after = moved(n)
    after[:, 1] = x[:, 1] + change * x[:, 1].std() * rng(2).choice([-1, 1], size=1000)
    assert reach(COORDINATES, x, after, discrete) == ["coordinate 1 never changes in any chain (here)"] * found


def test_what_need_not_change():
    x, after = moved(1000)
    x[:, 0] = after[:, 0] = 1.5
    assert reach(COORDINATES[:1], x, after) == [], "it is equal in all chains"
    x[:, 0] = after[:, 0] = np.arange(1000) == 7
    assert reach(COORDINATES[:1], x, after, discrete=True) == [], "one site of many, and rarely different"
    assert reach(COORDINATES[:1], x, after) != []


@pytest.mark.parametrize(
    ("dim", "name", "found"),
    [(1, "log f", 0), (2, "log f", 1), (1, "coordinate 0", 1), (1, "the distance from 0", 1)],
)
def test_on_a_line_log_f_need_not_change(dim, name, found):
    """Two points of equal density, and nothing between; the mirror of a symmetric density keeps the distance, too."""
    x, after = moved(1000, dim)
    assert len(reach([(name, lambda x: np.where(np.arange(1000) % 2, 1.0, 2.0))], x, after, discrete=True)) == found


def test_a_threshold_that_no_chain_crosses():
    """0 has its own threshold: none of the 41 others is exactly there."""
    x = np.linspace(-1, 2, 4000)[:, None]
    after = np.sign(x) * rng(4).uniform(0, 1, size=x.shape)
    assert reach(COORDINATES[:1], x, after) == ["coordinate 0 never crosses 0.00 in any chain (here)"]
    assert reach(COORDINATES[:1], x, after, discrete=True) == []
    after[0] = -after[0]
    assert reach(COORDINATES[:1], x, after) == []


def two_rooms(n=4000, wall=0.3, jump=0.5):
    """n chains on each side of a wall of a tenth; each goes some way, and never through it."""
    room = rng(3).uniform(0.05, 1, size=2 * n)
    side = np.repeat([-1, 1], n)
    return wall + side * room, wall + side * np.clip(room + rng(4).uniform(-jump, jump, size=2 * n), 0.05, 1.2)


def test_a_wall_is_found_between_chains_near_it():
    before, now = two_rooms()
    assert invariance._never_crossed(before, now) == pytest.approx(0.3, abs=0.05)
    assert invariance._never_crossed(-before, -now) == pytest.approx(-0.3, abs=0.05)
    now[0] = 0.4
    assert invariance._never_crossed(before, now) is None
    before, now = two_rooms(jump=0.01)
    before, now = before + 5 * np.sign(before - 0.3), now + 5 * np.sign(now - 0.3)
    assert invariance._never_crossed(before, now) is None, "small steps far from it show nothing"


@pytest.mark.parametrize(("n", "found"), [(79, False), (80, True)])
def test_eighty_chains_that_move_must_have_been_near_a_wall(n, found):
    """n chains at 0.2 go up, and never come below it; all others are far away, and go up and down."""
    far = np.linspace(5, 6, 1000)
    before = np.concatenate([np.full(n, 0.2), far])
    now = np.concatenate([np.full(n, 0.7), far + np.tile([0.5, -0.5], 500)])
    assert (invariance._never_crossed(before, now) is not None) is found


def test_chains_that_do_not_move_need_not_cross():
    """Of 4000 chains 3000 do not move, some of them near 0; those that move go through it."""
    before = rng(3).uniform(-1, 1, size=4000)
    now = before.copy()
    now[:1000] = rng(4).uniform(-1, 1, size=1000)
    assert invariance._never_crossed(before, now) is None
    now[:1000] = np.abs(now[:1000]) * np.sign(before[:1000])
    assert invariance._never_crossed(before, now) == pytest.approx(0, abs=0.02)


def lattice(x, after):
    kernel = checked(None)
    invariance._check_for_lattice(kernel, Problem("here", None, False, (), ()), [x, after, x + 100.0])
    return sentences(kernel.report)


@pytest.mark.parametrize(("n_points", "found"), [(899, True), (900, False)])
def test_chains_that_meet(n_points, found):
    x = rng(1).standard_normal((1000, 2))
    after = x + rng(3).standard_normal(x.shape)
    after[n_points:] = after[0]
    sentence = f"1000 chains at different points are at {n_points} points after one move (here)"
    assert lattice(x, after) == [sentence] * found


@pytest.mark.parametrize(("n", "n_steps", "found"), [(79, 7, 0), (80, 7, 1), (1000, 99, 1), (1000, 100, 0)])
@pytest.mark.parametrize("factors", [False, True], ids=["steps", "factors"])
def test_few_different_steps_or_factors(n, n_steps, found, factors):
    x, after = moved(n)
    step = np.resize(np.linspace(0.2, 0.9, n_steps), 1000)
    after[:n, 1] = (x[:, 1] * step if factors else x[:, 1] + step)[:n]
    sentence = f"coordinate 1 takes only {n_steps} different steps: most states are out of reach (here)"
    assert lattice(x, after) == [sentence] * found


def test_a_mirror_and_free_steps_are_no_lattice():
    x, after = moved(1000)
    assert lattice(x, after) == []
    after[:, 1] = x[:, 1] * rng(6).choice([-1, 1], size=1000)
    assert lattice(x, after) == []
    x[:, 1] = 0.0
    assert lattice(x, moved(1000)[1]) == []
