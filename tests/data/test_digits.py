import numpy as np
import pytest
from sklearn.datasets import load_digits

import anneal_edu as ae


def test_a_pixel_is_on_where_the_interpolated_grey_level_is_above_eight_of_sixteen():
    """Linear interpolation from 8 to 28 points that share both ends; a level of exactly 8 is off."""
    grey = load_digits().images
    np.testing.assert_array_equal(ae.data.digits(8), (grey > 8).reshape(len(grey), -1))
    spread = np.array([np.interp(np.arange(28) * 7 / 27, np.arange(8), unit) for unit in np.eye(8)]).T
    level = (spread @ grey @ spread.T).reshape(len(grey), -1)
    clear = np.abs(level - 8) > 1e-6
    np.testing.assert_array_equal(ae.data.digits(28)[clear], (level > 8)[clear])
    assert clear.mean() > 0.98


def test_every_caller_gets_single_precision_images_of_their_own():
    ae.data.digits(8)[:] = 7
    assert ae.data.digits(8).max() == 1 and ae.data.digits(8).dtype == np.float32


def test_another_size_is_refused():
    with pytest.raises(ValueError, match="size must be 8 or 28, got 16"):
        ae.data.digits(16)
