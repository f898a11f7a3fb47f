"""The papers' experiments from the command line: python -m anneal_edu experiment --help"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from itertools import tee
from pathlib import Path

import joblib
import numpy as np

from anneal_edu.course.experiments.run import EXPERIMENTS, Run, begin_worker, table
from anneal_edu.data.files import binary_images, require_writable
from anneal_edu.distributions import BinaryRBM, GaussianRBM
from anneal_edu.models.stored import load_given

for _module in (
    "carlson", "grosse", "grosse_large", "kiwaki", "hamiltonian", "hamiltonian_images", "kadan", "tempering_paths",
    "estimator_tables", "small_tracking",
):  # fmt: skip
    import_module(f"anneal_edu.course.experiments.{_module}")


def machine() -> dict[str, str | int]:
    """What the numbers and the time of a run may depend on: the processor, its cores, and the versions."""
    processor = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):  # Linux knows it by its name
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    versions = {name: version(name) for name in ("anneal_edu", "numpy", "scipy")}
    return {"processor": processor, "cores": os.cpu_count() or 1, "python": platform.python_version()} | versions


def arguments_of(argv: list[str] | None) -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    """The parser, and the parsed command line."""
    parser = argparse.ArgumentParser(prog="python -m anneal_edu experiment", description=__doc__.split(":")[0] + ".")
    commands = parser.add_subparsers(required=True, metavar="EXPERIMENT", dest="name")
    for name, experiment in sorted(EXPERIMENTS.items()):
        command = commands.add_parser(name, help=experiment.rows.__doc__.splitlines()[0])
        command.add_argument("--scale", choices=experiment.scales, default="quick")
        command.add_argument("--seed", type=int, default=0)
        command.add_argument("--images", type=Path, help="IDX, NPY or NPZ file of images, in place of the digits")
        command.add_argument("--model", type=Path, help="NPZ file of an RBM, or the name of a stored one")
        command.add_argument("--workers", type=int, help="processes to spread the work over (default: one per core)")
        command.add_argument("--folder", type=Path, help="keep finished work here, and resume from it (default: runs)")
        command.add_argument("--progress", action="store_true", help="show a progress bar")
        command.add_argument("--json", type=Path, help="write the rows to this file, with the command and the time")
    return parser, parser.parse_args(argv)


def require_sound(args: argparse.Namespace) -> None:
    """Raise a ValueError in words for what can be refused before anything runs."""
    chosen = EXPERIMENTS[args.name]
    for option, why in chosen.refuses.items():
        if getattr(args, option) not in (None, False):
            raise ValueError(f"{args.name} takes no --{option}: {why}")
    if args.model and not args.images and "images" not in chosen.refuses:
        raise ValueError("--model needs --images, those that it was trained on: their base rates are the start")
    if args.images and not args.model and chosen.exact:
        raise ValueError(f"--images needs --model: the stored models of {args.name} were trained on the digits")
    if args.seed < 0:
        raise ValueError(f"--seed must be at least 0, got {args.seed}")
    if args.workers is not None and args.workers < 1:
        raise ValueError(f"--workers must be at least 1, got {args.workers}")
    folder = args.folder or Path("runs")
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if "folder" not in chosen.refuses and not (there.is_dir() and os.access(there, os.W_OK)):
        raise ValueError(f"--folder must be a folder that can be written, got {folder}")
    require_writable("--json", args.json)


def read_files(args: argparse.Namespace) -> tuple[np.ndarray | None, BinaryRBM | GaussianRBM | None]:
    """The given images and the given model, where there are some."""
    images, model, chosen = None, args.model and load_given(args.model), EXPERIMENTS[args.name]
    if args.images:
        images, how = binary_images(args.images)
        print(how)
    if model is None:
        return images, None
    if not isinstance(model, chosen.model):
        raise ValueError(f"--model must be a {chosen.model.__name__}, got a {type(model).__name__}")
    if images is not None and images.shape[1] != model.dim:
        raise ValueError(f"--model has {model.dim} visible units, and an image of --images {images.shape[1]} pixels")
    if chosen.exact and not model.enumerable:
        raise ValueError(f"--model has too many units for the exact log Z of {args.name}: take grosse-table2")
    return images, model


def main(argv: list[str] | None = None) -> None:
    """Run one experiment."""
    parser, args = arguments_of(argv)
    try:
        require_sound(args)
        given = read_files(args)
    except (ValueError, OSError) as error:
        parser.exit(2, f"error: {error}\n")
    chosen, folder, begin = EXPERIMENTS[args.name], args.folder or Path("runs"), time.perf_counter()
    settings, name = chosen.scales[args.scale], args.model.stem if args.model else Run.name
    workers = args.workers or (1 if "workers" in chosen.refuses else os.cpu_count() or 1)
    try:
        with joblib.parallel_config("loky", n_jobs=workers, initializer=begin_worker):
            found, printed = tee(chosen.rows(settings, Run(args.seed, folder, args.progress, *given, name)))
            for line in table(printed, chosen.columns):
                print(line, flush=True)
    except KeyboardInterrupt:
        if "folder" in chosen.refuses:
            raise
        parser.exit(130, f"\ninterrupted: finished work is kept in {folder}, and the same command goes on from it\n")
    seconds = time.perf_counter() - begin
    print(f"{seconds:.0f} seconds")
    if args.json is not None:
        command = f"python -m anneal_edu experiment {args.name} --scale {args.scale} --seed {args.seed}"
        command += "".join(f" --{name} {getattr(args, name)}" for name in ("images", "model") if getattr(args, name))
        stored = {"command": command, "seconds": round(seconds), "machine": machine()}
        stored |= {"settings": settings, "rows": list(found)}
        args.json.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
