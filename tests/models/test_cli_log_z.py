"""python -m anneal_edu log-z, from files to words: what is right, what is refused, and with which exit status."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.__main__ import main as run_command
from anneal_edu.models import Examination

RBM = ae.BinaryRBM(
    np.random.default_rng(1).normal(size=(9, 4)), np.random.default_rng(2).normal(size=9), np.zeros(4)
)
PARTS = {"weights": RBM.weights, "visible_bias": RBM.visible_bias, "hidden_bias": RBM.hidden_bias}
QUICK = ["--steps", "100", "--chains", "100"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with a model and data of it, in which to be; the grey ones are the same images in other numbers."""
    monkeypatch.chdir(tmp_path)
    ae.data.save_rbm("mine.npz", RBM)
    states = RBM.sample(60, np.random.default_rng(0)).reshape(60, 3, 3)
    np.save("data.npy", states)
    np.savez("data.npz", images=states.astype(np.uint8))
    grey = (40 + 160 * states).astype(np.uint8)
    Path("grey-idx3-ubyte").write_bytes(bytes([0, 0, 8, 3, 0, 0, 0, 60, 0, 0, 0, 3, 0, 0, 0, 3]) + grey.tobytes())
    return tmp_path


def said(words, capsys):
    run_command(["log-z", *words])
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_the_command_prints_what_the_function_finds(files, capsys):
    words = said(["mine.npz", "--data", "data.npy", *QUICK, "--seed", "3", "--json", "found.json"], capsys)
    data = np.load("data.npy").reshape(60, 9)
    found = ae.models.examine(RBM, data, 100, 100, rng=np.random.default_rng(3))
    assert words.endswith(f"{found}\n")
    assert words.startswith("mine.npz: 9 visible and 4 hidden units\ndata.npy: 60 images of 9 pixels\n")
    assert f"log Z = {RBM.log_z():.3f}, counted exactly" in words
    stored = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert stored == {"model": "mine.npz", "data": "data.npy", "seed": 3} | found.summary()


def test_a_stored_model_goes_by_its_name_unless_a_file_has_it(files, capsys):
    assert said(["digits8_cd", *QUICK], capsys).startswith("digits8_cd: 64 visible and 10 hidden units\n")
    Path("mine.npz").rename("digits8_cd")
    assert said(["digits8_cd", *QUICK], capsys).startswith("digits8_cd: 9 visible and 4 hidden units\n")


def test_grey_images_are_made_binary_at_half_of_their_range_and_it_is_said(files, capsys):
    binary = said(["mine.npz", "--data", "data.npz", *QUICK], capsys)
    grey = said(["mine.npz", "--data", "grey-idx3-ubyte", *QUICK], capsys)
    assert "grey-idx3-ubyte: 60 images of 9 pixels, made binary at 120\n" in grey
    assert binary.splitlines()[2:] == grey.splitlines()[2:], "the same states, the same numbers"


def test_a_gaussian_rbm_has_real_data_and_its_own_start(files, capsys):
    rng = np.random.default_rng(0)
    ae.data.save_rbm("real.npz", ae.GaussianRBM(rng.normal(size=(30, 28)), np.zeros(30), np.zeros(28), np.ones(30)))
    np.save("patches.npy", rng.normal(size=(50, 30)))
    words = said(["real.npz", "--data", "patches.npy", "--steps", "3", "--json", "found.json"], capsys)
    assert "geometric path from mean and covariance, 3 steps" in words and "likelihood of 50 data" in words
    assert "--path" not in words and "n_steps" not in words
    advised = '"n_steps=30: ' in Path("found.json").read_text(encoding="utf-8")
    assert advised == ("\nnext: --steps 30: " in words)
    with pytest.raises(SystemExit):
        run_command(["log-z", "real.npz", "--path", "moments"])
    assert capsys.readouterr().err == "error: path must be one of geometric, got 'moments'\n"


def test_without_data_it_starts_at_noise_and_says_no_likelihood(files, capsys):
    words = said(["mine.npz", *QUICK], capsys)
    assert "geometric path from uniform, 100 steps, 100 chains" in words and "likelihood" not in words


ALL_OPTIONS = "--data data.npy --steps 7 --chains 8 --path moments --start base-rate --seed 5 --progress".split()


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ([], (None, 1000, 200, "geometric", None, False, 0)),
        (ALL_OPTIONS, ((60, 9), 7, 8, "moments", "base-rate", True, 5)),
    ],
    ids=["none", "all"],
)
def test_every_option_reaches_the_function(words, given, files, monkeypatch):
    seen = []

    def examine(rbm, data, n_steps, n_chains, path, start, *, rng, progress):
        of_seed = next(s for s in (0, 5) if np.random.default_rng(s).bit_generator.state == rng.bit_generator.state)
        seen.append((None if data is None else data.shape, n_steps, n_chains, path, start, progress, of_seed))
        run = ae.annealing.ais.AISResult(np.zeros(9), np.zeros((9, 1)), 0)
        return Examination(ae.annealing.reverse.Sandwich(run, run, "exact draws"), 1, path, "uniform", None, None)

    monkeypatch.setattr("anneal_edu.models.cli_log_z.examine", examine)
    run_command(["log-z", "mine.npz", *words])
    assert seen == [given]


def forge(name):
    """Files that are no model, by name."""
    unpickled = {"objects": np.array([{"a": 1}], dtype=object)}
    forgeries = {
        "shape.npz": PARTS | {"visible_bias": np.zeros(4)},
        "turned.npz": PARTS | {"weights": RBM.weights.T},
        "missing.npz": {"weights": RBM.weights},
        "nan.npz": PARTS | {"weights": np.full((9, 4), np.nan)},
        "words.npz": PARTS | {"weights": np.full((9, 4), "a")},
        "pickled.npz": PARTS | {"weights": unpickled["objects"]},
    }
    if name in forgeries:
        np.savez(name, **forgeries[name])
    elif name == "pickle.npz":
        Path(name).write_bytes(pickle.dumps(PARTS))
    elif name == "cut.npz":
        Path(name).write_bytes(Path("mine.npz").read_bytes()[:200])


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        ("nowhere.npz", "No such file"),
        (".", "Is a directory"),
        ("shape.npz", "visible_bias must have shape (9,), got (4,)"),
        ("turned.npz", "transposed? weights must be (D, H) = (9, 4), got (4, 9): pass weights.T"),
        ("missing.npz", "it lacks visible_bias, hidden_bias and has weights"),
        ("nan.npz", "weights must be finite, got NaN or infinity in 36 entries"),
        ("words.npz", "weights must be an array of real numbers"),
        ("pickled.npz", "allow_pickle=False"),
        ("pickle.npz", "pickle.npz is no NPZ file"),
        ("cut.npz", "cut.npz is no NPZ file, or is cut short"),
        ("data.npy", "data.npy is no NPZ file"),
        ("image_bilinear", "log-z takes an RBM, and image_bilinear holds a BilinearGenerative"),
        ("digits8", "name must be one of digits8_cd, "),
    ],
)
def test_a_bad_model_is_refused_in_words(model, complaint, files, capsys):
    forge(model)
    with pytest.raises(SystemExit) as end:
        run_command(["log-z", model])
    assert end.value.code == 2
    err = capsys.readouterr().err
    assert complaint in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--data", "wide.npy"], "mine.npz has 9 visible units, and wide.npy 30 a state"),
        (["--data", "nan.npy"], "nan.npy must hold images (N, D) of finite numbers"),
        (["--data", "flat.npy"], "flat.npy must hold images (N, D)"),
        (["--data", "pickled.npy"], "allow_pickle=False"),
        (["--data", "mine.npz"], "it has weights, visible_bias, hidden_bias; save the one that you mean"),
        (["--data", "noise"], "noise is no IDX, NPY or NPZ file: it starts with 6e"),
        (["--data", "nowhere.npy"], "No such file"),
        (["--start", "noise"], "invalid choice: 'noise'"),
        (["--path", "straight"], "invalid choice: 'straight'"),
        (["--steps", "0"], "--steps must be at least 1, got 0"),
        (["--steps", "many"], "invalid int value: 'many'"),
        (["--chains", "0"], "--chains must be at least 1, got 0"),
        (["--seed", "-1"], "--seed must be at least 0, got -1"),
        (["--json", "nowhere/found.json"], "--json must be a file in a folder that exists"),
        (["--json", "."], "--json must be a file in a folder that exists"),
    ],
)
def test_bad_data_and_options_are_refused_before_anything_runs(words, complaint, files, capsys, monkeypatch):
    np.save("wide.npy", np.eye(30))
    np.save("nan.npy", np.full((2, 9), np.nan))
    np.save("flat.npy", np.zeros(9))
    np.save("pickled.npy", np.array([{"a": 1}], dtype=object))
    Path("noise").write_bytes(b"noise")
    monkeypatch.setattr("anneal_edu.models.cli_log_z.examine", None)
    with pytest.raises(SystemExit) as end:
        run_command(["log-z", "mine.npz", *words])
    assert end.value.code == 2
    assert complaint in capsys.readouterr().err


def test_a_folder_that_is_read_only_is_said_before_anything_runs(files, capsys, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    for words in (["log-z", "mine.npz", "--json", "a.json"], ["experiment", "grosse-table1", "--scale", "tiny"]):
        with pytest.raises(SystemExit) as end:
            run_command(words)
        err = capsys.readouterr().err
        assert end.value.code == 2 and "can be written, got " in err and err.count("\n") == 1
    assert not Path("runs").exists()


def test_the_command_end_to_end_into_an_output_without_unicode(files):
    """From a shell, once: words and 0; and words, no traceback and 2."""
    command, ascii = [sys.executable, "-m", "anneal_edu"], os.environ | {"PYTHONIOENCODING": "ascii"}
    words = ["log-z", "mine.npz", "--data", "grey-idx3-ubyte", *QUICK]
    good = subprocess.run([*command, *words], capture_output=True, text=True, env=ascii)
    assert (good.returncode, good.stderr) == (0, "") and "?" in good.stdout
    bad = subprocess.run([*command, "log-z", "grey-idx3-ubyte"], capture_output=True, text=True)
    assert bad.returncode == 2 and "Traceback" not in bad.stderr and "is no NPZ file" in bad.stderr
