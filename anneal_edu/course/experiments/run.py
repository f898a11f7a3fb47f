"""How the papers' experiments run: joblib spreads the work over processes, and keeps what is finished in a folder."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

import joblib
import numpy as np
from tqdm.auto import tqdm

from anneal_edu.distributions import BinaryRBM, GaussianRBM
from anneal_edu.workers import one_blas_thread


class Experiment(NamedTuple):
    """An entry of `EXPERIMENTS`."""

    rows: Callable[[dict, Run], Iterable[dict]]
    columns: str  # what is printed of each row, see `table`
    scales: dict[str, dict]  # name of a scale → settings
    refuses: dict[str, str]  # option that the experiment does not have → why
    model: type  # of a given model
    exact: bool  # whether it must be small enough for the exact log Z


EXPERIMENTS: dict[str, Experiment] = {}
"""Every experiment by its name on the command line."""


def experiment(
    name: str,
    columns: str,
    *,
    refuses: dict[str, str] | None = None,
    model: type = BinaryRBM,
    exact: bool = False,
    **scales: dict,
) -> Callable:
    """Register a function (settings, run) -> rows under a name; the arguments are those of `Experiment`."""

    def register(rows: Callable) -> Callable:
        EXPERIMENTS[name] = Experiment(rows, columns, scales, refuses or {}, model, exact)
        return rows

    return register


def table(rows: Iterable[dict], columns: str) -> Iterator[str]:
    """Yield the lines of a table: the names of the columns, then each row as soon as it is there.

    ``columns`` are names with formats. A missing value is printed as "-", a list as its range.
    """
    specs = dict(column.split(":") for column in columns.split())
    widths = [max(len(name), int((re.match(r"\d+", spec) or [8])[0])) for name, spec in specs.items()]

    def line(cells: Iterable[str]) -> str:
        aligned = zip(cells, widths, specs.values(), strict=True)
        return " ".join(cell.ljust(n) if spec.endswith("s") else cell.rjust(n) for cell, n, spec in aligned).rstrip()

    yield line(specs)
    for row in rows:
        yield line(_cell(row.get(name), spec.lstrip("0123456789")) for name, spec in specs.items())


def _cell(value: Any, spec: str) -> str:
    if isinstance(value, list | tuple):
        known = [item for item in value if item is not None]
        return f"{min(known):{spec}} to {max(known):{spec}}" if known else "-"
    return "-" if value is None else format(value, spec)


@dataclass(frozen=True, eq=False)
class Run:
    """How an experiment is run. Its numbers depend only on the seed, the images and the model.

    Work is spread as ``joblib.parallel_config`` says: one by one in this process where nothing is configured.
    """

    seed: int = 0
    folder: Path | str | None = None  # finished work is kept in it, and found again by a run with the same settings
    progress: bool = False
    images: np.ndarray | None = None  # (N, D), binary, in place of the digits
    model: BinaryRBM | GaussianRBM | None = None  # in place of the stored or trained ones
    name: str = "your model"  # in the rows

    def each(self, make: Callable, wanted: list[tuple]) -> Iterator:
        """Yield ``make(*arguments)`` for each of the wanted arguments, in order; matrix products in one thread.

        ``make`` is a function of a module, and its value depends on its arguments only.
        """
        jobs = (joblib.delayed(_kept)(*self._job(make, arguments)) for arguments in wanted)
        with one_blas_thread():
            # One job at a time, with copies of its arrays, not read-only memory maps.
            found = joblib.Parallel(return_as="generator", batch_size=1, max_nbytes=None)(jobs)
            yield from tqdm(found, make.__name__, len(wanted), disable=not self.progress)

    def once(self, make: Callable, *arguments: Any) -> Any:
        """``make(*arguments)``, computed in this process or found in the folder."""
        return _kept(*self._job(make, arguments))

    def models(self, names: Iterable[str], load: Callable) -> Iterator[tuple[str, BinaryRBM | GaussianRBM]]:
        """Yield name and model: the given model alone, or each named one when it is asked for."""
        yield from [(self.name, self.model)] if self.model else ((name, load(name)) for name in names)

    def _job(self, make: Callable, arguments: tuple) -> tuple:
        key = f"{make.__module__}.{make.__qualname__} {joblib.hash(_plain(arguments))}"
        return joblib.Memory(self.folder, verbose=0), key, make, arguments


HERE = Run()
"""One by one, in this process, and nothing is kept."""


def _plain(value: Any) -> Any:
    """The settings in a value, without what its objects have cached: equal settings have equal hashes."""
    if is_dataclass(value):
        return type(value).__name__, {f.name: _plain(getattr(value, f.name)) for f in fields(value) if f.init}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value


def _kept(memory: joblib.Memory, key: str, make: Callable, arguments: tuple) -> Any:
    with one_blas_thread():
        return memory.cache(_made, ignore=["make", "arguments"])(key, make, arguments)


def _made(key: str, make: Callable, arguments: tuple) -> Any:
    return make(*arguments)


def begin_worker() -> None:
    """Called by joblib in a new process: leave Ctrl-C to the main process, and no lock of tqdm's behind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tqdm.set_lock(RLock())
