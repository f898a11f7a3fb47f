"""Checks of notebook 07: the covariance of the start."""

from itertools import product

import numpy as np

from anneal_edu.course.check.conditionals import (
    NARROW_AND_WIDE,
    conditional_slips,
    mean_and_variance,
    require_square,
    shift_after_one_step,
    where_it_errs,
)
from anneal_edu.course.check.verdict import (
    WrongAnswerError,
    array,
    arrays,
    call,
    exercise,
    numbers,
    reject,
    require,
    same,
    several,
)
from anneal_edu.distributions import GaussianRBM, binary_states

_TOLERATED = 5.0  # standard errors

_WEIGHTS = np.array(
    [[0.0, 0.5, 0.4], [-0.7, 0.6, 0.1], [-0.3, -0.9, -0.5], [0.9, 0.5, -0.7], [-0.2, -1.6, -1.1], [-0.4, -2.5, -0.5]]
)
_VISIBLE_BIAS = np.array([0.9, 0.5, 0.5, 1.9, 0.4, 1.4])
_SIGMA = np.array([1.3, 1.4, 1.6, 1.3, 0.7, 1.0])


def _small_grbm(n_visible: int) -> GaussianRBM:
    """Three hidden units, with a bias that keeps each on about half of the time."""
    W, b, sigma = (part[:n_visible] for part in (_WEIGHTS, _VISIBLE_BIAS, _SIGMA))
    return GaussianRBM(W, b, -(b / sigma) @ W - 0.5 * W.T @ W.sum(1), sigma)


_FOUR_MODES = GaussianRBM([[4.0, 1.0], [1.0, 4.0]], [-2.5, -2.5], [0.0, 0.0], [1.0, 1.0])  # far wider than its noise


# Exercise 1
@exercise(
    hints=(
        "Which is averaged when energies are added: variances, or their inverses?",
        "The exponent is β·(target) + (1-β)·(start), two parabolas in each v_i: collect what stands before v_i² "
        "and v_i.",
        "1/variance = β/σ² + (1-β)/s², mean = variance · [β (b + σ·Wh)/σ² + (1-β) m/s²]",
    )
)
def conditional(answer) -> str:
    """``answer(h, beta, grbm, start_mean, start_variance)`` must be mean (C, D) and variance (D,) of v given h at β.

    Examples
    --------
    >>> conditional(lambda h, beta, grbm, mean, variance: (grbm.visible_mean(h), grbm.sigma**2))
    ✗ this is the conditional of the target. For β < 1 the start pulls as well.
      A hint: ae.check.covariance_start.conditional.hint()
    """
    grbm = _small_grbm(4)
    mean, cov = grbm.mean_and_cov()
    h = np.random.default_rng(1).integers(2, size=(6, 3)).astype(float)
    for beta in (0.2, 0.7, 1.0, 0.5, 0.0):
        got = mean_and_variance(answer, h, beta, grbm, mean, cov.diagonal())
        right, slips = conditional_slips(h, beta, grbm, mean, cov.diagonal())
        reject(got, slips, unless=right)

    def checked(h, beta, grbm, mean, variance):
        return mean_and_variance(answer, h, beta, grbm, mean, variance)

    for model, beta in product((grbm, _FOUR_MODES), (0.2, 0.5, 0.8, 1.0)):
        shift = shift_after_one_step(checked, model, beta)
        if not shift < _TOLERATED:
            raise WrongAnswerError(
                f"at β = {beta:g} one step from 20,000 exact draws moves a moment by {shift:.0f} standard errors: p_β "
                f"is not invariant. {where_it_errs(answer, beta, model)}"
            )
    for beta in (0.1, 0.5, 0.9):
        require_square(mean_and_variance(answer, h, beta, grbm, 2 - mean, NARROW_AND_WIDE), h, beta, grbm, 2 - mean)
    return "right: at four β one step from exact draws leaves all means and second moments where they were."


# Exercise 2
@exercise(
    hints=(
        "If h were the same in every row, would v not vary at all?",
        "The law of total covariance: the covariance of E[v | h] over the rows, plus the mean of Cov[v | h].",
        "mean of b + σ·(Wh) over the rows; np.cov of it + diag(σ²)",
    )
)
def averaged_covariance(answer) -> str:
    """``answer(h, grbm)`` must be mean (D,) and covariance (D, D) of v from states h (n, H), with v averaged out.

    Examples
    --------
    >>> def too_narrow(h, grbm):
    ...     v = grbm.visible_mean(h)
    ...     return v.mean(0), np.cov(v.T)
    >>> averaged_covariance(too_narrow)
    ✗ this is the covariance of E[v | h] alone, and it is singular. The law of total covariance has a second part: v \
still varies when h is given, with variance σ².
      A hint: ae.check.covariance_start.averaged_covariance.hint()
    """
    grbm = _small_grbm(6)
    h = np.random.default_rng(1).integers(2, size=(40, 3)).astype(float)
    got_mean, got_cov = _two_moments(answer, h, grbm)
    centres, noise = grbm.visible_mean(h), grbm.sigma**2
    reject(got_mean, {
        "the mean is wrong: E[v | h] = b + σ·(Wh), and the factor σ is "
        "missing.": (h @ grbm.weights.T + grbm.visible_bias).mean(0),
        "the mean is wrong: E[v | h] = b + σ·(Wh), and the visible bias is "
        "missing.": (grbm.sigma * (h @ grbm.weights.T)).mean(0),
    })
    require(same(got_mean, centres.mean(0)), "the mean is wrong: average E[v | h] = b + σ·(Wh) over the rows of h.")
    for ddof in (0, 1):
        between = np.cov(centres.T, ddof=ddof)
        reject(got_cov, {
            "this is the covariance of E[v | h] alone, and it is singular. The law of total covariance has a second "
            "part: v still varies when h is given, with variance σ².": between,
            "you added σ; what v varies by, given h, is the *variance* σ².": between + np.diag(grbm.sigma),
            "you added σ² to every entry; given h the units of v are independent: a diagonal matrix.": between
            + noise,
            "the two parts of the covariance are added, not subtracted.": between - np.diag(noise),
            "this is diagonal: it was the covariances that we were after.": np.diag(np.diag(between) + noise),
        })
    second = centres.T @ centres / len(h) + np.diag(noise)
    require(not same(got_cov, second), "these are second moments about 0: subtract the mean first.")

    few = h[:4]
    _, cov = _two_moments(answer, few, grbm)
    lowest = float(np.linalg.eigvalsh(cov / np.outer(grbm.sigma, grbm.sigma))[0])
    require(
        lowest > 1 - 1e-6,
        f"from 4 states your covariance is narrower than σ² in some direction, by a factor of {lowest:.2g}. No "
        "Gaussian RBM's is: the part diag(σ²) is known exactly, only the other part is estimated.",
    )
    _judge_errors(answer, grbm)
    right = [np.cov(centres.T, ddof=ddof) + np.diag(noise) for ddof in (0, 1)]
    divided = "nearly: sum the products of deviations from the mean over the n states, and divide by n - 1 or n."
    require(any(same(got_cov, cov) for cov in right), divided)
    return "right: on average the exact one, never narrower than σ², with a fraction of the square error of drawn v."


def _judge_errors(answer, grbm: GaussianRBM) -> None:
    """Over 200 samples of states: no bias, and less noise than from drawn v."""
    exact_cov, rng, errors, plain = grbm.mean_and_cov()[1], np.random.default_rng(2), [], []
    states, p = binary_states(grbm.n_hidden), grbm.hidden_probabilities()
    for _ in range(200):
        h = states[rng.choice(len(p), size=50, p=p)]
        errors.append(_two_moments(answer, h, grbm)[1] - exact_cov)
        plain.append(np.cov(grbm.visible_given_hidden(h, rng).T) - exact_cov)
    errors, plain = np.array(errors), np.array(plain)
    noise_of_mean = errors.std(0, ddof=1) / np.sqrt(len(errors))
    allowed = _TOLERATED * noise_of_mean + 0.03 * np.abs(exact_cov).max()  # divided by n or by n - 1
    require(
        (np.abs(errors.mean(0)) < allowed).all(),
        "averaged over 200 samples of 50 states your covariance is not the exact one: it is biased. It should be the "
        "covariance of E[v | h] over the states, plus diag(σ²).",
    )
    gain = float((errors**2).sum() / (plain**2).sum())
    require(gain < 0.3, "your covariance is as noisy as that of the states v: average E[v | h] instead of v.")


def _two_moments(answer, h: np.ndarray, grbm: GaussianRBM) -> list[np.ndarray]:
    D, otherwise = grbm.dim, "return two arrays: the mean and the covariance of v."
    mean, cov = several(call(answer, h.copy(), grbm), 2, otherwise)
    exchanged = np.shape(mean) == (D, D) and np.shape(cov) == (D,)
    require(not exchanged, "return the mean first, and then the covariance.")
    rows = f"the covariance has shape {np.shape(cov)}; it should be ({D}, {D}). (np.cov wants one *row* a variable.)"
    require(np.shape(cov) == (D, D), rows)
    return arrays((mean, cov), {"the mean": (D,), "the covariance": (D, D)}, otherwise)


# Exercise 3
@exercise(
    hints=(
        "AIS is unbiased. If a rare chain weighs so much, what must all others weigh?",
        "With u Z for the others, q W + (1 - q) u = 1. As long as no rare chain is seen, every weight is u Z.",
        "u = (1 - q W) / (1 - q): return (1 - q)^(runs · chains), log u, q W² + (1 - q) u² - 1",
    )
)
def unseen(answer) -> str:
    """``answer(q, W, n_runs, n_chains)`` must foretell what runs say of a rare mode that few of them reach.

    Three numbers: the probability that no chain of any run arrives there, log Ẑ - log Z of such runs, and the variance
    of w / Z in the long run. A chain arrives with probability q and weighs W Z then; all others weigh alike.

    Examples
    --------
    >>> unseen(lambda q, W, n_runs, n_chains: ((1 - q) ** n_chains, 0.0, q * W**2))
    ✗ with q = 0.02, W = 20, 3 runs of 10 chains: your first number is about one run. No chain of *any* run may \
arrive: runs · chains of them.
      A hint: ae.check.covariance_start.unseen.hint()
    """
    for q, W, n_runs, n_chains in ((0.02, 20.0, 3, 10), (0.1, 4.0, 3, 5), (1e-6, 1e4, 40, 1000)):
        got = numbers(call(answer, q, W, n_runs, n_chains), 3, "return three numbers.")
        got = [float(array(part, (), "one of the three has")) for part in got]
        _judge_unseen(got, q, W, n_runs, n_chains)
    rng, measured = np.random.default_rng(7), []
    w = np.where(rng.random((20_000, 50)) < 0.02, 20.0, 0.6 / 0.98)
    quiet = (w < 1).all(1)
    measured = quiet.mean(), np.log(w[quiet].mean()), w.var()
    foretold = [float(part) for part in call(answer, 0.02, 20.0, 1, 50)]
    require(np.allclose(foretold, measured, rtol=0.1), f"20,000 runs of 50 chains gave {measured}; yours: {foretold}.")
    return "right: 20,000 runs drawn from such chains agree with all three numbers."


def _judge_unseen(got: list[float], q: float, W: float, n_runs: int, n_chains: int) -> None:
    case = f"with q = {q:g}, W = {W:g}, {n_runs} runs of {n_chains} chains: "
    u, n = (1 - q * W) / (1 - q), n_runs * n_chains
    right = (1 - q) ** n, np.log(u), q * W**2 + (1 - q) * u**2 - 1
    reject(got[0], {
        "your first number is about one run. No chain of *any* run may arrive: runs · chains of "
        "them.": (1 - q) ** n_chains,
        "your first number counts runs, and a run has many chains.": (1 - q) ** n_runs,
        "your first number is the probability that some chain arrives.": 1 - right[0],
        "your first number is how many chains are expected to arrive.": n * q,
        "probabilities of chains that do *not* arrive multiply; yours subtracts what is expected to arrive.": 1 - n * q,
    }, case, unless=right[0])
    require(same(got[0], right[0]), f"{case}the probability that none arrives is {right[0]:.4g}, not {got[0]:.4g}.")
    reject(got[1], {
        "your second number is Ẑ / Z; return its logarithm.": u,
        "your second number has the wrong sign: what is missing makes Ẑ too low.": -np.log(u),
        "all chains that are seen weigh less than Z: the mean of *all* must be Z, the rare ones included.": 0.0,
        "nearly: q W is missing from Ẑ, but 1 - q W is what the others bring *together*. There are only 1 - q of "
        "them, so each weighs a little more.": np.log(1 - q * W),
        "your second number is of a run that has seen such a chain.": np.log(q * W),
        "your second number is a logarithm to base 10; ours are natural.": np.log10(u),
    }, case, unless=right[1])
    natural = f"{case}all chains of such runs weigh {u:.4g} Z; log Ẑ - log Z is the natural log of that."
    require(same(got[1], right[1]), natural)
    reject(got[2], {
        "your third number is the mean square of the weights; the square of their mean is still to be "
        "subtracted.": right[2] + 1,
        "your third number leaves out the other chains.": q * W**2,
        "your third number leaves out the other chains, and the mean square.": q * W**2 - 1,
        "in your third number the others weigh Z, and then the mean would be more than Z.": q * W**2 + 1 - q - 1,
        "your third number is a standard deviation; return the variance.": np.sqrt(right[2]),
        "your third number is the variance of a mean over chains; it is that of one weight.": right[2] / n_chains,
        "your third number is the variance of log w; it is w that is averaged.": q * (1 - q) * np.log(W / u) ** 2,
    }, case, unless=right[2])
    require(same(got[2], right[2]), f"{case}the variance of w / Z is {right[2]:.4g}, not {got[2]:.4g}.")
