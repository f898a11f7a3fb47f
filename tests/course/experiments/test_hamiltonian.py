"""The experiment behind notebook 08: its models, the shortfall of perfect chains, and where the last nat is lost."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import anneal_edu as ae
from anneal_edu.course.experiments import hamiltonian, stored
from anneal_edu.models.images import image_patches


def test_half_of_the_round_model_lies_where_half_of_a_standard_normal_does():
    model = hamiltonian.round_student_t()
    filters = model.filters / np.linalg.norm(model.filters, axis=1, keepdims=True)
    np.testing.assert_allclose(filters @ filters.T, np.eye(hamiltonian.DIM), atol=1e-12)
    u = model.sample(20_000, np.random.default_rng(0)) @ filters.T
    np.testing.assert_allclose(np.median(np.abs(u), axis=0), stats.norm.ppf(0.75), rtol=0.06)


def test_the_stretched_model_has_the_singular_values_that_its_docstring_states():
    values = np.linalg.svd(hamiltonian.stretched("laplace").filters, compute_uv=False)
    assert round(values[-1], 2) == 0.04 and round(values[0], 1) == 1.9


@pytest.mark.parametrize("model", hamiltonian.TRAINED)
def test_a_trained_complete_model_is_far_from_gaussian_and_knows_its_log_z(model):
    """On patches held out from training: their covariance is I, of which N(0, I) makes the best that a Gaussian can."""
    experts, held_out = hamiltonian.path_to(model)(1.0), image_patches().held_out
    white = ae.Gaussian(np.zeros(36), np.eye(36)).log_density(held_out)
    assert experts.filters.shape == (36, 36)
    assert (experts.log_density(held_out) - experts.log_z() - white).mean() > 3


@pytest.mark.parametrize(("name", "models"), [("quick", hamiltonian.MODELS), ("trained", hamiltonian.TRAINED)])
def test_stored_runs_are_of_these_models(name, models):
    rows = stored(f"hais_convergence_{name}")["rows"]
    assert {row["model"] for row in rows} == set(models)
    for row in rows:
        assert hamiltonian.path_to(row["model"])(1.0).log_z() == pytest.approx(row["exact"], abs=1e-6)


def test_steps_that_close_in_on_the_target_restore_1_over_k_of_a_heavy_tail():
    """With β = 1 - (1-t)^p as soon as p (λ - 1/2) > 1: then ∫ (dβ/dt)² Var dt of the score is finite."""

    def closing_in(n_steps):
        return 1 - (1 - np.arange(n_steps + 1) / n_steps) ** 4

    for weight in (1.0, 1.25, 3.0):
        few, many = (hamiltonian.shortfall_of_perfect_chains(weight, 1.0, n, closing_in) for n in (100, 1000))
        assert few / many == pytest.approx(10, rel=0.06)
    assert hamiltonian.shortfall_of_perfect_chains(0.8, 1.0, 1000, closing_in) == pytest.approx(0.0047, rel=0.02)
    linear = hamiltonian.shortfall_of_perfect_chains(0.8, 1.0, 100)
    assert hamiltonian.shortfall_of_perfect_chains(0.8, 1.0, 100, ae.linear_schedule) == linear


@pytest.mark.parametrize("power", [1, 4])
def test_of_any_schedule_the_shortfall_is_a_sum_of_divergences(power):
    """Σ_k KL(p_{k-1} ‖ p_k), on a grid of another kind."""

    def schedule(n_steps):
        return 1 - np.linspace(1, 0, n_steps + 1) ** power

    x = np.sinh(np.linspace(-16, 16, 40_001))
    g0, g1 = stats.norm.logpdf(x), -1.3 * np.log1p(x**2)
    log_p = [(1 - beta) * g0 + beta * g1 + np.log(np.gradient(x)) for beta in schedule(7)]
    log_p = [row - np.logaddexp.reduce(row) for row in log_p]
    total = sum(np.exp(p) @ (p - q) for p, q in pairwise(log_p))
    assert hamiltonian.shortfall_of_perfect_chains(1.3, 1.0, 7, schedule) == pytest.approx(total, rel=1e-3)


def pair(weights=(0.8, 1.7)):
    return ae.ProductOfExperts([[3.0, 1.0], [0.5, -2.0]], weights, "student_t")


def integral(weight, reach=np.inf, cut=np.inf):
    """∫ (1 + u²)^-weight exp(-u² / 2 cut²) du over |u| < reach, on u = e^s."""

    def f(s):
        return 2 * (1 + np.exp(2 * s)) ** -weight * np.exp(s - 0.5 * (np.exp(s) / cut) ** 2)

    return quad(f, -40, min(np.log(reach), 60), limit=500, points=[0, min(np.log(reach), np.log(cut), 20)])[0]


@pytest.mark.parametrize("reach", [2.0, 30.0])
def test_mass_within_is_a_product_of_integrals_over_each_expert(reach):
    shares = [integral(weight, reach) / integral(weight) for weight in (0.8, 1.7)]
    assert hamiltonian.log_mass_within(pair(), reach) == pytest.approx(np.log(shares).sum(), rel=1e-6)


@pytest.mark.parametrize("reach", [0.5, 30.0, 1000.0])
def test_what_a_cut_takes_off_log_z_is_the_integral_of_each_expert(reach):
    left = [integral(weight, cut=reach) / integral(weight) for weight in (0.8, 1.7)]
    assert hamiltonian.log_z_lost(pair(), reach) == pytest.approx(-np.log(left).sum(), rel=1e-6)


def test_cut_experts_have_the_density_and_the_slope_that_they_say():
    cut, x = hamiltonian.cut_tails(pair(), 4.0), np.random.default_rng(0).normal(size=(5, 2))
    u = x @ pair().filters.T
    want = (-np.array([0.8, 1.7]) * np.log1p(u**2) - 0.5 * (u / 4) ** 2).sum(1)
    np.testing.assert_allclose(cut.log_density(x), want, rtol=1e-12)
    h = 1e-6 * np.eye(2)
    slopes = np.stack([(cut.log_density(x + d) - cut.log_density(x - d)) / 2e-6 for d in h], axis=1)
    np.testing.assert_allclose(cut.grad_log_density(x), slopes, rtol=1e-6)


def test_a_run_on_cut_tails_is_held_to_what_the_cut_leaves(monkeypatch):
    """A narrow cut of wide experts is nearly the start itself, so that a few steps find its log Z."""
    wide = ae.ProductOfExperts(np.eye(2), [0.8, 1.2], "student_t")
    path = ae.geometric_path(ae.Gaussian(np.zeros(2), np.eye(2)), wide)
    monkeypatch.setattr(hamiltonian, "path_to", lambda _name: path)
    rows = [hamiltonian.run_cut(1.5, 200, 0.2, 400, 0, repeat) for repeat in range(4)]
    assert np.abs([row["error"] for row in rows]).max() < 0.1
    assert all(row["lost"] > 0.5 for row in rows)


def test_the_stored_runs_lose_what_their_cuts_take_and_miss_no_more_once_the_tails_are_gone():
    experts, rows = hamiltonian.path_to("Student-t, trained")(1.0), stored("hais_tails")["rows"]
    for reach in {row["reach"] for row in rows} - {None}:
        (lost,) = {row["lost"] for row in rows if row["reach"] == reach}
        assert lost == pytest.approx(hamiltonian.log_z_lost(experts, reach), abs=1e-5)
    missed = {reach: np.mean([r["error"] for r in rows if r["reach"] == reach]) for reach in (None, 30.0)}
    assert missed[None] < -0.5 and abs(missed[30.0]) < 0.2
