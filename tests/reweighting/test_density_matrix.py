"""The densities of all rungs at once, and moves on each chain's own rung."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.paths.ladder import Ladder, ladder_on
from anneal_edu.paths.rbm import JointRBMLadder, RBMLadder
from anneal_edu.reweighting.density_matrix import log_density_matrix, log_density_slopes


def small_rbm(seed, n_visible=6, n_hidden=4, scale=1.0):
    rng = np.random.default_rng(seed)
    return ae.BinaryRBM(
        rng.normal(0, scale, (n_visible, n_hidden)), rng.normal(0, 1, n_visible), rng.normal(0, 1, n_hidden)
    )


WEIGHTLESS = ae.BinaryRBM(np.zeros((6, 4)), np.linspace(-1, 1, 6), np.linspace(1, -1, 4))
RBM_PATHS = {
    "weightless start": ae.geometric_path(WEIGHTLESS, small_rbm(0)),
    "start with weights": ae.geometric_path(small_rbm(1), small_rbm(0)),
}
SCHEDULE = np.array([0.0, 0.1, 0.5, 0.8, 1.0])


JOINT_PATHS = {
    name: ae.geometric_path(ae.JointRBM(path.start), ae.JointRBM(path.end)) for name, path in RBM_PATHS.items()
}


def other_paths():
    one, two = ae.Gaussian([0.0, 1.0], np.eye(2)), ae.Gaussian([2.0, -1.0], [[2.0, 0.5], [0.5, 1.0]])
    heavy = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=2)
    return {"gaussians": ae.geometric_path(one, two), "moments": ae.moment_path(one, two),
            "bridge": ae.geometric_path(one, heavy)}  # fmt: skip


@pytest.mark.parametrize("name", RBM_PATHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rbm_densities_are_those_of_the_path(name, dtype):
    path, v = RBM_PATHS[name], ae.binary_states(6).astype(dtype)
    expected = np.stack([path(float(beta)).log_density(v) for beta in SCHEDULE])
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(log_density_matrix(path, SCHEDULE, v), expected, rtol=0, atol=tolerance)
    np.testing.assert_allclose(ladder_on(path, SCHEDULE).log_density(v), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", RBM_PATHS)
def test_the_slope_of_an_rbm_path_is_its_closed_form(name):
    """Δ(v) = v·(b_1 - b_0) + Σ_j σ(a_j) a_j', with a_j the field of hidden unit j at β and a_j' its slope."""
    path, v = RBM_PATHS[name], ae.binary_states(6).astype(float)
    slopes = log_density_slopes(path, SCHEDULE, v)
    field0, field1 = path.start.hidden_field(v), path.end.hidden_field(v)
    for beta, row in zip(SCHEDULE, slopes, strict=True):
        on = 1 / (1 + np.exp(-(1 - beta) * field0 - beta * field1))
        expected = v @ (path.end.visible_bias - path.start.visible_bias) + (on * (field1 - field0)).sum(1)
        np.testing.assert_allclose(row, expected, atol=1e-6)


@pytest.mark.parametrize("name", ["gaussians", "moments", "bridge"])
def test_the_mean_slope_is_the_slope_of_log_z(name):
    path, x = other_paths()[name], np.random.default_rng(1).normal(size=(5, 2))
    for beta, row in zip(SCHEDULE[1:-1], log_density_slopes(path, SCHEDULE, x)[1:-1], strict=True):
        numeric = (path(beta + 1e-6).log_density(x) - path(beta - 1e-6).log_density(x)) / 2e-6
        np.testing.assert_allclose(row, numeric, atol=2e-5)  # a one-sided difference would be off by 1e-3


@pytest.mark.parametrize("name", RBM_PATHS)
@pytest.mark.parametrize("kind", [Ladder, RBMLadder])
def test_every_chain_moves_at_its_own_rung(name, kind):
    """From one state, the mean after a move on rung k is the exact one-step mean of path(β_k)."""
    path, rng = RBM_PATHS[name], np.random.default_rng(2)
    start, n = ae.binary_states(6)[37], 20_000
    rungs = np.arange(5 * n) % 5
    v = np.tile(start.astype(np.float32), (5 * n, 1))
    moved = kind(path, SCHEDULE).move(v, rungs, rng)
    for k, beta in enumerate(SCHEDULE):
        rbm, h = path(float(beta)), ae.binary_states(4).astype(float)
        on = rbm.hidden_given_visible(start.astype(float))
        p_h = np.prod(np.where(h == 1, on, 1 - on), axis=1)
        exact = p_h @ rbm.visible_given_hidden(h)
        np.testing.assert_allclose(moved[rungs == k].mean(0), exact, atol=5 * 0.5 / np.sqrt(n))


@pytest.mark.parametrize("name", JOINT_PATHS)
def test_both_layers_move_at_their_own_rung_and_are_weighed_by_one_line(name):
    path, n = JOINT_PATHS[name], 20_000
    rungs, x = np.arange(5 * n) % 5, np.tile(ae.binary_states(10)[677].astype(np.float32), (5 * n, 1))
    ladder = ladder_on(path, SCHEDULE)
    assert type(ladder) is JointRBMLadder
    fast = ladder.move(x, rungs, np.random.default_rng(2))
    slow = Ladder(path, SCHEDULE).move(x, rungs, np.random.default_rng(3))
    for k in range(5):
        one, other = (moved[rungs == k].mean(0) for moved in (fast, slow))
        np.testing.assert_allclose(one, other, atol=6 * np.sqrt(0.5 / n))  # a hundred and fifty of them
    expected = np.stack([path(float(beta)).log_density(fast[:50]) for beta in SCHEDULE])
    np.testing.assert_allclose(ladder.log_density(fast[:50]), expected, atol=1e-4)


def test_a_path_from_both_layers_to_something_else_has_no_fast_ladder():
    other = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=10)
    path = ae.geometric_path(ae.JointRBM(WEIGHTLESS), other)
    ladder, x = ladder_on(path, SCHEDULE), ae.binary_states(10)[:3].astype(float)
    assert type(ladder) is Ladder
    np.testing.assert_allclose(ladder.log_density(x)[-1], -x.sum(-1))


def test_slopes_at_the_ends_of_a_curved_path():
    """log N(x; 0, 1 + 2β) has the slope x²/(1+2β)² - 1/(1+2β), at the ends too, where the difference is one-sided."""
    x = np.array([[0.3], [1.0], [5.0]])
    variance = 1 + 2 * SCHEDULE[:, None]
    found = log_density_slopes(lambda beta: Normalised(1 + 2 * beta), SCHEDULE, x)
    np.testing.assert_allclose(found, x[:, 0] ** 2 / variance**2 - 1 / variance, atol=1e-5)


class Normalised:
    """N(0, variance), its normaliser included."""

    dim = 1

    def __init__(self, variance):
        self.variance = variance

    def log_density(self, x):
        return -0.5 * (x**2).sum(-1) / self.variance - 0.5 * np.log(2 * np.pi * self.variance)


@pytest.mark.parametrize("path", [RBM_PATHS["weightless start"], *JOINT_PATHS.values()])
def test_the_product_that_is_kept_belongs_to_the_states(path):
    ladder, x = ladder_on(path, SCHEDULE), ae.binary_states(path.start.dim)[-32:].astype(np.float32)
    for _ in range(3):
        x = ladder.move(x, np.arange(32) % 5, np.random.default_rng(0))
        right = Ladder(path, SCHEDULE).log_density(x)
        np.testing.assert_allclose(ladder.log_density(x), right, rtol=0, atol=1e-5)


def test_a_state_outside_the_support_has_a_density_but_no_slope():
    box = ae.Unnormalized(lambda x: np.where(np.abs(x).max(-1) < 1, 0.0, -np.inf), dim=1)
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), box)
    x = np.array([[0.5], [2.0]])
    log_f = log_density_matrix(path, [0, 0.5, 1], x)
    assert np.isfinite(log_f[:, 0]).all() and np.isfinite(log_f[0, 1])
    assert np.isneginf(log_f[1:, 1]).all()
    with pytest.raises(ValueError, match="no slope"):
        log_density_slopes(path, [0, 0.5, 1], x)
