from math import comb

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import chisquare

import anneal_edu as ae


def random_rbm(D, H, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    return ae.BinaryRBM(scale * rng.normal(size=(D, H)), rng.normal(size=D), rng.normal(size=H))


def joint_table(rbm):
    """Log weights of every (v, h), straight from the definition of the model: (2^D, 2^H)."""
    v, h = ae.binary_states(rbm.dim), ae.binary_states(rbm.n_hidden)
    return (v @ rbm.visible_bias)[:, None] + h @ rbm.hidden_bias + v @ rbm.weights @ h.T


SHAPES = [(6, 4), (4, 7), (5, 5), (1, 1), (9, 2)]


@pytest.mark.parametrize(("D", "H"), SHAPES)
@pytest.mark.parametrize("scale", [0.3, 3.0, 400.0])  # the last takes the way without tables
def test_log_z_and_log_density_agree_with_brute_force(D, H, scale):
    rbm = random_rbm(D, H, scale=scale)
    table = joint_table(rbm)
    assert rbm.log_z() == pytest.approx(logsumexp(table), rel=1e-12)
    np.testing.assert_allclose(rbm.log_density(ae.binary_states(D)), logsumexp(table, axis=1), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("D", "H"), SHAPES)
@pytest.mark.parametrize("scale", [2.0, 400.0])
def test_moments_agree_with_brute_force(D, H, scale):
    rbm = random_rbm(D, H, scale=scale)
    v, h = ae.binary_states(D), ae.binary_states(H)
    p = np.exp(joint_table(rbm) - logsumexp(joint_table(rbm)))
    expected = (p.sum(1) @ v, p.sum(0) @ h, v.T @ p @ h)
    for got, want in zip(rbm.moments(), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(rbm.hidden_probabilities(), p.sum(0), rtol=1e-10, atol=1e-14)


def test_couplings_of_both_signs_do_not_overflow_the_tables():
    """40 factors of up to e^60, whose rows of weights sum to nothing: their product is multiplied in portions."""
    weights = np.tile([30.0, -30.0, 30.0, -30.0], (40, 1))
    h = ae.binary_states(4)
    expected = logsumexp(40 * np.logaddexp(0, h @ weights[0]))
    assert ae.BinaryRBM(weights, np.zeros(40), np.zeros(4)).log_z() == pytest.approx(expected, rel=1e-12)


def test_one_unit_that_leans_on_all_others_does_not_overflow_the_tables():
    """Its factor is up to e^720, though no unit of the others weighs more than 60."""
    weights = np.zeros((12, 12))
    weights[0] = 60.0
    ways = logsumexp([60.0 * k + np.log(comb(12, k)) for k in range(13)])  # k hidden units on, the first visible one on
    expected = np.logaddexp(12 * np.log(2), ways) + 11 * np.log(2)
    assert ae.BinaryRBM(weights, np.zeros(12), np.zeros(12)).log_z() == pytest.approx(expected, rel=1e-12)


def test_exact_samples_follow_the_enumerated_distribution():
    for D, H in [(4, 3), (3, 5)]:
        rbm, n = random_rbm(D, H), 40_000
        codes = rbm.sample(n, np.random.default_rng(5)) @ (1 << np.arange(D)[::-1])
        p = np.exp(rbm.log_density(ae.binary_states(D)) - rbm.log_z())
        assert chisquare(np.bincount(codes.astype(int), minlength=2**D), n * p).pvalue > 1e-6


def test_gibbs_transition_matrix_leaves_the_rbm_invariant():
    rbm = random_rbm(5, 4, scale=2.0)
    T = ae.gibbs_matrix(rbm)
    pi = np.exp(rbm.log_density(ae.binary_states(5)) - rbm.log_z())
    np.testing.assert_allclose(T.sum(1), 1, atol=1e-13)
    np.testing.assert_allclose(pi @ T, pi, atol=1e-12)
    np.testing.assert_allclose(pi[:, None] * T, (pi[:, None] * T).T, atol=1e-12, err_msg="detailed balance")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gibbs_draws_follow_the_transition_matrix(dtype):
    rbm, n = random_rbm(3, 3), 40_000
    T = ae.gibbs_matrix(rbm)
    for row in (0, 5):
        v = np.tile(ae.binary_states(3)[row].astype(dtype), (n, 1))
        codes = (rbm.gibbs(v, np.random.default_rng(row)) @ [4, 2, 1]).astype(int)
        assert chisquare(np.bincount(codes, minlength=8), n * T[row]).pvalue > 1e-6


def test_weightless_models_have_closed_forms_at_any_size():
    uniform = ae.uniform_rbm(784, 500)
    assert uniform.log_z() == pytest.approx(1284 * np.log(2))
    data = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 1], [0, 0, 1]])
    base = ae.base_rate_rbm(data, 200)
    p = [0.01, 0.5, 0.99]
    np.testing.assert_allclose(base.moments()[0], p, rtol=1e-12, atol=1e-12)
    assert base.log_z() == pytest.approx(-np.log1p(-np.array(p)).sum() + 200 * np.log(2))
    n = 20_000
    assert (np.abs(base.sample(n, np.random.default_rng(0)).mean(0) - p) < 5 * 0.5 / np.sqrt(n)).all()
    small = ae.uniform_rbm(4, 3)
    assert small.log_z() == pytest.approx(logsumexp(joint_table(small)))


def test_geometric_mean_averages_the_joint_densities():
    first, second = random_rbm(4, 3, seed=1), random_rbm(4, 3, seed=2)
    want = 0.7 * joint_table(first) + 0.3 * joint_table(second)
    np.testing.assert_allclose(joint_table(first.geometric_mean(second, 0.3)), want, rtol=1e-12, atol=1e-12)


def test_float32_states_cost_a_few_units_in_the_seventh_digit():
    rbm = random_rbm(784, 100, scale=0.1)
    v = np.random.default_rng(0).integers(0, 2, size=(50, 784))
    np.testing.assert_allclose(rbm.log_density(v.astype(np.float32)), rbm.log_density(v), rtol=3e-6)


def test_an_impossible_enumeration_is_refused_with_a_way_out():
    with pytest.raises(ValueError, match=r"2\^60 states.*ais"):
        random_rbm(60, 70).log_z()
    with pytest.raises(ValueError, match=r"2\^25 states"):
        random_rbm(40, 25).sample(3, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"2\^60 states"):
        ae.GaussianRBM(np.ones((3, 60)), np.zeros(3), np.zeros(60), 1.0).log_z()
    with pytest.raises(ValueError, match="zeros and ones"):
        ae.base_rate_rbm(np.array([[0.0, 0.5]]), 3)


@pytest.mark.parametrize(
    ("weights", "visible_bias", "hidden_bias", "message"),
    [
        (np.zeros((3, 2)), np.zeros(2), np.zeros(2), r"visible_bias must have shape \(3,\), got \(2,\)"),
        (np.zeros((3, 2)), np.zeros(3), np.zeros(1), r"hidden_bias must have shape \(2,\), got \(1,\)"),
        (np.zeros(3), np.zeros(3), np.zeros(1), "weights must have 2 axes"),
        (np.full((3, 2), np.nan), np.zeros(3), np.zeros(2), "weights must be finite"),
        (np.zeros((0, 2)), np.zeros(0), np.zeros(2), "weights is empty"),
        (np.full((3, 2), 1e31), np.zeros(3), np.zeros(2), r"weights must not exceed 1e\+30, got 1e\+31"),
    ],
)
def test_bad_parameters_are_refused_by_name(weights, visible_bias, hidden_bias, message):
    with pytest.raises(ValueError, match=message):
        ae.BinaryRBM(weights, visible_bias, hidden_bias)


def test_a_weight_and_a_bias_that_are_too_large_together_only_are_summed_all_the_same():
    rbm = ae.BinaryRBM([[500.0]], [500.0], [0.0])
    assert rbm.log_z() == pytest.approx(np.logaddexp(np.logaddexp(0, 500), np.logaddexp(0, 1000)))
