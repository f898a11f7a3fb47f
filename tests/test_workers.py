"""Chains in blocks: the same numbers for any number of workers, nothing left running, and which thread calls what."""

import _thread
import os
import signal
import threading
import time
import tracemalloc

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import anneal_edu as ae
from anneal_edu import workers
from tests.calls import CALLS


def rng(seed=0):
    return np.random.default_rng(seed)


def random_rbm(seed):
    made = rng(seed)
    return ae.BinaryRBM(made.normal(size=(12, 5)), made.normal(size=12), made.normal(size=5))


C, BETAS, RBM, KNOT = 50, ae.linear_schedule(6), random_rbm(1), random_rbm(2)
PATH = ae.geometric_path(ae.uniform_rbm(12, 5), RBM)
CAUSES = ae.LinearGenerative([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, -1.0], [1.0, -1.0, 0.0]], noise=0.5)
RUNS = [call for call in CALLS if "workers" in call.parameters]


def make_small_blocks(monkeypatch, smallest=6):
    monkeypatch.setattr(workers, "_BLOCK", 1)
    monkeypatch.setattr(workers, "_SMALLEST", smallest)


@pytest.fixture
def small_blocks(monkeypatch):
    """Of seven states, so that fifty chains are eight blocks."""
    make_small_blocks(monkeypatch)


def arrays(run, **how):
    return [number for number in run(**how) if number.dtype.kind != "U"]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.function.__name__)
def test_the_numbers_do_not_depend_on_the_workers(run, monkeypatch):
    """Blocks of one chain: other numbers than from a single block, but the same for any workers and threads of BLAS."""
    whole = arrays(run)
    make_small_blocks(monkeypatch, 0)
    with threadpool_limits(2, user_api="blas"):
        by_default = arrays(run)
    assert [(number.shape, number.dtype) for number in whole] == [(found.shape, found.dtype) for found in by_default]
    assert any(not np.array_equal(one, other) for one, other in zip(whole, by_default, strict=True))
    for n_workers in (1, 3, 8):
        with threadpool_limits(1, user_api="blas"):
            found = arrays(run, workers=n_workers)
        for one, other in zip(by_default, found, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.function.__name__)
def test_every_block_run_gets_the_workers_asked_for(run, monkeypatch):
    asked = []

    def as_workers(n, *things):
        asked.append(n)
        return 1

    monkeypatch.setattr(workers, "as_workers", as_workers)
    run(workers=3)
    assert set(asked) == {3}


def test_blocks_find_what_is_exact(monkeypatch):
    """Each estimate within 4.5 of its standard errors: a block left out, or done twice, would show."""
    make_small_blocks(monkeypatch, 20)
    path, betas = ae.geometric_path(ae.uniform_rbm(12, 5), RBM), ae.linear_schedule(20)
    results = [
        ae.ais(path, betas, 400, rng=rng(1)),
        ae.reverse_ais(path, betas, RBM.sample(400, rng(2)), rng=rng(3)),
        ae.parallel_tempering(path, betas, 100, 24, n_burn_in=20, rng=rng(4)),
        ae.rts(path, betas, 10, 20, 100, rng=rng(5)).estimate,
    ]
    for result in results:
        assert abs(result.log_z - RBM.log_z()) < 4.5 * result.std_error
    mean_v = ae.estimate_moments(RBM, 400, 60, 20, rng=rng(6))[0]
    assert np.abs(mean_v - RBM.moments()[0]).max() < 4.5 * 0.5 / np.sqrt(400)


@pytest.mark.usefixtures("small_blocks")
def test_no_two_blocks_share_their_random_numbers():
    run = ae.ais(PATH, BETAS, 700, rng=rng())
    assert len(np.unique(run.log_weights)) == 700


@pytest.mark.usefixtures("small_blocks")
def test_a_chain_with_a_posterior_of_its_own_keeps_it():
    """hais is not told which point a chain belongs to: it walks all at once, and each is right for its own."""
    x = np.repeat([[-4.0] * 4, [4.0] * 4], 20, axis=0)
    path = ae.geometric_path(CAUSES.latent_prior, ae.distributions.LatentPosterior(CAUSES, x))
    run = ae.hais(path, ae.linear_schedule(400), 40, rng=rng(), workers=3)
    explained = CAUSES.reconstruct(run.samples).mean(1)
    assert np.sign(explained).tolist() == 20 * [-1] + 20 * [1]


class Watched:
    """A user's Gibbs step that records the threads that call it, and may fail."""

    def __init__(self, fails_at=None, slow=0.0):
        self.threads, self.n_calls, self.fails_at, self.slow = set(), 0, fails_at, slow

    def __call__(self, distribution, x, rng):
        self.threads.add(threading.get_ident())
        self.n_calls += 1
        if self.n_calls == self.fails_at:
            raise ZeroDivisionError("mine")
        time.sleep(self.slow)
        return distribution.gibbs(x, rng)


@pytest.fixture
def no_thread_is_left():
    """At the end, of those that the test has started; in half a second on a quiet machine."""
    before, yielded = set(threading.enumerate()), time.perf_counter()
    yield
    while not set(threading.enumerate()) <= before and time.perf_counter() - yielded < 8:
        time.sleep(0.01)
    assert set(threading.enumerate()) <= before


@pytest.mark.usefixtures("small_blocks")
def test_a_users_function_is_called_from_one_thread_unless_workers_are_given():
    alone, together = Watched(), Watched(slow=1e-3)
    ae.ais(PATH, BETAS, C, alone, rng=rng())
    assert alone.threads == {threading.get_ident()}
    ae.ais(PATH, BETAS, C, together, rng=rng(), workers=3)
    assert len(together.threads) == 3 and threading.get_ident() not in together.threads


@pytest.mark.usefixtures("small_blocks", "no_thread_is_left")
@pytest.mark.parametrize("n_workers", [1, 4])
def test_an_error_in_one_block_ends_all(n_workers):
    kernel = Watched(fails_at=60, slow=1e-3)
    with pytest.raises(ZeroDivisionError, match="mine"):
        ae.ais(PATH, ae.linear_schedule(1000), C, kernel, rng=rng(), workers=n_workers)
    assert kernel.n_calls < 300, "of 8,000"
    calls = kernel.n_calls
    time.sleep(0.05)
    assert kernel.n_calls == calls, "something keeps running"


@pytest.mark.usefixtures("small_blocks", "no_thread_is_left")
@pytest.mark.parametrize("n_workers", [1, 4])
def test_an_interrupt_stops_the_run(n_workers):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs tests side by side ignores it
    begin = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(0.3, _thread.interrupt_main).start()
            ae.ais(PATH, ae.linear_schedule(20_000), C, rng=rng(), workers=n_workers)
            time.sleep(5)  # where the interrupt came too late
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.perf_counter() - begin < 4.0  # half a second on a quiet machine, and ten without the interrupt


@pytest.mark.usefixtures("small_blocks")
def test_numpy_s_errstate_holds_in_the_blocks():
    class Loud:
        def __call__(self, distribution, x, rng):
            np.float64(1.0) / np.float64(0.0)
            return x

    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        ae.ais(PATH, BETAS, C, Loud(), rng=rng(), workers=3)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("n_workers", [1, 3])
def test_matrix_products_run_in_one_thread(n_workers):
    seen = set()

    def kernel(distribution, x, rng):
        seen.update(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")
        return x

    with threadpool_limits(2, user_api="blas"):
        ae.ais(PATH, BETAS, C, kernel, rng=rng(), workers=n_workers)
        assert {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"} == {2}
    assert seen == {1}


@pytest.mark.usefixtures("small_blocks")
def test_progress_counts_over_blocks(capsys):
    ae.ais(PATH, BETAS, C, rng=rng(), workers=3, progress=True)
    assert f"{8 * len(BETAS)}/{8 * len(BETAS)}" in capsys.readouterr().err


@pytest.mark.parametrize(("target", "n_rungs", "n_chains"), [
    (ae.uniform_rbm(784, 500), 1, 251),  # so that its weights are not copied for every few chains
    (ae.uniform_rbm(64, 20), 1, 2554),
    (ae.uniform_rbm(784, 20), 100, 3),
    (ae.Gaussian(np.zeros(2), np.eye(2)), 1, 68627),
])
def test_the_size_of_a_block_depends_on_the_target_alone(target, n_rungs, n_chains):
    assert workers.chains_at_once(target, n_rungs) == n_chains


def test_arrays_beyond_the_memory_are_refused_with_their_size(monkeypatch):
    monkeypatch.setattr(workers, "memory", lambda: 10_000)
    with pytest.raises(MemoryError, match=r"samples of shape \(100, 7, 2, 12\) takes 0\.0 GB.*keep_every"):
        ae.parallel_tempering(PATH, BETAS, 100, 2, rng=rng())
    assert ae.parallel_tempering(PATH, BETAS, 100, 2, keep="nothing", rng=rng()).samples.size == 0
    with pytest.raises(MemoryError, match=r"log densities of shape \(7, 200\).*every so-many-th state"):
        ae.log_density_matrix(PATH, BETAS, np.zeros((200, 12)))


def test_a_run_that_keeps_nothing_takes_no_more_memory_when_it_is_longer():
    """Beside what is kept Python's garbage comes and goes, about as much as a short run takes."""

    def peak(n_sweeps):
        tracemalloc.start()
        try:
            ae.parallel_tempering(PATH, BETAS, n_sweeps, 20, keep="nothing", rng=rng())
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(5)
    assert peak(200) < 3 * peak(20)


def test_kept_states_are_those_of_the_whole_run():
    every = ae.parallel_tempering(PATH, BETAS, 7, 4, n_burn_in=2, rng=rng())
    some = ae.parallel_tempering(PATH, BETAS, 7, 4, n_burn_in=2, keep_every=3, rng=rng())
    target = ae.parallel_tempering(PATH, BETAS, 7, 4, n_burn_in=2, keep="target", keep_every=2, rng=rng())
    np.testing.assert_array_equal(some.samples, every.samples[::3])
    np.testing.assert_array_equal(some.replicas, every.replicas[::3])
    np.testing.assert_array_equal(target.samples, every.samples[::2, -1:])
    assert every.log_z == some.log_z == target.log_z and every.round_trips == some.round_trips == target.round_trips
    thin = ae.simulated_tempering(PATH, BETAS, np.zeros(7), 7, 4, keep_every=3, rng=rng())
    whole = ae.simulated_tempering(PATH, BETAS, np.zeros(7), 7, 4, rng=rng())
    for name in ("samples", "rungs", "log_conditionals"):
        np.testing.assert_array_equal(getattr(thin, name), getattr(whole, name)[::3])


@pytest.mark.parametrize("bad", [0, -1, 1.5, "two", True])
def test_workers_are_a_whole_number(bad):
    with pytest.raises((TypeError, ValueError), match="workers must be"):
        ae.ais(PATH, BETAS, C, rng=rng(), workers=bad)


class Mine(ae.Gaussian):
    """A user-defined distribution."""


@pytest.mark.parametrize(("thing", "own"), [
    (PATH, True), (ae.hmc(0.1, 3), True), (ae.random_walk(0.1), True), (ae.exact, True),
    (ae.spline_path([0, 0.5, 1], [ae.uniform_rbm(12, 5), KNOT, RBM]), True),
    (ae.spline_path([0, 0.5, 1], [ae.Gaussian([0.0], [[1.0]]), Mine([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]])]),
     False),
    (ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), Mine([1.0], [[1.0]])), False),
    (lambda beta: RBM, False), (Watched(), False),
    (ae.tempered_transitions(PATH, BETAS), True), (ae.tempered_transitions(PATH, BETAS, Watched()), False),
])  # fmt: skip
def test_is_own(thing, own):
    assert workers.is_own(thing) == own


# Arrays kept from step to step


def test_a_kept_array_is_handed_out_again_where_name_type_size_and_thread_allow_it(monkeypatch):
    monkeypatch.setattr(workers, "_LARGEST_KEPT", 24)
    scratch, others = workers.Scratch(), []
    first = scratch.array("t", (3, 4), np.float32)
    assert np.shares_memory(first, scratch.array("t", (5, 2), np.float32))  # smaller, and another shape
    thread = threading.Thread(target=lambda: others.append(scratch.array("t", (3, 4), np.float32)))
    thread.start()
    thread.join()
    others += [scratch.array("u", (3, 4), np.float32), scratch.array("t", (3, 4), np.uint16)]
    others += [scratch.array("t", (25,), np.float32), scratch.array("t", (4, 6), np.float32)]
    assert not any(np.shares_memory(first, other) for other in others)
    assert [other.shape for other in others] == [(3, 4), (3, 4), (3, 4), (25,), (4, 6)]
    assert np.shares_memory(others[-1], scratch.array("t", (24,), np.float32))


def test_unknown_memory_is_no_limit(monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    assert workers.memory() == 2**63 - 1
