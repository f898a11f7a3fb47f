"""Exercises of notebook 08: momentum that survives annealing."""

import numpy as np
import scipy

from anneal_edu.course.check.engine import Exercise, exercise, require


# Exercise 1: renew a part
def _judge_refresh(exercise: Exercise, answer):
    v, rng = np.random.default_rng(8).standard_normal((20_000, 3)), np.random.default_rng
    for gamma in (0.3, 0.9, 0.02, 0.004, 0.97, 1.0):
        fresh = np.asarray(exercise.asked(answer, (0 * v, gamma, rng(1))))  # b r
        require(fresh.shape == v.shape, f"v has shape {v.shape}; yours returns shape {fresh.shape}.")
        require(np.isfinite(fresh).all(), "yours returns NaN or infinity.")
        old = exercise.draws(answer, v, gamma) - fresh  # the generator is the same, and so is r
        a, b, missing = np.vdot(old, v) / np.vdot(v, v), fresh.std(), np.sqrt(gamma * (2 - gamma))
        kept = f"at γ = {gamma} every entry should keep {1 - gamma:.3g} v."
        require(np.allclose(old, a * v, atol=1e-4), f"{kept} b r is added, whatever v is.")
        lesson = "√(1 - γ) is the factor of the lesson." if abs(a - np.sqrt(1 - gamma)) < 1e-4 else ""
        require(abs(a - 1 + gamma) < 1e-4, f"{kept} Yours keeps {a:.3g} v. {lesson}".rstrip())
        own = "every entry of r is a draw of its own: rng.standard_normal(v.shape)."
        require(len(np.unique(np.abs(fresh))) > 0.9 * v.size, own)
        require(np.abs(np.corrcoef(np.hstack([fresh[1:], fresh[:-1]]).T) - np.eye(6)).max() < 0.05, own)
        require(abs(fresh.mean()) < 5 * b / np.sqrt(v.size), "r should have mean 0: use rng.standard_normal.")
        r, near = rng(1).standard_normal(v.shape), 0.015  # the spread of the noise is b to 0.3%
        if np.allclose(fresh, np.vdot(fresh, r) / np.vdot(r, r) * r, atol=1e-5):
            b, near = np.linalg.norm(fresh) / np.linalg.norm(r), 1e-4
        found = f"at γ = {gamma} the variance of v becomes {(1 - gamma) ** 2 + b**2:.4g}, not 1."
        for said, slip in {
            "b = γ is as in the misprint.": gamma,
            "b = √γ belongs to √(1 - γ) v; of (1 - γ) v less variance is left, and more is missing.": np.sqrt(gamma),
            "You use the variance that is missing; its root is the factor of r.": missing**2,
            "The variances of (1 - γ) v and of b r add up.": b,
        }.items():
            require(abs(b / missing - 1) < near or abs(b / slip - 1) > 0.01, f"{found} {said}")
        require(_is_normal(fresh / b), "the variance is right, but r is not normal: use rng.standard_normal.")
    at_0 = exercise.asked(answer, (v[:5], 0.0, rng(1)))
    require(np.allclose(at_0, v[:5], atol=1e-4), "with γ = 0 nothing is new: v comes out as it went in.")
    few = np.array([exercise.asked(answer, (np.zeros((2, 1)), 1.0, rng(i))) for i in range(1000)])
    require(_is_normal(few), "for v of shape (2, 1) r is not normal: do not subtract its mean or divide by its spread.")


def _is_normal(draws):
    return scipy.stats.kstest(draws.ravel(), "norm").statistic * np.sqrt(draws.size) < 2.8


def _renewed(
    keep=lambda g: 1 - g, add=lambda g: np.sqrt(g * (2 - g)), noise=lambda v, rng: rng.standard_normal(v.shape)
):  # fmt: skip
    return lambda v, gamma, rng: keep(gamma) * v + add(gamma) * noise(v, rng)


@exercise(
    hints=(
        "If two independent terms are added, what do their variances do?",
        "Which variance has (1-γ) v, and how much is missing to 1?",
        "(1-γ)² + b² = 1, so b = √(γ (2-γ)); r = rng.standard_normal(v.shape)",
    ),
    judge=_judge_refresh,
    mistakes={
        "the variance of v becomes 0.58, not 1. b = γ is as in the misprint": _renewed(add=lambda g: g),
        "b = √γ belongs to": _renewed(add=np.sqrt),
        "its root is the factor of r": _renewed(add=lambda g: g * (2 - g)),
        "√(1 - γ) is the factor of the lesson": _renewed(lambda g: np.sqrt(1 - g), np.sqrt),
        "Yours keeps 0.3 v": _renewed(lambda g: g, lambda g: np.sqrt(1 - g**2)),
        "(1 - γ) v and of b r add up": _renewed(add=lambda g: 1.0),
        "a draw of its own": _renewed(noise=lambda v, rng: rng.standard_normal(v.shape[1])),
        "should have mean 0": _renewed(noise=lambda v, rng: rng.random(v.shape)),
        "r is not normal": _renewed(noise=lambda v, rng: rng.uniform(-np.sqrt(3), np.sqrt(3), v.shape)),
        "from the rng": _renewed(noise=lambda v, rng: np.random.default_rng().standard_normal(v.shape)),
    },
    praise="right: (1-γ)² + b² = 1, so the variance stays 1.",
)  # fmt: skip
def refresh(v, gamma, rng):
    """(1-γ) v + b r, with the b that leaves N(0, I) invariant."""
    return (1 - gamma) * v + np.sqrt(gamma * (2 - gamma)) * rng.standard_normal(v.shape)


# Exercise 2: a leapfrog step with a wall
def _flights():
    rng, wall = np.random.default_rng(9), np.array([-0.7, 0.4])
    x, v = wall + rng.standard_exponential((40, 2)), 1.5 * rng.standard_normal((40, 2))
    fast = np.array([[0.9, 1.2, 0.1], [1.0, 0.8, 0.2]]), np.array([[-8.0, -9.0, 2.0], [1.0, -7.0, -8.0]])
    return {
        "chains far from the wall": (x[:3] + 20, v[:3], _pull, 0.4, wall),
        "chains near the wall": (x, v, _pull, 0.4, wall),
        "chains that fly far behind the wall": (*fast, _pull, 0.8, np.array([0.8, 0.5, -0.5])),
        "one coordinate": (x[:, :1], v[:, :1], _pull, 1.0, wall[:1]),
    }


def _pull(x):
    return 1 - x - 0.1 * x**2


def _reflected(x, v, wall):
    return np.where(x < wall, 2 * wall - x, x), np.where(x < wall, -v, v)


def _misflown(x, v, grad, eps, wall):
    new_x, new_v = leapfrog.solution(x, v, grad, eps, wall)

    def flown(first=_reflected, last=None, kick=1.0, at=None):
        half, p = first(x + eps / 2 * v, v, wall)
        p = p + kick * eps * grad(half if at is None else at)
        return (last or first)(half + eps / 2 * p, p, wall)

    def through(x, v, wall):
        return x, v

    return {
        "return x first, and then v.": (new_v, new_x),
        "that is Euler's step: position and momentum move at once.": (x + eps * v, v + eps * grad(x)),
        "the kick takes ε / 2. Between the half flights it takes ε.": flown(kick=0.5),
        "the kick has the wrong sign: grad is that of log f, and points uphill.": flown(kick=-1.0),
        "the gradient is taken at the old x. Take it after the first half flight.": flown(at=x),
        "you turn the momentum at the end. Metropolis' decision does that.": (..., -new_v),
        "yours flies through the wall: reflect after each half flight.": flown(through),
        "reflect after the first half flight as well, before the gradient is taken.": flown(through, _reflected),
        "reflect after the second half flight as well.": flown(_reflected, through),
        "you stop at the wall: such a step cannot be reversed. What is 0.1 behind the wall goes 0.1 before it.": flown(
            lambda x, v, wall: (np.maximum(x, wall), v)),
        "the momentum turns, but x stops at the wall. What is 0.1 behind the wall goes 0.1 before it.": flown(
            lambda x, v, wall: (np.maximum(x, wall), np.where(x < wall, -v, v))),
        "you reflect at 0. The wall is at `wall`: x becomes as far above it as it was behind.": flown(
            lambda x, v, wall: (np.abs(x), np.where(x < 0, -v, v))),
        "-x is the reflection at 0. The wall is at `wall`: x becomes as far above it as it was behind.": flown(
            lambda x, v, wall: (np.where(x < wall, -x, x), np.where(x < wall, -v, v))),
        "|x| is the reflection at 0. The wall is at `wall`: x becomes as far above it as it was behind.": flown(
            lambda x, v, wall: (np.abs(x), np.where(x < wall, -v, v))),
        "wall - x is how far x is behind. It becomes as far above: add this to the wall.": flown(
            lambda x, v, wall: (np.where(x < wall, wall - x, x), np.where(x < wall, -v, v))),
        "you turn the whole momentum of a chain. Only the coordinate that is behind its wall turns.": flown(
            lambda x, v, wall: (_reflected(x, v, wall)[0], np.where((x < wall).any(-1, keepdims=True), -v, v))),
        "you reflect x, but the momentum goes on towards the wall: turn it as well.": flown(
            lambda x, v, wall: (_reflected(x, v, wall)[0], v)),
    }  # fmt: skip


@exercise(
    hints=(
        "A ball flies into a wall: how far from the wall is it then, and which way does it fly?",
        "After each half flight, where x < wall, both x - wall and the momentum of that coordinate change their sign.",
        "x + ε/2 v, reflect; v + ε grad(x); x + ε/2 v, reflect: x becomes 2 wall - x, and v becomes -v",
    ),
    returns={"x": "Fly ε/2, reflect, kick by ε grad, fly ε/2, reflect.",
             "v": "The kick comes after the first reflection, and the second reflection after the kick."},
    errors={"truth value": "each coordinate of each chain has its own decision: use np.where in place of if.",
            **dict.fromkeys(("broadcast", "boolean array", "many indices"), "x[mask] is flat and wall is not: use "
                            "np.where(x < wall, 2 * wall - x, x).")},
    cases=_flights, slips=_misflown, rtol=1e-5, atol=1e-5,
    praise="right: such a step is reversible, keeps volume, and no chain gets behind the wall.",
)  # fmt: skip
def leapfrog(x, v, grad, eps, wall):
    """One leapfrog step on x ≥ wall: half a flight, a kick, half a flight, with reflection."""
    half, v = _reflected(x + eps / 2 * v, v, wall)
    v = v + eps * grad(half)
    return _reflected(half + eps / 2 * v, v, wall)


# Exercise 3: accept, or turn round
def _trajectories():
    rng = np.random.default_rng(4)
    x, v, new_x, new_v = rng.standard_normal((4, 200, 2))
    u, out = rng.random(200), new_x + 9 * (new_x > 0.5)
    return {
        "200 chains of two coordinates": (x, v, new_x, new_v, _log_f, u),
        "as many chains as coordinates": (x[:2], v[:2], new_x[:2], new_v[:2], _log_f, np.array([0.01, 0.99])),
        "trajectories that end where f = 0": (x, v, out, new_v, _log_f, u),
        "log f near -2000, where f itself is 0": (x, v, new_x, new_v, lambda x: _log_f(x) - 2000, u),
        "a log f that grows by 1000": (x, v, new_x, new_v, lambda x: 1000 * x[:, 1], u),
        "one chain": (x[:1], v[:1], new_x[:1] + 2, new_v[:1], _log_f, u[:1]),
    }


def _log_f(x):
    return np.where((x > 5).any(-1), -np.inf, -(x**2).sum(-1) / 2)


def _misdecided(x, v, new_x, new_v, log_f, u):
    def decided(kinetic=0.5, taken=1.0, refused=-1.0, accept=np.less, u=None):
        log_ratio = log_f(new_x) - log_f(x) + kinetic * ((v**2).sum(-1) - (new_v**2).sum(-1))
        accepted = accept(log_u if u is None else u, log_ratio)[:, None]
        return np.where(accepted, new_x, x), np.where(accepted, taken * new_v, refused * v)

    log_u, total = np.log(u), 0.5 * ((v**2).sum() - (new_v**2).sum())
    return {
        "return x first, and then v.": decided()[::-1],
        "a rejected chain turns round: return -v. Otherwise the move is not its own inverse.": decided(refused=1.0),
        "you turn accepted chains as well. They fly on: only rejected ones turn.": decided(taken=-1.0),
        "you turn accepted chains and not rejected ones. It is the other way round.": decided(taken=-1.0, refused=1.0),
        "you forget the kinetic energy, v·v / 2 before and after.": decided(0.0),
        "the kinetic energy is v·v / 2. Yours has no 1/2.": decided(1.0),
        "the kinetic energy has the wrong sign: p(v) is proportional to exp(-v·v / 2).": decided(-0.5),
        "you accept where u is larger than the ratio. Accept where it is smaller.": decided(accept=np.greater),
        "you compare u with the logarithm of the ratio. Compare log u with it.": decided(u=u),
        "you sum v² over all chains. Sum over the coordinates of each: .sum(-1).": decided(
            0.0, accept=lambda u, log_ratio: u < log_ratio + total),
        "where the trajectory is rejected, x stays at the new place. Return the old x.": (new_x, ...),
    }  # fmt: skip


@exercise(
    hints=(
        "Which density must the pair (x, v) keep? And if a trajectory is rejected, which move leads back from there?",
        "The ratio is f(x') exp(-v'·v'/2) / (f(x) exp(-v·v/2)), one number for each chain. Where u is larger, the "
        "chain stays and turns round.",
        "accepted = log u < log_f(x') - log_f(x) + (v·v - v'·v') / 2; x = where(accepted[:, None], x', x), "
        "v = where(accepted[:, None], v', -v)",
    ),
    returns={"x": "Where log u is below the log of the ratio the new x, elsewhere the old one.",
             "v": "Where the trajectory is accepted v', elsewhere -v."},
    errors={"truth value": "each chain has its own decision: use np.where in place of if.",
            "broadcast": "log_f and u have shape (C,): sum v² over the coordinates, and use accepted[:, None]."},
    cases=_trajectories, slips=_misdecided, rtol=1e-5,
    praise="right: accepted chains fly on, rejected ones turn round.",
)  # fmt: skip
def decide(x, v, new_x, new_v, log_f, u):
    """x and v after Metropolis' decision about a trajectory, with a turn where it is rejected."""
    log_ratio = log_f(new_x) - log_f(x) + ((v**2).sum(-1) - (new_v**2).sum(-1)) / 2
    accepted = (np.log(u) < log_ratio)[:, None]
    return np.where(accepted, new_x, x), np.where(accepted, new_v, -v)
