"""Checks of notebook 04: a first real model."""

from functools import partial

import numpy as np
from scipy.special import expit, logsumexp

from anneal_edu.course.bugs.rbm_steps import STEPS, gibbs, unlucky
from anneal_edu.course.check.kernels import TIMES, judge_direction, last_draws, said_of
from anneal_edu.course.check.verdict import (
    WrongAnswerError,
    call,
    call_sized,
    exercise,
    own_chance,
    reject,
    require,
    same,
)
from anneal_edu.distributions import BinaryRBM, binary_states

# Fields of both signs, so that each slip gives other numbers
_RBM = BinaryRBM(
    [[-0.6, 0.4, 0.4], [-1.2, -0.8, 1.4], [-1.0, 1.4, 0.9], [1.2, -0.7, 1.7]], [0.2, -0.5, 0.4, -0.3], [1.7, 1.2, -0.4]
)


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
    ✗ with first = [1, 0, 0]: you sum over every pixel, as if none were given. Of a given one a single value is left.
      A hint: ae.check.first_rbm.log_f.hint()
    """
    rbm, h = _RBM, binary_states(3)
    sizes = (
        "the sizes do not fit: h has H entries a row, weights is (D, H), visible_bias has D, hidden_bias H, first k. "
        "Did you copy log f(v), or leave W as it stands there? Now the pixels are summed, not the hidden units. Or is "
        "the sum one over the chains? Each row of h keeps its own number."
    )
    for first in ([], [1, 0, 0], [1], [0], [0, 1], [0, 0], [1, 0, 1], [1, 0, 1, 1]):
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
    _judge_fields(answer)
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


_FIELDS = np.array([0.0, 1.0, 2.2, 3.3, 4.2, 5.5, 7.0, 8.5, 10.0, 11.0])  # log(1 + e^a) is not yet a


def _judge_fields(answer) -> None:
    """One pixel with these fields and their negatives, alone and behind a given one; then one row of h."""
    for field in (_FIELDS, -_FIELDS):
        for given, weights in (([], [field]), ([1.0], [np.ones(10), field]), ([0.0], [field[::-1], field])):
            rbm = BinaryRBM(weights, np.zeros(len(weights)), np.zeros(10))
            got = np.asarray(call(answer, np.eye(10), *_parameters(rbm), np.array(given)))
            right = _exact_log_f(rbm, np.eye(10), np.array(given))
            require(got.shape == (10,), f"of 10 rows of h, with D = {rbm.dim}, yours makes shape {got.shape}.")
            off = int(abs(got - right).argmax())
            require(
                same(got, right),
                f"right for fields of a nat or two, but with first = {given} and one free pixel with b + W h = "
                f"{field[off]:g} it is {right[off]:.8g}, and yours {got[off]:.8g}: there log(1 + e^a) is neither a nor "
                "0 yet.",
            )
    rng = np.random.default_rng(4)
    for D, H in ((3, 3), (7, 2)):
        rbm, h = BinaryRBM(*(rng.normal(size=size) for size in ((D, H), D, H))), binary_states(H)
        got, right = call(answer, h, *_parameters(rbm), np.array([1.0])), _exact_log_f(rbm, h, np.array([1.0]))
        sizes = f"right for 4 pixels and 3 hidden units, and wrong for {D} and {H}: W is (D, H), whatever D and H are."
        require(same(got, right), sizes)
    got = np.asarray(call(answer, np.ones((1, 3)), *_parameters(_RBM), np.array([1.0])))
    right = _exact_log_f(_RBM, np.ones((1, 3)), np.array([1.0]))
    require(same(got, right), f"one row of h went in; the answer should be [{right[0]:.4f}], and yours is {got}.")


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
        "the given pixels are turned round in yours, or sorted: 1 counts as 0, and 0 as 1.": right - known
        + given @ (1 - first),
        "a given pixel brings its bias and no weights. Its field, too, is b_i + (W h)_i.": right - known
        + b[:k] @ first,
        "you divide by the sum over the given pixels: that makes a probability of it. No Z of any kind here.": right
        - each.sum(-1),
        "this is log p(first | h). The free pixels, and h · c, belong to the sum.": known - each.sum(-1),
        "the given pixels stand in the wrong order in yours: first[0] is pixel 0.": right - known + given @ first[::-1],
        "the given pixels count as -1 and 1 in yours; they are 0 and 1.": right - known + given @ (2 * first - 1),
        "the free pixels count as -1 and 1 in yours; they are 0 and 1.": right - summed
        + np.logaddexp(-free, free).sum(-1),
        "all hidden biases are in it for every row of h; h_j says whether c_j counts: h · c.": right - h @ c + c.sum(),
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
    off = np.abs(got - right).max()
    require(
        off > 0.005,
        f"{case}nearly: your log f is off by up to {off:.1g}. Is something rounded, or computed in single precision?",
    )
    raise WrongAnswerError(
        f"{case}summed over all 8 states of h, your f gives {ratio:.3g} times what it should. "
        + (
            f"How should pixels come in that are given, here {', '.join(f'{pixel:g}' for pixel in first)}?"
            if k
            else "Write out Σ_v exp(v·b + h·c + v W h) for one free pixel first: its two terms are e^(h·c) and "
            "e^(h·c) e^(b + W h)."
        )
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
    for D, H in ((7, 4), (12, 10), (3, 40)):
        b = rng.normal(scale=2.0, size=D)
        b[:2] = 0.5 + abs(b[0]), -0.5 - abs(b[1])  # of both signs, so that each slip gives another number
        got = call(answer, b.copy(), H)
        require(np.ndim(got) == 0 and np.isfinite(got), "return one finite number: sum over the visible units.")
        one_side, right = np.logaddexp(0, b).sum(), np.logaddexp(0, b).sum() + H * np.log(2)
        reject(got, {
            "H · log 2 is missing. A hidden unit without weights and bias is a fair coin: it still has two states, "
            "each counted once in Z, and doubles it.": one_side,
            "all hidden units together double Z only once in yours; each of the H doubles it.": one_side + np.log(2),
            "each hidden unit doubles Z, so that log Z grows by log 2 = 0.69 each, not by 1.": one_side + H,
            "H hidden units have 2^H states together, not H of them: log 2^H = H · log 2.": one_side + np.log(H),
            "H hidden units have 2^H states together, not H + 1: log 2^H = H · log 2.": one_side + np.log(H + 1),
            "this is log Z of the uniform RBM: the visible biases must enter.": (D + H) * np.log(2),
            "a visible unit has two states, with factors 1 and e^b: log(1 + e^b), not b.": b.sum() + H * np.log(2),
            "a sign is wrong: hidden units add states, so that Z grows.": one_side - H * np.log(2),
            "the sign of the biases: a visible unit brings 1 + e^b, not 1 + e^-b.": np.logaddexp(0, -b).sum()
            + H * np.log(2),
            "this is the mean over the visible units; each brings its own factor: a sum of logs.": one_side / D
            + H * np.log(2),
            "this is log(1 + Σ e^b); each unit brings its own factor 1 + e^b.": np.log1p(np.exp(b).sum())
            + H * np.log(2),
            "you count one hidden unit for each visible one; there are n_hidden.": one_side + D * np.log(2),
            "H - 1 hidden units are counted in yours.": right - np.log(2),
            "H + 1 hidden units are counted in yours.": right + np.log(2),
            "H multiplies the visible part in yours; the layers' factors multiply, so that their logs add.": H
            * one_side,
            "D · H · log 2 counts a coin for each weight; units are counted, not weights.": D * H * np.log(2),
            "the sign: this is -log Z.": -right,
            "you took the better of 0 and b; both states count: log(1 + e^b).": np.maximum(0, b).sum() + H * np.log(2),
            "this is in bits; the course counts in nats. Use natural logarithms.": right / np.log(2),
            "this is Z; wanted is log Z.": np.exp(right),
        })
        require(
            abs(float(got) - right) < 1e-6 * max(1.0, abs(right)),
            f"with {D} visible biases and {H} hidden units, summing all states gives {right:.6g}; yours gives "
            f"{float(got):.6g}. Without weights the sum over states factorises: one factor a unit.",
        )
    for b in (*_FIELDS, *-_FIELDS):
        got, right = call(answer, np.array([b]), 1), np.logaddexp(0, b) + np.log(2)
        require(
            np.ndim(got) == 0 and same(got, right),
            f"right for several units, but with one bias of {b:g} and one hidden unit it is {right:.6f}, and yours is "
            f"{got}: log(1 + e^b) is neither b nor 0 there.",
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
@exercise(
    hints=(
        "If a chain starts as an exact draw and the step is sound, what is it after one step, and after eleven?",
        "Take many exact draws, let them make several steps, and compare how often each whole state occurs with its "
        "exact probability: not only each pixel's mean.",
        "p = exp(log_density(states) - log_z); counts of v @ (8, 4, 2, 1) of 20,000 draws after one step, and after "
        "eleven; unsound if half the summed difference exceeds 0.03 after either",
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
    # A rule that takes the looks of one batch for independent has luck with it once, and not five times
    more = [*4 * [STEPS["nothing moves"]], *TIMES * [(gibbs, True, again)]]
    for number, (step, sound, why) in enumerate([*STEPS.values(), *more]):
        said = said_of(answer, step, number)
        require(
            isinstance(said, bool | np.bool_), f"return True or False; you return {said!r} ({type(said).__name__})."
        )
        if bool(said) != sound:
            judge_direction(answer)
        judged = "sound, and it is not" if said else "not sound, and it is"
        require(bool(said) == sound, f"you say that this step is {judged}: {why}")
    own_chance(partial(last_draws, answer), "draws")
    for number in range(1, 13):
        require(
            bool(said_of(answer, unlucky(number), 1000 + number)),
            f"you accuse exact draws whose shares are off as those of one batch in 20,000 are by chance (at your call "
            f"number {number}). Such luck is granted at every look: allow them more.",
        )
    n_sound = sum(sound for _, sound, _ in STEPS.values())
    return (
        f"right: {len(STEPS)} steps, {n_sound} of them sound. The last throws the same coins in every call: after one "
        "step nothing shows, after eleven the states come up with wrong shares."
    )
