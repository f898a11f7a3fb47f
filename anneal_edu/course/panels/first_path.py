"""The first panel of the course: one path, one slider."""

import numpy as np
from scipy.special import logsumexp

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import slider
from anneal_edu.course.panels.tiny_world import EDGES, N_SITES, two_wells

_BETAS = np.linspace(0, 1, 101)
_LOG_F = _BETAS[:, None] * two_wells(8.0)  # (T, S)
_LOG_Z = logsumexp(_LOG_F, axis=1)


class FirstPath(Panel):
    """A path from a flat world of 30 sites to a landscape with two peaks. Control: ``beta``, the position on it."""

    title = "A path is a function from β to a distribution"
    picture = "Left: f at β over 30 sites as bars, whose area is Z, and f of the target. Right: log Z up to β."
    controls = {  # noqa: RUF012
        "beta": slider("position β", 0.0, 0.0, 1.0, 0.01),
    }
    scenes = {"the flat start": {}, "part of the way": {"beta": 0.3}, "the target": {"beta": 1.0}}  # noqa: RUF012
    plays = "beta"
    columns = (1.2, 1)

    def draw(self, beta):
        left, right = self.axes
        now, colour = round(100 * beta), STYLES["here"]["color"]
        film, log_z = Film(now, rate=25.0), _LOG_Z[now]
        film.bars(left, "bars", EDGES, np.zeros(_LOG_F.shape), np.exp(_LOG_F), colour + "80")
        artists.curve(left, "target", np.arange(N_SITES), np.exp(_LOG_F[-1]), "target")
        artists.words(left, "name", 15, 1.06, "f of the target, β = 1", color=STYLES["target"]["color"])
        left.set(xlim=(EDGES[0], EDGES[-1]), ylim=(0, 1.3), xlabel="site", title="f at every site: Z is the area")
        film.trails(right, "curve", _BETAS, _LOG_Z[:, None], [colour])
        film.dots(right, "now", _BETAS[:, None], _LOG_Z[:, None], [colour], radius=6.0)
        right.set(xlim=(-0.06, 1.06), ylim=(0, 1.1 * _LOG_Z[0]), xticks=(0, 0.5, 1), xlabel="β", title="log Z(β)")
        share = np.exp(_LOG_F[now, N_SITES // 2 :]).sum() / np.exp(log_z)
        numbers = {"Z": f"{np.exp(log_z):.2f}", "log Z": f"{log_z:.3f}", "share of the right half": f"{share:.0%}"}
        return Readout(_takeaway(beta, log_z), numbers, film)


def _takeaway(beta, log_z) -> str:
    if beta == 0:
        return f"All {N_SITES} sites have f = 1, so Z is their number: log Z = {log_z:.2f}. How far will it fall?"
    if beta == 1:
        return f"The target: two peaks, log Z = {log_z:.2f}. In a large model nobody can sum this area."
    return f"Part of the way: the best site keeps f = 1, all others shrink, and log Z has come down to {log_z:.2f}."
