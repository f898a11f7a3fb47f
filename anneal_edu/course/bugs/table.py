"""Which kind of test sees which fault, at what cost, and how large the damage is: all of it computed.

``python -m anneal_edu.course.bugs.table`` writes the stored table anew.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations

import numpy as np

from anneal_edu.course.bugs.faults import FAULTS
from anneal_edu.course.bugs.kinds import KINDS, LEVEL, Trial
from anneal_edu.course.bugs.planting import Fault, Plant
from anneal_edu.course.bugs.subjects import SUBJECTS

N_SHOWN = 12
_STORED = files(__package__) / "table.json"


@dataclass(frozen=True)
class Row:
    """One fault, or a right algorithm (``fault`` is then "").

    Attributes
    ----------
    fault, subject : str
    p_values : dict
        Kind of test → p-value, None where it cannot be trial, or where most runs warn and it would judge their
        estimates and error bars.
    costs : dict
        Kind of test → moves of one chain.
    error : float
        Mean error over the repeats, in the units of the number that is estimated; ``right_error`` without the fault.
    right_error : float
    held : float
        Share of the intervals that hold the truth; ``right_held`` without the fault.
    right_held : float
    spread : float
        Standard deviation over the repeats; ``right_spread`` without the fault.
    right_spread : float
    runs, right_runs : list
        The first of the repeats, with and without the fault: value, lower and upper end of the interval, its own
        standard error, and 1 where the run warns, else 0.
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


def _damage(trial: Trial) -> tuple[float, float, float]:
    truth, runs = trial.subject.truth(1.0), trial.runs(1.0)
    held = np.mean([answer.low <= truth <= answer.high for answer in runs])
    values = [answer.value for answer in runs]
    return float(np.mean(values) - truth), float(held), float(np.std(values, ddof=1))


def _first(trial: Trial) -> list[list[float]]:
    said = ((a.value, a.low, a.high, a.std_error, a.warned) for a in trial.runs(1.0)[:N_SHOWN])
    return [[round(float(v), 5) for v in each] for each in said]


def row_of(fault: Fault | None, subject: str, seed: int = 0) -> Row:
    """Every kind of test that can be asked of one algorithm, right where ``fault`` is None."""
    trial, right = Trial(SUBJECTS[subject], Plant(fault), seed), Trial(SUBJECTS[subject], Plant(), seed)
    with np.errstate(all="ignore"):
        found = {kind: test(trial) for kind, test in KINDS.items()}
        damage, undamaged = _damage(trial), _damage(right)
    return Row(
        fault.name if fault else "",
        subject,
        {kind: None if f is None else f[0] for kind, f in found.items()},
        {kind: f[1] for kind, f in found.items() if f is not None},
        damage[0],
        undamaged[0],
        damage[1],
        undamaged[1],
        damage[2],
        undamaged[2],
        _first(trial),
        _first(right),
        float(trial.subject.truth(1.0)),
    )


@cache
def stored_table() -> tuple[Row, ...]:
    """The table as it was computed once, faults first, then the right algorithms.

    Examples
    --------
    >>> len(stored_table()) > 40
    True
    """
    return tuple(Row(**row) for row in json.loads(_STORED.read_text(encoding="utf-8")))


def faulty_rows() -> tuple[Row, ...]:
    """The rows of the faults."""
    return tuple(row for row in stored_table() if row.fault)


def smallest_cover(rows: tuple[Row, ...]) -> tuple[str, ...]:
    """The fewest kinds of test that see every fault that any sees; of several sets the cheapest in moves.

    Examples
    --------
    >>> one = Row("a", "", {"x": 0.0, "y": 0.0}, {"x": 5, "y": 2}, 0, 0, 0, 0, 0, 0, [], [], 0)
    >>> smallest_cover((one,))
    ('y',)
    """
    seen = [set(row.seen_by) for row in rows if row.seen_by]
    kinds = list(dict.fromkeys(kind for row in rows for kind in row.p_values))
    cost = {kind: sum(row.costs.get(kind, 0) for row in rows) for kind in kinds}
    for size in range(len(kinds) + 1):
        covers = [chosen for chosen in combinations(kinds, size) if all(s & set(chosen) for s in seen)]
        if covers:
            return min(covers, key=lambda chosen: sum(cost[kind] for kind in chosen))
    return ()


def cheapest_for(row: Row) -> str:
    """The test that sees this fault with the fewest moves; "" where none does."""
    return min(row.seen_by, key=row.costs.__getitem__, default="")


def main() -> None:
    """Compute all rows and store them."""
    rows = [row_of(fault, fault.subject) for fault in FAULTS.values()]
    rows += [row_of(None, subject) for subject in SUBJECTS]
    text = json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False)
    with open(str(_STORED), "w", encoding="utf-8") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    main()
