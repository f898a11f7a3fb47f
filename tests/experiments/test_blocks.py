"""A run in blocks gives the same numbers however it is cut short, resumed or spread over workers."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.experiments.blocks import BlockedAIS


def small_run(seed=3, K=20, n_chains=70):
    rng = np.random.default_rng(0)
    target = ae.BinaryRBM(rng.normal(size=(20, 8)), rng.normal(size=20), rng.normal(size=8))
    path = ae.moment_spline_path(ae.uniform_rbm(20, 8), target, 2)
    return BlockedAIS(path, ae.linear_schedule(K), n_chains=n_chains, seed=seed, block_size=20)


REFERENCE = small_run().run()


def test_blocks_join_to_the_asked_number_of_chains():
    assert REFERENCE.log_weights.shape == (70,)
    assert REFERENCE.samples.shape == (70, 20)
    assert len(np.unique(REFERENCE.log_weights)) == 70, "blocks must not repeat each other's random numbers"
    assert abs(REFERENCE.log_z - small_run().path(1).log_z()) < 5 * REFERENCE.std_error


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_numbers_do_not_depend_on_the_number_of_threads(n_workers):
    with ThreadPoolExecutor(n_workers) as executor:
        np.testing.assert_array_equal(small_run().run(executor).log_weights, REFERENCE.log_weights)


def test_numbers_are_the_same_from_a_process_pool():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        np.testing.assert_array_equal(small_run().run(executor).log_weights, REFERENCE.log_weights)


def test_numbers_are_the_same_from_a_dask_cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        np.testing.assert_array_equal(small_run().run(client.get_executor()).log_weights, REFERENCE.log_weights)


def test_finished_blocks_are_found_again_and_not_run_twice(tmp_path):
    run = small_run()
    run.run(folder=tmp_path)
    files = sorted(tmp_path.glob("*.npz"))
    assert len(files) == 4
    files[1].unlink()
    before = {file: file.stat().st_mtime_ns for file in files if file.exists()}
    resumed = run.run(folder=tmp_path)
    np.testing.assert_array_equal(resumed.log_weights, REFERENCE.log_weights)
    np.testing.assert_array_equal(resumed.samples, REFERENCE.samples)
    assert resumed.interval() == REFERENCE.interval()
    assert {file: file.stat().st_mtime_ns for file in before} == before


def test_another_run_does_not_find_them(tmp_path):
    small_run().run(folder=tmp_path)
    prints = {run.fingerprint() for run in (small_run(), small_run(seed=4), small_run(K=21), small_run(n_chains=71))}
    assert len(prints) == 4
    p0, p1 = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]])
    paths = ae.geometric_path(p0, p1), ae.moment_path(p0, p1), ae.moment_spline_path(p0, p1, 3)
    assert len({BlockedAIS(path, ae.linear_schedule(100), 10, 0).fingerprint() for path in paths}) == 3
    kernels = ae.gibbs, ae.random_walk(0.5), ae.random_walk(0.6)
    assert len({BlockedAIS(paths[0], [0, 1], 10, 0, kernel=kernel).fingerprint() for kernel in kernels}) == 3
    assert small_run().fingerprint() == small_run().fingerprint()
    other = small_run(seed=4)
    np.testing.assert_array_equal(other.run(folder=tmp_path).log_weights, other.run().log_weights)


def test_a_killed_run_resumes_with_the_identical_result(tmp_path):
    script = (
        "from pathlib import Path; import runpy, sys; "
        f"small_run = runpy.run_path({__file__!r})['small_run']; "
        f"small_run(K=2000, n_chains=200).run(folder=Path({str(tmp_path)!r}))"
    )
    process = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("*.npz")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    finished = len(list(tmp_path.glob("*.npz")))
    assert 1 <= finished < 10, "the run should have been killed half way"
    run = small_run(K=2000, n_chains=200)
    np.testing.assert_array_equal(run.run(folder=tmp_path).log_weights, run.run().log_weights)
