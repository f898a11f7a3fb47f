"""Checks of notebook 08: momentum that survives annealing."""

from collections.abc import Callable

import numpy as np

from anneal_edu.course.check.verdict import arrays, call, exercise, reject, require, same

_N = 100_000


# Exercise 1
@exercise(
    hints=(
        "If you add two independent terms, what do their variances do?",
        "The share of the power that stays is 1-γ, and power is a square: the factors are roots.",
        "v' = √(1-γ) v + √γ r, with r = rng.standard_normal(v.shape)",
    )
)
def refresh(answer) -> str:
    """``answer(v, gamma, rng)`` must renew the share γ of the momentum's power and leave N(0, I) invariant.

    Examples
    --------
    >>> refresh(lambda v, gamma, rng: np.sqrt(1 - gamma) * v + gamma * rng.standard_normal(v.shape))
    ✗ momenta of variance 1 come out with variance 0.76 at γ = 0.4. This is the formula as the paper prints it, \
with γ r: its variance is (1-γ) + γ². Which factor of r makes it 1?
      A hint: ae.check.momentum.refresh.hint()
    """
    start = np.random.default_rng(8).standard_normal((_N, 2))
    for gamma in (0.4, 0.1):
        v = start.copy()
        new = call(answer, v, gamma, np.random.default_rng(1), shape=v.shape)
        require(not same(new, v), f"nothing is renewed at γ = {gamma}: the momentum comes out as it went in.")
        again = call(answer, v, gamma, np.random.default_rng(2), shape=v.shape)
        require(not same(new, again), "two generators give the same momenta: draw r from the rng that is passed in.")
        repeated = call(answer, v, gamma, np.random.default_rng(1), shape=v.shape)
        require(same(new, repeated), "one and the same generator gives other momenta each time: draw r from it alone.")
        noise = call(answer, np.zeros_like(v), gamma, np.random.default_rng(1), shape=v.shape)
        require(
            float(noise.std(axis=0).min()) > 1e-6,
            "all chains are pushed alike: every chain needs draws of its own, rng.standard_normal(v.shape).",
        )
        require(
            abs(np.corrcoef(noise.T)[0, 1]) < 0.05,
            "the coordinates are pushed by the same number: every entry of r is a draw of its own.",
        )
        # From v = 0 and the same generator come the same r: what is left is the old momentum's part, free of chance
        old = new - noise
        kept, variance = float(np.vdot(old, v) / np.vdot(v, v)), float(old.var() / v.var() + noise.var())
        _judge_variance(variance, abs(kept), gamma)
        require(
            kept > -0.02,
            f"at γ = {gamma} the new momentum points against the old one, E[v' v] = {kept:.2f}. An accepted chain "
            "should fly on: here v already has the sign in which it is to go.",
        )
        require(
            abs(kept - gamma**0.5) > 0.02,
            f"the two factors are exchanged: at γ = {gamma} a share γ of the power should be new, and yours keeps γ.",
        )
        require(
            abs(kept**2 - (1 - gamma)) < 0.02,
            f"at γ = {gamma} a share {1 - gamma:.1f} of the power should survive; in yours it is {kept**2:.2f}.",
        )
        flatness = float((noise**4).mean() / (noise**2).mean() ** 2)
        require(
            abs(flatness - 3) < 0.15,
            f"your noise has the right variance, but is not normal: its mean fourth power is {flatness:.1f} squares "
            "of its variance, and a normal's is 3. Only a normal r keeps N(0, I) as it is.",
        )
        require(abs(float(noise.mean())) < 0.02, f"r should have mean 0; from v = 0 yours gives {noise.mean():.2f}.")
        call(answer, np.ones((7, 3)), gamma, np.random.default_rng(1), shape=(7, 3))
    return "right: the variance stays 1, and a share 1 - γ of the power survives, at γ = 0.1 and 0.4."


def _judge_variance(variance: float, kept: float, gamma: float) -> None:
    """Chance moves the variance by 0.3% of what r adds to it."""
    found = f"momenta of variance 1 come out with variance {variance:.2f} at γ = {gamma}"
    rootless = abs(kept - (1 - gamma)) < 0.01
    require(
        not rootless or abs(variance - (1 - gamma) ** 2 - gamma) > 0.01,
        f"{found}. The noise is right; the factor of v is missing its root.",
    )
    reject(variance, {
        "This is the formula as the paper prints it, with γ r: its variance is (1-γ) + γ². Which factor of r makes it "
        "1?": 1 - gamma + gamma**2,
        "Your factors 1-γ and γ add up to 1, but variances add up by their squares.": (1 - gamma) ** 2 + gamma**2,
        "The old momentum is not made smaller before the noise is added.": 1 + gamma,
        "Nothing is added to what was taken away: where is r?": 1 - gamma,
    }, case=f"{found}. ", atol=0.01)
    require(abs(variance - 1) < 0.02, f"{found}. Variances of independent terms add up: a² · 1 + b² · 1 = 1.")


# Exercise 2
@exercise(
    hints=(
        "A ball flies into a wall at 0 during a half flight: where is it then, and which way does it fly?",
        "After each half flight: where x < 0, both x and v of that coordinate change their signs.",
        "x += ε/2 v, reflect; v += ε grad(x); x += ε/2 v, reflect",
    )
)
def leapfrog(answer) -> str:
    """``answer(x, v, grad, eps)`` must be one leapfrog step on x ≥ 0: half drift, kick, half drift, with reflection.

    Examples
    --------
    >>> def clipped(x, v, grad, eps):
    ...     half = np.maximum(x + eps / 2 * v, 0)
    ...     v = v + eps * grad(half)
    ...     return np.maximum(half + eps / 2 * v, 0), v
    >>> leapfrog(clipped)
    ✗ you stop chains at the wall, x = 0 exactly. Where they came from is then forgotten, and the step cannot be \
reversed: reflect, x becomes -x.
      A hint: ae.check.momentum.leapfrog.hint()
    """
    rng = np.random.default_rng(9)
    x, v = rng.standard_exponential((400, 2)), 1.5 * rng.standard_normal((400, 2))
    grad = lambda y: 2.0 / (1.0 + y) - y  # noqa: E731  of (1 + y)² exp(-y²/2)
    _judge_free_flight(answer, x + 20.0, v, grad, eps=0.4)
    praise = _judge_reflection(answer, x, v, grad, eps=0.4)
    x, v = rng.standard_exponential((400, 3)), 1.5 * rng.standard_normal((400, 3))
    other = "with three coordinates and ε = 0.1 yours is another step: take the shape from x, and the step from eps."
    require(same(_stepped(answer, x, v, grad, 0.1), _right_step(x, v, grad, 0.1)), other)
    return praise


def _judge_free_flight(answer, x, v, grad, eps) -> None:
    """Where no chain comes near the wall, it must be the plain step."""
    new_x, new_v = _stepped(answer, x, v, grad, eps)
    half = x + eps / 2 * v
    kicked = v + eps * grad(half)
    right = half + eps / 2 * kicked
    reject((new_x, new_v), {
        "position and momentum move at once: that is Euler's step.": (x + eps * v, v + eps * grad(x)),
        "the second drift takes a whole ε; it should take ε / 2.": (half + eps * kicked, kicked),
        "your momentum comes out turned around; the Metropolis decision will see to signs.": (right, -kicked),
        "the second drift uses the old momentum; the kick comes before it.": (half + eps / 2 * v, kicked),
    }, case="far from the wall: ")
    reject(new_v, {
        "your kick has the wrong sign: grad is that of log f, and points uphill.": v - eps * grad(half),
        "the gradient is taken at the old position; take it after the first half drift.": v + eps * grad(x),
        "the kick takes ε / 2; between the half drifts it is a whole ε.": v + eps / 2 * grad(half),
    })
    require(
        same((new_x, new_v), (right, kicked)),
        "far from the wall yours is not the leapfrog step: x + ε/2 v, then v + ε grad there, then x + ε/2 v again.",
    )


def _judge_reflection(answer, x, v, grad, eps) -> str:
    """Near the wall it must be reversible, keep volume, and reflect."""

    def walled_grad(y):
        y = np.asarray(y)
        require(
            (y >= 0).all(), "you ask for the gradient at a negative position: reflect after the first half drift too."
        )
        return grad(y)

    new_x, new_v = _stepped(answer, x, v, walled_grad, eps)
    require((new_x >= 0).all(), f"{int((new_x < 0).sum())} of {x.size} coordinates went through the wall, x < 0.")
    require(
        (new_x > 0).all(),
        "you stop chains at the wall, x = 0 exactly. Where they came from is then forgotten, and the step cannot be "
        "reversed: reflect, x becomes -x.",
    )
    back_x, back_v = _stepped(answer, new_x, -new_v, walled_grad, eps)
    astray = ~(np.isclose(back_x, x) & np.isclose(-back_v, v))
    require(
        not astray.any(),
        f"not reversible: turned around, {int(astray.any(1).sum())} of {len(x)} chains do not come back. Where a "
        "position is reflected, the momentum of that coordinate, and of it alone, changes its sign.",
    )
    worst = max(abs(_volume(answer, x[i], v[i], walled_grad, eps) - 1) for i in range(40))
    require(worst < 1e-4, f"a step should keep volume; yours changes it by a factor that is off by {worst:.2g}.")
    right = _right_step(x, v, grad, eps)
    beside = ~(np.isclose(new_x, right[0]) & np.isclose(new_v, right[1])).all(1)
    require(
        not beside.any(),
        f"reversible, but not a reflection: {int(beside.sum())} of {len(x)} chains end elsewhere. A chain that "
        "flies through the wall to -0.1 should be at +0.1 and fly on away from it; it neither stays nor stops.",
    )
    return "right: reversible, volume kept, and no chain of 400 gets behind the wall."


def _reflected(x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.abs(x), np.where(x < 0, -v, v)


def _right_step(x, v, grad, eps) -> tuple[np.ndarray, np.ndarray]:
    half, p = _reflected(x + eps / 2 * v, v)
    p = p + eps * grad(half)
    return _reflected(half + eps / 2 * p, p)


def _stepped(answer, x, v, grad, eps) -> list[np.ndarray]:
    pair = call(answer, x.copy(), v.copy(), grad, eps)
    return arrays(pair, {"your x": x.shape, "your v": x.shape}, "return two arrays: the new x and the new v.")


def _volume(answer, x, v, grad, eps) -> float:
    """|det ∂(x', v') / ∂(x, v)| by finite differences."""
    h, point = 1e-6, np.concatenate([x, v])
    around = np.concatenate([point + h * np.eye(4), point - h * np.eye(4)])
    if (around[:, :2] < 0).any():
        return 1.0
    new = np.hstack(_stepped(answer, around[:, :2], around[:, 2:], grad, eps))
    return float(abs(np.linalg.det((new[:4] - new[4:]) / (2 * h))))


# Exercise 3
_Move = Callable[[np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]


def _kept(gamma: float) -> float:
    return float(np.sqrt(1 - gamma))


def _transition(
    log_f, grad, eps=0.8, gamma=0.3, noise=np.sqrt, turn=-1.0, kinetic=0.5, always=False, uphill=1.0
) -> _Move:
    """The transition of HAIS in one dimension, (x, v, rng) -> (x, v), or one with a fault."""

    def move(x, v, rng):
        half = x + eps / 2 * v
        p = v + uphill * eps * grad(half)
        new = half + eps / 2 * p
        gain = log_f(new) - log_f(x) + kinetic * (v * v - p * p)
        accepted = (np.log(rng.random(len(x))) < gain) | always
        p = np.where(accepted, p, turn * v)
        return np.where(accepted, new, x), _kept(gamma) * p + noise(gamma) * rng.standard_normal(len(x))

    return move


_SKEWED = (lambda x: 2 * x - np.exp(np.minimum(x, 50.0)), lambda x: 2 - np.exp(np.minimum(x, 50.0)))  # e^x ~ Gamma(2)
_ROUND = (lambda x: -(x**2) / 8, lambda x: -x / 4)  # N(0, 2²)
_RIGHT: dict[str, tuple[bool, _Move]] = {  # what is said of it: is the target the skewed one, and the move
    "the transition of this lesson": (True, _transition(*_SKEWED)),
    "the transition of this lesson, with steps so long that many are refused": (True, _transition(*_SKEWED, eps=1.6)),
    "the transition of this lesson, all momentum drawn anew": (False, _transition(*_ROUND, gamma=1.0)),
    "a transition that flies with the gradient's sign exchanged: it is slow, but Metropolis puts it right": (
        True,
        _transition(*_SKEWED, eps=0.5, uphill=-1.0),
    ),
    "a move that does nothing at all: it is useless, but it leaves the distribution as it is": (
        False,
        lambda x, v, rng: (x.copy(), v.copy()),
    ),
}
_FAULTY: dict[str, tuple[bool | None, _Move]] = {  # None: a narrow target
    "the noise is γ r, as printed. On this target, which is symmetric, no mean moves: look at the variances": (
        False,
        _transition(*_ROUND, noise=float),
    ),
    "only the momentum is renewed, by γ r: nothing happens to x, so look at v as well, and after several moves": (
        False,
        lambda x, v, rng: (x.copy(), _kept(0.1) * v + 0.1 * rng.standard_normal(len(v))),
    ),
    "x walks without a decision, and v is left alone: look at x as well, and after several moves": (
        False,
        lambda x, v, rng: (x + 0.4 * rng.standard_normal(len(x)), v.copy()),
    ),
    "all chains move a little to the right, and are a hundredth as wide as N(0, 1); no variance changes: look at the "
    "means, and measure them by √(variance / n)": (
        None,
        lambda x, v, rng: (x + 0.00015, v.copy()),
    ),
    "refused chains do not turn around, so that both drift the way in which steps are accepted": (
        True,
        _transition(*_SKEWED, eps=1.6, turn=1.0),
    ),
    "the decision forgets the momentum's energy": (False, _transition(*_ROUND, eps=2.0, kinetic=0.0)),
    "every step is accepted": (True, _transition(*_SKEWED, eps=1.2, always=True)),
}


@exercise(
    hints=(
        "If x and v are exact draws and the move is right, what are they after ten moves?",
        "Compare averages before and after, of x, v, x² and v², each with its standard error; chance moves every "
        "one of them by an error or two.",
        "after ten moves: right if all |mean(a_after) - mean(a_before)| < 5 √((var(a_after) + var(a_before)) / n), "
        "a = x, v, x², v²",
    )
)
def leaves_invariant(answer) -> str:
    """``answer(move, x, v, rng)`` must say whether the move leaves the distribution as it is of which x, v are draws.

    ``move(x, v, rng)`` returns new x and v; all are of shape (n,).

    Examples
    --------
    >>> leaves_invariant(lambda move, x, v, rng: abs(move(x, v, rng)[0].mean() - x.mean()) < 0.1)
    ✗ you pass a faulty move: the noise is γ r, as printed. On this target, which is symmetric, no mean moves: look \
at the variances.
      A hint: ae.check.momentum.leaves_invariant.hint()
    """
    for said, (skewed, move) in _FAULTY.items():
        require(not _verdict_on(answer, move, skewed, 0), f"you pass a faulty move: {said}.")
    n_wrong = {
        said: sum(not _verdict_on(answer, move, skewed, seed) for seed in range(8))
        for said, (skewed, move) in _RIGHT.items()
    }
    wavers = any(0 < n < 8 for n in n_wrong.values())
    chance = " Chance moves every average by an error or two, and you look at many: allow five." if wavers else ""
    for said, n in n_wrong.items():
        require(n == 0, f"{n} times of 8 you reject a move that is right: {said}.{chance}")
    return f"right: all {len(_FAULTY)} faults are found, without a false alarm in {8 * len(_RIGHT)} other tests."


def _verdict_on(answer, move: _Move, skewed: bool | None, seed: int) -> bool:
    rng = np.random.default_rng([seed, 17])
    width = 0.01 if skewed is None else 2.0
    x = np.log(rng.gamma(2.0, size=10_000)) if skewed else width * rng.standard_normal(10_000)
    said = call(answer, move, x, rng.standard_normal(10_000), np.random.default_rng([seed, 18]))
    require(np.ndim(said) == 0 and said in (True, False), f"return True or False; yours is {said!r}.")
    return bool(said)
