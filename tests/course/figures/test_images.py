"""Pictures beside a plot."""

from itertools import pairwise

import pytest

from anneal_edu.course.figures import LectureFigure
from anneal_edu.course.figures.images import beside_pictures


@pytest.mark.parametrize("width, height", [(12.0, 5.2), (8.2, 4.2)])
@pytest.mark.parametrize("n", [1, 2])
def test_pictures_and_plot_stand_side_by_side(n, width, height):
    figure = LectureFigure(width, height)
    axes = beside_pictures(figure, n, 0.25, room=0.6)
    places = [ax.get_position(original=True) for ax in axes]
    assert len(places) == n + 1
    assert [place.width for place in places[:n]] == pytest.approx([0.25] * n)
    gaps = [(right.x0 - left.x1) * width for left, right in pairwise(places)]
    assert min(gaps) > 0.2 and gaps[-1] > 0.6, "inches"
    assert places[-1].x1 < 1 and places[-1].width > 0.25
    assert all(0 < place.y0 < place.y1 < 1 for place in places)


def test_plots_above_each_other_share_their_ends():
    *_, upper, lower = (ax.get_position() for ax in beside_pictures(LectureFigure(12, 5.2), 2, 0.25, room=0.6, plots=2))
    assert (upper.x0, upper.x1, upper.height) == pytest.approx((lower.x0, lower.x1, lower.height))
    assert upper.y0 - lower.y1 > 0.05
