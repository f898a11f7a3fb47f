"""The worlds of an audit are what they say: density, gradient, draws, and what is watched of a state."""

import numpy as np
import pytest
from scipy.stats import kstest

import anneal_edu as ae
from anneal_edu.auditing.conduct import _gap, _looks
from anneal_edu.auditing.worlds import Skewed, TwoBumps, Walled, World, real_world, tiny_worlds


def rng(seed=0):
    return np.random.default_rng(seed)


REAL = [world for world in tiny_worlds(rng()) if not world.discrete]
PLANE = Skewed(np.array([[1.0, 0.0], [0.7, 0.8]]), np.array([-0.5, 0.4]))
LINES = {
    "skewed": (Skewed(np.array([[2.0]]), np.array([0.5])), np.log(2)),
    "bumps": (TwoBumps(), 2.0),
    "walled": (Walled(), np.log(2)),
}


@pytest.mark.parametrize("world", REAL, ids=lambda world: world.name)
def test_gradients_are_slopes(world):
    x, step = world.distribution.sample(50, rng(1)), 1e-6
    slopes = [
        (world.distribution.log_density(x + step * e) - world.distribution.log_density(x - step * e)) / (2 * step)
        for e in np.eye(x.shape[1])
    ]
    np.testing.assert_allclose(world.distribution.grad_log_density(x), np.transpose(slopes), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", LINES)
def test_on_a_line_draws_have_the_density_and_it_has_its_integral(name):
    distribution, log_z = LINES[name]
    grid = np.linspace(-60, 60, 240_001)
    f = np.exp(distribution.log_density(grid[:, None]))
    below = np.cumsum(f) * (grid[1] - grid[0])
    assert np.log(below[-1]) == pytest.approx(log_z, abs=1e-3)
    draws = distribution.sample(4000, rng(2))[:, 0]
    assert kstest(np.interp(draws, grid, below / below[-1]), "uniform").pvalue > 1e-6


def test_in_a_plane_every_draw_unmixes_into_gammas():
    draws = PLANE.sample(4000, rng(3))
    y = np.linalg.solve(PLANE.mixing, (draws - PLANE.shift).T)
    assert min(kstest(np.exp(row), "gamma", (2,)).pvalue for row in y) > 1e-6
    assert abs(np.corrcoef(y)[0, 1]) < 5 / np.sqrt(4000)
    np.testing.assert_allclose(PLANE.log_density(draws), (2 * y - np.exp(y)).sum(0))
    assert PLANE.log_z() == pytest.approx(np.log(0.8))


@pytest.mark.parametrize("distribution", [PLANE, TwoBumps(), Walled()], ids=["plane", "bumps", "walled"])
def test_a_density_takes_states_in_any_shape(distribution):
    x = distribution.sample(12, rng(4))
    whole = distribution.log_density(x.reshape(2, 3, 2, -1))
    np.testing.assert_array_equal(whole.ravel(), distribution.log_density(x))


class Coin:
    """-1 and 1, of whose draws the median is 0 and the standard deviation 1."""

    dim = 1

    def sample(self, n, rng):
        return np.resize([[-1.0], [1.0]], (n, 1))

    def log_density(self, x):
        return -(x[..., 0] ** 2)


def test_what_is_watched_is_what_it_is_called():
    probes = dict(real_world("a coin", Coin(), rng()).probes)
    x = np.array([[-7.0], [-3.0], [0.5], [2.0], [7.0]])
    assert probes["the mean of coordinate 0"](x).tolist() == [-5, -3, 0.5, 2, 5]
    assert probes["the width of coordinate 0"](x).tolist() == [16, 9, 0.25, 4, 16]
    cells = [probes[f"the share of cell {c} of coordinate 0"](x) for c in range(6)]
    assert np.sum(cells, axis=0).tolist() == [1] * 5


def test_looks_are_at_where_a_chain_came_whether_it_moved_and_how_far():
    looks = _looks(World("a coin", Coin(), False, (), ()))
    x, step = np.zeros((3, 1)), np.array([[0.3], [-0.3], [0.0]])
    np.testing.assert_allclose(looks(x, x + step)[:, 0], np.tanh(2 * step[:, 0]))
    assert looks(x, x + step)[:, 1].tolist() == [1, 1, 0]
    np.testing.assert_allclose(looks(x, x + step)[:, 2], np.tanh([0.09, 0.09, 0]))


def test_two_numbers_without_chance_in_them_are_equal_or_worlds_apart():
    same, other = np.zeros((60, 1)), np.full((60, 1), 0.1)
    assert _gap(same, same) == 0
    assert _gap(same, other) == 40


def test_at_the_wall_nothing_pulls():
    assert Walled().grad_log_density(np.zeros((1, 1)))[0, 0] == 0
    assert Walled().log_density(np.zeros((1, 1)))[0] == -np.inf


def test_a_few_events_on_one_side_are_not_enough_for_a_gap():
    quiet, some = np.zeros((200, 1)), np.zeros((200, 1))
    some[:30] = 1.0
    assert _gap(some, quiet) == 0
    some[:60] = 1.0
    assert _gap(some, quiet) > 5


def test_what_a_chain_may_not_keep_is_a_number_a_chain():
    for world in tiny_worlds(rng()):
        x = world.distribution.sample(7, rng(1))
        for name, scalar in world.scalars:
            assert np.shape(scalar(x)) == (7,), (world.name, name)


class Square:
    """Four corners, about (0, 10), of widths 1 and 2; its log f is the sum of the coordinates."""

    dim = 2

    def sample(self, n, rng):
        return np.resize([[-1.0, 8.0], [-1.0, 12.0], [1.0, 8.0], [1.0, 12.0]], (n, 2))

    def log_density(self, x):
        return x.sum(-1)


def test_every_probe_of_a_plane_by_its_formula():
    probes = dict(real_world("a square", Square(), rng()).probes)
    x = rng(1).uniform([-9, -10], [9, 30], size=(400, 2))
    u, v = x[:, 0], (x[:, 1] - 10) / 2
    expected = {
        "the mean of coordinate 0": np.clip(u, -5, 5),
        "the mean of coordinate 1": np.clip(v, -5, 5),
        "the width of coordinate 0": np.minimum(u**2, 16),
        "the width of coordinate 1": np.minimum(v**2, 16),
        "the correlation of coordinates 0 and 1": np.tanh(u) * np.tanh(v),
        "the mean of log f": np.clip((x.sum(1) - 10) / np.sqrt(5), -5, 5),
    }
    cells = {name for name in probes if "cell" in name}
    assert set(expected) == probes.keys() - cells and len(cells) == 12
    for name, value in expected.items():
        np.testing.assert_allclose(probes[name](x), value, err_msg=name)


def test_cells_hold_equal_shares_of_the_draws():
    world = real_world("a plane", PLANE, rng())
    x = world.distribution.sample(20_000, rng(5))
    shares = {name: probe(x).mean() for name, probe in world.probes if "cell" in name}
    assert list(shares) == [f"the share of cell {c} of coordinate {j}" for j in range(2) for c in range(6)]
    assert max(abs(share - 1 / 6) for share in shares.values()) < 6 * np.sqrt(5 / 36 / 4000)  # 4000 draws set the edges
    below = dict(world.probes)["the share of cell 0 of coordinate 1"](x)
    assert x[below == 1, 1].max() <= x[below == 0, 1].min()


def test_every_scalar_of_a_plane_by_its_formula():
    scalars = dict(real_world("a square", Square(), rng()).scalars)
    x = rng(1).uniform(-9, 30, size=(50, 2))
    expected = {
        "coordinate 0": x[:, 0],
        "coordinate 1": x[:, 1],
        "the sum of coordinates 0 and 1": x[:, 0] + x[:, 1],
        "the difference of coordinates 0 and 1": x[:, 0] - x[:, 1],
        "the distance from 0": np.sqrt((x**2).sum(1)),
        "the distance from the middle": np.sqrt(x[:, 0] ** 2 + ((x[:, 1] - 10) / 2) ** 2),
        "log f": x.sum(1),
    }
    assert scalars.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(scalars[name](x), value, err_msg=name)


def test_what_is_watched_of_bits():
    world = next(world for world in tiny_worlds(rng()) if world.discrete)
    x = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    scalars = dict(world.scalars)
    assert scalars["the sum of the coordinates"](x).tolist() == [0, 1, 2, 3]
    assert scalars["whether an even number of coordinates is above the least value"](x).tolist() == [0, 1, 0, 1]
    assert [scalars[f"coordinate {j}"](x).tolist() for j in range(3)] == x.T.tolist()
    assert [name for name, _ in world.probes][:3] == [f"the share of state {s}" for s in ("0 0 0", "0 0 1", "0 1 0")]
    np.testing.assert_array_equal(dict(world.probes)["the share of state 1 1 0"](x), [0, 0, 1, 0])
    assert world.look(ae.binary_states(3)).tolist() == np.eye(8).tolist()


def test_beyond_the_wall_is_nothing_and_before_it_a_gamma():
    x = np.array([[-1.0], [0.5], [3.0]])
    np.testing.assert_allclose(Walled().log_density(x), [-np.inf, 2 * np.log(0.5) - 0.5, 2 * np.log(3) - 3])
    np.testing.assert_allclose(Walled().grad_log_density(x)[:, 0], [0, 3, 2 / 3 - 1])
    assert Skewed(np.eye(2), np.zeros(2)).log_density(np.full((1, 2), 800.0)) == 2 * (2 * 800.0 - np.exp(50.0))
