"""The papers' misprints that are proved here, and that every test named in docs/errata.md exists."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

import anneal_edu as ae
from anneal_edu.course.experiments import grosse_large
from anneal_edu.tempering.matrices import lifted_move, tag_states

ROOT = Path(__file__).parents[1]
ERRATA = (ROOT / "docs/errata.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r'^<a id="([\w-]+)"></a>\*\*(.+?)(?=\n\n|\Z)', ERRATA, re.MULTILINE | re.DOTALL))
"""Anchor to text, for every slip."""
TABLES = dict(re.findall(r"^### (.+?)\n(.+?)(?=\n### |\Z)", ERRATA, re.MULTILINE | re.DOTALL))
"""Title to rows, for every paper."""
LAST_EQUATION = {
    "Grosse, Maddison & Salakhutdinov 2013": 20,  # Theorem 3, Section 4.3
    "Kiwaki & Aihara 2015": 14,  # the law of v given x and h, Section 4
    "Sohl-Dickstein & Culpepper 2012": 41,  # Φ = 0, Section 5.1
    "Kadan, Syed & Wøien 2018 (report)": 4,  # the law of h given v, Section 2.1
    "Carlson, Stinson, Pakman & Paninski 2016 (poster)": 0,  # no number anywhere
}


def test_every_misprint_names_a_test_that_exists():
    assert len(ENTRIES) == ERRATA.count("<a id=") == 26
    assert all("\nTest: `tests/" in entry for entry in ENTRIES.values())
    for file, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", ERRATA):
        assert f"\ndef {name}(" in (ROOT / file).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("title", LAST_EQUATION)
def test_every_equation_has_a_verdict_and_every_slip_an_entry(title):
    rows = [row.strip("| ").split(" | ") for row in TABLES[title].splitlines() if row[:2] == "| "][1:]
    assert [int(row[0]) for row in rows if row[0].isdigit()] == list(range(1, LAST_EQUATION[title] + 1))
    for equation, _, verdict, reason in rows:
        link = re.fullmatch(r"\[slip\]\(#([\w-]+)\)", verdict.strip())
        assert reason and (link or verdict.strip() in ("right", "right, not used here"))
        if link and equation.isdigit():
            assert re.match(rf"Equations? .*\b{equation}\b", ENTRIES[link[1]]), equation


FIGURE_1 = ae.Gaussian([-10.0, 0.0], [[1, -0.85], [-0.85, 1]]), ae.Gaussian([10.0, 0.0], [[1, 0.85], [0.85, 1]])
"""The two Gaussians of Grosse et al., Section 5.1."""


def test_grosse_counts_intermediate_distributions():
    """-28.04 is the paper's mean of 5,000 log weights of standard deviation 7.9: near -F/26, far from -F/25."""
    F = ae.cost_functional(ae.geometric_path(*FIGURE_1))
    error = 7.9 / np.sqrt(5000)
    assert abs(-28.04 + F / 26) < 2 * error
    assert abs(-28.04 + F / 25) > 8 * error


def test_27_nats_and_a_mean_of_28_are_of_two_kinds_of_transitions():
    """Geometric path, 26 transitions, 5,000 chains: perfect transitions have the mean, Gibbs ones the error."""
    path = ae.geometric_path(*FIGURE_1)
    perfect, gibbs = (
        [ae.ais(path, ae.linear_schedule(26), 5000, kernel, rng=np.random.default_rng(seed)) for seed in range(5)]
        for kernel in (ae.exact, ae.gibbs)
    )
    assert all(abs(run.mean_log_weight + 27.92) < 1 for run in perfect)
    assert np.median([run.log_z for run in perfect]) > -16
    assert np.median([run.log_z for run in gibbs]) < -20
    assert all(run.mean_log_weight < -60 for run in gibbs)


def test_the_moments_path_that_is_low_leads_to_cd25():
    """Distance below the estimate with the highest ESS, in standard errors sqrt(1/ESS) of both, from Table 2."""

    def shortfall(model, *row):
        best, best_ess = max(grosse_large.PAPER[model].values(), key=lambda cell: cell[1])
        value, ess = grosse_large.PAPER[model][row]
        return (best - value) / np.sqrt(1 / ess + 1 / best_ess)

    assert shortfall("CD1", "uniform", "MAS") < 1
    assert shortfall("CD25", "uniform", "MAS") > 5
    assert shortfall("PCD", "uniform", "geometric") > 4, "the other one that the paper names"


def test_visible_units_of_a_gaussian_rbm_are_real():
    """Two visible units, three hidden ones: Z is the integral over the plane, not the sum over {0,1}^2."""
    W = np.array([[1.0, -0.5, 0.3], [0.2, 0.8, -1.0]])
    b, sigma = np.array([0.3, -0.2]), np.array([0.8, 1.2])
    grbm = ae.GaussianRBM(W, b, np.zeros(3), sigma)
    assert grbm.dim == 2
    axis = np.linspace(-12, 12, 481)
    density = np.exp(grbm.log_density(np.stack(np.meshgrid(axis, axis), axis=-1)))
    Z = density.sum() * 0.05**2
    assert Z == pytest.approx(np.exp(grbm.log_z()), rel=1e-10)
    assert np.exp(grbm.log_density(ae.binary_states(2).astype(float))).sum() < 0.5 * Z, "as printed"


def law_of_x(beta, precision):
    """Variance of x under Eq. 10 with one visible and one hidden unit, sigma = 1, w = 3; sums over a grid."""
    x, v = np.meshgrid(np.linspace(-12, 12, 481), np.linspace(-12, 12, 481), indexing="ij")
    log_f = np.logaddexp(0, beta * 3 * v) - beta * v**2 / 2
    f = np.exp(log_f - (1 - beta) * ((v - x) ** 2 / 2 + precision * x**2 / 2))
    p = f.sum(1) / f.sum()
    return p @ x[:, 0] ** 2 - (p @ x[:, 0]) ** 2


def test_the_auxiliary_units_are_normal_at_the_start_only():
    assert law_of_x(0.0, precision=0.5) == pytest.approx(1 / 0.5, rel=1e-6)
    assert law_of_x(0.5, precision=0.5) < 0.8 / (0.5 * (1 - 0.5)), "as printed"


def test_the_lambda_of_a_start_with_the_targets_covariance_does_not_exist():
    """Six visible units, two hidden ones: rank 2 at most. The path, which needs no Λ, begins with that covariance."""
    weights = np.random.default_rng(0).normal(size=(6, 2))
    grbm = ae.experiments.kiwaki.mirrored_grbm(weights, sigma=0.7)  # no unit is always on
    mean, cov = grbm.mean_and_cov()
    assert np.linalg.matrix_rank(cov - np.diag(grbm.sigma**2), tol=1e-9) == 2
    start = ae.covariance_path(mean, cov, grbm)(0.0)
    np.testing.assert_allclose(start.mean_and_cov()[1], cov, atol=1e-10)


def test_two_hundred_hidden_units_are_not_tractable():
    rng = np.random.default_rng(0)
    small, large = (
        ae.GaussianRBM(rng.normal(size=(108, H)), np.zeros(108), np.zeros(H), np.ones(108)) for H in (12, 200)
    )
    assert np.isfinite(small.log_z())
    with pytest.raises(ValueError, match="2\\^200"):
        large.log_z()


def test_one_chain_is_unbiased_already():
    """The mean of Ẑ over one-chain runs is Z; it is log Ẑ that is low, and less so with 1,000 chains."""
    target = ae.Unnormalized(lambda x: -0.5 * (x[..., 0] - 1) ** 2, dim=1)
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), target)
    lw = ae.ais(path, [0, 0.5, 1], 100_000, ae.random_walk(1.0), rng=np.random.default_rng(0)).log_weights
    w, Z = np.exp(lw), np.sqrt(2 * np.pi)
    assert abs(w.mean() - Z) < 5 * w.std() / np.sqrt(len(w))
    assert lw.mean() < np.log(Z) - 0.1
    assert abs(np.log(w.reshape(100, 1000).mean(1)).mean() - np.log(Z)) < 0.01


def test_the_momenta_of_eq_24_cancel_with_a_minus():
    """Eq. 24 on any states (x_n, v_n): -v·v/2 gives the weights of Eq. 25, +v·v/2 leaves exp(v_1² - v_N²)."""
    start, target = ae.Gaussian(np.zeros(2), np.eye(2)), ae.Gaussian(np.ones(2), 0.5 * np.eye(2))
    path, betas = ae.geometric_path(start, target), ae.linear_schedule(6)
    x, v = np.random.default_rng(0).normal(size=(2, 6, 40, 2))  # (x_1, v_1) … (x_N, v_N)
    kinetic = 0.5 * (v**2).sum(-1)
    log_f = np.array([[path(beta).log_density(x[n]) for n in range(6)] for beta in betas])  # of x_n at β, (7, 6, 40)

    def eq_24(sign):
        log_w = log_f[6, 5] - kinetic[5] - (log_f[0, 0] - kinetic[0])
        for n in range(5):
            log_w = log_w + log_f[n + 1, n] + sign * kinetic[n] - log_f[n + 1, n + 1] - sign * kinetic[n + 1]
        return log_w

    eq_25 = sum(log_f[n + 1, n] - log_f[n, n] for n in range(6))
    np.testing.assert_allclose(eq_24(-1), eq_25, atol=1e-12)
    np.testing.assert_allclose(eq_24(+1) - eq_24(-1), 2 * (kinetic[0] - kinetic[-1]), atol=1e-12)
    assert np.abs(eq_24(+1) - eq_24(-1)).max() > 1


def test_chains_begin_in_the_proposal():
    """Three states, one transition: the mean of Eq. 25's weight, summed over all chains, from q and from p."""
    f_q, f_p = np.array([1.0, 2.0, 3.0]), np.array([5.0, 1.0, 0.5])
    middle = np.sqrt(f_q * f_p)
    T = ae.metropolis_matrix(np.log(middle))
    weight = f_p[None, :] / (f_q / f_q.sum())[:, None] * middle[:, None] / middle[None, :]  # from x_1 to x_2
    begun_in_q, begun_in_p = ((f / f.sum()) @ (T * weight).sum(1) for f in (f_q, f_p))
    assert begun_in_q == pytest.approx(f_p.sum(), rel=1e-12)
    assert begun_in_p > 2 * f_p.sum(), "as printed"


def test_the_visible_bias_of_an_mcrbm_is_as_long_as_the_image():
    rng, (M, K, L, J) = np.random.default_rng(0), (5, 3, 4, 2)
    parts = {
        "filters": rng.normal(size=(L, M)), "pooling": -np.abs(rng.normal(size=(L, K))),
        "covariance_bias": rng.normal(size=K), "mean_weights": rng.normal(size=(J, M)), "mean_bias": rng.normal(size=J),
        "sigma": 1.0,
    }  # fmt: skip
    assert ae.MeanCovarianceRBM(**parts, visible_bias=rng.normal(size=M)).dim == M
    with pytest.raises(ValueError, match="visible_bias must have shape"):
        ae.MeanCovarianceRBM(**parts, visible_bias=rng.normal(size=K))


def test_the_gradient_of_the_log_likelihood_has_the_other_sign():
    """∂L/∂w_00 by differences of the exact log likelihood: E_P[∂E] - E_data[∂E] with ∂E/∂w_00 = -v_0 h_0."""
    W, b, c = np.cos(np.arange(12.0)).reshape(4, 3), np.sin(np.arange(4.0)), np.zeros(3)
    data = ae.binary_states(4)[[1, 6, 13]].astype(float)

    def log_p(w00):
        moved = W.copy()
        moved[0, 0] = w00
        rbm = ae.BinaryRBM(moved, b, c)
        return rbm.log_density(data) - rbm.log_z()

    slopes = (log_p(W[0, 0] + 1e-5) - log_p(W[0, 0] - 1e-5)) / 2e-5
    slope = slopes.mean()
    rbm = ae.BinaryRBM(W, b, c)
    energy_under_model = -rbm.moments()[2][0, 0]
    energy_under_data = -(data[:, 0] * rbm.hidden_given_visible(data)[:, 0]).mean()
    assert abs(slope) > 0.1
    assert slope == pytest.approx(energy_under_model - energy_under_data, abs=1e-8)
    assert slope != pytest.approx(energy_under_data - energy_under_model, abs=1e-2), "as printed"
    assert slopes.sum() == pytest.approx(3 * (energy_under_model - energy_under_data), abs=1e-7), "of log P(D)"


def test_visible_units_are_drawn_given_hidden_ones():
    rbm = ae.BinaryRBM(np.ones((4, 3)), np.zeros(4), np.zeros(3))
    assert rbm.visible_given_hidden(np.zeros(3)).shape == (4,)
    with pytest.raises(ValueError, match=r"shape \(\.\.\., 4\)"):
        rbm.hidden_given_visible(np.zeros(3))


WEIGHTLESS = ae.BinaryRBM(np.zeros((3, 2)), np.array([0.5, -1.0, 0.2]), np.zeros(2))
"""Without weights one Gibbs step forgets everything, so that means over it are exact."""
IMAGES = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])


def likelihood_after(step):
    """Mean log likelihood of IMAGES when the visible biases of WEIGHTLESS have moved by step."""
    moved = ae.BinaryRBM(WEIGHTLESS.weights, WEIGHTLESS.visible_bias + step, WEIGHTLESS.hidden_bias)
    return moved.log_density(IMAGES).mean() - moved.log_z()


def redrawn():
    """Mean of v after a Gibbs step from IMAGES: hidden units with the visible ones clamped, then the reverse."""
    return WEIGHTLESS.visible_given_hidden(WEIGHTLESS.hidden_given_visible(IMAGES)).mean(0)


def test_the_positive_phase_holds_the_data():
    """∂L/∂b = +(clamped to the data) - (redrawn). With <v>^0 taken after the redraw both halves are the same."""
    slope = [(likelihood_after(e) - likelihood_after(-e)) / 2e-5 for e in 1e-5 * np.eye(3)]
    np.testing.assert_allclose(slope, IMAGES.mean(0) - redrawn(), atol=1e-8)
    twice_redrawn = WEIGHTLESS.visible_given_hidden(np.zeros(2))
    np.testing.assert_allclose(redrawn() - twice_redrawn, 0, atol=1e-12)
    assert np.abs(slope).max() > 0.5, "there was something to learn"


def test_the_printed_rule_of_contrastive_divergence_descends():
    """∂E/∂b = -v; a tenth of the rule as printed, <∂E>^0 - <∂E>^1, and of its reverse."""
    printed = -IMAGES.mean(0) + redrawn()
    assert likelihood_after(0.1 * printed) < likelihood_after(0.0) - 0.01
    assert likelihood_after(-0.1 * printed) > likelihood_after(0.0) + 0.01


def test_distant_rungs_swap_less_often():
    """Mean acceptance between β = 0.1 and a second rung, summed over all pairs of eight states."""
    E = 1.5 * np.arange(8.0) ** 0.5

    def mean_acceptance(distance):
        alpha = np.minimum(1, np.exp(distance * (E[None, :] - E[:, None])))
        p, q = (np.exp(-beta * E) / np.exp(-beta * E).sum() for beta in (0.1, 0.1 + distance))
        return p @ alpha @ q

    rates = np.array([mean_acceptance(distance) for distance in (0.0, 0.3, 0.6, 0.9)])
    assert rates[0] == pytest.approx(1, rel=1e-12), "not 0, as something proportional to the distance would be"
    assert (np.diff(rates) < -0.02).all()


def test_the_lifted_kernel_accepts_by_the_reflected_state():
    """Six states, S exchanges four of them in pairs, any Q: K moves by Q, by S where refused. Rows are x, columns y."""
    S, pi = np.array([1, 0, 3, 2, 4, 5]), np.array([2.0, 2.0, 7.0, 7.0, 1.0, 5.0])
    Q = 1.0 + np.add.outer(3 * np.arange(6), 5 * np.arange(6)) % 7
    pi, Q = pi / pi.sum(), Q / Q.sum(1, keepdims=True)
    reflected = Q[:, S]  # Q̃(y|x) = Q(S(y)|x)
    alpha = np.minimum(1, pi * reflected.T / (pi[:, None] * reflected))

    def kernel(acceptance):
        K = acceptance * Q
        K[np.arange(6), S] += 1 - K.sum(1)
        return K

    np.testing.assert_allclose(pi @ kernel(alpha[:, S]), pi, atol=1e-15)
    assert np.abs(pi @ kernel(alpha) - pi).max() > 0.02, "as printed"
    # the report's Q goes to φ(x) for certain: Q̃(φ(x)|x) is 1 if S leaves φ(x) alone, and else 0, below the line too
    reached = [lifted_move(*tag, True, 3) for tag in tag_states(3)]
    assert sum(lifted_move(*tag, False, 3) != tag for tag in reached) == 4, "of the 6 states of the tag"


def test_the_printed_acceptance_is_not_invariant():
    """Three states and a lopsided proposal: the right rule leaves π alone, the printed one, cut at 1, does not."""
    pi = np.array([0.5, 0.3, 0.2])
    Q = np.array([[0.1, 0.6, 0.3], [0.2, 0.1, 0.7], [0.5, 0.4, 0.1]])

    def kernel(ratio):
        T = Q * np.minimum(1, ratio)
        return T + np.diag(1 - T.sum(1))

    right = (pi * Q.T) / (pi[:, None] * Q)  # π(y) Q(x|y) / (π(x) Q(y|x)), rows x
    printed = (pi * Q) / (pi[:, None] * Q.T)
    np.testing.assert_allclose(pi @ kernel(right), pi, atol=1e-15)
    assert np.abs(pi @ kernel(printed) - pi).max() > 0.05
    assert printed.max() > 1, "without the minimum it is no probability"


def test_a_count_compares_rungs_with_rungs():
    """Three rungs, numbered from 1, at β = 0, 0.5 and 1: shares of exact draws give Z_k, the printed ones nothing."""
    betas, numbers = np.array([0.0, 0.5, 1.0]), np.arange(1, 4)
    Z = np.array([1.0, 2.0, 5.0])
    drawn = np.random.default_rng(0).choice(numbers, p=Z / Z.sum(), size=100_000)  # q(β_k) for guesses Ẑ_k = 1
    printed = [(k == betas[drawn - 1]).mean() for k in numbers]
    right = np.array([(k == drawn).mean() for k in numbers])
    assert printed == [(drawn == 3).mean(), 0, 0]
    np.testing.assert_allclose(right / right[0], Z, rtol=0.05)


def test_the_integrand_of_thermodynamic_integration_needs_the_start():
    """From N(0, 4) to exp(-(x-1)²/2), at β = 0.6: the slope of log Z is E[Δ]; as printed it is another number."""

    def log_f(x):
        return -0.5 * (x - 1) ** 2

    def log_p1(x):
        return -x * x / 8 - 0.5 * np.log(8 * np.pi)

    def integral(f):
        return quad(f, -40, 40, points=[0, 1], epsabs=1e-13, epsrel=1e-12)[0]

    def Z(beta):
        return integral(lambda x: np.exp(beta * log_f(x) + (1 - beta) * log_p1(x)))

    beta, h = 0.6, 1e-4
    slope = (np.log(Z(beta + h)) - np.log(Z(beta - h))) / (2 * h)
    mean = integral(
        lambda x: (log_f(x) - log_p1(x)) * np.exp(beta * log_f(x) + (1 - beta) * log_p1(x))
    ) / Z(beta)  # fmt: skip
    printed = integral(lambda x: log_f(x) * np.exp(beta * log_f(x))) / Z(beta)
    assert slope == pytest.approx(mean, abs=1e-7)
    assert abs(slope - printed) > 1
