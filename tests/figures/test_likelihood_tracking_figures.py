"""The figures of notebook 13 show what they are given."""

import numpy as np

from anneal_edu.experiments.carlson_rows import summarise
from anneal_edu.figures import LectureFigure
from anneal_edu.figures import likelihood_tracking as draw


def named(ax, name):
    return next(artist for artist in ax.get_children() if artist.get_gid() == name)


def test_a_missed_look_is_crossed():
    (ax,) = LectureFigure().columns(1)
    draw.tracking_error(ax, np.array([50, 100, 150]), np.array([0.1, -0.5, 0.2]), np.full(3, 0.1), 150)
    assert list(named(ax, "missed").get_xdata()) == [100] and list(named(ax, "near").get_xdata()) == [50, 150]
    low, high = ax.get_ylim()
    assert low < -0.7 and high > 0.4


def test_tracked_curves_have_the_band_of_two_errors():
    (ax,) = LectureFigure().columns(1)
    values, error = np.array([-24.0, -20.0]), np.array([0.5, 0.25])
    draw.tracked(ax, np.array([50, 100]), {draw.TRAIN: values, draw.VALIDATION: values - 1}, error)
    band = named(ax, f"{draw.TRAIN} band").get_xy()
    assert band[:, 1].max() == -19.5 and band[:, 1].min() == -25.0
    rows = [{"n_updates": 100, "train": -20.0, "validation": -21.0, "log_z": 50.0, "lower": 51.0, "upper": 53.0}]
    draw.bounds_while_learning(ax, rows)
    assert list(named(ax, "train 100").get_ydata()) == [-22.0]
    assert ax.get_ylim()[0] < -25


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
