"""What is drawn as exact stands where a sum, a formula or another module says, in every panel."""

import numpy as np
import pytest
from scipy.special import erf, logsumexp
from scipy.stats import norm

import anneal_edu as ae
from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.experiments.estimator_tables import stored_rows
from anneal_edu.course.panels.tiny_world import two_wells
from anneal_edu.course.panels.two_paths import PATHS
from tests.course.panels.conftest import PANELS

TWENTIETHS = np.linspace(0, 1, 21)
PEAKS = np.exp(two_wells(8.0) - logsumexp(two_wells(8.0)))
SPLINES = {knots: ae.models.load_spline("digits28_cd", "base rate", knots) for knots in (0, 9)}
FOURS = {
    knots: [spline(beta).hidden_probabilities()[SPLINES[0](1.0).hidden_probabilities().argmax()] for beta in TWENTIETHS]
    for knots, spline in SPLINES.items()
}


def cost(p, q):
    """F = ½ (KL(p ‖ q) + KL(q ‖ p)) of the geometric path between two Gaussians."""
    (P, Q), gap = map(np.linalg.inv, (p.cov, q.cov)), q.mean - p.mean
    return 0.25 * (np.trace(Q @ p.cov) + np.trace(P @ q.cov) - 2 * p.dim + gap @ (P + Q) @ gap)


def divergence(p, q):
    """KL(p ‖ q) of two Gaussians."""
    Q, gap = np.linalg.inv(q.cov), q.mean - p.mean
    return 0.5 * (np.trace(Q @ p.cov) - p.dim + gap @ Q @ gap - np.log(np.linalg.det(p.cov) / np.linalg.det(q.cov)))


def narrowing(style):
    """The path from wide to narrow."""
    return PATHS[style](ae.Gaussian([-10, 0], 4 * np.eye(2)), ae.Gaussian([10, 0], np.eye(2) / 4))


F, STEPS = cost(narrowing("moments")(0.0), narrowing("moments")(1.0)), [10, 20, 40, 80, 160, 320, 640]
FOUR = kiwaki.four_modes()


def share_of_small_modes():
    """Of the small modes: exact, by a finer grid than the panel's."""
    grid = np.arange(-12, 12, 0.1)
    x = np.stack(np.meshgrid(grid, grid), axis=-1)
    p = np.exp(kiwaki.start_path("full", FOUR, *FOUR.mean_and_cov())(1.0).log_density(x))
    return p[np.multiply.outer(grid, grid) < 0].sum() / p.sum()


def exact_density():
    """Of the three modes of the ladder's target."""
    x = np.linspace(-20, 20, 801)
    return sum(share * norm.pdf(x, at, 0.4) for share, at in ((0.2, -6), (0.5, 0), (0.3, 5)))




def expected_slope(beta):
    """E_β[log f_1 - log f_0] by a sum over a grid, between N(0, 1) and N(4, 1/4)."""
    x = np.linspace(-12, 16, 2801)
    log_f = norm.logpdf(x, [[0], [4]], [[1], [0.5]])
    p = np.exp((1 - beta) * log_f[0] + beta * log_f[1])
    return p @ (log_f[1] - log_f[0]) / p.sum()


X, Y = 0, 1
BETAS = np.sin(np.linspace(0, np.pi / 2, 401)) ** 2
EXACT = {
    "AnnealingRuns": ({}, [(2, "truth", Y, 0.0)]),
    "BiasDecay": ({"doublings": 6}, [
        (0, "limit", Y, 1.0),
        (0, "trail 0 0", Y, [ae.kl_bias(narrowing("geometric"), ae.linear_schedule(k)) * k / F for k in STEPS]),
        (1, "trail 1 0", Y, [ae.kl_bias(narrowing("moments"), ae.linear_schedule(k), True) * k / F for k in STEPS]),
    ]),
    "AnnealedWalk": ({}, [(1, "exact", Y, -18 * np.linspace(0, 1, 101) * np.linspace(1, 0, 101))]),
    "DigitsAnnealing": ({"model": "28×28"}, [(3, "exact", Y, 0.0), (2, "target", Y, FOURS[0])]),
    "EqualAreas": ({"path": "shift"}, [(0, "exact", Y, 8 / np.sqrt(np.pi))]),
    "FirstPath": ({"beta": 0.5}, [
        (0, "target", Y, np.exp(two_wells(8.0))),
        (1, "curve 0", Y, logsumexp(np.linspace(0, 0.5, 51)[:, None] * two_wells(8.0), axis=1)),
    ]),
    "HalfPlane": ({"schedule": 100}, [
        (0, "moments", Y, np.log1p(400 * BETAS * (1 - BETAS)) / 2),
        (1, "least", Y, (2 * np.sqrt(2) * np.arcsinh(20 / np.sqrt(8)) / 20) ** 2),
        (1, "geometric bias 0", Y, 1.0),
    ]),
    "HamiltonianConvergence": ({}, [(0, "goal", Y, np.log10(6))]),
    "ImageModels": ({}, [(1, "zero", X, 0.0)]),
    "LargeModels": ({}, [(0, "reference", X, 0.0)]),
    "LikelihoodTracking": ({}, [(1, "zero", Y, 0.0)]),
    "MissingArea": ({"n_steps": 4}, [
        (0, "exact", Y, [expected_slope(beta) for beta in np.linspace(0, 1, 401)]),
        (1, "exact", Y, 0.0),
    ]),
    "MomentumTrails": ({}, [(2, "exact", Y, (1 - np.linspace(0, 1, 101) * 8 / 9) ** -0.5)]),
    "OneLadder": ({}, [(2, "exact", Y, exact_density())]),
    "OneMatrix": ({}, [(1, "exact", X, 0.0)]),
    "ParticlesAndModes": ({}, [(0, "best", Y, -np.log(30))]),
    "SamplesAlongPaths": ({"beta": 0.6}, [
        (2, "geometric", Y, FOURS[0][:13]),
        (2, "moments", Y, FOURS[9][:13]),
        (3, "exact", Y, 0.0),
    ]),
    "SandwichGap": ({}, [(2, "exact", Y, 0.0)]),
    "StartsAgainstSteps": ({}, [(0, "exact", Y, kiwaki.strong_covariances().log_z())]),
    "TemperedTraining": ({}, [(0, "best", Y, -np.log(30))]),
    "TemperedWalk": ({}, [(2, "exact", Y, 8.0)]),
    "TinyWorld": ({"moment": 100}, [(0, "target", Y, PEAKS), (2, "target", Y, PEAKS), (1, "one", Y, 1.0)]),
    "TwoPaths": ({"beta": 0.5}, [(1, "moments 1", X, np.sqrt(101) * np.cos(np.linspace(0, 2 * np.pi, 61)))]),
    "WhereTheKnotsSit": ({"knots": "0.3", "start": "base rate"}, [
        (0, "line", Y, np.interp(TWENTIETHS, (0, 1), [SPLINES[0](end).moments()[0][719] for end in (0.0, 1.0)])),
        (0, "pins", X, [0, 0.3, 1]),
        (2, "exact", Y, 0.0),
    ]),
    "WhereToStart": ({}, [(1, "exact", Y, share_of_small_modes())]),
    "WhichIsWrong": ({"truth": "shown", "fault": "swap ratio upside down"}, [(i, "truth", X, 2.0) for i in (0, 1)]),
    "WhoVisitsTheTarget": ({}, []),
    "WhomToBelieve": ({"model": "A", "truth": "shown"}, [
        (0, "exact", X, next(row.exact for row in stored_rows("estimators") if row.model == "digits8_cd")),
    ]),
    "WidthOfAStep": ({"doublings": 1.0}, [(1, "theory", Y, [
        np.sqrt(abs(divergence(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([0.0], [[4.0**t]]))))
        for t in np.linspace(-3, 3, 49)
    ])]),
}  # fmt: skip
"""Panel → settings, and of each exact artist its Axes, name, direction and value."""


ON_A_GRID = {"HalfPlane": 1e-6, "WhereToStart": 0.02, "EqualAreas": 1e-3, "TemperedWalk": 1e-6}
"""Relative errors of what is exact up to a sum over a grid."""


@pytest.mark.parametrize("name", PANELS)
def test_what_is_exact_stands_where_it_should(name, quick_panel):
    settings, exact = EXACT[name]
    panel = quick_panel(PANELS[name], **settings)
    for i, gid, direction, value in exact:
        line = next(artist for artist in panel.axes[i].lines if artist.get_gid() == gid and artist.get_visible())
        found = line.get_data()[direction]
        if name == "EqualAreas":  # the area under λ(β) is Λ
            found = np.trapezoid(found, line.get_xdata())
        np.testing.assert_allclose(found, value, rtol=ON_A_GRID.get(name, 1e-7), atol=1e-9, err_msg=gid)


def test_a_hidden_truth_is_not_drawn(quick_panel):
    panel = quick_panel(PANELS["WhomToBelieve"], truth="hidden")
    assert not any(line.get_gid() == "exact" for line in panel.axes[0].lines)
    assert "exact log Z" not in panel.readout


def test_what_theory_expects_of_replicas_stands_beside_the_numbers(quick_panel):
    """In turn, 1/(2 + 2 Σ r/(1-r)) round trips of the ladder a sweep on K pairs; r = erf(Λ √π / 2K)."""
    panel = quick_panel(PANELS["WhoVisitsTheTarget"], n_pairs=12, barrier=2.0)
    r = erf(2.0 * np.sqrt(np.pi) / 24)
    assert panel.readout["in turn"].endswith(f"(theory {1000 / (2 + 2 * 12 * r / (1 - r)):.0f})")
    assert panel.readout["rejected"] == f"{r:.0%}"
