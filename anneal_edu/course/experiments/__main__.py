"""The papers' experiments from the command line: python -m anneal_edu experiment --help"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import asdict, fields, is_dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np

from anneal_edu.course.experiments import (
    carlson,
    carlson_tracking,
    estimator_tables,
    grosse,
    grosse_figure4,
    grosse_knots,
    grosse_large,
    grosse_table2,
    hamiltonian,
    hamiltonian_figure5,
    hamiltonian_table1,
    hamiltonian_tails,
    kadan,
    kiwaki,
    tempering_paths,
)
from anneal_edu.course.experiments.kept import DamagedError, Run
from anneal_edu.course.experiments.workers import worker_pool
from anneal_edu.data.files import binary_images, require_writable
from anneal_edu.distributions import BinaryRBM, GaussianRBM
from anneal_edu.models.stored import load_given

EXPERIMENTS: dict[str, tuple[Callable[..., list], dict]] = {
    "carlson-convergence": (carlson.convergence, carlson.SCALES),
    "carlson-repeats": (carlson.repeats, carlson.SCALES),
    "carlson-rungs": (carlson.number_of_rungs, carlson.SCALES),
    "carlson-tracking": (carlson_tracking.tracking, carlson.SCALES),
    "grosse-table1": (grosse.table_1, grosse.SCALES),
    "grosse-figure3": (grosse.figure_3, grosse.SCALES),
    "grosse-biased-moments": (grosse.compare_moments, grosse.SCALES),
    "grosse-table2": (grosse_table2.table_2, grosse_large.SCALES),
    "grosse-figure4": (grosse_figure4.figure_4, grosse_large.SCALES),
    "grosse-figure5": (grosse_table2.figure_5, grosse_large.SCALES),
    "grosse-knots": (grosse_knots.knots, grosse_large.SCALES),
    "kiwaki-starts": (kiwaki.compare_starts, kiwaki.SCALES),
    "kiwaki-modes": (kiwaki.repeat_starts, kiwaki.REPEATS),
    "hais-convergence": (hamiltonian.convergence, hamiltonian.SCALES),
    "hais-tails": (hamiltonian_tails.tails, hamiltonian_tails.SCALES),
    "hais-table1": (hamiltonian_table1.table_1, hamiltonian_table1.SCALES),
    "hais-figure5": (hamiltonian_figure5.figure_5, hamiltonian_figure5.SCALES),
    "kadan-training": (kadan.training_curves, kadan.SCALES),
    "tempering-paths": (tempering_paths.tempering_paths, tempering_paths.SCALES),
    "estimators": (estimator_tables.estimator_table, estimator_tables.SCALES),
    "estimators-rungs": (estimator_tables.rung_table, estimator_tables.SCALES),
}
"""Name → (scale, run) -> rows, and the scales that there are; help is the first line of the function's docstring."""

EXACT_LOG_Z = {"grosse-table1", "grosse-figure3"}
"""Experiments with models that can be counted, and with these alone."""

_NO_BARS = {"--progress": "each row is printed as soon as it is there, and there are no bars"}
_TRAINS = {"--model": "it trains its models"}
_EXACT = dict.fromkeys(("--images", "--model"), "its models are stored, beside what is exactly known of them")
_TOY = dict.fromkeys(("--images", "--model"), "it is about one model, whose second mode lies far away")
_PATCHES = dict.fromkeys(("--images", "--model"), "its models are of whitened patches, and their densities of reals")
_LABELS = dict.fromkeys(("--images", "--model"), "its moments are biased by which digit an image shows")
_ONE_TRAINING = {
    "--workers": "the one training that is tracked goes on step after step",
    "--folder": "nothing is kept, as a training cannot be resumed half way",
}
REFUSED: dict[str, dict[str, str]] = {
    "carlson-convergence": _NO_BARS,
    "carlson-repeats": _NO_BARS,
    "carlson-rungs": _NO_BARS,
    "carlson-tracking": _NO_BARS | _TRAINS | _ONE_TRAINING,
    "grosse-biased-moments": _LABELS,
    "grosse-figure4": _NO_BARS | {"--workers": "all chains of a path walk it together"},
    "grosse-knots": _NO_BARS | {"--workers": "all chains of a knot walk together"},
    "kiwaki-starts": {"--images": "it looks at a model and its moments, and at no data"},
    "kiwaki-modes": _NO_BARS | _TOY,
    "hais-convergence": _NO_BARS | _EXACT,
    "hais-tails": _NO_BARS | _EXACT,
    "hais-table1": _PATCHES,
    "hais-figure5": _PATCHES,
    "kadan-training": _NO_BARS | _TRAINS,
    "tempering-paths": _NO_BARS | _EXACT,
    "estimators": _NO_BARS | _EXACT,
    "estimators-rungs": _NO_BARS | _EXACT,
}
"""Options that an experiment does not have, and why."""


def plain(value):
    """Settings as JSON has them: dataclasses and named tuples become dictionaries."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def machine() -> dict[str, str | int]:
    """What the numbers and the time of a run may depend on: the processor, its cores, and the versions."""
    processor, cores = platform.processor() or platform.machine(), os.cpu_count() or 1
    with suppress(OSError, StopIteration):  # Linux knows it by its name
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    versions = {name: version(name) for name in ("anneal_edu", "numpy", "scipy")}
    return {"processor": processor, "cores": cores, "python": platform.python_version()} | versions


def arguments_of(argv: list[str] | None) -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    """The command line, taken apart."""
    parser = argparse.ArgumentParser(prog="python -m anneal_edu experiment", description=__doc__.split(":")[0] + ".")
    commands = parser.add_subparsers(required=True, metavar="EXPERIMENT", dest="name")
    for name, (rows, scales) in EXPERIMENTS.items():
        command = commands.add_parser(name, help=rows.__doc__.splitlines()[0])
        command.add_argument("--scale", choices=scales, default="quick")
        command.add_argument("--seed", type=int, default=0)
        command.add_argument("--images", type=Path, help="IDX, NPY or NPZ file of images, in place of the digits")
        command.add_argument("--model", type=Path, help="NPZ file of an RBM, or the name of a stored one")
        command.add_argument("--workers", type=int, help="processes to spread the work over (default: one a core)")
        command.add_argument("--folder", type=Path, help="keep finished work here, and resume from it (default: runs)")
        command.add_argument("--progress", action="store_true", help="show a progress bar for every run")
        command.add_argument("--json", type=Path, help="write the rows to this file, with the command and the time")
    return parser, parser.parse_args(argv)


def require_sound(args: argparse.Namespace) -> None:
    """A ValueError in words for what can be refused before anything runs."""
    refused = REFUSED.get(args.name, {})
    for option, why in refused.items():
        if getattr(args, option[2:]) not in (None, False):
            raise ValueError(f"{args.name} takes no {option}: {why}")
    if args.model and not args.images and "--images" not in refused:
        raise ValueError("--model needs --images, those that it was trained on: their base rates are the start")
    if args.images and not args.model and args.name in EXACT_LOG_Z:
        raise ValueError(f"--images needs --model: the stored models of {args.name} were trained on the digits")
    if args.seed < 0:
        raise ValueError(f"--seed must be at least 0, got {args.seed}")
    if args.workers is not None and args.workers < 1:
        raise ValueError(f"--workers must be at least 1, got {args.workers}")
    folder = args.folder or Path("runs")
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if "--folder" not in refused and not (there.is_dir() and os.access(there, os.W_OK)):
        raise ValueError(f"--folder must be a folder that can be written, got {folder}")
    require_writable("--json", args.json)


def read_files(args: argparse.Namespace) -> tuple[np.ndarray | None, BinaryRBM | GaussianRBM | None]:
    """The images and the model of yours, where there are some."""
    images, model = None, args.model and load_given(args.model)
    if args.images:
        images, how = binary_images(args.images)
        print(how)
    if model is None:
        return images, None
    kind = GaussianRBM if args.name == "kiwaki-starts" else BinaryRBM
    if not isinstance(model, kind):
        raise ValueError(f"--model must be a {kind.__name__}, got a {type(model).__name__}")
    if images is not None and images.shape[1] != model.dim:
        raise ValueError(f"--model has {model.dim} visible units, and an image of --images {images.shape[1]} pixels")
    if args.name in EXACT_LOG_Z and not model.enumerable:
        raise ValueError(f"--model has too many units for the exact log Z of {args.name}: take grosse-table2")
    return images, model


def main(argv: list[str] | None = None) -> None:
    """Run one experiment."""
    parser, args = arguments_of(argv)
    try:
        require_sound(args)
        own = read_files(args)
    except (ValueError, OSError) as error:
        parser.exit(2, f"error: {error}\n")
    (make, scales), refused = EXPERIMENTS[args.name], REFUSED.get(args.name, {})
    workers = args.workers or (1 if "--workers" in refused else os.cpu_count() or 1)
    report, start = partial(print, flush=True), time.perf_counter()
    folder, name = args.folder or Path("runs"), args.model.stem if args.model else Run.name
    try:
        with nullcontext() if workers == 1 else worker_pool(workers) as executor:
            rows = make(scales[args.scale], Run(args.seed, executor, folder, args.progress, report, *own, name))
    except DamagedError as error:
        parser.exit(2, f"error: {error}\n")
    except KeyboardInterrupt:
        if "--folder" in refused:
            raise
        parser.exit(130, f"\ninterrupted: finished work is kept in {folder}, and the same command goes on from it\n")
    seconds = time.perf_counter() - start
    print(f"{seconds:.0f} seconds")
    if args.json is not None:
        command = f"python -m anneal_edu experiment {args.name} --scale {args.scale} --seed {args.seed}"
        command += "".join(f" --{name} {getattr(args, name)}" for name in ("images", "model") if getattr(args, name))
        written = [row.summary() if hasattr(row, "summary") else asdict(row) for row in rows]
        stored = {"command": command, "seconds": round(seconds), "machine": machine()}
        stored |= {"settings": plain(scales[args.scale]), "rows": written}
        args.json.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
