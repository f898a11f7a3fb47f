"""The test problems are what they say: density, gradient, draws, and what is computed of a state."""

import numpy as np
import pytest
from scipy.stats import kstest

import anneal_edu as ae
from anneal_edu.auditing.problems import (
    SKEWED_LINE,
    THREE_BITS,
    Skewed,
    TwoBumps,
    Walled,
    discrete_problem,
    real_problem,
    standard_problems,
    values_of,
)
from tests.auditing.helpers import rng

PROBLEMS = standard_problems(rng())
PLANE = Skewed(np.array([[1.0, 0.0], [0.7, 0.8]]), np.array([-0.5, 0.4]))


@pytest.mark.parametrize("problem", PROBLEMS[:-1], ids=lambda problem: problem.name)
def test_gradients_are_slopes(problem):
    x, step, log_f = problem.distribution.sample(50, rng(1)), 1e-6, problem.distribution.log_density
    slopes = [(log_f(x + step * e) - log_f(x - step * e)) / (2 * step) for e in np.eye(x.shape[1])]
    np.testing.assert_allclose(problem.distribution.grad_log_density(x), np.transpose(slopes), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("distribution", "log_z"),
    [(SKEWED_LINE, 0.0), (Skewed(np.array([[2.0]]), np.zeros(1)), np.log(2)), (TwoBumps(), 2.0), (Walled(), np.log(2))],
)
def test_draws_on_a_line_have_the_density_and_log_z_is_its_integral(distribution, log_z):
    grid = np.linspace(-60, 60, 240_001)
    below = np.cumsum(np.exp(distribution.log_density(grid[:, None]))) * (grid[1] - grid[0])
    assert np.log(below[-1]) == pytest.approx(log_z, abs=1e-3)
    draws = distribution.sample(4000, rng(2))[:, 0]
    assert kstest(np.interp(draws, grid, below / below[-1]), "uniform").pvalue > 1e-6


def test_every_draw_in_a_plane_unmixes_into_gammas():
    draws = PLANE.sample(4000, rng(3))
    y = np.linalg.solve(PLANE.mixing, (draws - PLANE.shift).T)
    assert min(kstest(np.exp(row), "gamma", (2,)).pvalue for row in y) > 1e-6
    assert abs(np.corrcoef(y)[0, 1]) < 5 / np.sqrt(4000)
    np.testing.assert_allclose(PLANE.log_density(draws), (2 * y - np.exp(y)).sum(0))
    assert PLANE.log_z() == pytest.approx(np.log(0.8))


@pytest.mark.parametrize("distribution", [PLANE, TwoBumps(), Walled()])
def test_a_density_takes_states_in_any_shape(distribution):
    x = distribution.sample(12, rng(4))
    whole = distribution.log_density(x.reshape(2, 3, 2, -1))
    np.testing.assert_array_equal(whole.ravel(), distribution.log_density(x))


def test_extreme_states():
    x = np.array([[-1.0], [0.0], [0.5]])
    np.testing.assert_allclose(Walled().log_density(x), [-np.inf, -np.inf, 2 * np.log(0.5) - 0.5])
    np.testing.assert_allclose(Walled().grad_log_density(x)[:, 0], [0, 0, 3])
    assert Skewed(np.eye(2), np.zeros(2)).log_density(np.full((1, 2), 800.0)) == 2 * (2 * 800.0 - np.exp(50.0))


class Square:
    """Four corners, about (0, 10), of widths 1 and 2; its log f is the sum of the coordinates."""

    dim = 2

    def sample(self, n, rng):
        return np.resize([[-1.0, 8.0], [-1.0, 12.0], [1.0, 8.0], [1.0, 12.0]], (n, 2))

    def log_density(self, x):
        return x.sum(-1)


def test_every_function_of_a_plane_by_its_formula():
    problem = real_problem("a square", Square(), rng())
    x = rng(1).uniform([-9, -10], [9, 30], size=(400, 2))
    u, v = x[:, 0], (x[:, 1] - 10) / 2
    statistics = {
        "the mean of coordinate 0": np.clip(u, -5, 5),
        "the mean of coordinate 1": np.clip(v, -5, 5),
        "the width of coordinate 0": np.minimum(u**2, 16),
        "the width of coordinate 1": np.minimum(v**2, 16),
        "the correlation of coordinates 0 and 1": np.tanh(u) * np.tanh(v),
        "the mean of log f": np.clip((x.sum(1) - 10) / np.sqrt(5), -5, 5),
    }
    observables = {
        "coordinate 0": x[:, 0],
        "coordinate 1": x[:, 1],
        "the sum of coordinates 0 and 1": x[:, 0] + x[:, 1],
        "the difference of coordinates 0 and 1": x[:, 0] - x[:, 1],
        "the distance from 0": np.sqrt((x**2).sum(1)),
        "the distance from the middle": np.hypot(u, v),
        "log f": x.sum(1),
    }
    cells = {name for name, _ in problem.statistics if "cell" in name}
    assert dict(problem.statistics).keys() - cells == statistics.keys() and len(cells) == 12
    assert dict(problem.observables).keys() == observables.keys()
    for name, value in (statistics | observables).items():
        np.testing.assert_allclose(dict(problem.statistics + problem.observables)[name](x), value, err_msg=name)
    np.testing.assert_array_equal(problem.evaluate(x)[:, 1], dict(problem.statistics)["the width of coordinate 0"](x))


def test_cells_hold_equal_shares_of_the_draws():
    problem = real_problem("a plane", PLANE, rng())
    x = problem.distribution.sample(20_000, rng(5))
    shares = {name: statistic(x).mean() for name, statistic in problem.statistics if "cell" in name}
    assert list(shares) == [f"the share of cell {c} of coordinate {j}" for j in range(2) for c in range(6)]
    assert max(abs(share - 1 / 6) for share in shares.values()) < 6 * np.sqrt(5 / 36 / 4000)  # 4000 draws set the edges
    below = dict(problem.statistics)["the share of cell 0 of coordinate 1"](x)
    assert x[below == 1, 1].max() <= x[below == 0, 1].min()


def test_functions_of_bits():
    bits = discrete_problem("bits", THREE_BITS)
    x = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    observables = dict(bits.observables)
    assert observables["the sum of the coordinates"](x).tolist() == [0, 1, 2, 3]
    assert observables["whether an even number of coordinates is above the least value"](x).tolist() == [0, 1, 0, 1]
    assert [observables[f"coordinate {j}"](x).tolist() for j in range(3)] == x.T.tolist()
    assert [name for name, _ in bits.statistics][:3] == [f"the share of state {s}" for s in ("0 0 0", "0 0 1", "0 1 0")]
    assert bits.evaluate(ae.binary_states(3)).tolist() == np.eye(8).tolist()


class Spins:
    """Draws of -1 and 1, and so many values that are drawn once."""

    dim, discrete = 1, True

    def __init__(self, n_rare):
        self.n_rare = n_rare

    def sample(self, n, rng):
        return np.append(np.arange(2.0, 2 + self.n_rare), np.resize([-1.0, 1.0], n - self.n_rare))[:, None]

    def log_density(self, x):
        return 0 * x[:, 0]


@pytest.mark.parametrize(("n_rare", "n_values", "odd"), [(4, [6], [0, 1, 1]), (5, [], [1, 0, 1])])
def test_values_are_listed_unless_more_than_one_draw_in_a_thousand_is_of_a_rare_one(n_rare, n_values, odd):
    """4000 draws are looked at; without values the least one is taken to be 0."""
    assert [len(values) for values in values_of(Spins(n_rare))] == n_values
    observables = dict(discrete_problem("spins", Spins(n_rare)).observables)
    above = observables["whether an even number of coordinates is above the least value"]
    assert above(np.array([[-1.0], [0.0], [1.0]])).tolist() == odd


@pytest.mark.parametrize(("dim", "n_statistics"), [(5, 2**5), (8, 2**8 + 8 * 8 + 28 + 1), (9, 8 * 9 + 36 + 1)])
def test_each_of_few_states_has_a_statistic_and_many_have_those_of_real_numbers(dim, n_statistics):
    problem = discrete_problem("bits", ae.uniform_rbm(dim, 1))
    assert problem.discrete and len(problem.statistics) == n_statistics and len(problem.values) == dim
