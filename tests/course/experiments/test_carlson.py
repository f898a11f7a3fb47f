"""The poster's experiments at their smallest, where the truth can be enumerated."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from anneal_edu.course.experiments import carlson, carlson_tracking
from anneal_edu.course.experiments.kept import Run

TINY = carlson.SCALES["tiny"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


def test_convergence_gives_every_estimator_at_every_budget(folder):
    known, *rows = carlson.convergence(TINY, Run(folder=folder))
    exact = carlson.path_to_model(TINY, Run(folder=folder)).end.log_z()
    assert known.draws == "exact draws"
    assert abs((known.lower + known.upper) / 2 - exact) < 0.1
    found = {(row.estimator, row.setting, row.seed) for row in rows}
    names = ("RTS", "AIS", "RAISE", "RTS, (v, h)")
    assert found == {(name, n, seed) for name in names for n in TINY.budgets for seed in (0, 1)}
    for row in rows:
        assert row.reference == (known.lower + known.upper) / 2
        if row.setting == 600:
            assert abs(row.log_z - exact) < 0.3


@pytest.mark.thorough("every estimator at every budget")
def test_two_estimators_are_repeated_four_times_as_often(folder):
    """At every budget that leaves RTS a round of 50 sweeps after its ascent of 10 steps."""
    known, *rows = carlson.repeats(TINY, Run(folder=folder))
    found = {(row.estimator, row.setting, row.seed) for row in rows}
    assert found == {(name, n, seed) for name in ("RTS, (v, h)", "AIS") for n in TINY.budgets for seed in range(8)}
    exact = carlson.path_to_model(TINY, Run(folder=folder)).end.log_z()
    for row in rows:
        assert row.reference == (known.lower + known.upper) / 2
        assert abs(row.log_z - exact) < (0.3 if row.setting == 600 else 1.5)


def test_every_estimator_is_there_for_every_number_of_rungs(folder):
    rows = carlson.number_of_rungs(TINY, Run(folder=folder))
    names = ("RTS", "MBAR", "TI", "RB-TI", "AIS")
    found = {(row.estimator, row.setting, row.seed) for row in rows}
    assert found == {(name, K, seed) for name in names for K in TINY.rungs for seed in (0, 1)}
    exact = carlson.path_to_model(TINY, Run(folder=folder)).end.log_z()
    for row in rows:
        assert np.isnan(row.log_z) or abs(row.log_z - exact) < 1.0


def test_finished_runs_are_found_again_and_come_out_the_same_in_threads(folder, tmp_path):
    """One run of each kind is taken away; the model and the reference stay."""
    both = carlson.convergence, carlson.number_of_rungs
    first = [experiment(TINY, Run(folder=folder)) for experiment in both]
    for kind in ("reference", "convergence-run", "rungs-run"):
        files = sorted(folder.glob(f"carlson-{kind}-*"))
        assert len(files) == {"reference": 1, "convergence-run": 2, "rungs-run": 4}[kind]
        if kind != "reference":
            files[0].unlink()
    kept = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    seen = []
    with ThreadPoolExecutor(2) as pool:
        again = [experiment(TINY, Run(folder=folder, executor=pool, report=seen.append)) for experiment in both]
    assert {file: file.stat().st_mtime_ns for file in kept} == kept
    assert repr(again) == repr(first)
    assert seen == again[0] + again[1], "every row is reported, the reference first"


def test_tracking_looks_at_train_and_held_out_digits():
    rows = carlson_tracking.tracking(TINY)
    assert [row.n_updates for row in rows] == [*2 * [80, 160, 240], *range(80, 1201, 80)]
    assert {(row.learning_rate, row.both_layers) for row in rows} == {(0.1, False), (0.1, True), (0.02, True)}
    for row in rows:
        assert row.train != row.validation
        assert row.tracking_seconds > 0 and row.training_seconds > 0
        if row.lower is not None:
            assert row.lower < row.upper + 0.1 and abs(row.log_z - row.upper) < 5 * row.std_error + 0.3
    assert rows[3].lower == rows[0].lower != rows[-1].lower


def test_a_training_is_tracked_again_by_other_chains():
    (once, twice) = (carlson_tracking.tracking(replace(TINY, n_updates=120, every=20, n_tracks=n)) for n in (1, 2))
    again = [row for row in twice if row.repeat == 1]
    first = [row for row in twice if row.repeat == 0]
    assert [(row.n_updates, row.log_z) for row in first] == [(row.n_updates, row.log_z) for row in once]
    beside = [row for row in first if row.lower is not None]
    same = [(row.learning_rate, row.both_layers, row.n_updates, row.lower, row.upper) for row in beside]
    assert [(row.learning_rate, row.both_layers, row.n_updates, row.lower, row.upper) for row in again] == same
    assert all(row.log_z != other.log_z for row, other in zip(beside, again, strict=True))
    assert all(row.annealed != other.annealed for row, other in zip(beside, again, strict=True))
    by_model = {(row.learning_rate, row.n_updates, row.repeat): row.annealed for row in beside + again}
    assert all(by_model[row.learning_rate, row.n_updates, row.repeat] == row.annealed for row in beside + again)


def test_a_look_averages_over_some_of_many_images(monkeypatch):
    monkeypatch.setattr(carlson_tracking, "N_JUDGED", 7)
    shown = []

    def watched(states, train, validation, *settings, **options):
        shown.append((len(train), len(validation)))
        return iter(())

    monkeypatch.setattr(carlson_tracking, "track_log_likelihood", watched)
    assert carlson_tracking.tracking(TINY) == [] and set(shown) == {(7, 7)}


def test_repeated_is_so_many_steps():
    steps = []

    class Counting:
        def gibbs(self, x, rng):
            steps.append(x)
            return x + 1

    assert carlson.repeated(3)(Counting(), 0, None) == 3
    assert len(steps) == 3
