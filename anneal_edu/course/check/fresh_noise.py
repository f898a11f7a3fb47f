"""Noise that is added to momenta, for the check of notebook 08 that has them renewed: a normal draw for every entry."""

import numpy as np
from scipy.stats import kstest

from anneal_edu.course.check.verdict import require

_RARE = 2.8  # of √n times Kolmogorov's distance: one set of normal draws in three million has more


def judge_spread(noise: np.ndarray) -> None:
    """What is added to momenta that are 0: every entry wants a draw of its own, of mean 0."""
    require(
        float(np.abs(noise).max()) > 1e-9,
        "from v = 0 yours gives 0 again: what is random in it multiplies v, or puts its entries in another order. "
        "b r is added, whatever v is.",
    )
    spread = noise.std(axis=0)
    require(
        float(spread.max()) > 1e-6,
        "all chains are pushed alike: every chain needs draws of its own, rng.standard_normal(v.shape).",
    )
    require(float(spread.min()) > 1e-6, "one coordinate gets no noise: r has an entry for each entry of v.")
    require(
        np.abs(np.corrcoef(noise.T) - np.eye(noise.shape[1])).max() < 0.02,
        "the coordinates are pushed by the same number: every entry of r is a draw of its own.",
    )
    near = max(abs(np.corrcoef(each[1:], each[:-1])[0, 1]) for each in noise.T)
    require(near < 0.02, "what pushes a chain depends on what pushes the next: every entry of r is a draw of its own.")
    u = noise / spread
    require(abs(u.mean()) < 5 / u.size**0.5, f"r should have mean 0; from v = 0 yours gives {noise.mean():.2g}.")


def judge_law(noise: np.ndarray) -> None:
    """Of noise whose variance is right: its law must be normal, and no number come twice."""
    u = noise.ravel() / noise.std()
    flatness, largest = float((u**4).mean()), float(np.abs(u).max())
    require(
        abs(flatness - 3) < 0.06 and kstest(u, "norm").statistic * u.size**0.5 < _RARE,
        f"your noise has the right variance, but is not normal: its mean fourth power is {flatness:.2f} squares "
        "of its variance, and a normal's is 3; or it is not symmetric. Only a normal r keeps N(0, I) as it is.",
    )
    require(
        largest > 3.9,
        f"of {u.size:,} numbers none of your r is beyond ±{largest:.2f}: nothing may be cut off, a normal r has a few "
        "beyond ±4.",
    )
    again = "the numbers of your r, or their opposites, come several times: every entry of r is a draw of its own."
    require(np.unique(np.abs(noise)).size > 0.9 * noise.size, again)


def judge_few(draws: list, shape: tuple[int, int], b: float) -> None:
    """Of many v of this shape, all 0: also where momenta are few their noise must be normal, and each a draw."""
    case = f"for v of shape {shape} "
    require(all(np.shape(draw) == shape for draw in draws), f"{case}your function returns another shape.")
    u = np.array(draws, dtype=float).reshape(len(draws), -1) / b
    require(np.isfinite(u).all(), f"{case}your function returns NaN or infinity: is r divided by its own spread?")
    far = kstest(u.ravel(), "norm").statistic * u.size**0.5
    apart = u.shape[1] == 1 or abs(np.corrcoef(u.T)[0, 1]) < 0.16
    own = "your r is not normal: each entry is a draw of N(0, 1) by itself, without a glance at the others."
    require(far < _RARE and apart, case + own)
