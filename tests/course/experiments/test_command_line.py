import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import replace
from functools import wraps
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2, norm

import anneal_edu as ae
from anneal_edu.__main__ import main as open_door
from anneal_edu.course.experiments import grosse, grosse_large, kept
from anneal_edu.course.experiments.__main__ import EXPERIMENTS, REFUSED, main
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.kept import Run
from tests.cases import always


def test_table_1_has_its_eight_rows_and_leaves_them_in_a_file(tmp_path, capsys):
    arguments = ["grosse-table1", "--scale", "tiny", "--folder", str(tmp_path / "kept"), "--json"]
    main([*arguments, str(tmp_path / "first.json"), "--workers", "1"])
    printed = capsys.readouterr().out
    stored = json.loads((tmp_path / "first.json").read_text(encoding="utf-8"))
    rows = stored["rows"]
    assert len({(row["start"], row["path"], row["schedule"]) for row in rows}) == len(rows) == 8
    assert stored["command"].startswith("python -m anneal_edu experiment grosse-table1 --scale tiny")
    assert f"{rows[0]['log_z']:.3f}" in printed
    assert max(row["p_value"] for row in rows) == 1
    main([*arguments, str(tmp_path / "again.json"), "--workers", "2"])
    again = json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))["rows"]
    assert again == rows, "resumed, and with two workers, the numbers are the same"


def test_figure_3_has_the_curves_of_table_1_which_end_in_its_rows(tmp_path):
    scale, run = grosse.SCALES["tiny"], Run(folder=tmp_path)
    points, table = grosse.figure_3(scale, run), grosse.table_1(scale, run)
    assert len(points) == 2 * 2 * (2 * 2 + 1)
    ends = [point for point in points if point.n_steps == scale.n_steps]
    for row, end in zip(table, ends, strict=True):
        assert (row.start, row.path, row.schedule, row.exact) == (end.start, end.path, end.schedule, end.exact)
        np.testing.assert_array_equal(row.result.log_weights, end.result.log_weights)
        assert end.summary()["low"] <= end.summary()["log_z"] <= end.summary()["high"]
    assert {(point.n_steps, point.schedule) for point in points if point.transitions == "perfect"} == {(5, "linear")}


def test_the_papers_table_is_beside_ours():
    """Its estimates are all within 0.14 nats, and its largest ESS is on MAS."""
    for model, log_z in grosse.PAPER_LOG_Z.items():
        cells = grosse.PAPER[model]
        assert set(cells) == {(path, schedule) for path in ("geometric", "MAS") for schedule in grosse.SCHEDULES}
        assert max(abs(estimate - log_z) for estimate, _ in cells.values()) < 0.141
        assert max(cells, key=lambda cell: cells[cell][1])[0] == "MAS"


@pytest.mark.parametrize("name", ["mnist_pcd_20", "mnist_cd1_20"])
def test_the_stored_table_at_the_papers_scale_is_right(name):
    table, exact = ae.experiments.stored("grosse_table1_mnist"), ae.models.load(name).log_z()
    rows, full = [row for row in table["rows"] if row["model"] == name], grosse.SCALES["full"]
    assert (table["settings"]["n_steps"], table["settings"]["n_chains"]) == (full.n_steps, full.n_chains)
    assert len({(row["start"], row["path"], row["schedule"]) for row in rows}) == len(rows) == 8
    assert all(row["exact"] == pytest.approx(exact, abs=1e-6) for row in rows)
    assert all(abs(row["log_z"] - exact) < 3 * row["std_error"] for row in rows)


def largest_ess_first(name, start):
    rows = [row for row in ae.experiments.stored("grosse_table1_mnist")["rows"] if row["start"] == start]
    return sorted((row for row in rows if row["model"] == name), key=lambda row: -row["ess"])


def test_by_pcd_the_stored_table_has_the_papers_order_and_the_base_rates_do_more():
    rows, papers = largest_ess_first("mnist_pcd_20", "uniform"), grosse.PAPER["PCD"]
    assert [(row["path"], row["schedule"]) for row in rows] == sorted(papers, key=lambda key: -papers[key][1])
    assert min(row["ess"] for row in largest_ess_first("mnist_pcd_20", "base rate")) > 3 * rows[0]["ess"]


def test_by_cd1_the_stored_table_has_not_the_papers_order():
    """MAS has the paper's ESS; the geometric path has nothing to lose, from either start."""
    papers = grosse.PAPER["CD1"]
    for start in ("uniform", "base rate"):
        assert [row["path"] for row in largest_ess_first("mnist_cd1_20", start)] == 2 * ["geometric"] + 2 * ["MAS"]
    for row in largest_ess_first("mnist_cd1_20", "uniform")[2:]:
        assert row["ess"] == pytest.approx(papers["MAS", row["schedule"]][1], rel=0.06)


def test_the_stored_curve_at_the_papers_scale_ends_in_the_table():
    table, curve = (ae.experiments.stored(f"grosse_{name}_mnist") for name in ("table1", "figure3"))
    full = grosse.SCALES["full"]
    assert (curve["settings"]["n_steps"], curve["settings"]["n_chains"]) == (full.n_steps, full.n_chains)
    rows = {(r["path"], r["schedule"]): r["log_z"] for r in table["rows"]
            if (r["model"], r["start"]) == ("mnist_pcd_20", "uniform")}  # fmt: skip
    ends = [row for row in curve["rows"] if row["n_steps"] == full.n_steps]
    assert ends and all(row["log_z"] == rows[row["path"], row["schedule"]] for row in ends)
    assert all(row["exact"] == pytest.approx(table["rows"][0]["exact"], abs=1e-6) for row in curve["rows"])


def test_perfect_points_of_figure_3_are_runs_with_exact_draws():
    model, images = ae.BinaryRBM(np.ones((4, 2)), np.zeros(4), np.zeros(2)), np.eye(4)
    points = grosse.figure_3(grosse.SCALES["tiny"], Run(3, model=model, images=images, name="mine"))
    path = ae.geometric_path(ae.base_rate_rbm(images, 2), model)
    wanted = BlockedAIS(path, ae.linear_schedule(5), 25, 3, 25, ae.exact).run().log_weights
    drawn = {(p.start, p.path): p.result.log_weights for p in points if p.transitions == "perfect"}
    np.testing.assert_array_equal(drawn["base rate", "geometric"], wanted)
    assert {point.model for point in points} == {"mine"}


def test_biased_moments_are_compared_with_exact_ones():
    rows = grosse.compare_moments(grosse.SCALES["tiny"])
    assert [row.start for row in rows] == ["uniform", "base rate"]
    for row in rows:
        assert 0 <= row.log_z_p_value <= 1
        assert 0 < row.ess_p_value <= 1
        assert row.exact.log_z != row.biased.log_z


def result(spread, n=200, mean=0.0):
    """Log weights whose spread, and so whose ESS, is given: the quantiles of a normal."""
    log_weights = mean + spread * norm.ppf((np.arange(n) + 0.5) / n)
    return ae.annealing.ais.AISResult(log_weights, np.zeros((n, 1)), 0)


def test_p_values_compare_with_the_largest_ess():
    """Ties are as often larger as not; bounds of 4.5 standard errors of the default number of resamples are wider."""
    wide, narrow, like, middle = result(2.0), result(0.5), result(0.5), result(0.7)
    rng = np.random.default_rng(0)
    p_values = grosse.ess_p_values([wide, narrow, middle, like], rng)
    assert p_values[1] == 1
    assert max(p_values[0], p_values[2]) < 0.05
    assert 0.2 < p_values[3] < 0.8


@pytest.mark.parametrize("order", [1, -1])
def test_p_values_of_a_comparison_are_two_sided_in_log_z_and_of_the_larger_ess(order):
    first, second = result(1.0, mean=0.2), result(1.0)
    z = 0.2 / np.hypot(first.std_error, second.std_error)
    of_log_z, of_ess = grosse._p_values(*(first, second)[::order], np.random.default_rng(0))
    assert of_log_z == pytest.approx(1 - chi2.cdf(z**2, 1), rel=1e-9)
    assert 0.2 < of_ess < 0.8
    of_log_z, of_ess = grosse._p_values(*(result(2.0), result(0.5))[::order], np.random.default_rng(0))
    assert of_ess < 0.01


def test_kept_knots_belong_to_their_ends_and_moments(tmp_path):
    p0, p1 = ae.uniform_rbm(4, 2), ae.BinaryRBM(np.ones((4, 2)), np.zeros(4), np.zeros(2))
    other, run = ae.BinaryRBM(-np.ones((4, 2)), np.zeros(4), np.zeros(2)), Run(folder=tmp_path)
    first = grosse.kept_spline(run, p0, p1)
    assert grosse.kept_spline(run, p0, other)(1).weights[0, 0] == -1
    again = grosse.kept_spline(run, p0, p1)
    np.testing.assert_array_equal(again(0.33).weights, first(0.33).weights)
    assert again.matches[0].residual == first.matches[0].residual
    assert len(list(tmp_path.glob("*.npz"))) == 2
    grosse.kept_spline(run, p0, p1, other.moments())
    assert len(list(tmp_path.glob("*.npz"))) == 3


def test_biased_moments_lean_to_the_high_digits():
    rbm = grosse.models.load("digits8_cd")
    plain = grosse.data_moments(rbm, grosse.digits(8))[0]
    biased = grosse.biased_moments(rbm)[0]
    images, labels = grosse.digits(8), grosse.digit_labels()
    np.testing.assert_allclose(biased, np.average(images, axis=0, weights=labels + 1), atol=1e-6)
    assert np.abs(biased - plain).max() > 0.02


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
        both = REFUSED.get(name, {}).keys().isdisjoint(["--images", "--model"])
        return needed if both else needed[:2] if option == "images" else needed[2:]
    return [f"--{option}"] if VALUES[option] is None else [f"--{option}", VALUES[option]]


@pytest.mark.parametrize("option", VALUES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_option_reaches_the_experiment_or_is_refused_in_words(name, option, files, capsys, monkeypatch):
    """For each experiment and option, but --scale, --seed and --json, which all have."""
    seen, (make, scales) = [], EXPERIMENTS[name]
    monkeypatch.setitem(EXPERIMENTS, name, (wraps(make)(lambda _scale, run: seen.append(run) or []), scales))
    words = words_of(name, option)
    if f"--{option}" in REFUSED.get(name, {}):
        with pytest.raises(SystemExit):
            main([name, *words])
        assert f"{name} takes no --{option}: {REFUSED[name][f'--{option}']}" in capsys.readouterr().err
        assert not seen, "before anything runs"
        return
    main([name, *words] + ["--workers", "1"] * (option != "workers" and "--workers" not in REFUSED.get(name, {})))
    (run,) = seen
    found = {"images": run.images is not None, "model": run.model is not None, "workers": run.executor is not None}
    found |= {"folder": run.folder == Path("kept"), "progress": run.progress}
    assert found[option]
    assert run.seed == 0 and run.report is not None


class Asked(Exception):
    pass


def ask(*_args, **options):
    """Whoever calls this uses the option; a progress bar that is switched off does not."""
    if not options.get("disable"):
        raise Asked


NOT_REFUSED = [
    (name, option)
    for name in EXPERIMENTS
    for option in ("--workers", "--folder", "--progress")
    if option not in REFUSED.get(name, {})
]


@pytest.mark.parametrize(("name", "option"), NOT_REFUSED)
def test_an_experiment_uses_what_it_does_not_refuse(name, option, tmp_path, monkeypatch):
    monkeypatch.setattr(grosse_large, "train_rbm", lambda data, n, **_: ae.base_rate_rbm(data, n))
    given = {}
    if option == "--workers":
        given["executor"] = SimpleNamespace(submit=ask)
    elif option == "--folder":
        given["folder"] = tmp_path
        monkeypatch.setattr(kept, "keep", ask)
    else:
        given["progress"] = True
        monkeypatch.setattr("tqdm.auto.tqdm.__init__", ask)
    make, scales = EXPERIMENTS[name]
    with pytest.raises(Asked):
        make(scales["tiny"], Run(**given))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["grosse-table2", "--model", "binary.npz"], "--model needs --images"),
        (["carlson-rungs", "--model", "binary.npz"], "--model needs --images"),
        (["grosse-table1", "--images", "images.npy"], "--images needs --model"),
        (["kiwaki-starts", "--model", "binary.npz"], "--model must be a GaussianRBM, got a BinaryRBM"),
        (["grosse-table2", "--images", "images.npy", "--model", "gaussian.npz"], "--model must be a BinaryRBM"),
        (["grosse-table2", "--images", "wide.npy", "--model", "binary.npz"], "--model has 4 visible units"),
        (["grosse-table1", "--images", "wide.npy", "--model", "large.npz"], "--model has too many units for the exact"),
        (["grosse-figure3", "--images", "images.npy"], "the stored models of grosse-figure3"),
        (["grosse-figure3", "--images", "wide.npy", "--model", "large.npz"], "for the exact log Z of grosse-figure3"),
        (["grosse-table2", "--images", "nowhere.npy"], "No such file"),
        (["grosse-table2", "--images", "binary.npz"], "binary.npz holds no single array"),
        (["kadan-training", "--images", "words.npy"], "words.npy must hold images"),
        (["kadan-training", "--images", "noise"], "noise is no IDX, NPY or NPZ file"),
        (["kiwaki-starts", "--model", "noise"], "noise is no NPZ file"),
        (["kadan-training", "--seed", "-1"], "--seed must be at least 0"),
        (["kadan-training", "--workers", "0"], "--workers must be at least 1"),
        (["kadan-training", "--json", "nowhere/rows.json"], "--json must be a file in a folder that exists"),
        (["kadan-training", "--json", "."], "--json must be a file in a folder that exists"),
        (["kadan-training", "--folder", "noise"], "--folder must be a folder"),
        (["kadan-training", "--scale", "medium"], "invalid choice: 'medium'"),
        (["kadan"], "invalid choice: 'kadan'"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words_before_the_run(words, complaint, files, capsys, monkeypatch):
    np.save("wide.npy", np.eye(30))
    np.save("words.npy", np.array([["a", "b"]]))
    Path("noise").write_bytes(b"noise")
    ae.data.save_rbm("large.npz", ae.BinaryRBM(np.ones((30, 30)), np.zeros(30), np.zeros(30)))
    with pytest.raises(SystemExit):
        main(words)
    assert complaint in capsys.readouterr().err
    assert not Path("runs").exists()


ROWS_OF = {
    "carlson-tracking": 21, "grosse-table1": 8, "grosse-figure3": 20, "grosse-table2": 6, "kadan-training": 18,
    "kiwaki-starts": 12,
}  # fmt: skip


@pytest.mark.parametrize(("name", "n_rows"), always(("grosse-table1", 8), ("kiwaki-starts", 12), of=ROWS_OF.items()))
def test_images_and_models_of_yours_are_taken(name, n_rows, files, capsys, monkeypatch):
    """Grey ones, of which half are dark; each experiment gives all its rows of them."""
    rng = np.random.default_rng(0)
    np.save("images.npy", rng.choice([20, 180], size=(40, 2, 2)).astype(np.uint8))
    ae.data.save_rbm("binary.npz", ae.BinaryRBM(rng.normal(size=(4, 2)), rng.normal(size=4), rng.normal(size=2)))
    words = words_of(name, "model" if name == "kiwaki-starts" else "images")
    words = ["--workers", "1", *words] if name != "carlson-tracking" else words
    main([name, "--scale", "tiny", "--json", "rows.json", *words])
    found = json.loads(Path("rows.json").read_text(encoding="utf-8"))
    assert len(found["rows"]) == n_rows and found["command"].endswith(" ".join(words[-2:]))
    if "--model" in words and name != "grosse-table2":
        assert {row["model"] for row in found["rows"]} == {Path(words[words.index("--model") + 1]).stem}
    assert found["machine"]["numpy"] == np.__version__ and found["machine"]["processor"]
    if "--images" in words:
        assert "images.npy: 40 images of 4 pixels, made binary at 100" in capsys.readouterr().out


def test_a_stored_model_is_taken_by_its_name(files):
    np.save("digits.npy", ae.data.digits(8))
    words = ["--images", "digits.npy", "--model", "digits8_cd"]
    main(["grosse-table1", "--scale", "tiny", "--workers", "1", "--json", "rows.json", *words])
    found = json.loads(Path("rows.json").read_text(encoding="utf-8"))
    assert found["command"].endswith(" ".join(words))
    stored = grosse.table_1(grosse.SCALES["tiny"])
    assert [row["log_z"] for row in found["rows"]] == [row.result.log_z for row in stored]


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


def test_without_options_work_is_kept_in_runs_and_spread_over_cores(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    seen = []

    def watched(scale, run):
        """Nothing."""
        seen.append((run.executor is not None, run.folder, run.progress))
        return []

    for name in ("grosse-table1", "carlson-tracking"):
        monkeypatch.setitem(EXPERIMENTS, name, (watched, EXPERIMENTS[name][1]))
        main([name])
    assert seen == [(True, Path("runs"), False), (False, Path("runs"), False)]


def test_ctrl_c_ends_in_one_line_that_says_what_is_kept(tmp_path):
    """Pressed once some work is done: all processes of the terminal get it, and none is left that could still write."""
    command = [sys.executable, "-m", "anneal_edu", "experiment", "grosse-table1", "--scale", "quick", "--workers", "2"]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not list(tmp_path.glob("runs/*.npz")) and run.poll() is None:
        time.sleep(0.01)
    os.killpg(run.pid, signal.SIGINT)
    words = run.communicate(timeout=60)[1]
    assert words == "\ninterrupted: finished work is kept in runs, and the same command goes on from it\n"
    assert run.returncode == 130


@pytest.mark.parametrize("damaged", [False, True])
def test_what_stops_a_run_is_one_line(damaged, tmp_path, capsys, monkeypatch):
    def stop(_scale, _run):
        """Nothing."""
        if not damaged:
            raise KeyboardInterrupt
        kept.kept(tmp_path / "kept.npz")

    (tmp_path / "kept.npz").touch()
    monkeypatch.setitem(EXPERIMENTS, "carlson-tracking", (stop, EXPERIMENTS["carlson-tracking"][1]))
    with pytest.raises(SystemExit) as end:
        open_door(["experiment", "carlson-tracking"])
    words = r"error: .*kept\.npz is damaged .*; delete it, .*" if damaged else r"\ninterrupted: .* is not kept"
    assert end.value.code == (2 if damaged else 130) and re.fullmatch(words + "\n", capsys.readouterr().err)


def test_table_2_runs_from_the_command_line(tmp_path, capsys, monkeypatch):
    tiny, fit = grosse_large.SCALES["tiny"], grosse_large.KnotFit(3, 10, 0.05)
    short = {name: recipe._replace(n_updates=20) for name, recipe in tiny.training.items()}
    sizes = {"n_steps": 10, "n_chains": 20, "n_reverse": 20, "block_size": 10, "fit": fit, "cheap_fit": fit}
    monkeypatch.setitem(grosse_large.SCALES, "tiny", replace(tiny, training=short, **sizes))
    file = tmp_path / "table2.json"
    main(["grosse-table2", "--scale", "tiny", "--folder", str(tmp_path), "--workers", "1", "--json", str(file)])
    stored = json.loads(file.read_text(encoding="utf-8"))
    rows = stored["rows"]
    assert stored["settings"]["training"]["CD1"]["method"] == "cd"
    assert stored["settings"]["n_hidden"] == 10
    assert len({(row["model"], row["start"], row["path"]) for row in rows}) == len(rows) == 12
    assert "reverse" in capsys.readouterr().out


def test_the_starts_of_gaussian_rbms_run_from_the_command_line(tmp_path, capsys):
    file = tmp_path / "starts.json"
    main(["kiwaki-starts", "--scale", "tiny", "--folder", str(tmp_path), "--workers", "1", "--json", str(file)])
    stored = json.loads(file.read_text(encoding="utf-8"))
    assert len({(row["start"], row["kernel"], row["n_steps"]) for row in stored["rows"]}) == len(stored["rows"]) == 12
    assert "four modes" in capsys.readouterr().out


def test_rows_of_the_geometric_path_do_not_wait_for_knots(monkeypatch):
    """Of a model of yours the knots can take half an hour."""
    said = []

    def fit(run, p0, p1):
        said.append("knots")
        return ae.geometric_path(p0, p1)

    monkeypatch.setattr(grosse, "kept_spline", fit)
    model = ae.BinaryRBM(np.ones((4, 2)), np.zeros(4), np.zeros(2))
    grosse.table_1(grosse.SCALES["tiny"], Run(report=said.append, model=model, images=np.eye(4)))
    order = [getattr(word, "path", word) for word in said if "p-values" not in str(word)]
    assert order == ["geometric", "geometric", "knots", "MAS", "MAS"] * 2
