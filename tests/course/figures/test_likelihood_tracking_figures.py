"""The figures of notebook 13 show what they are given."""

import numpy as np
import pytest

from anneal_edu.course.experiments.carlson_rows import summarise
from anneal_edu.course.figures import LectureFigure
from anneal_edu.course.figures import likelihood_tracking as draw


def named(ax, name):
    return next(artist for artist in ax.get_children() if artist.get_gid() == name)


def test_a_missed_look_is_crossed():
    (ax,) = LectureFigure().columns(1)
    draw.tracking_error(ax, np.array([50, 100, 150]), np.array([0.1, -0.5, 0.2]), np.full(3, 0.1), 150)
    assert list(named(ax, "missed").get_xdata()) == [100] and list(named(ax, "near").get_xdata()) == [50, 150]
    low, high = ax.get_ylim()
    assert low < -0.7 and high > 0.4


def test_tracked_curves_have_bars_of_two_errors():
    (ax,) = LectureFigure().columns(1)
    values, error = np.array([-24.0, -20.0]), np.array([0.5, 0.25])
    draw.tracked(ax, np.array([50, 100]), {draw.TRAIN: values, draw.VALIDATION: values - 1}, error)
    bars = named(ax, f"{draw.TRAIN} bars").get_ydata()
    assert np.nanmax(bars) == -19.5 and np.nanmin(bars) == -25.0


def test_of_many_looks_one_curve_has_bars_and_one_that_goes_on_has_an_arrow():
    (ax,) = LectureFigure().columns(1)
    n, values, error = np.arange(1, 61), np.linspace(-300.0, -100.0, 60), np.full(60, 1.0)
    error[10] = 500.0
    draw.tracked(ax, n, {draw.TRAIN: values, draw.VALIDATION: values - 5}, error)
    names = {artist.get_gid() for artist in ax.get_children()}
    assert f"{draw.TRAIN} bars" in names and f"{draw.VALIDATION} bars" not in names
    assert len(named(ax, draw.TRAIN).get_ydata()) == len(named(ax, draw.VALIDATION).get_ydata()) == 60
    low, high = ax.get_ylim()
    for way in ("down", "up"):
        assert list(named(ax, f"{draw.TRAIN} further {way}").get_xdata()) == [11]
        assert low < named(ax, f"{draw.TRAIN} further {way}").get_ydata()[0] < high
    np.testing.assert_allclose(named(ax, f"{draw.TRAIN} bars").get_ydata()[:2], [-302.0, -298.0])


def test_axes_stay_where_they_are_for_numbers_that_are_alike():
    limits = set()
    for aside in (0.0, 0.3):
        left, right = LectureFigure().columns(1, 1)
        n, values = np.array([50, 100]), np.array([-23.0, -17.0]) + aside
        draw.tracked(left, n, {draw.TRAIN: values, draw.VALIDATION: values - 1}, np.full(2, 0.2))
        draw.tracking_error(right, n, np.array([0.2, -1.0 + aside]), np.full(2, 0.5), 100)
        limits.add((left.get_ylim(), right.get_ylim()))
    assert len(limits) == 1
    draw.tracking_error(right, n, np.array([0.2, -40.0]), np.full(2, 0.5), 100)
    assert right.get_ylim()[0] < -41


def test_errors_against_the_sandwich():
    """Looks with a sandwich, from its middle, as means and ranges over repeats; the curves are of the first."""
    rows = [
        {"n_updates": n, "train": -20.0, "validation": -21.0, "log_z": log_z, "std_error": 1.0, "lower": low,
         "upper": up, "annealed": annealed, "repeat": repeat}
        for n, log_z, low, up, annealed, repeat in (
            (50, 48.0, None, None, None, 0), (100, 50.0, 51.0, 53.0, 49.0, 0), (150, 50.0, 50.0, 49.0, 47.5, 0),
            (150, 49.0, 50.0, 49.0, 45.5, 1), (100, 53.0, 51.0, 53.0, 48.0, 1),
        )
    ]  # fmt: skip
    left, right = LectureFigure().columns(1, 1)
    draw.tracked_and_bounded((left, right), rows)
    assert list(named(left, draw.TRAIN).get_xdata()) == [50, 100, 150]
    for style, aside, means, ranges in (
        ("RTS", 0, [-0.5, 0.0], [-2.0, 1.0, -0.5, 0.5]),
        ("AIS", 0.025 * 1.06 * 150, [-3.5, -3.0], [-4.0, -3.0, -4.0, -2.0]),
    ):
        assert list(named(right, style).get_xdata()) == [100 + aside, 150 + aside]
        assert list(named(right, style).get_ydata()) == means
        assert list(named(right, f"{style} runs").get_ydata()[[0, 1, 3, 4]]) == ranges
    np.testing.assert_allclose(named(right, "gap").get_ydata()[[0, 1, 3, 4]], [-1.0, 1.0, -0.5, 0.5])
    low, high = right.get_ylim()
    assert -5 < low < -4 and 1.5 < high < 3  # the bars go from -4 to 1; above them there is room for the legend
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["training", "validation"]
    shown = [text.get_text() for text in right.get_legend().get_texts()]
    assert shown == ["tracked", "AIS from nothing", "gap of the sandwich"]

    left, right = LectureFigure().columns(1, 1)
    hidden = [row | {"upper": row["lower"] and row["lower"] + 0.05} for row in rows]
    draw.tracked_and_bounded((left, right), hidden)
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["tracked", "AIS from nothing"]


def test_convergence_shows_means_ranges_and_rmse():
    rows = [
        {"estimator": name, "setting": n, "log_z": e, "std_error": 0.1, "reference": 0.0}
        for name, n, e in (("RTS", 10, 1.0), ("RTS", 10, -0.5), ("RTS", 20, 0.2), ("AIS", 10, 0.1), ("AIS", 20, 0.1))
    ]
    axes = LectureFigure().columns(1, 1)
    draw.convergence(axes, summarise(rows, 0.05), 0.05, "sweeps")
    np.testing.assert_allclose(named(axes[0], "RTS").get_ydata(), [0.25, 0.2])
    np.testing.assert_allclose(named(axes[1], "RTS").get_ydata(), [np.sqrt(0.625), 0.2])
    assert axes[0].get_ylim()[0] < -0.5 and axes[0].get_ylim()[1] > 1.0


@pytest.mark.parametrize("far, scale", [(9.0, "linear"), (25.0, "symlog"), (-25.0, "symlog")])
def test_errors_that_are_far_larger_do_not_squeeze_the_others(far, scale):
    rows = [
        {"estimator": name, "setting": n, "log_z": e, "std_error": 0.1, "reference": 0.0}
        for name, n, e in (("RTS", 10, 1.0), ("RTS", 20, 0.2), ("RAISE", 10, far), ("RAISE", 20, 0.5 * far))
    ]
    left, right = LectureFigure().columns(1, 1)
    draw.convergence((left, right), summarise(rows, 0.05), 0.05, "sweeps")
    assert left.get_yscale() == scale and ("squeezed beyond 5" in left.get_title(loc="left")) == (scale == "symlog")
    low, high = left.get_ylim()
    assert low < min(far, 0.2) and high > max(far, 1.0)
    if scale == "symlog":
        shown = left.transData.transform([(10, 0.0), (10, 1.0), (10, far)])[:, 1]
        assert abs(shown[2] - shown[0]) < 15 * abs(shown[1] - shown[0])
