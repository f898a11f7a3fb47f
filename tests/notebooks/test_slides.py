"""A deck asks before it answers, shows every scene with its sentence, and leaves the prose to the speaker."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import slides

PNG = "iVBORw0KGgo="


def lesson():
    alt = {"image/png": {"alt": "two hills\n  They are equal."}}
    picture = new_output("display_data", {"image/png": PNG, "text/plain": "Picture:"}, metadata=alt)
    words = new_output("stream", name="stdout", text="3 < 4\n")
    return new_notebook(
        cells=[
            new_markdown_cell("# Hills\n\nHow many are there?"),
            new_markdown_cell("## Notation\n\n| x | place |"),
            new_code_cell("ae.panels.FirstPath()"),
            new_markdown_cell(
                "## Two hills\n\nA hill is high.\n\n**Predict.** How high\nis it?\n\nThen look.\n\n$$h = 2$$",
                metadata={"tags": ["formula"]},
            ),
            new_code_cell("ae.panels.TwoPaths()"),
            new_markdown_cell("<details><summary>What you saw</summary>\n\nIt is high.\n\n</details>"),
            new_code_cell("ae.panels.TwoPaths(correlation=0.0)"),
            new_code_cell("print(3)", outputs=[words]),
            new_code_cell("figure.caption()", outputs=[picture]),
            new_markdown_cell("<details><summary>Why is it high?</summary>\n\nIt grew.\n\n</details>"),
            new_markdown_cell("## Exercises\n\nSolve."),
            new_markdown_cell("## Summary\n\n* One.\n* Two.\n* " + 520 * "x" + "\n* Five,\n  at last.\n\nNext."),
            new_markdown_cell("## References"),
        ]
    )


def two_scenes(name):
    assert name == "TwoPaths"
    yield "apart", PNG, 'a "hill"', "It is < 2."
    yield "together", PNG, "a hill", "It is 3."


def shown(cells):
    return [cell.source for cell in cells if cell.metadata.slideshow.slide_type != "notes"]


def test_what_is_shown_and_in_which_order():
    cells = slides.deck_of(lesson(), two_scenes).cells
    formula, asked, apart, together, figure, two, long, last = shown(cells)[1:]
    assert shown(cells)[0] == "# Hills\n\nHow many are there?"
    assert formula == "## Two hills\n\n$$h = 2$$"
    assert asked == "## Two hills\n\n**Predict.** How high\nis it?"
    assert apart.startswith("### apart\n") and "It is &lt; 2." in apart and "&quot;hill&quot;" in apart
    assert together.startswith("### together\n")
    assert f"base64,{PNG}" in figure and "They are equal." in figure
    assert two == "## What to take home\n\n* One.\n* Two.\n" and long.endswith("xxx\n")
    assert last == "## What to take home\n\n* Five,\n  at last."


@pytest.mark.parametrize("words", ["(Press *together*.)", "Then look."])
def test_a_scene_waits_for_its_prediction(words):
    hills = lesson()
    hills.cells[6].source = 'ae.panels.TwoPaths().show("together")'
    hills.cells.insert(6, new_markdown_cell(f"**Predict.** What if they come together? {words}"))
    kinds = [source.partition("\n")[0] for source in shown(slides.deck_of(hills, two_scenes).cells)]
    assert kinds[2:6] == ["## Two hills", "### apart", "## Two hills", "### together"]


def test_what_is_printed_is_in_the_notes():
    cells = slides.deck_of(lesson(), two_scenes).cells
    assert not any("3 &lt; 4" in source for source in shown(cells))
    assert any("3 &lt; 4" in cell.source for cell in cells)


def test_the_prose_is_in_the_notes():
    kinds = {cell.source: cell.metadata.slideshow.slide_type for cell in slides.deck_of(lesson(), two_scenes).cells}
    assert kinds["**What you saw.** It is high."] == "notes"
    assert kinds["**Why is it high?** It grew."] == "notes"
    assert kinds["## Notation\n\n| x | place |"] == "notes"
    assert "## References" not in kinds


def test_a_deck_needs_no_other_machine(tmp_path):
    nbformat.write(lesson(), tmp_path / "hills.ipynb")
    page = slides.write(tmp_path / "hills.ipynb", tmp_path, two_scenes).read_text(encoding="utf-8")
    assert "http" not in page.replace("http://www.w3.org", "")
    assert "<title>Hills</title>" in page and page.count("<section") >= 9
