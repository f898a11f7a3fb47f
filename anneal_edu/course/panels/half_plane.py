"""Grosse et al. 2013, end of Section 4.2: paths between N(0, 1) and N(d, 1), drawn in the plane of all Gaussians."""

from functools import lru_cache

import numpy as np

from anneal_edu import Gaussian, linear_schedule, optimal_binned_schedule
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import slider, steps
from anneal_edu.course.panels.two_paths import PATHS

BINNED, EQUAL, _SLIDE = 50, 100, np.linspace(0, 2, 101)
_NAMES = {0: "equal steps in β", BINNED: "best in ten bins", EQUAL: "equal distances"}
_BETAS = np.sin(np.linspace(0, np.pi / 2, 20_001)) ** 2  # crowded at both ends, as the moment path needs


def place(path: str, distance: float, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and log σ at β; the shortest path is a half ellipse in (μ, σ), where β is the share of its angle."""
    if path == "shortest":
        radius, angle = np.sqrt(1 + distance**2 / 8), (2 * beta - 1) * np.arctan(distance / np.sqrt(8))
        return distance / 2 + np.sqrt(2) * radius * np.sin(angle), np.log(radius * np.cos(angle))
    return beta * distance, np.log1p((path == "moments") * beta * (1 - beta) * distance**2) / 2


def losses(mean: np.ndarray, log_sd: np.ndarray) -> np.ndarray:
    """KL(p_{k-1} ‖ p_k) of the steps between the Gaussians of a row, (…, K)."""
    change = np.diff(log_sd)
    return change + (np.expm1(-2 * change) + (np.diff(mean) * np.exp(-log_sd[..., 1:])) ** 2) / 2


@lru_cache(maxsize=64)
def length_up_to(path: str, distance: float) -> np.ndarray:
    """Length from the start to each of _BETAS: roots of the symmetric divergences of neighbours, added up."""
    mean, log_sd = place(path, distance, _BETAS)
    both_ways = losses(mean, log_sd) + losses(mean[::-1], log_sd[::-1])[::-1]
    return np.append(0.0, np.cumsum(np.sqrt(np.abs(both_ways))))


@lru_cache(maxsize=64)
def sliding(path: str, distance: float, n_steps: int) -> np.ndarray:
    """The β of the stops, from equal steps to ten bins, and from those to equal distances, (T, K+1)."""
    linear, length = linear_schedule(n_steps), length_up_to(path, distance)
    binned = optimal_binned_schedule(PATHS[path](*(Gaussian([at], [[1.0]]) for at in (0.0, distance))), n_steps)
    three = np.array([linear, binned, np.interp(linear * length[-1], length, _BETAS)])
    return np.array([np.interp(_SLIDE, range(3), stop) for stop in three.T]).T


class HalfPlane(Panel):
    """Paths in the plane (μ, log σ), their stops under three schedules, and what they lose.

    Controls: ``schedule``: 0 equal steps in β, 50 ten bins, 100 equal distances; ``distance`` d; ``n_steps`` K.
    """

    title = "Every Gaussian is a point"
    picture = (
        "Left: the plane of mean and width, the geometric path as a straight line, the moment path and the shortest "
        "one as arches, and the stops as dots. Right: the bias of both paths, as the stops slide."
    )
    size = (12.0, 4.8)
    columns = (1.9, 1)
    plays = "schedule"
    controls = {  # noqa: RUF012
        "schedule": slider("equal steps → equal distances (%)", 0, 0, EQUAL, 1),
        "distance": steps("distance d", 20, (1, 2, 5, 10, 20, 50, 100, 1000)),
        "n_steps": steps("steps K", 20, (20, 50, 100)),
    }
    scenes = {  # noqa: RUF012
        "where should the stops stand?": {},
        "ten bins": {"schedule": BINNED},
        "equal distances": {"schedule": EQUAL},
        "a thousand apart": {"schedule": EQUAL, "distance": 1000},
        "one apart": {"schedule": EQUAL, "distance": 1},
    }

    def draw(self, schedule, distance, n_steps):
        left, right = self.axes
        film, top = Film(schedule, rate=20.0), max(np.log1p(distance**2 / 4) / 2, 0.7)
        length, bias = {path: length_up_to(path, distance)[-1] for path in ("shortest", *PATHS)}, {}
        for path, above in zip(length, (-0.16, -0.14, 0.18), strict=True):
            artists.curve(left, path, *place(path, distance, _BETAS[::50]), path)
            (mean, log_sd), colour = place(path, distance, 0.5), artists.STYLES[path]["color"]
            words = f"{path}: {round(length[path], 1):g} long" if path in PATHS or distance > 2 else ""
            artists.words(left, f"{path} words", mean, log_sd + above * top, words, color=colour, ha="center")
        for path, radius, off in zip(PATHS, (8.0, 5.0), (0.07, -0.13), strict=True):
            stops, colour = place(path, distance, sliding(path, distance, n_steps)), artists.STYLES[path]["color"]
            (mean, log_sd), away = place(path, distance, 0.5), np.linspace(-3, 3, 61)
            bell = mean + away * np.exp(log_sd) / 4, log_sd + 0.15 * top * np.exp(-(away**2) / 2)  # a quarter as wide
            artists.area(left, f"{path} bell", *bell, colour, alpha=0.3)
            film.dots(left, f"{path} stops", *stops, [colour] * (n_steps + 1))
            bias[path] = losses(*stops).sum(1)
            scaled = bias[path][:, None] * n_steps / (distance**2 / 2)
            film.trails(right, f"{path} bias", _SLIDE, scaled, [colour])
            film.dots(right, f"{path} now", _SLIDE[:, None], scaled, [colour], radius)
            film.words(right, f"{path} name", 0.72 * _SLIDE - 0.1, scaled[:, 0] + off, [path] * len(_SLIDE), colour)
        walked = np.interp(sliding("moments", distance, n_steps), _BETAS, length_up_to("moments", distance))
        leap = np.diff(walked).max(1) / walked[0, -1]
        said = [f"{_NAMES.get(now, 'sliding')}: longest step {part:.0%} of arch" for now, part in enumerate(leap)]
        film.words(left, "said", -0.03 * distance, 1.38 * top, said)
        widths = [width for width in (1, 2, 5, 10, 30, 100, 300) if np.log(width) <= 1.1 * top]
        left.set(xlim=(-0.06 * distance, 1.06 * distance), ylim=(-0.2 * top, 1.5 * top), xlabel="mean μ")
        left.set(yticks=np.log(widths), yticklabels=widths, ylabel="width σ (log axis)")
        left.set_title(f"{self.title} (bells: those halfway)")
        artists.curve(right, "least", [-0.3, 2.4], [least := length["shortest"] ** 2 / distance**2] * 2, "truth")
        artists.words(right, "least words", -0.27, least - (0.1 if least < 0.8 else 0.24), "shortest path")
        right.set(xlim=(-0.3, 2.4), ylim=(-0.16, 1.2), title="bias (nats)")
        right.set_yticks((0, 0.5, 1), [f"{share * distance**2 / (2 * n_steps):,g}" for share in (0, 0.5, 1)])
        right.set_xticks((0, 1, 2), ("equal\nsteps", "ten\nbins", "equal\ndistances"))
        numbers = {path: f"length {length[path]:.2f}, bias {bias[path][schedule]:.4g} nats" for path in PATHS}
        return Readout(_takeaway(length, bias["moments"][[0, schedule]], leap[schedule]), numbers, film)


def _takeaway(length, lost, leap) -> str:
    at_first, now = (f"{float(f'{nats:.2g}'):,g}" for nats in lost)
    if lost[0] == lost[1]:
        long = f"one is {length['geometric']:.3g} long and the other {length['moments']:.2g}"
        return f"Equal steps in β: both paths lose {at_first} nats, though {long}. Where should the stops stand?"
    if lost[1] > 0.9 * lost[0]:
        return "Between Gaussians that overlap all paths are about as long, and no schedule gains much."
    return f"The moment path now loses {now} nats instead of {at_first}: its longest step is {leap:.0%} of the way."
