"""A seed shift reaches this process and those it starts; which tests a run leaves out, and why."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

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


class Item:
    """What the hook needs of a test."""

    nodeid = "test_one.py::test_one_seed"

    def __init__(self, *why):
        self.markers = [pytest.mark.fixed_seed(*why).mark] if why != (None,) else []

    def get_closest_marker(self, name):
        return next((marker for marker in self.markers if marker.name == name), None)

    def add_marker(self, marker):
        self.markers.append(marker.mark)


def left_out(items, shift, config):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config.option, "seed_shift", shift)
        conftest_of(config).pytest_collection_modifyitems(config, items)
    return sum(item.get_closest_marker("skip") is not None for item in items)


class Thorough(Item):
    def __init__(self, *why):
        super().__init__(None)
        self.markers = [pytest.mark.thorough(*why).mark]


@pytest.mark.parametrize(
    ("all_of_them", "asked", "n_run"), [(False, ["tests"], 1), (True, ["tests"], 2), (False, ["test_one.py::test"], 2)]
)
def test_the_thorough_run_where_all_are_asked_for_or_one_by_its_name(all_of_them, asked, n_run, pytestconfig):
    items = [Thorough("a quicker one"), Item(None)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pytestconfig.option, "thorough", all_of_them)
        patch.setattr(pytestconfig, "args", asked)
        patch.setattr(pytestconfig, "hook", SimpleNamespace(pytest_deselected=lambda items: None))
        conftest_of(pytestconfig).pytest_collection_modifyitems(pytestconfig, items)
    assert len(items) == n_run and isinstance(items[-1], Item)


def test_the_thorough_say_what_is_quicker(pytestconfig):
    with pytest.raises(pytest.UsageError, match="does not say what is quicker"):
        left_out([Thorough()], 0, pytestconfig)


def conftest_of(config):
    path = str(ROOT / "conftest.py")
    return next(plugin for plugin in config.pluginmanager.get_plugins() if getattr(plugin, "__file__", "") == path)


def test_what_is_about_one_seed_is_left_out_under_a_shift_only(pytestconfig):
    items = [Item("stored"), Item(None)]
    assert left_out(items, 0, pytestconfig) == 0
    assert left_out(items, 7, pytestconfig) == 1


def test_few_tests_are_about_one_seed_and_each_says_why(pytestconfig):
    left_out([Item("stored")] * 15, 0, pytestconfig)
    with pytest.raises(pytest.UsageError, match="16 tests are about one seed, more than 15"):
        left_out([Item("stored") for _ in range(16)], 0, pytestconfig)
    with pytest.raises(pytest.UsageError, match="does not say why"):
        left_out([Item()], 0, pytestconfig)
