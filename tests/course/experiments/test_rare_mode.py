import numpy as np
import pytest
from scipy.special import expit

import anneal_edu as ae
from anneal_edu.course.experiments import kiwaki, rare_mode

SCHEDULE = kiwaki.paper_schedule(40)


def path_from(start):
    grbm = rare_mode.rare_mode()
    return kiwaki.start_path(start, grbm, *grbm.mean_and_cov())


def by_matrices(path, power):
    """E[(w / Z)^power] by transition matrices over a grid of v; the weights' ratios are raised, the start is not."""
    v = np.linspace(-14.0, 24.0, 500)[:, None]
    stages = [path(beta) for beta in SCHEDULE]
    log_f = np.array([p.log_density(v) for p in stages]) + np.log(v[1] - v[0])
    transitions = []
    for p in stages[1:]:
        on = expit(p.hidden_field(v))
        bumps = np.exp(-0.5 * p.precision * (v.T - p.visible_mean(np.array([[0.0], [1.0]]))) ** 2)
        transitions.append(np.hstack([1 - on, on]) @ (bumps / bumps.sum(1, keepdims=True)))
    raised = power * log_f - (power - 1) * log_f[0]
    total = ae.expected_ais_weights(raised, transitions)[-1].sum()
    return total * np.exp((power - 1) * stages[0].log_z() - power * stages[-1].log_z())


@pytest.mark.parametrize("start", ["mean only", "full"])
def test_moments_of_the_weights_are_those_of_transition_matrices(start):
    log_w, p = rare_mode.weight_distribution(path_from(start), SCHEDULE)
    assert p.sum() == pytest.approx(1, abs=1e-9)
    for power in (1, 2):
        assert (p * np.exp(power * log_w)).sum() == pytest.approx(by_matrices(path_from(start), power), rel=3e-3)


def test_chains_have_this_distribution():
    """The largest gap between two distribution functions, of 40,000 chains: below 1.95 / 200 in 999 of 1,000 cases."""
    log_w, p = rare_mode.weight_distribution(path_from("full"), SCHEDULE)
    run = ae.ais(path_from("full"), SCHEDULE, 40_000, rng=np.random.default_rng(0))
    found = np.sort(run.log_weights) - rare_mode.rare_mode().log_z()
    exact = np.interp(found, log_w + 0.0025, np.cumsum(p.sum(0)))
    assert np.abs(exact - np.arange(40_000) / 40_000).max() < 0.0125


def test_the_error_of_runs_is_that_of_chains_drawn_one_by_one():
    """Ten thousand runs of 50 chains: an error of a few percent."""
    rng, values = np.random.default_rng(0), np.log([0.5, 1.0, 30.0])
    p = np.array([0.3, 0.69, 0.01])
    w = rng.choice(np.exp(values), (10_000, 50), p=p)
    drawn = np.sqrt(np.mean(np.log(w.mean(1)) ** 2))
    assert rare_mode.rms_of_runs(values, p, 50, rng) == pytest.approx(drawn, rel=0.06)
