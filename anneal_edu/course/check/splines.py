"""Checks of notebook 05: a better path for RBMs."""

import numpy as np
from scipy.special import expit

from anneal_edu.course.check.hills import Hill, hills, slips_of_rate
from anneal_edu.course.check.verdict import array, arrays, call, call_sized, exercise, reject, require, same, several
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
        "you averaged over the states as if all were equally likely: weight by p_h.": given_h.mean(0),
        "you summed over the states without their probabilities: weight by p_h.": given_h.sum(0),
    }, case="E v is wrong: ")
    require(same(got[0], right[0]), "E v is wrong: it is Σ_h p(h) p(v = 1 | h), with the sigmoid inside the sum.")
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
    rng = np.random.default_rng(5)
    usual, p = (rng.normal(size=(2, 4)), rng.normal(size=2)), rng.dirichlet(np.ones(16))
    in_order = binary_states(4).astype(float)
    huge = 1e4 * np.abs(usual[0]) * [[1], [-1]], 1e4 * np.abs(usual[1]) * [1, -1]  # fields of +10,000 and of -10,000
    for h, (W, b), otherwise in (
        (in_order, usual, "with 2 visible and 4 hidden units yours is wrong: take the shapes from what you are given."),
        (
            rng.permutation(in_order),
            usual,
            "with the rows of h in another order yours is wrong: p_h[s] belongs to the row h[s] that you are given.",
        ),
        (
            in_order,
            huge,
            "with weights of thousands yours is wrong, or no number: exp(x) / (1 + exp(x)) is infinity over infinity. "
            "Write 1 / (1 + exp(-x)), or take scipy.special.expit.",
        ),
    ):
        mean_v = expit(h @ W.T + b)
        got = several(call(answer, h.copy(), p.copy(), W.copy(), b.copy()), 3, otherwise)
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
    hill = next(hills(near=True))
    t, finer = (float(answer(scale * hill.g, hill.p.copy(), scale * hill.target)) for scale in (1, 10))
    own, twice = (round(hill.height(rate) / hill.top, 2) + 0.0 for rate in (t, 2 * t))
    return (
        f"right: near the top of a hill your step gains {own:.0%} of the height that is left, and no other rate gains "
        f"more; twice the rate gains {twice:.0%}. With statistics ten times as large the rate is {finer / t:.2g} times "
        "what it was."
    )


def _judge_rate(hill: Hill, t: float) -> None:
    require(t != 0, "your rate is 0: such a step stays where it is.")
    r = hill.slope
    right = float(r @ r / (hill.p @ ((hill.g - hill.p @ hill.g) @ r) ** 2))
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
        "Of which part of Z can chains tell anything at all?",
        "The hidden states in which some chain is hold a share of the probability; each counts once, however many "
        "chains are in it.",
        "log of the sum of p_h over the distinct entries of reached",
    )
)
def predicted_miss(answer) -> str:
    """``answer(p_h, reached)`` must be the log Ẑ - log Z to expect of fairly weighted chains that ended in ``reached``.

    ``p_h`` (S,) are the target's probabilities of its hidden states, ``reached`` (C,) is the number of the state of
    each chain.

    Examples
    --------
    >>> predicted_miss(lambda p_h, reached: np.log(p_h[reached].sum()))
    ✗ two chains in one state: you count it twice. What is reached is reached; a second chain adds nothing to Z.
      A hint: ae.check.splines.predicted_miss.hint()
    """
    p = np.array([0.02, 0.43, 0.07, 0.3, 0.11, 0.07])
    for reached, case in (
        ([0], "one chain, in a state of probability 0.02: "),
        ([0, 2], "two chains, in states of probability 0.02 and 0.07: "),
        ([2, 2], "two chains in one state: "),
        ([2, 5, 2], "three chains in two states, each of probability 0.07: "),
        ([4, 0, 4, 2, 0, 0], "six chains in three states: "),
        ([3, 0, 1, 2, 4, 1, 5], "chains in every state: "),
    ):
        got = float(call(answer, p.copy(), np.array(reached), shape=()))
        _judge_miss(got, p, np.array(reached), case)
    tiny = np.array([1e-12, 1 - 1e-12])
    got = float(call(answer, tiny, np.zeros(1000, dtype=int), shape=()))
    rare = f"1,000 chains in a state of probability 1e-12: it should be -27.6, not {got:.1f}."
    require(same(got, np.log(1e-12)), rare)
    return "right: the log of what is reached, however many chains are there."


def _judge_miss(got: float, p: np.ndarray, reached: np.ndarray, case: str) -> None:
    states = np.unique(reached)
    share = p[states].sum()
    reject(got, {
        "you count it twice. What is reached is reached; a second chain adds nothing to Z.": np.log(p[reached].sum()),
        "you threw out equal *probabilities*; it is the states that count once each. Two states of one probability are "
        "two.": np.log(np.unique(p[states]).sum()),
        "this is the share of the probability that is reached; log Ẑ - log Z is its logarithm.": share,
        "this is the log of what is *not* reached.": np.log1p(-share) if share < 1 else np.inf,
        "the sign: an estimate that misses a part of Z is too low.": -np.log(share),
        "you added the logarithms of the probabilities. Probabilities of different states add, then comes the "
        "log.": np.log(p[states]).sum(),
        "you averaged over the chains. Unlikely states do not make likely ones smaller: add up.": np.log(
            p[reached].mean()
        ),
        "this is the log of the share of the *states* that are reached; some hold more than "
        "others.": np.log(len(states) / len(p)),
        "this is the state that holds most of what is reached; the others count, too.": np.log(p[states].max()),
    }, case, unless=np.log(share))
    require(
        same(got, np.log(share)),
        f"{case}they hold {share:.2f} of the probability, so that log Ẑ should be near log Z {np.log(share):+.2f}; "
        f"yours is {got:+.2f}.",
    )
