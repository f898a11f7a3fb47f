"""docs/equations.md leads from every equation that a lesson cites to its code."""

import json
import re

import pytest

import equations

LESSONS = sorted((equations.ROOT / "notebooks").glob("*.ipynb"))
FOUND = {(paper, place): [] for paper, place, *_ in equations.citations()}
for _paper, _place, _link, _ in equations.citations():
    FOUND[_paper, _place].append(_link)
REQUIRED = ("Eq.", "Algorithm", "Theorem")
CITATION = rf"\b[A-Z][\w-]+[^()\d]{{0,40}}?\(?\d{{4}}\)?,\s+{equations.PLACES}"


def cells(lesson):
    return ["".join(cell["source"]) for cell in json.loads(lesson.read_text(encoding="utf-8"))["cells"]]


def referred(lesson):
    """(paper, place) of what the references at the end of a lesson cite."""
    (references,) = [text for text in cells(lesson) if text.startswith("## References")]
    for entry in references.split("\n* "):
        for paper in equations.PAPERS:
            if re.match(rf"(?:[A-Z]\. )?{paper[0]}\b", entry) and paper[1] in entry:
                yield from ((paper, place) for place in equations.places_of(entry))


def test_the_page_is_the_one_that_the_citations_make():
    assert equations.PAGE.read_text(encoding="utf-8") == equations.page(), "python tools/equations.py"


def test_the_references_of_the_lessons_are_understood():
    numbers = [place for lesson in LESSONS for _, place in referred(lesson) if place[0] in REQUIRED]
    assert len(set(numbers)) > 40
    papers = {paper for lesson in LESSONS for paper, _ in referred(lesson)}
    assert papers == set(equations.PAPERS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_every_equation_that_a_lesson_cites_leads_to_code(lesson):
    missing = [found for found in referred(lesson) if found[1][0] in REQUIRED and found not in FOUND]
    assert not missing


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_an_equation_in_the_text_stands_in_the_references(lesson):
    text = "\n".join(text for text in cells(lesson) if not text.startswith("## References"))
    numbered = {place for place in equations.places_of(text) if place[0] in REQUIRED}
    assert numbered <= {place for _, place in referred(lesson)}


def test_every_section_of_the_poster_that_a_lesson_names_leads_to_code():
    poster = ("Carlson", "2016")
    known = [equations.SECTIONS[place] for paper, (_, place) in FOUND if paper == poster]
    named = {place for lesson in LESSONS for paper, (kind, place) in referred(lesson) if paper == poster}
    assert named and not [name for name in named if not any(heading.startswith(name) for heading in known)]


def test_the_library_cites_no_equation_without_its_paper():
    bare = {}
    for file in sorted((equations.ROOT / "anneal_edu").rglob("*.py")):
        if "course" not in file.parts and "Eq." in re.sub(CITATION, "", text := file.read_text(encoding="utf-8")):
            bare[file.name] = re.findall(r".*Eq\..*", re.sub(CITATION, "", text))
    assert not bare


@pytest.mark.parametrize(
    ("paper", "place", "link"),
    [
        (("Grosse", "2013"), ("Eq.", "3"), "paths/asymptotics.py#kl_bias"),
        (("Kiwaki", "2015"), ("Eq.", "6"), "weights.py#effective_sample_size"),
        (("Sohl-Dickstein", "2012"), ("Eq.", "40"), "distributions/mean_covariance_rbm.py#MeanCovarianceRBM"),
        (("Kadan", "2018"), ("Section", "4.2.2"), "tempering/swaps.py#Lifted"),
    ],
)
def test_a_number_in_a_paper_leads_to_its_code(paper, place, link):
    assert link in FOUND[paper, place]


def test_ranges_and_lists_are_read_number_by_number():
    assert list(equations.places_of("Eq. 8 to 10 and Theorem 2, Sections 2.4 and 2.5")) == [
        ("Eq.", "8"), ("Eq.", "9"), ("Eq.", "10"), ("Theorem", "2"), ("Section", "2.4"), ("Section", "2.5"),
    ]  # fmt: skip
