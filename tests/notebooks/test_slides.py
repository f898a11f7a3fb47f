"""A deck asks before it answers, shows every scene with its sentence, and leaves the prose to the speaker."""

import base64
import io

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

import slides
from anneal_edu.course.figures.style import LectureFigure

HILLS = {
    "name": "TwoPaths",
    "title": "Hills",
    "picture": 'a "hill"',
    "plots": [[0, 2, 7, 4], [7, 2, 3, 4]],
    "controls": [{"name": "height", "values": [2, 3.5]}],
    "scenes": {"apart": "0", "together": "1"},
    "whole": {"0": [[0], [1]], "1": [[1], []]},
    "plays": "",
    "shared": "<g/>",
    "pieces": ["<b/>", "<c/>"],
    "sentences": ["It is < 2.", "It is 3."],
    "numbers": [[], [["height", "3.5"]]],
    "frames": {"0": [0, 0], "1": [1, 1]},
}
PREDICT = "**Predict.** How high\nis $h$?"


def markdown(source, *tags):
    return new_markdown_cell(source, metadata={"tags": tags})


def figure(width=10.0, said="They are equal."):
    shown = LectureFigure(width, 4.0)
    shown.columns(1)
    before = shown.png()
    data, about = shown.caption(said, "two hills")._repr_mimebundle_()
    cell = new_code_cell("figure.caption()", outputs=[new_output("display_data", data, metadata=about)])
    return cell, before


def panel(more=""):
    return new_code_cell("ae.panels.TwoPaths()" + more, outputs=figure()[0].outputs)


def lesson(*cells):
    return new_notebook(cells=[markdown("# Hills\n\nHow many?"), *cells, markdown("## Summary\n\n* One.\n\nNext.")])


def told(*cells):
    """The slides of a lesson between its question and its summary, with what the speaker reads at each."""
    found = slides.deck_of(lesson(*cells), {"TwoPaths": HILLS}).cells
    pairs = [(slide.source, notes.source) for slide, notes in zip(found[::2], found[1::2], strict=True)]
    assert pairs[0][0] == "# Hills\n\nHow many?" and pairs[-1][0] == "### What to take home\n\n* One."
    return pairs[1:-1]


def shown(*cells):
    return [slide for slide, _ in told(*cells)]


def headings(*cells):
    return [slide.partition("\n")[0] for slide in shown(*cells)]


def test_the_formulas_that_a_prediction_needs_stand_above_it():
    (asked,) = shown(markdown(f"## A hill\n\n$$h = 2$$\n\nand\n\n$$g = 3$$\n\n{PREDICT}"))
    assert asked == f"## A hill\n\n$$h = 2$$\n\n$$g = 3$$\n\n{PREDICT}"


def test_a_formula_that_answers_a_prediction_comes_after_it():
    fold = "<details><summary>Answer</summary>\n\n$$h = 2$$\n\n</details>"
    asked, after = shown(markdown(f"## A hill\n\n{PREDICT}\n\n{fold}", "formula"))
    assert asked == f"## A hill\n\n{PREDICT}" and after == "### A hill\n\n$$h = 2$$"


def test_every_section_of_a_cell_shows_its_formula_under_its_own_heading():
    cell = markdown("## A hill\n\n$$h = 2$$\n\n$$g$$\n\n## A valley\n\n$$h = 1$$\n\n## A road\n\nNone.", "formula")
    assert shown(cell) == ["## A hill\n\n$$h = 2$$", "## A valley\n\n$$h = 1$$"]


def test_only_the_first_scene_comes_before_the_prediction_that_follows_a_panel():
    assert headings(panel(), markdown(PREDICT)) == ["### apart", "### Hills", "### together"]


def test_a_prediction_of_another_section_is_not_about_the_panel_before_it():
    cell = markdown(f"It was *together*.\n\n## A hill\n\n{PREDICT}")
    assert headings(panel(), cell) == ["### apart", "### together", "## A hill"]


def test_after_a_prediction_a_panel_is_shown_whole():
    assert headings(markdown(PREDICT), panel(), markdown(PREDICT)) == [
        "### Hills",
        "### apart",
        "### together",
        "### Hills",
    ]


@pytest.mark.parametrize("words", ["What if they are *together*?", "Press *together*."])
def test_a_scene_waits_for_the_prediction_that_names_it(words):
    cells = markdown("## A hill\n\n" + PREDICT), panel(), markdown("Prose."), markdown(f"{PREDICT} {words}")
    assert headings(*cells) == ["## A hill", "### apart", "### A hill", "### together"]


def test_a_scene_waits_for_the_cell_that_shows_it():
    assert headings(panel(), figure()[0], panel('.show("together")')) == ["### apart", "### Hills", "### together"]


def test_an_answer_in_words_is_shown_where_no_picture_shows_it():
    fold = "<details><summary>Answer</summary>\n\nAs high as *h*.\n\nIt grew.\n\n</details>"
    asked, printed = markdown(f"## A hill\n\n{PREDICT}\n\n{fold}"), new_code_cell("print(3)")
    assert shown(asked, printed, markdown("## A road"))[1:] == ["### A hill\n\nAs high as *h*."]
    assert len(shown(asked, figure()[0])) == 2 == len(shown(markdown(PREDICT), figure()[0], markdown(fold)))
    later = shown(markdown(PREDICT), printed, markdown(fold))
    assert later[1:] == ["### Hills\n\nAs high as *h*."]


def test_an_answer_above_a_prediction_is_that_of_the_one_before():
    fold = "<details><summary>Answer</summary>\n\nHigh.\n\n</details>"
    slides_, notes = zip(*told(markdown(PREDICT), markdown(f"{fold}\n\n{PREDICT}")), strict=True)
    assert slides_ == (f"### Hills\n\n{PREDICT}", "### Hills\n\nHigh.", f"### Hills\n\n{PREDICT}")
    assert notes == (PREDICT, "**Answer.** High.", PREDICT)


def test_a_proof_that_is_folded_is_not_part_of_the_question():
    fold = "<details><summary>Why?</summary>\n\n$$g = 3$$\n\n</details>"
    assert shown(markdown(f"$$h = 2$$\n\n{fold}\n\n{PREDICT}")) == [f"### Hills\n\n$$h = 2$$\n\n{PREDICT}"]
    assert shown(markdown(f"{fold}\n\n{PREDICT}")) == [f"### Hills\n\n$$g = 3$$\n\n{PREDICT}"]


def test_a_link_to_a_file_is_words():
    asked = shown(markdown("**Predict.** Is [it](../a.md#b) [high](https://x.org)?"))
    assert asked == ["### Hills\n\n**Predict.** Is it [high](https://x.org)?"]


def test_nothing_says_press():
    words = "**Predict.** Which one? At 0.5? Then press *together*. Choose another. Which now?"
    assert shown(markdown(words)) == ["### Hills\n\n**Predict.** Which one? At 0.5?"]


def test_a_scene_is_the_page_of_its_panel_above_a_picture():
    apart, together = shown(panel())
    assert 'data-panel="panels/TwoPaths.html#height=2"' in apart and "#height=3.5" in together
    assert "It is &lt; 2." in apart and "&quot;hill&quot;" in apart
    svg = base64.b64decode(apart.partition("base64,")[2].partition('"')[0]).decode()
    assert 'viewBox="0 2 10 4"' in svg and svg.endswith("<defs><g/></defs><b/><c/></svg>")


@pytest.mark.parametrize("said", ["They are equal.", "They are equal. " * 12])
def test_the_sentence_of_a_figure_stands_below_it_in_the_letters_of_the_deck(said):
    cell, before = figure(8.0, said)
    ((slide, _),) = told(cell)
    assert f'<p class="said">{said.strip()}</p>' in slide and "two hills" in slide
    picture = base64.b64decode(slide.partition("base64,")[2].partition('"')[0])
    assert Image.open(io.BytesIO(picture)).size == Image.open(io.BytesIO(before)).size


def test_each_slide_has_the_notes_that_are_about_it():
    fold = "<details><summary>What you saw</summary>\n\nIt is high.\n\n</details>"
    words = new_output("stream", name="stdout", text="3 < 4\n")
    notes = [
        said
        for _, said in told(
            panel(),
            markdown(f"Look.\n\n{PREDICT}\n\n{fold}"),
            markdown("## A hill\n\nIt is new."),
            figure()[0],
            markdown("It is green."),
            new_code_cell("print(3)", outputs=[words]),
            new_code_cell("ae.show_source(hill)", outputs=[words]),
            markdown("## Exercises\n\nSolve."),
            new_code_cell("print(3)", outputs=[words]),
        )
    ]
    assert notes == [
        "",
        f"Look.\n\n{PREDICT}",
        "**What you saw.** It is high.\n\n* height: 3.5",
        "## A hill\n\nIt is new.\n\nIt is green.\n\n<pre>3 &lt; 4\n</pre>",
    ]


def test_what_a_panel_showed_is_told_at_its_first_scene():
    (_, before), (_, first), (_, second) = told(markdown(PREDICT), panel(), markdown("Now it is 3."))
    assert (before, first, second) == (PREDICT, "Now it is 3.", "* height: 3.5")


def test_the_notation_is_at_hand_at_the_beginning():
    found = slides.deck_of(lesson(panel(), markdown("## Notation\n\n| x | place |")), {"TwoPaths": HILLS}).cells
    assert found[1].source == "## Notation\n\n| x | place |"


def test_a_deck_needs_no_other_machine(tmp_path):
    nbformat.write(lesson(panel()), tmp_path / "hills.ipynb")
    page = slides.write(tmp_path / "hills.ipynb", tmp_path, {"TwoPaths": HILLS}).read_text(encoding="utf-8")
    assert "http" not in page.replace("http://www.w3.org", "")
    assert "<title>Hills</title>" in page and page.count("<section") >= 4
    assert "addEventListener" in (tmp_path / "panels" / "TwoPaths.html").read_text(encoding="utf-8")
