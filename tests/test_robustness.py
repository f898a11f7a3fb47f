"""The instruments of tools/robustness: shifted seeds, imitated processors, and margins of comparisons."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import margins
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


# Margins

OPTIONS = '''
def pytest_addoption(parser):
    parser.addoption("--seed-shift")
    parser.addoption("--thorough", action="store_true")
'''
TESTS = '''
import numpy as np

found = 0.05

def test_near():
    assert -5 <= found < 0.2

def test_far():
    assert found < 1

def test_close():
    np.testing.assert_allclose([0, found], 0, atol=0.2)

def test_no_numbers():
    assert {1} < {1, 2} and not {1, 2} < {1}
'''


def test_comparisons_near_their_limits_are_listed(tmp_path, monkeypatch, capsys):
    """The tests run under the first shift; under the others their number is larger, and every margin less."""

    def run(shift, folder, which, jobs):
        if shift == 0:
            return run_tests(shift, folder, which, jobs)
        (first,) = folder.glob("0_*.json")
        more = [0.0, 0.05, 0.14, 0.03][shift]
        kept = {key: margin - more for key, margin in json.loads(first.read_text()).items()}
        (folder / f"{shift}_0.json").write_text(json.dumps(kept))
        return 0

    run_tests = margins.run
    monkeypatch.setattr(margins, "run", run)
    (tmp_path / "test_means.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(OPTIONS)
    (tmp_path / "tools").symlink_to(margins.ROOT / "tools")
    monkeypatch.setattr(margins, "ROOT", tmp_path)
    folder = tmp_path / "kept"
    monkeypatch.setattr(sys, "argv", ["margins.py", *"0123", "test_means.py", "--jobs", "0", "--folder", str(folder)])
    margins.main()
    listed = capsys.readouterr().out
    assert "test_near  line 7: assert -5 <= found < 0.2  [0.01 0.1 0.12 0.15]" in listed
    assert "test_close  line 13: np.testing.assert_allclose([0, found], 0, atol=0.2)  [0.01 0.1 0.12 0.15]" in listed
    assert len(listed.split("  line ")) == 3  # not the margin of -5 <= found


def test_room_is_the_median_over_its_fall(tmp_path):
    for shift, margin in enumerate([1.0, 0.3, 1.2, 1.1, 0.9]):
        kept = {"t|f:1:0": margin, "u|f:2:0": margin + 2, "never met|f:3:0": -1.0}
        (tmp_path / f"{shift}_7.json").write_text(json.dumps(kept))
    ((room, found, test, place),) = margins.nearest(tmp_path)
    assert (test, place) == ("t", "f:1:0") and room == pytest.approx(1 / 0.7)
    np.testing.assert_array_equal(found, [0.3, 0.9, 1.0, 1.1, 1.2])
