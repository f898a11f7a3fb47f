"""The stories that notebook 06 tells with the panel, and what it says where the truth is hidden."""

from types import SimpleNamespace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.figures import LectureFigure
from anneal_edu.course.panels import sandwich_gap
from anneal_edu.course.panels.sandwich_gap import EXACT, FROM_CHAINS, FROM_DIGITS, SandwichGap


@pytest.mark.parametrize(
    "settings, forward, reverse",
    [
        ({"draws": EXACT}, (-12, -4), (5, 13)),
        ({"draws": FROM_CHAINS, "truth": "hidden"}, (-12, -4), (-12, -3)),
        ({"draws": FROM_DIGITS}, (-12, -4), (-60, -20)),
        ({"draws": FROM_CHAINS, "path": "MAS"}, (-3, 4), (-3, 4)),
    ],
)
def test_each_story_is_so(settings, forward, reverse, monkeypatch):
    """The heaviest tenth of the chains, and the lightest of the reverse ones, begin there; of 10 seeds all did by far.

    Log Ẑ itself would not do: now and then a single chain carries it, and then a long run from the chains is as good as
    exact draws.
    """
    monkeypatch.setattr(sandwich_gap, "STEPS", (100,))
    panel = SandwichGap(**settings)
    try:
        ((runs, reverse_runs),), log_z = panel._runs.values(), ae.models.load("digits28_cd").log_z()
        (down,), (up,) = runs, reverse_runs
        if settings["draws"] == FROM_CHAINS and down.log_weights.max() > log_z:
            reverse = (5, 13) if "path" not in settings else reverse
        assert forward[0] < np.quantile(down.log_weights, 0.9) - log_z < forward[1]
        assert reverse[0] < np.quantile(up.log_weights, 0.1) - log_z < reverse[1]
        shown = settings.get("truth") != "hidden"
        assert panel.readout["exact log Z"] == (f"{log_z:.2f}" if shown else "hidden")
        lines = {line.get_gid(): line.get_ydata() for line in panel.axes[0].lines if line.get_visible()}
        assert ("exact" in lines) == shown and (not shown or set(lines["exact"]) == {log_z})
    finally:
        panel.close()


def test_bounds_from_exact_draws_cross_as_rarely_as_is_said():
    """The worst that Markov allows is two averages that are 10 with probability 0.1, and else 0."""
    rng, n = np.random.default_rng(0), 40_000
    with np.errstate(divide="ignore"):
        forward, reverse = np.log(10 * (rng.random((2, n, 3)) < 0.1))
    crossed = forward + reverse >= sandwich_gap.CROSSING - 1e-9
    assert abs(crossed[:, 0].mean() - sandwich_gap.RISK) < 4.5 * np.sqrt(sandwich_gap.RISK / n)
    heavy = -np.log(rng.random((2, n, 3)))  # so heavy that Markov is exact at every threshold
    medians = np.median(heavy, axis=2).sum(0)
    assert (medians > sandwich_gap.CROSSING).mean() < sandwich_gap.RISK


def test_the_axis_of_the_sandwich_ends_in_tens():
    """And is thirty nats long or more, so that reverse chains from elsewhere, or another seed, hardly ever move it."""
    (ax,) = LectureFigure().columns(1)
    limits = set()
    for up in (-6.5, -0.5, 1.5, 9.0):
        runs = [[SimpleNamespace(log_z=z, interval=lambda z=z: (z - 1.0, z + 1.0))] * 3 for z in (693.0, 700.0 + up)]
        sandwich_gap._against_steps(ax, [100, 200, 500], *runs, log_z=700.0)
        limits.add(ax.get_ylim())
    assert limits == {(690.0, 724.5)}
