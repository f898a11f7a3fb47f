"""Carlson et al. 2016, "Relationships": one matrix of log densities, five estimators, and how each of them fails."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from anneal_edu import exact, linear_schedule, log_density_matrix, mbar, rts, stepping_stone, thermodynamic_integration
from anneal_edu.course.experiments.tempered_sampling import gaussians_apart
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import BLACK
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider, steps
from anneal_edu.reweighting.mbar import responsibilities

N_DRAWS = 200
_ROUNDS, _INITIAL, _SWEEPS, _CHAINS = 12, 6, 20, 100
_REACHES = (3, 10, 30, 100, 300)
"""Where the axis of errors may end; hardly an estimate is farther off than twice the exact error of the rule."""
_SILENT, _WARNS, _REFUSES = "silent", "warns", "refuses"
METHODS = {
    "stepping stone": "stepping stone",
    "MBAR": "MBAR",
    "TI": "TI",
    "RB-TI": "RB-TI",
    "RTS, own walk": "RTS",
}
"""Row and style of each estimator in `estimates_in_rows`, from the top."""


class Found(NamedTuple):
    """An estimate of log Z_K - log Z_0, which is 0 here (None where the estimator refuses), and what it warns of."""

    error: float | None
    std_error: float
    verdict: str
    sentence: str


class Comparison(NamedTuple):
    """The five estimators on one problem."""

    overlap: np.ndarray
    """(K+1, K+1), at the exact log Z"""
    found: dict[str, Found]
    rule: float
    """Exact error of the trapezoid rule"""


def guesses(log_f: np.ndarray, counts: np.ndarray, log_z: np.ndarray) -> np.ndarray:
    """With which probability a draw of rung i would guess rung j, at given log Z: means over the draws of i alone."""
    _, p = responsibilities(log_f, np.log(counts), log_z)  # (K+1, N)
    return np.array([own.mean(1) for own in np.split(p, np.cumsum(counts)[:-1], axis=1)])


def error_of_the_rule(path, schedule: np.ndarray) -> float:
    """Trapezoid rule on the exact E_β[Δ] between two normalised Gaussians in one dimension, whose integral is 0."""
    ends = [(float(path(b).mean[0]), float(path(b).cov[0, 0])) for b in (0.0, 1.0)]

    def mean_log_density(mean, variance, end):
        return -0.5 * (((mean - end[0]) ** 2 + variance) / end[1] + np.log(2 * np.pi * end[1]))

    rungs = [path(float(beta)) for beta in schedule]
    members = [(float(p.mean[0]), float(p.cov[0, 0])) for p in rungs]
    slopes = [mean_log_density(m, v, ends[1]) - mean_log_density(m, v, ends[0]) for m, v in members]
    return float(np.trapezoid(slopes, schedule))


@lru_cache(maxsize=64)
def compare(distance: float, n_rungs: int, seed: int) -> Comparison:
    """Five estimates of a log Z that is 0: four from one matrix, and RTS from a walk of its own."""
    path, schedule = gaussians_apart(distance), linear_schedule(n_rungs - 1)
    rng, counts = np.random.default_rng(seed), np.full(n_rungs, N_DRAWS)
    rungs = [path(float(beta)) for beta in schedule]
    log_f = log_density_matrix(path, schedule, np.concatenate([p.sample(N_DRAWS, rng) for p in rungs]))
    overlap = guesses(log_f, counts, np.array([p.log_z() for p in rungs]))
    stones = _as_found(stepping_stone(log_f, counts))
    ti = thermodynamic_integration(log_f, counts, schedule)
    try:
        pooled = mbar(log_f, counts)
    except ValueError as refusal:
        by_mbar, rb_ti = Found(None, 0.0, _REFUSES, str(refusal)), Found(None, 0.0, "no Ẑ", "")
    else:
        by_mbar = _as_found(pooled)
        weighed = thermodynamic_integration(log_f, counts, schedule, rao_blackwellized=True, log_z=pooled.log_z)
        rb_ti = _as_found(weighed)._replace(std_error=float(np.hypot(weighed.std_error, pooled.std_error)[-1]))
    walked = rts(path, schedule, _ROUNDS, _SWEEPS, _CHAINS, exact, n_initial=_INITIAL, rng=rng)
    everyone = (stones, by_mbar, _as_found(ti), rb_ti, _as_found(walked))
    found = dict(zip(METHODS, everyone, strict=True))
    return Comparison(overlap, found, error_of_the_rule(path, schedule))


def _as_found(result) -> Found:
    verdict = _WARNS if result.warnings else _SILENT
    return Found(float(result.log_z[-1]), float(result.std_error[-1]), verdict, "; ".join(result.warnings))


def wrong(found: Found) -> bool:
    """Whether the truth is outside of three of its own error bars."""
    return found.error is not None and abs(found.error) > 3 * found.std_error


class OneMatrix(Panel):
    """Five estimates of one log Z between two normalised Gaussians, N(0, 1) and N(distance, 1/4), whose log Z is 0.

    Controls: ``distance`` of the means, which takes the overlap away; ``rungs``, which give it back; ``seed``. 200
    exact draws of every rung make the matrix for all but RTS, which makes draws by walking (12 rounds of 20 sweeps of
    100 chains, with perfect moves on each rung). RB-TI takes its Ẑ from MBAR, and its error bar here holds MBAR's too.
    """

    title = "One matrix, many estimators"
    picture = (
        "Left: the overlap matrix of the draws as an image. Right: one row for each of stepping stone, MBAR, "
        "thermodynamic integration, its Rao-Blackwellised form and RTS, with the error of log Z, its error bar, the "
        "exact value and whether the method warns; rings show thermodynamic integration with infinitely many draws."
    )
    size = (12.0, 4.6)
    controls = {  # noqa: RUF012
        "distance": slider("distance of the ends", 4.0, 0.0, 20.0, 1.0, live=False),
        "rungs": steps("rungs", 5, (2, 3, 5, 9), live=False),
        "seed": seed(1),
    }
    scenes = {  # noqa: RUF012
        "some overlap": {},
        "plenty of overlap": {"distance": 0.0},
        "hardly any": {"distance": 8.0},
        "none": {"distance": 20.0},
        "overlap given back": {"distance": 8.0, "rungs": 9},
    }

    def make_axes(self, figure):
        """The overlap matrix, and the rows; room at the right for what each method says."""
        matrix, rows = figure.columns(0.9, 1.1, gap=1.65)
        figure.subplots_adjust(right=1 - 0.9 / figure.get_figwidth())
        return [matrix, rows]

    def draw(self, distance, rungs, seed):
        overlap, found, rule = compare(distance, rungs, seed)
        _draw_overlap(self.axes[0], overlap)
        reach = next((r for r in _REACHES if r > 2 * abs(rule)), 1000)
        limits = {"TI": rule, "RB-TI": rule}
        _estimates_in_rows(
            self.axes[1], {name: tuple(f[:3]) for name, f in found.items()}, limits, reach
        )
        self.axes[1].set_title(f"{N_DRAWS} draws a rung: who is right?")
        readout = {
            name: f.verdict if f.error is None else f"{f.error:+.2f} ± {f.std_error:.2f}" for name, f in found.items()
        }
        return Readout(_takeaway(found, rule), readout)


def _draw_overlap(ax, matrix):
    """An overlap matrix (K+1, K+1) as an image, black for 1, with its numbers where there is room."""
    n = len(matrix)
    look = {"cmap": "Greys", "vmin": 0, "vmax": 1, "interpolation": "nearest"}
    artists.image(ax, "overlap", matrix, (-0.5, n - 0.5, n - 0.5, -0.5), **look)
    size = 15 if n < 4 else 11
    for i, j in np.ndindex(matrix.shape) if n <= 5 else ():
        share = matrix[i, j]
        text = f"{min(share, 1):.2f}".replace("0.", ".", 1) if share >= 0.005 else "0"
        look = {"ha": "center", "va": "center", "fontsize": size, "color": "white" if share > 0.55 else BLACK}
        artists.words(ax, f"share {i} {j}", j, i, text, **look)
    ax.set(ylabel="drawn on rung", xlabel="might be of rung", xticks=(ticks := range(0, n, 1 + n // 8)), yticks=ticks)
    ax.set(title="overlap (black = 1)")


def _estimates_in_rows(ax, found, limits, reach):
    """Errors of several estimators, a row each, on an axis that is linear within ±1 and logarithmic beyond."""
    artists.curve(ax, "exact", [0, 0], [-0.6, len(METHODS) - 0.4], "truth")
    for row, (method, style) in enumerate(METHODS.items()):
        error, bar, verdict = found[method]
        if error is not None:
            ends = np.clip([error - 2 * bar, error + 2 * bar], -reach, reach)
            artists.level_bars(ax, f"{method} bar", *ends, row, style, markersize=12, linewidth=2.6)
            artists.marks(ax, method, np.clip(error, -reach, reach), row, style, markersize=9)
        if method in limits:
            look = {"marker": "o", "markerfacecolor": "none", "markeredgewidth": 2, "markersize": 13}
            artists.marks(ax, f"{method} limit", np.clip(limits[method], -reach, reach), row, style, **look)
        look = {"transform": ax.get_yaxis_transform(), "va": "center", "ha": "left", "fontsize": 12}
        artists.words(ax, f"{method} verdict", 1.01, row, verdict, **look)
    sizes = [size for size in ((1, 3, 10) if reach <= 10 else (1, 10, 100)) if size <= reach]
    ticks = [-size for size in sizes[::-1]] + [0, *sizes]
    artists.squeezed_x(ax, 1, ticks, -1.05 * reach, 1.05 * reach)
    ax.set(ylim=(len(METHODS) - 0.5, -0.5), yticks=range(len(METHODS)), yticklabels=list(METHODS))
    ax.set(xlabel="log Ẑ minus exact, ± 2 errors (nats)")


def _takeaway(found: dict[str, Found], rule: float) -> str:
    """Who is wrong, who says so, and the ``rule``: the error of TI that more draws do not mend."""
    silent = [name for name, f in found.items() if wrong(f) and f.verdict == _SILENT]
    warned = [name for name, f in found.items() if f.verdict == _WARNS]
    refused = [name for name, f in found.items() if f.verdict == _REFUSES]
    sentences = [f"Wrong by more than three error bars, and silent: {', '.join(silent)}."] if silent else []
    sentences += [f"Warns: {', '.join(warned)}."] if warned else []
    sentences += [f"Refuses: {', '.join(refused)}."] if refused else []
    said = " ".join(sentences) or "All five agree with the exact value within three error bars."
    if abs(rule) < 0.1:
        return f"{said} Rungs overlap, and TI's rule costs nothing."
    return f"{said} TI's rule (○) alone is off by {rule:.1f} nats, however many draws."
