"""Of every public function: options change results, counts have a minimum, arrays of any kind are accepted."""

import inspect
from dataclasses import is_dataclass

import numpy as np
import pytest
from scipy import sparse

import anneal_edu as ae
from tests.calls import CALLS, RBM

BY_NAME = {f"{number}-{call.function.__qualname__}": call for number, call in enumerate(CALLS)}
ARRAYS = [(name, argument) for name, call in BY_NAME.items() for argument in call.arrays]


def each(part):
    """Every entry of a dict of a call: (call, name, value)."""
    return [
        pytest.param(call, name, value, id=f"{at}-{name}")
        for at, call in BY_NAME.items()
        for name, value in getattr(call, part).items()
    ]


def same(first, second, tolerance=0.0):
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        if one.dtype.kind not in "fiub" or one.shape != other.shape:
            if not (one.shape == other.shape and (one == other).all()):
                return False
        elif not np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True):
            return False
    return True


# Options


@pytest.mark.parametrize(("call", "name", "pair"), each("options"))
def test_an_option_changes_the_result(call, name, pair):
    one, other, again = (call(**{name: value}) for value in (*pair, pair[0]))
    assert len(one) == len(again) and same(one, again), "the two results must not differ by randomness"
    assert len(one) != len(other) or not same(one, other)


LEFT_OUT = [
    ("track_log_likelihood", "schedule", ae.linear_schedule(100)),
    ("rts", "n_initial", 2),
    ("hais", "refresh", 1 - 0.5**0.2),
    ("ProductOfExperts", "weights", [1, 1]),
    ("moment_spline_path", "target_moments", RBM.moments()),
]


@pytest.mark.parametrize(("function", "name", "value"), LEFT_OUT)
def test_none_is_the_documented_default(function, name, value):
    call = next(call for call in CALLS if call.function.__name__ == function)
    assert same(call(**{name: None}), call(**{name: value}), 1e-12)


@pytest.mark.parametrize("name", [name for name, call in BY_NAME.items() if "progress" in call.parameters])
def test_progress_is_shown_when_asked(name, capsys):
    call = BY_NAME[name]
    quiet = call()
    assert capsys.readouterr().err == ""
    assert same(quiet, call(progress=True))
    assert capsys.readouterr().err.count("%|") > 0


def public_callables():
    """Functions, and classes that users make: not the records that estimators return."""
    for found in (value for module in (ae, ae.training, ae.data) for value in vars(module).values()):
        if not getattr(found, "__module__", "").startswith("anneal_edu"):
            continue
        if inspect.isfunction(found) or (inspect.isclass(found) and not is_record(found)):
            yield found


def is_record(cls):
    return is_dataclass(cls) and not hasattr(cls, "log_density") and "__call__" not in vars(cls)


def test_every_public_option_is_in_the_table():
    listed = {}
    for call in CALLS:
        listed.setdefault(call.function, set()).update(call.options)
    for function in public_callables():
        given = {p.name for p in inspect.signature(function).parameters.values() if p.default is not p.empty}
        missing = given - {"progress", "workers"} - listed.get(function, set())
        assert not missing, f"{function.__qualname__}: name two values with which results must differ"


# Counts


@pytest.mark.parametrize(("call", "name", "least"), each("least"))
def test_a_count_is_accepted_at_its_minimum_and_refused_below(call, name, least):
    call(**{name: least})
    with pytest.raises(ValueError, match=rf"{name}\b.* must be at least {least}, got {least - 1}"):
        call(**{name: least - 1})
    for wrong in (least + 0.5, str(least), True):
        with pytest.raises((TypeError, ValueError), match=rf"{name}\b.* must be"):
            call(**{name: wrong})


@pytest.mark.parametrize("name", [name for name, call in BY_NAME.items() if call.takes_rng])
def test_randomness_must_be_a_generator(name):
    for wrong in (0, None, np.random, np.random.RandomState(0)):
        with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator"):
            BY_NAME[name](rng=wrong)


# Data


class Table:
    """Numbers in rows and columns with names, as pandas has them: an array when it is asked for one, and no sooner."""

    def __init__(self, array):
        self._array, self.shape = array, array.shape

    def __len__(self):
        return len(self._array)

    def __array__(self, dtype=None, copy=None):
        return self._array.astype(dtype or self._array.dtype)

    def __getitem__(self, column):
        raise KeyError(column)


def read_only(array):
    array = array.copy()
    array.setflags(write=False)
    return array


KINDS = {
    "list": np.ndarray.tolist,
    "table": Table,
    "read-only": read_only,
    "by columns": np.asfortranarray,
    "every other row": lambda array: np.repeat(array, 2, axis=0)[::2],
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
}
REFUSED = {
    "words": lambda array: np.full(array.shape, "a"),
    "objects": lambda array: array.astype(object),
    "complex": lambda array: array + 1j,
    "masked": lambda array: np.ma.masked_array(array, mask=np.ones(array.shape, bool)),
    "NaN": lambda array: np.full(array.shape, np.nan),
    "nothing": lambda array: None,
    "sparse": sparse.csr_matrix,
}


@pytest.mark.parametrize(("name", "argument"), ARRAYS)
def test_arrays_of_any_kind_are_accepted_and_left_unchanged(name, argument):
    call = BY_NAME[name]
    array = call.good[argument].copy()
    expected = call(**{argument: array})
    np.testing.assert_array_equal(array, call.good[argument])
    assert array.flags.writeable, "the caller's array stays writeable"
    for kind, made in KINDS.items():
        assert same(call(**{argument: made(array)}), expected, 1e-5), kind


def may_be(call, argument, kind):
    """None stands for "no such thing", whole numbers are counts also as objects."""
    optional = call.parameters[argument].default is None
    return (kind == "nothing" and optional) or (kind == "objects" and argument == "counts")


@pytest.mark.parametrize(("name", "argument"), ARRAYS)
def test_bad_arrays_are_refused_by_name(name, argument):
    call = BY_NAME[name]
    for kind, made in REFUSED.items():
        if may_be(call, argument, kind) or (kind == "sparse" and call.good[argument].ndim > 2):
            continue
        with pytest.raises((TypeError, ValueError), match=r"must|need"):
            call(**{argument: made(call.good[argument])})
            pytest.fail(kind)
