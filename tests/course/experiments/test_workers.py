"""Workers end with the process that started them, and BLAS has one thread while anybody is at work."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import anneal_edu as ae
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.kept import Run
from anneal_edu.workers import one_blas_thread


def blas_threads():
    return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("this BLAS does not take two threads")
        yield


def test_the_first_to_leave_does_not_lift_the_limit_of_the_others():
    first, second = ExitStack(), ExitStack()
    first.enter_context(one_blas_thread())
    second.enter_context(one_blas_thread())
    first.close()
    assert blas_threads() == {1}
    with one_blas_thread():
        assert blas_threads() == {1}
    second.close()
    assert blas_threads() == {2}, "the last one to leave lifts it"


def test_an_error_inside_lifts_the_limit():
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        _ = 1 / 0
    assert blas_threads() == {2}


def seen_by_the_kernel(path, executor=None):
    seen = []

    def kernel(distribution, x, rng):
        seen.append(blas_threads())
        return x

    BlockedAIS(path, [0, 0.5, 1], 8, 0, block_size=1, kernel=kernel).run(Run(executor=executor))
    return seen


def test_blocks_in_threads_see_one_blas_thread_and_leave_two():
    """The main thread has asked for two before, and threadpoolctl obeys no other from then on."""
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]]))
    with ThreadPoolExecutor(3) as pool:
        seen = seen_by_the_kernel(path, pool)
    assert len(seen) >= 8 and all(found == {1} for found in seen)
    assert all(found == {1} for found in seen_by_the_kernel(path))
    assert blas_threads() == {2}


@dataclass
class Seen:
    n_threads: list


def test_rows_in_threads_see_one_blas_thread_and_leave_two():
    def make(_i):
        return Seen(list(blas_threads()))

    with ThreadPoolExecutor(3) as pool:
        rows = Run(executor=pool).rows("seen", make, [(i,) for i in range(20)], Seen)
    assert rows == 20 * [Seen([1])]
    assert blas_threads() == {2}
