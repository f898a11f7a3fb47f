"""Checks of notebook 04: a first real model."""

import numpy as np
from scipy.special import expit

from anneal_edu.course.check.verdict import WrongAnswerError, call, exercise, reject, require, same
from anneal_edu.distributions import BinaryRBM, binary_states

_CHAINS_A_STATE = 20_000
_LARGEST_CHANCE_DISTANCE = 0.03  # of 8 probabilities from estimates by 20,000 draws; 0.006 is typical, beyond 1e-8 rare

# Fields of both signs, so that each slip gives other numbers
_RBM = BinaryRBM(
    [[-0.6, 0.4, 0.4], [-1.2, -0.8, 1.4], [-1.0, 1.4, 0.9], [1.2, -0.7, 1.7]], [0.2, -0.5, 0.4, -0.3], [1.7, 1.2, -0.4]
)
# The transition matrices of the right step and of the slips below differ by 0.1 or more in some row
_RBM_OF_STEPS = BinaryRBM([[2.0, -1.5], [-1.0, 2.5], [1.5, 1.0]], [0.5, -1.0, -0.5], [-1.0, 0.5])


def _parameters(rbm: BinaryRBM) -> tuple[np.ndarray, ...]:
    return tuple(np.array(part) for part in (rbm.weights, rbm.visible_bias, rbm.hidden_bias))


# Exercise 1
@exercise(
    hints=(
        "How many terms has the sum over one single hidden unit?",
        "Σ_h factorises: a factor 1 + e^(field) for each hidden unit, with field c + vW. np.logaddexp(0, a) is "
        "log(1 + e^a).",
        "log f(v) = v·b + Σ_j log(1 + exp(c_j + (vW)_j))",
    )
)
def log_f(answer) -> str:
    """``answer(v, weights, visible_bias, hidden_bias)`` must be log Σ_h f(v, h) for each row of v: (C, D) -> (C,).

    Examples
    --------
    >>> log_f(lambda v, W, b, c: np.log1p(np.exp(v @ W + c)).sum(-1))
    ✗ the visible biases are missing: add v · b to the sum over hidden units.
      A hint: ae.check.first_rbm.log_f.hint()
    """
    rbm, v = _RBM, binary_states(4)
    got = np.asarray(call(answer, v, *_parameters(rbm)))
    require(
        got.shape != (16, 3),
        "you have one number for each chain and hidden unit. f(v) is a product over hidden units: sum their logarithms "
        "over the last axis.",
    )
    require(
        got.shape == (16,),
        f"16 visible states went in, and shape {got.shape} came out; it should be (16,): one number a row of v.",
    )
    require(np.isfinite(got).all(), "your function returned NaN or infinity on a small RBM.")
    if not same(got, rbm.log_density(v)):
        _name_the_mistake_in_log_f(rbm, v, got)
    log_z = np.log(np.exp(got).sum())
    require(abs(log_z - rbm.log_z()) < 1e-6, "summed over all v, your f does not give Z.")
    large = BinaryRBM(400 * np.sign(rbm.weights), rbm.visible_bias, rbm.hidden_bias)
    got = np.asarray(call(answer, v, *_parameters(large)))
    require(
        np.isfinite(got).all(),
        "right for small weights, but with weights of ±400 it returns infinity: exp overflows above 709. For large a, "
        "log(1 + e^a) is a: `np.logaddexp(0, a)` knows this.",
    )
    require(same(got, large.log_density(v)), "right for small weights, but wrong by rounding where they are ±400.")
    return "right: on all 16 states, their sum is Z, and weights of ±400 do not overflow."


def _name_the_mistake_in_log_f(rbm: BinaryRBM, v: np.ndarray, got: np.ndarray) -> None:
    W, b, c = _parameters(rbm)
    field, right = v @ W + c, rbm.log_density(v)
    mean = expit(field)
    reject(got, {
        "the visible biases are missing: add v · b to the sum over hidden units.": right - v @ b,
        "the hidden biases are missing: the field of hidden unit j is c_j + (v "
        "W)_j.": v @ b + np.logaddexp(0, v @ W).sum(-1),
        "the sign of the weights is wrong: the field of hidden unit j is c_j + (v "
        "W)_j.": v @ b + np.logaddexp(0, c - v @ W).sum(-1),
        "you put the mean of h into the exponent. The mean of exp is not exp of the mean: this lies below log f(v) by "
        "the entropy of h given v. Sum both values of each h_j: 1 + exp(c_j + (v "
        "W)_j).": v @ b + (mean * field).sum(-1),
        "you took the better of h_j = 0 and h_j = 1. Both count: log(1 + e^a) instead of "
        "max(0, a).": v @ b + np.maximum(field, 0).sum(-1),
        "you set every hidden unit to 1. The sum over h_j has two terms, 1 (for h_j = 0) and e^a: log(1 + "
        "e^a).": v @ b + field.sum(-1),
        "log of the sigmoid is a - log(1 + e^a); wanted is log(1 + e^a) itself.": v @ b + np.log(mean).sum(-1),
        "this is f(v); wanted is its logarithm, which still fits into a float for real images.": np.exp(right),
        "this is the free energy, - log f(v): turn the sign.": -right,
        "this is the normalised log p(v). Wanted is log f(v), without log Z.": right - rbm.log_z(),
    })
    ratio = float(np.exp(got - got.max()).sum() / np.exp(right - got.max()).sum())
    raise WrongAnswerError(
        f"summed over all 16 states, your f gives {ratio:.3g} times Z. Write out Σ_h exp(v·b + h·c + v W h) for one "
        "hidden unit first: its two terms are e^(v·b) and e^(v·b) e^(c + v W)."
    )


# Exercise 2
@exercise(
    hints=(
        "Without weights, does any unit know of another?",
        "The sum over all states is a product, one factor a unit: which for a pixel of bias b, which for a hidden "
        "unit?",
        "log Z = Σ_i log(1 + e^{b_i}) + H log 2",
    )
)
def base_rate_log_z(answer) -> str:
    """``answer(visible_bias, n_hidden)`` must be log Z of the weightless RBM with these visible biases: a number.

    Examples
    --------
    >>> base_rate_log_z(lambda b, n_hidden: np.logaddexp(0, b).sum())
    ✗ H · log 2 is missing. A hidden unit without weights and bias is a fair coin: it still has two states, each \
counted once in Z, and doubles it.
      A hint: ae.check.first_rbm.base_rate_log_z.hint()
    """
    rng = np.random.default_rng(4)
    for D, H in ((5, 3), (12, 10), (3, 40)):
        b = rng.normal(scale=2.0, size=D)
        got = call(answer, b.copy(), H)
        require(np.ndim(got) == 0 and np.isfinite(got), "return one finite number: sum over the visible units.")
        one_side, right = np.logaddexp(0, b).sum(), np.logaddexp(0, b).sum() + H * np.log(2)
        reject(got, {
            "H · log 2 is missing. A hidden unit without weights and bias is a fair coin: it still has two states, "
            "each counted once in Z, and doubles it.": one_side,
            "all hidden units together double Z only once in yours; each of the H doubles it.": one_side + np.log(2),
            "each hidden unit doubles Z, so that log Z grows by log 2 = 0.69 each, not by 1.": one_side + H,
            "H hidden units have 2^H states together, not H of them: log 2^H = H · log 2.": one_side + np.log(H),
            "this is log Z of the uniform RBM: the visible biases must enter.": (D + H) * np.log(2),
            "a visible unit has two states, with factors 1 and e^b: log(1 + e^b), not b.": b.sum() + H * np.log(2),
            "a sign is wrong: hidden units add states, so that Z grows.": one_side - H * np.log(2),
            "this is in bits; the course counts in nats. Use natural logarithms.": right / np.log(2),
            "this is Z; wanted is log Z.": np.exp(right),
        })
        require(
            abs(float(got) - right) < 1e-8 * max(1.0, abs(right)),
            f"with {D} visible biases and {H} hidden units, summing all states gives {right:.6g}; yours gives "
            f"{float(got):.6g}. Without weights the sum over states factorises: one factor a unit.",
        )
    large = call(answer, np.array([800.0, -800.0]), 2)
    require(same(large, 800 + 2 * np.log(2)), "right, but biases of ±800 overflow: use np.logaddexp(0, b).")
    return "right: one factor (1 + e^b) a visible unit, one factor 2 a hidden unit."


# Exercise 3
def _transition_matrix(p_h: np.ndarray, v_given_h: np.ndarray) -> np.ndarray:
    """T[v, v'] = Σ_h p(h | v) p(v' | h), from p(h_j = 1 | v) (V, H) and p(v_i = 1 | h) (S, D)."""
    h, v = binary_states(p_h.shape[1]), binary_states(v_given_h.shape[1])
    to_h = np.prod(np.where(h, p_h[:, None], 1 - p_h[:, None]), axis=-1)  # (V, S)
    to_v = np.prod(np.where(v, v_given_h[:, None], 1 - v_given_h[:, None]), axis=-1)  # (S, V)
    return to_h @ to_v


def _known_transitions(rbm: BinaryRBM) -> dict[str, np.ndarray]:
    """The transition matrix of the right step, without a sentence, and of likely wrong ones."""
    W, c = rbm.weights, rbm.hidden_bias
    v, h = binary_states(rbm.dim), binary_states(rbm.n_hidden)
    p_h, p_v = rbm.hidden_given_visible(v), rbm.visible_given_hidden(h)
    everywhere = np.ones((len(v), 1))
    mean_v = rbm.visible_given_hidden(p_h)  # (V, D): v given the mean of h
    mean_field = np.prod(np.where(v, mean_v[:, None], 1 - mean_v[:, None]), axis=-1)
    steps = {
        "": (p_h, p_v),
        "you rounded p(h | v) to 0 or 1. Draw h: it is 1 where a uniform random number lies below p(h "
        "| v).": ((p_h > 0.5).astype(float), p_v),
        "you rounded p(v | h) to 0 or 1. Draw v: it is 1 where a uniform random number lies below p(v "
        "| h).": (p_h, (p_v > 0.5).astype(float)),
        "your new v does not depend on the old one: it was drawn from an h that had not been drawn given v. First "
        "h given v, then v given this h.": (np.full_like(p_h, 0.5), p_v),
        "your new v does not depend on the old one: the field of the hidden units is c + v @ "
        "weights.": (expit(everywhere * c), p_v),
        "the hidden biases are missing from the field of h.": (expit(v @ W), p_v),
        "the visible biases are missing from the field of v.": (p_h, expit(h @ W.T)),
        "h is 1 with probability 1 - p(h | v) in your step: compare the other way round, `random < "
        "probability`.": (1 - p_h, p_v),
        "v is 1 with probability 1 - p(v | h) in your step: compare the other way round, `random < "
        "probability`.": (p_h, 1 - p_v),
        "both comparisons are the wrong way round: a unit is 1 where `random < probability`.": (1 - p_h, 1 - p_v),
    }
    return {sentence: _transition_matrix(*given) for sentence, given in steps.items()} | {
        "you drew v given the *probabilities* of h. Then v no longer knows that the hidden units fell together: "
        "draw h as 0 or 1 first, then v given that h.": mean_field
    }


@exercise(
    hints=(
        "Which layer is drawn first, and is the second one given its probabilities or its values?",
        "A unit is 1 where rng.random(...) lies below its probability; draw h from p(h | v), then v from p(v | "
        "that h).",
        "h = rng.random(p_h.shape) < p_h with p_h = sigmoid(c + vW); v likewise, with p_v = sigmoid(b + hWᵀ)",
    )
)
def gibbs_step(answer) -> str:
    """``answer(v, weights, visible_bias, hidden_bias, rng)`` must be a block Gibbs step: (C, D) -> (C, D) of 0 and 1.

    Examples
    --------
    >>> gibbs_step(lambda v, W, b, c, rng: v)
    ✗ nothing moved: your step returns the v it was given. That leaves every distribution invariant, and explores none.
      A hint: ae.check.first_rbm.gibbs_step.hint()
    """
    rbm, states = _RBM_OF_STEPS, binary_states(3)
    v = np.repeat(states, _CHAINS_A_STATE, axis=0)
    got = call(answer, v.copy(), *_parameters(rbm), np.random.default_rng(4), shape=v.shape)
    got = got.astype(float)
    require(np.isin(got, (0, 1)).all(), "some of your new units are neither 0 nor 1: return draws, not probabilities.")
    again = call(answer, v.copy(), *_parameters(rbm), np.random.default_rng(4), shape=v.shape)
    require(
        (got == again).all(),
        "the same rng gave two different answers: take every random number from the rng that is passed in.",
    )
    require(
        not (got == v).all(),
        "nothing moved: your step returns the v it was given. That leaves every distribution invariant, and explores "
        "none.",
    )
    codes = (got @ [4, 2, 1]).astype(int).reshape(8, _CHAINS_A_STATE)
    found = np.stack([np.bincount(row, minlength=8) for row in codes]) / _CHAINS_A_STATE  # (8, 8)
    known = _known_transitions(rbm)
    distances = {sentence: 0.5 * np.abs(found - matrix).sum(-1).max() for sentence, matrix in known.items()}
    nearest = min(distances, key=distances.get)
    require(
        (found.max(-1) < 1).any() or distances[nearest] < _LARGEST_CHANCE_DISTANCE,
        "all chains that start in one state end in one state: every chain needs random numbers of its own, "
        "`rng.random(p.shape)`.",
    )
    require(not nearest or distances[nearest] >= 2 * _LARGEST_CHANCE_DISTANCE, nearest)
    p = np.exp(rbm.log_density(states) - rbm.log_z())
    before, after = p @ states, (p @ found) @ states
    require(
        distances[""] < _LARGEST_CHANCE_DISTANCE,
        "chains that start as exact draws do not stay exact draws: their mean was "
        f"{np.array2string(before, precision=2)}, after your step it is {np.array2string(after, precision=2)}. Draw h "
        "given v, then v given this h.",
    )
    return "right: your step makes all 64 transitions as often as it should, and exact draws stay exact draws."
