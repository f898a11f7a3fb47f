"""The README keeps its word."""

import re

import pytest

from readme import EXAMPLE, README, printed_by

TEXT = README.read_text(encoding="utf-8")


@pytest.mark.fixed_seed("the README prints what seed 0 gives")
def test_the_example_prints_the_output_that_stands_below_it():
    code, expected = EXAMPLE.search(TEXT).groups()
    assert printed_by(code) == expected, "if the new output is right: python tools/readme.py"


PAGES = [README.with_name("CHANGELOG.md"), README, *sorted((README.parent / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_points_to_is_there(page):
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
