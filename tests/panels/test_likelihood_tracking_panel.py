"""The panel of notebook 13 counts its work, shows the truth, and says when its bars are too short."""

import numpy as np
import pytest

from anneal_edu.density_matrix import RBMRungs
from anneal_edu.figures.likelihood_tracking import TRAIN, VALIDATION
from anneal_edu.panels import LikelihoodTracking
from anneal_edu.panels import likelihood_tracking as watch


def test_the_truth_is_the_truth():
    run = watch.training(0.1, 0)
    train, validation = watch.digits_split()
    assert len(run.states) == watch.N_UPDATES // watch.OFTEN and run.n_updates[-1] == watch.N_UPDATES
    rbm = run.states[7].rbm
    for style, v in ((TRAIN, train), (VALIDATION, validation)):
        assert abs(run.likelihoods[style][7] - (rbm.log_density(v).mean() - rbm.log_z())) < 1e-9
    assert len({v.tobytes() for v in train} & {v.tobytes() for v in validation}) < 5


def test_errors_are_those_of_the_same_update():
    run, (errors, std_error) = watch.training(0.1, 0), watch.errors_at(0.1, 0, 250, 2, 5)
    for look, error, bar in zip(watch.looks_at(0.1, 0, 250, 2, 5), errors, std_error, strict=True):
        exact = run.log_z[list(run.n_updates).index(look.n_updates)]
        assert (error, bar) == (look.log_z - exact, look.std_error)


def test_every_gibbs_step_is_counted(monkeypatch):
    """gibbs_steps against the chains that were moved while looking; those that first climb the ladder have no rungs."""
    watch.training(0.1, 0)
    counted, move = [], RBMRungs.move
    monkeypatch.setattr(RBMRungs, "move", lambda self, v, *more: counted.append(len(v)) or move(self, v, *more))
    assert len(list(watch.looks_at(0.1, 0, 250, 2, 5))) == 6
    looking, learning = watch.gibbs_steps(250, 2, 5)
    assert sum(counted) == looking - 5 * watch.N_CHAINS
    assert learning == watch.N_UPDATES * watch.N_CHAINS


def test_bars_are_honest_when_learning_is_slow_and_too_short_when_it_is_fast():
    """Of 4 seeds at rate 0.1 no look misses by 3 s.e.; of 4 seeds at rate 1 between 17% and 33% do."""
    missed = {}
    for rate in (0.1, 1.0):
        errors, std_error = watch.errors_at(rate, 0, 50, 10, 20)
        missed[rate] = (np.abs(errors) > 3 * std_error).mean()
    assert missed[0.1] < 0.07 and missed[1.0] > 0.1


ALL_IS_WELL = "stay within 0.7 nats of each other, and no look is off by more than three"


def test_the_panel_says_so():
    panel = LikelihoodTracking()
    try:
        assert ALL_IS_WELL in panel.takeaway
        panel.rate.value = 1.0
        panel.run()
        assert "part by more than 2 nats. Log Ẑ errs mostly to the low side: the model looks better" in panel.takeaway
        assert "too short at one look in ten or more (✖)" in panel.takeaway
        panel.n_sweeps.value = 1
        panel.run()
        assert ALL_IS_WELL not in panel.takeaway and "part by more than 2 nats" in panel.takeaway, panel.takeaway
        assert "low side" in panel.takeaway and "not at every look (✖)" in panel.takeaway
    finally:
        panel.close()


@pytest.mark.parametrize(
    "rate, n_sweeps, size",
    [(1.0, 30, "part by more than 2 nats"), (0.1, 1, "part by more than 1 nats"), (0.1, 30, ALL_IS_WELL)],
)
def test_the_takeaway_of_other_states(rate, n_sweeps, size):
    takeaway = watch._takeaway(*watch.errors_at(rate, 0, 50, n_sweeps, 20))
    assert size in takeaway, takeaway
    assert ("low side" in takeaway) == (size != ALL_IS_WELL)


@pytest.mark.parametrize(
    "errors, std_error, words",
    [
        ([0.1, -0.3, 0.2], 0.2, ALL_IS_WELL),
        ([0.1, -0.3, 0.2], 0.05, "more than 0.2 nats. Log Ẑ errs to both sides…too short"),
        ([0.1, -0.16, 0.1], 0.05, "less than 0.2 nats. Log Ẑ errs to both sides…too short"),
        ([0.4, -0.8, 0.7], 0.5, "more than 0.5 nats. Log Ẑ errs to both sides…the bars are as long as that"),
        ([0.5, -0.3, 6.0], 4.0, "more than 5 nats. Log Ẑ errs mostly to the high side: the model looks worse"),
        ([-20.0] * 3, 1.0, "more than 10 nats. Log Ẑ errs mostly to the low side: the model looks better"),
        ([-2.5] + 19 * [0.1], 0.5, "more than 2 nats…low side…Nearly everywhere…but not at every look (✖)"),
    ],
)
def test_the_takeaway_says_how_far_and_to_which_side(errors, std_error, words):
    takeaway = watch._takeaway(np.array(errors), np.full(len(errors), std_error))
    assert all(part in takeaway for part in words.split("…")), takeaway
    assert (ALL_IS_WELL in takeaway) == (words == ALL_IS_WELL)
