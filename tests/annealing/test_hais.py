from functools import partial
from itertools import islice

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import ks_2samp

import anneal_edu as ae
from anneal_edu.annealing.hais import hais_states, half_life_refresh, reflected
from anneal_edu.kernels import accept


def gaussian_path():
    """From N(0, I) to a Gaussian that is neither round nor far: the numbers are no draws, some draws would be far."""
    root, mean = np.sin(1 + np.arange(9).reshape(3, 3) ** 2), np.cos(np.arange(3))
    start = ae.Gaussian(np.zeros(3), np.eye(3), log_scale=0.3)
    return ae.geometric_path(start, ae.Gaussian(mean, root @ root.T / 3 + 0.2 * np.eye(3), 1.7))


def log_gamma_target(shape):
    """f(x) = exp(shape · x - e^x) in each coordinate, log Z = Σ log Γ(shape)."""
    return ae.Unnormalized(
        lambda x: (shape * x - np.exp(x)).sum(-1), len(shape), grad=lambda x: shape - np.exp(x)
    ), gammaln(shape).sum()


class HalfLine:
    """Independent Exponential(rate) coordinates on x ≥ 0, with log Z = -Σ log rate unless normalised."""

    def __init__(self, rate, normalised=False):
        self.rate, self.dim = np.asarray(rate, dtype=float), len(rate)
        self.nonnegative = np.ones(self.dim, dtype=bool)
        self.log_scale = np.log(self.rate).sum() if normalised else 0.0

    def log_density(self, x):
        return self.log_scale - (x * self.rate).sum(-1)

    def grad_log_density(self, x):
        return np.broadcast_to(-self.rate, x.shape)

    def sample(self, n, rng):
        return rng.standard_exponential((n, self.dim)) / self.rate

    def log_z(self):
        return float(self.log_scale - np.log(self.rate).sum())


def unbiased(result, log_z, bound=5):
    w = np.exp(result.log_weights - log_z)
    return abs(w.mean() - 1) < bound * w.std() / np.sqrt(len(w))


@pytest.mark.parametrize("refresh", [None, 0.05, 1.0])
@pytest.mark.parametrize("step_size", [0.1, 0.7])
def test_gaussian_targets_are_reached_without_bias(step_size, refresh):
    path = gaussian_path()
    result = ae.hais(path, ae.linear_schedule(20), 20_000, step_size, refresh, rng=np.random.default_rng(0))
    assert unbiased(result, 1.7)
    assert 0.3 < result.acceptance <= 1
    assert result.samples.shape == (20_000, 3)
    assert "leapfrog steps accepted" in str(result)


def test_a_path_that_is_not_geometric_is_walked_too():
    start, end = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[0.5]], log_scale=-0.4)
    for path in (ae.moment_path(start, end), ae.spline_path([0, 0.5, 1], [start, ae.Gaussian([1.5], [[2.0]]), end])):
        assert unbiased(ae.hais(path, ae.linear_schedule(40), 10_000, rng=np.random.default_rng(0)), -0.4)


def test_log_gamma_targets_are_reached_without_bias():
    target, log_z = log_gamma_target(np.array([0.7, 2.0, 5.0]))
    path = ae.geometric_path(ae.Gaussian(np.zeros(3), np.eye(3)), target)
    assert unbiased(ae.hais(path, ae.linear_schedule(100), 4000, rng=np.random.default_rng(0)), log_z)


def test_walls_reflect_and_keep_the_estimate_unbiased():
    path = ae.geometric_path(HalfLine([1.0, 2.0], normalised=True), HalfLine([3.0, 0.7]))
    for step_size in (0.2, 1.0):
        result = ae.hais(path, ae.linear_schedule(30), 20_000, step_size, rng=np.random.default_rng(0))
        assert unbiased(result, HalfLine([3.0, 0.7]).log_z())
        assert (result.samples >= 0).all()


def test_one_step_is_importance_sampling():
    path = gaussian_path()
    result = ae.hais(path, [0, 1], 50, rng=np.random.default_rng(3))
    x = path(0.0).sample(50, np.random.default_rng(3))
    np.testing.assert_allclose(result.log_weights, path(1.0).log_density(x) - path(0.0).log_density(x) + 0.3)


def transition(path, beta, x, v, rng, step_size=0.6, refresh=0.3, nonnegative=None):
    [state] = hais_states(path, [beta, beta], x, v, [step_size], [refresh], rng, nonnegative)
    return state.x, state.v, state.accepted


def phase_space_z_scores(x, v, mean, cov):
    """Standard errors between the moments of (x, v), squares and products included, and those of p × N(0, I)."""
    D = len(mean)
    joint = np.hstack([(x - mean) @ np.linalg.inv(np.linalg.cholesky(cov)).T, v])
    i, j = np.triu_indices(2 * D)
    features = np.hstack([joint, joint[:, i] * joint[:, j]])
    exact = np.concatenate([np.zeros(2 * D), (i == j).astype(float)])
    return (features.mean(0) - exact) / (features.std(0) / np.sqrt(len(x)))


def after_one_step(beta, seed=0, n=20_000, **settings):
    path, rng = gaussian_path(), np.random.default_rng(seed)
    member = path(beta)
    x, v, _ = transition(path, beta, member.sample(n, rng), rng.standard_normal((n, 3)), rng, **settings)
    return np.abs(phase_space_z_scores(x, v, member.mean, member.cov)).max()


@pytest.mark.parametrize("beta", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(("step_size", "refresh"), [(0.6, 0.3), (1.2, 0.05), (0.3, 1.0)])
def test_a_transition_leaves_position_and_momentum_invariant(beta, step_size, refresh):
    assert after_one_step(beta, step_size=step_size, refresh=refresh) < 5


def test_walls_leave_the_distribution_invariant():
    target, rng, n = HalfLine([1.0, 2.0]), np.random.default_rng(0), 40_000
    path = ae.geometric_path(HalfLine([1.0, 1.0]), target)
    x, v = target.sample(n, rng), rng.standard_normal((n, 2))
    for _ in range(3):
        x, v, _ = transition(path, 1.0, x, v, rng, nonnegative=target.nonnegative)
    u, momentum = x * target.rate, v  # Exponential(1) and N(0, 1)
    for feature, exact in ((u, 1.0), (u**2, 2.0), (momentum, 0.0), (momentum**2, 1.0), (u * momentum, 0.0)):
        z = (feature.mean(0) - exact) / (feature.std(0) / np.sqrt(n))
        assert np.abs(z).max() < 5


def printed_refresh(p, gamma, rng):
    """Step 4 as the paper prints it, with γ r in place of √γ r."""
    return np.sqrt(1 - gamma) * p + gamma * rng.standard_normal(p.shape)


def test_the_printed_refresh_shrinks_the_momentum():
    """Var v = (1-γ) + γ² < 1 after one step: found by the same moments that the right form passes."""
    path, rng, n = gaussian_path(), np.random.default_rng(0), 20_000
    member = path(0.4)
    x, v = member.sample(n, rng), rng.standard_normal((n, 3))
    x, v, _ = transition(path, 0.4, x, v, rng, refresh=0.0)
    shrunk = printed_refresh(v, 0.3, rng)
    assert np.abs(phase_space_z_scores(x, shrunk, member.mean, member.cov)).max() > 8


def test_a_rejected_chain_turns_around_and_an_accepted_one_flies_on():
    path, rng = gaussian_path(), np.random.default_rng(0)
    x, v = path(1.0).sample(2000, rng), rng.standard_normal((2000, 3))
    new_x, new_v, accepted = transition(path, 1.0, x, v, rng, step_size=1.0, refresh=0.0)
    assert 0.1 < accepted.mean() < 0.95
    np.testing.assert_array_equal(new_x[~accepted], x[~accepted])
    np.testing.assert_array_equal(new_v[~accepted], -v[~accepted])
    back_x, back_v, _ = transition(path, 1.0, new_x[accepted], -new_v[accepted], Always(), 1.0, 0.0)
    np.testing.assert_allclose(back_x, x[accepted], atol=1e-10)
    np.testing.assert_allclose(back_v, -v[accepted], atol=1e-10)


class Always(np.random.Generator):
    """A generator with which Metropolis accepts everything."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))

    def standard_exponential(self, size):
        return np.full(size, np.inf)


def test_the_leapfrog_step_keeps_volume():
    """|det ∂(x', v') / ∂(x, v)| = 1, by finite differences of one step on the log-gamma target."""
    target, _ = log_gamma_target(np.array([2.0, 5.0]))
    path = ae.geometric_path(ae.Gaussian(np.zeros(2), np.eye(2)), target)
    point, eps = np.array([0.3, -0.2, 0.5, 1.1]), 1e-6

    def step(y):
        x, v, _ = transition(path, 0.7, y[None, :2], y[None, 2:], Always(), 0.5, 0.0)
        return np.concatenate([x[0], v[0]])

    jacobian = np.array([(step(point + e) - step(point - e)) / (2 * eps) for e in eps * np.eye(4)])
    assert abs(np.linalg.det(jacobian)) == pytest.approx(1, abs=1e-6)


def mean_weight_error(adapts, n=80_000):
    """How many standard errors the mean of w / Z lies from 1, on a target narrower than the start."""
    path, rng = ae.geometric_path(ae.Gaussian([0.0, 0.0], 1.0), ae.Gaussian([0.0, 0.0], 0.02)), np.random.default_rng(0)
    x, v, states = path.start.sample(n, rng), rng.standard_normal((n, 2)), []

    def step_sizes():
        step_size = np.full((n, 1), 0.4)
        while True:
            yield step_size
            step_size = step_size * np.where(states[-1].accepted[:, None], 1.5, 0.4) if adapts else step_size

    for state in hais_states(path, ae.linear_schedule(10), x, v, islice(step_sizes(), 10), [0.24] * 10, rng):
        states.append(state)
    w = np.exp(states[-1].log_weights)
    return abs(w.mean() - 1) / (w.std() / np.sqrt(n))


def test_a_step_size_that_adapts_while_weighting_loses_unbiasedness():
    """As in a public implementation, made plain: each chain shortens its own step on rejection, and grows it else.

    The step then depends on where the chain has been, and the transition no longer leaves its distribution invariant.
    """
    assert mean_weight_error(adapts=False) < 5
    assert mean_weight_error(adapts=True) > 8


def test_forgetting_the_momentum_is_hmc_with_one_leapfrog_step():
    """Equal in law to `ais` with the hmc kernel: both near the truth, and log weights of one law."""
    target, log_z = log_gamma_target(np.array([2.0, 5.0]))
    path = ae.geometric_path(ae.Gaussian(np.zeros(2), np.eye(2)), target)
    schedule, rng = ae.linear_schedule(50), np.random.default_rng(0)
    fresh = ae.hais(path, schedule, 4000, 0.3, refresh=1.0, rng=rng)
    kernel = ae.ais(path, schedule, 4000, ae.hmc(0.3, 1), rng=rng)
    assert unbiased(fresh, log_z)
    assert unbiased(kernel, log_z)
    assert ks_2samp(fresh.log_weights, kernel.log_weights).pvalue > 1e-6


def test_persistent_momentum_needs_fewer_distributions_than_fresh():
    target, log_z = log_gamma_target(np.full(10, 5.0))
    path = ae.geometric_path(ae.Gaussian(np.full(10, -3.0), np.eye(10)), target)
    persistent, fresh = (
        ae.hais(path, ae.linear_schedule(200), 1000, 0.1, refresh, rng=np.random.default_rng(0))
        for refresh in (None, 1.0)
    )
    assert abs(persistent.log_z - log_z) < abs(fresh.log_z - log_z) - 1


def test_half_of_the_power_is_renewed_in_a_unit_of_time():
    for step_size in (0.01, 0.2, 1.0):
        kept = (1 - half_life_refresh(step_size)) ** (1 / step_size)
        assert kept == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("step_size", [0.05, 0.2, 0.7])
def test_by_default_the_momentum_is_renewed_by_the_step_that_is_made(step_size):
    """γ = 1 - 2^{-ε}."""
    default, explicit = (
        ae.hais(gaussian_path(), ae.linear_schedule(5), 20, step_size, refresh, rng=np.random.default_rng(0))
        for refresh in (None, 1 - 2.0**-step_size)
    )
    np.testing.assert_allclose(default.samples, explicit.samples, rtol=1e-12, atol=1e-12)


def test_a_step_far_too_long_is_refused_and_nothing_overflows():
    target, _ = log_gamma_target(np.array([2.0]))
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), target)
    with np.errstate(over="ignore"):  # the target's own e^x, far out
        result = ae.hais(path, ae.linear_schedule(5), 100, 1e80, rng=np.random.default_rng(0))
    assert result.acceptance == 0
    assert np.isfinite(result.log_weights).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step_size": 0.0}, "step_size must be positive"),
        ({"step_size": np.nan}, "step_size must be positive"),
        ({"refresh": 0.0}, "refresh must lie in"),
        ({"refresh": 1.5}, "refresh must lie in"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, message):
    good = {"path": gaussian_path(), "schedule": [0, 1], "n_chains": 5, "rng": np.random.default_rng(0)}
    with pytest.raises(ValueError, match=message):
        ae.hais(**(good | settings))


def test_wrong_company_is_refused():
    rng = np.random.default_rng(0)
    run = partial(ae.hais, schedule=[0, 1], n_chains=5)
    with pytest.raises(TypeError, match="hais needs real states"):
        run(ae.geometric_path(ae.uniform_rbm(3, 2), ae.uniform_rbm(3, 2)), rng=rng)
    gradless = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Unnormalized(lambda x: -np.abs(x).sum(-1), 1))
    with pytest.raises(TypeError, match="no gradient"):
        run(gradless, rng=rng)
    nan = ae.Unnormalized(lambda x: -(x**2).sum(-1), 1, grad=lambda x: np.full(x.shape, np.nan))
    with pytest.raises(ValueError, match="grad_log_density is NaN"):
        run(ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), nan), rng=rng)


def test_metropolis_accepts_with_the_right_probability():
    accepted = accept(np.full(100_000, np.log(0.3)), np.random.default_rng(0))
    assert abs(accepted.mean() - 0.3) < 5 * np.sqrt(0.21 / 100_000)


def test_a_start_without_the_wall_is_refused():
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), HalfLine([1.0]))
    with pytest.raises(ValueError, match="path\\(0\\) must keep these coordinates"):
        ae.hais(path, ae.linear_schedule(5), 50, rng=np.random.default_rng(0))


def test_a_wall_itself_is_allowed():
    """States with coordinates of exactly 0, as from a start that is zero half of the time, are no states outside."""
    target = HalfLine([1.0, 2.0])
    np.testing.assert_array_equal(reflected(target, np.array([[0.0, 1.0], [2.0, 0.0]])), [True, True])
    with pytest.raises(ValueError, match="path\\(0\\) must keep these coordinates"):
        reflected(target, np.array([[0.0, 1.0], [2.0, -1e-300]]))


def test_a_run_that_hardly_moves_says_so():
    path = gaussian_path()
    run = ae.hais(path, ae.linear_schedule(5), 200, 30.0, rng=np.random.default_rng(0))
    assert run.acceptance < 0.01
    assert run.warnings[-1].kind == "steps refused"


@pytest.mark.parametrize(("share", "told"), [(0.2, False), (0.199, True)])
def test_a_fifth_of_the_steps_accepted_is_enough(share, told):
    run = ae.annealing.hais.HAISResult(np.zeros(5), np.zeros((5, 1)), 0.0, np.full(4, share))
    assert (run.acceptance_warnings != ()) is told


@pytest.mark.parametrize("wrong", [[True], [1, 0], [[True, True]], "no"])
def test_walls_are_one_boolean_a_coordinate(wrong):
    target = ae.Unnormalized(lambda x: -0.5 * (x**2).sum(-1), dim=2, grad=lambda x: -x)
    target.nonnegative = wrong
    path = ae.geometric_path(ae.Gaussian(np.zeros(2), np.eye(2)), target)
    with pytest.raises(ValueError, match="nonnegative must be 2 booleans"):
        ae.hais(path, [0, 0.5, 1], 3, rng=np.random.default_rng(0))


class WithoutSlope:
    """Draws and log Z, and no gradient."""

    dim = 1

    def log_density(self, x):
        return -0.5 * x[..., 0] ** 2 - 0.5 * np.log(2 * np.pi)

    def sample(self, n, rng):
        return rng.standard_normal((n, 1))

    def log_z(self):
        return 0.0


def test_both_ends_need_a_gradient():
    round_one, rng = ae.Gaussian([0.0], [[1.0]]), np.random.default_rng(0)
    for ends in ((WithoutSlope(), round_one), (round_one, WithoutSlope())):
        with pytest.raises(TypeError, match="grad_log_density, which WithoutSlope lacks: use ais"):
            ae.hais(ae.geometric_path(*ends), [0, 1], 2, rng=rng)
