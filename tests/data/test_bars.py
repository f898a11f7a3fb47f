import numpy as np
import pytest

import anneal_edu as ae


@pytest.mark.parametrize("size", [2, 3, 4, 12])
def test_there_are_as_many_as_the_formula_says_and_no_two_alike(size):
    images = ae.data.bars_and_stripes(size)
    assert images.shape == (2 ** (size + 1) - 2, size * size) and images.dtype == np.float32
    assert len(np.unique(np.packbits(images.astype(bool), axis=1), axis=0)) == len(images)


def test_they_are_all_the_images_of_equal_rows_or_columns():
    """Of the 512 images of 3×3 pixels, those found by looking at each."""
    looked_at = [
        v
        for v in ae.binary_states(9)
        if (np.ptp(v.reshape(3, 3), axis=0) == 0).all() or (np.ptp(v.reshape(3, 3), axis=1) == 0).all()
    ]
    found = ae.data.bars_and_stripes(3)
    np.testing.assert_array_equal(np.unique(found, axis=0), np.unique(looked_at, axis=0))


def test_no_model_beats_the_uniform_one():
    """-log N bounds the mean log likelihood, and an RBM with a hidden unit for each image comes near."""
    images = ae.data.bars_and_stripes(2)
    sign = 2 * images - 1  # unit j is on for image j alone: sign·(2v - 1) is 4 there, 2 for one pixel off
    weights, hidden_bias = 40 * sign.T, -20 * sign.sum(1) - 45
    rbm = ae.BinaryRBM(weights, np.zeros(4), hidden_bias)
    mean = rbm.log_density(images).mean() - rbm.log_z()
    assert -np.log(6) - 1e-6 < mean < -np.log(6) + 1e-12


@pytest.mark.parametrize(("size", "error"), [(1, ValueError), (17, ValueError), (2.5, TypeError)])
def test_impossible_sizes_are_refused(size, error):
    with pytest.raises(error, match="size must be"):
        ae.data.bars_and_stripes(size)
