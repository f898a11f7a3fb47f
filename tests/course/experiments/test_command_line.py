import inspect
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2, norm

import anneal_edu as ae
from anneal_edu.course.experiments import grosse, grosse_large
from anneal_edu.course.experiments.__main__ import EXPERIMENTS, REFUSED, _image_rows, main


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


def test_biased_moments_are_compared_with_exact_ones():
    rows = grosse.biased_moments_experiment(grosse.SCALES["tiny"])
    assert [row.start for row in rows] == ["uniform", "base rate"]
    for row in rows:
        assert 0 <= row.log_z_p_value <= 1
        assert 0 < row.ess_p_value <= 1
        assert row.exact.log_z != row.biased.log_z


def result(spread, n=200, mean=0.0):
    """Log weights whose spread, and so whose ESS, is given: the quantiles of a normal."""
    log_weights = mean + spread * norm.ppf((np.arange(n) + 0.5) / n)
    return ae.AISResult(log_weights, np.zeros((n, 1)), 0)


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
    other = ae.BinaryRBM(-np.ones((4, 2)), np.zeros(4), np.zeros(2))
    first = grosse.kept_spline(tmp_path, "model", p0, p1)
    assert grosse.kept_spline(tmp_path, "model", p0, other)(1).weights[0, 0] == -1
    again = grosse.kept_spline(tmp_path, "model", p0, p1)
    np.testing.assert_array_equal(again(0.33).weights, first(0.33).weights)
    assert len(list(tmp_path.glob("*.npz"))) == 2


def test_biased_moments_lean_to_the_high_digits():
    rbm = grosse.models.load("digits8_cd")
    plain = grosse.data_moments(rbm, grosse.digits(8))[0]
    biased = grosse.biased_moments(rbm)[0]
    images, labels = grosse.digits(8), grosse.digit_labels()
    np.testing.assert_allclose(biased, np.average(images, axis=0, weights=labels + 1), atol=1e-6)
    assert np.abs(biased - plain).max() > 0.02


def test_a_worker_count_of_zero_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["grosse-table1", "--workers", "0"])
    assert "--workers must be at least 1" in capsys.readouterr().err


OPTIONS = {"--workers": ("executor", ["--workers", "2"]), "--folder": ("args.folder", ["--folder", "kept"])}
OPTIONS["--progress"] = "args.progress", ["--progress"]


def body(command):
    """What a command does, without its signature; the helper of the image models included."""
    source = inspect.getsource(command).split('"""')[-1]
    return source + (inspect.getsource(_image_rows).split("\n", 1)[1] if "_image_rows(" in source else "")


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_option_is_handed_on_or_refused_in_words(name, option, capsys):
    expression, arguments = OPTIONS[option]
    run, _ = EXPERIMENTS[name]
    if option not in REFUSED.get(name, {}):
        assert expression in body(run)
        return
    assert expression not in body(run)
    with pytest.raises(SystemExit):
        main([name, *arguments])
    assert f"{name} takes no {option}: {REFUSED[name][option]}" in capsys.readouterr().err


def test_without_options_work_is_kept_in_runs_and_spread_over_cores(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    seen = []

    def watched(args, executor):
        seen.append((executor is not None, args.folder, args.progress))
        return []

    for name in ("grosse-table1", "carlson-tracking"):
        monkeypatch.setitem(EXPERIMENTS, name, (watched, EXPERIMENTS[name][1]))
        main([name])
    assert seen == [(True, Path("runs"), False), (False, Path("runs"), False)]


@pytest.mark.parametrize("place", ["nowhere/rows.json", "."])
def test_a_file_that_cannot_be_written_is_refused_before_the_run(place, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["grosse-table1", "--scale", "tiny", "--json", str(tmp_path / place)])
    assert "--json must be a file in a folder that exists" in capsys.readouterr().err
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit):
        main(["grosse-table1", "--scale", "tiny", "--folder", str(tmp_path / "file")])
    assert "--folder must be a folder" in capsys.readouterr().err


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
