"""A reader opens the first lesson in a real browser, runs it, moves a slider, saves it and comes back the next day."""

from pathlib import Path
from statistics import median

LESSON = next(Path(__file__).parents[2].glob("notebooks/00_*.ipynb"))
PRESSES = 5
THERE = "number => document.querySelectorAll('img.anneal-edu-picture').length === number"
SLOW_MS = 1000  # far above the 80 ms aimed at: a busy machine must not fail the test


def test_a_lesson_is_run_and_moved_and_is_there_the_next_day(open_notebook, capsys):
    page = open_notebook(LESSON)
    page.run_all()
    page.unfold()
    assert page.complaints() == []

    panel = page.panels()[0]
    before = panel.readouts()
    latencies = [panel.press() for _ in range(PRESSES)]

    with capsys.disabled():
        print(f"\n{LESSON.name}: key press to changed picture, median of {PRESSES}: {median(latencies):.0f} ms")
    assert panel.readouts() != before
    assert page.complaints() == []
    assert median(latencies) < SLOW_MS

    before = [(panel.picture(), panel.sentence()) for panel in page.panels()]
    page.save()
    page.shut_down()
    page = open_notebook(LESSON, live=False)
    page.page.wait_for_function(THERE, arg=len(before))
    assert [(panel.picture(), panel.sentence()) for panel in page.panels()] == before
    assert page.panels()[0].asleep().startswith("No kernel runs") and page.complaints() == []
