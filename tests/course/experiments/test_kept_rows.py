"""What is kept in a folder is whole, is what it says it is, or is refused by name."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass, fields, replace
from functools import partial

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments import (
    carlson,
    estimator_tables,
    grosse,
    grosse_large,
    kadan,
    stored_arrays,
    tempering_paths,
)
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.kept_rows import file_name, keep, keep_arrays, kept, kept_arrays, run_rows


def test_many_who_keep_the_same_file_at_once_do_not_collide(tmp_path):
    def keep_twice(i):
        keep(tmp_path / "row.json", list(range(500)))
        keep_arrays(tmp_path / "block.npz", x=np.arange(500))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(keep_twice, range(80)))
    assert kept(tmp_path / "row.json") == list(range(500))
    np.testing.assert_array_equal(kept_arrays(tmp_path / "block.npz")["x"], np.arange(500))
    assert len(list(tmp_path.iterdir())) == 2, "no part is left behind"


def test_what_cannot_be_written_leaves_nothing(tmp_path):
    with pytest.raises(TypeError):
        keep(tmp_path / "row.json", object())
    assert not list(tmp_path.iterdir())


@dataclass(frozen=True)
class Square:
    side: int
    area: int


def squares(folder, *sides):
    def make(side):
        return Square(side, side**2)

    return run_rows(make, [(s,) for s in sides], lambda row: Square(**row), partial(file_name, "square"), folder=folder)


def small_blocks(folder, seed=0):
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]]))
    return BlockedAIS(path, ae.linear_schedule(2), 20, seed, block_size=10).run(folder=folder).log_weights.tolist()


def small_spline(folder, scale=1.0):
    p1 = ae.BinaryRBM(np.full((4, 2), scale), np.zeros(4), np.zeros(2))
    return grosse.kept_spline(folder, "model", ae.uniform_rbm(4, 2), p1)(0.33).weights.tolist()


def small_model(folder, seed=0):
    training = {"CD1": grosse_large.Training("cd", 1, 2, 0.1, 10)}
    scale = replace(grosse_large.SCALES["tiny"], training=training)
    return grosse_large.trained_model(scale, "CD1", seed, folder).weights.tolist()


def small_reports(folder, seed=0):
    report = estimator_tables.Report("AIS", seed, 0.1, ("few",), "low", 10, 20)
    return estimator_tables._kept(folder, partial_work(report), "model", seed)


def partial_work(report):
    def work(*_settings):
        return [report]

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
        keep_arrays(file, weights=np.zeros(3)) if file.suffix == ".npz" else keep(file, [{"side": 3}])
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
    """Another value of the same type."""
    if isinstance(value, str):
        return value + "x"
    return (*value, 7) if isinstance(value, tuple) else value + 1


SCALE = tempering_paths.SCALES["tiny"]
TASK = kadan.SCALES["tiny"].tasks[0]
WITH_ONE_FIELD_CHANGED = {
    "tempering-paths": (tempering_paths._file_of, ("digits8_cd", "moments", SCALE, 0)),
    "kadan-training": (kadan._file_of, (TASK, "PCD", 4, 0)),
}


@pytest.mark.parametrize("name", WITH_ONE_FIELD_CHANGED)
def test_every_setting_of_a_row_is_in_the_name_of_its_file(name):
    """But for the other cases of a scale, which a row of one case does not depend on."""
    file_of, arguments = WITH_ONE_FIELD_CHANGED[name]
    changed = []
    for i, argument in enumerate(arguments):
        if isinstance(argument, str | int):
            versions = [others(argument)]
        else:
            names = [field.name for field in fields(argument) if field.name != "cases"]
            versions = [replace(argument, **{name: others(getattr(argument, name))}) for name in names]
        changed += [(*arguments[:i], version, *arguments[i + 1 :]) for version in versions]
    names = [file_of(*arguments), *(file_of(*version) for version in changed)]
    assert len(set(names)) == len(names) >= 6
    assert all(len(name.encode()) < 200 for name in names)


def test_rows_of_the_poster_belong_to_a_model_and_to_the_settings_that_they_depend_on():
    rng = np.random.default_rng(0)
    paths = [
        ae.geometric_path(ae.uniform_rbm(4, 2), ae.BinaryRBM(rng.normal(size=(4, 2)), np.zeros(4), np.zeros(2)))
        for _ in range(2)
    ]
    scale = carlson.SCALES["tiny"]
    names = {
        carlson._file_of(name, settings, path, scale, *numbers)
        for name in ("convergence_run", "rungs_run")
        for settings in (("tiny", 100), ("tiny", 200))
        for path in paths
        for numbers in ((0, 0, 5), (0, 1, 5), (1, 0, 5), (0, 0, 6))
    }
    assert len(names) == 32
    settings = "tiny", 100
    assert carlson._file_of("rungs_run", settings, paths[0], scale, 0, 0, 5) == carlson._file_of(
        "rungs_run", settings, paths[0], replace(scale, n_seeds=9), 0, 0, 5
    )


def test_toy_models_are_those_that_were_stored_and_copies():
    stored_arrays("far_modes")["weights"][:] = 0
    assert stored_arrays("far_modes")["weights"].std() == pytest.approx(1.5, abs=0.3)
    with pytest.raises(ValueError, match="model must be one of far_modes, hidden_mode"):
        stored_arrays("near_modes")
    assert all(isinstance(value, int | tuple) for value in astuple(SCALE)[1:])
