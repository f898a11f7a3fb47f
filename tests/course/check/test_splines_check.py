"""Known-wrong answers to the exercises of notebook 05: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

from anneal_edu.course.check import splines


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def moments(given=lambda h, W, b: sigmoid(h @ W.T + b), mean=lambda p, x: p @ x, product=None):
    """The moments, with chosen faults."""

    def answer(h, p, W, b):
        v = given(h, W, b)
        together = (v * p[:, None]).T @ h if product is None else product(v, h, p)
        return mean(p, v), p @ h, together

    return answer


def overflowing(a):
    return np.exp(a) / (1 + np.exp(a))


def states_of_its_own(h, p, W, b):
    return moments()(np.array(list(np.ndindex((2,) * h.shape[1]))), p, W, b)


def three_hidden(v, h, p):
    return np.stack([(v * p[:, None]).T @ h[:, j] for j in range(3)], axis=1)


WRONG_MOMENTS = {
    "a sigmoid that overflows": (moments(given=lambda h, W, b: overflowing(h @ W.T + b)), "infinity over infinity"),
    "W not transposed": (moments(given=lambda h, W, b: sigmoid(h @ W + b)), "the sizes do not fit"),
    "states of its own": (states_of_its_own, "in another order"),
    "three hidden units": (moments(product=three_hidden), "2 visible and 4 hidden units"),
    "independent": (moments(product=lambda v, h, p: np.outer(p @ v, p @ h)), "independent layers"),
    "transposed": (moments(product=lambda v, h, p: h.T @ (v * p[:, None])), "transposed"),
    "product without p": (moments(product=lambda v, h, p: v.T @ h), "p_h are missing"),
    "product halved": (moments(product=lambda v, h, p: 0.5 * (v * p[:, None]).T @ h), "Σ_h p(h) p(v_i = 1 | h) h_j"),
    "given h_j": (moments(product=lambda v, h, p: (v * p[:, None]).T @ h / (p @ h)), "*while* feature j is on"),
    "no sigmoid": (moments(given=lambda h, W, b: h @ W.T + b), "average the probabilities"),
    "no bias": (moments(given=lambda h, W, b: sigmoid(h @ W.T)), "visible biases are missing"),
    "unweighted v": (moments(mean=lambda p, x: x.mean(0)), "E v is wrong: you averaged over the states as if"),
    "summed v": (moments(mean=lambda p, x: x.sum(0)), "E v is wrong: you summed over the states without"),
    "something else": (moments(mean=lambda p, x: p @ x / 2), "sigmoid inside the sum"),
    "mean field": (
        lambda h, p, W, b: (sigmoid(p @ h @ W.T + b), p @ h, (sigmoid(h @ W.T + b) * p[:, None]).T @ h),
        "sigmoid of the mean",
    ),
    "unweighted h": (lambda h, p, W, b: (np.zeros(4), h.mean(0), np.zeros((4, 3))), "E h is wrong: you averaged"),
    "summed h": (lambda h, p, W, b: (np.zeros(4), h.sum(0), np.zeros((4, 3))), "E h is wrong: you summed"),
    "other h": (lambda h, p, W, b: (np.zeros(4), np.zeros(3), np.zeros((4, 3))), "E h is wrong: it is"),
    "one array": (lambda h, p, W, b: p @ h, "return three arrays"),
    "wrong shape": (lambda h, p, W, b: (p @ h, p @ h, p @ h), "shape (3,)"),
    "NaN": (lambda h, p, W, b: (np.full(4, np.nan), p @ h, np.zeros((4, 3))), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_MOMENTS)
def test_wrong_moments(mistake):
    answer, message = WRONG_MOMENTS[mistake]
    verdict = splines.moments(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_moments():
    assert splines.moments(moments()).passed


def step(change):
    return lambda eta, target, model, rate: [
        change(p, s, m, rate) for p, s, m in zip(eta, target, model, strict=True)
    ]


WRONG_STEP = {
    "downhill": (step(lambda p, s, m, rate: p - rate * (s - m)), "downhill"),
    "model minus target": (step(lambda p, s, m, rate: p + rate * (m - s)), "downhill"),
    "moments as parameters": (step(lambda p, s, m, rate: s), "different coordinates"),
    "direction alone": (step(lambda p, s, m, rate: s - m), "direction alone"),
    "step alone": (step(lambda p, s, m, rate: rate * (s - m)), "step alone"),
    "no rate": (step(lambda p, s, m, rate: p + s - m), "rate is missing"),
    "no model": (step(lambda p, s, m, rate: p + rate * s), "target's moments alone"),
    "parameters for moments": (step(lambda p, s, m, rate: p + rate * (s - p)), "with the *parameters*"),
    "still": (step(lambda p, s, m, rate: p), "nothing moved"),
    "weights alone": (lambda eta, s, m, rate: (eta[0], eta[1], eta[2] + rate * (s[2] - m[2])), "visible_bias did not"),
    "biases alone": (
        lambda eta, s, m, rate: (eta[0] + rate * (s[0] - m[0]), eta[1] + rate * (s[1] - m[1]), eta[2]),
        "weights did not",
    ),
    "signs": (step(lambda p, s, m, rate: p + rate * np.sign(s - m)), "after 100 steps"),
    "twice": (step(lambda p, s, m, rate: p + 2 * rate * (s - m)), "does not move by"),
    "drift": (step(lambda p, s, m, rate: 0.999 * p + rate * (s - m)), "still moves"),
    "a rate of its own": (step(lambda p, s, m, rate: p + 0.1 * (s - m)), "use the given rate"),
    "a root of the rate": (step(lambda p, s, m, rate: p + 0.1 * (rate / 0.1) ** 0.5 * (s - m)), "at rate 0.03"),
    "a scale for each unit": (step(lambda p, s, m, rate: p + rate * (s - m) / (m * (1 - m))), "run away"),
    "two arrays": (lambda eta, s, m, rate: eta[:2], "three arrays"),
    "transposed": (lambda eta, s, m, rate: (eta[0], eta[1], eta[2].T), "transposed"),
}


@pytest.mark.parametrize("mistake", WRONG_STEP)
def test_wrong_step(mistake):
    answer, message = WRONG_STEP[mistake]
    verdict = splines.ascent(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_step():
    assert splines.ascent(step(lambda p, s, m, rate: p + rate * (s - m))).passed


def segment_of(beta, betas):
    return min(int(np.searchsorted(betas, beta, side="right")), len(betas) - 1) - 1


def miss(share=lambda p, reached: p[np.unique(reached)].sum(), of=np.log):
    return lambda p, reached: of(share(p, reached))


WRONG_MISS = {
    "set of probabilities": (miss(lambda p, reached: sum(set(p[reached]))), "equal *probabilities*"),
    "unique probabilities": (miss(lambda p, reached: np.unique(p[reached]).sum()), "equal *probabilities*"),
    "counted twice": (miss(lambda p, reached: p[reached].sum()), "you count it twice"),
    "no log": (miss(of=float), "is its logarithm"),
    "the rest": (miss(lambda p, reached: 1 - p[np.unique(reached)].sum()), "*not* reached"),
    "sign": (miss(of=lambda share: -np.log(share)), "too low"),
    "sum of logs": (lambda p, reached: np.log(p[np.unique(reached)]).sum(), "added the logarithms"),
    "mean": (miss(lambda p, reached: p[np.unique(reached)].mean()), "averaged over the chains"),
    "mean over chains": (miss(lambda p, reached: p[reached].mean()), "averaged over the chains"),
    "states": (miss(lambda p, reached: len(set(reached)) / len(p)), "share of the *states*"),
    "likeliest": (miss(lambda p, reached: p[reached].max()), "holds most"),
    "chains": (miss(lambda p, reached: len(set(reached)) / len(reached)), "yours is"),
    "log10": (miss(of=np.log10), "yours is"),
    "first chain": (miss(lambda p, reached: p[reached[0]]), "yours is"),
    "a floor": (miss(of=lambda share: np.log(share + 1e-9)), "-27.6"),
    "relative entropy": (lambda p, reached: np.mean(np.log(p[reached] * len(set(reached)))), "yours is"),
    "an array": (lambda p, reached: np.log(p[reached]), "shape"),
    "in place": (lambda p, reached: (reached.sort(), np.log(p[np.unique(reached)].sum()))[1], "changes the reached"),
}


@pytest.mark.parametrize("mistake", WRONG_MISS)
def test_wrong_miss(mistake):
    answer, message = WRONG_MISS[mistake]
    verdict = splines.predicted_miss(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_miss():
    assert splines.predicted_miss(miss()).passed
    assert splines.predicted_miss(lambda p, reached: np.log(sum(p[h] for h in set(reached.tolist())))).passed
    assert splines.predicted_miss(lambda p, reached: np.log(p @ np.isin(np.arange(len(p)), reached))).passed


@pytest.mark.parametrize("check", [splines.moments, splines.ascent, splines.predicted_miss])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
