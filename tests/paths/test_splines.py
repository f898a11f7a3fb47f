import warnings
from functools import partial

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.paths.moment_matching import MomentMatch

KNOTS = [0.0, 0.3, 1.0]


def random_rbm(D, H, seed, scale=1.0):
    rng = np.random.default_rng(seed)
    return ae.BinaryRBM(scale * rng.normal(size=(D, H)), rng.normal(size=D), rng.normal(size=H))


def written_out_rbm(D, H, k, scale=1.0):
    """The same numbers at any seed, as uneven as normal ones; others for another k."""
    weights = np.sin(k * np.arange(1.0, D * H + 1) ** 2).reshape(D, H)
    biases = np.sin(k * np.arange(1.0, D + 1) ** 3), np.cos(k * np.arange(1.0, H + 1) ** 2)
    return ae.BinaryRBM(np.sqrt(2) * scale * weights, *biases)


RBMS = [ae.uniform_rbm(6, 4), written_out_rbm(6, 4, 1), written_out_rbm(6, 4, 2)]


def test_a_spline_passes_through_its_knots_and_is_geometric_between():
    path = ae.spline_path(KNOTS, RBMS)
    for beta, rbm in zip(KNOTS, RBMS, strict=True):
        assert path(beta) is rbm
    between = ae.geometric_path(RBMS[1], RBMS[2])(0.5)
    np.testing.assert_allclose(path(0.65).weights, between.weights, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("before", "now"), [(0.1, 0.2), (0.2, 0.3), (0.3, 0.4), (0.25, 0.5)])
def test_the_rbm_step_weighs_as_the_densities_do_within_and_across_knots(before, now):
    path, v = ae.spline_path(KNOTS, RBMS), ae.binary_states(6)
    log_ratio, _ = path.weigh_and_gibbs(before, now, v, np.random.default_rng(0))
    np.testing.assert_allclose(log_ratio, path(now).log_density(v) - path(before).log_density(v), atol=1e-5)


def begun_at(p0, p1, knots, found, converged):
    """The model from which the fit of each knot begins, where the fit finds these."""
    begun = []

    def fit(moments, initial):
        begun.append(initial)
        return MomentMatch(found[len(begun) - 1], 0.0, converged[len(begun) - 1], 1)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of knots that miss their moments
        ae.moment_spline_path(p0, p1, knots, fit=fit)
    return begun


@pytest.mark.parametrize("knots", [[0.2, 0.4, 0.6, 0.8], [0.1, 0.3, 0.35, 0.9]])
def test_after_exact_fits_the_line_through_the_last_two_knots_is_continued(knots):
    """Where the knots' parameters turn, only the last two tell where the next one is."""
    found = [written_out_rbm(6, 4, k) for k in range(1, 5)]
    begun = begun_at(RBMS[0], RBMS[1], knots, found, [True] * 4)
    assert begun[0] is RBMS[0] and begun[1] is found[0]
    for j in (2, 3):
        ahead = (knots[j] - knots[j - 1]) / (knots[j - 1] - knots[j - 2])
        at, last, before = (model.natural_parameters() for model in (begun[j], found[j - 1], found[j - 2]))
        for guess, near, far in zip(at, last, before, strict=True):
            np.testing.assert_allclose(guess, near + ahead * (near - far), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("late", [False, None])
def test_after_a_fit_that_is_not_exact_the_next_begins_where_it_ended(late):
    found = [written_out_rbm(6, 4, k) for k in range(1, 5)]
    begun = begun_at(RBMS[0], RBMS[1], 4, found, [True, late, late, True])
    assert begun[2] is found[1] and begun[3] is found[2]
    begun = begun_at(RBMS[0], RBMS[1], 4, found, [late, late, True, True])
    assert begun[2] is found[1] and begun[3] is not found[2]


def test_a_precision_is_not_continued():
    """Twice as far along the line from 1 to 0.4 lies none."""
    ends = [ae.GaussianRBM(np.eye(2), np.zeros(2), np.zeros(2), sigma * np.ones(2)) for sigma in (1.0, 2.0)]
    found = [ae.GaussianRBM(np.eye(2), np.zeros(2), np.zeros(2), sigma * np.ones(2)) for sigma in (1.0, 1.6, 1.8)]
    assert [begun_at(*ends, 3, found, [True] * 3)[j] is found[j - 1] for j in (1, 2)] == [True, True]


def test_weights_along_a_spline_are_unbiased():
    result = ae.ais(ae.spline_path(KNOTS, RBMS), ae.linear_schedule(10), 50_000, rng=np.random.default_rng(0))
    w = np.exp(result.log_weights - RBMS[-1].log_z())
    assert abs(w.mean() - 1) < 5 * w.std() / np.sqrt(w.size)


def test_moment_spline_knots_have_the_averaged_moments():
    p0, p1 = RBMS[0], RBMS[1]
    path = ae.moment_spline_path(p0, p1, knots=4, fit=partial(ae.match_moments, tolerance=1e-6))
    for beta, rbm, match in zip(path.betas[1:-1], path.distributions[1:-1], path.matches, strict=True):
        assert match.converged
        for s, s0, s1 in zip(rbm.moments(), p0.moments(), p1.moments(), strict=True):
            np.testing.assert_allclose(s, (1 - beta) * s0 + beta * s1, atol=1e-6)


def test_theorem_2_holds_on_the_spline():
    """Grosse et al. 2013: the geometric, the moment and the spline path share F = ½ Δη · Δs."""
    p0, p1 = RBMS[0], RBMS[2]
    path = ae.moment_spline_path(p0, p1, knots=3, fit=partial(ae.match_moments, tolerance=1e-8))
    assert ae.cost_functional(path) == pytest.approx(ae.cost_functional(ae.geometric_path(p0, p1)), rel=1e-5)


def test_gaussian_knots_are_those_of_the_moment_path():
    p0, p1 = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([5.0], [[2.0]])
    spline, moments = ae.moment_spline_path(p0, p1, knots=[0.2, 0.7]), ae.moment_path(p0, p1)
    np.testing.assert_allclose(spline(0.7).cov, moments(0.7).cov)
    assert spline(0.45).cov[0, 0] < moments(0.45).cov[0, 0], "between knots a geometric average is narrower"


def test_fitted_model_is_found_again_from_afar():
    rbm = written_out_rbm(5, 3, 4, scale=1.5)
    match = ae.match_moments(rbm.moments(), ae.uniform_rbm(5, 3), tolerance=1e-7)
    assert match.converged
    assert ae.symmetric_kl(match.rbm, rbm) < 1e-7


def test_a_fit_that_does_not_get_there_says_so():
    match = ae.match_moments(RBMS[1].moments(), RBMS[0], tolerance=1e-9)
    assert not match.converged
    assert match.residual > 1e-9
    with pytest.warns(UserWarning, match=r"knot at beta = 0\.5 misses its moments by up to") as seen:
        ae.moment_spline_path(RBMS[0], RBMS[1], knots=1, fit=partial(ae.match_moments, tolerance=1e-15))
    assert seen[0].filename == __file__, "a warning points to the line of who called"


def test_impossible_arguments_are_refused():
    with pytest.raises(ValueError, match="one distribution for each of 3 betas, got 2"):
        ae.spline_path(KNOTS, RBMS[:2])
    with pytest.raises(ValueError, match="betas must start at 0 and end at 1"):
        ae.spline_path([0.0, 0.5, 0.9], RBMS)
    with pytest.raises(ValueError, match=r"knots.*rise at every step"):
        ae.moment_spline_path(RBMS[0], RBMS[1], knots=[0.5, 0.4])
    with pytest.raises(ValueError, match="must hold probabilities"):
        ae.match_moments((np.full(6, 1.2), np.full(4, 0.5), np.full((6, 4), 0.5)), RBMS[0])
    with pytest.raises(ValueError, match=r"E h must have shape \(4,\)"):
        ae.match_moments((np.full(6, 0.2), np.full(3, 0.5), np.full((6, 4), 0.5)), RBMS[0])


def test_estimated_moments_agree_with_enumeration():
    rbm = random_rbm(6, 4, 5, scale=0.7)
    estimated = ae.estimate_moments(rbm, n_chains=500, n_steps=420, n_burn_in=20, every=2, rng=np.random.default_rng(0))
    for estimate, exact in zip(estimated, rbm.moments(), strict=True):
        assert np.abs(estimate - exact).max() < 0.01  # 100,000 correlated draws: a standard error is below 0.0025


def test_data_moments_average_h_given_v():
    """Of all states once, a uniform v: every h has the mean of its probability over v."""
    rbm, v = random_rbm(6, 4, 5), ae.binary_states(6)
    h = 1 / (1 + np.exp(-(v @ rbm.weights + rbm.hidden_bias)))
    for got, exact in zip(ae.data_moments(rbm, v), (np.full(6, 0.5), h.mean(0), v.T @ h / 64), strict=True):
        np.testing.assert_allclose(got, exact, atol=1e-6)


def test_a_fit_by_chains_comes_near_the_moments_it_is_given():
    rbm = random_rbm(6, 4, 6, scale=0.8)
    match = ae.pcd_fit(3000, 300, 0.05, rng=np.random.default_rng(0))(rbm.moments(), ae.uniform_rbm(6, 4))
    in_single = match.rbm.weights.astype(np.float32)
    assert np.array_equal(match.rbm.weights, in_single), "its products are of single precision"
    exact = max(np.abs(a - b).max() for a, b in zip(match.rbm.moments(), rbm.moments(), strict=True))
    assert match.converged is None
    assert exact < 0.03
    assert match.residual == pytest.approx(exact, abs=0.02)


def test_a_spline_through_chain_fitted_knots_is_as_unbiased_as_any():
    p0, p1 = RBMS[0], RBMS[1]
    moments = ae.estimate_moments(p1, 100, 60, 10, rng=np.random.default_rng(0))
    fit = ae.pcd_fit(200, 50, 0.05, rng=np.random.default_rng(1))
    path = ae.moment_spline_path(p0, p1, 3, target_moments=moments, fit=fit)
    result = ae.ais(path, ae.linear_schedule(40), 4000, rng=np.random.default_rng(2))
    assert abs(result.log_z - p1.log_z()) < 5 * result.std_error
