"""Grosse, Maddison and Salakhutdinov (2013), Table 2 and Figures 4 and 5: RBMs too large to enumerate.

Beyond the paper, every forward run of AIS comes with a reverse one from a long Gibbs run, or from exact draws where the
model is small enough to give them; and chains in the knots of MAS show what these hold. The figures of Carlson et al.
(2016) take one of these models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path as File
from time import perf_counter

import numpy as np

from anneal_edu.annealing.ais import AISResult
from anneal_edu.annealing.reverse import long_run
from anneal_edu.course.ais_trace import annealed, visible_probabilities
from anneal_edu.course.experiments.blocks import ais_in_blocks
from anneal_edu.course.experiments.grosse import starts, with_p_values
from anneal_edu.course.experiments.run import HERE, Run, experiment
from anneal_edu.data import digits
from anneal_edu.distributions import BinaryRBM
from anneal_edu.kernels import gibbs
from anneal_edu.paths.asymptotics import as_family
from anneal_edu.paths.chain_moments import data_moments, estimate_moments, pcd_fit
from anneal_edu.paths.geometric import Path, geometric_path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.paths.splines import SplinePath, moment_spline_path
from anneal_edu.training import train_rbm
from anneal_edu.workers import one_blas_thread

_SMALL_CD1 = {"method": "cd", "n_gibbs": 1, "n_updates": 1500, "learning_rate": 0.1, "batch_size": 50}
_CD1 = {"method": "cd", "n_gibbs": 1, "n_updates": 6000, "learning_rate": 0.05, "batch_size": 20}
_PCD = {"method": "pcd", "n_gibbs": 1, "n_updates": 3000, "learning_rate": 0.01, "batch_size": 100}
_CD25 = _CD1 | {"n_gibbs": 25}
_FIT = {"n_updates": 1000, "n_particles": 100, "learning_rate": 0.01}
_SHORT_FIT = {"n_updates": 100, "n_particles": 100, "learning_rate": 0.05}
_FULL = {
    "size": 28, "n_hidden": 500, "training": {"CD1": _CD1, "PCD": _PCD, "CD25": _CD25},
    "n_steps": 100_000, "n_chains": 5000, "n_reverse": 500, "block_size": 500,
    "moments": {"n_chains": 1000, "n_steps": 10_000, "n_burn_in": 1000, "every": 1},
    "fit": _FIT | {"n_updates": 50_000}, "cheap_fit": _FIT, "n_long_run": 10_000,
}  # fmt: skip
SCALES = {
    "tiny": {
        "size": 8, "n_hidden": 10, "training": {"CD1": _SMALL_CD1, "PCD": _SMALL_CD1 | {"method": "pcd"}},
        "n_steps": 200, "n_chains": 100, "n_reverse": 100, "block_size": 50,
        "moments": {"n_chains": 50, "n_steps": 200, "n_burn_in": 50, "every": 1},
        "fit": _SHORT_FIT | {"n_updates": 300}, "cheap_fit": _SHORT_FIT, "n_long_run": 200,
    },
    "quick": _FULL | {
        "training": {"CD1": _CD1, "PCD": _PCD}, "n_steps": 1000, "n_chains": 250, "n_reverse": 100, "block_size": 125,
        "moments": {"n_chains": 100, "n_steps": 1000, "n_burn_in": 200, "every": 5}, "fit": _FIT, "n_long_run": 1000,
    },
    "medium": _FULL | {
        "n_steps": 10_000, "n_chains": 1000, "block_size": 250,
        "moments": {"n_chains": 200, "n_steps": 5000, "n_burn_in": 1000, "every": 2},
        "fit": _FIT | {"n_updates": 10_000},
    },
    "long": _FULL | {"n_chains": 500, "n_reverse": 100, "block_size": 125},
    "full": _FULL,
}  # fmt: skip
"""Seconds, about ten minutes, some hours; the paper's sizes with a tenth of its chains; all of them, which takes days.

size is the side of the images in pixels; n_steps transitions K, n_chains forward and n_reverse reverse chains in blocks
of block_size; moments the Gibbs chains that estimate the target's moments for MAS; fit and cheap_fit how `pcd_fit` fits
the nine knots of MAS and of MAS cheap; n_long_run Gibbs steps from the digits to the start of the reverse chains, where
there are no exact draws."""

PATHS = ("geometric", "MAS", "MAS cheap")
COLUMNS = (
    "model:6s start:10s path:10s n_steps:, log_z:.2f std_error:.2f ess:.1f reverse_log_z:.2f reverse_std_error:.2f"
)
_TOGETHER = {"progress": "each row is printed as soon as it is there", "workers": "all its chains walk together"}
N_STOPS, SHOWN, GREYS = 8, 8, 15  # of Figure 4
BEGINNINGS = ("the data", "black pages")
N_KNOT_CHAINS, N_KNOT_STEPS, SHOWN_IN_KNOTS = 50, 1000, 2

_WEIGHTS = File(__file__).parent / "results" / "grosse_table2_mnist_log_weights.npz"
_PAPER = {
    "CD1": [(341.53, 4), (359.09, 3076), (359.09, 3773), (359.10, 4924), (359.07, 2203), (359.09, 2465)],
    "PCD": [(417.91, 169), (418.27, 620), (418.33, 5), (418.20, 159), (418.26, 1460), (418.25, 359)],
    "CD25": [(451.34, 13), (449.22, 12), (450.90, 30), (451.27, 2888), (451.31, 304), (451.14, 244)],
}
PAPER = {
    model: dict(zip(product(("uniform", "base rate"), PATHS), column, strict=True)) for model, column in _PAPER.items()
}
"""The paper's Table 2, by model, then by start and path: log Ẑ and ESS of 5,000 chains, K = 100,000, on MNIST."""


def trained_model(scale: dict, run: Run, name: str) -> BinaryRBM:
    """One of the models, trained once on the digits or the given images.

    Parameters are rounded to half precision, the model *being* what is left. Rounding differs between processors and
    training magnifies it, so that elsewhere the same seed leads to another model: keep the file to compare results.
    """
    return run.once(_train, name, scale["n_hidden"], scale["training"][name], run.seed, data_of(scale, run))


def models_of(scale: dict, run: Run) -> Iterator[tuple[str, BinaryRBM]]:
    """Name and model: the given one alone, or else the trained ones, each when it is asked for."""
    return run.models(scale["training"], partial(trained_model, scale, run))


def _train(name: str, n_hidden: int, recipe: dict, seed: int, data: np.ndarray) -> BinaryRBM:
    rng = np.random.default_rng([seed, ("CD1", "PCD", "CD25").index(name)])
    rbm = train_rbm(data, n_hidden, **recipe, rng=rng)
    return BinaryRBM(*(part.astype(np.float16) for part in rbm.single_precision))


def data_of(scale: dict, run: Run) -> np.ndarray:
    """The given images, or the digits."""
    return digits(scale["size"]) if run.images is None else run.images


def path_to(rbm: BinaryRBM, start: BinaryRBM, name: str, scale: dict, data: np.ndarray, run: Run) -> Path:
    """The geometric path, MAS from moments of long Gibbs chains, or MAS cheap from moments of the data."""
    if name == "geometric":
        return geometric_path(start, rbm)
    moments, fit = (scale["moments"], scale["fit"]) if name == "MAS" else (data, scale["cheap_fit"])
    return run.once(_spline, rbm, start, moments, fit, run.seed)


def _spline(rbm: BinaryRBM, start: BinaryRBM, moments: dict | np.ndarray, fit: dict, seed: int) -> SplinePath:
    """Knots by PCD, with moments of long chains or of the data."""
    chains = isinstance(moments, dict)
    rng = np.random.default_rng([seed, PATHS.index("MAS" if chains else "MAS cheap")])
    s = estimate_moments(rbm, **moments, rng=rng) if chains else data_moments(rbm, moments)
    return moment_spline_path(start, rbm, target_moments=s, fit=pcd_fit(**fit, rng=rng))


def reverse_starts(rbm: BinaryRBM, scale: dict, data: np.ndarray, seed: int) -> tuple[np.ndarray, str]:
    """Exact draws of the target where it can be enumerated, else a long Gibbs run from the digits; and which it is."""
    rng = np.random.default_rng([seed, 99])
    if rbm.enumerable:
        return rbm.sample(scale["n_reverse"], rng), "exact draws"
    v = data[rng.integers(len(data), size=scale["n_reverse"])]
    with one_blas_thread():
        return long_run(rbm, v, scale["n_long_run"], gibbs, rng=rng), "a long run"


def both_ways(
    model: str, rbm: BinaryRBM, counts: Sequence[int], scale: dict, run: Run
) -> Iterator[tuple[dict, AISResult]]:
    """Forward and reverse AIS on {geometric, MAS, MAS cheap} × {uniform, base rate}, for each number of steps.

    Yields rows, each with its forward run. In a row "draws" is where the reverse chains start, "seconds_path" the time
    to build the path, moments included, and "seconds" that of both runs.
    """
    data = data_of(scale, run)
    samples, draws = reverse_starts(rbm, scale, data, run.seed)
    exact = round(rbm.log_z(), 3) if rbm.enumerable else None
    for (start, p0), name in product(starts(rbm, data).items(), PATHS):
        begin = perf_counter()
        path = path_to(rbm, p0, name, scale, data, run)
        seconds_path = perf_counter() - begin
        for n_steps in counts:
            begin, schedule, size = perf_counter(), linear_schedule(n_steps), scale["block_size"]
            forward = ais_in_blocks(path, schedule, scale["n_chains"], run, size)
            reverse = ais_in_blocks(path, schedule, scale["n_reverse"], run, size, samples=samples)
            row = {
                "model": model,
                "start": start,
                "path": name,
                "n_steps": n_steps,
                "log_z": round(forward.log_z, 3),
                "std_error": round(forward.std_error, 3),
                "interval": [round(end, 3) for end in forward.interval()],
                "mean_log_weight": round(forward.mean_log_weight, 2),
                "ess": round(forward.ess, 1),
                "reverse_log_z": round(reverse.log_z, 3),
                "reverse_std_error": round(reverse.std_error, 3),
                "reverse_ess": round(reverse.ess, 1),
                "draws": draws,
                "exact": exact,
                "seconds_path": round(seconds_path, 1),
                "seconds": round(perf_counter() - begin, 1),
            }
            yield row, forward


@experiment("grosse-table2", COLUMNS, **SCALES)
def table_2(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Grosse et al. 2013, Table 2: RBMs too large to enumerate, with a reverse run beside each forward one.

    The rows are {geometric, MAS, MAS cheap} × {uniform, base rate}. With given images the models are trained on these;
    a given model takes their place. Rows are yielded before their "ess_p_value" is known.
    """
    for model, rbm in models_of(scale, run):
        yield from with_p_values(both_ways(model, rbm, [scale["n_steps"]], scale, run), "ess_p_value", run.seed)


@experiment("grosse-figure5", COLUMNS, **SCALES)
def figure_5(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Grosse et al. 2013, Figure 5: the estimates of Table 2 against K, by powers of ten up to the table's own.

    Where work is kept, the last points are those of that table.
    """
    counts = [K for K in (10, 100, 1000, 10_000) if K < scale["n_steps"]] + [scale["n_steps"]]
    for model, rbm in models_of(scale, run):
        for row, _ in both_ways(model, rbm, counts, scale, run):
            yield row


def stored_log_weights(model: str, start: str, path: str, side: str = "forward") -> np.ndarray:
    """Log weights of the chains of a stored row of the table on MNIST, (C,) in nats; side "reverse" for the others."""
    with np.load(_WEIGHTS, allow_pickle=False) as stored:
        name = "/".join((model, start, path, side))
        if name not in stored:
            raise ValueError(f"stored are the log weights of {', '.join(stored)}, and not of {name}")
        return stored[name].astype(float)


def words_of(pictures: np.ndarray) -> list[str]:
    """Pictures (N, D), from 0 to 1, as JSON has them: each is a word, and each letter a pixel from 0 to f."""
    return ["".join(f"{grey:x}" for grey in greys) for greys in np.round(pictures * GREYS).astype(int)]


def pictures_of(row: dict) -> np.ndarray:
    """The pictures of a row, (N, D), from 0 to 1."""
    return np.array([[int(letter, 16) for letter in word] for word in row["pictures"]]) / GREYS


@experiment("grosse-figure4", "model:6s path:10s beta:.3f n_chains:d ink:.1f blank:.0%", refuses=_TOGETHER, **SCALES)
def figure_4(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Grosse et al. 2013, Figure 4: pictures from chains of AIS on their way along each path, from the base rates.

    The chains have a tenth of the table's steps, and are as many as its reverse ones. Of a row "ink" is the mean number
    of black pixels, E[Σ_i v_i | h] averaged over all chains, "blank" the share of the chains with less than a tenth of
    the ink of the data's mean image, and "pictures" has p(v_i = 1 | h) of the first chains.
    """
    n_steps, n_chains = scale["n_steps"] // 10, scale["n_reverse"]
    schedule, stops = linear_schedule(n_steps), {round(i * n_steps / N_STOPS) for i in range(N_STOPS + 1)}
    for model, rbm in models_of(scale, run):
        data = data_of(scale, run)
        ink_of_data = data.sum(1).mean()
        for name in PATHS:
            path = path_to(rbm, starts(rbm, data)["base rate"], name, scale, data, run)
            rng = np.random.default_rng(run.seed)
            for k, (_, v) in enumerate(annealed(path, schedule, n_chains, gibbs, rng)):
                if k not in stops:
                    continue
                pictures = visible_probabilities(path(schedule[k]), v, rng)  # (C, D)
                ink = pictures.sum(1)
                yield {
                    "model": model,
                    "path": name,
                    "beta": float(schedule[k]),
                    "n_chains": len(v),
                    "ink": round(float(ink.mean()), 1),
                    "blank": round(float(np.mean(ink < 0.1 * ink_of_data)), 3),
                    "pictures": words_of(pictures[:SHOWN]),
                }


@experiment(
    "grosse-knots",
    "model:6s start:10s path:10s beta:.2f began:12s ink:.1f log_f:.1f",
    refuses=_TOGETHER,
    **SCALES,
)
def knots(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Where Gibbs chains go in each knot of MAS and of MAS cheap, from the data and from black pages.

    If they do not meet, then the knot has modes that its fit may not have seen, and log f says which weighs more.
    """
    for model, rbm in models_of(scale, run):
        data = data_of(scale, run)
        for (start, p0), name in product(starts(rbm, data).items(), PATHS[1:]):
            path = path_to(rbm, p0, name, scale, data, run)
            for row in seen_in(path, data, run.seed):
                yield {"model": model, "start": start, "path": name} | row


def seen_in(path: SplinePath, data: np.ndarray, seed: int) -> Iterator[dict]:
    """Two rows for each knot of one path, both ends included.

    Of a row "ink" is the mean number of pixels that are on after the Gibbs steps, "even" what it would be if it went
    evenly from the start's to the data's, as where moments of the data are averaged, "log_f" the median of log f of the
    knot in nats, and "pictures" has p(v_i = 1 | h) of the first chains, for `pictures_of`.
    """
    rng = np.random.default_rng(seed)
    ends = as_family(path.distributions[0]).moments()[0].sum(), data.sum(1).mean()
    for beta, knot in zip(path.betas, path.distributions, strict=True):
        some = data[rng.integers(len(data), size=N_KNOT_CHAINS)]
        for began, v in zip(BEGINNINGS, (some, np.ones_like(some)), strict=True):
            v = long_run(knot, v, N_KNOT_STEPS, gibbs, rng=rng)  # (C, D)
            pictures = visible_probabilities(knot, v[:SHOWN_IN_KNOTS], rng)
            yield {
                "beta": round(float(beta), 6),
                "began": began,
                "n_chains": len(v),
                "n_steps": N_KNOT_STEPS,
                "ink": round(float(v.sum(1).mean()), 1),
                "even": round(float((1 - beta) * ends[0] + beta * ends[1]), 1),
                "log_f": round(float(np.median(knot.log_density(v))), 1),
                "pictures": words_of(pictures),
            }
