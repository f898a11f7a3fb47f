"""Work of an experiment gives the same numbers in any process, is kept in a folder, and is found there again."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import anneal_edu as ae
from anneal_edu.course.experiments import run as module
from anneal_edu.course.experiments import stored, stored_arrays
from anneal_edu.course.experiments.blocks import ais_in_blocks
from anneal_edu.course.experiments.run import Run, table

ENDS = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[0.5]])


def target():
    rng = np.random.default_rng(0)
    return ae.BinaryRBM(rng.normal(size=(20, 8)), rng.normal(size=20), rng.normal(size=8))


def small_run(run=None, K=20, n_chains=70):
    path = ae.moment_spline_path(ae.uniform_rbm(20, 8), target(), 2)
    return ais_in_blocks(path, ae.linear_schedule(K), n_chains, run or Run(3), block_size=20)


def test_a_block_is_ais_with_its_own_random_numbers_and_every_setting():
    """And every reverse block starts from its own rows."""
    path, kernel = ae.geometric_path(*ENDS), ae.random_walk(0.5)
    starts = ENDS[1].sample(50, np.random.default_rng(0))
    found = ais_in_blocks(path, [0, 0.3, 1], 50, Run(3), 20, kernel)
    back = ais_in_blocks(path, [0, 0.3, 1], 50, Run(3), 20, kernel, starts)
    for i, rows in enumerate((slice(0, 20), slice(20, 40), slice(40, 50))):
        seeds = [np.random.SeedSequence(3, spawn_key=key) for key in ((i,), (i, 1))]
        rng, of_reverse = (np.random.Generator(np.random.SFC64(seed)) for seed in seeds)
        block = ae.ais(path, [0, 0.3, 1], rows.stop - rows.start, kernel, rng=rng)
        np.testing.assert_array_equal(found.log_weights[rows], block.log_weights)
        np.testing.assert_array_equal(found.samples[rows], block.samples)
        block = ae.reverse_ais(path, [0, 0.3, 1], starts[rows], kernel, rng=of_reverse)
        np.testing.assert_array_equal(back.log_weights[rows], block.log_weights)
    assert [type(x).__name__ for x in (found, back)] == ["AISResult", "ReverseAISResult"]


def test_blocks_of_all_seeds_and_both_directions_differ():
    path, starts = ae.geometric_path(*ENDS), ENDS[1].sample(60, np.random.default_rng(0))
    runs = [
        ais_in_blocks(path, [0, 0.5, 1], 60, Run(seed), 20, samples=of) for seed in range(4) for of in (None, starts)
    ]
    assert len(np.unique(np.concatenate([run.samples for run in runs]))) == 8 * 60


def test_reverse_blocks_are_unbiased_for_one_over_z():
    rbm = target()
    path = ae.geometric_path(ae.uniform_rbm(20, 8), rbm)
    found = ais_in_blocks(
        path, ae.linear_schedule(40), 990, Run(3), 100, samples=rbm.sample(990, np.random.default_rng(0))
    )
    assert abs(found.log_z - rbm.log_z()) < 5 * found.std_error


@pytest.mark.parametrize("where", [{"n_jobs": 2}, {"n_jobs": 3, "backend": "threading"}], ids=["processes", "threads"])
def test_numbers_are_the_same_in_processes_and_threads(where, tmp_path):
    """And what they kept is found by a run in this process."""
    with joblib.parallel_config(**where):
        found = small_run(Run(3, tmp_path))
    np.testing.assert_array_equal(found.log_weights, small_run().log_weights)
    before = files_in(tmp_path)
    assert len(before) == 4
    again = small_run(Run(3, tmp_path))
    np.testing.assert_array_equal(again.samples, found.samples)
    assert again.interval() == found.interval() and files_in(tmp_path) == before


def files_in(folder):
    return {file: file.stat().st_mtime_ns for file in Path(folder).rglob("output.pkl")}


def test_numbers_are_the_same_from_a_dask_cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        found = small_run()
    np.testing.assert_array_equal(found.log_weights, small_run().log_weights)


CALLS = []


def work(*arguments):
    CALLS.append(arguments)
    return len(CALLS)


def others(value):
    """Values that differ from this one in one place."""
    if isinstance(value, np.ndarray):
        return [value + 1, value.astype(np.float16), value[:, None]]
    if isinstance(value, str | int | float):
        return [value + "x" if isinstance(value, str) else value + 1]
    if isinstance(value, tuple):
        changed = [(*value[:i], other, *value[i + 1 :]) for i in range(len(value)) for other in others(value[i])]
        return [(*value, 7), *changed]
    if isinstance(value, dict):
        return [value | {key: other} for key in value for other in others(value[key])]
    if isinstance(value, ae.BinaryRBM):
        return [ae.BinaryRBM(-value.weights, value.visible_bias, value.hidden_bias)]
    return [replace(value, end=other) for other in others(value.end)]


def test_what_is_kept_is_found_by_its_arguments_alone(tmp_path):
    """Whatever their objects have cached in between: a path multiplies its end's weights once."""
    settings = "digits8_cd", (1, 2.5), {"n_steps": 3, "fit": {"n_updates": 2}}, np.zeros(3)
    path = ae.geometric_path(ae.uniform_rbm(20, 8), target())
    wanted = [(settings, path), *((other, path) for other in others(settings)), *((settings, p) for p in others(path))]
    CALLS.clear()
    first = list(Run(folder=tmp_path).each(work, wanted))
    assert len(CALLS) == len(wanted) >= 12
    _ = ae.ais(path, [0, 0.5, 1], 5, rng=np.random.default_rng(0)), path.end.log_z()
    fresh = ae.geometric_path(ae.uniform_rbm(20, 8), target())
    again = [(arguments, fresh if p is path else p) for arguments, p in wanted]
    for these in (wanted, again):
        assert list(Run(5, tmp_path).each(work, these[::-1])) == first[::-1]
    assert Run(folder=tmp_path).once(work, *wanted[0]) == first[0] and len(CALLS) == len(wanted)
    assert Run().once(work, *wanted[0]) == len(wanted) + 1, "without a folder nothing is kept"


@pytest.mark.filterwarnings("ignore")
def test_a_damaged_file_is_made_again(tmp_path):
    CALLS.clear()
    Run(folder=tmp_path).once(work, 1)
    (file,) = files_in(tmp_path)
    file.write_bytes(file.read_bytes()[:2])
    assert Run(folder=tmp_path).once(work, 1) == 2
    assert Run(folder=tmp_path).once(work, 1) == 2


def blas_threads(*_):
    return [info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"]


@pytest.mark.parametrize("where", [{"n_jobs": 1}, {"n_jobs": 3, "backend": "threading"}], ids=["here", "threads"])
def test_work_sees_one_blas_thread_and_leaves_two(where):
    with threadpool_limits(2, user_api="blas"):
        if set(blas_threads()) != {2}:
            pytest.skip("this BLAS does not take two threads")
        with joblib.parallel_config(**where):
            assert {1} == {n for found in Run().each(blas_threads, [(i,) for i in range(20)]) for n in found}
        assert set(blas_threads()) == {2}


def test_a_killed_run_resumes_with_the_identical_result(tmp_path):
    script = (
        "import runpy, joblib; from anneal_edu.course.experiments.run import Run\n"
        "if __name__ == '__main__':\n"
        f"    small_run = runpy.run_path({__file__!r})['small_run']\n"
        f"    with joblib.parallel_config(n_jobs=2): small_run(Run(3, {str(tmp_path)!r}), K=300, n_chains=400)"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
    while not files_in(tmp_path) and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert 1 <= len(files_in(tmp_path)) < 20, "the run should have been killed half way"
    found = small_run(Run(3, tmp_path), K=300, n_chains=400)
    np.testing.assert_array_equal(found.log_weights, small_run(K=300, n_chains=400).log_weights)


def test_a_table_has_a_line_for_each_row_when_it_is_there():
    def rows():
        yield {"name": "a", "x": [0.25, None, -1.0]}
        raise ZeroDivisionError

    lines = table(rows(), "name:6s x:14.2f")
    assert [next(lines), next(lines)] == ["name                x", "a       -1.00 to 0.25"]
    with pytest.raises(ZeroDivisionError):
        next(lines)


def test_stored_results_are_read_by_name():
    assert stored("kadan_training")["rows"]
    with pytest.raises(ValueError, match=r"name must be one of biased_moments, carlson_convergence, .*, got 'kadan'"):
        stored("kadan")
    stored_arrays("far_modes")["weights"][:] = 0
    assert stored_arrays("far_modes")["weights"].std() == pytest.approx(1.5, abs=0.3), "copies are given"
    with pytest.raises(ValueError, match="model must be one of far_modes, hidden_mode"):
        stored_arrays("near_modes")


def test_a_progress_bar_counts_the_work(capsys):
    assert module.HERE.progress is False
    assert list(Run(progress=True).each(pow, [(2, 3), (3, 2)])) == [8, 9]
    assert "2/2" in capsys.readouterr().err
