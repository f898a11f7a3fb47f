"""Known-wrong answers to the exercises of notebook 08: each is rejected with a message about its own mistake."""

import numpy as np
import pytest
from scipy.stats import ks_2samp, kstest

from anneal_edu.course.check import momentum
from tests.cases import a_third


def renewed(old, new, noise=lambda v, rng: rng.standard_normal(v.shape)):
    return lambda v, gamma, rng: old(gamma) * v + new(gamma) * noise(v, rng)


def kept(gamma):
    return 1 - gamma


def brought(gamma):
    return np.sqrt(1 - kept(gamma) ** 2)


def root(gamma):
    return np.sqrt(1 - gamma)


def in_place(v, gamma, rng):
    v *= kept(gamma)
    v += brought(gamma) * rng.standard_normal(v.shape)
    return v


def some_anew(v, gamma, rng):
    return np.where(rng.random(v.shape) < gamma, rng.standard_normal(v.shape), v)


def some_chains_anew(v, gamma, rng):
    return np.where(rng.random((len(v), 1)) < gamma, rng.standard_normal(v.shape), v)


WRONG_REFRESH = {
    "the lesson's": (renewed(root, np.sqrt), "this is the lesson's move"),
    "as printed": (renewed(root, lambda g: g), "as the paper prints it"),
    "no roots": (renewed(kept, lambda g: g), "variances add up by their squares"),
    "root of γ": (renewed(kept, np.sqrt), "Your noise brings the variance γ"),
    "root of b missing": (renewed(kept, lambda g: 1 - kept(g) ** 2), "Your b is the variance"),
    "grows": (renewed(lambda g: 1.0, brought), "not made smaller"),
    "grows by γ": (renewed(lambda g: 1.0, lambda g: g), "not made smaller"),
    "no noise": (renewed(kept, lambda g: 0.0), "the same momenta"),
    "the same": (lambda v, gamma, rng: v + 0, "nothing is renewed"),
    "turned": (renewed(lambda g: -kept(g), brought), "should fly on"),
    "exchanged": (renewed(lambda g: g, lambda g: np.sqrt(1 - g**2)), "exchanged"),
    "exchanged, and of the power": (renewed(np.sqrt, root), "exchanged: at γ = 0.3 a share γ should be new"),
    "exchanged, without roots": (renewed(brought, kept), "it is 0.714 v"),
    "all of it": (renewed(lambda g: 0.0, lambda g: 1.0), "should survive"),
    "another γ": (renewed(lambda g: kept(g / 2), lambda g: brought(g / 2)), "should survive"),
    "half the noise": (renewed(kept, lambda g: brought(g) / 2), "Variances of independent terms add up"),
    "noise of variance 1": (renewed(kept, lambda g: 1.0), "Variances of independent terms add up"),
    "uniform": (renewed(kept, brought, lambda v, rng: rng.random(v.shape)), "r should have mean 0"),
    "no signs": (
        renewed(kept, brought, lambda v, rng: np.abs(rng.standard_normal(v.shape))),
        "r should have mean 0; from v = 0 yours gives 0.57",
    ),
    "signs": (renewed(kept, brought, lambda v, rng: rng.choice([-1.0, 1.0], size=v.shape)), "is not normal"),
    "uniform of variance 1": (
        renewed(kept, brought, lambda v, rng: rng.uniform(-(3**0.5), 3**0.5, v.shape)),
        "is not normal",
    ),
    "heavy tails": (renewed(kept, brought, lambda v, rng: rng.laplace(size=v.shape) / 2**0.5), "is not normal"),
    "global numbers": (
        renewed(kept, brought, lambda v, rng: np.random.default_rng(0).standard_normal(v.shape)),
        "from the rng",
    ),
    "fresh global numbers": (
        renewed(kept, brought, lambda v, rng: np.random.default_rng().standard_normal(v.shape)),
        "from it alone",
    ),
    "one number a chain": (
        renewed(kept, brought, lambda v, rng: np.repeat(rng.standard_normal((len(v), 1)), 2, axis=1)),
        "pushed by the same number",
    ),
    "two coordinates": (renewed(kept, brought, lambda v, rng: rng.standard_normal((len(v), 2))), "raised ValueError"),
    "one vector for all": (renewed(kept, brought, lambda v, rng: rng.standard_normal(2)), "pushed alike"),
    "times v": (renewed(kept, brought, lambda v, rng: v * rng.standard_normal(v.shape)), "whatever v is"),
    "v in another order": (renewed(kept, brought, lambda v, rng: rng.permutation(v)), "whatever v is"),
    "one coordinate left out": (
        renewed(kept, brought, lambda v, rng: rng.standard_normal(v.shape) * (np.arange(v.shape[1]) > 0)),
        "one coordinate gets no noise",
    ),
    "some anew": (some_anew, "draws some entries anew"),
    "some chains anew": (some_chains_anew, "draws some entries anew"),
    "another factor for each coordinate": (
        lambda v, gamma, rng: v * [kept(gamma), 0.5] + brought(gamma) * rng.standard_normal(v.shape),
        "one number a for all",
    ),
    "standardised": (
        renewed(kept, brought, lambda v, rng: (lambda r: (r - r.mean()) / r.std())(rng.standard_normal(v.shape))),
        "for v of shape (1, 1) your function returns NaN",
    ),
    "of variance 1 exactly": (
        renewed(kept, brought, lambda v, rng: (lambda r: r / np.sqrt((r**2).mean()))(rng.standard_normal(v.shape))),
        "without a glance at the others",
    ),
    "of mean 0 exactly": (
        renewed(kept, brought, lambda v, rng: (lambda r: r - r.mean(0) * (len(r) > 1))(rng.standard_normal(v.shape))),
        "for v of shape (2, 1) your r is not normal",
    ),
    "divided by its own spread": (
        lambda *given: (lambda new: new / new.std())(renewed(kept, lambda g: g)(*given)), "by itself"
    ),
    "divided by the spread of each coordinate": (
        lambda *given: (lambda new: new / new.std(0))(renewed(kept, lambda g: g)(*given)), "by itself"
    ),
    "noise cut off": (
        renewed(kept, brought, lambda v, rng: np.clip(rng.standard_normal(v.shape), -3.5, 3.5)),
        "nothing may be cut off",
    ),
    "momenta cut off": (lambda *given: np.clip(renewed(kept, brought)(*given), -3, 3), "come out as ±3 exactly"),
    "opposites": (
        renewed(kept, brought, lambda v, rng: (lambda r: np.append(r, -r, axis=0))(
            rng.standard_normal((len(v) // 2, v.shape[1]))
        )),
        "or their opposites",
    ),
    "sorted": (renewed(kept, brought, lambda v, rng: np.sort(rng.standard_normal(v.shape), axis=0)), "the same number"),
    "each near the next": (
        renewed(kept, brought, lambda v, rng: (lambda r: r + np.roll(r, 1, 0))(rng.standard_normal(v.shape)) / 2**0.5),
        "depends on what pushes the next",
    ),
    "one-sided": (
        renewed(kept, brought, lambda v, rng: rng.standard_gamma(50.0, v.shape) / 50**0.5 - 50**0.5),
        "is not normal",
    ),
    "never less than a half": (renewed(lambda g: kept(min(g, 0.5)), lambda g: brought(min(g, 0.5))), "at γ = 0.9"),
    "a little always": (renewed(lambda g: kept(max(g, 0.01)), lambda g: brought(max(g, 0.01))), "0.996 v should"),
    "a little at 0": (renewed(lambda g: kept(g or 0.01), lambda g: brought(g or 0.01)), "with γ = 0 nothing"),
    "in place": (in_place, "changes the v"),
    "wrong shape": (lambda v, gamma, rng: v[0], "shape"),
    "NaN": (lambda v, gamma, rng: v * np.nan, "NaN"),
}


@pytest.mark.parametrize("mistake", a_third(WRONG_REFRESH))
def test_wrong_refresh(mistake):
    answer, message = WRONG_REFRESH[mistake]
    verdict = momentum.refresh(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_refresh():
    assert momentum.refresh(renewed(kept, brought)).passed
    assert momentum.refresh(renewed(kept, lambda g: -brought(g))).passed
    assert momentum.refresh(lambda *given: renewed(kept, brought)(*given).astype(np.float32)).passed
    assert momentum.refresh(renewed(kept, lambda g: np.sqrt(g * (2 - g)))).passed


def reflected(x, v, wall):
    return np.where(x < wall, 2 * wall - x, x), np.where(x < wall, -v, v)


def step(drift=reflected, late=reflected, point=lambda x, half: half, kick=1.0, last=0.5):
    """One leapfrog step, with chosen faults."""

    def answer(x, v, grad, eps, wall):
        half, p = drift(x + eps / 2 * v, v, wall)
        p = p + kick * eps * grad(point(x, half))
        return late(half + last * eps * p, p, wall)

    return answer


def clipped(x, v, wall):
    return np.maximum(x, wall), v


def stopped(x, v, wall):
    return np.maximum(x, wall), np.where(x < wall, -v, v)


def two_reflected(x, v, wall):
    sign = np.ones_like(x)
    sign[:, :2] = np.where((x < wall)[:, :2], -1, 1)
    return wall + sign * (x - wall), sign * v


def not_far(x, v, wall):
    return np.where(x < wall, np.minimum(2 * wall - x, wall + 3), x), np.where(x < wall, -v, v)


def wall_at_0(x, v, wall):
    return np.abs(x), np.where(x < 0, -v, v)


def first_wall(x, v, wall):
    return reflected(x, v, wall[0])


def one_wall_short(x, v, wall):
    return np.where(x < wall, wall - x, x), np.where(x < wall, -v, v)


def bounced(x, v, wall):
    return wall + np.abs(x - wall), np.copysign(1, x - wall) * v


def half_as_far(x, v, wall):
    return np.where(x < wall, wall + np.abs(wall - x) / 2, x), np.where(x < wall, -v, v)


def flown_on(x, v, wall):
    return wall + np.abs(x - wall), v


def euler(x, v, grad, eps, wall):
    return x + eps * v, v + eps * grad(x)


WRONG_STEP = {
    "Euler": (euler, "Euler's step"),
    "exchanged": (lambda *given: step()(*given)[::-1], "return x first"),
    "long last drift": (step(last=1.0), "takes a whole ε"),
    "half a kick": (step(kick=0.5), "the kick takes ε / 2"),
    "downhill": (step(kick=-1.0), "wrong sign"),
    "gradient at x": (step(point=lambda x, half: x), "at the old position"),
    "old momentum": (
        lambda x, v, grad, eps, wall: (x + eps * v, v + eps * grad(x + eps / 2 * v)),
        "uses the old momentum",
    ),
    "turned": (lambda x, v, grad, eps, wall: (lambda y, p: (y, -p))(*step()(x, v, grad, eps, wall)), "turned around"),
    "something else": (step(last=0.4), "not the leapfrog step"),
    "no wall": (step(lambda x, v, wall: (x, v), lambda x, v, wall: (x, v)), "gradient behind the wall"),
    "wall at the end only": (step(lambda x, v, wall: (x, v)), "gradient behind the wall"),
    "wall at the first half only": (step(late=lambda x, v, wall: (x, v)), "went through the wall"),
    "reflected at 0": (step(wall_at_0, wall_at_0), "each coordinate d must be reflected at wall[d]"),
    "one wall for all": (step(first_wall, first_wall), "each coordinate d must be reflected at wall[d]"),
    "wall - x": (step(one_wall_short, one_wall_short), "each coordinate d must be reflected at wall[d]"),
    "clipped": (step(clipped, clipped), "stop chains at the wall"),
    "stopped and turned": (step(stopped, stopped), "stop chains at the wall"),
    "mirrored to half the distance": (step(half_as_far, half_as_far), "the distance stays"),
    "late mirrored to half the distance": (step(late=half_as_far), "the distance stays"),
    "momentum flies on": (step(flown_on, flown_on), "the momentum of that coordinate, and of it alone"),
    "all momenta turned": (
        step(
            lambda x, v, wall: (wall + np.abs(x - wall), np.where((x < wall).any(1, keepdims=True), -v, v)),
            lambda x, v, wall: (wall + np.abs(x - wall), np.where((x < wall).any(1, keepdims=True), -v, v)),
        ),
        "not reversible",
    ),
    "a step of its own": (lambda x, v, grad, eps, wall: step()(x, v, grad, 0.4, wall), "the step from eps"),
    "squeezed": (lambda *given: tuple(np.atleast_2d(z.squeeze()) for z in step()(*given)), "it should be (60, 1)"),
    "reflected by 3 at most": (step(not_far, not_far), "far behind its wall"),
    "two coordinates": (step(two_reflected, two_reflected), "the shape from x"),
    "one array": (lambda x, v, grad, eps, wall: x, "two arrays"),
    "wrong shape": (lambda x, v, grad, eps, wall: (x[0], v[0]), "shape"),
    "NaN": (lambda x, v, grad, eps, wall: (x * np.nan, v), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_STEP)
def test_wrong_step(mistake):
    answer, message = WRONG_STEP[mistake]
    verdict = momentum.leapfrog(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_step():
    assert momentum.leapfrog(step()).passed
    assert momentum.leapfrog(step(bounced, bounced)).passed


def test_a_reversible_step_that_does_not_keep_volume_is_rejected():
    """Conjugated by a stretch near the wall, far from it the leapfrog step."""

    def stretch(x, sign):
        return np.where(x < 15, x * np.exp(sign * 0.05 * np.sin(x)), x)

    def unstretch(y):
        x = np.array(y)
        for _ in range(60):
            x = np.where(y < 15, y * np.exp(-0.05 * np.sin(x)), y)
        return x

    def answer(x, v, grad, eps, wall):
        new_x, new_v = step()(wall + stretch(x - wall, 1), v, grad, eps, wall)
        return wall + unstretch(new_x - wall), new_v

    verdict = momentum.leapfrog(answer)
    assert verdict.passed is False
    assert "keep volume" in verdict.message, verdict


def step_that_refuses(x, v, grad, eps, wall):
    """A chain that would cross stays, and turns around: reversible, but not a reflection."""
    half = x + eps / 2 * v
    p, half = np.where(half < wall, -v, v), np.where(half < wall, x, half)
    p = p + eps * grad(half)
    end = half + eps / 2 * p
    return np.where(end < wall, half, end), np.where(end < wall, -p, p)


def test_a_reversible_step_that_refuses_at_the_wall_is_rejected():
    verdict = momentum.leapfrog(step_that_refuses)
    assert verdict.passed is False
    assert "not a reflection" in verdict.message, verdict


ALL = [(i, j) for i in range(5) for j in range(5 - i)]
ALONE = [(i, j) for i, j in ALL if i == 0 or j == 0]


def examined(powers=ALL, n_moves=11, allowed=5.0, noise=lambda a, b: a.var() + b.var()):
    """The test of a move, with chosen faults: are the means of these x^i v^j what they were?"""

    def answer(move, x, v, rng):
        new = x, v
        for _ in range(n_moves):
            new = move(*new, rng)
        for i, j in powers:
            a, b = new[0] ** i * new[1] ** j, x**i * v**j
            if abs(a.mean() - b.mean()) > allowed * np.sqrt(noise(a, b) / len(x)):
                return False
        return True

    return answer


def compared(risk, of=lambda x, v: (x, v, x + v, x * v), n_moves=21):
    """Kolmogorov and Smirnov's test of x and v, and of both together, after many moves."""

    def answer(move, x, v, rng):
        new = x, v
        for _ in range(n_moves):
            new = move(*new, rng)
        return all(ks_2samp(a, b, method="asymp").pvalue > risk for a, b in zip(of(x, v), of(*new), strict=True))

    return answer


def paired_squares(move, x, v, rng):
    """No mean of x or v, but after each of 21 moves so sharp a look at the squares that it sees all that moves them."""
    new = x, v
    for _ in range(21):
        new = move(*new, rng)
        gains = [b**2 - a**2 for a, b in zip((x, v), new, strict=True)]
        if any(abs(gain.mean()) > 5 * gain.std() / len(x) ** 0.5 for gain in gains):
            return False
    return True


def against_normals(move, x, v, rng):
    """After 21 moves: is x from N(0, 1), and v as well, and are they alike together?"""
    new = x, v
    for _ in range(21):
        new = move(*new, rng)
    return compared(1e-7)(move, x, v, rng) and min(kstest(part, "norm").pvalue for part in new) > 1e-7


def named_by(move):
    return lambda x, v, rng: move(x=x, v=v, rng=rng)


def of_fixed_tolerance(move, x, v, rng):
    """After 21 moves: variances, means and what they say of the shape nearly the same, however many draws there are."""
    new_x, new_v = x, v
    for _ in range(21):
        new_x, new_v = move(new_x, new_v, rng)
    moments = [np.mean(z**i * w**j) for z, w in ((new_x, new_v), (x, v)) for i, j in ((1, 1), (2, 2), (4, 0), (0, 4))]
    return (
        np.allclose(moments[:4], moments[4:], rtol=0.5, atol=0.3)
        and abs(np.mean(new_v**3)) < 0.5
        and abs(new_x.var() / x.var() - 1) < 0.1
        and abs(new_v.var() / v.var() - 1) < 0.1
        and abs(new_x.mean() - x.mean()) < 0.1 * x.std()
    )


def seldom_met(before, after):
    """Far values come as often as before; where none has come, the standard error is 0, and no difference below it."""
    far = [x > np.mean(before) + 2.5 * np.std(before) for x in (before, after)]
    return abs(far[0].mean() - far[1].mean()) < 5 * np.sqrt((far[0].var() + far[1].var()) / len(before))


WRONG_TESTS = {
    "fixed tolerance": (of_fixed_tolerance, "with n = 100 draws, where chance"),
    "a rare event": (
        lambda move, x, v, rng: examined()(move, x, v, rng) and seldom_met(x, move(x, v, rng)[0]),
        "a rare event or a high power",
    ),
    "a generator of its own": (
        lambda move, x, v, rng: examined()(move, x, v, np.random.default_rng(0)),
        "two generators give the same moves",
    ),
    "a new generator": (
        lambda move, x, v, rng: examined()(move, x, v, np.random.default_rng()),
        "other moves each time",
    ),
    "paired squares": (paired_squares, "drawn anew, x from"),
    "means alone": (examined([(1, 0), (0, 1)]), "look at the variances"),
    "squares alone": (examined([(2, 0), (0, 2)]), "a little to the right"),
    "x alone": (examined([(i, 0) for i in range(5)]), "shows in v alone"),
    "v alone": (examined([(0, j) for j in range(5)]), "shows in x alone"),
    "no more than means and variances": (examined([(1, 0), (0, 1), (2, 0), (0, 2)], 50), "v takes the sign of x"),
    "each by itself": (examined(ALONE), "v takes the sign of x"),
    "each law by itself": (compared(1e-7, of=lambda x, v: (x, v)), "v takes the sign of x"),
    "no more than a correlation": (examined([*ALONE, (1, 1)]), "the mean of x v is still 0"),
    "no fourth powers of x": (examined([p for p in ALL if p != (4, 0)]), "every x becomes 2 or -2"),
    "no fourth powers of v": (examined([p for p in ALL if p != (0, 4)]), "every v becomes 1 or -1"),
    "no odd powers": (examined([p for p in ALL if p != (0, 3)]), "from two numbers"),
    "one move": (examined(n_moves=1), "after several moves"),
    "ten moves": (examined(n_moves=10), "a second move flies back"),
    "forty moves, by their laws": (compared(1e-7, n_moves=40), "a second move flies back"),
    "with few draws anything goes": (lambda move, x, v, rng: len(x) < 1000 or examined()(move, x, v, rng), "so coarse"),
    "normal targets alone": (against_normals, "p(x) need not be N(0, 1)"),
    "always": (lambda *given: True, "you pass a faulty move"),
    "never": (lambda *given: False, "you reject a move that is right"),
    "one error": (examined(allowed=1.0), "you reject a move that is right"),
    "three errors": (examined(allowed=3.0), "you look at many: allow five"),
    "three errors, and five moves": (examined(n_moves=5, allowed=3.0), "you look at many: allow five"),
    "no errors": (lambda move, x, v, rng: np.array_equal(move(x, v, rng)[0], x), "you pass a faulty move"),
    "nothing moves": (
        lambda move, x, v, rng: np.array_equal(move(x, v, rng), (x, v)),
        "you reject a move that is right: the transition of this lesson",
    ),
    "something moves": (
        lambda move, x, v, rng: examined()(move, x, v, rng) and not np.array_equal(move(x, v, rng), (x, v)),
        "does nothing at all",
    ),
    "fixed threshold": (
        lambda move, x, v, rng: abs(move(x, v, rng)[0].mean() - x.mean()) < 0.02,
        "you pass a faulty move",
    ),
    "inverted": (lambda *given: not examined()(*given), "14 of 14 faulty ones: are True and False exchanged"),
    "too short an error": (examined(noise=lambda a, b: (a.var() + b.var()) / 50), "reject"),
    "a deviation for a variance": (examined(noise=lambda a, b: a.std() + b.var()), "√(variance / n)"),
    "two deviations": (examined(noise=lambda a, b: a.std() + b.std()), "√(variance / n)"),
    "no move": (examined(n_moves=0), "you pass a faulty move"),
    "one in five by chance": (compared(0.2), "allow five"),
    "a number": (lambda *given: 0.5, "True or False"),
    "an array": (lambda move, x, v, rng: x > 0, "True or False"),
}


@pytest.mark.parametrize("mistake", a_third(WRONG_TESTS))
def test_wrong_test_of_a_move(mistake):
    answer, message = WRONG_TESTS[mistake]
    verdict = momentum.leaves_invariant(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_test_of_a_move():
    for n_moves, allowed in ((5, 5.0), (11, 5.5), (11, 6.0), (9, 6.0)):
        assert momentum.leaves_invariant(examined(n_moves=n_moves, allowed=allowed)).passed
    assert momentum.leaves_invariant(compared(1e-7)).passed  # as rare as five standard errors
    spawned = momentum.leaves_invariant(lambda move, x, v, rng: examined(allowed=6.0)(move, x, v, rng.spawn(1)[0]))
    assert spawned.passed, spawned
    named = momentum.leaves_invariant(lambda move, x, v, rng: examined(allowed=6.0)(named_by(move), x, v, rng))
    assert named.passed, named


@pytest.mark.parametrize("check", [momentum.refresh, momentum.leapfrog, momentum.leaves_invariant])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
