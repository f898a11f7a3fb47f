"""A comparison that will fall one day is told from one that will not, by a few runs that both pass."""

import json
import sys

import numpy as np
import pytest

import margins

OPTIONS = '''
def pytest_addoption(parser):
    parser.addoption("--seed-shift")
    parser.addoption("--thorough", action="store_true")
'''
TESTS = '''
import os
import numpy as np

found = [0.05, 0.1, 0.19, 0.08][int(os.environ["ANNEAL_EDU_MARGINS_SHIFT"])]

def test_near():
    assert -5 <= found < 0.2

def test_far():
    assert found < 1

def test_close():
    np.testing.assert_allclose([0, found], 0, atol=0.2)

def test_no_numbers():
    assert {1} < {1, 2} and not {1, 2} < {1}
'''


def test_the_near_one_is_listed_and_the_far_one_is_not(tmp_path, monkeypatch, capsys):
    (tmp_path / "test_means.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(OPTIONS)
    (tmp_path / "tools").symlink_to(margins.ROOT / "tools")
    monkeypatch.setattr(margins, "ROOT", tmp_path)
    folder = tmp_path / "kept"
    monkeypatch.setattr(sys, "argv", ["margins.py", *"0123", "test_means.py", "--jobs", "0", "--folder", str(folder)])
    margins.main()
    listed = capsys.readouterr().out
    assert "test_near  line 8: assert -5 <= found < 0.2  [0.01 0.1 0.12 0.15]" in listed
    assert "test_close  line 14: np.testing.assert_allclose([0, found], 0, atol=0.2)  [0.01 0.1 0.12 0.15]" in listed
    assert len(listed.split("  line ")) == 3  # not the margin of -5 <= found


def test_room_is_the_median_over_its_fall(tmp_path):
    for shift, margin in enumerate([1.0, 0.3, 1.2, 1.1, 0.9]):
        kept = {"t|f:1:0": margin, "u|f:2:0": margin + 2, "never met|f:3:0": -1.0}
        (tmp_path / f"{shift}_7.json").write_text(json.dumps(kept))
    ((room, found, test, place),) = margins.nearest(tmp_path)
    assert (test, place) == ("t", "f:1:0") and room == pytest.approx(1 / 0.7)
    np.testing.assert_array_equal(found, [0.3, 0.9, 1.0, 1.1, 1.2])


def test_chains_of_comparisons_are_as_pythons():
    assert margins.compare("p", ("lt", "le"), 1, 2, 2)
    assert not margins.compare("p", ("lt", "le"), 1, 1, 2)
    assert margins.compare("p", ("gt",), np.array([3, 2]), 1).all()
    with pytest.raises(TypeError):
        margins.compare("p", ("lt",), 1, "one")
