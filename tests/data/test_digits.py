import numpy as np
import pytest

import anneal_edu as ae


@pytest.mark.parametrize("size", [8, 28])
def test_digits_are_binary_images_of_the_asked_size(size):
    images = ae.data.digits(size)
    assert images.shape == (1797, size * size)
    assert images.dtype == np.float32
    assert set(np.unique(images)) == {0, 1}
    assert 0.1 < images.mean() < 0.5


def test_large_digits_show_what_the_small_ones_do():
    small, large = ae.data.digits(8), ae.data.digits(28).reshape(-1, 28, 28)
    nearest = large[:, np.linspace(0, 27, 8).round().astype(int)][:, :, np.linspace(0, 27, 8).round().astype(int)]
    assert (nearest.reshape(len(small), -1) == small).mean() > 0.97


def test_a_pixel_is_on_where_the_interpolated_grey_level_is_above_eight_of_sixteen():
    """Linear interpolation from 8 to 28 points that share both ends; a level of exactly 8 is off."""
    from sklearn.datasets import load_digits

    grey = load_digits().images
    np.testing.assert_array_equal(ae.data.digits(8), (grey > 8).reshape(len(grey), -1))
    spread = np.array([np.interp(np.arange(28) * 7 / 27, np.arange(8), unit) for unit in np.eye(8)]).T
    level = (spread @ grey @ spread.T).reshape(len(grey), -1)
    clear = np.abs(level - 8) > 1e-6
    np.testing.assert_array_equal(ae.data.digits(28)[clear], (level > 8)[clear])
    assert clear.mean() > 0.98


def test_another_size_is_refused():
    with pytest.raises(ValueError, match="size must be 8 or 28, got 16"):
        ae.data.digits(16)
