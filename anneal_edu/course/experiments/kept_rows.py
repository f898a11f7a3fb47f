"""Rows of an experiment: made on any executor, kept as soon as they are there, and not made again."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path as File
from typing import IO, TypeVar
from uuid import uuid4

import numpy as np

from anneal_edu.course.experiments.workers import one_blas_thread

Row = TypeVar("Row")


@contextmanager
def whole_file(file: File) -> Iterator[IO[bytes]]:
    """Where to write what will be in ``file``: a kill leaves a whole file or none, and runs at once do not collide."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{uuid4().hex}.part")
    try:
        with part.open("xb") as raw:
            yield raw
        part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def unusable(file: File, why: str) -> ValueError:
    """The error that names a kept file which is not what it should be."""
    return ValueError(f"{file} {why}; delete it, and what it should hold is made again")


@contextmanager
def reading(file: File) -> Iterator[None]:
    """What goes wrong inside is the fault of that file, and the error says so."""
    try:
        yield
    except (ValueError, KeyError, TypeError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error) as error:
        raise unusable(file, f"is damaged ({error!r})") from error


def _require_name(file: File, name: str) -> None:
    if name != file.name:
        raise unusable(file, f"was kept as {name}, and holds other work")


def keep(file: File, contents) -> None:
    """Write JSON, and beside it the name of the file, by which `kept` knows that it is this one."""
    text = json.dumps({"kept_as": file.name, "contents": contents}, default=np.ndarray.tolist)
    with whole_file(file) as part:
        part.write(text.encode())


def kept(file: File):
    """What `keep` wrote to that file; a ValueError if it is damaged, or was kept under another name."""
    with reading(file):
        found = json.loads(file.read_text(encoding="utf-8"))
        name, contents = found["kept_as"], found["contents"]
    _require_name(file, name)
    return contents


def keep_arrays(file: File, **arrays: np.ndarray) -> None:
    """Write an NPZ file, with its name inside as `keep` does it."""
    with whole_file(file) as part:
        np.savez_compressed(part, kept_as=file.name, **arrays)


def kept_arrays(file: File) -> dict[str, np.ndarray]:
    """What `keep_arrays` wrote to that file; a ValueError if it is damaged, or was kept under another name."""
    with reading(file), file.open("rb") as raw, np.load(raw, allow_pickle=False) as stored:
        arrays = dict(stored)
        name = str(arrays.pop("kept_as"))
    _require_name(file, name)
    return arrays


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
    rows = []
    with one_blas_thread():
        pending = {} if executor is None else {i: executor.submit(_made, make, wanted[i], kept_in[i]) for i in new}
        for i, (arguments, file) in enumerate(zip(wanted, kept_in, strict=True)):
            if i in pending:
                row = pending[i].result()
            else:
                row = _made(make, arguments, file) if i in new else _found(read, file)
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


def _found(read: Callable[[dict], Row], file: File) -> Row:
    """The row that a file keeps."""
    contents = kept(file)
    with reading(file):
        return read(contents)
