"""Chains in blocks, and blocks on every core: the one room that knows of threads.

A block of chains is walked through a whole schedule while it stays in a processor's cache. Blocks share nothing: each
draws from a child of the caller's generator, and its matrix products run in one thread. So the numbers are the same,
bit for bit, for any number of workers and of BLAS threads.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache, partial
from itertools import pairwise
from multiprocessing import parent_process
from threading import Event, Lock, local
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController
from tqdm.auto import tqdm

from anneal_edu.validation import as_count

T = TypeVar("T")
Watch = Callable[[Iterable[Any]], Iterator[Any]]
Walk = Callable[[slice, np.random.Generator, Watch], T]
"""What is done with a block: (its chains, its generator, watch) -> anything; ``watch`` goes around its loop."""

_BLOCK = 280_000  # numbers that a step of a block touches, about: a millisecond, against 0.1 that Python takes for it
_SMALLEST = 250  # states: a product copies the weights first, which must not cost more than the product
_LARGEST_KEPT = 2_000_000  # numbers of an array that a thread keeps
_POLL = 0.1  # seconds after which an interrupt is heard

_lock, _inside = Lock(), 0
_limits: Any = None
_controller = cache(ThreadpoolController)  # finding the libraries takes a millisecond


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Matrix products in one thread, and so with the same rounding wherever they run.

    The number of BLAS threads belongs to the process: it is one for everybody from the moment that the first thread
    enters until the last one has left, and then what it was before. Newer versions of threadpoolctl obey one thread
    only, as a rule the main one: hold this also where work is handed to a pool of threads, not in these alone.
    """
    global _inside, _limits
    with _lock:
        if _inside == 0:
            _limits = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limits.restore_original_limits()


class Scratch(local):
    """Arrays that a thread keeps from step to step, by name: what is in them is gone at the next step.

    Were they new every time, the system would take their memory back and hand it out again, page by page, at every
    step; with a small model that takes as long as the step itself.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, type], np.ndarray] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: type) -> np.ndarray:
        """An array with anything in it; a large one is new, so that no thread holds on to much.

        Examples
        --------
        >>> Scratch().array("field", (2, 3), np.float32).shape
        (2, 3)
        """
        size, key = math.prod(shape), (name, dtype)
        if size > _LARGEST_KEPT:
            return np.empty(shape, dtype)
        if key not in self._kept or self._kept[key].size < size:
            self._kept[key] = np.empty(size, dtype)
        return self._kept[key][:size].reshape(shape)


def is_own(thing: Any) -> bool:
    """Whether the library made a path, a distribution or a kernel, and all that it is made of.

    A function of a user's may not be ready for several threads at once, and holds Python's lock anyway.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ends = ae.Gaussian([0.0], [[1.0]]), ae.Unnormalized(np.ravel, 1)
    >>> is_own(ends[0]), is_own(ends[1]), is_own(ae.geometric_path(*ends)), is_own(ae.gibbs), is_own(print)
    (True, False, False, True, False)
    """
    left: list[Any] = [thing]
    seen: list[Any] = []
    while left:
        part = left.pop()
        if isinstance(part, list | tuple):
            left.extend(part)
        elif (callable(part) or hasattr(part, "log_density")) and not any(part is other for other in seen):
            if not (getattr(part, "__module__", None) or "").startswith("anneal_edu."):
                return False
            seen.append(part)
            left.extend(cell.cell_contents for cell in getattr(part, "__closure__", None) or ())
            left.extend(getattr(part, "__dict__", {}).values())
    return True


def n_cores() -> int:
    """How many cores this process may use; one in a process that another one has started, which has more of them."""
    if parent_process() is not None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory() -> int:
    """Bytes of memory that this machine has, used or not."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**63 - 1


def require_room(what: str, shape: tuple[int, ...], advice: str, bytes_each: int = 8) -> None:
    """Raise MemoryError, before anything is computed, where an array can never fit into this machine.

    Examples
    --------
    >>> require_room("a small matrix", (10, 10), "take a smaller one")
    """
    needed = bytes_each * int(np.prod(shape, dtype=object))
    if needed > memory():
        raise MemoryError(
            f"{what} of shape {shape} takes {needed / 1e9:,.1f} GB, this machine has {memory() / 1e9:,.1f}: {advice}"
        )


def as_workers(workers: int | None, *things: Any) -> int:
    """How many threads to use: as many as are wanted; by default every core, but one where a user's function is called.

    Examples
    --------
    >>> as_workers(3), as_workers(None, print)
    (3, 1)
    """
    if workers is not None:
        return as_count("workers", workers)
    return n_cores() if is_own(things) else 1


def chains_at_once(target: Any, n_rungs: int = 1, effort: float = 1.0) -> int:
    """How many chains make a block: so many that Python's share of a step is small, and the cache holds them.

    It depends on the size of the target, D units and H hidden ones, and on the sampler: on how many rungs a chain
    stands at once, and what a step takes, in Gibbs steps of them all. It never depends on the machine.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> [chains_at_once(ae.uniform_rbm(784, n_hidden)) for n_hidden in (20, 500)]
    [251, 251]
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


class _StoppedError(Exception):
    """Another block has failed, or the user has interrupted: this one need not go on."""


@np.errstate(under="ignore")  # tiny weights become 0, whatever the caller asks of other underflow
def in_blocks(
    walk: Walk[T],
    n_chains: int,
    target: Any,
    uses: Iterable[Any] = (),
    *,
    n_rungs: int = 1,
    effort: float = 1.0,
    n_steps: int = 0,
    desc: str = "",
    rng: np.random.Generator,
    workers: int | None = None,
    progress: bool = False,
) -> list[T]:
    """What ``walk`` returns for every block of chains, in their order.

    Parameters
    ----------
    walk : callable, (rows, rng, watch) -> anything
        ``rows`` is the slice of chains that make the block; ``watch`` goes around the iterable of its loop: it moves
        the progress bar, and ends the loop when another block has failed or the user interrupts.
    n_chains : int
        Chains in all.
    target : Distribution
        Whose size says how many of them make a block, see `chains_at_once`.
    uses : iterable
        Paths and kernels that ``walk`` calls. If these or the target are not the library's own, one thread calls them.
    n_rungs, effort
        How much a step of a chain is, see `chains_at_once`.
    n_steps : int
        Length of the loop of a block, for the progress bar.
    desc, progress
        What the progress bar says, and whether there is one.
    rng : numpy.random.Generator
    workers : int, optional
        Threads, see `as_workers`.

    Raises
    ------
    Exception
        The first that a block raised; then nothing keeps running.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> target, rng = ae.uniform_rbm(784, 500), np.random.default_rng(0)
    >>> in_blocks(lambda rows, rng, watch: (rows.stop - rows.start, sum(watch(range(4)))), 700, target, rng=rng)
    [(233, 6), (233, 6), (234, 6)]
    """
    n_blocks = 1 if getattr(target, "one_a_chain", False) else -(-n_chains // chains_at_once(target, n_rungs, effort))
    n_threads = min(as_workers(workers, target, *uses), n_blocks)
    edges = [n_chains * i // n_blocks for i in range(n_blocks + 1)]
    blocks = [slice(*edge) for edge in pairwise(edges)]
    stop, lock = Event(), Lock()
    bar = tqdm(total=n_steps * n_blocks, desc=desc, disable=not progress)

    def watch(steps: Iterable[Any]) -> Iterator[Any]:
        for step in steps:
            if stop.is_set():
                raise _StoppedError
            yield step
            if progress:
                with lock:
                    bar.update()

    work = list(zip(blocks, children(rng, n_blocks), strict=True))
    with one_blas_thread(), bar:
        if n_threads == 1:
            return [walk(block, chance, watch) for block, chance in work]
        with ThreadPoolExecutor(n_threads, "anneal_edu") as pool:
            try:
                # every thread in a context of its own, with what np.errstate says here
                futures = [pool.submit(copy_context().run, partial(walk, *given, watch)) for given in work]
                return _results(futures)
            finally:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)


def joined(blocks: Sequence[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """The arrays of all blocks, chains along their first axis, as if it had been one."""
    return tuple(np.concatenate(arrays) if len(arrays) > 1 else arrays[0] for arrays in zip(*blocks, strict=True))


def _results(futures: list[Future[T]]) -> list[T]:
    """What each returned; as soon as one has failed, its error."""
    running = set(futures)
    while running:
        done, running = wait(running, timeout=_POLL, return_when=FIRST_EXCEPTION)
        for future in futures:
            if future in done:
                future.result()
    return [future.result() for future in futures]
