"""Wrong answers that readers made up and that a check once let pass, each right wherever it is asked about less."""

import pytest

import anneal_edu as ae

ONCE_PASSED = {
}  # fmt: skip


@pytest.mark.parametrize("what", ONCE_PASSED)
def test_it_passes_no_more(what):
    module, _, name = what.partition(",")[0].partition(".")
    verdict = getattr(getattr(ae.check, module), name)(ONCE_PASSED[what])
    assert verdict.passed is False
    assert "raised" not in verdict.message
