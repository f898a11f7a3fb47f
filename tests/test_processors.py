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
