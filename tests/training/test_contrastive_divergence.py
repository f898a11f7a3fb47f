"""Training climbs the exact log likelihood, and a wrong sign in any of its three updates is seen to fall."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.training import contrastive_divergence
from anneal_edu.training.rbm import negative_phase
from tests.planted import planted

DIGITS = ae.data.digits(8)
UPDATES = {
    "weights": "W += rate",
    "visible bias": "b += rate",
    "hidden bias": "c += rate",
}


def log_likelihood(rbm):
    return rbm.log_density(DIGITS).mean() - rbm.log_z()


def exact_gradient(rbm):
    """∇ mean log likelihood with respect to (weights, visible bias, hidden bias), by enumeration."""
    mean_v, mean_h, mean_vh = rbm.moments()
    h = rbm.hidden_given_visible(DIGITS)
    return DIGITS.T @ h / len(DIGITS) - mean_vh, DIGITS.mean(0) - mean_v, h.mean(0) - mean_h


def agreement(train, method):
    """Σ over updates of (change of a parameter) · (its exact gradient), for each of the three parameters."""
    total, before = np.zeros(3), None
    for state in train(
        DIGITS, 10, method, n_gibbs=1, n_updates=300, learning_rate=0.1, batch_size=100, rng=np.random.default_rng(0)
    ):
        parameters = [part.copy() for part in (state.weights, state.visible_bias, state.hidden_bias)]
        if before is not None:
            gradient = exact_gradient(ae.BinaryRBM(*before))
            total += [np.vdot(new - old, g) for new, old, g in zip(parameters, before, gradient, strict=True)]
        before = parameters
    return dict(zip(UPDATES, total, strict=True))


@pytest.mark.parametrize("method", ["cd", "pcd"])
def test_every_update_climbs_the_exact_gradient(method):
    assert min(agreement(contrastive_divergence, method).values()) > 0


@pytest.mark.parametrize("part", UPDATES)
def test_a_wrong_sign_is_seen(part):
    faulty = planted(contrastive_divergence, {UPDATES[part]: UPDATES[part].replace("+=", "-=")})
    assert agreement(faulty, "pcd")[part] < 0


@pytest.mark.parametrize("method", ["cd", "pcd"])
def test_training_raises_the_exact_log_likelihood(method):
    rbm = ae.train_rbm(DIGITS, 10, method, n_updates=1500, learning_rate=0.1, rng=np.random.default_rng(0))
    assert log_likelihood(rbm) > log_likelihood(ae.base_rate_rbm(DIGITS, 10)) + 3


def test_cd_starts_at_the_data_and_pcd_where_it_stopped():
    """Couplings so strong that a Gibbs step gives back what it is given."""
    images, rng = np.eye(3, dtype=np.float32), np.random.default_rng(0)
    strong = 80 * images, np.full(3, -40, dtype=np.float32), np.full(3, -40, dtype=np.float32)
    first = images[[0, 0]]
    cd, pcd = (negative_phase(m, first, ae.base_rate_rbm(images, 3), 1, "even_odd", 2) for m in ("cd", "pcd"))
    for batch in (images[[1, 2]], images[[2, 2]]):
        np.testing.assert_array_equal(cd(*strong, batch, rng), batch)
        np.testing.assert_array_equal(pcd(*strong, batch, rng), first)
    cd, pcd = (ae.train_rbm(DIGITS, 3, m, n_updates=50, rng=np.random.default_rng(0)) for m in ("cd", "pcd"))
    assert not np.array_equal(cd.weights, pcd.weights)
