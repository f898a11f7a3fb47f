"""Annealing to an RBM of digits, chains beside exact draws."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from anneal_edu import geometric_path, gibbs, linear_schedule, models
from anneal_edu.annealing.ais import AISResult
from anneal_edu.course.ais_trace import annealed, visible_probabilities
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.images import beside_pictures, image_grid
from anneal_edu.course.panels.base import Panel, Readout, gathered
from anneal_edu.course.panels.controls import choice, seed, slider, steps
from anneal_edu.distributions.hidden_states import occupied_mass
from anneal_edu.models.knots import start_of
from anneal_edu.paths.geometric import Path

MODELS = {"28×28, CD-1": "digits28_cd", "28×28, PCD": "digits28_pcd", "8×8, CD-1": "digits8_cd"}
UNIFORM, BASE_RATE = "uniform", "base rate"
N_STOPS = 20  # the chains are looked at N_STOPS + 1 times, at evenly spaced β
SHOWN = 24
COLUMNS = 4
NEGLIGIBLE = 0.01


class Stop(NamedTuple):
    """The chains on their way at one β, and the exact answers there.

    ``result`` is AIS as it would end here; ``mass`` the exact probability of the hidden states that the chains are in;
    ``chains`` and ``draws`` are pictures, (SHOWN, D).
    """

    beta: float
    result: AISResult
    interval: tuple[float, float]
    log_z: float
    mass: float
    chains: np.ndarray
    draws: np.ndarray

    @property
    def miss(self) -> float:
        """log Ẑ(β) - log Z(β)."""
        return self.result.log_z - self.log_z


@lru_cache(maxsize=8)
def digits_path(model: str, start: str) -> Path:
    """The geometric path to a stored model from the uniform or the base-rate RBM."""
    target = models.load(MODELS[model])
    return geometric_path(start_of(target, start), target)


def stops_ais_trace(path: Path, n_steps: int, n_chains: int, seed: int) -> Iterator[Stop]:
    """Walk the path, and yield what can be seen at every 1/N_STOPS of the way."""
    betas = linear_schedule(n_steps)
    states = annealed(path, betas, n_chains, gibbs, np.random.default_rng(seed))
    for beta, (log_w, x) in islice(zip(betas, states, strict=True), 0, None, n_steps // N_STOPS):
        yield _stop(path, float(beta), log_w, x, seed)


def _stop(path: Path, beta: float, log_w: np.ndarray, x: np.ndarray, seed: int) -> Stop:
    here, result, rng = path(beta), AISResult(log_w, x, bootstrap_seed=seed), np.random.default_rng(seed)
    chains = visible_probabilities(here, x[:SHOWN], rng)
    chains[np.exp(log_w[:SHOWN] - result.log_z) < NEGLIGIBLE] *= 0.25
    draws = visible_probabilities(here, here.sample(SHOWN, rng), rng)
    interval = result.interval(n_resamples=300)
    return Stop(beta, result, interval, here.log_z(), occupied_mass(here, x), chains, draws)


class DigitsAnnealing(Panel):
    """AIS to an RBM trained on digits, looked at on its way, beside exact draws from each intermediate distribution.

    Controls: ``model`` (size of the images and training method), ``start`` (uniform or base-rate RBM), ``beta``,
    ``n_steps`` K, ``n_chains``, ``seed``. All β of a run are kept, so that β is live.
    """

    title = "Annealing to a model of digits"
    picture = (
        "Left: pictures of the chains of AIS at β. Middle: exact draws from the same intermediate distribution. Right: "
        "estimated minus exact log Z along the path, with 95% intervals."
    )
    size = (12.0, 5.0)
    controls = {  # noqa: RUF012
        "model": choice("model", "28×28, CD-1", tuple(MODELS)),
        "start": choice("start", BASE_RATE, (UNIFORM, BASE_RATE)),
        "beta": slider("position β", 1.0, 0.0, 1.0, 1 / N_STOPS),
        "n_steps": steps("steps K", 1000, (20, 100, 300, 1000)),
        "n_chains": steps("chains", 100, (25, 50, 100, 200)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "wrong and healthy": {},
        "where they part": {"beta": 0.9},
        "small images": {"model": "8×8, CD-1"},
        "only 20 steps": {"n_steps": 20},
    }
    plays = "beta"

    def make_axes(self, figure):
        chains, draws, curve = beside_pictures(figure, 2, 0.26, room=0.6)
        for ax, name in ((chains, "chains"), (draws, "draws")):
            image_grid(ax, name, np.zeros((SHOWN, 784)), COLUMNS)
        curve.set(xlim=(-0.04, 1.04), xlabel="position β", xticks=(0, 0.5, 1), title="log Ẑ minus log Z (nats)")
        return [chains, draws, curve]

    def draw(self, model, start, beta, n_steps, n_chains, seed):
        path = digits_path(model, start)
        stops = stops_ais_trace(path, n_steps, n_chains, seed)
        stops = yield from self.once((model, start, n_steps, n_chains, seed), gathered(stops, N_STOPS + 2))
        now = stops[round(beta * N_STOPS)]
        chains, draws, curve = self.axes
        image_grid(chains, "chains", now.chains, COLUMNS, f"Chains at β = {beta:.2f}")
        image_grid(draws, "draws", now.draws, COLUMNS, f"Exact draws at β = {beta:.2f}")
        _draw_curve(curve, stops, now)
        artists.legend(curve, {"AIS": "AIS, 95%", "truth": "exact"}, loc="lower left")
        low, high = now.interval
        return Readout(
            _takeaway(beta, now),
            {
                "log Ẑ": f"{now.result.log_z:.2f} ({low:.2f} to {high:.2f})",
                "exact log Z": f"{now.log_z:.2f}",
                "ESS": f"{now.result.ess:.0f} of {n_chains}",
                "warnings": f"{len(now.result.warnings)}",
                "exact mass where the chains are": _percent(now.mass),
            },
        )


def _draw_curve(ax, stops: list[Stop], now: Stop) -> None:
    betas, misses = [stop.beta for stop in stops], [stop.miss for stop in stops]
    low, high = np.transpose([np.subtract(stop.interval, stop.log_z) for stop in stops])
    artists.bars(ax, "intervals", betas, low, high, "AIS", markersize=5, linewidth=1.6)
    artists.curve(ax, "misses", betas, misses, "AIS")
    artists.curve(ax, "exact", [-0.04, 1.04], [0, 0], "truth")
    bottom, top = min(-3.0, low.min()), max(1.0, high.max())
    margin = 0.08 * (top - bottom)
    ax.set_ylim(bottom - 3 * margin, top + margin)
    artists.curve(ax, "beta", [now.beta] * 2, ax.get_ylim(), "reference", linewidth=1.6, zorder=1)
    artists.marks(ax, "now", now.beta, now.miss, "AIS", markersize=11)


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 else f"{share:.2%}"


def _takeaway(beta: float, now: Stop) -> str:
    """One sentence; it promises no digit that another processor could change, where the outcome is clear."""
    size = abs(now.miss)
    at = "the target" if beta == 1 else f"β = {beta:g}"
    if size < 0.5:
        return f"At {at} the estimate is within half a nat of the exact log Z."
    amount = next((f"more than {n} nat{'s' * (n > 1)}" for n in (30, 10, 5, 2, 1) if size > n), "half a nat to a nat")
    if now.miss > 0:
        return f"At {at} log Ẑ lies {amount} above the exact log Z: a few heavy chains carry the estimate."
    outside = "beyond" if now.interval[1] < now.log_z else "within"
    comfort = ", with a healthy ESS" if now.result.ess >= 0.1 * len(now.result.log_weights) else ""
    held = "hardly any" if now.mass < 0.02 else "only a part"
    where = f": chains stand where {held} of the exact probability is" if now.mass < 0.8 else ""
    return f"At {at} log Ẑ lies {amount} below the exact log Z, {outside} its interval{comfort}{where}."
