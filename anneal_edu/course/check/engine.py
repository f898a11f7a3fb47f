"""An exercise is a right answer, the cases it is asked about, and the known slips; this engine judges answers by them.

    @exercise(hints=("…?", "…", "…"), praise="right: …", cases=cases, slips=slips)
    def total(x):                       # the decorated function is a right answer
        return x.sum()

``cases()`` maps the name of a case to its arguments. ``slips(*arguments)`` maps a sentence that teaches to what a slip
gives there; in a tuple ``...`` stands for a part that the slip does not touch. So each slip is a wrong answer. If more
than one answer is right, a ``judge`` decides, and wrong answers are declared as ``mistakes``. If the solution has no
arguments, the answer is a value.
"""

import inspect
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, partial, update_wrapper
from typing import Any

import numpy as np

MOST = 16  # cases that decide between slips that give the same in one


@dataclass(frozen=True)
class Verdict:
    """The outcome: ``passed`` is None if nothing was attempted; ``help`` is what to type for a hint."""

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
    """Raised with the sentence that the learner reads."""


class NotAttemptedError(Exception):
    """Raised by a stub."""


def require(condition: object, otherwise: str) -> None:
    """Refuse the answer with a sentence unless ``condition`` holds."""
    if not condition:
        raise WrongAnswerError(otherwise)


# What an answer is


def alike(found: Any, wanted: Any, rtol: float = 1e-6, atol: float = 1e-8) -> bool:
    """Whether two values are equal up to rounding; `...` is anything, and NaN stands for all that is not finite."""
    if wanted is ...:
        return True
    if isinstance(wanted, tuple) or (isinstance(wanted, list) and any(isinstance(w, np.ndarray) for w in wanted)):
        parts = isinstance(found, tuple | list | np.ndarray) and _shape(found) != () and len(found) == len(wanted)
        return parts and all(alike(f, w, rtol, atol) for f, w in zip(found, wanted, strict=True))
    if wanted is None or isinstance(wanted, str | list | set | dict):
        return type(found) is type(wanted) and found == wanted
    if isinstance(wanted, bool | np.bool_):
        return isinstance(found, bool | np.bool_) and bool(found) == wanted
    if np.asarray(found).dtype.kind not in "biufc" if _shape(found) is not None else True:
        return False
    if np.ndim(wanted) == 0 and np.isnan(wanted):
        return not np.isfinite(found).all()
    with np.errstate(all="ignore"):
        return _shape(found) == np.shape(wanted) and np.allclose(found, wanted, rtol, atol)


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of a value; None for rows of different lengths."""
    try:
        return np.shape(value)
    except ValueError:
        return None


def _arrays_in(thing: Any) -> Iterator[np.ndarray]:
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, list | tuple):
        if thing and all(isinstance(part, int | float) for part in thing):
            yield np.array(thing)
        else:
            for part in thing:
                yield from _arrays_in(part)


def _attempted(found: Any) -> Any:
    """What came back, unless it is a stub; a word in an array, as `numpy.select` returns it, is a word."""
    parts = found if isinstance(found, tuple | list) and found else [found]
    if all(part is ... for part in parts):
        raise NotAttemptedError
    if isinstance(found, np.ndarray | np.generic) and np.ndim(found) == 0 and found.dtype.kind in "Ub":
        return found.item()
    return found


# What an exercise is


class Exercise:
    """A right answer that judges others: called with an answer it always returns a `Verdict`.

    Parameters
    ----------
    solution : callable
        A right answer.
    hints : three str
        The first asks a question, the second points to the place, the third shows the formula.
    praise : str
        What a right answer is told.
    cases : callable, () -> {name: arguments}
        The first is the plain one. The name of another case is told to the learner: "… but not for" the name.
    slips : callable, (*arguments) -> {sentence: value}
    returns : {name of a part: advice}
        Of what is returned; the advice is given if no slip fits.
    errors : {words of an error: sentence}
        For errors of Python and numpy that a known slip causes; "None" is for an answer that returns nothing.
    judge : callable, (exercise, answer) -> praise or None
        Takes the place of cases and slips. It asks by `asked`, and refuses by `require`.
    mistakes : {part of a sentence: wrong answer}
    rtol, atol : float
    """

    def __init__(
        self, solution: Callable, *, hints: tuple[str, str, str], praise: str,
        cases: Callable[[], dict[str, tuple]] = lambda: {"": ()}, slips: Callable[..., dict[str, Any]] | None = None,
        returns: dict[str, str] | None = None, errors: dict[str, str] | None = None,
        judge: Callable[..., str | None] | None = None, mistakes: dict[str, Any] | None = None,
        rtol: float = 1e-6, atol: float = 1e-8,
    ):  # fmt: skip
        update_wrapper(self, solution)
        self.solution, self.hints, self.praise, self.cases = solution, hints, praise, cases
        self.slips, self.judge, self._mistakes, self.errors = slips, judge, mistakes or {}, errors or {}
        self.returns, self.rtol, self.atol = returns or {"your answer": ""}, rtol, atol
        self.name = f"{solution.__module__.rpartition('.')[2]}.{solution.__name__}"
        self.help, self._shown = f"ae.check.{self.name}.hint()", 0
        self.arguments = list(inspect.signature(solution).parameters)

    def __call__(self, answer: Any) -> Verdict:
        try:
            require(answer is not None, "your answer is None: is a value or a `return` missing?")
            _attempted(answer)
            with np.errstate(all="ignore"):
                praise = (self.judge or Exercise.by_equality)(self, answer)
            return Verdict(True, praise or self.praise)
        except (NotAttemptedError, NotImplementedError):
            return Verdict(None, "not attempted yet: replace the ... and run this cell again.", self.help)
        except WrongAnswerError as wrong:
            return Verdict(False, str(wrong), self.help)
        except Exception as error:  # whatever the learner's code does, the notebook goes on
            return Verdict(False, self._explained(error, ()), self.help)

    def hint(self, number: int | None = None) -> Hint:
        """The next hint, or this one: 1 asks a question, 2 points to the place, 3 shows the formula."""
        if number is None:
            number = self._shown = min(self._shown + 1, len(self.hints))
        if number not in (1, 2, 3):
            raise ValueError(f"number must be 1, 2 or 3; got {number!r}")
        return Hint(number, 3, self.hints[number - 1])

    def mistakes(self) -> dict[str, Any]:
        """Wrong answers by the sentence, or a part of it, that each must be told: slips, and what is declared."""
        first = next(iter(self._cases.values()))
        of_slips = {} if self.judge else {said: partial(self._slipped, said) for said in self._slips_at(first)}
        if not self.arguments:
            of_slips = {said: slipped() for said, slipped in of_slips.items()}
        return of_slips | self._mistakes

    def _slipped(self, sentence: str, *given: Any) -> Any:
        right, wrong = self.solution(*given), self._slips_at(given)[sentence]
        if not isinstance(right, tuple):
            return wrong
        return tuple(r if w is ... else w for w, r in zip(wrong, right, strict=True))

    # Asking

    def asked(self, answer: Any, given: tuple = (), copied: bool = True) -> Any:
        """What an answer makes of copies of the arguments; it must return something, and change no argument."""
        if not self.arguments:
            return _attempted(answer)
        require(callable(answer), f"give the function itself, not what it returns: ae.check.{self.name}(your_function)")
        own = deepcopy(given) if copied else given
        try:
            found = _attempted(answer(*own))
        except (NotAttemptedError, NotImplementedError, WrongAnswerError):
            raise
        except Exception as error:
            raise WrongAnswerError(self._explained(error, own)) from error
        nothing = "your function returns nothing, None: is a `return` missing, or does one way through it end without?"
        require(found is not None, self.errors.get("None", nothing))
        for name, before, after in zip(self.arguments, given, own, strict=True):
            same = all(np.array_equal(a, b) for a, b in zip(_arrays_in(before), _arrays_in(after), strict=False))
            require(same, f"your function changes the {name} that it is given: make a new array.")
        return found

    def draws(self, answer: Callable, *given: Any) -> Any:
        """What an answer draws from a generator, its last argument: the same from an equal one, other from another."""
        first, again, other = (self.asked(answer, (*given, np.random.default_rng(seed))) for seed in (1, 1, 2))
        advice = "draw every random number from the rng that is passed in."
        require(not alike(first, other), f"two generators give the same answer: {advice}")
        require(alike(first, again), f"the same generator gives another answer each time: {advice}")
        return first

    def by_equality(self, answer: Any) -> None:
        """Refuse an answer that differs from the solution in a case, with the slip that it is."""
        for i, (case, given) in enumerate(self._cases.items()):
            where, right = f"right at first, but not for {case}: " if i else "", self._rights[case]
            try:
                found = self.asked(answer, given)
                if isinstance(right, tuple):
                    found = tuple(found) if isinstance(found, list | np.ndarray) and _shape(found) != () else found
                    parts = f"return {len(right)} things: {' and '.join(self.returns)}."
                    require(isinstance(found, tuple) and len(found) == len(right), parts)
                if not alike(found, right, self.rtol, self.atol):
                    slip = self._slip(answer, case, found)
                    raise WrongAnswerError(slip or self._difference("" if i else case, found, right))
            except WrongAnswerError as wrong:
                raise WrongAnswerError(where + str(wrong)) from None

    def _slip(self, answer: Any, case: str, found: Any) -> str | None:
        """The sentence of the slip that gives what was found, the likeliest; of a word only if it always does."""
        hits = {said: 0 for said, wrong in self._wrong(case).items() if self._is(found, wrong)}
        word, tried = isinstance(found, str | bool | np.bool_), list(self._cases.values())[:MOST]
        for given in tried if len(hits) > 1 or (hits and word) else ():
            try:
                again = self.asked(answer, given)
            except (WrongAnswerError, NotAttemptedError):
                continue
            for said, wrong in self._slips_at(given).items():
                hits[said] = hits.get(said, -MOST) + self._is(again, wrong)
        likeliest = max(hits, key=hits.__getitem__, default=None)
        return None if word and hits.get(likeliest) != len(tried) else likeliest

    def _difference(self, case: str, found: Any, right: Any) -> str:
        """The first part that is not right, what a function should return there, and the advice of this part."""
        parts = zip(found, right, strict=True) if isinstance(right, tuple) else [(found, right)]
        for (name, advice), (part, wanted) in zip(self.returns.items(), parts, strict=True):
            if alike(part, wanted, self.rtol, self.atol):
                continue
            if not self.arguments and _shape(part) == np.shape(wanted):  # the right value is not given away
                return f"{name}: that is not it. {advice}".rstrip()
            if part is None or isinstance(wanted, str | bool | list | set | dict | tuple | type(None)):
                return f"{name} should be {wanted!r}; yours is {part!r}. {advice}".replace("np.float64", "").rstrip()
            if _shape(part) != np.shape(wanted):
                return f"{name} has shape {_shape(part)}; it should have shape {np.shape(wanted)}. {advice}".rstrip()
            if np.asarray(part).dtype.kind not in "biufc":
                return f"{name} should be a number; yours is {part!r}."
            if not np.isfinite(part).all() and np.isfinite(wanted).all():
                return f"{name} has NaN or infinity. Does something overflow, or is a 0 divided by? {advice}".rstrip()
            worst = np.unravel_index(np.argmax(np.abs(np.subtract(part, wanted))), np.shape(wanted))
            place = f"[{', '.join(map(str, worst))}]" if worst else ""
            off = f"{np.asarray(wanted)[worst]:.6g}; yours is {np.asarray(part)[worst]:.6g}"
            return f"{name}{place} should be {off} ({case}). {advice}".replace(" ()", "").rstrip()
        raise AssertionError("the answer is right")

    def _explained(self, error: Exception, given: tuple) -> str:
        """What may have caused an error of Python or numpy, and its own words."""
        text, raised = str(error), f"({type(error).__name__}: {error})"
        for words, sentence in self.errors.items():
            if words in text:
                return f"{sentence} {raised}"
        named = {name: _shape(part) for name, part in zip(self.arguments, given, strict=False)}
        shapes = ", ".join(f"{name} {shape}" for name, shape in named.items() if shape)
        called = f"your function is called with ({', '.join(self.arguments)}), in this order."
        for words, sentence in _CAUSES.items():
            if any(word in text for word in words) and not (words == ("ellipsis",) and isinstance(error, IndexError)):
                return f"{sentence.format(shapes=shapes, called=called)} {raised}"
        return f"your answer raised {type(error).__name__}: {error}"

    @cached_property
    def _cases(self) -> dict[str, tuple]:
        return self.cases()

    @cached_property
    def _rights(self) -> dict[str, Any]:
        return {case: self.solution(*deepcopy(given)) for case, given in self._cases.items()}

    def _wrong(self, case: str) -> dict[str, Any]:
        """What slips give in a case, without those that are right there."""
        found = self._slips_at(self._cases[case])
        return {said: wrong for said, wrong in found.items() if not self._is(self._rights[case], wrong)}

    def _slips_at(self, given: tuple) -> dict[str, Any]:
        with np.errstate(all="ignore"):
            return self.slips(*deepcopy(given)) if self.slips else {}

    def _is(self, found: Any, wrong: Any) -> bool:
        """Held more closely than to what is right: of many slips one may come near an answer by accident."""
        return alike(found, wrong, min(self.rtol, 1e-8), min(self.atol, 1e-8))


_CAUSES = {
    ("truth value of an array",): "an array is compared where one number belongs: is a mean, a sum, .all() or .any() "
    "missing?",
    ("length-1 arrays", "size-1 arrays", "0-dimensional", "an array element with a sequence", "ambiguous"):
    "an array stands where one number belongs: is a mean, a sum or an index missing?",
    ("NoneType",): "something in it is None: does a function inside return nothing?",
    ("ellipsis",): "something in it is still `...`.",
    ("positional argument", "unexpected keyword"): "{called}",
    ("matmul", "aligned", "broadcast", "inhomogeneous", "same shape"): "the shapes do not fit together: {shapes}.",
    ("math domain error", "math range error", "Numerical result"): "a log, root or exp of a number that is too small "
    "or too large: stay in logs, and take the difference before exp.",
    ("out of bounds", "out of range"): "an index is too large: {shapes}.",
    ("division by zero", "divide by zero"): "you divide by 0. If these are logs, subtract them.",
    ("is not defined",): "a name is not known here: is it misspelt, or is a cell above not run?",
    ("not callable",): "something is called that is no function: do brackets stand where [ ] or * belongs?",
    ("has no attribute",): "something is not what you take it for.",
    ("unsupported operand",): "two things do not go together: is a list taken for an array, or a function for what it "
    "returns?",
}  # fmt: skip


def exercise(**declared: Any) -> Callable[[Callable], Exercise]:
    """Make an exercise of a right answer; `Exercise` says what can be declared.

    Examples
    --------
    >>> @exercise(hints=("How many fives are in ten?", "Divide ten by two.", "10 / 2"), praise="right: 5.",
    ...           slips=lambda: {"that is ten itself.": 10})
    ... def half_of_ten():
    ...     return 5
    >>> half_of_ten(...)
    ○ not attempted yet: replace the ... and run this cell again.
      A hint: ae.check.engine.half_of_ten.hint()
    >>> half_of_ten(10)
    ✗ that is ten itself.
      A hint: ae.check.engine.half_of_ten.hint()
    >>> half_of_ten.hint(), half_of_ten.hint(), half_of_ten(5)
    (hint 1 of 3: How many fives are in ten?, hint 2 of 3: Divide ten by two., ✓ right: 5.)
    """
    return partial(Exercise, **declared)
