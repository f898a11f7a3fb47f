"""The papers' experiments from the command line: python -m anneal_edu experiment --help"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path

from anneal_edu.course.experiments import (
    carlson,
    carlson_tracking,
    estimator_tables,
    grosse,
    grosse_large,
    hamiltonian,
    image_models,
    kadan,
    kiwaki,
    tempering_paths,
)
from anneal_edu.course.experiments.image_rows import Row, gains
from anneal_edu.course.experiments.workers import worker_pool


def table_1(args: argparse.Namespace, executor) -> list[dict]:
    """Grosse et al. 2013, Table 1."""
    print(f"{'model':16}{'start':11}{'path':11}{'schedule':16}{'exact':>9}{'log Ẑ':>10}{'± se':>8}{'ESS':>9}{'p':>8}")

    def report(row: grosse.Row) -> None:
        print(
            f"{row.model:16}{row.start:11}{row.path:11}{row.schedule:16}{row.exact:9.2f}{row.result.log_z:10.3f}"
            f"{row.result.std_error:8.3f}{row.result.ess:9.1f}",
            flush=True,
        )

    rows = grosse.table_1(grosse.SCALES[args.scale], args.seed, executor, args.folder, args.progress, report)
    print("p-values, of an ESS as large as the largest of its model:", *(f"{row.p_value:.3f}" for row in rows))
    return [
        {
            "model": row.model,
            "start": row.start,
            "path": row.path,
            "schedule": row.schedule,
            "exact": row.exact,
            "log_z": row.result.log_z,
            "std_error": row.result.std_error,
            "ess": row.result.ess,
            "p_value": row.p_value,
        }
        for row in rows
    ]


def biased_moments(args: argparse.Namespace, executor) -> list[dict]:
    """Grosse et al. 2013, Section 5.2: MAS with highly biased moments (footnote 2)."""
    found = grosse.biased_moments_experiment(
        grosse.SCALES[args.scale], args.seed, executor, args.folder, args.progress
    )
    rows = [
        {
            "model": row.model,
            "start": row.start,
            **{
                f"{name}_{moments}": getattr(getattr(row, moments), name)
                for moments in ("exact", "biased")
                for name in ("log_z", "std_error", "ess")
            },
            "log_z_p_value": row.log_z_p_value,
            "ess_p_value": row.ess_p_value,
        }
        for row in found
    ]
    for row in rows:
        print(", ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))
    return rows


def print_row(row) -> None:
    """Show a row as soon as it is there."""
    print(row, flush=True)


def table_2(args: argparse.Namespace, executor) -> list[dict]:
    """Grosse et al. 2013, Table 2: RBMs too large to enumerate, with a reverse run beside each forward one."""
    scale = grosse_large.SCALES[args.scale]
    rows = grosse_large.table_2(scale, args.seed, executor, args.folder, args.progress, print_row)
    return [row.summary() for row in rows]


def starts(args: argparse.Namespace, executor) -> list[dict]:
    """Kiwaki and Aihara 2015, Figures 4 to 7: Gaussian RBMs from starts of three covariances."""
    rows = kiwaki.compare_starts(
        kiwaki.SCALES[args.scale], args.seed, executor, args.folder, args.progress, print_row
    )
    return [row.summary() for row in rows]


def hais_convergence(args: argparse.Namespace, executor) -> list[dict]:
    """Sohl-Dickstein and Culpepper 2012, Figures 2 and 3: Hamiltonian AIS on complete products of experts."""
    scale = hamiltonian.SCALES[args.scale]
    return [asdict(row) for row in hamiltonian.convergence(scale, args.seed, executor, args.folder, print_row)]


def image_table(args: argparse.Namespace, executor) -> list[dict]:
    """Sohl-Dickstein and Culpepper 2012, Table 1: six image models on held-out patches."""
    return [row.summary() for row in _image_rows(image_models.table_1, args, executor)]


def image_sizes(args: argparse.Namespace, executor) -> list[dict]:
    """Sohl-Dickstein and Culpepper 2012, Figure 5: four image models of growing size on held-out patches."""
    rows = _image_rows(image_models.figure_5, args, executor)
    return [row.summary() | gain for row, gain in zip(rows, gains(rows), strict=True)]


def tempered_training(args: argparse.Namespace, executor) -> list[dict]:
    """Kadan, Syed and Wøien 2018: training RBMs with one temperature and with ten, by the exact likelihood."""
    scale = kadan.SCALES[args.scale]
    return [asdict(row) for row in kadan.training_curves(scale, args.seed, executor, args.folder, print_row)]


def _image_rows(experiment, args: argparse.Namespace, executor) -> list[Row]:
    print(f"{'model':26}{'size':>5}{'log p(x)':>10} ± {'data':>5} ± {'chains':>6}{'exact':>10}")

    scale = image_models.SCALES[args.scale]
    return experiment(scale, args.seed, executor, args.folder, args.progress, print_row)


def paths_for_tempering(args: argparse.Namespace, executor) -> list[dict]:
    """Grosse et al. 2013, Section 6: does averaging moments help parallel tempering and tempered transitions?"""
    scale = tempering_paths.SCALES[args.scale]
    rows = tempering_paths.tempering_paths(scale, args.seed, executor, args.folder, print_row)
    return [asdict(row) for row in rows]


def rts_convergence(args: argparse.Namespace, executor) -> list[dict]:
    """Carlson et al. 2016: log Ẑ of an RBM with 500 hidden units against Gibbs sweeps, for RTS, AIS and RAISE."""
    known, rows = carlson.convergence(carlson.SCALES[args.scale], args.seed, args.folder, print_row, executor)
    names = ("lower", "upper", "draws")
    errors = {"lower_error": known.forward.std_error, "upper_error": known.reverse.std_error}
    return [{name: getattr(known, name) for name in names} | errors, *(asdict(row) for row in rows)]


def rts_rungs(args: argparse.Namespace, executor) -> list[dict]:
    """Carlson et al. 2016: error against the number of temperatures, for RTS, MBAR, TI, RB-TI and AIS."""
    scale = carlson.SCALES[args.scale]
    return [asdict(row) for row in carlson.number_of_rungs(scale, args.seed, args.folder, print_row, executor)]


def rts_tracking(args: argparse.Namespace, executor) -> list[dict]:
    """Carlson et al. 2016: train and validation log likelihood, tracked while an RBM learns."""
    return [asdict(row) for row in carlson_tracking.tracking(carlson.SCALES[args.scale], args.seed, print_row)]


def estimators(args: argparse.Namespace, executor) -> list[dict]:
    """Every estimator of the course at equal numbers of Gibbs sweeps: bias, RMSE and coverage over many seeds."""
    scale = estimator_tables.SCALES[args.scale]
    rows = estimator_tables.estimator_table(scale, args.seed, executor, args.folder, print_row)
    return [asdict(row) for row in rows]


def estimators_rungs(args: argparse.Namespace, executor) -> list[dict]:
    """Error against the number of temperatures at equal sweeps: RTS, MBAR, TI, RB-TI and AIS, beside the truth."""
    scale = estimator_tables.SCALES[args.scale]
    rows = estimator_tables.rung_table(scale, args.seed, executor, args.folder, print_row)
    return [asdict(row) for row in rows]


EXPERIMENTS = {
    "carlson-convergence": (rts_convergence, carlson.SCALES),
    "carlson-rungs": (rts_rungs, carlson.SCALES),
    "carlson-tracking": (rts_tracking, carlson.SCALES),
    "grosse-table1": (table_1, grosse.SCALES),
    "grosse-biased-moments": (biased_moments, grosse.SCALES),
    "grosse-table2": (table_2, grosse_large.SCALES),
    "kiwaki-starts": (starts, kiwaki.SCALES),
    "hais-convergence": (hais_convergence, hamiltonian.SCALES),
    "hais-table1": (image_table, image_models.SCALES),
    "hais-figure5": (image_sizes, image_models.SCALES),
    "kadan-training": (tempered_training, kadan.SCALES),
    "tempering-paths": (paths_for_tempering, tempering_paths.SCALES),
    "estimators": (estimators, estimator_tables.SCALES),
    "estimators-rungs": (estimators_rungs, estimator_tables.SCALES),
}


_NO_BARS = {"--progress": "each row is printed as soon as it is there, and there are no bars"}
REFUSED = {
    "carlson-convergence": _NO_BARS,
    "carlson-rungs": _NO_BARS,
    "carlson-tracking": _NO_BARS
    | {
        "--workers": "the one training that is tracked goes on step after step",
        "--folder": "nothing is kept, as a training cannot be resumed half way",
    },
    "hais-convergence": _NO_BARS,
    "kadan-training": _NO_BARS,
    "tempering-paths": _NO_BARS,
    "estimators": _NO_BARS,
    "estimators-rungs": _NO_BARS,
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


def main(argv: list[str] | None = None) -> None:
    """Run one experiment."""
    parser = argparse.ArgumentParser(prog="python -m anneal_edu experiment", description=__doc__.split(":")[0] + ".")
    commands = parser.add_subparsers(required=True, metavar="EXPERIMENT")
    for name, (run, scales) in EXPERIMENTS.items():
        command = commands.add_parser(name, help=run.__doc__)
        command.set_defaults(run=run, name=name)
        command.add_argument("--scale", choices=scales, default="quick")
        command.add_argument("--seed", type=int, default=0)
        command.add_argument("--workers", type=int, help="processes to spread the work over (default: one a core)")
        command.add_argument("--folder", type=Path, help="keep finished work here, and resume from it (default: runs)")
        command.add_argument("--progress", action="store_true", help="show a progress bar for every run")
        command.add_argument("--json", type=Path, help="write the rows to this file, with the command and the time")
    args = parser.parse_args(argv)
    refused = REFUSED.get(args.name, {})
    for option, why in refused.items():
        if getattr(args, option[2:]) not in (None, False):
            parser.error(f"{args.name} takes no {option}: {why}")
    if args.workers is None:
        args.workers = 1 if "--workers" in refused else os.cpu_count() or 1
    if args.workers < 1:
        parser.error(f"--workers must be at least 1, got {args.workers}")
    if args.folder is None:
        args.folder = Path("runs")
    if args.folder.exists() and not args.folder.is_dir():
        parser.error(f"--folder must be a folder, and {args.folder} is a file")
    if args.json is not None and (args.json.is_dir() or not args.json.parent.is_dir()):
        parser.error(f"--json must be a file in a folder that exists, got {args.json}")

    start = time.perf_counter()
    if args.workers == 1:
        rows = args.run(args, None)
    else:
        with worker_pool(args.workers) as executor:
            rows = args.run(args, executor)
    seconds = time.perf_counter() - start
    print(f"{seconds:.0f} seconds")
    if args.json is not None:
        command = f"python -m anneal_edu experiment {args.name} --scale {args.scale} --seed {args.seed}"
        settings = plain(EXPERIMENTS[args.name][1][args.scale])
        stored = {"command": command, "seconds": round(seconds), "settings": settings, "rows": rows}
        args.json.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
