"""A fault is a line of the library's own source, exchanged; the faulty version is that source, executed again."""

from __future__ import annotations

import builtins
import inspect
from dataclasses import dataclass
from importlib import import_module
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
        A piece of the source that stands there once, and the same with the mistake.
    subject : str
        What is run with it: a key of `anneal_edu.course.bugs.subjects.SUBJECTS`.
    sentence : str
        What is wrong.
    seen : str
        Where it was seen; "a common slip" if no case is known.
    """

    name: str
    module: str
    before: str
    after: str
    subject: str
    sentence: str
    seen: str = "a common slip"


def source_of(module: str) -> str:
    """The source of a module of the library, by its name after "anneal_edu."."""
    return inspect.getsource(import_module(f"anneal_edu.{module}"))


def with_fault(fault: Fault) -> str:
    """The source with the mistake; ValueError unless the piece before it stands there exactly once."""
    source = source_of(fault.module)
    if (times := source.count(fault.before)) != 1:
        raise ValueError(f"before must stand once in anneal_edu.{fault.module}, it stands there {times} times")
    return source.replace(fault.before, fault.after)


class Plant:
    """The library with one fault in it, or with none: ``plant("kernels").random_walk``.

    A module that imports the faulty one is executed again as well, and uses what is faulty.
    """

    def __init__(self, fault: Fault | None = None):
        self.fault = fault
        self._made: dict[str, SimpleNamespace] = {}

    def __call__(self, module: str) -> Any:
        """The module, or its version with the fault."""
        if self.fault is None:
            return import_module(f"anneal_edu.{module}")
        if module not in self._made:
            source = with_fault(self.fault) if module == self.fault.module else source_of(module)
            names = {"__name__": f"anneal_edu.{module}", "__builtins__": vars(builtins) | {"__import__": self._import}}
            exec(compile(source, f"anneal_edu.{module}, with a fault", "exec"), names)
            self._made[module] = SimpleNamespace(**names)
        return self._made[module]

    def _import(self, name: str, globals: Any = None, locals: Any = None, names: Any = (), level: int = 0) -> Any:
        """Import statements of such a module find the version with the fault in place of the faulty module."""
        found = __import__(name, globals, locals, names, level)
        package, _, faulty = f"anneal_edu.{self.fault.module}".rpartition(".")
        if name == f"{package}.{faulty}":
            return self(self.fault.module)
        if name == package and faulty in names:
            return SimpleNamespace(**{each: getattr(found, each) for each in names} | {faulty: self(self.fault.module)})
        return found
