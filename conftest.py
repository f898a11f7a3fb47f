"""Seeds that can be shifted; and the package is imported before pytest imports its files one by one, so that ae.ais
stays the function, not the file."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "tools"))

import seed_shift

MOST_ABOUT_ONE_SEED = 15


def pytest_addoption(parser):
    parser.addoption(
        "--seed-shift",
        type=int,
        default=0,
        metavar="N",
        help="every seed s given to np.random.default_rng becomes [s, N]: does a test have a margin? (0: as written)",
    )
    parser.addoption(
        "--thorough",
        action="store_true",
        help="also the tests that say again, longer or on other cases, what quicker ones say (with a name, all run)",
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "thorough(quicker): takes seconds, and what a quicker test says of it; runs with --thorough"
    )
    config.addinivalue_line(
        "markers", "fixed_seed(why): the numbers of this very seed are the point; left out where seeds are shifted"
    )
    if shift := config.getoption("--seed-shift"):
        seed_shift.install(shift)
        seed_shift.inherit(shift)
    import anneal_edu  # noqa: F401


def pytest_collection_modifyitems(config, items):
    leave_out_what_is_about_one_seed(config, items)
    leave_out_the_thorough(config, items)


def leave_out_the_thorough(config, items):
    """Leave them out, if nobody asks for all or for one by its name."""
    thorough = {item: marker for item in items if (marker := item.get_closest_marker("thorough"))}
    for item, marker in thorough.items():
        if not (marker.args and isinstance(marker.args[0], str)):
            raise pytest.UsageError(f"{item.nodeid} does not say what is quicker: thorough('what')")
    if not config.getoption("--thorough") and not any("::" in asked for asked in config.args):
        config.hook.pytest_deselected(items=list(thorough))
        items[:] = [item for item in items if item not in thorough]


def leave_out_what_is_about_one_seed(config, items):
    """Where seeds are shifted, leave out what is about one seed, and docstrings, which print what theirs gives."""
    about_one_seed = {item: marker for item in items if (marker := item.get_closest_marker("fixed_seed"))}
    if len(about_one_seed) > MOST_ABOUT_ONE_SEED:
        raise pytest.UsageError(f"{len(about_one_seed)} tests are about one seed, more than {MOST_ABOUT_ONE_SEED}")
    for item, marker in about_one_seed.items():
        if not (marker.args and isinstance(marker.args[0], str)):
            raise pytest.UsageError(f"{item.nodeid} does not say why it is about one seed: fixed_seed('why')")
    if not config.getoption("--seed-shift"):
        return
    for item in items:
        if item in about_one_seed:
            item.add_marker(pytest.mark.skip(reason=f"seeds are shifted: {about_one_seed[item].args[0]}"))
        elif isinstance(item, pytest.DoctestItem):
            item.add_marker(pytest.mark.skip(reason="seeds are shifted: a docstring prints what its own seed gives"))
