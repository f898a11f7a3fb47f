"""How an exercise is judged: not attempted yet, wrong with a reason that teaches, or right; and its graded hints."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, update_wrapper, wraps
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check; ``passed`` is None where the exercise was not attempted.

    ``help`` is what to type for a hint, and shown unless the answer is right.
    """

    passed: bool | None
    message: str
    help: str = ""

    def __repr__(self) -> str:
        verdict = {True: "✓ ", False: "✗ ", None: "○ "}[self.passed] + self.message
        return verdict if self.passed or not self.help else f"{verdict}\n  A hint: {self.help}"


@dataclass(frozen=True)
class Hint:
    """One of the hints of an exercise: the first asks, the second points, the third shows the formula."""

    number: int
    of: int
    text: str

    def __repr__(self) -> str:
        return f"hint {self.number} of {self.of}: {self.text}"


class WrongAnswerError(Exception):
    """Raised by a check, with the sentence that the learner will read."""


class _NotAttemptedError(Exception):
    pass


def require(condition: object, otherwise: str) -> None:
    """Reject the answer with a sentence that teaches unless ``condition`` holds."""
    if not condition:
        raise WrongAnswerError(otherwise)


def judge_exchanged(of_right: list[bool], of_wrong: list[bool], never: str, others: str, meant: str = "") -> None:
    """Whether nothing right is acquitted, and at least half of what is wrong: an examiner's True is False then."""
    require(
        any(of_right) or sum(of_wrong) < len(of_wrong) / 2,
        f"{never}, and pass {sum(of_wrong)} of {len(of_wrong)} {others}: are True and False exchanged?{meant}",
    )


def same(found, right, atol: float = 1e-8, rtol: float = 1e-6) -> bool:
    """Whether two answers are equal up to rounding, part by part where the right one is a tuple or a list."""
    if isinstance(right, tuple | list):
        return all(same(a, b, atol, rtol) for a, b in zip(found, right, strict=True))
    return np.shape(found) == np.shape(right) and np.allclose(found, right, rtol, atol)


def reject(found, slips: dict[str, Any], case: str = "", atol: float = 1e-8, unless: Any = None) -> None:
    """Reject what a known slip gives: ``slips`` maps each sentence that helps to the answer it is said to.

    ``unless`` is the right answer, where a slip may happen to give the same. An answer is held to a slip more closely
    than to what is right: of a thousand slips one may come near an answer by chance.
    """
    if unless is not None and same(found, unless, atol):
        return
    for sentence, wrong in slips.items():
        require(not same(found, wrong, atol, rtol=1e-8), case + sentence)


def attempt(answer):
    """Return ``answer`` unless it is an untouched stub, ... or nothing but ..., or the None of a forgotten return.

    A word in an array of no dimension, as `numpy.where` and `numpy.select` return it, is a word.
    """
    parts = answer if isinstance(answer, tuple | list) and answer else [answer]
    if all(part is ... for part in parts):
        raise _NotAttemptedError
    require(answer is not None, "your function returns nothing, None: is a `return` missing?")
    is_word = isinstance(answer, np.ndarray) and answer.ndim == 0 and answer.dtype.kind == "U"
    return answer.item() if is_word else answer


def several(answer, number: int, otherwise: str) -> list:
    """The parts of an answer that should be a tuple or a list of so many; none may be missing."""
    require(isinstance(answer, tuple | list) and len(answer) == number, otherwise)
    for i, part in enumerate(answer, start=1):
        require(part is not None, f"part {i} of what you return is None: does a `return` or a value miss?")
    return [attempt(part) for part in answer]


def numbers(answer, number: int, otherwise: str) -> list:
    """The parts of an answer that should be so many numbers; a row of them in an array is welcome, too."""
    return several(list(answer) if isinstance(answer, np.ndarray) and answer.ndim == 1 else answer, number, otherwise)


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


def call_sized(otherwise: str, function: Callable, *arguments) -> Any:
    """Call the learner's function; of sizes that do not fit ``otherwise`` speaks in place of numpy."""
    try:
        return call(function, *arguments)
    except ValueError as error:
        require(not any(word in str(error) for word in ("matmul", "aligned", "broadcast")), otherwise)
        raise


def own_chance(draw: Callable[[np.random.Generator], Any], what: str = "answers") -> Any:
    """What ``draw`` makes of a generator: with another one something else, with an equal one the same."""
    first, again, other = (draw(np.random.default_rng(seed)) for seed in (1, 1, 2))
    require(
        not same(first, other),
        f"two generators give the same {what}: draw every random number from the rng that is passed in.",
    )
    require(
        same(first, again),
        f"one and the same generator gives other {what} each time: draw every random number from it alone.",
    )
    return first


def wide_log_weights(n: int, top: float = 0.0) -> np.ndarray:
    """Log weights that spread from ``top`` down to 800 below it, the first two of them -inf, out of order: (n,)."""
    spread = top - 800 * np.linspace(0, 1, n - 2) ** 2
    return np.concatenate([[-np.inf, -np.inf], np.random.default_rng(0).permutation(spread)])


def _arrays_in(argument) -> Iterator[np.ndarray]:
    if isinstance(argument, np.ndarray):
        yield argument
    elif isinstance(argument, list) and argument and all(isinstance(part, int | float) for part in argument):
        yield np.array(argument)  # a list of numbers can be sorted in place as well
    elif isinstance(argument, tuple | list):
        for part in argument:
            yield from _arrays_in(part)


def _watched(function: Callable) -> Callable:
    """The learner's function; its result may be no stub, and no array or list of numbers may come out changed."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []

    @wraps(function)
    def ask(*given, **named):
        before = [[part.copy() for part in _arrays_in(argument)] for argument in given]
        result = attempt(function(*given, **named))
        for i, (parts, argument) in enumerate(zip(before, given, strict=True)):
            for old, new in zip(parts, _arrays_in(argument), strict=False):
                name = names[i] if i < len(names) else "array"
                require(_equal(old, new), f"your function changes the {name} that it is given: make a new array.")
        return result

    return ask


def _equal(old: np.ndarray, new: np.ndarray) -> bool:
    return np.array_equal(old, new, equal_nan=np.issubdtype(old.dtype, np.inexact))


class Exercise:
    """A check as a learner calls it: it always returns a Verdict, and it has hints."""

    def __init__(self, check: Callable[..., str], hints: tuple[str, ...]):
        update_wrapper(self, check)
        self._check, self.hints, self._shown = check, hints, 0
        self.help = f"ae.check.{check.__module__.rpartition('.')[2]}.{check.__name__}.hint()"

    def __call__(self, *answers) -> Verdict:
        try:
            for answer in answers:
                require(answer is not None, "your answer is None: does a value miss, or a `return`?")
                attempt(answer)
            with np.errstate(all="ignore"):
                watched = [_watched(answer) if callable(answer) else answer for answer in answers]
                return Verdict(True, self._check(*watched))
        except (_NotAttemptedError, NotImplementedError):
            return Verdict(None, "not attempted yet: replace the ... and run this cell again.", self.help)
        except WrongAnswerError as wrong:
            return Verdict(False, str(wrong), self.help)
        except Exception as error:  # whatever the learner's code did, the notebook goes on
            return Verdict(False, f"your answer raised {type(error).__name__}: {error}{_aside(error)}", self.help)

    def hint(self, number: int | None = None) -> Hint:
        """The next hint, or this one: 1 asks a question, 2 points to the place, 3 shows the formula."""
        if number is None:
            number = self._shown = min(self._shown + 1, len(self.hints))
        if number not in range(1, len(self.hints) + 1):
            raise ValueError(f"number must be one of the {len(self.hints)} hints, from 1 on; got {number!r}")
        return Hint(number, len(self.hints), self.hints[number - 1])


def _aside(error: Exception) -> str:
    if "NoneType" in str(error):
        return ". Something in it is None: does a function inside return nothing?"
    still = "ellipsis" in str(error) and not isinstance(error, IndexError)  # whose words list what an index may be
    return ". Something in it is still `...`." if still else ""


def exercise(hints: tuple[str, ...]) -> Callable[[Callable[..., str]], Exercise]:
    """Turn a check, which returns praise or raises WrongAnswerError, into one that always returns a Verdict.

    A function of the learner's is watched: it must return something, and change no array in place.

    Parameters
    ----------
    hints : tuple of str
        Three: the first asks a question, the second points to the place, the third shows the formula.

    Examples
    --------
    >>> @exercise(hints=("How many fives are in ten?", "Divide ten by two.", "10 / 2"))
    ... def half_of_ten(answer):
    ...     require(answer == 5, "twice your answer should be 10.")
    ...     return "right: 5."
    >>> half_of_ten(...)
    ○ not attempted yet: replace the ... and run this cell again.
      A hint: ae.check.verdict.half_of_ten.hint()
    >>> half_of_ten(4)
    ✗ twice your answer should be 10.
      A hint: ae.check.verdict.half_of_ten.hint()
    >>> half_of_ten.hint(), half_of_ten.hint(), half_of_ten(5)
    (hint 1 of 3: How many fives are in ten?, hint 2 of 3: Divide ten by two., ✓ right: 5.)
    """
    return partial(Exercise, hints=hints)
