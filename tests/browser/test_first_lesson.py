"""A reader opens the first lesson in a real browser, runs it and moves a slider; `make drive` tries the next day."""

from pathlib import Path
from statistics import median

LESSON = next(Path(__file__).parents[2].glob("notebooks/00_*.ipynb"))
PRESSES = 5
LETTERS_A_LINE = """() => [...document.querySelectorAll(".jp-MarkdownCell p")].map((p) => {
  const range = document.createRange();
  range.selectNodeContents(p);
  const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.bottom / 8)));
  return p.innerText.length / lines.size;
})"""
SLOW_MS = 1000  # far above the 80 ms aimed at: a busy machine must not fail the test


def test_a_lesson_is_run_and_moved(open_notebook, capsys):
    page = open_notebook(LESSON)
    page.run_all()
    page.unfold()
    assert page.complaints() == []

    widths = page.page.evaluate(LETTERS_A_LINE)
    assert 50 < max(widths) <= 72, widths

    panel = page.panels()[0]
    before = panel.readouts()
    latencies = [panel.press() for _ in range(PRESSES)]

    with capsys.disabled():
        print(f"\n{LESSON.name}: key press to changed picture, median of {PRESSES}: {median(latencies):.0f} ms")
    assert panel.readouts() != before
    assert page.complaints() == []
    assert median(latencies) < SLOW_MS
