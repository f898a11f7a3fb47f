"""The plane of all Gaussians: its lengths and biases are those of the library."""

from itertools import pairwise

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.panels import half_plane
from anneal_edu.course.panels.two_paths import PATHS


@pytest.mark.parametrize("distance", [1, 20, 1000])
@pytest.mark.parametrize("name", PATHS)
def test_lengths_and_biases_are_those_of_the_library(name, distance):
    path = PATHS[name](ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([float(distance)], [[1.0]]))
    assert half_plane.length_up_to(name, distance)[-1] == pytest.approx(ae.path_length(path), rel=1e-4)
    schedules = half_plane.sliding(name, distance, 20)
    biases = half_plane.losses(*half_plane.place(name, distance, schedules)).sum(1)
    for now in (0, half_plane.BINNED, 70, half_plane.EQUAL):
        assert biases[now] == pytest.approx(ae.kl_bias(path, schedules[now]))
    np.testing.assert_allclose(schedules[half_plane.BINNED], ae.optimal_binned_schedule(path, 20))


def test_equal_distances_are_equal_and_no_path_of_gaussians_is_shorter():
    path = ae.moment_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([20.0], [[1.0]]))
    stops = [path(beta) for beta in half_plane.sliding("moments", 20, 100)[half_plane.EQUAL]]
    steps = np.sqrt([ae.symmetric_kl(p, q) for p, q in pairwise(stops)])
    assert np.ptp(steps) < 0.01 * steps.mean()
    shortest = half_plane.length_up_to("shortest", 20)[-1]
    assert shortest == pytest.approx(2 * np.sqrt(2) * np.arcsinh(20 / np.sqrt(8)), rel=1e-6)
    for d in (1, 20, 1000):
        assert 0 < half_plane.length_up_to("moments", d)[-1] - half_plane.length_up_to("shortest", d)[-1] < 0.2
