"""What Gibbs chains find in the knots of a spline."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected


@projected()
def knots_seen(axes: list[Axes], splines: dict[str, list[dict]]) -> None:
    """The ink of Gibbs chains in each knot of splines, from the data and from black pages, against β.

    A dashed line has the ink that changes evenly from the start's to the data's, as moments of the data ask for.
    """
    top = 1.25 * max(row["ink"] for rows in splines.values() for row in rows)
    for ax, (title, rows) in zip(axes, splines.items(), strict=True):
        artists.curve(ax, "evenly", *np.array([(row["beta"], row["even"]) for row in rows]).T, "reference")
        for style, began in (("target", "the data"), ("another mode", "black pages")):
            betas, ink = np.array([(row["beta"], row["ink"]) for row in rows if row["began"] == began]).T
            artists.line(ax, style, betas, ink, **STYLES[style])
        ax.set(xlabel="β of the knot", xlim=(-0.03, 1.03), ylim=(0, top), title=title)
    axes[0].set_ylabel("pixels that are on")
    meanings = {"target": "begun at digits", "another mode": "begun at black pages", "reference": "evenly, to the data"}
    artists.legend(axes[-1], meanings, "upper left", **artists.SMALL)
