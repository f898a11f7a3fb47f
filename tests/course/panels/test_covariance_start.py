"""The panels of notebook 07 walk as the library does, and tell what the paper's figures tell, with its exceptions."""

from types import SimpleNamespace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.panels import start_covariance, starts_against_steps
from anneal_edu.course.panels.four_modes import N_CHAINS, FourModes, density, in_small_modes, walk
from anneal_edu.course.panels.start_covariance import MODELS, Spread, StartCovariance, _variance_and_error
from anneal_edu.course.panels.starts_against_steps import StartsAgainstSteps


@pytest.mark.parametrize("kernel", kiwaki.KERNELS)
def test_the_walk_ends_where_ais_ends(kernel):
    grbm = kiwaki.four_modes()
    path = kiwaki.start_path("diagonal", grbm, *grbm.mean_and_cov())
    rng = np.random.default_rng(5)
    result = ae.ais(path, kiwaki.paper_schedule(20), N_CHAINS, kiwaki.KERNELS[kernel], rng=rng)
    walked = walk("diagonal", 20, kernel, 5)
    np.testing.assert_array_equal(walked.chains[-1], result.samples)
    np.testing.assert_allclose(walked.log_weights[-1], result.log_weights)


@pytest.mark.parametrize("start", kiwaki.STARTS)
@pytest.mark.parametrize("beta", [0.0, 0.25, 1.0])
def test_shares_of_small_modes_by_sum_and_by_exact_draws(start, beta):
    grbm = kiwaki.four_modes()
    here = kiwaki.start_path(start, grbm, *grbm.mean_and_cov())(beta)
    _, share = density(start, beta)
    drawn = in_small_modes(here.sample(20_000, np.random.default_rng(0))).mean()
    assert abs(share - drawn) < 4.5 * np.sqrt(share * (1 - share) / 20_000) + 1e-3


@pytest.mark.parametrize("kernel", kiwaki.KERNELS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_diagonal_start_leaves_more_chains_in_the_small_modes(kernel, seed):
    """As in the paper's Figures 2 and 3. Exact: 11%. Over 20 seeds 0.31 ± 0.01, or 0.35 ± 0.02, against 0.18 ± 0.01."""
    shares = {s: in_small_modes(walk(s, 8, kernel, seed).chains[-1]).mean() for s in ("diagonal", "full")}
    assert 0.11 < shares["full"] < shares["diagonal"] - 0.06


def test_every_beta_is_on_the_schedule_of_every_k():
    panel = FourModes(beta=0.375)
    try:
        for n_steps in dict(panel.n_steps.options).values():
            betas = np.array(list(dict(panel.beta.options).values()))
            assert np.abs(kiwaki.paper_schedule(n_steps)[:, None] - betas).min(0).max() < 1e-12
        assert "At β = 0.375, " in panel.takeaway
        panel.beta.value = 1.0
        assert "11% of the chains should be in the small modes" in panel.takeaway
    finally:
        panel.close()


WIDE = np.linspace(-3, 3, 1000)  # log weights of variance 3


@pytest.mark.parametrize(
    "share, first, last, error, mean_only, words",
    [
        (
            0.0,
            3.0,
            1.5,
            0.1,
            3 * WIDE,
            "is more than 1.5 times as large as from the full one. Shown: the diag",
        ),
        (1.0, 3.0, 1.2, 0.1, 3 * WIDE, "is more than twice as large as from the full one. Shown: the full one."),
        (0.3, 9.0, 2.0, 0.1, 3 * WIDE, "from the full one. Shown: 30% of the covariance, with less than half"),
        (0.8, 9.0, 2.0, 0.1, 3 * WIDE, "Shown: 80% of the covariance, with more than half of the gain."),
        (0.3, 3.0, 2.5, 0.2, 3 * WIDE, "no clear difference to the spread of weights. Shown: 30% of the"),
        (0.0, 3.0, 2.5, 0.1, 3 * WIDE, "variance of log w is larger than from the full one. Shown"),
        (0.0, 3.0, 2.5, 0.2, 3 * WIDE, "makes no clear difference to the spread of weights. Shown"),
        (0.0, 2.5, 3.0, 0.1, 3 * WIDE, "the full covariance spreads the weights more than the diagonal one. Shown"),
        (0.0, 3.0, 3.0, 0.1, 0.1 * WIDE - 0.1, "and log Ẑ is too low: its chains never reach the far modes."),
        (0.0, 3.0, 3.0, 0.1, 0.1 * WIDE - 0.06, "and log Ẑ is too low: its chains never reach the far modes."),
        (0.0, 3.0, 3.0, 0.1, 0.1 * WIDE - 0.03, "Shown: the diagonal start"),
        (0.0, 3.0, 3.0, 0.1, 0.1 * WIDE, "Shown: the diagonal start"),
        (0.0, 3.0, 3.0, 0.1, WIDE - 9.0, "Shown: the diagonal start"),
    ],
)
def test_start_covariance_tells_where_the_claim_holds_and_where_it_is_silent(
    share, first, last, error, mean_only, words
):
    variances = np.array([first, (first + last) / 2, last])
    takeaway = start_covariance._takeaway(share, variances, np.full(3, error), Spread(WIDE[None], mean_only))
    assert words in takeaway, takeaway


def test_start_covariance_judges_and_draws_the_share_that_is_shown():
    """And all shares of one model are there after one run."""
    panel = StartCovariance(model="four modes", seed=3)
    (runs,) = panel._runs.values()
    _, _, cov = start_covariance.target("four modes")
    try:
        for i, share in ((0, 0.0), (3, 0.3), (10, 1.0)):
            panel.share.value = share
            bars = drawn(panel, "errors").get_ydata().reshape(-1, 3)[:, :2]
            variances, errors = bars.mean(axis=1), np.ptp(bars, axis=1) / 4
            np.testing.assert_allclose(variances, runs.log_weights.var(axis=1, ddof=1))
            assert panel.takeaway == start_covariance._takeaway(share, variances, errors, runs)
            assert panel.readout["variance of log w"] == f"{variances[i]:.2f} ± {errors[i]:.2f}"
            heights = np.histogram(runs.log_weights[i], np.linspace(*start_covariance.NARROW, 49))[0]
            np.testing.assert_allclose(drawn(panel, "histogram").get_ydata()[1:-1:2], heights / 1000)
            correlation = cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1])
            shown, rooted = panel.axes[0].images[0].get_array(), lambda r: np.sign(r) * np.sqrt(abs(r))
            assert shown[1, 0] == pytest.approx(rooted(share * correlation)), "the start, below the diagonal"
            assert shown[0, 1] == pytest.approx(rooted(correlation)), "the target, above it"
    finally:
        panel.close()


def drawn(panel, name):
    return next(artist for ax in panel.axes for artist in ax.get_children() if artist.get_gid() == name)


def test_the_standard_error_of_a_variance():
    """Of 400 normal numbers it is √(2/400) σ²; counted over 2,000 repeats."""
    found = [_variance_and_error(x) for x in np.random.default_rng(0).normal(0, 3, size=(2000, 400))]
    variances, errors = np.transpose(found)
    assert np.std(variances) == pytest.approx(9 * np.sqrt(2 / 400), rel=4.5 / np.sqrt(2 * 2000))
    assert np.mean(errors) == pytest.approx(9 * np.sqrt(2 / 400), rel=0.03)


@pytest.mark.parametrize("model", MODELS)
def test_start_covariance_runs_on_every_model(model, monkeypatch):
    monkeypatch.setattr(start_covariance, "N_CHAINS", 100)
    monkeypatch.setattr(start_covariance, "N_STEPS", 4)
    panel = StartCovariance(model=model)
    try:
        assert {"variance of log w", "log Ẑ minus exact log Z"} < panel.readout.keys()
    finally:
        panel.close()


@pytest.mark.parametrize(
    "mean_only, ess, words",
    [
        ((-0.1, 0.01, 960), (150, 550, 720), "no ESS knows of modes that no chain has reached"),
        ((-0.1, 0.04, 960), (150, 550, 720), "at K = 100: full > diagonal > mean only."),
        ((-0.1, 0.01, 700), (150, 550, 720), "at K = 100: full > diagonal > mean only."),
        ((0.1, 0.01, 960), (150, 550, 720), "at K = 100: full > diagonal > mean only."),
        ((0.0, 0.01, 960), (700, 150, 550), "at K = 100: mean only > full > diagonal."),
        ((0.0, 0.01, 960), (150, 690, 720), "worth depends on its start. Effective sample size at K = 100: full ≈"),
        ((0.0, 0.1, 100), (310, 690, 720), "From the mean alone the ESS falls from 310 to 100 while K grows"),
        ((0.0, 0.1, 110), (310, 690, 720), "at K = 100: full ≈ diagonal > mean only."),
        ((0.0, 0.1, 60), (290, 690, 720), "at K = 100: full ≈ diagonal > mean only."),
        ((0.0, 0.01, 960), (710, 690, 720), "worth hardly depends on its start. Effective sample size at K = 100:"),
    ],
)
def test_each_story_is_told(mean_only, ess, words):
    """Given log Ẑ - log Z, standard error and ESS from the mean alone at the largest K; and all ESS at K = 100."""
    log_z, std_error, last_ess = mean_only
    last = SimpleNamespace(log_z=5 + log_z, std_error=std_error, ess=last_ess)
    runs = {
        start: [*(SimpleNamespace(ess=e) for e in (1, 2, at_100)), last]
        for start, at_100 in zip(kiwaki.STARTS, ess, strict=True)
    }
    assert words in starts_against_steps._takeaway(runs, 5.0)


def test_three_starts_judge_what_they_draw():
    panel = StartsAgainstSteps(model="four modes", seed=3)
    try:
        (runs,) = panel._runs.values()
        exact = kiwaki.four_modes().log_z()
        assert panel.takeaway == starts_against_steps._takeaway(runs, exact)
        np.testing.assert_allclose(drawn(panel, "exact").get_ydata(), exact)
        for start, row in runs.items():
            line = next(line for line in panel.axes[1].lines if line.get_gid() == start)
            np.testing.assert_allclose(line.get_ydata(), [r.ess for r in row])
    finally:
        panel.close()
