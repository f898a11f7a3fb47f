"""Work that is done once: on any executor, kept in a folder as soon as it is there, and found again.

A kept file is an NPZ archive of the arrays in a value, and of a JSON text that puts them and all the rest together.
Its name says what the value depends on, and stands inside once more: a file that is damaged, or was kept under another
name, is refused by name.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path as File
from uuid import uuid4
from zipfile import BadZipFile

import numpy as np

from anneal_edu.distributions import BinaryRBM, GaussianRBM
from anneal_edu.estimate import Diagnostic
from anneal_edu.workers import one_blas_thread


def _apart(value, arrays: list[np.ndarray]):
    """The value as JSON has it; arrays go to the list, and leave their number."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if is_dataclass(value):
        return {type(value).__name__: {f.name: _apart(getattr(value, f.name), arrays) for f in fields(value) if f.init}}
    if isinstance(value, Diagnostic):
        return {"Diagnostic": {"kind": value.kind, "sentence": str(value)}}
    if isinstance(value, dict):
        return {"dict": {key: _apart(item, arrays) for key, item in value.items()}}
    if isinstance(value, tuple):
        return {"tuple": [_apart(item, arrays) for item in value]}
    return [_apart(item, arrays) for item in value] if isinstance(value, list) else value


def _together(value, arrays: dict[str, np.ndarray], kinds: dict[str, type]):
    """What `_apart` took apart; of dataclasses those in ``kinds`` alone."""
    if isinstance(value, list):
        return [_together(item, arrays, kinds) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, inside),) = value.items()
    if kind == "array":
        return arrays[f"array_{inside}"]
    if kind == "tuple":
        return tuple(_together(item, arrays, kinds) for item in inside)
    parts = {key: _together(item, arrays, kinds) for key, item in inside.items()}
    return parts if kind == "dict" else (kinds | {"Diagnostic": Diagnostic})[kind](**parts)


def file_name(work: str, *arguments) -> str:
    """Name of the file that keeps what a work makes of these arguments: numbers, words, arrays and dataclasses of them.

    Words and numbers can be read in it; a digest stands for all.

    Examples
    --------
    >>> file_name("hais-convergence", "two modes", (1, 2), 0)
    'hais-convergence-two_modes-0-0b5e4ee650f3bec0.npz'
    """
    arrays: list[np.ndarray] = []
    digest = hashlib.sha256(json.dumps(_apart(arguments, arrays)).encode())
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    words = "-".join([work, *(str(argument) for argument in arguments if isinstance(argument, str | int))])
    return f"{re.sub(r'[^a-zA-Z0-9_.-]+', '_', words[:100])}-{digest.hexdigest()[:16]}.npz"


def keep(file: File, value) -> None:
    """Write a value: a kill leaves a whole file or none, and runs at once do not collide."""
    arrays: list[np.ndarray] = []
    text = json.dumps({"kept_as": file.name, "value": _apart(value, arrays)})
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{uuid4().hex}.part")
    try:
        with part.open("xb") as raw:
            np.savez_compressed(raw, text=text, **{f"array_{i}": array for i, array in enumerate(arrays)})
        part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def kept(file: File, *kinds: type):
    """What `keep` wrote to that file: one of these dataclasses, which may hold others of them, or with none any value.

    Raises
    ------
    DamagedError
        Where the file is damaged, holds something else, or was kept under another name.
    """
    with reading(file), file.open("rb") as raw, np.load(raw, allow_pickle=False) as archive:
        arrays = dict(archive)
        found = json.loads(str(arrays.pop("text")))
        if (name := found["kept_as"]) == file.name:
            value = _together(found["value"], arrays, {kind.__name__: kind for kind in kinds})
            if kinds and not isinstance(value, kinds):
                raise ValueError(f"it holds a {type(value).__name__}")
            return value
    raise DamagedError(f"{file} was kept as {name}, and holds other work; {_DELETE}")


_DELETE = "delete it, and what it should hold is made again"


class DamagedError(ValueError):
    """A kept file that does not hold what it should."""


@contextmanager
def reading(file: File) -> Iterator[None]:
    """What goes wrong inside is the fault of that file, and the error says so."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, EOFError, MemoryError, BadZipFile, zlib.error) as error:
        raise DamagedError(f"{file} is damaged ({error!r}); {_DELETE}") from error


def _silent(_row) -> None:
    pass


@dataclass(frozen=True, eq=False)
class Run:
    """How an experiment is run. Its numbers depend on the seed, the images and the model, and on nothing else of this.

    Attributes
    ----------
    seed : int
    executor : concurrent.futures.Executor, optional
        Where the work is done: a process pool, Dask's ``client.get_executor()``, …; by default here, one by one.
    folder : path, optional
        Finished work is kept in it, and found again by a later run of the same settings.
    progress : bool
        Show a progress bar for whatever takes long.
    report : callable
        Called with every row as soon as it is there.
    images : (N, D) array, optional
        Binary images of yours, in place of the digits.
    model : BinaryRBM or GaussianRBM, optional
        A model of yours, in place of the stored or trained ones.
    name : str
        Of that model, in the rows.
    """

    seed: int = 0
    executor: Executor | None = None
    folder: File | None = None
    progress: bool = False
    report: Callable[[object], None] = _silent
    images: np.ndarray | None = None
    model: BinaryRBM | GaussianRBM | None = None
    name: str = "your model"

    def each(self, work: str, make: Callable, wanted: list[tuple], *kinds: type) -> Iterator:
        """Yield ``make(*arguments)`` for every one of the wanted arguments, in order; matrix products in one thread.

        Parameters
        ----------
        work : str
            The first word of the names of kept files.
        make : callable
            A function of a module, or a partial of one, whose value depends on its arguments only.
        wanted : list of tuple
            Arguments that can be pickled, see `file_name`.
        *kinds : type
            The dataclass that ``make`` returns, and those inside of it.

        Examples
        --------
        >>> from dataclasses import make_dataclass
        >>> Square = make_dataclass("Square", ["side", "area"])
        >>> list(Run().each("square", lambda a: Square(a, a * a), [(1,), (2,)], Square))
        [Square(side=1, area=1), Square(side=2, area=4)]
        """
        files = [None if self.folder is None else File(self.folder) / file_name(work, *args) for args in wanted]
        new = [i for i, file in enumerate(files) if file is None or not file.exists()]
        with one_blas_thread():
            submit = None if self.executor is None else self.executor.submit
            pending = {i: submit(_made, make, wanted[i], files[i]) for i in new} if submit else {}
            for i, (arguments, file) in enumerate(zip(wanted, files, strict=True)):
                if i in pending:
                    yield pending.pop(i).result()
                else:
                    yield _made(make, arguments, file) if i in new else kept(file, *kinds)

    def rows(self, work: str, make: Callable, wanted: list[tuple], *kinds: type) -> list:
        """All that `each` yields, reported one by one."""
        rows = []
        for row in self.each(work, make, wanted, *kinds):
            rows.append(row)
            self.report(row)
        return rows

    def models(self, names: Iterable[str], load: Callable) -> Iterator[tuple[str, BinaryRBM | GaussianRBM]]:
        """Yield name and model: your own alone if you gave one, else every named one as soon as it is asked for.

        Examples
        --------
        >>> list(Run().models(["one"], lambda name: f"the model {name}"))
        [('one', 'the model one')]
        """
        yield from [(self.name, self.model)] if self.model else ((name, load(name)) for name in names)

    def once(self, work: str, make: Callable, arguments: tuple, *kinds: type):
        """``make(*arguments)``, here, or as it was kept."""
        (found,) = replace(self, executor=None).each(work, make, [arguments], *kinds)
        return found


HERE = Run()
"""One by one, in this process, with nothing kept and nothing said."""


def _made(make: Callable, arguments: tuple, file: File | None):
    """Make a value where the work is done, and keep it there and then."""
    with one_blas_thread():
        value = make(*arguments)
    if file is not None:
        keep(file, value)
    return value
