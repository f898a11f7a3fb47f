"""Rows of an experiment: made on any executor, kept as soon as they are there, and not made again; and stored ones."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from pathlib import Path as File
from typing import TypeVar

import numpy as np

Row = TypeVar("Row")


def stored(name: str) -> dict:
    """What ``python -m anneal_edu.experiments`` once wrote to results/: "command", "seconds", "settings" and "rows".

    Examples
    --------
    >>> stored("hais_table1_quick")["command"]
    'python -m anneal_edu.experiments hais-table1 --scale quick --seed 0'
    """
    return json.loads((files(__package__) / "results" / f"{name}.json").read_text(encoding="utf-8"))


@cache
def _toy_models() -> dict[str, np.ndarray]:
    with (files(__package__) / "results" / "toy_models.npz").open("rb") as file:
        return dict(np.load(file, allow_pickle=False))


def stored_arrays(model: str) -> dict[str, np.ndarray]:
    """The random numbers that a toy model was once made of; the stored results are results of that model.

    Examples
    --------
    >>> {name: array.shape for name, array in stored_arrays("far_modes").items()}
    {'weights': (10, 8), 'hidden_bias': (8,)}
    """
    found = {
        key.partition("/")[2]: array.copy() for key, array in _toy_models().items() if key.startswith(f"{model}/")
    }
    if not found:
        known = sorted({key.partition("/")[0] for key in _toy_models()})
        raise ValueError(f"model must be one of {', '.join(known)}, got {model!r}")
    return found


def keep(file: File, contents) -> None:
    """Write JSON under another name, then rename: a kill leaves a whole file or none."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(contents, default=np.ndarray.tolist), encoding="utf-8")
    os.replace(part, file)


def file_name(experiment: str, *arguments) -> str:
    """Name of the file that keeps the row of these arguments.

    Examples
    --------
    >>> file_name("hais-convergence", "two modes", (1, 2), 0)
    'hais-convergence-two_modes-(1_2)-0.json'
    """
    parts = (str(part).replace(", ", "_").replace(" ", "_") for part in (experiment, *arguments))
    return "-".join(parts) + ".json"


def run_rows(
    make: Callable[..., Row],
    wanted: list[tuple],
    read: Callable[[dict], Row],
    file_of: Callable[..., str],
    executor: Executor | None = None,
    folder: File | None = None,
    report: Callable[[Row], None] | None = None,
) -> list[Row]:
    """make(*arguments) for every one of the wanted arguments.

    Parameters
    ----------
    make : callable
        A function of a module, or a partial of one, that returns a dataclass which depends on its arguments only.
    wanted : list of tuple
        Arguments that can be pickled.
    read : callable
        From the dictionary of a kept row back to the row.
    file_of : callable
        Name of the file that keeps the row of these arguments, as from `file_name`.
    executor : concurrent.futures.Executor, optional
        Where the rows are made; by default here, one by one.
    folder : path, optional
        Finished rows are kept there, and not made again.
    report : callable, optional
        Called with every row in turn.

    Returns
    -------
    list of rows

    Examples
    --------
    >>> from dataclasses import make_dataclass
    >>> Square = make_dataclass("Square", ["side", "area"])
    >>> run_rows(lambda a: Square(a, a * a), [(1,), (2,)], lambda row: Square(**row), "{}.json".format)
    [Square(side=1, area=1), Square(side=2, area=4)]
    """
    kept_in = [None if folder is None else File(folder) / file_of(*arguments) for arguments in wanted]
    new = [i for i, file in enumerate(kept_in) if file is None or not file.exists()]
    pending = {} if executor is None else {i: executor.submit(_made, make, wanted[i], kept_in[i]) for i in new}
    rows = []
    for i, (arguments, file) in enumerate(zip(wanted, kept_in, strict=True)):
        if i in pending:
            row = pending[i].result()
        else:
            row = _made(make, arguments, file) if i in new else read(json.loads(file.read_text(encoding="utf-8")))
        rows.append(row)
        if report is not None:
            report(row)
    return rows


def _made(make: Callable[..., Row], arguments: tuple, file: File | None) -> Row:
    """Make a row where the work is done, and keep it there and then."""
    row = make(*arguments)
    if file is not None:
        keep(file, asdict(row))
    return row
