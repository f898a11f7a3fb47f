"""Are these counts those of this law? Exact, as the normal law is not where hardly one draw is expected."""

import numpy as np
from scipy import stats

UNLIKELY = 1e-7
"""Less than this is the chance of no count among the hundred or so that a test looks at."""


def smallest_tail(frequencies, p, n) -> float:
    """The least chance, over states of probability p, to be found as seldom or as often as in these n draws."""
    counts = np.round(np.asarray(frequencies) * n)
    return float(np.minimum(stats.binom.cdf(counts, n, p), stats.binom.sf(counts - 1, n, p)).min())
