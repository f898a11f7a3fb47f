"""Exercises of notebook 07: the covariance of the start."""

import numpy as np

from anneal_edu.course.check.engine import exercise
from anneal_edu.distributions import GaussianRBM


# Exercise 1: what x costs
def _variances():
    return {
        "β = 0.3, s² = 40, σ² = 1": (0.3, 40.0, 1.0),
        "β = 0.01, s² = 60, σ² = 0.5": (0.01, 60.0, 0.5),
        "variances below 1": (0.2, 0.003, 0.0008),
        "a start hardly wider than the noise": (0.9, 3.0, 2.5),
        "a share that is nearly 1": (1e-5, 1e6, 1.0),
    }


def _miskept(beta, start_variance, noise_variance):
    s2, noise, right = start_variance, noise_variance, kept.solution(beta, start_variance, noise_variance)
    of_x = 1 - noise / s2
    return {
        "that is the part of x that v takes over. But the mean of x lies between v and m.": 1 - beta,
        "that is the part of v - m that x takes over. But the mean of v lies between x and b.": of_x,
        "that is right without x. Here v is drawn given x.": 0.0,
        "that is the share that a sweep forgets.": 1 - right,
        "the sign is wrong: v stays on the same side of E[v].": -right,
        "β and 1 - β have changed places: x belongs to the start.": beta * of_x,
        "σ²/s² is the part of v - m that x does *not* take over.": (1 - beta) * noise / s2,
        "that is the correlation of v with x. A sweep goes from v to x and back to v.": np.sqrt(right),
        "that is the share of the *variance* of v - E[v]. Return that of its mean.": right**2,
        "the arguments are variances: take no roots.": (1 - beta) * (1 - np.sqrt(noise / s2)),
        "given v, 1 - β is a factor of both terms with x and cancels. It counts once, where v is drawn.": (
            (1 - beta) ** 2 * of_x),
        "given v, both terms with x have the factor 1 - β. In yours only one has it.": (
            (1 - beta) ** 2 * (s2 - noise) / (noise + (1 - beta) * (s2 - noise))),
        "at the start x has the variance s² - σ², not s².": (1 - beta) * s2 / (s2 + noise),
    }  # fmt: skip


@exercise(
    hints=(
        "A sweep draws x near v, then v near x. Which part of v - m does the mean of x take over, and which part of x "
        "does the mean of the new v?",
        "Complete the square in x with v fixed, then in v with x fixed. In the first, 1 - β is a factor of both terms "
        "with x. In the second, β pulls to b, and 1 - β to x.",
        "x keeps 1 - σ²/s² of v - m, and v keeps 1 - β of that: (1 - β) (1 - σ²/s²)",
    ),
    returns={"the share": "Write down the mean of x given v, then that of v given x."},
    cases=_variances, slips=_miskept,
    praise="right: x keeps 1 - σ²/s² of v - m, and v keeps 1 - β of that.",
)  # fmt: skip
def kept(beta, start_variance, noise_variance):
    """The share of v - E[v] that is left after one sweep with x, on average."""
    return (1 - beta) * (1 - noise_variance / start_variance)


# Exercise 2: a covariance from weighted chains
def _weighted_chains():
    rng = np.random.default_rng(1)
    grbm = GaussianRBM(rng.normal(size=(3, 2)), [0.5, -1.0, 0.3], [0.2, 0.4], [0.5, 1.0, 2.0])
    h, log_w = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1], [0, 1], [1, 1]]), rng.normal(size=6)
    return {
        "six chains": (h, log_w, grbm),
        "log weights near 1000": (h, log_w + 1000, grbm),
        "log weights near -1000": (h, log_w - 1000, grbm),
        "two chains that outweigh the others by 2000 nats": (h, np.append(log_w[:4], [2000.0, 1999.0]), grbm),
        "a chain of weight 0, whose log weight is -inf": (h, np.append(log_w[:5], -np.inf), grbm),
        "a single chain": (h[:1], log_w[:1], grbm),
    }


def _misweighted(h, log_weights, grbm):
    n, centres, noise = len(h), grbm.visible_mean(h), np.diag(grbm.sigma**2)
    mean, cov = weighted_covariance.solution(h, log_weights, grbm)
    w = np.exp(log_weights - log_weights.max())
    w, away = w / w.sum(), centres - mean
    return {
        "return the mean first, and then the covariance.": (cov, mean),
        "your mean leaves the weights out.": (centres.mean(0), ...),
        "exp overflows, or every weight is 0. Subtract the largest log weight first.": (np.nan, ...),
        "your mean uses the *log* weights. Take exp first.": (log_weights / log_weights.sum() @ centres, ...),
        "the mean of v given h is b + σ·(Wh). Yours has no factor σ.": (
            w @ (h @ grbm.weights.T + grbm.visible_bias), ...),
        "that is the covariance of E[v | h]. Given h, v varies as well, with variance σ².": (..., cov - noise),
        "you add σ. Given h, the variance of v is σ².": (..., cov - noise + np.diag(grbm.sigma)),
        "you add σ² to every entry. Given h the units are independent: add a diagonal matrix.": (
            ..., cov - noise + grbm.sigma**2),
        "your covariance leaves the weights out.": (..., np.cov(centres.T, ddof=0) * n / max(n - 1, 1) + noise),
        "your products of deviations leave the weights out.": (..., away.T @ away / n + noise),
        "those are second moments about 0. Subtract the mean first.": (..., (w * centres.T) @ centres + noise),
        "subtract the weighted mean, not the plain one.": (
            ..., (w * (centres - centres.mean(0)).T) @ (centres - centres.mean(0)) + noise),
        "np.cov divides by 1 - Σ w². Tell it ddof=0.": (..., (cov - noise) / (1 - w @ w) + noise),
    } | {f"your weights sum to {k:.3g}, not 1: divide them by their sum.": (k * mean, ...)
         for total in (np.exp(log_weights).sum(), np.exp(log_weights - log_weights.max()).sum(), n * n)
         for k in (total, total / n)}  # fmt: skip


@exercise(
    hints=(
        "A chain of weight 3 counts as three chains of weight 1. What is their mean, and what their covariance?",
        "Subtract the largest log weight, take exp, divide by the sum. With these weights take the mean of E[v | h], "
        "and the mean of the products of deviations from it. Then add what v varies by when h is given.",
        "w = exp(log_weights - log_weights.max()), w /= w.sum(); mean = w @ centres, d = centres - mean, covariance = "
        "(w * d.T) @ d + diag(σ²)",
    ),
    returns={"mean": "Average b + σ·(Wh), each chain with its weight.",
             "covariance": "Weigh the products of deviations from the mean, and add diag(σ²) once."},
    cases=_weighted_chains, slips=_misweighted, rtol=1e-4, atol=1e-6,
    praise="right: a weight of 3 counts as three chains, and σ² is added once.",
)  # fmt: skip
def weighted_covariance(h, log_weights, grbm):
    """Mean (D,) and covariance (D, D) of v under the target, from weighted hidden states (n, H)."""
    w = np.exp(log_weights - log_weights.max())
    w /= w.sum()
    centres = grbm.visible_mean(h)
    mean = w @ centres
    return mean, (w * (centres - mean).T) @ (centres - mean) + np.diag(grbm.sigma**2)


# Exercise 3: a mode that no chain reaches
def _rare_modes():
    return {
        "q = 0.02, W = 20, 3 runs of 10 chains": (0.02, 20.0, 3, 10),
        "a rare chain that weighs less than Z": (0.3, 0.5, 2, 3),
        "one run of one chain": (0.6, 1.5, 1, 1),
        "nearly all of Z in the rare mode": (0.05, 19.9, 7, 2),
        "forty runs of 1,000 chains": (1e-6, 1e4, 40, 1000),
        "many chains": (0.1, 4.0, 5, 20),
    }


def _misforetold(q, W, n_runs, n_chains):
    n, probability, log_u = n_runs * n_chains, *unseen.solution(q, W, n_runs, n_chains)
    return {
        "first the probability, then log Ẑ - log Z.": (log_u, probability),
        "your probability is that of one run. No chain of *any* run may arrive.": ((1 - q) ** n_chains, ...),
        "your probability counts runs. Each run has many chains.": ((1 - q) ** n_runs, ...),
        "that is the probability that some chain arrives.": (1 - probability, ...),
        "that is the log of the probability. Return the probability itself.": (n * np.log(1 - q), ...),
        "exp(-q n) is near for small q only. Each chain stays away with probability 1 - q: multiply.": (
            np.exp(-q * n), ...),
        "1 - q n is near for few chains only. Each chain stays away with probability 1 - q: multiply.": (
            1 - q * n, ...),
        "that is Ẑ / Z. Return its logarithm.": (..., np.exp(log_u)),
        "the sign is wrong: compare the weight of the other chains with Z.": (..., -log_u),
        "the mean weight of *all* chains is Z, the rare ones included. The others do not weigh Z.": (..., 0.0),
        "1 - q W is what the other chains bring together. Each of them weighs more: their share is 1 - q.": (
            ..., np.log(1 - q * W)),
        "W is the weight of one chain: a share of q has it, and the others weigh (1 - q W) / (1 - q).": (
            ..., np.log(1 - W)),
        "1 - q is the share of the other chains. How much does each weigh, if the mean of all weights is "
        "Z?": (..., np.log(1 - q)),
        "that is the first order. Return the whole logarithm.": (..., -q * W),
    }  # fmt: skip


@exercise(
    hints=(
        "AIS is unbiased: the mean weight is Z. If a rare chain weighs so much, what must all others weigh?",
        "With u Z for the weight of the others, q W + (1 - q) u = 1. If no rare chain arrives, every weight is u Z.",
        "(1 - q)^(runs · chains), and log u with u = (1 - q W) / (1 - q)",
    ),
    returns={"probability": "Each chain of each run stays away with probability 1 - q.",
             "log Ẑ - log Z": "All weights are the same as long as no rare chain arrives. How large are they?"},
    cases=_rare_modes, slips=_misforetold, atol=0,
    praise="right: and no run that misses the mode says that it does.",
)  # fmt: skip
def unseen(q, W, n_runs, n_chains):
    """The probability that no chain of any run arrives in a rare mode, and log Ẑ - log Z then."""
    return (1 - q) ** (n_runs * n_chains), np.log((1 - q * W) / (1 - q))
