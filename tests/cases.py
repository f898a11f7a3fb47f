"""Cases of one test, of which some are run always, and the others where there is time."""

import pytest

OTHERS = pytest.mark.thorough("the same test on other cases")


def always(*chosen, of):
    """The cases `of` a test: the chosen ones are run always, the others with --thorough."""
    of = list(of)
    assert set(chosen) < set(of), f"{set(chosen) - set(of)} are no cases"
    return [case if case in chosen else pytest.param(*_unpacked(case), marks=OTHERS) for case in of]


def _unpacked(case):
    return case if isinstance(case, tuple) else (case,)
