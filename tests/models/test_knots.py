"""The stored knots are those of the moment averages spline, and leave the cost functional alone (Theorem 2)."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.models.knots import MODELS, N_KNOTS, STARTS, load_spline, start_of


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("start", STARTS)
def test_stored_knots_have_the_averaged_moments(model, start):
    spline = load_spline(model, start)
    assert len(spline.betas) == N_KNOTS + 2
    s0, s1 = spline(0.0).moments(), spline(1.0).moments()
    for beta, knot in zip(spline.betas[1:-1], spline.distributions[1:-1], strict=True):
        for moment, low, high in zip(knot.moments(), s0, s1, strict=True):
            np.testing.assert_allclose(moment, (1 - beta) * low + beta * high, atol=1.1e-3)


def test_fewer_knots_sit_where_the_nine_do():
    nine = load_spline("digits28_cd", "base rate")
    for knots in (0, 1, 4):
        spline = load_spline("digits28_cd", "base rate", knots)
        np.testing.assert_allclose(spline.betas, np.linspace(0, 1, knots + 2))
        for beta in spline.betas:
            np.testing.assert_array_equal(spline(beta).weights, nine(beta).weights)


def test_the_cost_is_that_of_the_geometric_path():
    target = ae.models.load("digits28_pcd")
    geometric = 0.5 * ae.symmetric_kl(start_of(target, "base rate"), target)
    for knots in (1, 4, 9):
        spline = load_spline("digits28_pcd", "base rate", knots)
        cost = (ae.segment_costs(spline, spline.betas) / np.diff(spline.betas)).sum()
        assert cost == pytest.approx(geometric, rel=0.005)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="knots are stored for"):
        load_spline("digits8_cd", "uniform")
    with pytest.raises(ValueError, match="knots must be"):
        load_spline("digits28_cd", "uniform", 3)
    with pytest.raises(ValueError, match="start must be"):
        load_spline("digits28_cd", "zero")
