"""Tracked log likelihoods against exact ones, while a small RBM learns."""

from itertools import islice

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.tempering.rts import RTSRound, rts_rounds
from anneal_edu.training import likelihood_tracking, track_log_likelihood
from anneal_edu.training.likelihood_tracking import carried_over

RUNGS = ae.linear_schedule(25)


def training_states(n_updates=600, seed=0):
    digits = ae.data.digits(8)
    return ae.contrastive_divergence(
        digits[:1500], 8, "pcd", n_gibbs=1, n_updates=n_updates, learning_rate=0.1, batch_size=100,
        rng=np.random.default_rng(seed)
    )


def test_tracking_agrees_with_enumeration():
    digits = ae.data.digits(8)
    rng = np.random.default_rng(1)
    looks = list(track_log_likelihood(training_states(), digits[:1500], digits[1500:], 50, 10, 100, RUNGS, rng=rng))
    assert [look.n_updates for look in looks] == list(range(50, 601, 50))
    z = np.array([(look.log_z - look.rbm.log_z()) / look.std_error for look in looks])
    assert np.abs(z).max() < 5 and np.median(np.abs(z)) < 2
    assert np.median([look.std_error for look in looks]) < 0.1  # one alone may be four times as long
    last = looks[-1]
    for estimate, data in ((last.train, digits[:1500]), (last.validation, digits[1500:])):
        exact = last.rbm.log_density(data).mean() - last.rbm.log_z()
        assert abs(estimate - exact) < 5 * last.std_error
    assert looks[-1].train > looks[0].train + 0.5, "it learns by 0.8 to 1, and the tracking sees it"


def test_tracking_by_both_layers_is_right_too():
    digits, rng = ae.data.digits(8), np.random.default_rng(1)
    states = training_states(300)
    looks = list(track_log_likelihood(states, digits, None, 50, 20, 100, RUNGS, both_layers=True, rng=rng))
    z = np.array([(look.log_z - look.rbm.log_z()) / look.std_error for look in looks])
    assert np.abs(z).max() < 5 and looks[-1].std_error < 0.3
    rng = np.random.default_rng(1)
    summed = next(track_log_likelihood(training_states(300), digits, None, 50, 20, 100, RUNGS, rng=rng))
    assert summed.log_z != looks[0].log_z, "the option does something"


def test_training_goes_on_as_if_nobody_looked():
    *_, alone = training_states(100)
    digits, rng = ae.data.digits(8), np.random.default_rng(2)
    *_, watched = track_log_likelihood(training_states(100), digits, n_sweeps=1, schedule=RUNGS, rng=rng)
    np.testing.assert_array_equal(watched.rbm.weights, alone.rbm.weights)
    assert np.isnan(watched.validation)


def test_only_the_first_look_begins_anew(monkeypatch):
    """Later ones go on where the chains of the last one stand."""
    begun, gone_on = [], []

    def counted(function, calls):
        return lambda *args, **how: calls.append(args) or function(*args, **how)

    monkeypatch.setattr(likelihood_tracking, "rts_rounds", counted(likelihood_tracking.rts_rounds, begun))
    monkeypatch.setattr(likelihood_tracking, "rts_round", counted(likelihood_tracking.rts_round, gone_on))
    rng = np.random.default_rng(2)
    looks = list(track_log_likelihood(training_states(40), ae.data.digits(8), None, 10, 2, 10, RUNGS, rng=rng))
    assert (len(looks), len(begun), len(gone_on)) == (4, 1, 3)


def test_what_is_carried_over_is_weighed_as_it_was_drawn():
    """States of a look at a wrong Ẑ_k, weighed by q(β_k | x) at that Ẑ_k: the new log Z_k come out at every rung.

    The states come as often as they should, to half a draw, so that chance has no part in it.
    """
    rng, schedule, states = np.random.default_rng(0), np.array([0.0, 0.5, 1.0]), ae.binary_states(6)
    start, old, new = (ae.BinaryRBM(scale * rng.normal(size=(6, 3)), rng.normal(size=6), rng.normal(size=3))
                       for scale in (0.0, 1.0, 1.5))  # fmt: skip
    before, now = ae.geometric_path(start, old), ae.geometric_path(start, new)
    exact, exact_new = (np.array([path(b).log_z() for b in schedule]) for path in (before, now))
    wrong = exact + np.array([0.0, 1.0, -1.0])
    shares = np.exp(exact - wrong) / np.exp(exact - wrong).sum()
    law = [np.exp(before(b).log_density(states) - z) for b, z in zip(schedule, exact, strict=True)]
    counts = np.round(300_000 * shares[:, None] * law).astype(int)  # (3, 64)
    x = np.concatenate([np.repeat(states, n, axis=0) for n in counts])
    look = RTSRound(wrong, np.log(shares)[:, None], shares, 10**6, 0, x, np.repeat(np.arange(3), counts.sum(1)))
    np.testing.assert_allclose(carried_over(look, before, now, schedule), exact_new, atol=0.01)


def test_a_rung_that_no_chain_came_to_is_carried_over_as_if_one_draw_had():
    """From a model to the same model: Ẑ_k as corrected, which is by log N at most."""
    path = ae.geometric_path(ae.uniform_rbm(4, 2), ae.BinaryRBM(np.ones((4, 2)), np.zeros(4), np.zeros(2)))
    x, assumed = ae.binary_states(4).astype(np.float32), np.array([1.0, 30.0])
    shares = np.tile(np.log([[1.0], [1e-9]]), (1, 16))
    look = RTSRound(assumed, shares, np.array([1.0, 0.0]), 5, 0, x, np.zeros(16, dtype=int))
    found = carried_over(look, path, path, np.array([0.0, 1.0]))
    np.testing.assert_allclose(found, [1.0, 30.0 - np.log(5 * 16)], atol=1e-6)


def test_the_bar_holds_what_the_chains_differ_by_and_what_was_corrected():
    """The first look is plain RTS; its bar is compared with one made by hand."""
    digits, state = ae.data.digits(8), next(training_states(1))
    path, shares = ae.geometric_path(ae.base_rate_rbm(digits, 8), state.rbm), []
    for seed in range(5):
        (look,) = track_log_likelihood([state], digits, None, 1, 5, 20, RUNGS, rng=np.random.default_rng(seed))
        *_, last = islice(rts_rounds(path, RUNGS, 20, 5, 20, rng=np.random.default_rng(seed)), 21)
        parts = last.std_error[-1], abs(last.log_z[-1] - last.assumed_log_z[-1])
        assert look.std_error == pytest.approx(np.hypot(*parts))
        shares.append(min(parts) / look.std_error)
    assert max(shares) > 0.02, "both parts count"


def test_data_of_another_width_than_the_model():
    looks = track_log_likelihood(training_states(100), np.zeros((5, 63)), rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="train must have shape"):
        next(looks)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"train": np.full((2, 64), 0.5)}, "zeros and ones"),
        ({"validation": np.full((2, 64), 0.5)}, "zeros and ones"),
        ({"schedule": [0.0, 0.5]}, "schedule must start at 0"),
        ({"validation": np.zeros((2, 63))}, "validation must have shape"),
        ({"states": list(training_states(2))}, "states share their arrays"),
    ],
)
def test_bad_input_is_refused_at_the_call(arguments, message):
    good = {"states": training_states(1), "train": ae.data.digits(8), "rng": np.random.default_rng(0)}
    with pytest.raises(ValueError, match=message):
        track_log_likelihood(**(good | arguments))
