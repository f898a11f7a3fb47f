"""How an exercise is judged: not attempted yet, wrong with a reason that teaches, or right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

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


def require(condition: bool, otherwise: str) -> None:
    """Reject the answer with a sentence that teaches unless ``condition`` holds."""
    if not condition:
        raise WrongAnswerError(otherwise)


def attempt(answer):
    """Return ``answer`` unless it is an untouched stub: None, ... or a function's empty return."""
    if answer is None or answer is ...:
        raise _NotAttemptedError
    return answer


def call(function: Callable, *arguments, shape: tuple[int, ...] | None = None, **named):
    """Call the learner's function; its result must be finite and, where ``shape`` is given, an array of that shape."""
    result = attempt(function(*arguments, **named))
    if shape is not None:
        result = np.asarray(result)
        require(result.shape == shape, f"your function returned shape {result.shape}; it should be {shape}.")
        require(bool(np.isfinite(result).all()), "your function returned NaN or infinity.")
    return result


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
            return Verdict(True, check(*answers))
        except (_NotAttemptedError, NotImplementedError):
            return Verdict(None, "not attempted yet: replace the ... and run this cell again.")
        except WrongAnswerError as wrong:
            return Verdict(False, str(wrong))
        except Exception as error:  # whatever the learner's code did, the notebook goes on
            return Verdict(False, f"your answer raised {type(error).__name__}: {error}")

    return judged
