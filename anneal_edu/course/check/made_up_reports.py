"""Tables of reports that nobody ran, for the check of notebook 14: each refutes a rule that has luck on the real ones.

A rule that is judged by a few runs may hold by chance for another threshold, or for one end's error bar. Here every
threshold has a table of its own, with log Z negative in some.
"""

import numpy as np

from anneal_edu.course.experiments.estimators import Report
from anneal_edu.estimate import Diagnostic

_TAIL, _BURST, _APART = (Diagnostic(kind, kind) for kind in ("heavy tail", "collapsed weights", "rungs never meet"))
_OTHERS = (
    "AIS, moment spline", "reverse AIS, from chains", "RAISE", "PT, stepping stones", "RTS", "MBAR, same run",
    "importance sampling", "TI, same run", "RB-TI, same run",
)  # fmt: skip

_TABLES = (
    # ends 0.15 apart with tiny bars: met, though not within three standard errors
    (-702.4, (-0.10, 0.01), (0.05, 0.01), ((0.02, 0.02), (-0.05, 0.02), (0.04, 0.03), (0.0, 0.02), (-0.08, 0.03))),
    # all have missed a mode, and the one from the data, or the other end, says so by nothing but a long bar
    (41.0, (-2.30, 0.02), (-2.20, 0.80), ((-2.3, 0.1), (-2.3, 0.1), (-2.2, 0.2), (-2.3, 0.15), (-2.3, 0.1))),
    (12.5, (-2.20, 0.80), (-2.30, 0.02), ((-2.3, 0.05), (-2.3, 0.05), (-2.2, 0.04), (-2.3, 0.05), (-2.2, 0.05))),
    # ends 0.2 apart: within half a nat with two standard errors of the gap, not with three
    (12.5, (-0.65, 0.085), (-0.45, 0.085), ((-0.6, 0.05), (-0.6, 0.05), (-0.55, 0.04), (-0.6, 0.05), (-0.5, 0.05))),
    # ends apart: beyond six and a half standard errors of the gap; by 0.62 with tiny bars
    (23.0, (-1.30, 0.14), (0.0, 0.14), ((-1.3, 0.1), (-1.2, 0.1), (-1.3, 0.1), (-1.4, 0.1), (-1.25, 0.1))),
    (-90.0, (-0.62, 0.01), (0.0, 0.01), ((-0.6, 0.02), (-0.6, 0.02), (-0.65, 0.02), (-0.6, 0.02), (-0.62, 0.02))),
    # ends crossed by 0.5 with tiny bars: what lies between them is wrong
    (55.0, (-0.20, 0.01), (-0.70, 0.01), ((-0.45, 0.02), (-0.45, 0.02), (-0.7, 0.02), (-0.42, 0.02), (-0.44, 0.02))),
    # ends crossed by 0.3 with tiny bars: within half a nat, and bounds cannot do this
    (55.0, (-0.60, 0.01), (-0.90, 0.01), ((-0.75, 0.02), (-0.75, 0.02), (-0.8, 0.02), (-0.7, 0.02), (-0.72, 0.02))),
    # ends that cross by two and a half standard errors, which is chance
    (30.0, (0.05, 0.03), (-0.055, 0.03), ((0.02, 0.04), (0.0, 0.04), (-0.05, 0.02), (0.02, 0.03), (-0.05, 0.03))),
    # ends that meet, one below and one above them without a warning, and one that is near to both with one
    (30.0, (-0.07, 0.03), (-0.06, 0.03), ((-0.6, 0.04), (0.6, 0.04), (-0.35, 0.02, _TAIL), (0.02, 0.03), (0.0, 0.03))),
    # ends that meet, and one of the others, the third, without an answer and without a warning
    (30.0, (-0.10, 0.03), (0.05, 0.03), ((0.0, 0.04), (0.04, 0.04), (np.nan, np.nan), (0.02, 0.03), (-0.05, 0.03))),
    # ends that are pinned, warn, and are wrong, as two others do and are; those that do not warn are right
    (30.0, (-0.50, 0.02, _TAIL), (-0.45, 0.02, _TAIL), ((-0.5, 0.03, _TAIL), (-0.5, 0.03, _TAIL), *[(-0.2, 0.03)] * 3)),
    # the same, but only one of the ends warns and is wrong, and of another thing
    (-17.0, (-0.45, 0.02, _BURST), (-0.20, 0.02), ((-0.2, 0.03), (0.0, 0.03), (-0.5, 0.03, _APART), (-0.1, 0.03))),
    (30.0, (0.20, 0.02), (0.45, 0.02, _BURST), ((0.1, 0.03), (0.15, 0.03), (0.5, 0.03, _APART), (0.2, 0.03))),
    # ends that meet, and one of them warns: all have missed a mode, and nobody else says so
    (30.0, (-2.30, 0.02), (-2.25, 0.02, _BURST), ((-2.3, 0.02), (-2.3, 0.03), (-2.25, 0.02), (-2.3, 0.02))),
    (-9.0, (-2.30, 0.02, _TAIL), (-2.25, 0.02), ((-2.3, 0.02), (-2.3, 0.03), (-2.25, 0.02), (-2.3, 0.02))),
    # ends that meet, one report 3.3 of its own long bars away, and one 0.36 nats with a short bar
    (30.0, (0.0, 0.01), (0.02, 0.01), ((0.72, 0.22), (0.36, 0.02), (-0.03, 0.02), (0.02, 0.03), (0.01, 0.02))),
    # ends that meet, and everybody else is a nat away: on one side, without a warning
    (30.0, (0.0, 0.02), (0.05, 0.02), ((1.0, 0.02), (1.0, 0.02), (0.98, 0.03), (1.02, 0.03), (1.0, 0.02))),
    (-5.0, (0.0, 0.02), (0.05, 0.02), ((-1.0, 0.02), (-1.0, 0.02), (-0.98, 0.03), (-1.02, 0.03), (-1.0, 0.02))),
    # ends that meet, and those whose names promise least are a nat away, without a warning
    (7.0, (0.0, 0.02), (0.05, 0.02), (*[(0.02, 0.03)] * 6, *[(1.0, 0.02)] * 3)),
    (7.0, (0.0, 0.02), (0.05, 0.02), (*[(0.02, 0.03)] * 6, *[(-1.0, 0.02)] * 3)),
    # ends 0.44 apart that are pinned, with three standard errors of the gap, not with four
    (30.0, (-0.22, 0.012), (0.22, 0.012), ((0.0, 0.03), (0.1, 0.03), (-0.1, 0.03), (0.05, 0.02), (-0.05, 0.03))),
    # ends 0.44 apart that are pinned, and log Z at one of them: who lies beyond the other is too far off, by its own
    # long bar, too; who warned is; and those that are near both are right
    (30.0, (0.0, 0.01), (0.44, 0.01), ((0.2, 0.02), (0.22, 0.02), (0.5, 0.05), (0.2, 0.03), (0.24, 0.02))),
    (30.0, (-0.44, 0.01), (0.0, 0.01), ((-0.2, 0.02), (-0.55, 0.12), (-0.22, 0.02), (-0.2, 0.03), (-0.24, 0.02))),
    (-9.0, (0.0, 0.01), (0.40, 0.01), ((0.2, 0.02), (0.22, 0.02), (0.45, 0.05, _TAIL), (0.2, 0.03), (0.24, 0.02))),
    # no run from the data, or none that ends there: all have missed a mode, and nobody is there to say so
    (41.0, (-2.30, 0.02), None, ((-2.3, 0.02), (-2.3, 0.03), (-2.3, 0.02), (-2.3, 0.02), (-2.3, 0.02))),
    (30.0, None, (-2.30, 0.02), ((-2.3, 0.02), (-2.3, 0.03), (-2.3, 0.02), (-2.3, 0.02), (-2.3, 0.02))),
    # another AIS, and the first of the list, meets the run from the data; the one that is an end does not
    (30.0, (-2.30, 0.02), (-0.90, 0.02), ((-0.9, 0.02), (-0.95, 0.03), (-0.9, 0.02), (-2.3, 0.02), (-2.3, 0.02))),
)
"""Exact log Z; error and bar of AIS and of reverse AIS from data, one may be None; of others; what each warns of."""


def made_up_cases() -> list[tuple[list[Report], float]]:
    """Reports of six to eleven estimators, and the exact log Z, once for each table."""
    return [(_reports(*table), table[0]) for table in _TABLES]


def _reports(exact, forward, reverse, others) -> list[Report]:
    ends = {"AIS, geometric": forward, "reverse AIS, from data": reverse}
    rows = dict(zip(_OTHERS, others, strict=False)) | {name: end for name, end in ends.items() if end}
    return [
        Report(name, exact + error, bar, tuple(warned), "neither", 0, 0)
        for name, (error, bar, *warned) in rows.items()
    ]
