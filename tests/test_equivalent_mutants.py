"""The list of equivalent mutants is about code that exists, and gives reasons."""

import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FILE = tomllib.loads((TESTS / "equivalent_mutants.toml").read_text(encoding="utf-8"))
LISTED, CHOICES = FILE["mutant"], FILE["choice"]


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize("entry", LISTED, ids=lambda entry: f"{entry['file']}: {words(entry['becomes'])}")
def test_what_is_called_equivalent_stands_there(entry):
    assert set(entry) == {"file", "line", "becomes", "reason"}
    assert words(entry["line"]) in words((TESTS.parent / entry["file"]).read_text(encoding="utf-8"))
    assert words(entry["becomes"]) != words(entry["line"])
    assert len(entry["reason"].split()) >= 4, "say why it does the same"


@pytest.mark.parametrize("entry", CHOICES, ids=lambda entry: f"{entry['file']}: {words(entry['line'])}")
def test_what_is_called_a_choice_stands_there_and_has_a_number(entry):
    assert set(entry) == {"file", "line", "reason"}
    lines = (TESTS.parent / entry["file"]).read_text(encoding="utf-8").splitlines()
    assert words(entry["line"]) in map(words, lines)
    assert any(character.isdigit() for character in entry["line"])
    assert len(entry["reason"].split()) >= 4, "say why another number does as well"


def test_nothing_is_listed_twice():
    listed = [(entry["file"], words(entry["line"]), words(entry["becomes"])) for entry in LISTED]
    assert len(set(listed)) == len(listed)
