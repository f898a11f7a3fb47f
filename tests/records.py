"""What is in a result, for tests that compare all of it."""

from dataclasses import fields, is_dataclass

import numpy as np


def numbers(result):
    """All numbers of a result, in order."""
    if isinstance(result, tuple | list):
        return [number for part in result for number in numbers(part)]
    if is_dataclass(result):
        return [number for field in fields(result) for number in numbers(getattr(result, field.name))]
    return [] if result is None else [np.asarray(result)]
