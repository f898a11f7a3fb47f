"""Chains in blocks, and blocks on every core: the one room that knows of threads.

A block of chains is walked through a whole schedule while it stays in a processor's cache. Blocks share nothing: each
draws from a child of the caller's generator, and its matrix products run in one thread. So the numbers are the same,
bit for bit, for any number of workers and of BLAS threads.

Estimators take ``workers``, the number of threads (by default every core, or one where a user's Python function is
called), and ``progress``, True for a progress bar.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import cache, partial
from multiprocessing import parent_process
from threading import Event, local
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController
from tqdm.auto import tqdm

from anneal_edu.validation import as_count

Watch = Callable[[Iterable[Any]], Iterator[Any]]
"""What a block puts around its loop: it moves the progress bar, and ends the loop if the run is over."""

_BLOCK = 280_000  # numbers that a step of a block touches, about: a millisecond, against 0.1 that Python takes for it
_SMALLEST = 250  # states: a product copies the weights first, which must not cost more than the product
_LARGEST_KEPT = 2_000_000  # numbers of an array that a thread keeps

_controller = cache(ThreadpoolController)  # finding the libraries takes a millisecond


def one_blas_thread() -> Any:
    """A context in which matrix products run in one thread, and so with the same rounding everywhere."""
    return _controller().limit(limits=1, user_api="blas")


class Scratch(local):
    """Arrays that a thread keeps from step to step, by name, for their memory: their content is lost at the next step.

    New arrays would go back to the system and be cleared again, page by page, at every step; with a small model that
    takes as long as the step itself.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, type], np.ndarray] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: type) -> np.ndarray:
        """An array with any content; a large one is new."""
        size, key = math.prod(shape), (name, dtype)
        if size > _LARGEST_KEPT:
            return np.empty(shape, dtype)
        if key not in self._kept or self._kept[key].size < size:
            self._kept[key] = np.empty(size, dtype)
        return self._kept[key][:size].reshape(shape)


class Remembered(local):
    """A function of chains x (C, D) -> (..., C) that does not compute again what it was asked last in this thread.

    After an accept-reject step, x consists of rows of two earlier arrays: each row's value is looked up.

    Examples
    --------
    >>> norm = Remembered(lambda x: print("computed") or (x * x).sum(-1))
    >>> x, y = np.eye(2), 3 * np.eye(2)
    >>> norm(x), norm(y), norm(np.stack([x[0], y[1]]))
    computed
    computed
    (array([1., 1.]), array([9., 9.]), array([1., 9.]))
    """

    def __init__(self, function: Callable[[np.ndarray], np.ndarray]) -> None:
        self.function = function
        self.last: tuple[tuple[np.ndarray, np.ndarray], ...] = ()

    def __call__(self, x: np.ndarray) -> np.ndarray:
        for known, values in self.last:
            if known is x:
                return values
        found = self._looked_up(x) if len(self.last) == 2 else None
        values = self.function(x) if found is None else found
        self.last = ((x, values), *self.last[:1])
        return values

    def _looked_up(self, x: np.ndarray) -> np.ndarray | None:
        """The values of rows that all come from the two last arrays."""
        (one, of_one), (other, of_other) = self.last
        if not one.shape == other.shape == x.shape or x[0, 0] not in (one[0, 0], other[0, 0]):
            return None
        from_one = x[:, 0] == one[:, 0]
        if (x != np.where(from_one[:, None], one, other)).any():
            return None
        return np.where(from_one, of_one, of_other)


def is_own(thing: Any, inside: tuple[Any, ...] = ()) -> bool:
    """Whether the library made a path, a distribution or a kernel, and all that it is made of.

    A user's function may not be ready for several threads at once, and holds Python's lock anyway.
    """
    if isinstance(thing, list | tuple):
        return all(is_own(part, inside) for part in thing)
    if not (callable(thing) or hasattr(thing, "log_density")) or any(thing is outer for outer in inside):
        return True
    parts = [cell.cell_contents for cell in getattr(thing, "__closure__", None) or ()]
    parts += getattr(thing, "__dict__", {}).values()
    return (getattr(thing, "__module__", None) or "").startswith("anneal_edu.") and is_own(parts, (*inside, thing))


def n_cores() -> int:
    """How many cores this process may use; one in a process that another one has started, which has more of them."""
    from joblib import cpu_count  # slow to import

    return cpu_count() if parent_process() is None else 1


def memory() -> int:
    """Bytes of memory that this machine has, used or not."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**63 - 1


def require_room(what: str, shape: tuple[int, ...], advice: str, bytes_each: int = 8) -> None:
    """Raise MemoryError, before anything is computed, where an array can never fit into this machine."""
    needed = bytes_each * int(np.prod(shape, dtype=object))
    if needed > memory():
        raise MemoryError(
            f"{what} of shape {shape} takes {needed / 1e9:,.1f} GB, this machine has {memory() / 1e9:,.1f}: {advice}"
        )


def as_workers(workers: int | None, *things: Any) -> int:
    """How many threads to use: ``workers``; by default every core, but one where a user's function is called."""
    if workers is not None:
        return as_count("workers", workers)
    return n_cores() if is_own(things) else 1


def chains_at_once(target: Any, n_rungs: int = 1, effort: float = 1.0) -> int:
    """How many chains make a block: enough that Python's overhead is small, few enough to fit in the cache.

    The number depends on the size of the target, D units and H hidden ones, and on the sampler: on how many rungs a
    chain stands at once, and how long a step takes, in Gibbs steps. It never depends on the machine.
    """
    D, H = target.dim, getattr(target, "n_hidden", target.dim)
    touched = D + H + D * H / 50  # a product of float32 passes over 50 numbers in the time of an exponential
    return max(int(_SMALLEST / (n_rungs * effort)) + 1, int(_BLOCK / (touched * n_rungs * effort)))


def children(rng: np.random.Generator, n: int) -> list[np.random.Generator]:
    """Generators for n blocks, seeded by what ``rng`` draws; for a single one ``rng`` itself."""
    if n == 1:
        return [rng]
    seeds = np.random.SeedSequence(rng.integers(2**32, size=4).tolist()).spawn(n)
    return [np.random.Generator(np.random.SFC64(seed)) for seed in seeds]


@np.errstate(under="ignore")  # tiny weights become 0, whatever the caller asks of other underflow
def in_blocks(
    walk: Callable[[slice, np.random.Generator, Watch], Any], n_chains: int, target: Any, uses: Iterable[Any] = (), *,
    n_rungs: int = 1, effort: float = 1.0, n_steps: int = 0, desc: str = "", rng: np.random.Generator,
    workers: int | None = None, progress: bool = False,
) -> list[Any]:
    """What ``walk``, called as (chains, rng, watch), returns for every block of chains, in their order.

    ``chains`` is the slice of chains that make the block, ``rng`` its generator, and ``watch`` goes around the iterable
    of its loop of ``n_steps``. The target's size decides how many chains make a block (`chains_at_once`). If the target
    or what ``walk`` ``uses``, paths and kernels, is not the library's own, one thread calls it. The first error of a
    block is raised, and ends the others.
    """
    n_blocks = 1 if getattr(target, "one_a_chain", False) else -(-n_chains // chains_at_once(target, n_rungs, effort))
    blocks = [slice(n_chains * i // n_blocks, n_chains * (i + 1) // n_blocks) for i in range(n_blocks)]
    over, bar = Event(), tqdm(total=n_steps * n_blocks, desc=desc, disable=not progress)

    def watch(steps: Iterable[Any]) -> Iterator[Any]:
        for step in steps:
            if over.is_set():  # another block has failed, or the user has interrupted
                return
            yield step
            bar.update()

    work: list[Any] = [(block, child, watch) for block, child in zip(blocks, children(rng, n_blocks), strict=True)]
    n_threads = min(as_workers(workers, target, *uses), n_blocks)
    with one_blas_thread(), bar:
        if n_threads == 1:
            return [walk(*given) for given in work]
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                # every thread has a context of its own, with what np.errstate says here
                futures = [pool.submit(copy_context().run, partial(walk, *given)) for given in work]
                running = set(futures)
                while running:
                    done, running = wait(running, timeout=0.1, return_when=FIRST_EXCEPTION)  # an interrupt is heard
                    for future in done:
                        future.result()
                return [future.result() for future in futures]
            finally:
                over.set()
                pool.shutdown(wait=False, cancel_futures=True)


def joined(blocks: Sequence[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """The arrays of all blocks, chains along their first axis, as if it had been one."""
    return tuple(np.concatenate(arrays) if len(arrays) > 1 else arrays[0] for arrays in zip(*blocks, strict=True))
