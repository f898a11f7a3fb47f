"""The command line of the papers' experiments: every option works, or is refused in words."""

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from functools import wraps
from pathlib import Path

import joblib
import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.__main__ import main as open_door
from anneal_edu.course.experiments import grosse, grosse_large, run
from anneal_edu.course.experiments.__main__ import EXPERIMENTS, main
from anneal_edu.course.experiments.run import Run
from tests.cases import always

VALUES = {
    "images": np.eye(4, dtype=np.uint8),
    "model": ae.BinaryRBM(np.zeros((4, 2)), np.zeros(4), np.zeros(2)),
    "workers": "2",
    "folder": "kept",
    "progress": None,
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with small images and models, in which to be."""
    monkeypatch.chdir(tmp_path)
    np.save("images.npy", VALUES["images"])
    ae.data.save_rbm("binary.npz", VALUES["model"])
    ae.data.save_rbm("gaussian.npz", ae.GaussianRBM(np.zeros((4, 2)), np.zeros(4), np.zeros(2), np.ones(4)))
    return tmp_path


def words_of(name, option):
    """An option with its value, and those that it needs."""
    needed = ["--images", "images.npy", "--model", "gaussian.npz" if name == "kiwaki-starts" else "binary.npz"]
    if option in ("images", "model"):
        both = EXPERIMENTS[name].refuses.keys().isdisjoint(["images", "model"])
        return needed if both else needed[:2] if option == "images" else needed[2:]
    return [f"--{option}"] if VALUES[option] is None else [f"--{option}", VALUES[option]]


@pytest.mark.parametrize("option", VALUES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_option_reaches_the_experiment_or_is_refused_in_words(name, option, files, capsys, monkeypatch):
    """For each experiment and option, but --scale, --seed and --json, which all have."""
    seen, experiment = [], EXPERIMENTS[name]

    def rows(_scale, run):
        seen.append((run, joblib.effective_n_jobs()))
        return []

    monkeypatch.setitem(EXPERIMENTS, name, experiment._replace(rows=wraps(experiment.rows)(rows)))
    words = words_of(name, option)
    if option in experiment.refuses:
        with pytest.raises(SystemExit):
            main([name, *words])
        assert f"{name} takes no --{option}: {experiment.refuses[option]}" in capsys.readouterr().err
        assert not seen, "before anything runs"
        return
    main([name, *words])
    ((run, n_workers),) = seen
    found = {"images": run.images is not None, "model": run.model is not None, "workers": n_workers == 2}
    found |= {"folder": run.folder == Path("kept"), "progress": run.progress}
    assert found[option] and run.seed == 0


class Asked(Exception):
    pass


def ask(self, *_args, disable=False, **_options):
    """Whoever calls this uses the option; a progress bar that is switched off does not."""
    if not disable:
        raise Asked
    self.disable = True


NOT_REFUSED = [
    (name, option)
    for name, experiment in EXPERIMENTS.items()
    for option in ("workers", "folder", "progress")
    if option not in experiment.refuses
]


@pytest.mark.parametrize(("name", "option"), NOT_REFUSED)
def test_an_experiment_uses_what_it_does_not_refuse(name, option, tmp_path, monkeypatch):
    monkeypatch.setattr(grosse_large, "train_rbm", lambda data, n, **_: ae.base_rate_rbm(data, n))
    if option == "workers":
        monkeypatch.setattr(joblib.Parallel, "__call__", ask)
    elif option == "folder":
        monkeypatch.setattr(joblib.memory.MemorizedFunc, "__call__", ask)
    else:
        monkeypatch.setattr("tqdm.auto.tqdm.__init__", ask)
    given = Run(folder=tmp_path if option == "folder" else None, progress=option == "progress")
    with pytest.raises(Asked):
        list(EXPERIMENTS[name].rows(EXPERIMENTS[name].scales["tiny"], given))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["grosse-table2", "--model", "binary.npz"], "--model needs --images"),
        (["carlson-rungs", "--model", "binary.npz"], "--model needs --images"),
        (["grosse-table1", "--images", "images.npy"], "--images needs --model"),
        (["kiwaki-starts", "--model", "binary.npz"], "--model must be a GaussianRBM, got a BinaryRBM"),
        (["grosse-table2", "--images", "images.npy", "--model", "gaussian.npz"], "--model must be a BinaryRBM"),
        (["grosse-table2", "--images", "wide.npy", "--model", "binary.npz"], "--model has 4 visible units"),
        (["grosse-figure3", "--images", "wide.npy", "--model", "large.npz"], "for the exact log Z of grosse-figure3"),
        (["grosse-table2", "--images", "nowhere.npy"], "No such file"),
        (["grosse-table2", "--images", "binary.npz"], "binary.npz holds no single array"),
        (["kadan-training", "--images", "words.npy"], "words.npy must hold images"),
        (["kadan-training", "--images", "noise"], "noise is no IDX, NPY or NPZ file"),
        (["kiwaki-starts", "--model", "noise"], "noise is no NPZ file"),
        (["kadan-training", "--seed", "-1"], "--seed must be at least 0"),
        (["kadan-training", "--workers", "0"], "--workers must be at least 1"),
        (["kadan-training", "--json", "nowhere/rows.json"], "--json must be a file in a folder that exists"),
        (["kadan-training", "--folder", "noise"], "--folder must be a folder"),
        (["kadan-training", "--scale", "medium"], "invalid choice: 'medium'"),
        (["kadan"], "invalid choice: 'kadan'"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words_before_the_run(words, complaint, files, capsys):
    np.save("wide.npy", np.eye(30))
    np.save("words.npy", np.array([["a", "b"]]))
    Path("noise").write_bytes(b"noise")
    ae.data.save_rbm("large.npz", ae.BinaryRBM(np.ones((30, 30)), np.zeros(30), np.zeros(30)))
    with pytest.raises(SystemExit):
        main(words)
    assert complaint in capsys.readouterr().err
    assert not Path("runs").exists()


N_ROWS = {
    "carlson-convergence": 25, "carlson-repeats": 49, "carlson-rungs": 20, "carlson-tracking": 21, "grosse-table1": 8,
    "grosse-figure3": 20, "grosse-biased-moments": 2, "grosse-table2": 12, "grosse-figure5": 36, "grosse-figure4": 54,
    "grosse-knots": 176, "kiwaki-starts": 12, "kiwaki-modes": 6, "hais-convergence": 16, "hais-tails": 4,
    "hais-table1": 7, "hais-figure5": 6, "kadan-training": 18, "tempering-paths": 2, "estimators": 14,
    "estimators-rungs": 10, "small-tracking": 4,
}  # fmt: skip


@pytest.mark.parametrize("name", always("kiwaki-modes", "hais-convergence", "tempering-paths", "estimators", of=N_ROWS))
def test_the_tiny_scale_leaves_its_rows_in_a_file_and_resumes(name, files, capsys):
    words = [] if "workers" in EXPERIMENTS[name].refuses else ["--workers", "1"]
    main([name, "--scale", "tiny", "--json", "first.json", *words])
    printed, found = capsys.readouterr().out, read("first.json")
    assert found["command"] == f"python -m anneal_edu experiment {name} --scale tiny --seed 0"
    assert found["settings"] == json.loads(json.dumps(EXPERIMENTS[name].scales["tiny"]))
    assert found["machine"]["numpy"] == np.__version__ and found["machine"]["processor"]
    assert len(found["rows"]) == N_ROWS[name] == len(printed.splitlines()) - 2 - printed.count("p-val")
    for file in sorted(Path("runs").rglob("output.pkl"))[::3]:
        file.unlink()
    main([name, "--scale", "tiny", "--json", "again.json", *words])
    assert without_times(read("again.json")["rows"]) == without_times(found["rows"])


def read(file):
    return json.loads(Path(file).read_text(encoding="utf-8"))


def without_times(rows):
    return str([{key: value for key, value in row.items() if "seconds" not in key} for row in rows])


def test_two_workers_print_and_store_what_one_does(files, capsys):
    for n_workers in ("1", "2"):
        main(
            [
                "hais-tails",
                "--scale",
                "tiny",
                "--workers",
                n_workers,
                "--folder",
                n_workers,
                "--json",
                f"{n_workers}.json",
            ]
        )
    assert read("1.json")["rows"] == read("2.json")["rows"]


OWN = {"carlson-tracking": 21, "grosse-table1": 8, "grosse-table2": 6, "kadan-training": 18, "kiwaki-starts": 12}


@pytest.mark.parametrize(("name", "n_rows"), always(("grosse-table1", 8), ("kiwaki-starts", 12), of=OWN.items()))
def test_given_images_and_models_are_taken(name, n_rows, files, capsys):
    """Grey ones, of which half are dark; each experiment gives all its rows of them."""
    rng = np.random.default_rng(0)
    np.save("images.npy", rng.choice([20, 180], size=(40, 2, 2)).astype(np.uint8))
    ae.data.save_rbm("binary.npz", ae.BinaryRBM(rng.normal(size=(4, 2)), rng.normal(size=4), rng.normal(size=2)))
    words = words_of(name, "model" if name == "kiwaki-starts" else "images")
    words = ["--workers", "1", *words] if name != "carlson-tracking" else words
    main([name, "--scale", "tiny", "--json", "rows.json", *words])
    found = read("rows.json")
    assert len(found["rows"]) == n_rows and found["command"].endswith(" ".join(words[-2:]))
    if "--model" in words:
        assert {row["model"] for row in found["rows"]} == {Path(words[words.index("--model") + 1]).stem}
    if "--images" in words:
        assert "images.npy: 40 images of 4 pixels, made binary at 100" in capsys.readouterr().out


def test_a_stored_model_is_taken_by_its_name(files):
    np.save("digits.npy", ae.data.digits(8))
    words = ["--images", "digits.npy", "--model", "digits8_cd"]
    main(["grosse-table1", "--scale", "tiny", "--workers", "1", "--json", "rows.json", *words])
    found = read("rows.json")
    assert found["command"].endswith(" ".join(words))
    assert found["rows"] == list(grosse.table_1(grosse.SCALES["tiny"]))


def test_both_doors_lead_to_the_same_main(capsys):
    """The console command of pyproject.toml, and python -m anneal_edu."""
    project = tomllib.loads((Path(ae.__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, name = project["scripts"]["anneal-edu"].split(":")
    assert module == "anneal_edu.__main__"
    door = getattr(importlib.import_module(module), name)
    with pytest.raises(SystemExit) as end:
        door(["experiment", "--help"])
    assert end.value.code == 0
    by_name = capsys.readouterr().out
    assert all(experiment in by_name for experiment in EXPERIMENTS)
    command = [sys.executable, "-m", "anneal_edu", "experiment", "--help"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == by_name.split()


def test_a_model_that_is_not_there_is_refused_with_the_names_of_those_that_are():
    with pytest.raises(SystemExit, match=r"no model is called TYPO; there are digits8_cd, .*image_bilinear"):
        open_door(["models", "TYPO"])
    with pytest.raises(SystemExit, match=r"no command is called 'model'; there are experiment, log-z, models"):
        open_door(["model"])


def test_what_lessons_need_says_how_to_install_it():
    script = "import sys, anneal_edu as ae; sys.modules['matplotlib'] = None; ae.panels"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert re.search(r"\nImportError: ae.panels needs matplotlib\S*: pip install anneal-edu\[lab]\n$", run.stderr)


def test_ctrl_c_ends_in_one_line_that_says_what_is_kept(tmp_path):
    """Pressed once some work is done: all processes of the terminal get it, and none is left that could still write."""
    command = [sys.executable, "-m", "anneal_edu", "experiment", "grosse-table1", "--scale", "quick", "--workers", "2"]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not list(tmp_path.rglob("output.pkl")) and run.poll() is None:
        time.sleep(0.01)
    os.killpg(run.pid, signal.SIGINT)
    words = run.communicate(timeout=60)[1]
    assert words.endswith("\ninterrupted: finished work is kept in runs, and the same command goes on from it\n")
    assert run.returncode == 130


def test_where_nothing_is_kept_ctrl_c_says_so(capsys, monkeypatch):
    def stop(_scale, _run):
        """Nothing."""
        raise KeyboardInterrupt

    monkeypatch.setitem(EXPERIMENTS, "carlson-tracking", EXPERIMENTS["carlson-tracking"]._replace(rows=stop))
    with pytest.raises(SystemExit) as end:
        open_door(["experiment", "carlson-tracking"])
    assert end.value.code == 130 and re.fullmatch(r"\ninterrupted: .* is not kept\n", capsys.readouterr().err)


def test_workers_leave_ctrl_c_to_the_main_process():
    handler = signal.getsignal(signal.SIGINT)
    try:
        run.begin_worker()
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, handler)
