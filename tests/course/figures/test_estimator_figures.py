"""Errors of many estimators on several models, and what they say of them."""

import numpy as np

from anneal_edu.course.figures import estimators
from anneal_edu.course.figures.style import LectureFigure


def named(ax, gid):
    return next(artist for artist in ax.get_children() if artist.get_gid() == gid)


def test_what_lies_beyond_the_plot_is_an_arrow_at_its_edge():
    axes = estimators.named_columns(LectureFigure(12, 4), 0.2)
    errors = {"one": np.array([[0.1, 0.05], [-9.0, 0.1]]), "two": np.zeros((2, 2)), "three": np.ones((2, 2))}
    styles = [estimators.LOW, estimators.HIGH]
    estimators.errors_of_models(axes, ["first", "second"], styles, errors, (1.0, 1.0, 2.0))
    (x,) = named(axes[0], "beyond 0").get_xdata()
    assert x == -0.97 and named(axes[0], "beyond 0").get_marker() == "<"
    np.testing.assert_allclose(named(axes[0], "bar 1").get_xdata()[:2], [0.0, 0.2])
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["first", "second"]
    assert not [label for label in axes[1].get_yticklabels() if label.get_text()]


def test_both_sizes_of_an_error_are_drawn():
    axes = estimators.named_columns(LectureFigure(12, 4), 0.2)
    sizes = {name: scale * np.array([[0.1, 2.0], [0.2, 0.2]]) for name, scale in (("a", 1.0), ("b", 0.1), ("c", 20.0))}
    estimators.own_and_true_errors(axes, ["first", "second"], sizes)
    for ax, pairs in zip(axes, sizes.values(), strict=True):
        np.testing.assert_allclose(named(ax, "own").get_xdata(), pairs[:, 0])
        np.testing.assert_allclose(named(ax, "true").get_xdata(), pairs[:, 1])
        low, high = ax.get_xlim()
        assert low < pairs.min() and high > pairs.max() and len(ax.get_xticks()) > 0
