import numpy as np
import pytest

import anneal_edu as ae
from tests.cases import always

FIGURE_1 = (
    ae.Gaussian([-10.0, 0.0], [[1.0, -0.85], [-0.85, 1.0]]),
    ae.Gaussian([10.0, 0.0], [[1.0, 0.85], [0.85, 1.0]]),
)
UNEQUAL = (ae.Gaussian([0.0, 1.0], [[1.0, 0.3], [0.3, 2.0]]), ae.Gaussian([3.0, -1.0], [[0.2, 0.0], [0.0, 5.0]]))
PATHS = [ae.geometric_path, ae.moment_path]


def random_rbm(D, H, seed):
    rng = np.random.default_rng(seed)
    return ae.BinaryRBM(rng.normal(size=(D, H)), rng.normal(size=D), rng.normal(size=H))


def test_kl_between_gaussians_is_the_textbook_formula():
    p, q = UNEQUAL
    P = np.linalg.inv(q.cov)
    gap = q.mean - p.mean
    textbook = 0.5 * (np.trace(P @ p.cov) - 2 + gap @ P @ gap + np.log(np.linalg.det(q.cov) / np.linalg.det(p.cov)))
    assert ae.kl_divergence(p, q) == pytest.approx(textbook, rel=1e-12)
    assert ae.kl_divergence(p, q) != pytest.approx(ae.kl_divergence(q, p), rel=0.01)
    assert ae.symmetric_kl(p, q) == pytest.approx(ae.kl_divergence(p, q) + ae.kl_divergence(q, p), rel=1e-12)


def test_kl_between_rbms_is_the_sum_over_every_joint_state():
    p, q = random_rbm(4, 3, 1), random_rbm(4, 3, 2)
    v, h = ae.binary_states(4), ae.binary_states(3)

    def log_joint(rbm):
        return (v @ rbm.visible_bias)[:, None] + h @ rbm.hidden_bias + v @ rbm.weights @ h.T - rbm.log_z()

    direct = (np.exp(log_joint(p)) * (log_joint(p) - log_joint(q))).sum()
    assert ae.kl_divergence(p, q) == pytest.approx(direct, rel=1e-10)


@pytest.mark.parametrize("make", PATHS)
def test_figure_1_costs_725_928_on_both_paths(make):
    assert ae.cost_functional(make(*FIGURE_1)) == pytest.approx(725.92793, abs=1e-4)


@pytest.mark.parametrize("make", PATHS)
@pytest.mark.parametrize("K", [10, 25, 1000])
@pytest.mark.parametrize("reverse", [False, True])
def test_where_the_ends_mirror_each_other_the_bias_is_f_over_k_at_every_k(make, K, reverse):
    path = make(*FIGURE_1)
    assert ae.kl_bias(path, ae.linear_schedule(K), reverse) == pytest.approx(ae.cost_functional(path) / K, rel=1e-9)


@pytest.mark.parametrize("make", PATHS)
@pytest.mark.parametrize("K", [1, 3, 40])
def test_forward_and_reverse_bias_add_up_to_2f_over_k_at_every_k(make, K):
    path, schedule = make(*UNEQUAL), ae.linear_schedule(K)
    forward, reverse = ae.kl_bias(path, schedule), ae.kl_bias(path, schedule, reverse=True)
    assert forward + reverse == pytest.approx(2 * ae.cost_functional(path) / K, rel=1e-10)
    assert abs(forward - reverse) > 1e-3 * forward, "apart, they differ"


@pytest.mark.parametrize("make", PATHS)
def test_k_times_the_bias_tends_to_f(make):
    path = make(*UNEQUAL)
    gaps = [abs(K * ae.kl_bias(path, ae.linear_schedule(K)) - ae.cost_functional(path)) for K in (400, 800, 1600)]
    assert gaps[2] < 0.01 * ae.cost_functional(path)
    np.testing.assert_allclose(np.divide(gaps[:-1], gaps[1:]), 2, rtol=0.1)


@pytest.mark.parametrize("d", always(1.0, of=[1.0, 100.0]))
def test_the_integral_is_exact_where_its_error_is_cubic_in_the_width(d):
    """The sum over two halves of a parabola errs by a quarter of what the whole does: extrapolated, by nothing.

    Uphill and downhill, and however large the integral.
    """
    between = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([d], [[1.0]]))
    for squared in (lambda beta: between(beta**2), lambda beta: between(1 - (1 - beta) ** 2)):
        assert ae.cost_functional(squared) == pytest.approx(2 / 3 * d**2, rel=1e-10)
        assert ae.path_length(squared) == pytest.approx(d, rel=1e-6)


@pytest.mark.parametrize("d", [0.5, 3.0, 40.0])
def test_length_between_same_covariance_gaussians(d):
    p0, p1 = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([d], [[1.0]])
    assert ae.path_length(ae.geometric_path(p0, p1)) == pytest.approx(d, rel=1e-6)
    b = np.linspace(0, 1, 400_001)
    variance = 1 + b * (1 - b) * d**2
    speed = np.sqrt(d**2 / variance + 0.5 * ((1 - 2 * b) * d**2 / variance) ** 2)  # √(μ'²/σ² + ½ (σ²'/σ²)²)
    assert ae.path_length(ae.moment_path(p0, p1)) == pytest.approx(np.trapezoid(speed, b), rel=1e-5)


def test_length_of_a_change_of_scale():
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([0.0], [[50.0**2]]))
    assert ae.path_length(path) == pytest.approx(np.sqrt(2) * np.log(50), rel=1e-6)


def test_moment_path_grows_with_the_logarithm_of_the_distance():
    """Each end of the moment path adds √2 log d to the length: ten times as far costs 2√2 log 10 more."""
    lengths = [
        ae.path_length(ae.moment_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([d], [[1.0]]))) for d in (1e3, 1e4)
    ]
    assert lengths[1] - lengths[0] == pytest.approx(2 * np.sqrt(2) * np.log(10), rel=1e-3)


def test_a_path_without_closed_forms_is_refused_with_a_way_out():
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Unnormalized(lambda x: -np.abs(x).sum(-1), 1))
    for function in (ae.cost_functional, ae.path_length, lambda p: ae.kl_bias(p, ae.linear_schedule(3))):
        with pytest.raises(TypeError, match="Monte Carlo"):
            function(path)


def test_members_of_different_size_are_not_compared():
    with pytest.raises(ValueError, match="same shapes"):
        ae.symmetric_kl(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([0.0, 1.0], np.eye(2)))


def test_a_path_that_moves_a_little_at_every_call_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="must be the same at every call"):
        ae.cost_functional(lambda beta: ae.Gaussian([beta + 0.01 * rng.random()], [[1.0]]))
