"""Carlson et al. 2016, "Simulated Tempering" and "RTS": chains on a ladder, and what their shares of time tell."""

from functools import lru_cache

import numpy as np
from scipy.special import logsumexp

from anneal_edu import linear_schedule, random_walk
from anneal_edu.course.experiments.tempered_sampling import BUMPS, Sweeps, exact_log_z, poster_sweeps, three_bumps
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider, steps

N_INITIAL, N_SWEEPS, N_CHAINS, LAST = 6, 20, 60, 240
LEARNED, HELD = "Ẑ corrected", "Ẑ = 1 held"
_X, _FLOOR = np.linspace(-6.5, 7.5, 281), -4.0  # log₁₀ of the smallest share that is drawn


@lru_cache(maxsize=64)
def walk(n_rungs: int, z: str, seed: int) -> Sweeps:
    """RTS as on the poster; with Ẑ = 1 held, all is one round."""
    schedule, n_initial = linear_schedule(n_rungs - 1), N_INITIAL if z == LEARNED else 0
    sizes, rng = (LAST // N_SWEEPS, N_SWEEPS, N_CHAINS), np.random.default_rng(seed)
    return poster_sweeps(three_bumps(), schedule, n_initial, *sizes, random_walk(1.0), rng=rng)


class TemperedWalk(Panel):
    """Simulated tempering between N(0, 1) and three narrow bumps with log Z = 8, and RTS from it.

    Controls: ``sweep``, the time; ``rungs`` of the ladder; ``z``: "Ẑ = 1 held" never corrects it and pools all sweeps,
    "Ẑ corrected" is RTS: six rounds of 20 sweeps that each correct Ẑ, then six at the last Ẑ, pooled; ``seed``.
    """

    title = "Chains that draw their temperature"
    picture = (
        "Left: 60 chains as dots on a ladder from a wide hill to three narrow bumps; above it the time on each bump. "
        "Middle: share of time on each rung, and exact. Right: log Ẑ of the target so far, in use, and exact. Time "
        "counts from the last correction of Ẑ."
    )
    size, columns, gap, plays = (13.0, 4.8), (1.5, 0.9, 1), 0.8, "sweep"
    controls = {  # noqa: RUF012
        "sweep": slider("sweep", 0, 0, LAST, 1),
        "rungs": steps("rungs", 9, (2, 3, 5, 9), live=False),
        "z": choice("", HELD, (HELD, LEARNED)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "where will they stay?": {},
        "a wrong guess, held": {"sweep": LAST},
        "the first round": {"z": LEARNED, "sweep": N_SWEEPS},
        "a guess that is corrected": {"z": LEARNED, "sweep": LAST},
        "two rungs": {"z": LEARNED, "rungs": 2, "sweep": LAST},
    }

    def draw(self, sweep, rungs, z, seed):
        run, film, path, schedule = walk(rungs, z, seed), Film(sweep, 10.0), three_bumps(), linear_schedule(rungs - 1)
        log_z = exact_log_z(path, schedule)
        self.axes[0].set_title("60 chains, Ẑ = 1 held" if z == HELD else f"Ẑ corrected every {N_SWEEPS} sweeps")
        _draw_ladder(self.axes[0], film, run, path.log_densities(schedule, _X[:, None]))
        _draw_shares(self.axes[1], film, run, log_z)
        _draw_estimates(self.axes[2], film, run, log_z[-1])
        found, bar, shares = run.log_z[sweep], run.std_error[sweep], ", ".join(f"{s:.0%}" for s in run.bumps[sweep])
        readout = {"log Ẑ": f"{found:.2f} ± {bar:.2f} (exact 8)", "time on the bumps": f"{shares} (exact 30, 30, 40%)"}
        return Readout(_takeaway(sweep, z, found - log_z[-1], bar, run), readout if sweep else {}, film)


def _draw_ladder(ax, film, run, log_f):
    step, orange = 8.0 / len(log_f), STYLES["estimate"]["color"]
    for k, ridge in enumerate(0.8 * step * np.exp(log_f - log_f.max(1, keepdims=True))):
        artists.band(ax, f"rung {k}", _X, np.full_like(_X, step * k), step * k + ridge, "reference", alpha=0.3)
    aside = np.random.default_rng(0).uniform(0.08, 0.5, N_CHAINS)
    film.dots(ax, "dots", run.x, step * (run.rungs + aside), [orange] * N_CHAINS, radius=3.6)
    edges, low, share = np.add.outer(BUMPS, [-1, 1]), np.full((LAST + 1, 5), 8.6), 8.6 + 6 * np.array([0.3, 0.3, 0.4])
    film.bars(ax, "time", edges.ravel(), low, low + 6 * np.insert(run.bumps, [1, 2], 0.0, axis=1), orange)
    film.links(ax, "exact", [[edges[:, 0] - 0.2, share, edges[:, 1] + 0.2, share]] * (LAST + 1), "truth", dashed=True)
    artists.words(ax, "time words", -6.4, 12.8, "time on\neach bump")
    artists.words(ax, "exact words", 3.7, share[2], "exact\nshare", ha="right", va="center")
    artists.curve(ax, "floor", _X[[0, -1]], [8.6, 8.6], "reference", linestyle="-", linewidth=1)
    ax.spines.left.set_bounds(-0.2, 8.2)
    ax.set_ylabel("rung", y=0.3)
    shown = np.unique(np.linspace(0, len(log_f) - 1, 5).astype(int))
    ax.set(xlim=_X[[0, -1]], ylim=(-0.2, 14.6), yticks=step * shown, yticklabels=shown, xlabel="x")


def _draw_shares(ax, film, run, log_z):
    edges, log_q = np.arange(len(log_z) + 1) - 0.5, log_z - run.assumed_log_z
    log_q = np.maximum((log_q - logsumexp(log_q, 1, keepdims=True)) / np.log(10), _FLOOR)
    shares = np.maximum(run.log_marginals / np.log(10), _FLOOR)
    for name, rows, style in (("shares", shares, "estimate"), ("exact", log_q, "truth")):
        film.curve(ax, name, np.repeat(edges, 2)[1:-1], np.repeat(rows, 2, axis=1), style)
    artists.words(ax, "exact words", edges[-1], -3.2, "exact share,\nfor the Ẑ\nin use", ha="right")
    artists.words(ax, "chains words", edges[-1], -3.75, "chains so far", ha="right", color=STYLES["estimate"]["color"])
    ax.set(xticks=range(len(log_z))[:: 1 + len(log_z) // 8], yticks=[0, -2, -4], yticklabels=["1", "10⁻²", "10⁻⁴"])
    ax.set(xlim=edges[[0, -1]], ylim=(_FLOOR - 0.15, 0.3), xlabel="rung", title="share of time")


def _draw_estimates(ax, film, run, exact):
    t, orange, grey = np.arange(LAST + 1), STYLES["estimate"]["color"], STYLES["reference"]["color"]
    low, high = ((run.log_z + 2 * run.std_error * side).clip(-1.4, 10.4) for side in (-1, 1))
    artists.curve(ax, "exact", [0, LAST], [exact] * 2, "truth")
    film.trails(ax, "used", t, run.assumed_log_z[:, -1:], [grey], width=1.6)
    film.links(ax, "error bar", np.stack([t, low, t, high], 1)[:, :, None], "estimate")
    film.trails(ax, "log Ẑ", t, run.log_z[:, None].clip(-1.4, 10.4), [orange])
    artists.words(ax, "exact words", 2, exact + 0.3, "exact log Z", fontsize=13)
    film.words(ax, "used words", t.clip(3, 120), run.assumed_log_z[:, -1] - 0.9, ["Ẑ in use"] * (LAST + 1), grey)
    ax.set(xlim=(0, LAST + 4), ylim=(-1.5, 10.5), yticks=[0, 4, 8], xlabel="sweep", title="log Ẑ₈ ± 2 s.e.")


def _takeaway(sweep, z, error, bar, run) -> str:
    if sweep == 0:
        return "All 60 chains begin on the hill at the bottom. On which rungs will they stay, and on which bumps?"
    if z == HELD:
        low = f" Log Ẑ is more than {int(-error)} nats too low, with a small error bar." if error < -1 else ""
        return f"With Ẑ = 1 held, chains climb at once and seldom come back.{low}"
    if sweep <= N_INITIAL * N_SWEEPS:
        uneven = np.exp(np.ptp(run.log_marginals[sweep]))
        return f"Round {-(-sweep // N_SWEEPS)}: one rung gets {uneven:.2g} times the time of another. Correct Ẑ by it."
    if (middle := run.bumps[sweep, 1]) > 0.5 or abs(error) > 2 * bar:
        off = "off by more than two of its errors" if abs(error) > 2 * bar else "within two errors of the truth"
        return f"The middle bump gets {middle:.0%} of the time in place of 30%, and log Ẑ is {off}."
    return "Corrected after each round, Ẑ lets chains travel: rungs and bumps get their shares, and log Ẑ is right."
