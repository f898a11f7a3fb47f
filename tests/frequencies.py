"""Are these counts those of this law? Exact, as the normal law is not where hardly one draw is expected."""

import numpy as np
from scipy import stats

UNLIKELY = 1e-7
"""A test whose law holds falls with at most this chance, whatever its seed."""


def chance_of_farthest(frequencies, p, n) -> float:
    """How likely is any of the states as far out in its tail as the farthest of these? Bonferroni's bound.

    ``p`` are the probabilities of the states, ``frequencies`` what was found in n draws. The more states are looked
    at, the farther out is the farthest by chance: so the smallest tail is taken times their number, and twice, for
    too few and for too many.
    """
    counts = np.round(np.asarray(frequencies) * n)
    tails = np.minimum(stats.binom.cdf(counts, n, p), stats.binom.sf(counts - 1, n, p))
    return float(min(1.0, 2 * tails.size * tails.min()))
