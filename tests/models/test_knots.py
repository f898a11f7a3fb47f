"""The stored knots are those of the moment averages spline, and leave the cost functional alone (Theorem 2)."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.models import __main__ as program
from anneal_edu.models import knots as fitting
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


def test_knots_are_fitted_where_they_are_asked_for(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(program, "fit_knots", asked.append)
    program.main(["knots"], tmp_path)
    assert asked == [tmp_path] and not list(tmp_path.iterdir())


def test_what_is_fitted_is_what_is_stored(tmp_path, monkeypatch, capsys):
    """With the fit itself left out, which takes minutes."""

    def as_stored(p0, p1, n_knots, fit):
        start = next(s for s in STARTS if (start_of(p1, s).visible_bias == p0.visible_bias).all())
        spline = load_spline("digits28_cd", start, n_knots)
        return dataclasses.replace(spline, matches=(SimpleNamespace(n_evaluations=7),) * n_knots)

    monkeypatch.setattr(fitting, "MODELS", ("digits28_cd",))
    monkeypatch.setattr(fitting, "moment_spline_path", as_stored)
    fitting.fit_knots(tmp_path)
    assert capsys.readouterr().out.splitlines()[0] == f"digits28_cd from {STARTS[0]}: {7 * N_KNOTS} enumerations"
    for start in STARTS:
        file = f"digits28_cd_knots_{start.replace(' ', '_')}.npz"
        fitted, kept = np.load(tmp_path / file), np.load(Path(fitting.__file__).parent / file)
        assert list(fitted) == list(kept)
        for part in kept:
            np.testing.assert_array_equal(fitted[part], kept[part])
