"""A seed shift reaches this process and those it starts, and the tests that may ignore it are few."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import seed_shift

ROOT = Path(__file__).parents[1]


@pytest.fixture
def shifted():
    """Seeds shifted by seven, and afterwards as they were."""
    before = np.random.default_rng
    seed_shift.install(7)
    yield np.random.default_rng.unshifted
    np.random.default_rng = before


@pytest.mark.parametrize("seed", [3, np.int64(3), [3, 4], (3, 4), np.array([3, 4])])
def test_a_fixed_seed_becomes_another(seed, shifted):
    parts = [*np.ravel(seed), 7]
    assert np.random.default_rng(seed).integers(2**60) == shifted(parts).integers(2**60)
    assert np.random.default_rng(seed).integers(2**60) != shifted(seed).integers(2**60)


def test_what_is_no_fixed_seed_stays_what_it_is(shifted):
    rng, sequence, bits = shifted(1), np.random.SeedSequence(5), np.random.SFC64(2)
    assert np.random.default_rng(rng) is rng
    assert np.random.default_rng(bits).bit_generator is bits
    assert np.random.default_rng(sequence).integers(2**60) == shifted(sequence).integers(2**60)
    assert np.random.default_rng().integers(2**60) != np.random.default_rng().integers(2**60)
    with pytest.raises(ValueError):
        np.random.default_rng(-1)


def test_shifting_twice_shifts_once_and_zero_takes_it_back(shifted):
    seed_shift.install(8)
    assert np.random.default_rng(3).integers(2**60) == shifted([3, 8]).integers(2**60)
    seed_shift.install(0)
    assert np.random.default_rng is shifted


def test_what_is_started_inherits_the_shift(shifted):
    environment = dict(os.environ)
    seed_shift.inherit(7, environment)
    script = "import numpy as np; print(np.random.default_rng([3, 4]).integers(2**60))"
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert int(run.stdout) == shifted([3, 4, 7]).integers(2**60)


MARKED = """
import pytest

@pytest.mark.parametrize("i", range({n}))
@pytest.mark.fixed_seed({why})
def test_one_seed(i):
    assert i >= 0
"""


@pytest.mark.parametrize(
    "n, why, options, said",
    [
        (15, "'stored'", [], "15 passed"),
        (15, "'stored'", ["--seed-shift", "7"], "15 skipped"),
        (16, "'stored'", [], "16 tests are about one seed"),
        (1, "", [], "does not say why"),
    ],
)
def test_few_tests_are_about_one_seed_and_each_says_why(n, why, options, said, tmp_path):
    (tmp_path / "test_marked.py").write_text(MARKED.format(n=n, why=why))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), "-c"]
    command += [str(ROOT / "pyproject.toml"), "-p", "conftest", str(tmp_path), *options]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert said in run.stdout + run.stderr
