"""Checks of notebook 05: a better path for RBMs."""

import numpy as np
from scipy.special import expit

from anneal_edu.course.check.hills import Hill, hills, slips_of_rate
from anneal_edu.course.check.verdict import (
    WrongAnswerError,
    array,
    arrays,
    call,
    call_sized,
    exercise,
    reject,
    require,
    same,
    several,
)
from anneal_edu.distributions import BinaryRBM, binary_states

_NAMES = ("E v", "E h", "E v hᵀ")

_RBM = BinaryRBM(
    [[-0.6, 0.4, 0.4], [-1.2, -0.8, 1.4], [-1.0, 1.4, 0.9], [1.2, -0.7, 1.7]], [0.2, -0.5, 0.4, -0.3], [0.7, 0.2, -1.0]
)


def _three(answer, like: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """Three finite arrays of the right shapes, or a sentence about what came instead."""
    parts = several(answer, 3, f"return three arrays: {', '.join(_NAMES)}, in this order.")
    for name, part, right in zip(_NAMES, parts, like, strict=True):
        transposed = np.shape(part) == right.shape[::-1] != right.shape
        require(not transposed, f"{name} is transposed: rows belong to visible units, columns to hidden ones.")
    return arrays(parts, {name: right.shape for name, right in zip(_NAMES, like, strict=True)}, "")


# Exercise 1
@exercise(
    hints=(
        "Is the mean of a sigmoid the sigmoid of the mean?",
        "First p(v = 1 | h) for every row of h, then average over the rows with the weights p_h; products before "
        "averages.",
        "E v = Σ_h p(h) sigmoid(b + Wh), E h = Σ_h p(h) h, E v hᵀ = Σ_h p(h) sigmoid(b + Wh) hᵀ",
    )
)
def moments(answer) -> str:
    """``answer(h, p_h, weights, visible_bias)`` must be (E v (D,), E h (H,), E v hᵀ (D, H)) of the RBM.

    Examples
    --------
    >>> def independent(h, p_h, W, b):
    ...     mean_v, mean_h = p_h @ (1 / (1 + np.exp(-(h @ W.T + b)))), p_h @ h
    ...     return mean_v, mean_h, np.outer(mean_v, mean_h)
    >>> moments(independent)
    ✗ E v hᵀ is the outer product of E v and E h in yours: that is the value for independent layers. Average the \
product within each state: p(v_i = 1 | h) · h_j, weighted by p(h).
      A hint: ae.check.splines.moments.hint()
    """
    rbm = _RBM
    W, b = np.array(rbm.weights), np.array(rbm.visible_bias)
    v, h = binary_states(rbm.dim), binary_states(rbm.n_hidden).astype(float)
    p_h = _hidden_probabilities(rbm, v)
    right = rbm.moments()
    sizes = (
        "the sizes do not fit: h is (S, H), p_h (S,), weights (D, H) and visible_bias (D,). Pixels hear of the hidden "
        "units through W h: for rows of h, is it W or its transpose that is multiplied from the right?"
    )
    got = _three(call_sized(sizes, answer, h.copy(), p_h.copy(), W.copy(), b.copy()), right)
    given_h, mean_h = expit(h @ W.T + b), p_h @ h
    reject(got[1], {
        "you averaged over the states as if all were equally likely: weight each row of h by p_h.": h.mean(0),
        "you summed over the states without their probabilities: weight each row of h by p_h.": h.sum(0),
    }, case="E h is wrong: ")
    require(same(got[1], right[1]), "E h is wrong: it is Σ_h p(h) h, a weighted sum of the rows of h.")
    reject(got[0], {
        "you took the sigmoid at the mean of h. The mean of a sigmoid is not the sigmoid of the mean: compute p(v | "
        "h) for each state, then average.": expit(mean_h @ W.T + b),
        "you averaged the fields b + W h; average the probabilities, their sigmoids.": p_h @ (h @ W.T + b),
        "the visible biases are missing: p(v_i = 1 | h) = sigmoid(b_i + (W h)_i).": p_h @ expit(h @ W.T),
        "the sign in the exponent: the sigmoid is 1 / (1 + exp(-x)), and yours falls with x.": 1 - p_h @ given_h,
        "the bias has the wrong sign: the field of pixel i is b_i + (W h)_i.": p_h @ expit(h @ W.T - b),
        "the weights have the wrong sign: the field of pixel i is b_i + (W h)_i.": p_h @ expit(b - h @ W.T),
        "this is the mean of exp(b + W h), no probability; the sigmoid is 1 / (1 + exp(-x)).": p_h
        @ np.exp(h @ W.T + b),
        "tanh runs from -1 to 1; a pixel is 0 or 1, and its probability the sigmoid.": p_h @ np.tanh(h @ W.T + b),
        "this is the mean of 2 p - 1, as if a pixel were -1 or 1; it is 0 or 1.": 2 * p_h @ given_h - 1,
        "there is a factor 2 in your exponent; the sigmoid is 1 / (1 + exp(-x)).": p_h
        @ expit(2 * (h @ W.T + b)),
        "log(1 + exp(x)) is what a pixel brings to log f; its probability is the sigmoid of x.": p_h
        @ np.logaddexp(0, h @ W.T + b),
        "you took the likelier value of each pixel; average its probability.": p_h @ (h @ W.T + b > 0),
        "you averaged over the states as if all were equally likely: weight by p_h.": given_h.mean(0),
        "you summed over the states without their probabilities: weight by p_h.": given_h.sum(0),
    }, case="E v is wrong: ")
    require(
        same(got[0], right[0]),
        "E v is wrong: it is Σ_h p(h) p(v = 1 | h), with p(v_i = 1 | h) = 1 / (1 + exp(-(b_i + (W h)_i))).",
    )
    reject(got[2], {
        "E v hᵀ is the outer product of E v and E h in yours: that is the value for independent layers. Average the "
        "product within each state: p(v_i = 1 | h) · h_j, weighted by p(h).": np.outer(right[0], right[1]),
        "E v hᵀ is wrong: the probabilities p_h are missing from the sum.": given_h.T @ h,
        "E v hᵀ is wrong: this is E[v | h_j = 1], the mean image *while* feature j is on. It still has to be "
        "multiplied by E h_j.": right[2] / right[1],
    })
    require(same(got[2], right[2]), "E v hᵀ is wrong: it is Σ_h p(h) p(v_i = 1 | h) h_j.")
    _judge_other_models(answer)
    return "right: all 19 moments agree with a sum over all 128 states of both layers."


def _judge_other_models(answer) -> None:
    """Another shape, the states in another order, and fields so large that a careless sigmoid overflows."""
    rng, in_order = np.random.default_rng(5), binary_states(4).astype(float)
    usual, p = (rng.normal(size=(2, 4)), rng.normal(size=2)), rng.dirichlet(np.full(16, 0.2))
    huge = 1e4 * np.abs(usual[0]) * [[1], [-1]], 1e4 * np.abs(usual[1]) * [1, -1]  # fields of +10,000 and of -10,000
    level, square = (np.full((2, 4), 2000.5), np.full(2, -2000.0)), (0.4 * rng.normal(size=(4, 4)), np.ones(4))
    large = (
        "with weights of thousands yours is wrong, or no number: a field, or a weight, that was cut off is another "
        "one, exp(x) / (1 + exp(x)) is infinity over infinity, and math.exp raises OverflowError. Take expit."
    )
    for h, (W, b), otherwise in (
        (in_order, usual, "with 2 visible and 4 hidden units yours is wrong: take shapes, and every p_h, as given."),
        (in_order, square, "with D = H = 4 yours is wrong: W is (D, H)."),
        (
            rng.permutation(in_order),
            usual,
            "with the rows of h in another order yours is wrong: p_h[s] belongs to the row h[s] that you are given.",
        ),
        (in_order, huge, large),
        (in_order, level, large),
    ):
        mean_v = expit(h @ W.T + b)
        try:
            got = several(call(answer, h.copy(), p.copy(), W.copy(), b.copy()), 3, otherwise)
        except OverflowError:
            raise WrongAnswerError(otherwise) from None
        require(same(got, (p @ mean_v, p @ h, mean_v.T @ (p[:, None] * h))), otherwise)


def _hidden_probabilities(rbm: BinaryRBM, v: np.ndarray) -> np.ndarray:
    h = binary_states(rbm.n_hidden)
    log_f = (v @ rbm.visible_bias)[:, None] + v @ rbm.weights @ h.T + h @ rbm.hidden_bias  # (2^D, 2^H)
    p = np.exp(log_f - log_f.max())
    return p.sum(0) / p.sum()


# Exercise 2
@exercise(
    hints=(
        "Along the step the height is a function of the rate alone: what are its first two derivatives where the step "
        "begins?",
        "The first is ‖r‖². The second is the bend along r, for which the lesson has a covariance: write it as the "
        "variance of one number, which every state has.",
        "t = ‖r‖² / Var_p(r·g), with r = s - E_p[g]",
    )
)
def best_rate(answer) -> str:
    """``answer(g, p, target)`` must be the rate at which a step up the slope of η·s - A(η) gains most, to second order.

    ``g`` (S, n) are the statistics of all states, ``p`` (S,) their probabilities, ``target`` (n,) is s.

    Examples
    --------
    >>> best_rate(lambda g, p, target: 1 / np.linalg.eigvalsh(np.cov(g.T, aweights=p, ddof=0))[-1])
    ✗ this is safe in whichever direction one walks, for it reckons with the steepest bend of all. The bend along r is \
gentler: a longer step gains more.
      A hint: ae.check.splines.best_rate.hint()
    """
    for hill in (*hills(near=True), *hills()):
        t = call(answer, hill.g.copy(), hill.p.copy(), hill.target.copy())
        require(np.ndim(t) == 0, f"return one rate, a single number; yours has shape {np.shape(t)}.")
        _judge_rate(hill, float(array(t, (), "what you return has")))
    for by in (1e-3, 1e-6, 1e3):
        for hill in (next(hills(near=True)).scaled(by), next(hills()).scaled(by)):
            t = float(call(answer, hill.g.copy(), hill.p.copy(), hill.target.copy(), shape=()))
            right = _right_rate(hill)
            require(
                hill.height(t) > 0.999 * hill.height(right) if hill.near else np.isclose(t, right, rtol=1e-3, atol=0),
                f"right for statistics of the size of 1, but where all are {by:g} times as large the rate is "
                f"{right:.3g}, and yours is {t:.3g}: is there a bound in it, or something added lest it divide by 0?",
            )
    for hill in (next(hills(near=True)), next(hills())):
        t = float(call(answer, hill.g + 1e7, hill.p.copy(), hill.target + 1e7, shape=()))
        right = _right_rate(hill)
        require(
            np.isclose(t, right, rtol=1e-4, atol=0),
            f"right, but where 10,000,000 is added to all statistics and to s, which bends no hill, yours is {t:.4g}, "
            f"and should be {right:.4g}: take the mean off before you square, or the digits are lost.",
        )
    hill = next(hills(near=True))
    t, finer = (float(answer(scale * hill.g, hill.p.copy(), scale * hill.target)) for scale in (1, 10))
    own, twice = (round(hill.height(rate) / hill.top, 2) + 0.0 for rate in (t, 2 * t))
    return (
        f"right: near the top of a hill your step gains {own:.0%} of the height that is left, and no other rate gains "
        f"more; twice the rate gains {twice:.0%}. With statistics ten times as large the rate is {finer / t:.2g} times "
        "what it was."
    )


def _right_rate(hill: Hill) -> float:
    r = hill.slope
    return float(r @ r / (hill.p @ ((hill.g - hill.p @ hill.g) @ r) ** 2))


def _judge_rate(hill: Hill, t: float) -> None:
    require(t != 0, "your rate is 0: such a step stays where it is.")
    r, right = hill.slope, _right_rate(hill)
    reject(t, slips_of_rate(hill, right), atol=0, unless=right)
    require(t > 0, f"your rate is {t:.3g}: that walks downhill. The slope r points uphill, along +r.")
    of = f"with {len(hill.p)} states and {len(r)} statistics your"
    if hill.near:
        gain, other = hill.height(t), hill.height(hill.searched(right))
        much = f"{gain / other:.1%} of what" if gain > 0 else "nothing, where"
        require(
            gain > 0.999 * other,
            f"{of} step gains {much} another rate gains. How does the height change along r, and how does the slope?",
        )
        return
    require(
        same(t, right) or abs(t / hill.searched(right) - 1) > 1e-3,
        "this is the best rate on the hill itself, from a search. Asked is the top of the parabola with the hill's "
        "slope and bend where the step begins: no search, one division.",
    )
    require(
        same(t, right),
        f"{of} rate is {t:.4g}. Write the height as a parabola in the rate, from its first two derivatives where the "
        "step begins: its top is elsewhere.",
    )


# Exercise 3
@exercise(
    hints=(
        "With which probability does a single chain miss a state, and with which do all of them?",
        "A state counts once, as soon as one chain is in it: the chance of that is one minus the chance that all C "
        "miss it. Averages add up, state by state, each with its p_h. Then think of a reach of 1e-12: what is "
        "1 - 1e-12 in a computer, and what do np.log1p and np.expm1 do?",
        "log Σ_h p(h) (1 - (1 - reach_h)^C), with -np.expm1(C * np.log1p(-reach)) for the second factor",
    )
)
def predicted_miss(answer) -> str:
    """``answer(p_h, reach, n_chains)`` must be the log of the mean share of the probability that some chain reaches.

    ``p_h`` (S,) are the target's probabilities of its hidden states, ``reach`` (S,) those that a chain ends in them.

    Examples
    --------
    >>> predicted_miss(lambda p_h, reach, n_chains: np.log(p_h @ np.minimum(1, n_chains * reach)))
    ✗ 3 chains: C · reach is how many chains to expect in a state, and two of them may come in one run. What is the \
chance that none does? (Where one is to be expected, none may come.)
      A hint: ae.check.splines.predicted_miss.hint()
    """
    p = np.array([0.02, 0.43, 0.07, 0.3, 0.11, 0.07])
    for reach, n_chains, case in (
        ([0.45, 0.02, 0.2, 0.01, 0.3, 0.02], 3, "3 chains: "),
        ([0.1, 0.002, 0.4, 1e-5, 0.0, 0.49799], 30, "30 chains, and a state that none reaches: "),
        ([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 7, "7 chains, all in one state: "),
        ([0.02, 0.43, 0.07, 0.3, 0.11, 0.07], 4, "4 chains, each as good as an exact draw: "),
        ([0.45, 0.02, 0.2, 0.01, 0.3, 0.02], 1, "one chain: "),
        ([0.002, 0.997, 0.0, 0.001, 0.0, 0.0], 1, "one chain, which nearly always ends in the same state: "),
        ([0.02, 0.01, 0.03, 0.04, 0.005, 0.895], 60, "60 chains: "),
    ):
        got = float(call(answer, p.copy(), np.array(reach), n_chains, shape=()))
        _judge_miss(got, p, np.array(reach), n_chains, case)
    for p, reach, n_chains in (
        (np.array([1 - 1e-12, 1e-12]), np.array([1e-12, 1 - 1e-12]), 10**6),
        (np.array([1.0, 0.0]), np.array([1e-20, 1.0]), 10**6),
        (np.array([0.4, 0.6, 0.0]), np.array([3e-5, 4e-5, 1 - 7e-5]), 20),
    ):
        right, got = _log_share(p, reach, n_chains), answer(p.copy(), reach.copy(), n_chains)
        require(
            np.isclose(got, right, rtol=1e-7, atol=1e-9),  # single precision will do, lost digits will not
            f"right for a few chains; but with {n_chains:,} of them, and a reach of {reach[0]:g}, it is {right:.10f}, "
            f"and yours {float(got):.10f}. Is 1 - reach in it, or 1 - a number near 1? That loses what is small: "
            "np.log1p and np.expm1 keep it. Or was something added, or cut off?",
        )
    missed = (1 - 1e-4) ** np.array([100, 10_000])
    return (
        "right: one minus the chance that all miss it, state by state, and exact for the rarest. What one chain in "
        f"10,000 reaches, {missed[0]:.0%} of all runs with 100 chains miss, and {missed[1]:.0%} of those with 10,000."
    )


def _log_share(p: np.ndarray, reach: np.ndarray, n_chains: int) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(p @ -np.expm1(n_chains * np.log1p(-reach))))


def _judge_miss(got: float, p: np.ndarray, reach: np.ndarray, n_chains: int, case: str) -> None:
    right = _log_share(p, reach, n_chains)
    share, missed, C = np.exp(right), (1 - reach) ** n_chains, n_chains
    several_in_one = (
        "C · reach is how many chains to expect in a state, and two of them may come in one run. What is the chance "
        "that none does?"
    )
    reject(got, {
        "this is the share; log Ẑ - log Z is compared with its logarithm.": share,
        "the sign: an estimate that misses a part of Z is too low.": -right,
        "this is the log of what is *missed*.": np.log(p @ missed),
        "this is what one chain reaches. More chains reach more.": np.log(p @ reach),
        several_in_one: np.log(p @ (C * reach)),
        several_in_one + " (Where one is to be expected, none may come.)": np.log(p @ np.minimum(1, C * reach)),
        "1 - reach^C is the chance that not *all* chains are there. One is enough.": np.log(p @ (1 - reach**C)),
        "reach^C is the chance that *all* chains are there. One is enough.": np.log(p @ reach**C),
        "exp(-C · reach) is (1 - reach)^C for rare states alone.": np.log(p @ -np.expm1(-C * reach)),
        "these are all states that can be reached. C chains will not be in all of them.": np.log(p[reach > 0].sum()),
        "the states count alike in yours; some hold more of the probability than others.": np.log(np.mean(1 - missed)),
        "you add up the chances of the states, without what they hold: weight by p_h.": np.log(np.sum(1 - missed)),
        "p_h and reach have changed places.": np.log(reach @ (1 - (1 - p) ** C)),
        "you average over the states first, and then reckon with one mean chance. Each state has its own.": np.log(
            1 - (1 - p @ reach) ** C
        ),
        "you average the logs; wanted is the log of the average.": np.sum(p * np.log(1 - missed)),
        "that is for one chain fewer.": _log_share(p, reach, C - 1),
        "that is for one chain more.": _log_share(p, reach, C + 1),
    }, case, unless=right)
    require(
        same(got, right),
        f"{case}on average they reach {share:.3f} of the probability, whose log is {right:+.3f}; yours is {got:+.3f}.",
    )
