"""Each fault is a piece of the library's source, exchanged; the stored table is what the tests say of it."""

import dataclasses
import importlib
import re

import numpy as np
import pytest

from anneal_edu.course import bugs
from anneal_edu.course.bugs import table
from anneal_edu.course.bugs.chains import effective_draws
from anneal_edu.course.bugs.kinds import Trial
from anneal_edu.course.bugs.table import Row
from tests.cases import always

ROWS = {row.fault: row for row in bugs.faulty_rows()}
RIGHT = {row.subject: row for row in bugs.stored_table() if not row.fault}
HARMLESS = {"β and 1-β"}
"""Faults that leave Ẑ unbiased: they cost chains, and no test of correctness sees them."""


@pytest.mark.parametrize("name", bugs.FAULTS)
def test_a_fault_is_planted_in_the_library(name):
    fault = bugs.FAULTS[name]
    changed = bugs.with_fault(fault)
    assert fault.after in changed and changed != bugs.source_of(fault.module)
    made, right = bugs.Plant(fault)(fault.module), importlib.import_module(f"anneal_edu.{fault.module}")
    assert set(vars(right)) - set(vars(made)) <= {n for n in vars(right) if n.startswith("__")}
    assert fault.name == name and fault.sentence.endswith(".") and fault.seen
    if "/" in fault.seen or "issue" in fault.seen:
        assert re.search(r"(issue|pull request) \d+", fault.seen), "a citation has a number"


def test_a_piece_that_is_not_there_is_refused():
    gone = dataclasses.replace(bugs.FAULTS["γ for √γ"], before="no such line")
    with pytest.raises(ValueError, match="stands there 0 times"):
        bugs.with_fault(gone)


def test_the_library_itself_stays_as_it_is():
    kernels = importlib.import_module("anneal_edu.kernels")
    before = kernels.accept
    assert bugs.Plant(bugs.FAULTS["u against the log"])("kernels").accept is not before
    assert kernels.accept is before and bugs.Plant()("kernels") is kernels


def test_a_module_that_imports_the_faulty_one_uses_what_is_faulty():
    plant = bugs.Plant(bugs.FAULTS["both get the same copy"])
    assert plant("tempering.parallel").swapped is plant("kernels").swapped
    plant = bugs.Plant(bugs.FAULTS["survivors only"])
    assert plant("annealing.ais").weights is plant("weights")
    plant = bugs.Plant(bugs.FAULTS["mean of the logs"])
    assert issubclass(plant("annealing.reverse").ReverseAISResult, plant("annealing.ais").AISResult)


def test_the_stored_table_is_of_these_faults_and_tests():
    assert set(ROWS) == set(bugs.FAULTS) and set(RIGHT) == set(bugs.SUBJECTS)
    for row in bugs.stored_table():
        assert set(row.p_values) == set(bugs.KINDS)
        assert set(row.costs) == {kind for kind, p in row.p_values.items() if p is not None}
        assert not row.fault or bugs.FAULTS[row.fault].subject == row.subject
    assert table.stored(bugs.stored_table()) == table._STORED.read_text(encoding="utf-8")


@pytest.mark.fixed_seed("the runs are stored")
@pytest.mark.parametrize("row", bugs.stored_table(), ids=lambda row: row.fault or row.subject)
def test_stored_runs_are_computed_again(row, monkeypatch):
    monkeypatch.setattr(bugs.kinds, "N_REPEATS", 2)
    trial = Trial(bugs.SUBJECTS[row.subject], bugs.Plant(bugs.FAULTS.get(row.fault)), 0)
    with np.errstate(all="ignore"):
        runs = [[run.value, run.low, run.high, run.std_error, run.warned] for run in trial.runs(1.0)]
    np.testing.assert_allclose(runs, row.runs[:2], atol=2e-5)
    assert not row.fault or row.runs != row.right_runs


def test_every_fault_is_seen_or_harmless_and_nothing_right_is_accused():
    assert {name for name, row in ROWS.items() if not row.seen_by} == HARMLESS
    for name in HARMLESS:
        assert abs(ROWS[name].error) < 0.05 and ROWS[name].spread > 1.5 * ROWS[name].right_spread
    assert {name: row.seen_by for name, row in RIGHT.items() if row.seen_by} == {}


CHEAP = {
    "ratio upside down": "exact draws, moved", "drawn until inside": "exact draws, moved", "γ for √γ": "moments",
    "one noise for all chains": "error bars", "means in place of draws": "detailed balance",
    "last step missing": "coordinates", "weights after the move": "mean weight", "interval of the logs": "coverage",
    "reverse run averages w": "sandwich", "hidden units forgotten": "two methods",
    "both get the same copy": "πT = π in full", "swap ratio upside down": "πT = π in full",
    "tag turns when accepted": "πT = π in full", "the wrong tail": "coverage", "sum stops at once": "error bars",
}  # fmt: skip


@pytest.mark.parametrize("name", always(*CHEAP.keys() - {"sum stops at once"}, of=CHEAP))
def test_a_cell_is_computed_again(name):
    """With other random numbers: the fault is seen, and without it nothing is, or the run warns.

    One fault is seen with p = 1e-12 in most runs, and in one of forty with 1e-5: the middle of three counts.
    """
    fault, test = bugs.FAULTS[name], bugs.KINDS[CHEAP[name]]
    seeds = np.random.default_rng(1).integers(1000, size=3 if name == "sum stops at once" else 1)
    with np.errstate(all="ignore"):
        found = sorted(test(Trial(bugs.SUBJECTS[fault.subject], bugs.Plant(fault), int(seed))) for seed in seeds)
        wrong, right = found[len(found) // 2], test(Trial(bugs.SUBJECTS[fault.subject], bugs.Plant(), int(seeds[0])))
    assert wrong[0] < bugs.LEVEL and wrong[1] == ROWS[name].costs[CHEAP[name]]
    if name == "the wrong tail":
        assert right is None, "without the fault most runs warn"
    else:
        assert right[0] >= bugs.LEVEL and right[1] == wrong[1]
    assert CHEAP[name] in ROWS[name].seen_by


def made_up(seen, costs):
    p = {kind: 0.0 if kind in seen else 0.5 for kind in costs}
    return Row("f", "", p, costs, 0, 0, 0, 0, 0, 0, [], [], 0)


def test_the_best_kinds_and_the_cheapest_test():
    costs = {"a": 5, "b": 2, "c": 1}
    rows = tuple(made_up(seen, costs) for seen in ({"a"}, {"a", "b"}, {"b", "c"}, set()))
    assert bugs.best_kinds(rows, 1) == ("b",) and bugs.best_kinds(rows, 2) == ("a", "c")
    assert bugs.cheapest_for(rows[1]) == "b" and bugs.cheapest_for(rows[3]) == ""


def test_effective_draws_of_an_autoregressive_chain():
    """T (1 - φ) / (1 + φ), over 40 chains within 4.5 standard errors and a bias of 10%."""
    rng, phi, T = np.random.default_rng(0), 0.6, 4000
    found = []
    for _ in range(40):
        x, noise = np.zeros(T), rng.standard_normal(T)
        for t in range(1, T):
            x[t] = phi * x[t - 1] + noise[t]
        found.append(effective_draws(x))
    exact = T * (1 - phi) / (1 + phi)
    assert abs(np.mean(found) - exact) < 0.1 * exact + 4.5 * np.std(found) / np.sqrt(40)
