"""Every estimator of the course on one model, at equal sweeps, over 50 seeds: right at the rate that it promises."""

from functools import lru_cache, partial

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments import estimators
from anneal_edu.course.experiments.estimators import ESTIMATORS, HIGH, LOW, NEITHER, Problem, timed

pytestmark = pytest.mark.thorough("each estimator has its error bars repeated in a file of its own")

N_SEEDS, SWEEPS = 50, 4000
N_RUNGS = 5  # of the tempered methods: the model is small, and time goes with the rungs
NAMES = (
    "importance sampling", "AIS, geometric", "AIS, moment spline", "reverse AIS, exact draws",
    "reverse AIS, from chains", "reverse AIS, from data", "RAISE", "PT, stepping stones", "PT, MBAR",
    "PT, MBAR, naive bar", "RTS", "MBAR, same run", "TI, same run", "RB-TI, same run",
)  # fmt: skip
BIASED = ("RAISE", "TI, same run", "RB-TI, same run")  # by a third of their error bars at so few sweeps and rungs


def every_estimator(problem, rng):
    return [report for estimator in ESTIMATORS for report in timed(estimator, problem, SWEEPS, rng)]


def uneven(D, H, spread):
    """The same numbers at any seed, as uneven as normal ones."""
    return np.sqrt(2) * spread * np.sin(np.arange(1.0, D * H + 1) ** 2).reshape(D, H)


def problem_of(rbm, n_data):
    start = ae.uniform_rbm(rbm.dim, rbm.n_hidden)
    return Problem(rbm, start, rbm.sample(n_data, np.random.default_rng(4)), ae.moment_spline_path(start, rbm))


@lru_cache(maxsize=1)
def problem():
    biases = 0.5 * np.cos(np.arange(1.0, 9) ** 2), -0.5 * np.ones(4)
    return problem_of(ae.BinaryRBM(uneven(8, 4, 0.8), *biases), 300)


@lru_cache(maxsize=1)
def runs():
    tempered = {f: partial(f, n_rungs=N_RUNGS) for f in (estimators.tempering, estimators.tempered_sampling)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimators, "ESTIMATORS", tuple(tempered.get(f, f) for f in estimators.ESTIMATORS))
        return [every_estimator(problem(), np.random.default_rng([14, seed])) for seed in range(N_SEEDS)]


def kinds_of(report):
    return [warning.kind for warning in report.warnings]


def test_all_are_there_and_none_is_dearer():
    for run in runs()[:2]:
        assert tuple(report.name for report in run) == NAMES
        for report in run:
            assert 0.9 * SWEEPS <= report.sweeps <= SWEEPS, report.name
            assert report.products >= 2 * report.sweeps and report.seconds > 0
    assert {report.bias_direction for report in runs()[0]} == {LOW, HIGH, NEITHER}


@pytest.mark.parametrize("name", [name for name in NAMES if "naive" not in name])
def test_an_estimator_is_right_as_often_as_its_error_bar_promises(name):
    """Of 50 seeds two or three miss by more than two error bars, and 16 if the bars were half as long."""
    reports, exact = [run[NAMES.index(name)] for run in runs()], problem().rbm.log_z()
    z = np.array([(report.log_z - exact) / report.std_error for report in reports])
    assert (np.abs(z) > 2).sum() <= 14
    assert abs(z.mean()) < 5 / np.sqrt(N_SEEDS) + (0.5 if name in BIASED else 0)
    assert 0.2 < np.median(np.abs(z)) < 1.2, "an error bar three times too long is no promise either"


def rbm_with_a_hidden_mode(share=0.9):
    """A last hidden unit that holds all visible units in one picture and, with that probability, is on."""
    weights, b = uneven(30, 6, 0.4), 0.2 * np.cos(np.arange(1.0, 31) ** 2)
    b -= 0.5 * weights.sum(1)
    picture, c = 12 * np.sign(np.sin(np.arange(1.0, 31) ** 3)), np.zeros(6)
    odds = ae.BinaryRBM(weights, b, c).log_z() - ae.BinaryRBM(weights, b + picture, c).log_z()
    return ae.BinaryRBM(np.column_stack([weights, picture]), b, np.append(c, odds + np.log(share / (1 - share))))


def test_all_agree_and_all_are_wrong_where_a_mode_is_hidden():
    hidden = problem_of(rbm_with_a_hidden_mode(), 500)
    exact = hidden.rbm.log_z()
    missed = -np.log(1 - 0.9)  # the other tenth is all that they see
    run, warned = every_estimator(hidden, np.random.default_rng(0)), []
    blind = "importance sampling", "AIS, geometric", "reverse AIS, from chains", "PT, stepping stones", "RTS"
    for report in run:
        if report.name in blind:
            assert abs(report.log_z - exact + missed) < 5 * report.std_error < 2, report.name
            warned += {"heavy tail", "collapsed weights", "little overlap"} & set(kinds_of(report))
        if report.name in ("AIS, moment spline", "reverse AIS, exact draws", "reverse AIS, from data"):
            assert report.log_z - exact > -0.75 * missed, report.name
    assert len(warned) <= 1, "five estimators; one tail may look heavy by accident"


def test_missing_answers_are_reported():
    bright = ae.BinaryRBM(np.zeros((100, 2)), 12.0 * np.ones(100), np.zeros(2))
    *_, pooled, _ = estimators.tempering(Problem(bright, ae.uniform_rbm(100, 2)), 4000, np.random.default_rng(0), 2)
    assert not pooled.succeeded and kinds_of(pooled)[0] == "no answer"
