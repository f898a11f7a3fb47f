"""Milliseconds from moving a slider to new picture bytes, for every control of every panel.

Claim: a control that redraws while it is dragged takes at most 80 ms. The ratio is to the cheapest of all redraws,
a figure with one line.
"""

import time

import ipywidgets as widgets
import numpy as np

import anneal_edu as ae
from anneal_edu.figures.style import LectureFigure

REPEATS = 12


def one_line_figure() -> float:
    """Seconds to turn a figure with one line into PNG bytes."""
    figure = LectureFigure(10.0, 4.5, presentation=False)
    (ax,) = figure.columns(1)
    (line,) = ax.plot([0, 1], [0, 1])
    return median_time(lambda k: (line.set_ydata([k, 1]), figure.png()))


def median_time(change) -> float:
    """Median seconds of ``change(k)`` over different k, after one that warms up."""
    change(0)
    times = []
    for k in range(1, REPEATS + 1):
        start = time.perf_counter()
        change(k)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def values_of(control: widgets.Widget) -> list:
    """Some different values of a slider, or every option of a choice."""
    if hasattr(control, "options"):
        return [label if isinstance(label, str) else label[1] for label in control.options]
    return list(np.linspace(control.min, control.max, 7)[1:-1])


def main() -> None:
    """Print one line a control."""
    floor = one_line_figure()
    print(f"a figure with one line: {1e3 * floor:.0f} ms")
    for name in ae.panels.__all__:
        panel_type = getattr(ae.panels, name)
        if not hasattr(panel_type, "controls"):
            continue
        panel = panel_type()
        for control_name in panel.values:
            control = getattr(panel, control_name)
            before, values = control.value, values_of(control)
            seconds = median_time(lambda k, c=control, v=values: setattr(c, "value", type(c.value)(v[k % len(v)])))
            control.value = before
            mode = "live" if getattr(control, "continuous_update", False) else "on release"
            print(f"{name}.{control_name}: {1e3 * seconds:.0f} ms, {mode}, ratio {seconds / floor:.1f}")
        panel.close()


if __name__ == "__main__":
    main()
