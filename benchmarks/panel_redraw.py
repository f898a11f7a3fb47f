"""Milliseconds from moving a slider to new picture bytes, for every control of every panel.

Claim: a control that redraws while it is dragged takes at most 80 ms. The ratio is to the cheapest of all redraws,
a figure with one line.
"""

import sys
import time

import ipywidgets as widgets
import numpy as np

import anneal_edu as ae
from anneal_edu.course.figures.style import LectureFigure

REPEATS = 12
TINY = ("TwoPaths",)


def one_line_figure(repeats: int) -> float:
    """Seconds to turn a figure with one line into PNG bytes."""
    figure = LectureFigure(10.0, 4.5)
    (ax,) = figure.columns(1)
    (line,) = ax.plot([0, 1], [0, 1])
    return median_time(lambda k: (line.set_ydata([k, 1]), figure.png()), repeats)


def median_time(change, repeats: int) -> float:
    """Median seconds of ``change(k)`` over different k, after one that warms up."""
    change(0)
    times = []
    for k in range(1, repeats + 1):
        start = time.perf_counter()
        change(k)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def moves_of(control: widgets.Widget) -> list[tuple]:
    """Some different values of a slider, or every option of a choice, each as what to set and to what."""
    if hasattr(control, "options"):
        return [("index", i) for i in range(len(control.options))]
    return [("value", type(control.value)(value)) for value in np.linspace(control.min, control.max, 7)[1:-1]]


def main(tiny: bool = False) -> None:
    """Print one line a control."""
    repeats = 1 if tiny else REPEATS
    floor = one_line_figure(repeats)
    print(f"a figure with one line: {1e3 * floor:.0f} ms")
    for name in TINY if tiny else ae.panels.__all__:
        panel_type = getattr(ae.panels, name)
        if not hasattr(panel_type, "controls"):
            continue
        panel = panel_type()
        for control_name in panel.values:
            control = getattr(panel, control_name)
            before, moves = control.value, moves_of(control)
            seconds = median_time(lambda k, c=control, m=moves: setattr(c, *m[k % len(m)]), repeats)
            control.value = before
            mode = "live" if getattr(control, "continuous_update", False) else "on release"
            print(f"{name}.{control_name}: {1e3 * seconds:.0f} ms, {mode}, ratio {seconds / floor:.1f}")
        panel.close()


if __name__ == "__main__":
    main(tiny=sys.argv[1:] == ["--tiny"])
