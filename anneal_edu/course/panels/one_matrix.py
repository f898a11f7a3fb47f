"""Carlson et al. 2016, "Relationships": one matrix of log densities, five estimators, and how each of them fails."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from anneal_edu import exact, linear_schedule, log_density_matrix, mbar, rts, stepping_stone, thermodynamic_integration
from anneal_edu.course.experiments.tempered_sampling import gaussians_apart
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.estimators import one_answer
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider, steps
from anneal_edu.course.panels.missing_area import slopes
from anneal_edu.reweighting.mbar import responsibilities

N_DRAWS, _SWEEPS, _CHAINS = 200, 60, 100
METHODS = ["stepping stone", "MBAR", "TI", "RB-TI", "RTS"]


class Found(NamedTuple):
    """An estimate of log Z_K - log Z_0, which is 0 here (NaN where the estimator refuses)."""

    error: float
    std_error: float
    verdict: str


def guesses(log_f: np.ndarray, counts: np.ndarray, log_z: np.ndarray) -> np.ndarray:
    """With which probability a draw of rung i would guess rung j, at given log Z: means over the draws of i alone."""
    _, p = responsibilities(log_f, np.log(counts), log_z)  # (K+1, N)
    return np.array([own.mean(1) for own in np.split(p, np.cumsum(counts)[:-1], axis=1)])


@lru_cache(maxsize=64)
def compare(distance: float, n_rungs: int, seed: int) -> tuple[np.ndarray, dict[str, Found]]:
    """Overlap (K+1, K+1) at the exact log Z, and estimates: four from one matrix, and RTS from a walk of its own."""
    path, schedule = gaussians_apart(distance), linear_schedule(n_rungs - 1)
    rng, counts = np.random.default_rng(seed), np.full(n_rungs, N_DRAWS)
    rungs = [path(float(beta)) for beta in schedule]
    log_f = log_density_matrix(path, schedule, np.concatenate([p.sample(N_DRAWS, rng) for p in rungs]))
    overlap = guesses(log_f, counts, np.array([p.log_z() for p in rungs]))
    found = {"stepping stone": stepping_stone(log_f, counts), "TI": thermodynamic_integration(log_f, counts, schedule)}
    told, more = {}, 0.0
    try:
        found["MBAR"] = pooled = mbar(log_f, counts)
    except ValueError:
        told = {"MBAR": Found(np.nan, 0.0, "refuses"), "RB-TI": Found(np.nan, 0.0, "no Ẑ")}
    else:
        weights = {"rao_blackwellized": True, "log_z": pooled.log_z}
        found["RB-TI"], more = thermodynamic_integration(log_f, counts, schedule, **weights), pooled.std_error[-1]
    found["RTS"] = rts(path, schedule, 12, _SWEEPS, _CHAINS, exact, rng=rng)
    for name, r in found.items():
        error = np.hypot(r.std_error[-1], more if name == "RB-TI" else 0.0)
        told[name] = Found(r.log_z[-1], error, "warns" if r.warnings else "no warning")
    return overlap, {name: told[name] for name in METHODS}


def wrong(found: Found) -> bool:
    """Whether the truth is outside of three of its own error bars."""
    return abs(found.error) > 3 * found.std_error


class OneMatrix(Panel):
    """Five estimates of one log Z between two normalised Gaussians, N(0, 1) and N(distance, 1/4), whose log Z is 0.

    Controls: ``distance`` of the means; ``rungs``; ``seed``. 200 exact draws of each rung make the matrix of all but
    RTS, which walks: 12 rounds of 60 sweeps of 100 chains. RB-TI takes its Ẑ from MBAR, and adds MBAR's error to its.
    """

    title = "One matrix, many estimators"
    picture = (
        "Left: the overlap matrix of the draws, with its numbers. Right: one row an estimator with the error of log Ẑ, "
        "its error bar, the exact value and whether it warns; arrows stand for errors beyond the plot."
    )
    size, columns, gap = (12.0, 4.6), (0.85, 1.3), 1.65
    controls = {  # noqa: RUF012
        "distance": slider("distance of the ends", 0.0, 0.0, 20.0, 1.0, live=False),
        "rungs": steps("rungs", 5, (2, 3, 5, 9), live=False),
        "seed": seed(8),
    }
    scenes = {  # noqa: RUF012
        "plenty of overlap": {},
        "some overlap": {"distance": 4.0},
        "hardly any": {"distance": 8.0},
        "none": {"distance": 20.0},
        "overlap given back": {"distance": 8.0, "rungs": 9},
    }

    def draw(self, distance, rungs, seed):
        (matrix, rows), (overlap, found) = self.axes, compare(distance, rungs, seed)
        edges, ticks = (-0.5, rungs - 0.5, rungs - 0.5, -0.5), range(0, rungs, 1 + rungs // 8)
        centred = {"ha": "center", "va": "center", "fontsize": 13 - rungs // 3}
        artists.image(matrix, "overlap", overlap, edges, cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
        matrix.set(xlabel="chance it is of rung", ylabel="draw of rung", title="overlap", xticks=ticks, yticks=ticks)
        for (i, j), p in np.ndenumerate(overlap):
            text, colour = f"{p:.2f}" if p > 0.005 and (rungs < 9 or i == j) else "", "white" if p > 0.5 else "black"
            artists.words(matrix, f"p {i} {j}", j, i, text, color=colour, **centred)
        artists.curve(rows, "exact", [0, 0], [-0.5, 4.6], "truth")
        for i, (name, (error, std_error, verdict)) in enumerate(found.items()):
            if np.isfinite(error):
                one_answer(rows, i, 4 - i, error, 2 * std_error, -3.0, 3.0, name)
            artists.words(rows, f"verdict {i}", 3.2, 4 - i, verdict, va="center", fontsize=12)
        rows.set(xlim=(-3, 5.5), ylim=(-0.5, 4.6), xticks=(-2, 0, 2), yticks=range(4, -1, -1), yticklabels=METHODS)
        rows.set(xlabel="log Ẑ minus exact, ± 2 errors (nats)", title=f"ends {distance:g} apart: who is right?")
        rule = np.trapezoid(slopes(distance, linear_schedule(rungs - 1)), dx=1 / (rungs - 1))
        readout = {name: f"{f.error:+.2f} ± {f.std_error:.2f}" for name, f in found.items() if np.isfinite(f.error)}
        return Readout(_takeaway(found, rule), readout)


def _takeaway(found: dict[str, Found], rule: float) -> str:
    said = {v: [m for m, f in found.items() if f.verdict == v] for v in ("no warning", "warns", "refuses")}
    said = {"wrong by three errors, and silent": [m for m in said.pop("no warning") if wrong(found[m])], **said}
    sentences = [f"{verdict.capitalize()}: {', '.join(names)}." for verdict, names in said.items() if names]
    if not sentences:
        return "All five agree with the exact value. Move the ends apart: who will be wrong, and who will say so?"
    return " ".join([*sentences, f"TI's rule alone is off by {rule:.1f} nats, however many draws."])
