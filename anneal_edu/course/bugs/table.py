"""Which kind of test sees which fault, at what cost, and how large the damage is.

``python -m anneal_edu.course.bugs.table`` computes all of it anew and stores it, one row a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np

from anneal_edu.course.bugs.faults import FAULTS
from anneal_edu.course.bugs.kinds import KINDS, LEVEL, Trial
from anneal_edu.course.bugs.planting import Fault, Plant
from anneal_edu.course.bugs.subjects import SUBJECTS

N_SHOWN = 12
_STORED = Path(__file__).with_name("table.json")


@dataclass(frozen=True)
class Row:
    """One fault, or a right algorithm (``fault`` is then "").

    Attributes
    ----------
    fault, subject : str
    p_values : dict
        Kind of test → p-value; None if it does not apply, or if it would judge runs of which most warn.
    costs : dict
        Kind of test → moves of one chain.
    error, right_error : float
        Mean error over the repeats, with and without the fault.
    held, right_held : float
        Share of the intervals that contain the truth.
    spread, right_spread : float
        Standard deviation over the repeats.
    runs, right_runs : list
        Of the first repeats value, lower and upper end of the interval, standard error, and 1 if the run warns.
    truth : float
    """

    fault: str
    subject: str
    p_values: dict[str, float | None]
    costs: dict[str, int]
    error: float
    right_error: float
    held: float
    right_held: float
    spread: float
    right_spread: float
    runs: list[list[float]]
    right_runs: list[list[float]]
    truth: float

    @property
    def seen_by(self) -> tuple[str, ...]:
        """The kinds of test that accuse."""
        return tuple(kind for kind, p in self.p_values.items() if p is not None and p < LEVEL)


def row_of(fault: Fault | None, subject: str, seed: int = 0) -> Row:
    """The row of one algorithm with a fault, or of the right one if ``fault`` is None."""
    trial, right = (Trial(SUBJECTS[subject], Plant(which), seed) for which in (fault, None))
    truth = float(SUBJECTS[subject].truth(1.0))
    with np.errstate(all="ignore"):
        found = {kind: test(trial) for kind, test in KINDS.items()}
        damage = {}
        for prefix, runs in (("", trial.runs(1.0)), ("right_", right.runs(1.0))):
            values = [run.value for run in runs]
            said = ((run.value, run.low, run.high, run.std_error, run.warned) for run in runs[:N_SHOWN])
            damage[f"{prefix}error"] = float(np.mean(values) - truth)
            damage[f"{prefix}held"] = float(np.mean([run.low <= truth <= run.high for run in runs]))
            damage[f"{prefix}spread"] = float(np.std(values, ddof=1))
            damage[f"{prefix}runs"] = [[round(float(number), 5) for number in each] for each in said]
    p_values = {kind: None if each is None else each[0] for kind, each in found.items()}
    costs = {kind: each[1] for kind, each in found.items() if each is not None}
    return Row(fault.name if fault else "", subject, p_values, costs, truth=truth, **damage)


@cache
def stored_table() -> tuple[Row, ...]:
    """The table as it was computed once, faults first, then the right algorithms."""
    return tuple(Row(**row) for row in json.loads(_STORED.read_text(encoding="utf-8")))


def faulty_rows() -> tuple[Row, ...]:
    """The rows of the faults."""
    return tuple(row for row in stored_table() if row.fault)


def best_kinds(rows: tuple[Row, ...], n: int) -> tuple[str, ...]:
    """The n kinds of test that together see most faults; of several such sets the cheapest in moves."""

    def unseen_and_moves(chosen: tuple[str, ...]) -> tuple[int, int]:
        return sum(not {*chosen} & {*row.seen_by} for row in rows), sum(r.costs.get(k, 0) for r in rows for k in chosen)

    return min(combinations(dict.fromkeys(kind for row in rows for kind in row.p_values), n), key=unseen_and_moves)


def cheapest_for(row: Row) -> str:
    """The test that sees this fault with the fewest moves; "" where none does."""
    return min(row.seen_by, key=row.costs.__getitem__, default="")


def stored(rows: Iterable[Row]) -> str:
    """The text of the stored table."""
    return "[\n" + ",\n".join(json.dumps(asdict(row), ensure_ascii=False) for row in rows) + "\n]\n"


def main() -> None:
    """Compute all rows and store them."""
    rows = [row_of(fault, fault.subject) for fault in FAULTS.values()]
    _STORED.write_text(stored(rows + [row_of(None, subject) for subject in SUBJECTS]), encoding="utf-8")


if __name__ == "__main__":
    main()
