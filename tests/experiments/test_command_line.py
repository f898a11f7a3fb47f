import json

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.experiments import grosse
from anneal_edu.experiments.__main__ import main


def test_table_1_has_its_eight_rows_and_leaves_them_in_a_file(tmp_path, capsys):
    arguments = ["grosse-table1", "--scale", "tiny", "--folder", str(tmp_path / "kept"), "--json"]
    main([*arguments, str(tmp_path / "first.json"), "--workers", "1"])
    printed = capsys.readouterr().out
    stored = json.loads((tmp_path / "first.json").read_text(encoding="utf-8"))
    rows = stored["rows"]
    assert len({(row["start"], row["path"], row["schedule"]) for row in rows}) == len(rows) == 8
    assert stored["command"].startswith("python -m anneal_edu.experiments grosse-table1 --scale tiny")
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


def test_table_2_runs_from_the_command_line(tmp_path, capsys):
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
