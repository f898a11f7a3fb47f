"""Options for shifted seeds and thorough tests; the package is imported before pytest imports its files one by one,
so that ae.ais stays the function."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "tools" / "robustness"))

import seed_shift


def pytest_addoption(parser):
    parser.addoption(
        "--seed-shift",
        type=int,
        default=0,
        metavar="N",
        help="every seed s given to np.random.default_rng becomes [s, N]: does a test have a margin? (0: as written)",
    )
    parser.addoption("--thorough", action="store_true", help="also the slow tests that repeat what quicker tests say")


def pytest_configure(config):
    config.addinivalue_line("markers", "thorough(quicker): slow, and the named quicker test says the same")
    config.addinivalue_line("markers", "fixed_seed(why): about one seed; skipped where seeds are shifted")
    if shift := config.getoption("--seed-shift"):
        seed_shift.install(shift)
        seed_shift.inherit(shift)
    import anneal_edu  # noqa: F401


def pytest_collection_modifyitems(config, items):
    """Leave out thorough tests unless asked for, and under a shift what is about one seed (docstrings are)."""
    if not config.getoption("--thorough") and not any("::" in asked for asked in config.args):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("thorough")])
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]
    if config.getoption("--seed-shift"):
        for item in items:
            if item.get_closest_marker("fixed_seed") or isinstance(item, pytest.DoctestItem):
                item.add_marker(pytest.mark.skip(reason="seeds are shifted"))
