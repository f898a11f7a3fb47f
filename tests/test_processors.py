"""Other processors are imitated by what numpy and OpenBLAS say of themselves."""

import numpy as np
import pytest

import processors


@pytest.mark.parametrize("name", list(processors.LOOPS))
def test_a_processor_is_what_was_asked_for_or_left_out(name):
    environment = processors.environment_of(name, 1)
    if environment is None:
        pytest.skip("this processor lacks its instructions")
    seen = processors.seen_by(environment)
    assert seen["kernels"] == [name]
    assert set(seen["dispatch"]) <= processors.LOOPS[name]


def test_the_own_processor_is_left_as_it_is():
    environment = processors.environment_of(processors.OWN, 2)
    assert environment["OPENBLAS_NUM_THREADS"] == "2"
    assert "OPENBLAS_CORETYPE" not in environment.keys() - processors.os.environ.keys()


def test_what_the_processor_cannot_run_is_left_out(monkeypatch):
    monkeypatch.setattr(processors, "seen_by", lambda environment: {"features": ["SSE42"], "dispatch": []})
    assert processors.environment_of("Haswell", 1) is None


def test_a_failed_test_is_named(tmp_path, monkeypatch):
    (tmp_path / "test_two.py").write_text("def test_good(): pass\ndef test_bad(): assert 1 == 2\n")
    monkeypatch.setattr(processors, "ROOT", tmp_path)
    monkeypatch.setitem(processors.STAGES, "tests", ["-p", "no:cacheprovider"])
    found = processors.run("tests", dict(processors.os.environ), 1)
    assert not found["green"] and found["said"] == "1 of 2" and found["fell"] == ["test_two.py::test_bad"]
    assert np.isfinite(found["seconds"])


def test_shifts_are_dealt_to_the_processors_in_turn():
    assert processors.runs(["own", "Haswell"], [1, 2], None) == [
        ("own", 1, 0), ("Haswell", 1, 0), ("own", 2, 0), ("Haswell", 2, 0),
    ]  # fmt: skip
    assert processors.runs(["own", "Haswell"], [1, 2], [7, 8, 9, 10, 11]) == [
        ("own", 1, 7), ("Haswell", 1, 8), ("own", 2, 9), ("Haswell", 2, 10), ("own", 1, 11),
    ]  # fmt: skip


def test_a_run_shifts_the_seeds(tmp_path, monkeypatch):
    (tmp_path / "conftest.py").write_text("def pytest_addoption(parser): parser.addoption('--seed-shift', type=int)\n")
    (tmp_path / "test_one.py").write_text("def test_it(pytestconfig): assert pytestconfig.getoption('seed_shift') == 7")
    monkeypatch.setattr(processors, "ROOT", tmp_path)
    monkeypatch.setitem(processors.STAGES, "tests", ["-p", "no:cacheprovider"])
    environment = dict(processors.os.environ)
    assert processors.run("tests", environment, 1, 7)["green"]
    assert not processors.run("tests", environment, 1, 8)["green"]
