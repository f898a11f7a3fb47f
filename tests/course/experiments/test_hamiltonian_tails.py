"""The experiment that finds the last nat of notebook 08: exact tails, cut tails, and their stored runs."""

import numpy as np
import pytest
from scipy.integrate import quad

import anneal_edu as ae
from anneal_edu.course.experiments import hamiltonian_tails, stored
from anneal_edu.course.experiments.hamiltonian import path_to


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
    assert hamiltonian_tails.log_mass_within(pair(), reach) == pytest.approx(np.log(shares).sum(), rel=1e-6)


def test_mass_within_is_the_share_of_exact_draws():
    draws = pair().sample(20_000, np.random.default_rng(0))
    share = np.exp(hamiltonian_tails.log_mass_within(pair(), 5.0))
    inside = (np.abs(draws @ pair().filters.T) <= 5).all(1).mean()
    assert abs(inside - share) < 5 * np.sqrt(share * (1 - share) / 20_000)


@pytest.mark.parametrize("reach", [0.5, 30.0, 1000.0])
def test_what_a_cut_takes_off_log_z_is_the_integral_of_each_expert(reach):
    left = [integral(weight, cut=reach) / integral(weight) for weight in (0.8, 1.7)]
    assert hamiltonian_tails.log_z_lost(pair(), reach) == pytest.approx(-np.log(left).sum(), rel=1e-6)


def test_cut_experts_have_the_density_and_the_slope_that_they_say():
    cut, x = hamiltonian_tails.cut_tails(pair(), 4.0), np.random.default_rng(0).normal(size=(5, 2))
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
    monkeypatch.setattr(hamiltonian_tails, "path_to", lambda _name: path)
    rows = [hamiltonian_tails.run_one(1.5, 200, 0.2, 400, 0, repeat) for repeat in range(4)]
    assert np.abs([row.error for row in rows]).max() < 0.1
    assert all(row.lost > 0.5 for row in rows)


def test_the_stored_runs_lose_what_their_cuts_take_and_miss_no_more_once_the_tails_are_gone():
    experts, rows = path_to(hamiltonian_tails.MODEL)(1.0), stored("hais_tails")["rows"]
    for reach in {row["reach"] for row in rows} - {None}:
        (lost,) = {row["lost"] for row in rows if row["reach"] == reach}
        assert lost == pytest.approx(hamiltonian_tails.log_z_lost(experts, reach), abs=1e-5)
    missed = {reach: np.mean([r["error"] for r in rows if r["reach"] == reach]) for reach in (None, 30.0)}
    assert missed[None] < -0.5 and abs(missed[30.0]) < 0.2
