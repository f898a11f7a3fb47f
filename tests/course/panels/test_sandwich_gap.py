"""The stories that notebook 06 tells with the panel, and what it says where the truth is hidden."""

from types import SimpleNamespace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.figures import LectureFigure, sandwich
from anneal_edu.course.panels import sandwich_gap
from anneal_edu.course.panels.sandwich_gap import EXACT, FROM_CHAINS, FROM_DIGITS, SandwichGap


def results(*log_z):
    return [SimpleNamespace(log_z=each) for each in log_z]


def middle(side):
    return side[sandwich_gap._middle(side)].log_z


STORIES = {
    "exact draws": ((-7, -7, -6), (9, 9, -3), EXACT, 0.0, "two runs are more than 2 nats apart…lies between them"),
    "exact draws, hidden": ((-7, -7, -6), (9, 9, -3), EXACT, None, "and the gap says so."),
    "exact draws that meet": ((-1, 0, 9), (0, 1, 1), EXACT, 0.0, "The two runs and the exact log Z agree within about"),
    "exact draws that cross": ((3, 3, 3), (0, 0, 0), EXACT, 0.0, "less than the 4.6…lies between them"),
    "exact draws that cross far": ((13, 13, 13), (0, 0, 0), EXACT, 0.0, "4.6 nats below…A rare chain did it."),
    "exact draws that meet, hidden": ((-1, 0, 9), (0, 1, 1), EXACT, None, "The two runs agree within about 2 nats."),
    "apart, hidden": ((-9, -9, -9), (-6.5, -6.5, -6.5), FROM_CHAINS, None, "so."),
    "just apart": ((-1, -1, -1), (1.5, 1.5, 1.5), FROM_CHAINS, 0.0, "apart…lies between them"),
    "just too low": ((-3, -3, -3), (-2.5, -2.5, -2.5), FROM_CHAINS, 0.0, "agree…both miss the same region"),
    "just crossing": ((-3, -3, -3), (-7.5, -7.5, -7.5), FROM_CHAINS, 0.0, "less than the 4.6…both miss"),
    "more than chance allows": ((1, 1, 1), (-3.7, -3.7, -3.7), FROM_CHAINS, 0.0, "at most once in 100…was not long"),
    "crossing around the truth": ((2, 2, 2), (-2, -2, -2), FROM_CHAINS, 0.0, "less than the 4.6…lies between them"),
    "apart, and neither side right": ((3, 3, 3), (6, 6, 6), EXACT, 0.0, "2 nats apart…2 nats outside of them"),
    "apart, beside one side": ((1, 1, 1), (6, 6, 6), EXACT, 0.0, "2 nats apart…give or take 2 nats"),
    "fooled": ((-7, -7, -7), (-6, -6, 5), FROM_CHAINS, 0.0, "runs agree within…both miss the same region"),
    "apart, and both too low": ((-9, -9, -9), (-3, -3, -3), FROM_CHAINS, 0.0, "apart…both miss the same region"),
    "cured": ((-1, 0, 1), (1, 0, 1), FROM_CHAINS, 0.0, "The two runs and the exact log Z agree within about"),
    "fooled, and nobody can tell": ((-7, -7, -7), (-6, -6, -6), FROM_CHAINS, None, "cannot be seen from here"),
    "refuted": ((-7, -7, -7), (-40, -40, -9), FROM_DIGITS, 0.0, "once in 100…A long run from the digits was not long"),
}


@pytest.mark.parametrize("story", STORIES)
def test_each_story_is_told(story):
    """Given log Ẑ of both runs for three K, judged by the medians, and the exact log Z."""
    forward, reverse, draws, log_z, words = STORIES[story]
    takeaway = sandwich_gap._takeaway(middle(results(*forward)), middle(results(*reverse)), draws, log_z)
    assert all(part in takeaway for part in words.split("…")), takeaway
    assert ("cannot be seen" in takeaway) == ("cannot be seen" in words), takeaway


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
        told = log_z if shown else None
        assert panel.takeaway == sandwich_gap._takeaway(middle(runs), middle(reverse_runs), settings["draws"], told)
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
        sandwich.against_steps(ax, [100, 200, 500], *runs, log_z=700.0)
        limits.add(ax.get_ylim())
    assert limits == {(690.0, 724.5)}
