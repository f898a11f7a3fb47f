"""What the knots of MAS hold, beyond Grosse, Maddison and Salakhutdinov (2013): Gibbs chains that begin far apart.

A knot is fitted to moments by chains (Section 5.2), and knows of other regions only what these chains have seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from anneal_edu.annealing.reverse import long_run
from anneal_edu.course.ais_trace import visible_probabilities
from anneal_edu.course.experiments.grosse import starts
from anneal_edu.course.experiments.grosse_figure4 import words_of
from anneal_edu.course.experiments.grosse_large import PATHS, LargeScale, data_of, models_of, path_to
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.kernels import gibbs
from anneal_edu.paths.asymptotics import as_family
from anneal_edu.paths.splines import SplinePath

N_CHAINS, N_STEPS, SHOWN = 50, 1000, 2
BEGINNINGS = ("the data", "black pages")


@dataclass(frozen=True)
class Seen:
    """Where Gibbs chains stand in one knot after so many steps.

    Attributes
    ----------
    model, start, path : str
    beta : float
        Of the knot; 0 is the start of the path, and 1 the model itself.
    began : str
        "the data", or "black pages", on which all pixels are on.
    n_chains, n_steps : int
    ink : float
        Mean number of pixels that are on.
    even : float
        What it would be if it went evenly from the start's to the data's, as where moments of the data are averaged.
    log_f : float
        Median of log f of the knot, in nats.
    pictures : (N, D) array
        Pixel probabilities p(v_i = 1 | h) of the first chains.
    """

    model: str
    start: str
    path: str
    beta: float
    began: str
    n_chains: int
    n_steps: int
    ink: float
    even: float
    log_f: float
    pictures: np.ndarray

    def __str__(self) -> str:
        return (
            f"{self.model:6}{self.start:11}{self.path:11}β = {self.beta:4.2f}  from {self.began:12}"
            f"{self.ink:6.1f} black pixels, log f {self.log_f:7.1f}"
        )

    def summary(self) -> dict:
        """The line as JSON has it; `grosse_figure4.pictures_of` reads its pictures."""
        named = "model", "start", "path", "beta", "began", "n_chains", "n_steps"
        where = {name: getattr(self, name) for name in named} | {"beta": round(self.beta, 6)}
        numbers = {name: round(getattr(self, name), 1) for name in ("ink", "even", "log_f")}
        return where | numbers | {"pictures": words_of(self.pictures)}


def knots(scale: LargeScale, run: Run = HERE) -> list[Seen]:
    """Where Gibbs chains go in each knot of MAS and of MAS cheap, from the data and from black pages.

    If they do not meet, then the knot has modes that its fit may not have seen, and log f says which weighs more.
    """
    seen = []
    for model, rbm in models_of(scale, run):
        data = data_of(scale, run)
        for (start, p0), name in product(starts(rbm, data).items(), PATHS[1:]):
            path = path_to(rbm, p0, name, scale, data, run)
            for row in seen_in(path, data, (model, start, name), run.seed):
                seen.append(row)
                run.report(row)
    return seen


def seen_in(path: SplinePath, data: np.ndarray, names: tuple[str, str, str], seed: int) -> Iterator[Seen]:
    """Two rows for each knot of one path, both ends included; names are those of the model, the start and the path."""
    rng = np.random.default_rng(seed)
    ends = as_family(path.distributions[0]).moments()[0].sum(), data.sum(1).mean()
    for beta, knot in zip(path.betas, path.distributions, strict=True):
        some = data[rng.integers(len(data), size=N_CHAINS)]
        for began, v in zip(BEGINNINGS, (some, np.ones_like(some)), strict=True):
            v = long_run(knot, v, N_STEPS, gibbs, rng=rng)  # (C, D)
            pictures = visible_probabilities(knot, v[:SHOWN], rng)
            ink, log_f = float(v.sum(1).mean()), float(np.median(knot.log_density(v)))
            even = float((1 - beta) * ends[0] + beta * ends[1])
            yield Seen(*names, float(beta), began, len(v), N_STEPS, ink, even, log_f, pictures)
