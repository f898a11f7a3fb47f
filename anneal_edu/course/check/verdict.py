"""How an exercise is judged: not attempted yet, wrong with a reason that teaches, or right."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check; ``passed`` is None where the exercise was not attempted."""

    passed: bool | None
    message: str

    def __repr__(self) -> str:
        return {True: "✓ ", False: "✗ ", None: "○ "}[self.passed] + self.message


class WrongAnswerError(Exception):
    """Raised by a check, with the sentence that the learner will read."""


class _NotAttemptedError(Exception):
    pass


def require(condition: object, otherwise: str) -> None:
    """Reject the answer with a sentence that teaches unless ``condition`` holds."""
    if not condition:
        raise WrongAnswerError(otherwise)


def same(found, right, atol: float = 1e-8) -> bool:
    """Whether two answers are equal up to rounding, part by part where the right one is a tuple or a list."""
    if isinstance(right, tuple | list):
        return all(same(a, b, atol) for a, b in zip(found, right, strict=True))
    return np.shape(found) == np.shape(right) and np.allclose(found, right, rtol=1e-6, atol=atol)


def reject(found, slips: dict[str, Any], case: str = "", atol: float = 1e-8, unless: Any = None) -> None:
    """Reject what a known slip gives: ``slips`` maps each sentence that helps to the answer it is said to.

    ``unless`` is the right answer, where a slip may happen to give the same.
    """
    if unless is not None and same(found, unless, atol):
        return
    for sentence, wrong in slips.items():
        require(not same(found, wrong, atol), case + sentence)


def attempt(answer):
    """Return ``answer`` unless it is an untouched stub: None, ... or a function's empty return."""
    if answer is None or answer is ...:
        raise _NotAttemptedError
    return answer


def several(answer, number: int, otherwise: str) -> list:
    """The parts of an answer that should be a tuple or a list of so many; none may be an untouched stub."""
    require(isinstance(answer, tuple | list) and len(answer) == number, otherwise)
    return [attempt(part) for part in answer]


def array(part, shape: tuple[int, ...], subject: str, why: str = "") -> np.ndarray:
    """A finite array of this shape; else "your x has", the subject, and what it has instead, and ``why`` not."""
    part = np.asarray(attempt(part))
    require(part.shape == shape, f"{subject} shape {part.shape}; it should be {shape}{why}.")
    require(np.isfinite(part).all(), f"{subject} NaN or infinity.")
    return part


def arrays(answer, shapes: dict[str, tuple[int, ...]], otherwise: str) -> list[np.ndarray]:
    """Finite arrays of these shapes, by their names; ``otherwise`` is said of anything else."""
    parts = several(answer, len(shapes), otherwise)
    return [array(part, shape, f"{name} has") for part, (name, shape) in zip(parts, shapes.items(), strict=True)]


def call(function: Callable, *arguments, shape: tuple[int, ...] | None = None) -> Any:
    """Call the learner's function; its result must be finite and, where ``shape`` is given, an array of that shape."""
    result = attempt(function(*arguments))
    return result if shape is None else array(result, shape, "your function returned")


def exercise(check: Callable[..., str]) -> Callable[..., Verdict]:
    """Turn a check, which returns praise or raises WrongAnswerError, into one that always returns a Verdict.

    Examples
    --------
    >>> @exercise
    ... def half_of_ten(answer):
    ...     require(answer == 5, "twice your answer should be 10.")
    ...     return "right: 5."
    >>> half_of_ten(...), half_of_ten(4), half_of_ten(5)
    (○ not attempted yet: replace the ... and run this cell again., ✗ twice your answer should be 10., ✓ right: 5.)
    """

    @wraps(check)
    def judged(*answers) -> Verdict:
        try:
            for answer in answers:
                attempt(answer)
            with np.errstate(all="ignore"):
                return Verdict(True, check(*answers))
        except (_NotAttemptedError, NotImplementedError):
            return Verdict(None, "not attempted yet: replace the ... and run this cell again.")
        except WrongAnswerError as wrong:
            return Verdict(False, str(wrong))
        except Exception as error:  # whatever the learner's code did, the notebook goes on
            return Verdict(False, f"your answer raised {type(error).__name__}: {error}")

    return judged
