"""What the figures of notebook 07 say where numbers are missing or do not fit."""

import numpy as np

from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.figures import LectureFigure, gaussian_rbm, sandwich


def texts(ax):
    return [text.get_text() for text in ax.texts if text.get_visible()]


def test_estimates_without_an_exact_value():
    figure = LectureFigure(10, 4)
    axes = figure.columns(1, 1)
    found = {start: [(3.0, 0.1, 50.0), (3.1, 0.05, 80.0)] for start in kiwaki.STARTS}
    gaussian_rbm.estimates_and_ess(axes, [10, 100], found, None, 100, "a model")
    low, high = axes[0].get_ylim()
    assert low < 2.7 and high > 3.3
    assert axes[0].get_title(loc="left") == "a model: log Ẑ ± 3 s.e." and "all 100 chains" in texts(axes[1])
    assert figure.png()


def test_log_weights_beyond_the_picture_are_counted_in_words():
    (ax,) = LectureFigure(5, 4).columns(1)
    log_w = np.r_[np.full(90, -0.5), np.full(10, -50.0)]
    gaussian_rbm.spread_of_log_weights(ax, np.array([0.5 * log_w, log_w]), 1, "moments", (-5.0, 5.0))
    assert "← 10% further left" in texts(ax)


def test_a_reference_above_the_picture_stays_away():
    for reference, shown in ((1.1, True), (9.0, False)):
        (ax,) = LectureFigure(5, 4).columns(1)
        shares, ones = np.linspace(0, 1, 3), np.ones(3)
        gaussian_rbm.variance_against_share(ax, shares, ones, 0.1 * ones, 1, reference)
        assert ("mean only" in texts(ax)) == shown


def test_no_chain_in_a_small_mode():
    figure = LectureFigure(5, 4)
    (ax,) = figure.columns(1)
    chains = np.random.default_rng(0).normal(size=(5, 2))
    gaussian_rbm.density_with_chains(ax, np.eye(4), (-1, 1, -1, 1), chains, np.zeros(5, dtype=bool))
    assert figure.png()


def test_one_map_shows_the_correlations_of_start_and_target_by_their_roots():
    (ax,) = LectureFigure(5, 4).columns(1)
    gaussian_rbm.correlations(ax, np.diag([1.0, 4.0]), np.array([[1.0, -1.0], [-1.0, 4.0]]))
    np.testing.assert_allclose(ax.images[0].get_array(), [[1.0, -np.sqrt(0.5)], [0.0, 1.0]])


def test_histograms_of_all_runs_share_one_axis():
    (ax,) = LectureFigure(5, 4).columns(1)
    runs, tops = np.array([np.linspace(-4, 2, 500), np.linspace(-1, 1, 500)]), set()
    for now in (0, 1):
        gaussian_rbm.spread_of_log_weights(ax, runs, now, "moments", (-5.0, 5.0))
        tops.add(ax.get_ylim())
    assert len(tops) == 1


def test_a_start_without_correlations_is_no_hole():
    """Its half of the map says so; the cells of few units have edges, those of many would be hidden by them."""
    for cov, said in ((np.eye(3), True), (np.eye(3) + 0.5, False)):
        (ax,) = LectureFigure(5, 4).columns(1)
        gaussian_rbm.correlations(ax, cov, np.eye(3) + 0.5)
        assert ("all 0" in texts(ax)) == said and {"start", "target"} <= {*texts(ax)}
        assert len(ax.lines) == 1 + 2 * 2
    (ax,) = LectureFigure(5, 4).columns(1)
    gaussian_rbm.correlations(ax, np.eye(50), np.eye(50))
    assert len(ax.lines) == 1


def test_the_ends_of_the_shares_are_named():
    (ax,) = LectureFigure(5, 4).columns(1)
    gaussian_rbm.variance_against_share(ax, np.linspace(0, 1, 3), np.ones(3), 0.1 * np.ones(3), 0)
    assert texts(ax) == ["diagonal", "full"]


def test_bounds_in_order_and_bounds_that_cross_are_told_apart():
    (ax,) = LectureFigure(5, 4).columns(1)
    sandwich.rows(ax, ["kept", "crossed"], np.array([[1.0, 0.5], [3.0, 0.1]]), np.array([[2.0, 0.1], [1.0, 0.1]]))
    looks = {line.get_gid(): line for line in ax.lines}
    assert looks["gap 0"].get_linestyle() == "-" and looks["gap 1"].get_linestyle() != "-"
    np.testing.assert_allclose(looks["gap 1"].get_xdata(), [3.0, 1.0])
    low, high = ax.get_xlim()
    assert low < 0.0 and high > 3.2, "all bars are within the axis"
