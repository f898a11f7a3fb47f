"""Known-wrong answers to the exercises of notebook 08: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

from anneal_edu.course.check import momentum


def renewed(old, new, noise=lambda v, rng: rng.standard_normal(v.shape)):
    return lambda v, gamma, rng: old(gamma) * v + new(gamma) * noise(v, rng)


def kept(gamma):
    return np.sqrt(1 - gamma)


def in_place(v, gamma, rng):
    v *= np.sqrt(1 - gamma)
    v += np.sqrt(gamma) * rng.standard_normal(v.shape)
    return v


WRONG_REFRESH = {
    "as printed": (renewed(kept, lambda g: g), "as the paper prints it"),
    "no roots": (renewed(lambda g: 1 - g, lambda g: g), "variances add up by their squares"),
    "root of v missing": (renewed(lambda g: 1 - g, np.sqrt), "factor of v is missing its root"),
    "grows": (renewed(lambda g: 1.0, np.sqrt), "not made smaller"),
    "no noise": (renewed(kept, lambda g: 0.0), "the same momenta"),
    "the same": (lambda v, gamma, rng: v + 0, "nothing is renewed"),
    "turned": (renewed(lambda g: -kept(g), np.sqrt), "should fly on"),
    "exchanged": (renewed(np.sqrt, kept), "exchanged"),
    "all of it": (renewed(lambda g: 0.0, lambda g: 1.0), "should survive"),
    "another γ": (renewed(lambda g: kept(g / 2), lambda g: np.sqrt(g / 2)), "should survive"),
    "uniform": (renewed(kept, np.sqrt, lambda v, rng: rng.random(v.shape)), "variance"),
    "global numbers": (
        renewed(kept, np.sqrt, lambda v, rng: np.random.default_rng(0).standard_normal(v.shape)),
        "from the rng",
    ),
    "fresh global numbers": (
        renewed(kept, np.sqrt, lambda v, rng: np.random.default_rng().standard_normal(v.shape)),
        "from it alone",
    ),
    "one number a chain": (
        renewed(kept, np.sqrt, lambda v, rng: np.repeat(rng.standard_normal((len(v), 1)), 2, axis=1)),
        "pushed by the same number",
    ),
    "one vector for all": (renewed(kept, np.sqrt, lambda v, rng: rng.standard_normal(2)), "pushed alike"),
    "in place": (in_place, "changes the v"),
    "wrong shape": (lambda v, gamma, rng: v[0], "shape"),
    "NaN": (lambda v, gamma, rng: v * np.nan, "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_REFRESH)
def test_wrong_refresh(mistake):
    answer, message = WRONG_REFRESH[mistake]
    verdict = momentum.refresh(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_refresh():
    assert momentum.refresh(renewed(kept, np.sqrt)).passed
    minus = renewed(kept, lambda g: -np.sqrt(g))
    assert momentum.refresh(minus).passed


def reflected(x, v):
    return np.where(x < 0, -x, x), np.where(x < 0, -v, v)


def step(drift=reflected, late=reflected, point=lambda x, half: half, kick=1.0, last=0.5):
    """One leapfrog step, with chosen faults."""

    def answer(x, v, grad, eps):
        half, p = drift(x + eps / 2 * v, v)
        p = p + kick * eps * grad(point(x, half))
        return late(half + last * eps * p, p)

    return answer


def clipped(x, v):
    return np.maximum(x, 0), v


def stopped(x, v):
    return np.maximum(x, 0), np.where(x < 0, -v, v)


def euler(x, v, grad, eps):
    return x + eps * v, v + eps * grad(x)


WRONG_STEP = {
    "Euler": (euler, "Euler's step"),
    "long last drift": (step(last=1.0), "takes a whole ε"),
    "half a kick": (step(kick=0.5), "the kick takes ε / 2"),
    "downhill": (step(kick=-1.0), "wrong sign"),
    "gradient at x": (step(point=lambda x, half: x), "at the old position"),
    "old momentum": (
        lambda x, v, grad, eps: (x + eps * v, v + eps * grad(x + eps / 2 * v)),
        "uses the old momentum",
    ),
    "turned": (lambda x, v, grad, eps: (lambda y, p: (y, -p))(*step()(x, v, grad, eps)), "turned around"),
    "something else": (step(last=0.4), "not the leapfrog step"),
    "no wall": (step(lambda x, v: (x, v), lambda x, v: (x, v)), "gradient at a negative position"),
    "wall at the end only": (step(lambda x, v: (x, v)), "gradient at a negative position"),
    "wall at the first half only": (step(late=lambda x, v: (x, v)), "went through the wall"),
    "clipped": (step(clipped, clipped), "stop chains at the wall"),
    "stopped and turned": (step(stopped, stopped), "stop chains at the wall"),
    "momentum flies on": (step(lambda x, v: (np.abs(x), v), lambda x, v: (np.abs(x), v)), "not reversible"),
    "all momenta turned": (
        step(
            lambda x, v: (np.abs(x), np.where((x < 0).any(1, keepdims=True), -v, v)),
            lambda x, v: (np.abs(x), np.where((x < 0).any(1, keepdims=True), -v, v)),
        ),
        "not reversible",
    ),
    "one array": (lambda x, v, grad, eps: x, "two arrays"),
    "wrong shape": (lambda x, v, grad, eps: (x[0], v[0]), "shape"),
    "NaN": (lambda x, v, grad, eps: (x * np.nan, v), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_STEP)
def test_wrong_step(mistake):
    answer, message = WRONG_STEP[mistake]
    verdict = momentum.leapfrog(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_step():
    assert momentum.leapfrog(step()).passed


def test_a_reversible_step_that_does_not_keep_volume_is_rejected():
    """Conjugated by a stretch near the wall, far from it the leapfrog step."""

    def stretch(x, sign):
        return np.where(x < 15, x * np.exp(sign * 0.05 * np.sin(x)), x)

    def unstretch(y):
        x = np.array(y)
        for _ in range(60):
            x = np.where(y < 15, y * np.exp(-0.05 * np.sin(x)), y)
        return x

    def answer(x, v, grad, eps):
        new_x, new_v = step()(stretch(x, 1), v, grad, eps)
        return unstretch(new_x), new_v

    verdict = momentum.leapfrog(answer)
    assert verdict.passed is False
    assert "keep volume" in verdict.message, verdict


def energy(x, v, log_f):
    return -log_f(x) + 0.5 * (v * v).sum(-1)


def metropolis(difference=None, refused=lambda v, new_v: -v, taken=lambda v, new_v: new_v, numbers=None):
    """The decision, with chosen faults."""

    def answer(x, v, new_x, new_v, log_f, rng):
        gain = energy(x, v, log_f) - energy(new_x, new_v, log_f)
        gain = gain if difference is None else difference(x, v, new_x, new_v, log_f)
        u = rng.random(len(x)) if numbers is None else numbers(rng, len(x))
        accepted = (np.log(u) < gain)[:, None]
        return np.where(accepted, new_x, x), np.where(accepted, taken(v, new_v), refused(v, new_v))

    return answer


WRONG_DECISION = {
    "no kinetic energy": (
        metropolis(lambda x, v, new_x, new_v, log_f: log_f(new_x) - log_f(x)),
        "only the momentum's energy",
    ),
    "kinetic energy added": (
        metropolis(
            lambda x, v, new_x, new_v, log_f: log_f(new_x) - log_f(x) + 0.5 * ((new_v**2).sum(-1) - (v**2).sum(-1))
        ),
        "only the momentum's energy",
    ),
    "half forgotten": (
        metropolis(lambda x, v, new_x, new_v, log_f: log_f(new_x) - log_f(x) - (new_v**2).sum(-1) + (v**2).sum(-1)),
        "only the momentum's energy",
    ),
    "wrong sign": (metropolis(lambda x, v, y, p, log_f: energy(y, p, log_f) - energy(x, v, log_f)), "decide alike"),
    "always": (metropolis(lambda x, v, y, p, log_f: np.full(len(x), np.inf)), "decide alike"),
    "one number for all": (metropolis(numbers=lambda rng, n: rng.random(1)), "decide alike"),
    "no logarithm": (
        lambda x, v, y, p, log_f, rng: (
            lambda a: (np.where(a, y, x), np.where(a, p, -v))
        )((rng.random(len(x)) < 1 + energy(x, v, log_f) - energy(y, p, log_f))[:, None]),
        "half of the chains should accept",
    ),
    "a coin": (metropolis(lambda x, v, y, p, log_f: np.full(len(x), np.log(0.5))), "uphill is always accepted"),
    "refused fly on": (metropolis(refused=lambda v, new_v: v), "must turn around"),
    "refused get the new": (metropolis(refused=lambda v, new_v: new_v), "gives back the new momentum"),
    "refused get the new, turned": (metropolis(refused=lambda v, new_v: -new_v), "gives back the new momentum"),
    "refused stop": (metropolis(refused=lambda v, new_v: 0 * v), "old momentum, turned"),
    "accepted turn": (metropolis(taken=lambda v, new_v: -new_v), "yours turns around"),
    "accepted keep the old": (metropolis(taken=lambda v, new_v: v), "together with the new position"),
    "halfway": (lambda x, v, y, p, log_f, rng: ((x + y) / 2, p), "neither"),
    "one array": (lambda x, v, y, p, log_f, rng: x, "two arrays"),
    "wrong shape": (lambda x, v, y, p, log_f, rng: (x[0], v), "shape"),
}


@pytest.mark.parametrize("mistake", WRONG_DECISION)
def test_wrong_decision(mistake):
    answer, message = WRONG_DECISION[mistake]
    verdict = momentum.decide(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_decision():
    assert momentum.decide(metropolis()).passed
    assert momentum.decide(metropolis(numbers=lambda rng, n: np.exp(-rng.standard_exponential(n)))).passed


@pytest.mark.parametrize("check", [momentum.refresh, momentum.leapfrog, momentum.decide])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
