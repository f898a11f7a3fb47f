"""What panels say, on given numbers; other files of this folder test the words of the panels of their notebooks."""

import ast
import inspect
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from anneal_edu.course import panels
from anneal_edu.course.bugs.table import Row as BugRow
from anneal_edu.course.experiments.estimator_tables import Row
from anneal_edu.course.panels import (
    annealing_runs,
    bias_decay,
    estimates_against_steps,
    first_path,
    four_modes,
    hamiltonian_convergence,
    importance_sampling,
    ladder_adaptation,
    replica_walks,
    rungs_against_error,
    samples_along_paths,
    tiny_world,
    two_paths,
    where_the_knots_sit,
    which_is_wrong,
    whom_to_believe,
)


def name_of(module):
    return module.__name__.rpartition(".")[2]


def run(log_z, mean=0.0, spread=1.0):
    """A result of AIS with this log Ẑ, and log weights of this mean and standard deviation."""
    log_weights = mean + spread * np.array([-1.0, 1.0])
    return SimpleNamespace(log_z=log_z, mean_log_weight=mean, log_weights=log_weights)


def annealed(geometric, moments):
    return {"geometric": run(*geometric), "moments": run(*moments)}


def rounds(*rates):
    return ladder_adaptation.Round(None, np.array(rates), None)


def row(name, errors, std_errors):
    return Row("", name, "", 5, 0, 0, 0.0, 10.0, errors, std_errors, {})


def measures(**pictures):
    return {style: samples_along_paths.Measures(number, 0.25, 0.0, 0.25) for style, number in pictures.items()}


def accused(p_values):
    """A fault and what tests say of it; the later ones are cheaper."""
    costs = {kind: 9 - i for i, kind in enumerate(p_values)}
    return BugRow("β and 1-β", "momentum", p_values, costs, 0, 0, 0, 0, 0, 0, [], [], 0)


BIASES = {"geometric": (1.23, 4.56), "moments": (2.34, 5.67)}
EXPECTED = {"even_odd": 30.0, "stochastic_even_odd": 90.0}


def of_both(geometric, moments):
    return {"geometric": geometric, "moments": moments}


LINEAR = "perfect", "linear"
HERE = measures(geometric=2.3, moments=40.0)
WRONG = {
    "geometric": samples_along_paths.Measures(1.1, 0.98, 0.0, 0.004),
    "moments": samples_along_paths.Measures(2.3, 0.77, 0.0, 0.77),
}
SIX = np.array([[0.1, 0.1], [-0.29, 0.1], [0.31, 0.2], [-3.0, 0.1], [np.nan, np.nan], [0.05, 0.1]])
WORDS = {
    annealing_runs: [
        ((25, *LINEAR, annealed((-0.4, -9), (0.4, -9)), {}), "With 25 steps both paths come within half a nat"),
        (
            (25, *LINEAR, annealed((-7, -73, 9), (-0.5, -72, 30)), {}),
            "Log weights have much the same mean, -73 and -72. But on the moment path they spread by 30 nats, not 9: "
            "some come near 0, and log Ẑ misses by 0.5 nats, not 7.0.",
        ),
        (
            (25, "Gibbs", "linear", annealed((-7, -73, 9), (-0.5, -72, 30)), {}),
            "Gibbs steps do not keep up with the geometric path: the mean log weight is -73 on it "
            "and -72 on the moment path, and log Ẑ misses by 7.0 and 0.5 nats.",
        ),
        (
            (25, "perfect", "optimal, 10 bins", annealed((-4.4, -18), (-0.7, -10)), of_both(17.82, 9.41)),
            "With its optimal schedule the mean log weight is 17.8 nats low on the geometric path and 9.4 on the "
            "moment path, and log Ẑ misses by 4.4 and 0.7 nats.",
        ),
        (
            (25, *LINEAR, annealed((-3, -73, 9), (-1.9, -72, 30)), {}),
            "spread by 30 nats, not 9: some come near 0, and log Ẑ misses by 1.9 nats, not 3.0.",
        ),
        ((25, *LINEAR, annealed((-7, -73), (-3.6, -72)), {}), "With 25 steps log Ẑ misses the truth by 7.0 nats on"),
        ((25, *LINEAR, annealed((-7, -73), (-3.4, -72)), {}), "Log weights have much the same mean"),
        ((25, *LINEAR, annealed((-0.6, -9), (-0.4, -9)), {}), "With 25 steps log Ẑ misses the truth by 0.6 nats on"),
        (
            (25, "Gibbs", "optimal, 10 bins", annealed((7, -73), (-3.6, -72)), {}),
            "With 25 steps log Ẑ misses the truth by 7.0 nats on",
        ),
    ],
    bias_decay: [
        (
            (50.0, 25, bias_decay.MIRRORED, "linear", BIASES, 0.5, 0.9),
            "forward and reverse bias both are F/K = 2 nats, exactly",
        ),
        (
            (50.0, 25, bias_decay.NARROWING, "linear", BIASES, 0.5, 0.9),
            "the forward bias (1.2 geometric, 50% of it in the first step; 2.3 moments, 90% in the last) lies above "
            "F/K = 2, the reverse one as far below.",
        ),
        (
            (3100.0, 25, bias_decay.NARROWING, "linear", of_both((123.0, 0), (456.0, 0)), 0.5, 0.9),
            "the forward bias (120 geometric, 50% of it in the first step; 460 moments, 90% in the last) lies above "
            "F/K = 120, the",
        ),
        (
            (50.0, 25, bias_decay.MIRRORED, "optimal, 10 bins", BIASES, 0.5, 0.9),
            "cut the cost from F = 50 to 4.56 on the geometric path and to 5.67 on the moment path: with K = 25 "
            "the bias is 1.2 and 2.3 nats.",
        ),
    ],
    estimates_against_steps: [
        (
            (100, "Gibbs", {"geometric": [run(0), run(-2.5)], "moments": [run(9), run(0.4)]}, 0.0),
            "With 100 Gibbs steps the geometric path is more than 2 nats too low, MAS within half a nat of the truth.",
        ),
        (
            (100, "Gibbs", {"geometric": [run(5.3)], "moments": [run(3.9)]}, 5.0),
            "is within half a nat of the truth, MAS more than 1 nat too low.",
        ),
        (
            (100, "Gibbs", {"geometric": [run(5.7)], "moments": [run(36)]}, 5.0),
            "is 0.5 to 1 nats too high, MAS more than 30 nats too high.",
        ),
        (
            (100, "Gibbs", {"geometric": [run(-0.5)], "moments": [run(15.5)]}, 5.0),
            "is more than 5 nats too low, MAS more than 10 nats too high.",
        ),
        (
            (100, "Gibbs", {"geometric": [run(5.1)], "moments": [run(4.9)]}, 5.0),
            "With 100 Gibbs steps both paths are within half a nat",
        ),
    ],
    first_path: [
        ((0, 3.4), "The start: all 30 sites alike"),
        ((1, 1.23), "The target: two peaks, log Z = 1.23."),
        (
            (0.4, 2.5),
            "log f has 40% of the relief of the target. The largest f is 1 still, all others have shrunk, and log Z "
            "has come down from 3.40 to 2.50.",
        ),
    ],
    four_modes: [
        (
            (1.0, {"diagonal": 0.33, "full": 0.18}, {"diagonal": 0.11, "full": 0.11}),
            "At the target 11% of the chains should be in the small modes. From the diagonal start 33% are there, "
            "from the full one 18%; weights have to put right the rest.",
        ),
        (
            (1, {"diagonal": 0.16, "full": 0.07}, {"diagonal": 0.11, "full": 0.11}),
            "16% are there, from the full one 7%; with time both starts come near.",
        ),
        (
            (0.0, {"diagonal": 0.5, "full": 0.2}, {"diagonal": 0.51, "full": 0.21}),
            "At the start, 50% of the chains from the diagonal start are where the small modes will be (exact "
            "share 51%), of those from the full one 20% (exact 21%).",
        ),
        (
            (0.25, {"diagonal": 0.5, "full": 0.2}, {"diagonal": 0.51, "full": 0.21}),
            "At β = 0.25, 50% of the chains from",
        ),
    ],
    hamiltonian_convergence: [
        (
            (np.array([10.0, 26.0, 34.0]), "distributions"),
            "about 10 to 34 times fewer distributions: as the paper says.",
        ),
        (
            (np.array([17.0, 10.0, 18.0]), "evaluations"),
            "10 to 18 times fewer evaluations: half of the gain, and still an order of magnitude.",
        ),
        (
            (np.array([40.0, 9.4, 20.0]), "evaluations"),
            "about 9.4 to 40 times fewer evaluations: the paper's order of magnitude at best, at worst less.",
        ),
        ((np.array([1.2, 9.0, 3.0]), "distributions"), "1.2 to 9 times fewer distributions: the paper's order of"),
        ((np.array([0.4, 1.9, 0.3]), "distributions"), "HAIS needs more distributions: no gain here."),
        ((np.array([0.4, 0.0, 0.3]), "evaluations"), "more evaluations, if it gets there at all: no gain here."),
    ],
    importance_sampling: [
        ((-4.6, True, 990.0, 0.01, 1000, 5.0, 1), "ESS of 990 of 1,000 looks perfect, yet log Ẑ is 4.6 nats too low"),
        (
            (-4.6, True, 490.0, 0.01, 1000, 5.0, 1),
            "Broken: log Ẑ is 4.6 nats too low, the heaviest of 1,000 draws carries 1% of the weight, and the "
            "interval misses the truth.",
        ),
        (
            (-0.6, False, 990.0, 0.5, 1000, 5.0, 1),
            "Broken: log Ẑ is 0.6 nats too low, the heaviest of 1,000 draws carries 50% of the weight, and the "
            "interval just covers the truth.",
        ),
        ((-1234.0, True, 1.0, 1.0, 1000, 5.0, 1), "Broken: log Ẑ is 1,234 nats too low"),
        (
            (-0.3, False, 49.0, 0.2, 1000, 5.0, 1),
            "About to break: log Ẑ is still within 0.3 nats of the truth, but 1,000 draws are worth only 49.",
        ),
        ((0.04, False, 49.0, 0.2, 1000, 5.0, 1), "still within 0.1 nats"),
        ((-1.1, True, 510.0, 0.01, 1000, 5.0, 1), "ESS of 510 of 1,000 looks perfect, yet log Ẑ is 1.1 nats too low"),
        ((-100.4, True, 1.0, 1.0, 1000, 5.0, 1), "Broken: log Ẑ is 100 nats too low"),
        ((-0.3, False, 51.0, 0.2, 1000, 5.0, 1), "Start and target overlap: 1,000 draws are worth 51"),
        ((0.81, False, 51.0, 0.2, 1000, 2.0, 1), "and log Ẑ is within 0.9 nats of the truth."),
        (
            (-6.2, True, 1.8, 0.73, 1000, 1.5, 16),
            "1.5 in each of 16 coordinates is 6 in all. Broken: log Ẑ is 6.2 nats too low",
        ),
    ],
    ladder_adaptation: [
        ((0, 0.0, rounds(0.3, 0.6, 0.2)), "A linear ladder: pair 2 is the one to be feared."),
        ((0, 0.0, rounds(0.3, 0.39, 0.3)), "A linear ladder, and all pairs refuse about equally often"),
        ((0, 0.0, rounds(0.3, 0.41, 0.3)), "A linear ladder: pair 2 is the one to be feared."),
        ((2, 0.11, rounds(0.3, 0.6, 0.2)), "All pairs refuse about equally often. Another ladder of as many rungs"),
        ((2, 0.13, rounds(0.3, 0.6, 0.2)), "The rejections are not equal yet"),
    ],
    replica_walks: [
        (
            (12, 0.0, 0.0, {"even_odd": 26.0, "stochastic_even_odd": 300.0}, {"even_odd": 1.0}),
            "like clockwork: up and down in 26 sweeps, and nothing is random any more. By a coin each of them "
            "wanders, and needs 300.",
        ),
        ((12, 2.0, 0.9, EXPECTED, {"even_odd": 0.69}), "The chains remember too well."),
        (
            (12, 2.0, 0.9, EXPECTED, {"even_odd": 0.71}),
            "In turn, a replica keeps its direction until it is refused: 30 sweeps a round trip. By a coin it "
            "forgets at every rung: 90 sweeps. Memory costs little here.",
        ),
        ((12, 2.0, 0.0, EXPECTED, {"even_odd": 1.0}), "By a coin it forgets at every rung: 90 sweeps."),
        ((12, 2.0, 0.0, EXPECTED, {"even_odd": 0.0}), "By a coin it forgets at every rung: 90 sweeps."),
        (
            (12, 2.0, 0.0, {"even_odd": 30.0, "stochastic_even_odd": 34.0}, {"even_odd": 1.0}),
            "the schemes hardly differ",
        ),
        ((12, 2.0, 0.0, {"even_odd": 30.0, "stochastic_even_odd": 35.0}, {"even_odd": 1.0}), "By a coin it forgets"),
    ],
    rungs_against_error: [
        (
            ({"A": row("A, x", (0.3, -0.4), (0.2, 0.21)), "B": row("B", (3.0, 4.0), (2.0, 2.1))}, 5),
            "With 5 temperatures A errs by 0.35 nats and B by 3.5. All five cover the truth",
        ),
        (
            ({"A": row("A, x", (0.3, -0.4), (0.1, 0.1)), "B": row("B", (3.0, 4.0), (1.4, 1.9))}, 5),
            "The own error bars of A and B miss the truth in more than half",
        ),
        (
            ({"A": row("A, x", (0.3, -0.4), (0.16, 0.1)), "B": row("B", (3.0, 4.0), (1.0, 1.9))}, 5),
            "The own error bars of B miss the truth in more than half of the runs.",
        ),
    ],
    samples_along_paths: [
        (
            (1, {"geometric": 2, "moments": 4}, HERE, 30.0),
            "Both paths end in the same target, 25% of which is one picture. On MAS several of the 20 chains have "
            "found it, on the geometric path hardly one.",
        ),
        ((1, {"geometric": 3, "moments": 4}, HERE, 30.0), "25% of which is one picture. The chains come there by diff"),
        ((1, {"geometric": 0, "moments": 3}, HERE, 30.0), "25% of which is one picture. The chains come there by diff"),
        ((1, None, HERE, 30.0), "Here the two paths meet: they share their ends"),
        ((0, {"geometric": 0, "moments": 9}, HERE, 30.0), "Here the two paths meet: they share their ends"),
        (
            (0.6, None, WRONG, 1.0),
            "At β = 0.6 the geometric path has 98% of its probability on one picture, and it is the wrong one. The "
            "target's own has 0.4% there, and 77% on MAS.",
        ),
        ((0.6, None, WRONG, 2.1), "The geometric path goes through a bottleneck."),
        (
            (0.6, None, HERE, 30.0),
            "At β = 0.6 the geometric path holds 2.3 pictures and MAS 40; the target itself has 30. The geometric "
            "path goes through a bottleneck.",
        ),
        (
            (0.6, None, measures(geometric=35.0, moments=40.0), 30.0),
            "holds 35 pictures and MAS 40; the target itself has 30. Neither path goes through a bottleneck here.",
        ),
        ((0.6, None, measures(geometric=20.0, moments=18.0), 30.0), "has 30. Here MAS has fewer than the target."),
    ],
    tiny_world: [
        ((tiny_world.METROPOLIS, 2, 0.006, 1.0), "are out of equilibrium after 2 steps: 1% stand"),
        ((tiny_world.CARELESS, 10, 0.4, 1.5), "This kernel does not leave f_k invariant, and the mean weight is 1.5 Z"),
        ((tiny_world.METROPOLIS, 10, 0.4, 1 - 1e-8), "This kernel does not leave f_k invariant"),
        (
            (tiny_world.METROPOLIS, 10, 0.004, 1.0),
            "Here the chains stand where the target is, and the mean weight is Z.",
        ),
        (
            (tiny_world.METROPOLIS, 10, 0.4, 1 + 1e-12),
            "are out of equilibrium after 10 steps: 40% stand in the wrong place. Yet their mean weight is "
            "exactly Z",
        ),
        ((tiny_world.METROPOLIS, 1, 0.4, 1.0), "are out of equilibrium after 1 step: 40%"),
        ((tiny_world.FROZEN, 10, 0.4, 1.0), "The chains never moved: 40% stand"),
        ((tiny_world.CARELESS, 1, 0.4, 1.0), "With 1 step the kernel comes too late to spoil E[w]"),
    ],
    two_paths: [
        ((0, 0.85, 10, 0.0, {}, {}, 0.0), "Here the two paths meet"),
        ((1, 0.85, 10, 0.0, {}, {}, 0.0), "Here the two paths meet"),
        (
            (0.5, -0.85, 10, 8.5, of_both(0.5, 10.2), of_both(0.123, 0.62), 72.6),
            "The geometric path shrinks to a width of 0.5, 8.5 off the straight line; the moment path stretches to "
            "10.2. Smallest overlaps in 10 steps: 0.123 and 0.62; both lose 72.6 nats.",
        ),
        (
            (0.5, 0.85, 10, 0.0, of_both(0.5, 1.0), of_both(0.97, 0.97), 0.52),
            "shrinks to a width of 0.5; the moment path has 1.0.",
        ),
        (
            (0.5, 0.0, 40, 0.0, of_both(1.0, 10.05), of_both(0.97, 0.74), 5.0),
            "Both paths go straight: the geometric one keeps its width of 1.0, the moment path stretches to 10.1. "
            "Smallest overlaps in 40 steps",
        ),
    ],
    where_the_knots_sit: [
        (
            (0, 0.64, 0.64, 110.4, 110.4, -5.1),
            "Without knots this is the geometric path: some moment strays from the straight line by 0.64, and log Ẑ "
            "is more than 5 nats too low. F = 110.",
        ),
        (
            (1, 0.55, 0.64, 110.4, 109.4, -61.0),
            "With 1 knot some moment still strays from the straight line by 0.55, and log Ẑ is more than 50 "
            "nats too low. Yet F is 110, with none 109.",
        ),
        (
            (9, 0.5, 0.64, 110.4, 110.4, -1.9),
            "With 9 knots every moment stays within 0.50 of the straight line, and log Ẑ is within 2 nats of "
            "the truth. Yet F is 110, with none 110: what knots buy is not in F.",
        ),
        ((4, 0.5, 0.64, 110.4, 110.4, 4.9), "log Ẑ is 2 to 5 nats too high."),
    ],
    which_is_wrong: [
        ((accused({}), "B", False), "One of the two has a fault. Their numbers and their error bars are all"),
        ((accused({"a": 0.5, "b": None}), "A", True), "It is A. The two ends of the path are exchanged in between."),
        ((accused({"a": 0.5, "b": 0.02}), "A", True), "None of 2 tests sees it"),
        ((accused({"a": 1e-6, "b": 1e-7, "c": 0.1, "d": None}), "B", True), "2 of 3 tests see it; cheapest: b."),
    ],
    whom_to_believe: [
        (
            (SIX, [0, 1, 3], False, np.isfinite(SIX[:, 0]), 10.15, 10.0),
            "3 of 6 estimates lie within 0.3 nats of the middle one; 3 come without a warning.",
        ),
        (
            (SIX, [0, 1, 3], True, np.isfinite(SIX[:, 0]), 10.15, 10.0),
            "3 of 6 lie within 0.3 nats of the truth, and 3 within two of their own standard errors. Of the 3 "
            "without a warning 1 are wrong by more.",
        ),
    ],
}
"""Module of a panel → arguments of its `_takeaway`, and words that it says of them."""

ELSEWHERE = {
    "digits_annealing",
    "image_models",
    "likelihood_tracking",
    "momentum_trails",
    "one_matrix",
    "particles_and_modes",
    "sandwich_gap",
    "start_covariance",
    "starts_against_steps",
    "tempered_modes",
    "tempered_training",
    "tempered_walk",
}
"""Modules whose words are tested beside their panels."""

CASES = [pytest.param(module, *case, id=name_of(module)) for module, cases in WORDS.items() for case in cases]


@pytest.mark.parametrize("module, numbers, words", CASES)
def test_what_is_said_of_given_numbers(module, numbers, words):
    takeaway = module._takeaway(*numbers)
    assert words in takeaway, takeaway


@pytest.mark.parametrize("module", WORDS, ids=name_of)
def test_every_sentence_of_a_panel_is_heard(module):
    """As many different sentences as there are returns."""
    source = inspect.getsource(module._takeaway)
    n_returns = sum(isinstance(node, ast.Return) for node in ast.walk(ast.parse(source)))
    where = set()

    def watch(frame, event, _argument):
        if frame.f_code is module._takeaway.__code__:
            if event == "return":
                where.add(frame.f_lineno)
            return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        for numbers, _ in WORDS[module]:
            module._takeaway(*numbers)
    finally:
        sys.settrace(before)
    assert len(where) == n_returns


def test_the_words_of_every_panel_are_tested():
    modules = {kind.__module__.rpartition(".")[2] for name, kind in vars(panels).items() if name in panels.__all__}
    assert modules - {"base"} == ELSEWHERE | set(map(name_of, WORDS))
