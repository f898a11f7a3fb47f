"""Where experiments run: processes that end with the one that started them."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread


def worker_pool(n_workers: int) -> ProcessPoolExecutor:
    """Fresh processes that end at once when the one that started them is gone, even if it was killed."""
    return ProcessPoolExecutor(n_workers, mp_context=get_context("spawn"), initializer=_end_with_the_parent)


def _end_with_the_parent() -> None:
    def watch():
        wait([parent_process().sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()
