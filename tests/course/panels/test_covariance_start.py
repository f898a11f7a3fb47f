"""The panels of notebook 07 draw exact shares and sound error bars, and what the paper's figures tell holds."""

import numpy as np
import pytest

from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.panels import StartCovariance, start_covariance, where_to_start
from anneal_edu.course.panels.four_modes import FourModes, density, in_small_modes, walk
from anneal_edu.course.panels.where_to_start import mean_ess
from tests.course.panels.conftest import drawn


@pytest.mark.parametrize("start", kiwaki.STARTS)
@pytest.mark.parametrize("beta", [0.0, 0.25, 1.0])
def test_shares_of_small_modes_by_sum_and_by_exact_draws(start, beta):
    grbm = kiwaki.four_modes()
    here = kiwaki.start_path(start, grbm, *grbm.mean_and_cov())(beta)
    _, share = density(start, beta)
    found = in_small_modes(here.sample(20_000, np.random.default_rng(0))).mean()
    assert abs(share - found) < 4.5 * np.sqrt(share * (1 - share) / 20_000) + 1e-3


@pytest.mark.parametrize("kernel", kiwaki.KERNELS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_diagonal_start_leaves_more_chains_in_the_small_modes(kernel, seed):
    """As in the paper's Figures 2 and 3. Exact: 11%. Over 20 seeds 0.31 ± 0.01, or 0.35 ± 0.02, against 0.18 ± 0.01."""
    shares = {s: in_small_modes(walk(s, 8, kernel, seed).chains[-1]).mean() for s in ("diagonal", "full")}
    assert 0.11 < shares["full"] < shares["diagonal"] - 0.06


def test_every_beta_is_on_the_schedule_of_every_k():
    betas, n_steps = (dict(FourModes.controls[name]().options).values() for name in ("beta", "n_steps"))
    for n in n_steps:
        assert np.abs(kiwaki.paper_schedule(n)[:, None] - np.array(list(betas))).min(0).max() < 1e-12


@pytest.mark.parametrize("i, share", [(0, 0.0), (3, 0.3), (10, 1.0)])
def test_start_covariance_draws_the_share_that_is_shown(i, share, quick_panel):
    panel = quick_panel(StartCovariance, model="four modes", seed=3, share=share)
    (runs,), (_, _, cov) = panel._runs.values(), start_covariance.target("four modes")
    both, _, histogram, curve = panel.axes
    bars = drawn(curve, "errors").get_ydata().reshape(-1, 3)[:, :2]
    variances, errors = bars.mean(axis=1), np.ptp(bars, axis=1) / 4
    np.testing.assert_allclose(variances, runs.log_weights.var(axis=1, ddof=1))
    assert panel.readout["variance of log w"] == f"{variances[i]:.2f} ± {errors[i]:.2f}"
    counts = np.histogram(runs.log_weights[i], np.linspace(*start_covariance.NARROW, 49))[0]
    np.testing.assert_allclose(drawn(histogram, "histogram").get_ydata()[1:-1:2], counts / start_covariance.N_CHAINS)
    correlation = cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1])
    shown, rooted = both.images[0].get_array(), lambda r: np.sign(r) * np.sqrt(abs(r))
    assert shown[1, 0] == pytest.approx(rooted(share * correlation)), "the start, below the diagonal"
    assert shown[0, 1] == pytest.approx(rooted(correlation)), "the target, above it"


def test_the_standard_error_of_a_variance():
    """Of 400 normal numbers it is √(2/400) σ²; counted over 2,000 repeats."""
    found = [start_covariance._variance_and_error(x) for x in np.random.default_rng(0).normal(0, 3, size=(2000, 400))]
    variances, errors = np.transpose(found)
    assert np.std(variances) == pytest.approx(9 * np.sqrt(2 / 400), rel=4.5 / np.sqrt(2 * 2000))
    assert np.mean(errors) == pytest.approx(9 * np.sqrt(2 / 400), rel=0.03)


@pytest.mark.parametrize("row, column", [(0, 3), (5, 6), (5, 11), (9, 0)])
def test_the_map_of_starts_is_what_runs_give(row, column):
    """Within a tenth: the mean of three runs has an error of two or three percent."""
    found = mean_ess(where_to_start.TILTS[column], where_to_start.WIDTHS[row])
    assert found == pytest.approx(where_to_start.ESS[row, column], rel=0.1)
