"""The README keeps its word."""

import re

import pytest

from readme import EXAMPLE, README, printed_by

TEXT = README.read_text(encoding="utf-8")


@pytest.mark.fixed_seed("the README prints what seed 0 gives")
def test_the_example_prints_the_output_that_stands_below_it():
    code, expected = EXAMPLE.search(TEXT).groups()
    assert printed_by(code) == expected, "if the new output is right: python tools/readme.py"


def test_every_file_that_the_readme_points_to_is_there():
    links = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []
