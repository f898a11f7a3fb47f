"""Grosse, Maddison and Salakhutdinov (2013), Figure 4: what chains look like on their way to a large RBM."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anneal_edu.course.ais_trace import annealed, visible_probabilities
from anneal_edu.course.experiments.grosse import starts
from anneal_edu.course.experiments.grosse_large import PATHS, LargeScale, data_of, models_of, path_to
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.kernels import gibbs
from anneal_edu.paths.geometric import Path
from anneal_edu.paths.schedules import linear_schedule

N_STOPS = 8
SHOWN = 8
GREYS = 15


@dataclass(frozen=True)
class Stop:
    """Chains of AIS from the base rates at one β.

    Attributes
    ----------
    model, path : str
    beta : float
    n_chains : int
    ink : float
        Mean number of black pixels, E[Σ_i v_i | h] averaged over all chains.
    blank : float
        Share of the chains whose picture has less than a tenth of the ink of the mean image of the data.
    pictures : (N, D) array
        Pixel probabilities p(v_i = 1 | h) of the first chains.
    """

    model: str
    path: str
    beta: float
    n_chains: int
    ink: float
    blank: float
    pictures: np.ndarray

    def __str__(self) -> str:
        return (
            f"{self.model:6}{self.path:11}β = {self.beta:5.3f}  {self.ink:6.1f} black pixels,"
            f" {self.blank:4.0%} of {self.n_chains} chains blank"
        )

    def summary(self) -> dict:
        """The line as JSON has it: a picture is a word, and each letter of it a pixel, from 0 (white) to f (black)."""
        where = {"model": self.model, "path": self.path, "beta": self.beta, "n_chains": self.n_chains}
        return where | {"ink": round(self.ink, 1), "blank": round(self.blank, 3), "pictures": words_of(self.pictures)}


def words_of(pictures: np.ndarray) -> list[str]:
    """Pictures (N, D), from 0 to 1, as JSON has them; `pictures_of` reads them.

    Examples
    --------
    >>> words_of(np.array([[0.0, 1.0], [0.4, 0.0]]))
    ['0f', '60']
    """
    return ["".join(f"{grey:x}" for grey in greys) for greys in np.round(pictures * GREYS).astype(int)]


def pictures_of(row: dict) -> np.ndarray:
    """The pictures of a stored line, (N, D), from 0 to 1.

    Examples
    --------
    >>> pictures_of({"pictures": ["0f", "f0"]})
    array([[0., 1.],
           [1., 0.]])
    """
    return np.array([[int(letter, 16) for letter in word] for word in row["pictures"]]) / GREYS


def figure_4(scale: LargeScale, run: Run = HERE) -> list[Stop]:
    """Grosse et al. 2013, Figure 4: pictures from chains of AIS on their way along each path, from the base rates.

    The chains have a tenth of the table's steps, and are as many as its reverse ones.
    """
    stops = []
    for model, rbm in models_of(scale, run):
        data = data_of(scale, run)
        for name in PATHS:
            path = path_to(rbm, starts(rbm, data)["base rate"], name, scale, data, run)
            for stop in _walk(model, name, path, scale, float(data.sum(1).mean()), run.seed):
                stops.append(stop)
                run.report(stop)
    return stops


def _walk(model: str, name: str, path: Path, scale: LargeScale, ink_of_data: float, seed: int) -> Iterator[Stop]:
    """Stops at every 1/N_STOPS of the way."""
    rng, n_steps = np.random.default_rng(seed), scale.n_steps // 10
    at = {round(i * n_steps / N_STOPS) for i in range(N_STOPS + 1)}
    schedule = linear_schedule(n_steps)
    for k, (_, v) in enumerate(annealed(path, schedule, scale.n_reverse, gibbs, rng)):
        if k in at:
            pictures = visible_probabilities(path(schedule[k]), v, rng)  # (C, D)
            ink = pictures.sum(1)
            blank = float(np.mean(ink < 0.1 * ink_of_data))
            yield Stop(model, name, float(schedule[k]), len(v), float(ink.mean()), blank, pictures[:SHOWN])
