"""Thermodynamic integration against closed forms, and against RTS as rungs are added."""

import numpy as np
import pytest
from scipy.special import logsumexp

import anneal_edu as ae


def gaussian_path():
    return ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[0.5]]))


def exact_draws(path, schedule, n, rng):
    counts = np.full(len(schedule), n)
    return np.concatenate([path(float(beta)).sample(n, rng) for beta in schedule]), counts


def mixture_path():
    """From N(0, 9) to two bumps of width 0.4 at ±3, Z_1 = 0.8 √(2π); and a grid to integrate over."""
    start = ae.Gaussian([0.0], [[9.0]])
    target = ae.Unnormalized(lambda x: np.logaddexp(-((x - 3) ** 2) / 0.32, -((x + 3) ** 2) / 0.32).sum(-1), dim=1)
    return ae.geometric_path(start, target), np.linspace(-15, 15, 6001)[:, None]


def test_plain_integration_of_gaussians_within_its_error_bars():
    """The mean of Δ between two Gaussians is smooth in β: 41 rungs leave no error of the rule that matters."""
    path, schedule = gaussian_path(), ae.linear_schedule(40)
    truth = np.array([path(float(beta)).log_z() for beta in schedule])
    z = []
    for seed in range(200):
        x, counts = exact_draws(path, schedule, 20, np.random.default_rng(seed))
        found = ae.thermodynamic_integration(ae.log_density_matrix(path, schedule, x), counts, schedule)
        z.append(((found.log_z - truth) / np.maximum(found.std_error, 1e-12))[[10, 20, 40]])
    z = np.array(z)
    assert np.abs(z.mean(0)).max() < 5 / np.sqrt(200)
    np.testing.assert_allclose(z.std(0), 1, atol=4.5 / np.sqrt(2 * 200))


def test_path_sampling_is_the_same_sum():
    """Gelman and Meng weigh every draw by 1 / p(β); with the shares of the rungs for p that is the trapezoid rule."""
    path, schedule = gaussian_path(), np.array([0.0, 0.1, 0.4, 1.0])
    rng, counts = np.random.default_rng(1), np.array([20, 5, 30, 10])
    x = np.concatenate([path(float(b)).sample(n, rng) for b, n in zip(schedule, counts, strict=True)])
    found = ae.thermodynamic_integration(ae.log_density_matrix(path, schedule, x), counts, schedule)
    width = np.array([0.05, 0.2, 0.45, 0.3])  # of each rung in the trapezoid rule
    density = counts / counts.sum() / width  # of the draws over β
    slope = path(1.0).log_density(x) - path(0.0).log_density(x)
    assert abs(found.log_z[-1] - (slope / np.repeat(density, counts)).mean()) < 1e-12


def test_rao_blackwellised_means_by_the_definition():
    path, schedule, log_z = gaussian_path(), np.array([0.0, 0.4, 1.0]), np.array([0.0, 0.5, -1.0])
    x, counts = exact_draws(path, schedule, 9, np.random.default_rng(2))
    log_f = ae.log_density_matrix(path, schedule, x)
    found = ae.thermodynamic_integration(log_f, counts, schedule, rao_blackwellized=True, log_z=log_z)
    q = np.exp(log_f - log_z[:, None] - logsumexp(log_f - log_z[:, None], axis=0))
    slope = log_f[-1] - log_f[0]
    np.testing.assert_allclose(found.mean_slopes, (q * slope).sum(1) / q.sum(1), atol=1e-12)


def expected_estimates(n_steps):
    """The truth, RTS and Rao-Blackwellised TI for infinitely many draws of q(x, β_k), Ẑ_k = 1, by sums over a grid."""
    path, grid = mixture_path()
    schedule = ae.linear_schedule(n_steps)
    log_f = ae.log_density_matrix(path, schedule, grid)
    cell = np.log(grid[1, 0] - grid[0, 0])
    truth = logsumexp(log_f, axis=1) + cell
    log_q = log_f - logsumexp(log_f, axis=0)  # q(β_k | x) for Ẑ = 1
    log_p = logsumexp(log_f, axis=0)  # the density of x under q, up to a constant
    log_p -= logsumexp(log_p)
    log_c = logsumexp(log_q + log_p, axis=1)
    slope = log_f[-1] - log_f[0]
    means = np.exp(log_q + log_p - log_c[:, None]) @ slope
    return truth[-1] - truth[0], log_c[-1] - log_c[0], np.trapezoid(means, schedule)


def test_rb_integration_approaches_rts_as_rungs_are_added():
    """RTS has no discretisation error for any number of rungs; that of RB-TI falls as 1/K²."""
    gaps = []
    for n_steps in (2, 10, 40, 160):
        truth, rts, rb_ti = expected_estimates(n_steps)
        assert abs(rts - truth) < 1e-9
        gaps.append(abs(rb_ti - rts))
    assert gaps[0] > 0.5
    assert gaps[1] < gaps[0] / 3
    assert 12 < gaps[1] / gaps[2] < 20 and 12 < gaps[2] / gaps[3] < 20


def test_the_error_of_the_rule_is_told_from_half_of_the_rungs():
    """Between N(0, 1) and N(2, 1/2), exact draws: at 9 rungs the guess is near the error that infinite draws have."""
    path = gaussian_path()
    for n_steps, seeds in ((8, range(10)), (7, range(10))):
        schedule, guesses = ae.linear_schedule(n_steps), []
        for seed in seeds:
            x, counts = exact_draws(path, schedule, 4000, np.random.default_rng(seed))
            found = ae.thermodynamic_integration(ae.log_density_matrix(path, schedule, x), counts, schedule)
            guesses.append(found.rule_error)
        means = [(path(float(b)).mean[0], path(float(b)).cov[0, 0]) for b in schedule]
        ends = means[0], means[-1]
        log_p = [[-0.5 * (((m - e) ** 2 + v) / s + np.log(2 * np.pi * s)) for e, s in ends] for m, v in means]
        true_error = abs(np.trapezoid([high - low for low, high in log_p], schedule))
        assert true_error / 2 < np.median(guesses) < 2 * true_error


def test_warnings_of_the_rule():
    path = gaussian_path()
    for n_steps, kinds in ((1, ["coarse rule"]), (2, ["coarse rule"]), (40, [])):
        schedule = ae.linear_schedule(n_steps)
        x, counts = exact_draws(path, schedule, 1000, np.random.default_rng(0))
        log_f = ae.log_density_matrix(path, schedule, x)
        found = ae.thermodynamic_integration(log_f, counts, schedule)
        assert [warning.kind for warning in found.warnings] == kinds
        assert "rule's own error" in str(found)
    slopes = np.diff(log_f, axis=0)[:1] * np.ones((2, 1))  # of a path that need not be linear
    found = ae.thermodynamic_integration(log_f[[0, -1]], [500, len(x) - 500], [0, 1], slopes)
    assert "two rungs" in [warning.kind for warning in found.warnings]


def test_three_and_four_rungs_of_which_one_interval_has_all_the_area():
    """A posterior of 100,000 data, log-spaced: rung 2 to 3 is off by hundreds of nats, and halving never splits it."""
    n, rng = 100_000, np.random.default_rng(0)
    for betas in ([0, 1e-6, 1e-3, 1], [0, 1e-6, 1], [0, 1]):
        precision = 1 + n * np.array(betas)  # of θ, where the likelihood is N(0, 1) for data whose mean is 0
        theta = np.concatenate([rng.normal(size=2000) / np.sqrt(p) for p in precision])
        found = ae.thermodynamic_integration(-0.5 * precision[:, None] * theta**2, [2000] * len(betas), betas)
        off = abs(found.log_z[-1] + 0.5 * np.log(1 + n))
        assert [w.kind for w in found.warnings] == ["coarse rule"] and 0.5 < found.rule_error / off < 2


def test_slopes_of_an_rbm_path():
    """Between marginals of RBMs log f is not linear in β: it says so, and with slopes it is right."""
    rng = np.random.default_rng(4)
    target = ae.BinaryRBM(rng.normal(0, 1, (8, 4)), rng.normal(0, 1, 8), rng.normal(0, 1, 4))
    path, schedule = ae.geometric_path(ae.uniform_rbm(8, 4), target), ae.linear_schedule(30)
    x, counts = exact_draws(path, schedule, 400, rng)
    x = x.astype(float)
    log_f = ae.log_density_matrix(path, schedule, x)
    with pytest.raises(ValueError, match="not linear in β: pass slopes"):
        ae.thermodynamic_integration(log_f, counts, schedule)
    found = ae.thermodynamic_integration(log_f, counts, schedule, ae.log_density_slopes(path, schedule, x))
    truth = target.log_z() - path.start.log_z()
    assert abs(found.log_z[-1] - truth) < 5 * found.std_error[-1] + 0.01 < 0.25


GOOD = {"log_density_matrix": np.zeros((3, 6)), "counts": [2, 2, 2], "schedule": [0, 0.5, 1]}


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"counts": [3, 0, 3]}, "every rung needs draws, got none of rung 1"),
        ({"schedule": [0, 1]}, r"schedule must have shape \(3,\)"),
        ({"slopes": np.zeros((2, 6))}, r"slopes must have shape \(3, 6\)"),
        ({"rao_blackwellized": True}, "log_z must be given if rao_blackwellized"),
        ({"log_z": np.zeros(3)}, "and only then"),
        ({"rao_blackwellized": True, "log_z": np.zeros(2)}, r"log_z must have shape \(3,\)"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        ae.thermodynamic_integration(**(GOOD | arguments))
