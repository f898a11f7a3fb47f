"""Each fault is a line of the library, exchanged; the table is what tests say of it, and none is accused wrongly."""

import dataclasses
import importlib
import re

import numpy as np
import pytest

from anneal_edu.course import bugs
from anneal_edu.course.bugs.chains import effective_draws
from anneal_edu.course.bugs.kinds import Trial
from anneal_edu.course.bugs.table import Row
from tests.cases import always

ROWS = {row.fault: row for row in bugs.faulty_rows()}
RIGHT = {row.subject: row for row in bugs.stored_table() if not row.fault}
HARMLESS = {"β and 1-β"}
"""Faults that leave Ẑ unbiased: they cost chains, and no test of correctness sees them."""


def test_there_are_twenty_or_more():
    assert len(bugs.FAULTS) >= 20
    assert len({fault.after for fault in bugs.FAULTS.values()}) == len(bugs.FAULTS)
    assert all(name == fault.name for name, fault in bugs.FAULTS.items())


@pytest.mark.parametrize("name", bugs.FAULTS)
def test_the_line_before_stands_in_the_library_and_the_one_after_runs(name):
    fault = bugs.FAULTS[name]
    changed = bugs.with_fault(fault)
    assert bugs.source_of(fault.module).count(fault.before) == 1
    assert fault.after in changed and changed != bugs.source_of(fault.module)
    made, right = bugs.Plant(fault)(fault.module), importlib.import_module(f"anneal_edu.{fault.module}")
    assert set(vars(right)) - set(vars(made)) <= {n for n in vars(right) if n.startswith("__")}
    assert fault.says.endswith(".") and fault.seen


def test_a_line_that_is_not_there_is_refused():
    gone = dataclasses.replace(bugs.FAULTS["γ for √γ"], before="no such line")
    with pytest.raises(ValueError, match="stands there 0 times"):
        bugs.with_fault(gone)
    with pytest.raises(ValueError, match="must be one of the library"):
        bugs.source_of("no_such_module")


def test_the_library_itself_stays_as_it_is():
    kernels = importlib.import_module("anneal_edu.kernels")
    before = kernels.accept
    bugs.Plant(bugs.FAULTS["u against the log"])("kernels")
    assert kernels.accept is before and bugs.Plant()("kernels") is kernels


def test_a_module_that_uses_the_faulty_one_uses_what_is_faulty():
    plant = bugs.Plant(bugs.FAULTS["both get the same copy"])
    swaps, parallel = plant("tempering.swaps"), plant("tempering.parallel")
    assert parallel.swapped is swaps.swapped
    plant = bugs.Plant(bugs.FAULTS["survivors only"])
    assert plant("weights") is plant("annealing.ais").weights


def test_the_stored_table_is_of_these_faults_and_tests():
    assert set(ROWS) == set(bugs.FAULTS) and set(RIGHT) == set(bugs.SUBJECTS)
    for row in bugs.stored_table():
        assert set(row.p_values) == set(bugs.KINDS)
        assert set(row.costs) == {kind for kind, p in row.p_values.items() if p is not None}
        assert not row.fault or bugs.FAULTS[row.fault].subject == row.subject


def test_every_fault_is_seen_or_harmless():
    assert {name for name, row in ROWS.items() if not row.seen_by} == HARMLESS
    for name in HARMLESS:
        assert abs(ROWS[name].error) < 0.05 and ROWS[name].spread > 1.5 * ROWS[name].right_spread


def test_nobody_is_accused_wrongly():
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
def test_a_row_is_computed_again(name):
    """One cell each, with other random numbers: the fault is seen, and without it nothing is, or the run warns.

    One fault is seen with p = 1e-12 in most runs, and in one of forty with 1e-5: the middle of three counts.
    """
    fault, test = bugs.FAULTS[name], bugs.KINDS[CHEAP[name]]
    seeds = np.random.default_rng(1).integers(1000, size=3 if name == "sum stops at once" else 1)
    with np.errstate(all="ignore"):
        found = sorted(test(Trial(bugs.SUBJECTS[fault.subject], bugs.Plant(fault), int(seed))) for seed in seeds)
        wrong, right = found[len(found) // 2], test(Trial(bugs.SUBJECTS[fault.subject], bugs.Plant(), int(seeds[0])))
    assert wrong[0] < bugs.LEVEL and wrong[1] == ROWS[name].costs[CHEAP[name]]
    if name == "the wrong tail":
        assert right is None, "without the fault most runs warn, and disown themselves"
    else:
        assert right[0] >= bugs.LEVEL and right[1] == wrong[1]
    assert CHEAP[name] in ROWS[name].seen_by


def made_up(seen, costs):
    p = {kind: 0.0 if kind in seen else 0.5 for kind in costs}
    return Row("f", "", p, costs, 0, 0, 0, 0, 0, 0, [], [], 0)


def test_the_smallest_cover():
    costs = {"a": 5, "b": 2, "c": 1}
    rows = tuple(made_up(seen, costs) for seen in ({"a"}, {"a", "b"}, {"b", "c"}))
    assert bugs.smallest_cover(rows) == ("a", "c")
    assert bugs.smallest_cover((*rows, made_up(set(), costs))) == ("a", "c")
    assert bugs.smallest_cover((made_up(set(), costs),)) == ()


def test_the_stored_cover_covers_and_none_smaller_does():
    rows = bugs.faulty_rows()
    cover = set(bugs.smallest_cover(rows))
    assert all(cover & set(row.seen_by) for row in rows if row.seen_by)
    for kind in cover:
        assert any(not (cover - {kind}) & set(row.seen_by) for row in rows if row.seen_by)


def test_the_cheapest_test_of_a_fault():
    assert bugs.cheapest_for(made_up({"a", "b"}, {"a": 5, "b": 2, "c": 1})) == "b"
    assert bugs.cheapest_for(made_up(set(), {"a": 5})) == ""


def test_effective_draws_of_an_autoregressive_chain():
    """T (1 - φ) / (1 + φ), over 40 chains within 4.5 standard errors and a bias of 10%."""
    rng, phi, T = np.random.default_rng(0), 0.6, 4000
    found = []
    for _ in range(40):
        x = np.zeros(T)
        noise = rng.standard_normal(T)
        for t in range(1, T):
            x[t] = phi * x[t - 1] + noise[t]
        found.append(effective_draws(x))
    exact = T * (1 - phi) / (1 + phi)
    assert abs(np.mean(found) - exact) < 0.1 * exact + 4.5 * np.std(found) / np.sqrt(40)


def test_who_is_cited_has_a_number():
    for fault in bugs.FAULTS.values():
        if "/" in fault.seen or "issue" in fault.seen:
            assert re.search(r"(issue|pull request) \d+", fault.seen), fault.name
