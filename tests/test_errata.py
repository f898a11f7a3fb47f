"""The papers' misprints that are proved here, and that every test named in docs/errata.md exists."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae

ROOT = Path(__file__).parents[1]
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "docs/errata.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("file, name", NAMED)
def test_a_named_test_exists(file, name):
    functions = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    assert name in {node.name for node in functions if isinstance(node, ast.FunctionDef)}


def test_every_entry_names_a_test():
    entries = (ROOT / "docs/errata.md").read_text(encoding="utf-8").split("\n**")[1:]
    assert len(entries) == 12
    assert all("Test: `tests/" in entry for entry in entries)


def test_grosse_counts_intermediate_distributions():
    """-28.04 is the paper's mean of 5,000 log weights of standard deviation 7.9: near -F/26, far from -F/25."""
    ends = ae.Gaussian([-10.0, 0.0], [[1, -0.85], [-0.85, 1]]), ae.Gaussian([10.0, 0.0], [[1, 0.85], [0.85, 1]])
    F = ae.cost_functional(ae.geometric_path(*ends))
    error = 7.9 / np.sqrt(5000)
    assert abs(-28.04 + F / 26) < 2 * error
    assert abs(-28.04 + F / 25) > 8 * error


def test_one_chain_is_unbiased_already():
    """The mean of Ẑ over one-chain runs is Z; it is log Ẑ that is low, and less so with 1,000 chains."""
    target = ae.Unnormalized(lambda x: -0.5 * (x[..., 0] - 1) ** 2, dim=1)
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), target)
    lw = ae.ais(path, [0, 0.5, 1], 100_000, ae.random_walk(1.0), rng=np.random.default_rng(0)).log_weights
    w, Z = np.exp(lw), np.sqrt(2 * np.pi)
    assert abs(w.mean() - Z) < 5 * w.std() / np.sqrt(len(w))
    assert lw.mean() < np.log(Z) - 0.1
    assert abs(np.log(w.reshape(100, 1000).mean(1)).mean() - np.log(Z)) < 0.01


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

    def mean_log_likelihood(w00):
        moved = W.copy()
        moved[0, 0] = w00
        rbm = ae.BinaryRBM(moved, b, c)
        return rbm.log_density(data).mean() - rbm.log_z()

    slope = (mean_log_likelihood(W[0, 0] + 1e-5) - mean_log_likelihood(W[0, 0] - 1e-5)) / 2e-5
    rbm = ae.BinaryRBM(W, b, c)
    energy_under_model = -rbm.moments()[2][0, 0]
    energy_under_data = -(data[:, 0] * rbm.hidden_given_visible(data)[:, 0]).mean()
    assert abs(slope) > 0.1
    assert slope == pytest.approx(energy_under_model - energy_under_data, abs=1e-8)
    assert slope != pytest.approx(energy_under_data - energy_under_model, abs=1e-2), "as printed"


def test_visible_units_are_drawn_given_hidden_ones():
    rbm = ae.BinaryRBM(np.ones((4, 3)), np.zeros(4), np.zeros(3))
    assert rbm.visible_given_hidden(np.zeros(3)).shape == (4,)
    with pytest.raises(ValueError, match=r"shape \(\.\.\., 4\)"):
        rbm.hidden_given_visible(np.zeros(3))


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
