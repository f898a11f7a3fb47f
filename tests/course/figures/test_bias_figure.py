"""Where along a path the bias is lost: the values of the figure are those of the formula."""

from itertools import pairwise

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.figures import LectureFigure, bias

MIRRORED = ae.Gaussian([-3, 0], [[1, -0.85], [-0.85, 1]]), ae.Gaussian([3, 0], [[1, 0.85], [0.85, 1]])
NARROWING = ae.Gaussian([-3, 0], 4 * np.eye(2)), ae.Gaussian([3, 0], 0.25 * np.eye(2))
BOTH = {"geometric": ae.geometric_path, "moments": ae.moment_path}


def lines(style, ends, betas):
    """Forward and reverse line of a path, in units of F/K."""
    path, (ax,) = BOTH[style](*ends), LectureFigure().columns(1)
    steps = list(pairwise(map(path, betas)))
    losses = np.array([(ae.kl_divergence(p, q), ae.kl_divergence(q, p)) for p, q in steps]).T
    for _ in range(2):  # a second call moves the artists of the first
        bias.lost_up_to(ax, style, betas, *losses, ae.cost_functional(path) / len(steps), style)
    assert len(ax.lines) == 2
    return [next(line for line in ax.lines if line.get_gid() == f"{style} {way}") for way in ("forward", "reverse")]


@pytest.mark.parametrize("style", BOTH)
@pytest.mark.parametrize("ends", [MIRRORED, NARROWING], ids=["mirrored", "narrowing"])
def test_each_line_ends_at_the_bias_and_the_two_add_up_to_twice_f_over_k(style, ends):
    betas, path = ae.linear_schedule(12), BOTH[style](*ends)
    unit = ae.cost_functional(path) / 12
    for line, reverse in zip(lines(style, ends, betas), (False, True), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), betas)
        assert line.get_ydata()[-1] == pytest.approx(ae.kl_bias(path, betas, reverse) / unit)
        piece = ae.linear_schedule(7)  # its steps are the first seven of the twelve
        assert line.get_ydata()[7] == pytest.approx(ae.kl_bias(lambda b: path(b * 7 / 12), piece, reverse) / unit)
    forward, reverse = (line.get_ydata() for line in lines(style, ends, betas))
    assert forward[-1] + reverse[-1] == pytest.approx(2)


@pytest.mark.parametrize("style", BOTH)
def test_between_mirrored_ends_reverse_is_forward_read_backwards(style):
    forward, reverse = (line.get_ydata() for line in lines(style, MIRRORED, ae.linear_schedule(12)))
    np.testing.assert_allclose(1 - reverse[::-1], forward, atol=1e-9)
    assert abs(reverse - forward).max() > 0.05


def test_forward_is_full_and_reverse_hollow_with_a_mark_at_the_end():
    for style in BOTH:
        full, hollow = lines(style, NARROWING, ae.linear_schedule(100))
        assert hollow.get_markerfacecolor() == "white" and full.get_markerfacecolor() != "white"
        assert full.get_markevery() == hollow.get_markevery() and full.get_markevery()[-1] == 100
        assert len(full.get_markevery()) == 6
