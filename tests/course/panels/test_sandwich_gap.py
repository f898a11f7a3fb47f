"""The stories that notebook 06 tells with the panel."""

import numpy as np
import pytest

from anneal_edu.course.experiments import stored
from anneal_edu.course.panels import LargeModels, large_models, sandwich_gap
from anneal_edu.course.panels.sandwich_gap import EXACT, FROM_CHAINS, FROM_DIGITS, forward, reverse


@pytest.mark.parametrize(
    "path, draws, low, high",
    [
        ("geometric", EXACT, (-12, -4), (5, 13)),
        ("geometric", FROM_CHAINS, (-12, -4), (-12, -3)),
        ("geometric", FROM_DIGITS, (-12, -4), (-60, -20)),
        ("MAS", FROM_CHAINS, (-4, 4), (-4, 4)),
    ],
)
def test_each_story_is_so(path, draws, low, high):
    """Of three seeds two at least: now and then a single chain carries a run, to either side."""
    log_z = sandwich_gap.models.load(sandwich_gap.MODEL).log_z()
    ends = [(forward(path, seed)[-1].log_z, reverse(path, draws, seed)[1][-1].log_z) for seed in range(3)]
    found = np.median(ends, axis=0) - log_z
    assert low[0] < found[0] < low[1] and high[0] < found[1] < high[1]


def test_bounds_from_exact_draws_cross_as_rarely_as_is_said():
    """The worst that Markov allows is two averages that are 10 with probability 0.1, and else 0."""
    rng, n = np.random.default_rng(0), 40_000
    with np.errstate(divide="ignore"):
        one, other = np.log(10 * (rng.random((2, n)) < 0.1))
    assert abs((one + other >= sandwich_gap.CROSSING - 1e-9).mean() - 0.01) < 4.5 * np.sqrt(0.01 / n)


def test_the_rows_of_large_models_are_those_of_table_2():
    """At the end of Figure 5; the reference is the mean of the two geometric estimates."""
    panel = LargeModels(power=5)
    values, ess, reference = large_models.runs("PCD")
    table = [row for row in stored("grosse_table2_mnist")["rows"] if row["model"] == "mnist_pcd_500"]
    assert [(r["start"], r["path"]) for r in table] == [*large_models.PAPER["PCD"]]
    np.testing.assert_allclose(values[-1, :, 0, 0] + reference, [r["log_z"] for r in table])
    np.testing.assert_allclose(values[-1, :, 1, 0] + reference, [r["reverse_log_z"] for r in table])
    assert np.exp(values[-1, [0, 3], 0, 0]).mean() == pytest.approx(1)
    said = {text.get_gid(): text.get_text() for text in panel.axes[0].texts}
    assert [said[f"ess {i}"] for i in range(6)] == [f"{size:.0f}" for size in ess[-1]]
    panel.close()
