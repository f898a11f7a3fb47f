"""A fault is a line of the library's own source, exchanged; the faulty version is that source, executed again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One small mistake.

    Attributes
    ----------
    name : str
    module : str
        Whose source is changed, after "anneal_edu.".
    before, after : str
        The lines as they stand, and with the mistake.
    subject : str
        What is run with it: a key of `anneal_edu.course.bugs.subjects.SUBJECTS`.
    says : str
        What is wrong, in a sentence.
    seen : str
        Where it was seen; "a common slip" where nobody is known.
    """

    name: str
    module: str
    before: str
    after: str
    subject: str
    says: str
    seen: str = "a common slip"


@cache
def source_of(module: str) -> str:
    """The source of a module of the library, by its name after "anneal_edu."."""
    spec = find_spec(f"anneal_edu.{module}")
    if spec is None or spec.origin is None:
        raise ValueError(f"module must be one of the library, got {module!r}")
    return Path(spec.origin).read_text(encoding="utf-8")


def with_fault(fault: Fault) -> str:
    """The source with the mistake; ValueError unless the lines stand there exactly once.

    Examples
    --------
    >>> from anneal_edu.course.bugs import FAULTS
    >>> "accept everything" in with_fault(next(iter(FAULTS.values())))
    False
    """
    source = source_of(fault.module)
    if (times := source.count(fault.before)) != 1:
        raise ValueError(f"before must stand once in anneal_edu.{fault.module}, it stands there {times} times")
    return source.replace(fault.before, fault.after)


class Plant:
    """The library with one fault in it, or with none: ``plant("kernels").random_walk``.

    A module that uses the faulty one must be asked for after it: then it uses what is faulty.

    Examples
    --------
    >>> Plant()("weights").log_mean_exp([0.0, 0.0])
    0.0
    """

    def __init__(self, fault: Fault | None = None):
        self.fault = fault
        self._made: dict[str, SimpleNamespace] = {}

    def __call__(self, module: str) -> Any:
        """The module, or its faulty version."""
        if self.fault is None:
            return import_module(f"anneal_edu.{module}")
        if module not in self._made:
            self._made[module] = SimpleNamespace(**self._executed(module))
        return self._made[module]

    def _executed(self, module: str) -> dict[str, Any]:
        faulty = self.fault is not None and module == self.fault.module
        code = with_fault(self.fault) if faulty and self.fault is not None else source_of(module)
        names: dict[str, Any] = {"__name__": f"anneal_edu.{module}", "__builtins__": __builtins__}
        exec(compile(code, f"anneal_edu.{module}, changed", "exec"), names)
        for done, made in self._made.items():
            original = import_module(f"anneal_edu.{done}")
            for name, value in list(names.items()):
                if value is original:
                    names[name] = made
                elif name in vars(made) and value is not None and getattr(original, name, None) is value:
                    names[name] = vars(made)[name]
        return names
