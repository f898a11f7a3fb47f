"""What must be read to understand an algorithm stays little: a new option that everybody has to read shows here."""

import ast

import pytest

import closure

MOST_LINES = {
    "ais": 120,
    "hais": 180,
    "parallel_tempering": 220,
    "rts": 220,
    "sandwich": 210,
    "GaussianRBM": 260,
    "moment_spline_path": 200,
    "mbar": 130,
}


@pytest.mark.parametrize("name", MOST_LINES)
def test_an_algorithm_can_be_read(name):
    """But for two rooms: of the workers, who walk each block of chains, and of what results say against themselves."""
    reached = {place: n for place, n in closure.closure(name).items() if place[0] not in closure.SHARED}
    assert 50 < sum(reached.values()) <= MOST_LINES[name]


@pytest.mark.parametrize("name", [name for name in MOST_LINES if name != "GaussianRBM"])
def test_no_algorithm_needs_to_know_of_rbms(name):
    modules = {where for where, _ in closure.closure(name)}
    assert not modules & {"anneal_edu.paths.rbm", "anneal_edu.distributions.binary_rbm"}


def test_docstrings_checks_and_comments_are_not_counted():
    source = '''
def f(x, n):
    """Words.

    More words.
    """
    # a comment
    n = as_count("n", n)
    require_shape("x", x, (n,))
    if n > 3:
        raise ValueError(n)

    return g(
        x,
        n,
    )
'''
    lines, names = closure.code_of(ast.parse(source).body[0], {"as_count", "require_shape"})
    assert len(lines) == 6 and "g" in names and not {"as_count", "require_shape"} & names
