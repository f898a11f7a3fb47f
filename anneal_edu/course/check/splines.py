"""Checks of notebook 05: a better path for RBMs."""

import numpy as np
from scipy.special import expit

from anneal_edu.course.check.verdict import arrays, call, call_sized, exercise, reject, require, same, several
from anneal_edu.distributions import BinaryRBM, binary_states, uniform_rbm
from anneal_edu.distributions.protocol import inner

_NAMES = ("E v", "E h", "E v hᵀ")
_PARAMETERS = ("visible_bias", "hidden_bias", "weights")


_RBM = BinaryRBM(
    [[-0.6, 0.4, 0.4], [-1.2, -0.8, 1.4], [-1.0, 1.4, 0.9], [1.2, -0.7, 1.7]], [0.2, -0.5, 0.4, -0.3], [0.7, 0.2, -1.0]
)
_ANOTHER_RBM = BinaryRBM(
    [[-0.8, -1.3, -0.2], [0.4, 1.1, 0.1], [-0.6, -0.8, 0.7], [1.6, 0.3, -1.2]],
    [-1.0, 1.6, 0.2, -1.7],
    [-0.1, -1.2, -0.6],
)


def _three(answer, names: tuple[str, ...], like: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """Three finite arrays of the right shapes, or a sentence about what came instead."""
    parts = several(answer, 3, f"return three arrays: {', '.join(names)}, in this order.")
    for name, part, right in zip(names, parts, like, strict=True):
        transposed = np.shape(part) == right.shape[::-1] != right.shape
        require(not transposed, f"{name} is transposed: rows belong to visible units, columns to hidden ones.")
    return arrays(parts, {name: right.shape for name, right in zip(names, like, strict=True)}, "")


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
    got = _three(call_sized(sizes, answer, h.copy(), p_h.copy(), W.copy(), b.copy()), _NAMES, right)
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
        "If the model has a pixel on too rarely, must its bias rise or fall?",
        "The gradient of A(η) is the model's moments. Where should the step come to rest?",
        "new = old + rate · (target - model), for each of the three",
    )
)
def ascent(answer) -> str:
    """``answer(parameters, target, model, rate)`` must be the parameters after a step up the gradient of η·s - A(η).

    All four but the rate are triples (visible, hidden, weights), as is the answer.

    Examples
    --------
    >>> ascent(lambda eta, target, model, rate: [p - rate * (s - m) for p, s, m in zip(eta, target, model)])
    ✗ your step goes downhill: η·s - A(η) fell. The gradient is target minus model, and it is added. Check one unit: \
if the model is on too rarely, its bias must rise.
      A hint: ae.check.splines.ascent.hint()
    """
    goal, start, rate = _RBM, _ANOTHER_RBM, 0.1
    target = goal.moments()
    eta, model = start.natural_parameters(), start.moments()

    def step(rbm: BinaryRBM, rate: float) -> list[np.ndarray]:
        given = [tuple(np.array(part) for part in parts) for parts in (rbm.natural_parameters(), target, rbm.moments())]
        return _three(call(answer, *given, rate), _PARAMETERS, eta)

    got = step(start, rate)
    changes = [new - old for new, old in zip(got, eta, strict=True)]
    gradient = [s - m for s, m in zip(target, model, strict=True)]
    require(any(change.any() for change in changes), "nothing moved: your step returns the parameters it was given.")
    for part, name in zip(changes, _PARAMETERS, strict=True):
        require(part.any(), f"{name} did not move: all three groups of parameters have a gradient.")
    reject(got, {
        "you returned the target's moments. Moments and parameters are different coordinates: add a step.": target,
        "you returned the direction alone: add it, times the rate, to the parameters.": gradient,
        "you returned the step alone: add it to the parameters.": [rate * g for g in gradient],
        "the rate is missing: the step is rate times gradient.": [
            p + g for p, g in zip(eta, gradient, strict=True)
        ],
        "you added the target's moments alone. Subtract the model's: at the solution the step must "
        "vanish.": [p + rate * s for p, s in zip(eta, target, strict=True)],
        "you compared the target's moments with the *parameters*. Compare moments with "
        "moments.": [p + rate * (s - p) for p, s in zip(eta, target, strict=True)],
    })

    def objective(parameters) -> float:
        b, c, W = parameters
        return inner(parameters, target) - BinaryRBM(W, b, c).log_z()

    require(
        objective(got) > objective(eta),
        "your step goes downhill: η·s - A(η) fell. The gradient is target minus model, and it is added. Check one "
        "unit: if the model is on too rarely, its bias must rise.",
    )
    require(
        same(step(goal, rate), goal.natural_parameters()),
        "at the solution, where model and target have the same moments, your step still moves.",
    )
    rbm = uniform_rbm(4, 3)
    for _ in range(100):
        b, c, W = step(rbm, 1.0)
        require(
            max(np.abs(part).max() for part in (b, c, W)) < 1000,
            "steps of rate 1 from the uniform RBM run away: the parameters grow beyond 1,000. A step is "
            "rate · (target - model), and nothing divides it.",
        )
        rbm = BinaryRBM(W, b, c)
    before, after = (_worst(p, target) for p in (uniform_rbm(4, 3), rbm))
    require(
        after < before / 2,
        f"after 100 steps of rate 1 from the uniform RBM, the worst moment misses by {after:.2g}; at the start it was "
        f"{before:.2g}. A step is rate · (target - model) for each of the three.",
    )
    for part, g, name in zip(changes, gradient, _PARAMETERS, strict=True):
        require(same(part, rate * g), f"{name} does not move by rate · (target - model).")
    require(not same(step(start, 0.03), got), "at rate 0.03 your step is as long as at 0.1: use the given rate.")
    slow = [p + 0.03 * g for p, g in zip(eta, gradient, strict=True)]
    require(same(step(start, 0.03), slow), "at rate 0.03 your step is not rate · (target - model).")
    return f"right: it climbs, rests at the top, and 100 steps take the worst miss from {before:.2f} to {after:.2f}."


def _worst(rbm: BinaryRBM, target) -> float:
    return float(max(np.abs(m - s).max() for m, s in zip(rbm.moments(), target, strict=True)))


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
