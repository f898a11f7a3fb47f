"""The instruments of tools/robustness: shifted seeds and imitated processors."""

import os
import subprocess
import sys

import numpy as np
import pytest

import processors
import seed_shift

# Shifted seeds


@pytest.fixture
def shifted():
    """The generator without a shift, while every seed is shifted by seven."""
    before = np.random.default_rng
    seed_shift.install(7)
    yield np.random.default_rng.unshifted
    np.random.default_rng = before


@pytest.mark.parametrize("seed", [3, np.int64(3), [3, 4], (3, 4), np.array([3, 4])])
def test_a_fixed_seed_becomes_another(seed, shifted):
    assert np.random.default_rng(seed).integers(2**60) == shifted([*np.ravel(seed), 7]).integers(2**60)


def test_generators_and_seed_sequences_stay_as_they_are(shifted):
    rng, sequence, bits = shifted(1), np.random.SeedSequence(5), np.random.SFC64(2)
    assert np.random.default_rng(rng) is rng
    assert np.random.default_rng(bits).bit_generator is bits
    assert np.random.default_rng(sequence).integers(2**60) == shifted(sequence).integers(2**60)
    assert np.random.default_rng().integers(2**60) != np.random.default_rng().integers(2**60)


def test_a_started_process_inherits_the_shift(shifted):
    environment = dict(os.environ)
    seed_shift.inherit(7, environment)
    script = "import numpy as np; print(np.random.default_rng([3, 4]).integers(2**60))"
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert int(run.stdout) == shifted([3, 4, 7]).integers(2**60)


# Processors


@pytest.mark.parametrize("name", list(processors.LOOPS))
def test_a_processor_is_imitated_or_left_out(name):
    environment = processors.environment_of(name, 1)
    if environment is None:
        pytest.skip("this processor lacks its instructions")
    seen = processors.seen_by(environment)
    assert seen["kernels"] == [name]
    assert set(seen["dispatch"]) <= processors.LOOPS[name]


def test_a_processor_with_unknown_instructions_is_left_out(monkeypatch):
    monkeypatch.setattr(processors, "seen_by", lambda environment: {"features": ["SSE42"], "dispatch": []})
    assert processors.environment_of("Haswell", 1) is None


def test_a_run_shifts_the_seeds_and_names_what_failed(tmp_path, monkeypatch):
    (tmp_path / "conftest.py").write_text("def pytest_addoption(parser): parser.addoption('--seed-shift', type=int)\n")
    seven = "def test_seven(pytestconfig): assert pytestconfig.getoption('seed_shift') == 7\n"
    (tmp_path / "test_two.py").write_text(seven + "def test_bad(): assert 1 == 2\n")
    monkeypatch.setattr(processors, "ROOT", tmp_path)
    monkeypatch.setitem(processors.STAGES, "tests", ["-p", "no:cacheprovider"])
    found = processors.run("tests", dict(os.environ), 1, shift=7)
    assert not found["green"] and found["said"] == "1 of 2" and found["fell"] == ["test_two.py::test_bad"]
