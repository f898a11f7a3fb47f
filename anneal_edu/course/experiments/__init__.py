"""The papers' experiments, and some beyond the papers; their stored results are read here."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from types import ModuleType

import numpy as np

_RESULTS = files(__name__) / "results"


def stored(name: str) -> dict:
    """Stored results: "command", "seconds", "settings" and "rows", as ``experiment … --json FILE`` wrote them.

    Examples
    --------
    >>> stored("hais_table1_quick")["command"]
    'python -m anneal_edu experiment hais-table1 --scale quick --seed 0'
    """
    names = sorted(file.name.removesuffix(".json") for file in _RESULTS.iterdir() if file.name.endswith(".json"))
    if name not in names:
        raise ValueError(f"name must be one of {', '.join(names)}, got {name!r}")
    return json.loads((_RESULTS / f"{name}.json").read_text(encoding="utf-8"))


@cache
def _toy_models() -> dict[str, np.ndarray]:
    with (_RESULTS / "toy_models.npz").open("rb") as file:
        return dict(np.load(file, allow_pickle=False))


def stored_arrays(model: str) -> dict[str, np.ndarray]:
    """The random numbers in a toy model; the stored results are of that model.

    Examples
    --------
    >>> {name: array.shape for name, array in stored_arrays("far_modes").items()}
    {'weights': (10, 8), 'hidden_bias': (8,)}
    """
    known = sorted({key.partition("/")[0] for key in _toy_models()})
    if model not in known:
        raise ValueError(f"model must be one of {', '.join(known)}, got {model!r}")
    return {k.partition("/")[2]: array.copy() for k, array in _toy_models().items() if k.startswith(f"{model}/")}


def __getattr__(name: str) -> ModuleType:
    """An experiment by its name, imported on first use: ``ae.experiments.kiwaki``."""
    if find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
