"""Checks of notebook 04: a first real model."""

import numpy as np
from scipy.special import expit, logsumexp

from anneal_edu.course.check.verdict import WrongAnswerError, call, call_sized, exercise, reject, require, same
from anneal_edu.distributions import BinaryRBM, binary_states

# Fields of both signs, so that each slip gives other numbers
_RBM = BinaryRBM(
    [[-0.6, 0.4, 0.4], [-1.2, -0.8, 1.4], [-1.0, 1.4, 0.9], [1.2, -0.7, 1.7]], [0.2, -0.5, 0.4, -0.3], [1.7, 1.2, -0.4]
)
# Weights with which a unit depends on the others so much that each wrong step shows
_STRONG_RBM = BinaryRBM([[2.5, -2.0], [2.5, 1.5], [-2.5, 2.5], [1.5, 2.5]], [-1.0, -2.0, 0.5, -1.5], [-1.0, 0.5])


def _parameters(rbm: BinaryRBM) -> tuple[np.ndarray, ...]:
    return tuple(np.array(part) for part in (rbm.weights, rbm.visible_bias, rbm.hidden_bias))


# Exercise 1
@exercise(
    hints=(
        "How many terms has the sum over one single pixel that is free, and how many over one that is given?",
        "Σ_v factorises: a factor 1 + e^(field) for each free pixel, with field b + Wh, and for each given one the "
        "term of its own value. np.logaddexp(0, a) is log(1 + e^a).",
        "h·c + Σ_{i ≤ k} v_i a_i + Σ_{i > k} log(1 + exp(a_i)), with a_i = b_i + (Wh)_i",
    )
)
def log_f(answer) -> str:
    """``answer(h, weights, visible_bias, hidden_bias, first)`` must be, for each row of h, log Σ f(v, h): (C,).

    The sum is over all v that begin with the k pixels of ``first``.

    Examples
    --------
    >>> log_f(lambda h, W, b, c, first: h @ c + np.log1p(np.exp(h @ W.T + b)).sum(-1))
    ✗ with first = [1]: you sum over every pixel, as if none were given. Of a given one a single value is left.
      A hint: ae.check.first_rbm.log_f.hint()
    """
    rbm, h = _RBM, binary_states(3)
    sizes = (
        "the sizes do not fit: h has H entries a row, weights is (D, H), visible_bias has D, hidden_bias H, first k. "
        "Did you copy log f(v), or leave W as it stands there? Now the pixels are summed, not the hidden units. Or is "
        "the sum one over the chains? Each row of h keeps its own number."
    )
    for first in ([], [1], [0, 1], [1, 0, 1], [1, 0, 1, 1]):
        case, given = f"with first = {first}: ", np.array(first, dtype=float)
        got = np.asarray(call_sized(sizes, answer, h, *_parameters(rbm), given))
        require(
            got.shape != (8, 4),
            f"{case}you have one number for each chain and pixel. The sum is a product over pixels: add their "
            "logarithms up over the last axis.",
        )
        require(
            got.shape == (8,),
            f"{case}8 hidden states went in, and shape {got.shape} came out; it should be (8,): one number a row of h.",
        )
        require(np.isfinite(got).all(), f"{case}your function returned NaN or infinity on a small RBM.")
        if not same(got, _exact_log_f(rbm, h, given)):
            _name_the_mistake_in_log_f(rbm, h, given, got, case)
    middle = BinaryRBM(2.5 * np.sign(rbm.weights), rbm.visible_bias + 2, rbm.hidden_bias)  # fields from -5 to 10
    got = np.asarray(call(answer, h, *_parameters(middle), np.array([])))
    require(
        same(got, _exact_log_f(middle, h, np.array([]))),
        "right for small weights, but not where b + W h is 3 to 10: there log(1 + e^a) is still a little more than a.",
    )
    large = BinaryRBM(400 * np.sign(rbm.weights), rbm.visible_bias, rbm.hidden_bias)
    for given in (np.array([]), np.array([0.0, 1.0])):
        got, right = np.asarray(call(answer, h, *_parameters(large), given)), _exact_log_f(large, h, given)
        require(
            np.isfinite(got).all(),
            "right for small weights, but with weights of ±400 it returns infinity: exp overflows above 709. For large "
            "a, log(1 + e^a) is a: `np.logaddexp(0, a)` knows this.",
        )
        require(
            same(got, right),
            f"right for small weights, and off by up to {np.abs(got - right).max():.3g} where they are ±400. For large "
            "a, log(1 + e^a) is a: a field that was cut off, or a sum that was rounded, is another one. "
            "`np.logaddexp(0, a)` cuts nothing.",
        )
    return (
        "right: on all 8 hidden states, with none of four pixels given, with some and with all; and weights of ±400 do "
        "not overflow. With none given this is log f(h), whose sum over all h is Z."
    )


def _exact_log_f(rbm: BinaryRBM, h: np.ndarray, first: np.ndarray) -> np.ndarray:
    """log Σ f(v, h) over the v that begin with ``first``, one by one: (C,)."""
    v = binary_states(rbm.dim)
    v = v[(v[:, : len(first)] == first).all(1)]
    return logsumexp(v @ rbm.visible_bias + h @ rbm.weights.T @ v.T, axis=1) + h @ rbm.hidden_bias


def _name_the_mistake_in_log_f(rbm: BinaryRBM, h: np.ndarray, first: np.ndarray, got: np.ndarray, case: str) -> None:
    (W, b, c), k = _parameters(rbm), len(first)
    right, field = _exact_log_f(rbm, h, first), h @ W.T + b

    def total(a: np.ndarray) -> np.ndarray:
        return h @ c + a[:, :k] @ first + np.logaddexp(0, a[:, k:]).sum(-1)

    given, free = field[:, :k], field[:, k:]
    summed, each, known, mean = np.logaddexp(0, free).sum(-1), np.logaddexp(0, given), given @ first, expit(free)
    reject(got, {
        "the hidden biases are missing: add h · c to the sum over pixels.": right - h @ c,
        "the visible biases are missing: the field of pixel i is b_i + (W h)_i.": total(h @ W.T),
        "the sign of the weights is wrong: the field of pixel i is b_i + (W h)_i.": total(b - h @ W.T),
        "you sum over every pixel, as if none were given. Of a given one a single value is left.": right - known
        + each.sum(-1),
        "the given pixels are left out. They are not summed, and yet each that is 1 brings e^(field).": right - known,
        "the given pixels count twice, as given and in the sum.": right + each.sum(-1),
        "a given pixel counts as if it were black. One that is 0 brings the factor 1.": right - known + given.sum(-1),
        "a given pixel brings its bias and no weights. Its field, too, is b_i + (W h)_i.": right - known
        + b[:k] @ first,
        "you divide by the sum over the given pixels: that makes a probability of it. No Z of any kind here.": right
        - each.sum(-1),
        "this is log p(first | h). The free pixels, and h · c, belong to the sum.": known - each.sum(-1),
        "the given pixels are the *last* k in yours.": h @ c + field[:, rbm.dim - k :] @ first
        + np.logaddexp(0, field[:, : rbm.dim - k]).sum(-1),
        "you put the mean of v into the exponent. The mean of exp is not exp of the mean: this lies too low by the "
        "entropy of v given h. Sum both values of each free v_i: 1 + exp(b_i + (W h)_i).": right - summed
        + (mean * free).sum(-1),
        "you took the better of v_i = 0 and v_i = 1. Both count: log(1 + e^a) instead of max(0, a).": right - summed
        + np.maximum(free, 0).sum(-1),
        "you made every free pixel black. The sum over v_i has two terms, 1 (for v_i = 0) and e^a: log(1 + e^a).": right
        - summed + free.sum(-1),
        "log of the sigmoid is a - log(1 + e^a); wanted is log(1 + e^a) itself.": right - summed + np.log(mean).sum(-1),
        "this is f, summed; wanted is its logarithm, which still fits into a float for real images.": np.exp(right),
        "this is a free energy, - log f: turn the sign.": -right,
        "this is normalised. Wanted is log f, without log Z.": right - rbm.log_z(),
    }, case, unless=right)
    ratio = float(np.exp(logsumexp(got) - logsumexp(right)))
    raise WrongAnswerError(
        f"{case}summed over all 8 states of h, your f gives {ratio:.3g} times what it should. Write out "
        "Σ_v exp(v·b + h·c + v W h) for one free pixel first: its two terms are e^(h·c) and e^(h·c) e^(b + W h)."
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
        b[0] = 5.4  # log(1 + e^b) is still a little more than b
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
            abs(float(got) - right) < 1e-6 * max(1.0, abs(right)),
            f"with {D} visible biases and {H} hidden units, summing all states gives {right:.6g}; yours gives "
            f"{float(got):.6g}. Without weights the sum over states factorises: one factor a unit.",
        )
    large, right = _or_infinity(answer, np.array([800.0, -800.0]), 2), 800 + 2 * np.log(2)
    require(np.isfinite(large), "right, but biases of ±800 overflow: use np.logaddexp(0, b).")
    cut = f"right, but biases of ±800 give {right:.1f}, and in yours {float(large):.1f}: is something cut off?"
    require(same(large, right), cut)
    many, right = _or_infinity(answer, np.array([1.0]), 2000), np.logaddexp(0, 1.0) + 2000 * np.log(2)
    require(same(many, right), "right, but not with 2,000 hidden units: 2^2000 is infinite in a computer, its log not.")
    return "right: one factor (1 + e^b) a visible unit, one factor 2 a hidden unit."


def _or_infinity(answer, visible_bias: np.ndarray, n_hidden: int):
    """The answer; infinity where Python or numpy refuses a number that large."""
    try:
        return call(answer, visible_bias, n_hidden)
    except (ArithmeticError, AttributeError, TypeError):
        return np.inf


# Exercise 3
def _coins(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(p.shape) < p).astype(float)


def _gibbs(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return _coins(rbm.visible_given_hidden(_coins(rbm.hidden_given_visible(v), rng)), rng)


def _flip(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Metropolis: propose to flip one pixel."""
    new = v.copy()
    rows, pixel = np.arange(len(v)), rng.integers(rbm.dim, size=len(v))
    new[rows, pixel] = 1 - new[rows, pixel]
    accept = np.log(rng.random(len(v))) < rbm.log_density(new) - rbm.log_density(v)
    return np.where(accept[:, None], new, v)


def _each_pixel_alone(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Right in every mean, wrong in what goes with what: each pixel is shuffled over the chains."""
    return np.stack([rng.permutation(column) for column in v.T], axis=1)


def _each_pair_right(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Fresh draws, right in every pixel and every pair of pixels, and wrong in the first three together."""
    states = binary_states(rbm.dim)
    p = np.exp(rbm.log_density(states) - rbm.log_z())
    sign = (2 * states[:, :3] - 1).prod(-1)  # added to p it changes the mean of no pixel and of no product of two
    for fourth in (0, 1):
        here = states[:, 3] == fourth
        p[here] += p[here & (sign < 0)].min() * sign[here]
    return states[rng.choice(len(states), size=len(v), p=p / p.sum())]


def _each_average_right(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Fresh draws, right in every pixel and pair, in the parity of the ink and in the means of p(v) and log p(v)."""
    states = binary_states(rbm.dim)
    log_p, signs = rbm.log_density(states) - rbm.log_z(), 2 * states - 1
    p, (i, j) = np.exp(log_p), np.triu_indices(rbm.dim, 1)
    kept = np.stack([p**0, *states.T, *(states[:, i] * states[:, j]).T, signs.prod(-1), p, log_p])
    three, root = signs[:, :3].prod(-1), np.sqrt(p)
    lean = p * (three - np.linalg.lstsq((root * kept).T, root * three)[0] @ kept)
    p += 0.99 * (p / -lean)[lean < 0].min() * lean
    return states[rng.choice(len(states), size=len(v), p=p / p.sum())]


_TIMES = 40  # that the Gibbs step comes again: a test that errs once in twenty shall not pass by luck
_STEPS = {  # step(rbm, v, rng) -> v; whether it is sound; what to say to whom thinks otherwise
    "Gibbs": (_gibbs, True, "it is the Gibbs step of the lesson."),
    "the hidden biases are missing": (
        lambda rbm, v, rng: _gibbs(BinaryRBM(rbm.weights, rbm.visible_bias, 0 * rbm.hidden_bias), v, rng),
        False, "it forgets the hidden biases: exact draws become others at once.",
    ),
    "nothing moves": (lambda rbm, v, rng: v.copy(), True, "a step that never moves explores nothing, and is sound."),
    "Metropolis": (_flip, True, "it flips one pixel at a time by the rule of Metropolis."),
    "h is not drawn": (
        lambda rbm, v, rng: _coins(rbm.visible_given_hidden(rbm.hidden_given_visible(v)), rng),
        False, "it uses the probabilities of h and never draws h.",
    ),
    "each pixel alone": (
        _each_pixel_alone, False,
        "every pixel keeps its mean, but it exchanges pixels between chains: compare whole states, not means, and "
        "start from a mixed batch of exact draws.",
    ),
    "independent": (lambda rbm, v, rng: rbm.sample(len(v), rng), True, "it makes fresh exact draws."),
    "each pair": (
        _each_pair_right, False,
        "each pixel and each pair of pixels comes up as often as it should, and three together do not: compare whole "
        "states, not means and products.",
    ),
    "each average": (
        _each_average_right, False,
        "each pixel and each pair, the parity of the ink and the means of p(v) and log f(v) come out as they should, "
        "and the shares of the states do not: a few averages are not enough, compare whole states.",
    ),
    "a generator of its own": (
        lambda rbm, v, rng: _gibbs(rbm, v, np.random.default_rng(0)),
        False, "once it is harmless. But it throws the same coins in every call, `default_rng(0)`: take several steps.",
    ),
}  # fmt: skip


@exercise(
    hints=(
        "If a chain starts as an exact draw and the step is sound, what is it after one step, and after ten?",
        "Take many exact draws, let them make several steps, and compare how often each whole state occurs with its "
        "exact probability: not only each pixel's mean.",
        "p = exp(log_density(states) - log_z); counts of v @ (8, 4, 2, 1) of 20,000 draws after ten steps; unsound if "
        "half the summed difference exceeds 0.03",
    )
)
def is_sound(answer) -> str:
    """``answer(step, rbm, rng)`` must be True if step(v, rng) can serve AIS as a kernel for this RBM, else False.

    Examples
    --------
    >>> is_sound(lambda step, rbm, rng: True)
    ✗ you say that this step is sound, and it is not: it forgets the hidden biases: exact draws become others at once.
      A hint: ae.check.first_rbm.is_sound.hint()
    """
    again = "it is the Gibbs step again, and what you saw is chance: take more draws, or allow them more."
    for number, (step, sound, why) in enumerate([*_STEPS.values(), *_TIMES * [(_gibbs, True, again)]]):
        said = call(answer, _handed_out(step), _STRONG_RBM, np.random.default_rng(number))
        require(
            isinstance(said, bool | np.bool_), f"return True or False; you return {said!r} ({type(said).__name__})."
        )
        judged = "sound, and it is not" if said else "not sound, and it is"
        require(bool(said) == sound, f"you say that this step is {judged}: {why}")
    return (
        f"right: {len(_STEPS)} steps, four of them sound. The last throws the same coins in every call: after one step "
        "nothing shows, after ten the states come up with wrong shares."
    )


def _handed_out(step):
    """The step as a learner gets it, for the RBM of the exercise."""
    return lambda v, rng: step(_STRONG_RBM, np.asarray(v, dtype=float), rng)
