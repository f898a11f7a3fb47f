"""What runs say of a rare mode that few chains reach: the judge of an exercise of notebook 07, and known slips."""

import numpy as np

from anneal_edu.course.check.verdict import reject, require, same


def judge_unseen(got: list[float], q: float, W: float, n_runs: int, n_chains: int) -> None:
    """Judge the three numbers, and say of a wrong one what it is where that is known."""
    case = f"with q = {q:g}, W = {W:g}, {n_runs} runs of {n_chains} chains: "
    u, n = (1 - q * W) / (1 - q), n_runs * n_chains
    right = (1 - q) ** n, np.log(u), q * W**2 + (1 - q) * u**2 - 1
    other_order = same(sorted(got), sorted(right)) and not same(got, right)
    order = "these are the three numbers in another order: return the probability, the log, and then the variance."
    require(not other_order, f"{case}{order}")
    reject(got[0], {
        "your first number is about one run. No chain of *any* run may arrive: runs · chains of "
        "them.": (1 - q) ** n_chains,
        "your first number counts runs, and a run has many chains.": (1 - q) ** n_runs,
        "your first number is the probability that some chain arrives.": 1 - right[0],
        "your first number is how many chains are expected to arrive.": n * q,
        "probabilities of chains that do *not* arrive multiply; yours subtracts what is expected to arrive.": 1 - n * q,
        "your first number is exp(-q n), which is near for small q alone. Each chain stays away with probability "
        "1 - q, and these multiply.": np.exp(-n * q),
    }, case, unless=right[0])
    exact = np.isclose(got[0], right[0], rtol=1e-5, atol=0)
    otherwise = f"{case}the probability that none arrives is {right[0]:.4g}, not {got[0]:.4g}."
    require(same(got[0], right[0]) and exact, otherwise)
    reject(got[1], {
        "your second number is Ẑ / Z; return its logarithm.": u,
        "your second number has the wrong sign: what is missing makes Ẑ too low, where it weighs more than "
        "Z.": -np.log(u) if W > 1 else np.nan,
        "your second number has the wrong sign: what is missing weighs less than Z here, so that Ẑ is too "
        "high.": -np.log(u) if W < 1 else np.nan,
        "all chains that are seen weigh less than Z: the mean of *all* must be Z, the rare ones included.": 0.0,
        "nearly: q W is missing from Ẑ, but 1 - q W is what the others bring *together*. There are only 1 - q of "
        "them, so each weighs a little more.": np.log(1 - q * W),
        "your second number is of what such a chain would bring; the others are what is left.": np.log(q * W),
        "your second number is Ẑ / Z - 1, near the logarithm only where that is small; take the logarithm.": u - 1,
        "your second number is -q W, to first order: return the whole logarithm, of what each of the others "
        "weighs.": -q * W,
        "your second number is a logarithm to base 10; ours are natural.": np.log10(u),
    }, case, unless=right[1])
    natural = f"{case}all chains of such runs weigh {u:.4g} Z; log Ẑ - log Z is the natural log of that."
    require(same(got[1], right[1]), natural)
    reject(got[2], {
        "your third number is the mean square of the weights; the square of their mean is still to be "
        "subtracted.": right[2] + 1,
        "your third number leaves out the other chains, and the square of the mean.": q * W**2,
        "your third number leaves out the other chains.": q * W**2 - 1,
        "in your third number the others weigh Z, and then the mean would be more than Z.": q * W**2 + 1 - q - 1,
        "in your third number the others weigh Z; they weigh u Z, and the two weights differ by W - u, not W - "
        "1.": q * (1 - q) * (W - 1) ** 2,
        "your third number has the rare chains' square of W - 1 alone; the others are off by u - 1.": q * (W - 1) ** 2,
        "of two values the variance is q (1 - q) times the square of their difference; yours lacks the "
        "1 - q.": q * (W - u) ** 2,
        "your third number is a standard deviation; return the variance.": np.sqrt(right[2]),
        "your third number is the variance of a mean over chains; it is that of one weight.": right[2] / n_chains,
        "your third number is the variance of log w; it is w that is averaged.": q * (1 - q) * np.log(W / u) ** 2,
    }, case, unless=right[2])
    require(same(got[2], right[2]), f"{case}the variance of w / Z is {right[2]:.4g}, not {got[2]:.4g}.")
