"""The panel of notebook 13 counts its work, shows the truth, and says when its bars are too short."""

import numpy as np
import pytest

from anneal_edu.course.experiments import small_tracking as watch
from anneal_edu.course.figures.likelihood_tracking import TRAIN, VALIDATION
from anneal_edu.course.panels import LikelihoodTracking
from anneal_edu.course.panels.likelihood_tracking import runs
from anneal_edu.paths.rbm import GeometricRBMPath, RBMLadder


def test_the_truth_is_the_truth():
    run = watch.training(0.1, 0)
    train, validation = watch.digits_split()
    assert [state.n_updates for state in run.states] == list(range(25, 1501, 25))
    rbm = run.states[7].rbm
    for found, v in ((run.train, train), (run.validation, validation)):
        assert abs(found[7] - (rbm.log_density(v).mean() - rbm.log_z())) < 1e-9
    assert len({v.tobytes() for v in train} & {v.tobytes() for v in validation}) < 15  # digits that were written twice


def test_errors_are_those_of_the_same_update():
    run, (errors, std_error) = watch.training(0.1, 0), watch.errors_at(0.1, 0, 250, 2, 5)
    for look, error, bar in zip(watch.looks_at(0.1, 0, 250, 2, 5), errors, std_error, strict=True):
        exact = run.log_z[look.n_updates // 25 - 1]
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
    panel = LikelihoodTracking(every=250, rate=1.0)
    try:
        left, right = ({a.get_gid(): a for a in ax.get_children() if a.get_gid()} for ax in panel.axes)
        run, truth = runs()[1.0, 0, 10, 250], runs()[1.0, 0]
        errors, std_error = run["error"], run["std_error"]
        bars = np.sort(right["bars"].get_ydata().reshape(-1, 3)[:, :2])
        np.testing.assert_allclose(bars, np.column_stack([errors - 2 * std_error, errors + 2 * std_error]))
        missed = np.abs(errors) > 3 * std_error
        assert list(right["missed"].get_ydata() if "missed" in right else []) == list(errors[missed]), "crossed"
        assert panel.readout["largest error"] == f"{np.abs(errors).max():.2f} nats"
        for style, name in ((TRAIN, "train"), (VALIDATION, "validation")):
            np.testing.assert_array_equal(left[f"exact {style}"].get_ydata(), truth[name])
            np.testing.assert_allclose(left[style].get_ydata(), truth[name][9::10] - errors)
    finally:
        panel.close()


def test_what_is_stored_is_what_the_lesson_tells():
    """Over four runs: near at rate 0.1, too low and with bars too short at rate 1; few long looks beat many short."""
    assert len(runs()) == 4 * 4 * (1 + 4 * 3)
    near, fast = ([runs()[rate, seed, 10, 50] for seed in range(4)] for rate in (0.1, 1.0))
    assert all(np.abs(run["error"]).max() < 0.7 for run in near)
    assert all((np.abs(run["error"]) > 3 * run["std_error"]).any() and run["error"].mean() < -0.2 for run in fast)
    short, long = (np.hstack([runs()[0.1, seed, *way]["error"] for seed in range(4)]) for way in ((3, 25), (30, 250)))
    assert np.mean(long**2) < np.mean(short**2) / 2
