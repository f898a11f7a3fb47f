"""Mistakes that look right, planted in the library's own algorithms, and the tests that see them."""

from anneal_edu.course.bugs.faults import FAULTS
from anneal_edu.course.bugs.planting import Fault, Plant, source_of, with_fault

__all__ = ["FAULTS", "Fault", "Plant", "source_of", "with_fault"]
