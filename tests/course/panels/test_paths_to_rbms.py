"""A knot pins the moment of the panel to the straight line."""

import numpy as np
import pytest

from anneal_edu.course.panels.where_the_knots_sit import PIXEL, SIDE, mean_images, pixel_along, stops_of


@pytest.mark.parametrize("knots, pinned", [("none", []), ("0.1", [1]), ("0.5", [5]), ("all nine", range(1, 10))])
def test_the_string_is_on_the_line_at_its_pins(knots, pinned):
    along = pixel_along(stops_of("uniform", knots, 0))
    np.testing.assert_allclose(along[::2], mean_images("uniform", knots)[:, PIXEL[0] * SIDE + PIXEL[1]], atol=1e-6)
    off = np.abs(along - np.linspace(along[0], along[-1], len(along)))
    assert off[::2][pinned].max(initial=0) < 0.002
    assert off.max() > 0.4 if knots == "none" else off.max() < (0.1 if knots in ("0.1", "all nine") else 0.2)
