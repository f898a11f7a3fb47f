"""The experiment behind notebook 08: models, kept runs, and the shortfall of perfect chains."""

import json
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import anneal_edu as ae
from anneal_edu.course.experiments import hamiltonian, stored
from anneal_edu.course.experiments.__main__ import main
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


def test_runs_are_kept_and_come_out_the_same_however_they_were_made(tmp_path, capsys):
    file = tmp_path / "rows.json"
    arguments = ["hais-convergence", "--scale", "tiny", "--folder", str(tmp_path / "kept"), "--json", str(file)]
    main([*arguments, "--workers", "1"])
    first = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert len({(row["method"], row["n_steps"], row["repeat"]) for row in first}) == len(first) == 16
    assert "fresh momentum" in capsys.readouterr().out
    kept = sorted((tmp_path / "kept").iterdir())
    assert len(kept) == 16
    kept[3].unlink()
    main([*arguments, "--workers", "2"])
    assert json.loads(file.read_text(encoding="utf-8"))["rows"] == first
    assert [row.error for row in hamiltonian.convergence(hamiltonian.SCALES["tiny"])] == [r["error"] for r in first]


@pytest.mark.parametrize("n_steps", [1, 10])
def test_the_shortfall_of_perfect_chains_is_what_exact_draws_give(n_steps):
    """E[log w] from draws of every p_β by inverse transform on a fine grid."""
    x = np.sinh(np.linspace(-13, 13, 20_001))
    g0, g1 = stats.norm.logpdf(x), -1.2 * np.log1p((0.7 * x) ** 2)
    rng, mean = np.random.default_rng(0), 0.0
    for beta in np.arange(n_steps) / n_steps:
        p = np.exp((1 - beta) * g0 + beta * g1) * np.gradient(x)
        draws = np.searchsorted(np.cumsum(p) / p.sum(), rng.random(100_000))
        mean += (g1 - g0)[draws].mean() / n_steps
    log_z = ae.ProductOfExperts([[0.7]], [1.2], "student_t").log_z()
    assert hamiltonian.shortfall_of_perfect_chains(1.2, 0.7, n_steps) == pytest.approx(log_z - mean, abs=0.02)


def test_of_a_light_tail_the_shortfall_falls_as_1_over_k_and_of_a_heavy_one_slower():
    def decade(weight):
        few, many = (hamiltonian.shortfall_of_perfect_chains(weight, 1.0, n) for n in (100, 1000))
        return few / many

    assert decade(3.0) == pytest.approx(10, rel=0.05)
    assert decade(1.0) == pytest.approx(10**0.5, rel=0.1)
    assert decade(0.8) == pytest.approx(10**0.3, rel=0.1)


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
