"""A run in blocks gives the same numbers however it is cut short, resumed or spread over workers."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.kept import Run

ENDS = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[0.5]])


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
        np.testing.assert_array_equal(small_run().run(Run(executor=executor)).log_weights, REFERENCE.log_weights)


def test_numbers_are_the_same_from_a_process_pool():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        np.testing.assert_array_equal(small_run().run(Run(executor=executor)).log_weights, REFERENCE.log_weights)


def test_numbers_are_the_same_from_a_dask_cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = small_run().run(Run(executor=client.get_executor()))
    np.testing.assert_array_equal(found.log_weights, REFERENCE.log_weights)


def test_finished_blocks_are_found_again_and_not_run_twice(tmp_path):
    run = small_run()
    run.run(Run(folder=tmp_path))
    files = sorted(tmp_path.glob("*.npz"))
    assert len(files) == 4
    files[1].unlink()
    before = {file: file.stat().st_mtime_ns for file in files if file.exists()}
    resumed = run.run(Run(folder=tmp_path))
    np.testing.assert_array_equal(resumed.log_weights, REFERENCE.log_weights)
    np.testing.assert_array_equal(resumed.samples, REFERENCE.samples)
    assert resumed.interval() == REFERENCE.interval()
    assert {file: file.stat().st_mtime_ns for file in before} == before


def test_another_run_does_not_find_them(tmp_path):
    small_run().run(Run(folder=tmp_path))
    prints = {run.fingerprint() for run in (small_run(), small_run(seed=4), small_run(K=21), small_run(n_chains=71))}
    assert len(prints) == 4
    p0, p1 = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]])
    paths = ae.geometric_path(p0, p1), ae.moment_path(p0, p1), ae.moment_spline_path(p0, p1, 3)
    assert len({BlockedAIS(path, ae.linear_schedule(100), 10, 0).fingerprint() for path in paths}) == 3
    kernels = ae.gibbs, ae.random_walk(0.5), ae.random_walk(0.6)
    assert len({BlockedAIS(paths[0], [0, 1], 10, 0, kernel=kernel).fingerprint() for kernel in kernels}) == 3
    assert small_run().fingerprint() == small_run().fingerprint()
    other = small_run(seed=4)
    np.testing.assert_array_equal(other.run(Run(folder=tmp_path)).log_weights, other.run().log_weights)


def test_a_block_is_ais_with_its_own_numbers_and_every_setting():
    run = replace(small_run(), kernel=ae.random_walk(0.5), path=ae.geometric_path(*ENDS), n_chains=50)
    found = run.run()
    for i, size in enumerate((20, 20, 10)):
        rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(3, spawn_key=(i,))))
        block = ae.ais(run.path, run.schedule, size, ae.random_walk(0.5), rng=rng)
        np.testing.assert_array_equal(found.log_weights[20 * i : 20 * i + size], block.log_weights)
        np.testing.assert_array_equal(found.samples[20 * i : 20 * i + size], block.samples)


def test_no_block_is_shared_with_a_run_of_another_seed():
    """Seeds 0 to 3, forward and reverse, blocks of the same settings: every log weight is there once."""
    path = ae.geometric_path(*ENDS)
    runs = [BlockedAIS(path, [0, 0.5, 1], 60, seed, block_size=20) for seed in range(4)]
    weights = np.concatenate([run.run().log_weights for run in runs])
    samples = ENDS[1].sample(60, np.random.default_rng(0))
    reverse = [BlockedAIS(path, [0, 0.5, 1], 60, seed, 20, samples=samples) for seed in range(4)]
    assert len(np.unique(weights)) == 4 * 60
    drawn = np.concatenate([run.run().samples for run in (*runs, *reverse)])
    assert len(np.unique(drawn)) == 8 * 60


def test_every_setting_of_a_run_moves_its_result():
    run = BlockedAIS(ae.geometric_path(*ENDS), np.array([0, 0.5, 1]), 40, 0, block_size=20)
    others = {
        "path": ae.moment_path(*ENDS),
        "schedule": np.array([0, 0.4, 1]),
        "n_chains": 39,
        "seed": 1,
        "block_size": 10,
        "kernel": ae.random_walk(0.5),
        "samples": np.linspace(-2, 3, 40)[:, None],
    }
    assert others.keys() == {field.name for field in fields(BlockedAIS)}
    first = run.run().log_weights
    for name, value in others.items():
        changed = replace(run, **{name: value})
        assert not np.array_equal(changed.run().log_weights, first), name
        assert changed.fingerprint() != run.fingerprint(), name


def test_every_reverse_block_starts_from_its_own_rows():
    """In one step log w = log f₁(x) - log f₀(x) of the sample moved once, and this kernel moves nothing."""
    path, samples = ae.geometric_path(*ENDS), np.linspace(-2, 3, 50)[:, None]
    for block_size in (7, 50):
        run = BlockedAIS(path, [0, 1], 50, 0, block_size, kernel=still, samples=samples)
        expected = path(1.0).log_density(samples) - path(0.0).log_density(samples)
        np.testing.assert_allclose(run.run().log_weights, expected, atol=1e-12)


def still(distribution, x, rng):
    return x


@pytest.fixture
def killed(tmp_path):
    """A run with two workers of its own, killed when its first block was there: the folder, and the workers' ids."""
    script = (
        "import sys, runpy; from pathlib import Path; from anneal_edu.course.experiments.kept import Run; "
        "from anneal_edu.course.experiments.workers import worker_pool; "
        f"small_run = runpy.run_path({__file__!r})['small_run']\n"
        "if __name__ == '__main__':\n"
        "    with worker_pool(2) as pool:\n"
        "        pool.submit(int).result(); print(*pool._processes, flush=True)\n"
        f"        small_run(K=300, n_chains=400).run(Run(executor=pool, folder=Path({str(tmp_path)!r})))"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    workers = [int(word) for word in process.stdout.readline().split()]
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("*.npz")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    return tmp_path, workers


def is_alive(process_id):
    """Not only a zombie that nobody has asked for."""
    try:
        return "Z" not in Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False


def test_a_killed_run_resumes_with_the_identical_result_and_its_workers_end(killed):
    folder, workers = killed
    finished = len(list(folder.glob("*.npz")))
    assert 1 <= finished < 20, "the run should have been killed half way"
    if Path("/proc/self/stat").exists():
        deadline = time.monotonic() + 30
        while any(map(is_alive, workers)) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(workers) >= 1 and not any(map(is_alive, workers))
    run = small_run(K=300, n_chains=400)
    np.testing.assert_array_equal(run.run(Run(folder=folder)).log_weights, run.run().log_weights)
