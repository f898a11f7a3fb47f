"""The panel of notebook 13 counts its work, shows the truth, and says when its bars are too short."""

import numpy as np
import pytest

from anneal_edu.course.figures.likelihood_tracking import TRAIN, VALIDATION
from anneal_edu.course.panels import LikelihoodTracking
from anneal_edu.course.panels import likelihood_tracking as watch
from anneal_edu.paths.rbm import GeometricRBMPath, RBMLadder


def test_the_truth_is_the_truth():
    run = watch.training(0.1, 0)
    train, validation = watch.digits_split()
    assert len(run.states) == watch.N_UPDATES // watch.OFTEN and run.n_updates[-1] == watch.N_UPDATES
    rbm = run.states[7].rbm
    for style, v in ((TRAIN, train), (VALIDATION, validation)):
        assert abs(run.likelihoods[style][7] - (rbm.log_density(v).mean() - rbm.log_z())) < 1e-9
    assert len({v.tobytes() for v in train} & {v.tobytes() for v in validation}) < 15  # digits that were written twice


def test_errors_are_those_of_the_same_update():
    run, (errors, std_error) = watch.training(0.1, 0), watch.errors_at(0.1, 0, 250, 2, 5)
    for look, error, bar in zip(watch.looks_at(0.1, 0, 250, 2, 5), errors, std_error, strict=True):
        exact = run.log_z[list(run.n_updates).index(look.n_updates)]
        assert (error, bar) == (look.log_z - exact, look.std_error)


def test_every_gibbs_step_is_counted(monkeypatch):
    """gibbs_steps against the chains that were moved while looking, those that first climb the ladder among them."""
    watch.training(0.1, 0)
    counted, move = [], RBMLadder.move
    monkeypatch.setattr(RBMLadder, "move", lambda self, v, *more: counted.append(len(v)) or move(self, v, *more))
    step = GeometricRBMPath.weigh_and_gibbs
    climbed = lambda self, before, now, v, rng: counted.append(len(v)) or step(self, before, now, v, rng)  # noqa: E731
    monkeypatch.setattr(GeometricRBMPath, "weigh_and_gibbs", climbed)
    assert len(list(watch.looks_at(0.1, 0, 250, 2, 5))) == 6
    looking, learning = watch.gibbs_steps(250, 2, 5)
    assert sum(counted) == looking
    assert learning == watch.N_UPDATES * watch.N_CHAINS


@pytest.mark.thorough("what its scenes say")
def test_bars_are_honest_when_learning_is_slow_and_too_short_when_it_is_fast():
    """Mean of (error / bar)²: over 8 seeds 0.2 to 0.7 at rate 0.1, 5 to 19 at rate 1, where log Ẑ is too low."""
    squares, errors = {0.1: [], 1.0: []}, {0.1: [], 1.0: []}
    for rate in squares:
        for seed in (0, 1):
            error, std_error = watch.errors_at(rate, seed, 50, 10, 20)
            squares[rate].append((error / std_error) ** 2)
            errors[rate].append(error)
    assert np.mean(squares[0.1]) < 2 < np.mean(squares[1.0])
    assert np.mean(errors[1.0]) < -0.5 and np.abs(errors[0.1]).max() < 1.5


def test_the_panel_judges_what_it_draws():
    panel = LikelihoodTracking(every=250, n_rungs=5)
    try:
        left, right = ({a.get_gid(): a for a in ax.get_children() if a.get_gid()} for ax in panel.axes)
        errors, std_error = watch.errors_at(0.1, 0, 250, 10, 5)
        bars = np.sort(right["bars"].get_ydata().reshape(-1, 3)[:, :2])
        np.testing.assert_allclose(bars, np.column_stack([errors - 2 * std_error, errors + 2 * std_error]))
        missed = np.abs(errors) > 3 * std_error
        assert list(right["missed"].get_ydata() if "missed" in right else []) == list(errors[missed]), "crossed"
        assert panel.readout["largest error"] == f"{np.abs(errors).max():.2f} nats"
        run, (train, validation) = watch.training(0.1, 0), watch.digits_split()
        last = run.states[-1].rbm
        for style, v in ((TRAIN, train), (VALIDATION, validation)):
            exact = left[f"exact {style}"].get_ydata()
            assert exact[-1] == pytest.approx(last.log_density(v).mean() - last.log_z())
    finally:
        panel.close()
