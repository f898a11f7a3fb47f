"""The exact panels of lessons 00 and 01."""

import numpy as np
import pytest
from scipy.special import logsumexp

import anneal_edu as ae
from anneal_edu.course.panels import TinyWorld
from anneal_edu.course.panels.tiny_world import annealed_wells, kernels_of, two_wells


@pytest.mark.parametrize("kernel", ["Metropolis", "frozen"])
@pytest.mark.parametrize("n_steps", [1, 10, 100])
def test_an_invariant_kernel_is_unbiased_far_from_equilibrium(kernel, n_steps, quick_panel):
    panel = quick_panel(TinyWorld, n_steps=n_steps, kernel=kernel)
    assert panel.readout["E[w] / Z"] == "1.000000"
    assert "exactly Z" in panel.takeaway


@pytest.mark.parametrize("n_steps", [3, 10, 100])
def test_a_kernel_that_is_not_invariant_is_called_biased(n_steps, quick_panel):
    panel = quick_panel(TinyWorld, n_steps=n_steps, kernel="careless")
    assert "biased" in panel.takeaway


@pytest.mark.parametrize(("kernel", "invariant"), [("Metropolis", True), ("frozen", True), ("careless", False)])
def test_kernels_are_what_they_are_called(kernel, invariant):
    log_f = annealed_wells(8.0, 5)
    f = np.exp(log_f[1:])
    pushed = [weights @ T for weights, T in zip(f, kernels_of(log_f, kernel), strict=True)]
    assert np.allclose(pushed, f, rtol=1e-12, atol=0) == invariant


def test_the_mean_log_weight_agrees_with_many_simulated_chains(quick_panel):
    """The readout is a sum over states; here the same chains are drawn one by one."""
    rng = np.random.default_rng(0)
    log_f = annealed_wells(4.0, 10)
    x, log_w = rng.integers(30, size=20_000), np.full(20_000, np.log(30))
    for k, T in enumerate(kernels_of(log_f, "Metropolis"), start=1):
        log_w += log_f[k][x] - log_f[k - 1][x]
        x = (rng.random(len(x))[:, None] > T.cumsum(1)[x]).sum(1).clip(max=29)
    panel = quick_panel(TinyWorld, n_steps=10, depth=4.0)
    gap = float(panel.readout["log Z − E[log w]"].split()[0])
    assert abs(logsumexp(two_wells(4.0)) - log_w.mean() - gap) < 4.5 * log_w.std() / np.sqrt(20_000) + 0.005


def test_the_better_well_is_on_the_right():
    p = np.exp(two_wells(8.0))
    assert p.max() == 1.0
    assert p[15:].sum() > 10 * p[:15].sum() > 0
    assert ae.panels.TinyWorld is TinyWorld
