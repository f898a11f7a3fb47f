"""Where experiments run: processes that end with the one that started them, and matrix products in one thread."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Lock, Thread

from threadpoolctl import threadpool_limits

_lock, _inside, _limits = Lock(), 0, None


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
            _limits = threadpool_limits(1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limits.restore_original_limits()


def worker_pool(n_workers: int) -> ProcessPoolExecutor:
    """Fresh processes that end at once when the one that started them is gone, even if it was killed."""
    return ProcessPoolExecutor(n_workers, mp_context=get_context("spawn"), initializer=_end_with_the_parent)


def _end_with_the_parent() -> None:
    def watch():
        wait([parent_process().sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()
