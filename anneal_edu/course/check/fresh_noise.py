"""Noise that is added to momenta, for the check of notebook 08 that has them renewed: a normal draw for every entry."""

import numpy as np
from scipy.stats import kstest

from anneal_edu.course.check.verdict import reject, require, same

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


def judge_factors(old: np.ndarray, v: np.ndarray, noise: np.ndarray, gamma: float) -> None:
    """Of a v + b r: ``old`` is a v, free of chance, and ``noise`` is b r.

    Where r is what the generator of 1 gives first, b is exact; else it is the noise's standard deviation, to 0.16%.
    """
    a, b, near = float(np.vdot(old, v) / np.vdot(v, v)), float(noise.std()), 0.016
    r = np.random.default_rng(1).standard_normal(v.shape)
    part, root, missing = 1 - gamma, (1 - gamma) ** 0.5, (gamma * (2 - gamma)) ** 0.5
    spreads = [noise.std(), np.sqrt((noise**2).mean()), noise.std(0)]  # of those that are made to have it exactly
    by_its_spread = any(np.allclose(spread, missing, rtol=0, atol=1e-9) for spread in spreads)
    of_r = float(np.vdot(noise, r) / np.vdot(r, r))
    if not by_its_spread and same(noise, of_r * r, 3e-6):
        b, near = abs(of_r), 1e-4
    whole = np.isclose(old, v) | (np.abs(old) < 1e-9)
    kept = same(old, a * v, 3e-6)  # a momentum in single precision is as good
    require(
        kept or not whole.all(),
        "yours draws some entries anew and leaves the others as they were. That keeps N(0, I), too, but asked is "
        "a v + b r, with one a and one b for all entries: every momentum keeps a part of itself.",
    )
    require(kept, "what you keep of v is not a v, with one number a for all its entries.")
    require(
        a > -0.02,
        f"at γ = {gamma} the new momentum points against the old one, E[v' v] = {a:.2f}. An accepted chain "
        "should fly on: here v already has the sign in which it is to go.",
    )
    digits = ".2f" if abs(a**2 + b**2 - 1) > 0.005 else ".5f"
    found = f"momenta of variance 1 come out with variance {a**2 + b**2:{digits}} at γ = {gamma}. "
    require(abs(a - 1) > 1e-6, f"{found}The old momentum is not made smaller before the noise is added.")
    reject((a, b), {
        "Your noise brings the variance γ. Of the variance of v less than 1-γ is left here, so that more is "
        "missing.": (part, gamma**0.5),
        "Your factors 1-γ and γ add up to 1, but variances add up by their squares.": (part, gamma),
        "Your b is the variance that is missing; a variance goes into a factor by its root.": (part, 1 - part**2),
        "This is the lesson's formula as the paper prints it, with γ r: its variance is (1-γ) + γ². And it is for a "
        "share of the power.": (root, gamma),
    }, case=found, atol=0.008, unless=(part, missing))
    exchanged = f"the two factors are exchanged: at γ = {gamma} a share γ should be new, and yours keeps γ."
    reject((a, b), {
        f"this is the lesson's move: at γ = {gamma} a share 1-γ of the *power* survives. Here it is the amplitude: "
        "what is the factor of v then?": (root, gamma**0.5),
        exchanged: (gamma, (1 - gamma**2) ** 0.5),
        f"{exchanged} And the share is one of the amplitude, not of the power.": (gamma**0.5, root),
    }, atol=0.008, unless=(part, missing))
    add_up = f"{found}Variances of independent terms add up: a² Var v + b² Var r = 1, with v and r from N(0, 1)."
    require(abs(b**2 + a**2 - 1) < near * (1 - a**2), add_up)
    require(abs(a - part) < 1e-6, f"at γ = {gamma} the part {part:.3g} v should survive; in yours it is {a:.3g} v.")
