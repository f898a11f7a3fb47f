"""The exact panels of lessons 00 and 01."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.panels import TinyWorld
from anneal_edu.course.panels.tiny_world import annealed_wells, kernels_of, two_wells


@pytest.mark.parametrize("kernel", ["Metropolis", "frozen"])
@pytest.mark.parametrize("n_steps", [1, 10, 100])
def test_an_invariant_kernel_is_unbiased_far_from_equilibrium(kernel, n_steps, quick_panel):
    panel = quick_panel(TinyWorld, n_steps=n_steps, kernel=kernel, moment=100)
    assert panel.readout["E[w] / Z"] == "1.000000"
    assert "exactly Z" in panel.takeaway


@pytest.mark.parametrize("n_steps", [3, 10, 100])
def test_a_kernel_that_is_not_invariant_is_called_biased(n_steps, quick_panel):
    panel = quick_panel(TinyWorld, n_steps=n_steps, kernel="careless", moment=100)
    assert "biased" in panel.takeaway


@pytest.mark.parametrize(("kernel", "invariant"), [("Metropolis", True), ("frozen", True), ("careless", False)])
def test_kernels_are_what_they_are_called(kernel, invariant):
    log_f = annealed_wells(8.0, 5)
    f = np.exp(log_f[1:])
    pushed = [weights @ T for weights, T in zip(f, kernels_of(log_f, kernel), strict=True)]
    assert np.allclose(pushed, f, rtol=1e-12, atol=0) == invariant


def test_the_better_well_is_on_the_right():
    p = np.exp(two_wells(8.0))
    assert p.max() == 1.0
    assert p[15:].sum() > 10 * p[:15].sum() > 0
    assert ae.panels.TinyWorld is TinyWorld
