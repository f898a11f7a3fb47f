"""Checks of notebook 08: momentum that survives annealing."""

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
        require(abs(float(noise.mean())) < 0.02, f"r should have mean 0; from v = 0 yours gives {noise.mean():.2f}.")
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
    far = x + 20.0
    grad = lambda y: 2.0 / (1.0 + y) - y  # noqa: E731  of (1 + y)² exp(-y²/2)
    eps = 0.4

    new_x, new_v = _stepped(answer, far, v, grad, eps)
    half = far + eps / 2 * v
    kicked = v + eps * grad(half)
    right = half + eps / 2 * kicked
    reject((new_x, new_v), {
        "position and momentum move at once: that is Euler's step.": (far + eps * v, v + eps * grad(far)),
        "the second drift takes a whole ε; it should take ε / 2.": (half + eps * kicked, kicked),
        "your momentum comes out turned around; the Metropolis decision will see to signs.": (right, -kicked),
        "the second drift uses the old momentum; the kick comes before it.": (half + eps / 2 * v, kicked),
    }, case="far from the wall: ")
    reject(new_v, {
        "your kick has the wrong sign: grad is that of log f, and points uphill.": v - eps * grad(half),
        "the gradient is taken at the old position; take it after the first half drift.": v + eps * grad(far),
        "the kick takes ε / 2; between the half drifts it is a whole ε.": v + eps / 2 * grad(half),
    })
    require(
        same((new_x, new_v), (right, kicked)),
        "far from the wall yours is not the leapfrog step: x + ε/2 v, then v + ε grad there, then x + ε/2 v again.",
    )

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
    return "right: reversible, volume kept, and no chain of 400 gets behind the wall."


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
@exercise(
    hints=(
        "Which quantity would an exact flight keep?",
        "Compare log f(x) - v·v/2 before and after with the log of one uniform number a chain; who refuses keeps "
        "x, turns v.",
        "accept where log u < [log f(x') - v'·v'/2] - [log f(x) - v·v/2]; else (x, -v)",
    )
)
def decide(answer) -> str:
    """``answer(x, v, new_x, new_v, log_f, rng)`` must be the Metropolis decision of every chain, and its turn-around.

    Examples
    --------
    >>> def forgetful(x, v, new_x, new_v, log_f, rng):
    ...     accepted = np.log(rng.random(len(x))) < log_f(new_x) - log_f(x)
    ...     return np.where(accepted[:, None], new_x, x), np.where(accepted[:, None], new_v, -v)
    >>> decide(forgetful)
    ✗ a step that changes only the momentum's energy, by log 2, should be accepted by 50% of the chains; in yours \
100% do. The energy is -log f(x) + v·v/2: both parts decide.
      A hint: ae.check.momentum.decide.hint()
    """
    x, v = np.zeros((_N, 2)), np.tile([0.6, -0.3], (_N, 1))
    log_f = lambda y: -0.5 * (np.asarray(y) ** 2).sum(-1)  # noqa: E731
    down = np.tile([np.sqrt(2 * np.log(2)), 0.0], (_N, 1))  # log f falls by log 2

    def accepted_by(start, momentum, end, new_momentum, seed=3):
        given = start.copy(), momentum.copy(), end.copy(), new_momentum.copy()
        pair, shapes = call(answer, *given, log_f, np.random.default_rng(seed)), {"your x": x.shape, "your v": x.shape}
        got_x, got_v = arrays(pair, shapes, "return two arrays: x and v after the decision.")
        moved = (got_x == end).all(1)
        require((moved | (got_x == start).all(1)).all(), "a chain ends neither where it was nor where it was going.")
        return moved, got_v

    turned = np.tile([-0.3, 0.6], (_N, 1))  # another momentum of the same energy
    moved, got_v = accepted_by(x, v, down, turned)
    share = moved.mean()
    require(0 < share < 1, "all chains decide alike: each needs a random number of its own, rng.random(len(x)).")
    require(
        abs(share - 0.5) < 0.02,
        f"where log f falls by log 2, half of the chains should accept; in yours {share:.0%} do. Accept with "
        "probability min(1, exp(difference)).",
    )
    uphill, _ = accepted_by(down, v, x, turned)
    require(
        uphill.all(),
        f"uphill is always accepted; in yours {1 - uphill.mean():.0%} refuse. Check the sign of the difference.",
    )
    refused_v, accepted_v = got_v[~moved], got_v[moved]
    require(
        same(accepted_v, turned[moved]),
        "an accepted chain flies on with its new momentum; yours turns around."
        if same(accepted_v, -turned[moved])
        else "an accepted chain takes the new momentum together with the new position.",
    )
    reject(refused_v, {
        "a refused chain must turn around, v becomes -v; yours flies on in the direction in which it was refused. The "
        "step is its own inverse only with the momentum turned, and that is what makes Metropolis right.": v[~moved]
    })
    for sign in (1, -1):
        too = "a refused chain gives back the new momentum too: it has its old one, turned around."
        reject(refused_v, {too: sign * turned[~moved]})
    require(same(refused_v, -v[~moved]), "a refused chain has its old momentum, turned around: -v.")
    aside = np.tile([1e-3, 0.0], (_N, 1))  # almost the same place
    faster = np.tile([np.sqrt(0.45 + 2 * np.log(2)), 0.0], (_N, 1))  # kinetic energy up by log 2
    heavier, _ = accepted_by(x, v, aside, faster)
    require(
        abs(heavier.mean() - 0.5) < 0.02,
        "a step that changes only the momentum's energy, by log 2, should be accepted by 50% of the chains; in yours "
        f"{heavier.mean():.0%} do. The energy is -log f(x) + v·v/2: both parts decide.",
    )
    slower, _ = accepted_by(x, faster, aside, v)
    require(slower.mean() > 0.99, "a step to a lower energy is always accepted; a slower chain has a lower one.")
    return "right: log f and v·v/2 decide, the accepted fly on, and the refused turn around."
