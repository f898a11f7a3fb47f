"""Three panels for the tests of pages: a quick one, one that computes for seconds, and one that moves."""

import time

import numpy as np

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.panels import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider, steps

PIECES, PIECE_S = 40, 0.1


class Waves(Panel):
    """Quick; at the height 2 it fails."""

    title = "Waves"
    picture = "A sine wave."
    plays = "phase"
    scenes = {"middle": {}, "low": {"height": 0.2}, "late": {"phase": 6.0, "height": 1.5}}  # noqa: RUF012
    controls = {  # noqa: RUF012
        "phase": slider("phase of the wave, from its beginning", 0.0, 0.0, 6.0, 0.1),
        "height": slider("height", 1.0, 0.0, 2.0, 0.1),
        "points": steps("points", 100, (10, 100, 1000)),
        "colour": choice("colour", "black", ("black", "red")),
        "seed": seed(),
    }
    size = (13.0, 4.0)

    def make_axes(self, figure):
        (ax,) = figure.columns(1)
        ax.set(xlim=(0, 6.3), ylim=(-2.1, 2.1))
        return [ax]

    def draw(self, phase, height, points, colour, seed):
        if height == 2.0:
            raise ArithmeticError("too high")
        x = np.linspace(0, 6.3, points)
        artists.line(self.axes[0], "wave", x, height * np.sin(x - phase), color=colour)
        dots = np.random.default_rng(seed).uniform(0, 6.3, 5)
        artists.marks(self.axes[0], "dots", dots, 0 * dots, "estimate")
        more = {f"number {i}": f"{i * height:.1f}" for i in range(20 if colour == "red" else 2)}
        return Readout(f"The wave is {height:g} high.", {"from top to bottom": f"{2 * height:.1f}"} | more)


class Sums(Panel):
    """Slow, and it remembers."""

    title = "Sums"
    picture = "One bar."
    controls = {"n": steps("n", 10, (10, 100, 1000))}  # noqa: RUF012
    sums = {10: 55}  # noqa: RUF012

    def make_axes(self, figure):
        return figure.columns(1)

    def draw(self, n):
        if n not in self.sums:
            for i in range(PIECES):
                time.sleep(PIECE_S)
                yield i / PIECES
            self.sums[n] = n * (n + 1) // 2
        artists.line(self.axes[0], "bar", [0, 0], [0, self.sums[n]], color="black")
        return Readout(f"The sum is {self.sums[n]}.", {})


class Slide(Panel):
    """A dot that slides to the right, by one a moment."""

    title = "Slide"
    picture = "A dot."
    plays = "moment"
    scenes = {"left": {}, "right": {"moment": 10}}  # noqa: RUF012
    controls = {"moment": slider("moment", 0, 0, 10, 1), "height": slider("height", 0.0, -0.5, 0.5, 0.25)}  # noqa: RUF012

    def make_axes(self, figure):
        (ax,) = figure.columns(1)
        ax.set(xlim=(0, 10), ylim=(-1, 1))
        return [ax]

    def draw(self, moment, height):
        film = Film(moment, rate=5.0)
        film.dots(self.axes[0], "dot", np.arange(11.0)[:, None], np.full((11, 1), height), ["black"])
        return Readout(f"The dot is at {moment}.", {"place": str(moment)}, film)
