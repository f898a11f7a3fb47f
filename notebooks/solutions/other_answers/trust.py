"""Other right answers to the exercises of notebook 14."""

import numpy as np


def by_an_interval(low, high, others):
    """The interval of all log Z that are near both."""
    noise = 3 * (low.std_error**2 + high.std_error**2) ** 0.5
    if low.warnings or high.warnings or not -noise <= high.log_z - low.log_z < 0.5 - noise:
        return []
    bottom, top = max(low.log_z, high.log_z) - 0.3, min(low.log_z, high.log_z) + 0.3
    return {r.name for r in [low, high, *others] if bottom < r.log_z < top and len(r.warnings) == 0}


def near_the_middle(low, high, others):
    """Nobody but those that are very near to the middle of the two, as an array of names."""
    s, middle = np.hypot(low.std_error, high.std_error), (low.log_z + high.log_z) / 2
    met = abs(high.log_z - low.log_z) < 0.5 - 3 * s and high.log_z - low.log_z > -3 * s
    sound = met and not low.warnings and not high.warnings
    return np.array([r.name for r in others if sound and not r.warnings and abs(r.log_z - middle) < 0.1], dtype=str)


def by_intervals(mean_f_a, mean_f_b, a, b):
    """The worst and the best of each model, with their errors."""
    crossed = [s[0] - s[2] > 3 * np.sqrt(s[1] ** 2 + s[3] ** 2) for s in (a, b)]
    (worst_a, s_worst_a), (best_a, s_best_a) = (mean_f_a - a[2], a[3]), (mean_f_a - a[0], a[1])
    (worst_b, s_worst_b), (best_b, s_best_b) = (mean_f_b - b[2], b[3]), (mean_f_b - b[0], b[1])
    if any(crossed):
        return "contradiction"
    if (worst_a - best_b) > 3 * np.sqrt(s_worst_a**2 + s_best_b**2):
        return "a"
    return "b" if (worst_b - best_a) > 3 * np.sqrt(s_worst_b**2 + s_best_a**2) else "undecided"


def sorted_first(mean_f_a, mean_f_b, a, b):
    """Ends that have changed places by chance are exchanged, with their errors."""
    if any(s[2] < s[0] and (s[2] - s[0]) ** 2 > 9 * (s[1] ** 2 + s[3] ** 2) for s in (a, b)):
        return "contradiction"
    (low_a, high_a), (low_b, high_b) = (sorted([s[:2], s[2:]]) for s in (a, b))
    leads = {"a": (mean_f_a, high_a, mean_f_b, low_b), "b": (mean_f_b, high_b, mean_f_a, low_a)}
    ahead = [w for w, (f, x, g, y) in leads.items() if f - x[0] - g + y[0] > 3 * np.hypot(x[1], y[1])]
    return ahead[0] if ahead else "undecided"


ANSWERS = {
    "trusted": (by_an_interval, near_the_middle),
    "which_model": (by_intervals, sorted_first),
}
