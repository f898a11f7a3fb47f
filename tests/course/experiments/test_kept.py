"""What is kept in a folder is whole, is what it says it is, or is refused by name."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.annealing.likelihood import LikelihoodResult
from anneal_edu.course.experiments import (
    carlson,
    estimator_tables,
    grosse,
    grosse_large,
    hamiltonian_table1,
    kadan,
    stored,
    stored_arrays,
    tempering_paths,
)
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.kept import Run, file_name, keep, kept
from anneal_edu.estimate import Diagnostic


def test_many_who_keep_the_same_file_at_once_do_not_collide(tmp_path):
    def keep_twice(i):
        keep(tmp_path / "row.npz", list(range(500)))
        keep(tmp_path / "block.npz", {"x": np.arange(500)})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(keep_twice, range(80)))
    assert kept(tmp_path / "row.npz") == list(range(500))
    np.testing.assert_array_equal(kept(tmp_path / "block.npz")["x"], np.arange(500))
    assert len(list(tmp_path.iterdir())) == 2, "no part is left behind"


def test_what_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    with pytest.raises(TypeError):
        keep(tmp_path / "row.npz", object())
    monkeypatch.setattr(np, "savez_compressed", lambda file, **_: file.write(b"PK") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        keep(tmp_path / "row.npz", [1, 2])
    assert not list(tmp_path.iterdir())


def test_a_value_comes_back_as_it_was(tmp_path):
    """Dataclasses in dataclasses, tuples as tuples, NaN, words with any letters, and arrays of every type."""
    arrays = np.array([0.1, np.nan]), np.ones((2, 0), np.float32), np.array([[True]]), np.array(["α", "b"])
    diagnostics = Diagnostic("collapsed weights", "few"), Diagnostic("heavy tail", "…")
    found = LikelihoodResult(arrays[0], arrays[0], True, 0.5, diagnostics)
    row = hamiltonian_table1.Row("Laplace", 3, found, None, 0.1 + 0.2, (1.0, np.inf))
    value = {"rows": [row, [], ()], "arrays": arrays, "nothing": None, "tuple": (1, ("a", 2.5)), "": {}}
    keep(tmp_path / "value.npz", value)
    again = kept(tmp_path / "value.npz", dict, hamiltonian_table1.Row, LikelihoodResult)
    assert repr(again) == repr(value)
    np.testing.assert_array_equal(again["rows"][0].found.log_likelihoods, arrays[0])
    assert [warning.kind for warning in again["rows"][0].found.warnings] == ["collapsed weights", "heavy tail"]
    assert [array.dtype for array in again["arrays"]] == [array.dtype for array in arrays]


@dataclass(frozen=True)
class Square:
    side: int
    area: int


def square(side):
    return Square(side, side**2)


def squares(folder, *sides):
    return Run(folder=folder).rows("square", square, [(side,) for side in sides], Square)


def small_blocks(folder, seed=0):
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]]))
    return BlockedAIS(path, ae.linear_schedule(2), 20, seed, block_size=10).run(Run(folder=folder)).log_weights.tolist()


def small_spline(folder, scale=1.0):
    p1 = ae.BinaryRBM(np.full((4, 2), scale), np.zeros(4), np.zeros(2))
    return grosse.kept_spline(Run(folder=folder), ae.uniform_rbm(4, 2), p1)(0.33).weights.tolist()


def small_model(folder, seed=0):
    training = {"CD1": grosse_large.Training("cd", 1, 2, 0.1, 10)}
    scale = replace(grosse_large.SCALES["tiny"], training=training)
    return grosse_large.trained_model(scale, Run(seed, folder=folder), "CD1").weights.tolist()


def small_reports(folder, seed=0):
    report = estimator_tables.Report("AIS", seed, 0.1, (Diagnostic("collapsed weights", "few"),), "low", 10, 20, 0.5)
    return list(estimator_tables._repeated(Run(seed, folder=folder), partial_work(report), ("model",), 1))


def partial_work(report):
    def work(*_settings):
        return estimator_tables.OneSeed([report])

    return work


KEPT = {
    "rows": (squares, lambda folder: squares(folder, 3), lambda folder: squares(folder, 4)),
    "blocks": (small_blocks, small_blocks, lambda folder: small_blocks(folder, seed=1)),
    "knots": (small_spline, small_spline, lambda folder: small_spline(folder, scale=-1.0)),
    "models": (small_model, small_model, lambda folder: small_model(folder, seed=1)),
    "reports": (small_reports, small_reports, lambda folder: small_reports(folder, seed=1)),
}


@pytest.mark.parametrize("kind", KEPT)
def test_another_ones_file_is_refused_by_name(kind, tmp_path):
    """Each is well formed, and of the same shapes."""
    _, one, other = KEPT[kind]
    mine = one(tmp_path / "mine")
    assert one(tmp_path / "mine") == mine != other(tmp_path / "others")
    for here, there in zip(*(sorted((tmp_path / folder).iterdir()) for folder in ("mine", "others")), strict=True):
        shutil.copy(there, here)
    with pytest.raises(ValueError, match=rf"{sorted((tmp_path / 'mine').iterdir())[0].name} was kept as .* delete it"):
        one(tmp_path / "mine")


@pytest.mark.parametrize("kind", KEPT)
@pytest.mark.parametrize("damage", ["empty", "cut short", "noise", "other arrays"])
def test_a_damaged_file_is_refused_by_name(kind, damage, tmp_path):
    _, one, _ = KEPT[kind]
    one(tmp_path)
    file = sorted(tmp_path.iterdir())[0]
    raw = file.read_bytes()
    if damage == "other arrays":
        keep(file, [{"weights": np.zeros(3)}])
    else:
        file.write_bytes({"empty": b"", "cut short": raw[: len(raw) // 2], "noise": bytes(range(256))}[damage])
    with pytest.raises(ValueError, match=rf"{file.name} is damaged .*; delete it, and what it should hold is made"):
        one(tmp_path)
    file.unlink()
    one(tmp_path)


def test_blocks_that_changed_places_are_refused(tmp_path):
    small_blocks(tmp_path)
    first, second = sorted(tmp_path.iterdir())
    shutil.copy(second, first)
    with pytest.raises(ValueError, match=f"{first.name} was kept as {second.name}"):
        small_blocks(tmp_path)


def others(value):
    """Values that differ from this one in one place, of a kind that its name must tell apart."""
    if isinstance(value, np.ndarray):
        return [value + 1, value.astype(np.float16), value[:, None]]
    if isinstance(value, str | int | float):
        return [value + "x" if isinstance(value, str) else value + 1]
    if isinstance(value, tuple):
        changed = [(*value[:i], other, *value[i + 1 :]) for i in range(len(value)) for other in others(value[i])]
        return [(*value, 7), *changed]
    if isinstance(value, dict):
        return [value | {key: other} for key in value for other in others(value[key])]
    return [replace(value, **{name: other}) for name in vars(value) for other in others(getattr(value, name))]


ARGUMENTS = {
    "tempering-paths": ("digits8_cd", "moments", tempering_paths.SCALES["tiny"], 0),
    "kadan-training": (kadan.SCALES["tiny"].tasks[0], "PCD", 4, 0, np.zeros(3)),
    "hais-figure5": ("bilinear", 72, {"n_rounds": 2}, hamiltonian_table1.SCALES["tiny"], (0, 1, 2)),
}


@pytest.mark.parametrize("work", ARGUMENTS)
def test_every_setting_of_a_row_is_in_the_name_of_its_file(work):
    """Each field of each argument: what a row is made of is what its file is named for, see `Run.each`."""
    arguments = ARGUMENTS[work]
    names = [file_name(work, *version) for version in [arguments, *others(arguments)]]
    names.append(file_name(f"{work}x", *arguments))
    assert len(set(names)) == len(names) >= 12
    assert all(len(name.encode()) < 200 for name in names)
    assert file_name(work, *arguments) == names[0]


def test_rows_are_made_of_their_arguments_alone_and_found_by_these(tmp_path):
    made = []

    def make(*arguments):
        made.append(arguments)
        return Square(len(made), 0)

    run, wanted = Run(folder=tmp_path), [(1, "a"), (2, "a"), (1, "b"), (1, "a", None)]
    first = run.rows("work", make, wanted, Square)
    assert run.rows("work", make, wanted[::-1], Square) == first[::-1] and made == wanted
    run.rows("other work", make, wanted[:1], Square)
    assert made == [*wanted, wanted[0]]


def test_runs_of_the_poster_are_found_whatever_else_its_scale_holds(tmp_path, monkeypatch):
    """Another number of runs is none of a run's settings; the budgets are."""
    monkeypatch.setattr(carlson, "reference", lambda *_: carlson.Reference(0.0, 1.0, "exact draws", 0.1, 0.1))
    monkeypatch.setattr(carlson, "convergence_run", lambda *_: [("RTS", 5, 0.4, 0.1)])
    monkeypatch.setattr(carlson, "rungs_run", lambda *_: [("RTS", 5, 0.4, 0.1)])
    rbm = ae.BinaryRBM(np.ones((4, 2)), np.zeros(4), np.zeros(2))
    run = Run(folder=tmp_path, model=rbm, images=np.eye(4, dtype=np.float32))
    tiny, count = carlson.SCALES["tiny"], lambda: len(list(tmp_path.iterdir()))
    carlson.convergence(tiny, run)
    assert count() == 1 + tiny.n_seeds
    carlson.convergence(replace(tiny, n_seeds=1, rungs=(7,), n_updates=3), run)
    assert count() == 1 + tiny.n_seeds
    carlson.convergence(replace(tiny, budgets=(100, 400)), run)
    assert count() == 1 + 2 * tiny.n_seeds
    carlson.convergence(tiny, replace(run, model=ae.BinaryRBM(-rbm.weights, rbm.visible_bias, rbm.hidden_bias)))
    assert count() == 2 + 3 * tiny.n_seeds
    carlson.number_of_rungs(tiny, run)
    assert count() == 2 + 3 * tiny.n_seeds + tiny.n_rung_seeds * len(tiny.rungs)


def test_stored_results_are_read_by_name():
    assert stored("kadan_training")["rows"]
    with pytest.raises(ValueError, match=r"name must be one of biased_moments, carlson_convergence, .*, got 'kadan'"):
        stored("kadan")


def test_toy_models_are_those_that_were_stored_and_copies():
    stored_arrays("far_modes")["weights"][:] = 0
    assert stored_arrays("far_modes")["weights"].std() == pytest.approx(1.5, abs=0.3)
    with pytest.raises(ValueError, match="model must be one of far_modes, hidden_mode"):
        stored_arrays("near_modes")
