"""Where experiments run: processes that end with the one that started them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from threading import RLock, Thread

from tqdm import tqdm


@contextmanager
def worker_pool(n_workers: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes that end at once when the one that started them fails, is interrupted, or was killed."""
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn"), initializer=_end_with_the_parent) as pool:
        heard = signal.signal(signal.SIGINT, signal.SIG_IGN)  # workers inherit it: Ctrl-C is for this process alone
        pool.submit(int)  # starts them
        signal.signal(signal.SIGINT, heard)
        try:
            yield pool
        except BaseException:
            for worker in active_children():
                worker.terminate()
            pool._result_queue._writer.close()  # or half of a result, which one was sending, is waited for to its end
            raise


def _end_with_the_parent() -> None:
    def watch():
        wait([parent_process().sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()
    tqdm.set_lock(RLock())  # its own is a semaphore of all processes, which one that ends at once leaves behind
