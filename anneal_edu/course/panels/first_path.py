"""The first panel of the course: one path, one slider."""

import numpy as np
from scipy.special import logsumexp

from anneal_edu.course.figures import artists
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import slider
from anneal_edu.course.panels.tiny_world import EDGES, N_SITES, two_wells

_BETAS = np.linspace(0, 1, 101)
_TARGET = two_wells(8.0)
_LOG_Z = logsumexp(_BETAS[:, None] * _TARGET, axis=1)


class FirstPath(Panel):
    """A path from a flat world of 30 sites to a landscape with two peaks. Control: ``beta``, the position on it."""

    title = "A path is a function from β to a distribution"
    picture = (
        "Left: the distribution at β over 30 sites, with the two ends of the path. Right: log Z(β) along the path."
    )
    controls = {  # noqa: RUF012
        "beta": slider("position β", 0.3, 0.0, 1.0, 0.01),
    }
    scenes = {"part of the way": {}, "the flat start": {"beta": 0.0}, "the target": {"beta": 1.0}}  # noqa: RUF012
    plays = "beta"

    def make_axes(self, figure):
        left, right = figure.columns(1.2, 1)
        ends = np.exp(_TARGET - _LOG_Z[-1])
        left.set(xlim=(EDGES[0], EDGES[-1]), ylim=(0, 1.15 * ends.max()), xlabel="site")
        right.set(xlim=(-0.06, 1.06), ylim=(0, 1.1 * _LOG_Z[0]), xlabel="position β on the path", title="log Z(β)")
        right.set_xticks((0, 0.5, 1))
        return [left, right]

    def draw(self, beta):
        left, right = self.axes
        log_z = logsumexp(beta * _TARGET)
        here = np.exp(beta * _TARGET - log_z)
        artists.histogram(left, "here", here, EDGES, "here", linestyle="-")
        artists.curve(left, "start", EDGES[[0, -1]], [1 / N_SITES] * 2, "start")
        artists.curve(left, "target", np.arange(N_SITES), np.exp(_TARGET - _LOG_Z[-1]), "target")
        meanings = {"start": "start, β = 0", "target": "target, β = 1", "here": "here"}
        artists.legend(left, meanings, loc="upper left")
        left.set_title(f"Probability of each site at β = {beta:.2f}")
        artists.curve(right, "curve", _BETAS, _LOG_Z, "truth")
        artists.marks(right, "now", beta, log_z, "here", markersize=11, markeredgecolor="black")
        return Readout(
            _takeaway(beta, log_z),
            {"log Z(β)": f"{log_z:.3f}", "share of the right half": f"{here[N_SITES // 2 :].sum():.0%}"},
        )


def _takeaway(beta, log_z) -> str:
    if beta == 0:
        return f"The start: all {N_SITES} sites alike, so that Z is their number and log Z = {log_z:.2f} needs no work."
    if beta == 1:
        return f"The target: two peaks, log Z = {log_z:.2f}. In a large model this is the number that nobody can sum."
    return (
        f"Part of the way: log f has {beta:.0%} of the relief of the target. The largest f is 1 still, all others "
        f"have shrunk, and log Z has come down from {_LOG_Z[0]:.2f} to {log_z:.2f}."
    )
