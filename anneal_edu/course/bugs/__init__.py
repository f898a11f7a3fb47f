"""Faulty samplers for lessons, exercises and tests; faults planted in the library, and the tests that find them."""

from anneal_edu.course.bugs.faults import FAULTS
from anneal_edu.course.bugs.kinds import KINDS, LEVEL
from anneal_edu.course.bugs.planting import Fault, Plant, source_of, with_fault
from anneal_edu.course.bugs.subjects import SUBJECTS
from anneal_edu.course.bugs.table import best_kinds, cheapest_for, faulty_rows, row_of, stored_table

__all__ = [
    "FAULTS",
    "KINDS",
    "LEVEL",
    "SUBJECTS",
    "Fault",
    "Plant",
    "best_kinds",
    "cheapest_for",
    "faulty_rows",
    "row_of",
    "source_of",
    "stored_table",
    "with_fault",
]
