"""The stories that notebook 06 tells with the panel, and what it says where the truth is hidden."""

import pytest

from anneal_edu.panels.sandwich_gap import EXACT, FROM_CHAINS, FROM_DIGITS, SandwichGap

STORIES = {
    "exact draws": (dict(draws=EXACT), "The exact log Z lies between them"),
    "fooled": (dict(draws=FROM_CHAINS), "both miss the same region"),
    "refuted": (dict(draws=FROM_DIGITS), "Bounds cannot cross"),
    "cured": (dict(draws=FROM_CHAINS, path="MAS"), "and the exact log Z agree"),
    "fooled, and nobody can tell": (dict(draws=FROM_CHAINS, truth="hidden"), "cannot be seen from here"),
}


@pytest.mark.parametrize("story", STORIES)
def test_each_story_is_told(story):
    settings, words = STORIES[story]
    panel = SandwichGap(**settings)
    try:
        assert words in panel.takeaway
        assert ("exact log Z" in panel.readout) == (panel.truth.value == "shown")
    finally:
        panel.close()
