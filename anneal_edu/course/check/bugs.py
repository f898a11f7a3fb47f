"""Exercises of notebook 15: bugs that look right."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtri

from anneal_edu.course.bugs.kernels import RIGHT_SAMPLERS, WRONG_SAMPLERS
from anneal_edu.course.bugs.momenta import RIGHT_REFRESHES, WRONG_REFRESHES
from anneal_edu.course.check.engine import Exercise, WrongAnswerError, exercise, require
from anneal_edu.distributions import Gaussian
from anneal_edu.kernels import Kernel
from anneal_edu.weights import effective_sample_size


# Exercise 1: a test that finds faults
def _judge_test(exercise: Exercise, answer: Callable) -> None:
    def passes(refresh, seed=0):
        def handed(v, gamma, rng):
            require(isinstance(v, np.ndarray) and v.ndim > 1, "v is an array of shape (C, D).")
            require(0 < gamma <= 1, f"ask with 0 < γ ≤ 1; your γ is {gamma}.")
            return refresh(v, gamma, rng)

        try:
            said = exercise.asked(answer, (handed, np.random.default_rng([15, seed])))
        except WrongAnswerError as wrong:
            require(not isinstance(wrong.__cause__, AssertionError), "return False if a test fails: do not raise.")
            raise
        require(isinstance(said, bool | np.bool_), f"return True or False, not {said!r}.")
        return bool(said)

    passed = {form: sum(passes(right, i) for i in range(7)) for form, right in RIGHT_REFRESHES.items()}
    missed = [kind for kind, wrong in WRONG_REFRESHES.items() if passes(wrong)]
    refused = [form for form, times in passed.items() if times == 0]
    if len(refused) == len(passed):
        said = f"you refuse a right refresh every time, and pass {len(missed)} of {len(WRONG_REFRESHES)} wrong ones"
        require(len(missed) < 7, f"{said}: are True and False exchanged?")
        require(False, f"{said}. Do you look at the law of v' - √(1-γ) v, and allow six standard errors?")
    said = f"you refuse a right one, {', '.join(refused)}: test the law of what it adds, not its numbers"
    require(not refused, f"{said}. Or is your limit too tight for so few draws? Allow six standard errors.")
    require(not missed, f"you pass a wrong refresh: {', '.join(missed[:1])}.")
    said = f"you find all wrong ones, but {21 - sum(passed.values())} of 21 times you refuse a right one"
    require(sum(passed.values()) == 21, f"{said}. Of many averages some are three standard errors off: allow six.")


def _tested(refresh, rng, gammas=(0.05, 0.5, 1.0), laws=(0, 1, 2, 3, 4), errors=6.0):
    for gamma in gammas:
        v = rng.standard_normal((10_000, 3))
        n = (refresh(v, gamma, rng) - np.sqrt(1 - gamma) * v) / np.sqrt(gamma)
        found = n**2 - 1, n * v, n**4 - 3, n[1:] * n[:-1], n * np.roll(n, 1, axis=1)
        for law in (found[i] for i in laws):
            if (np.abs(law.mean(0)) > errors * law.std(0) / np.sqrt(len(law))).any():
                return False
    return True


@exercise(
    hints=(
        "Momenta that are N(0, I) before must be so after. What else must hold of old and new together?",
        "Draw many chains. For several γ, look at each coordinate of the noise: its variance, its correlation with the "
        "old momentum, its fourth power, and its correlation with the next chain and coordinate.",
        "With noise n = (v' - √(1-γ) v) / √γ: mean n² = 1, mean n v = 0, mean n⁴ = 3 in every coordinate, mean "
        "n[1:] n[:-1] = 0 and mean n[:, 1:] n[:, :-1] = 0, each within 6 standard errors, for γ = 0.05, 0.5 and 1",
    ),
    errors={"handed()": "call refresh(v, gamma, rng)."},
    judge=_judge_test,
    mistakes={
        "are True and False exchanged?": lambda refresh, rng: not _tested(refresh, rng),
        "and allow six standard errors?": lambda refresh, rng: False,
        "test the law of what it adds": lambda refresh, rng: np.allclose(
            refresh(np.zeros((9, 3)), 0.25, np.random.default_rng(1)), np.random.default_rng(1).normal(0, 0.5, (9, 3))),
        "look at what is kept.": lambda refresh, rng: abs(
            refresh(rng.normal(size=(9000, 3)), 0.3, rng).var() - 1) < 0.05,
        "allow six": partial(_tested, errors=2.5),
        "ask with a large γ": partial(_tested, gammas=(0.3,)),
        "look at noise and old momentum": partial(_tested, gammas=(0.05, 0.5, 0.6, 0.7, 1.0), laws=(0, 2, 3, 4)),
        "the shape is not": partial(_tested, laws=(0, 1, 3, 4)),
        "look at pairs of chains": partial(_tested, laws=(0, 1, 2, 4)),
    },
    praise="right: all fourteen wrong ones are found, and the right one is passed 21 times.",
)  # fmt: skip
def refresh_test(refresh, rng):
    """Whether a refresh of momenta by a share γ is right."""
    return _tested(refresh, rng)


# Exercise 2: which are wrong?
@dataclass(frozen=True)
class _Sampler:
    move: Kernel
    target: Gaussian

    def __call__(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.move(self.target, np.array(x, dtype=float), rng)


def _judge_line_up(exercise: Exercise, answer: Callable) -> None:
    missed, accused, target = set(), set(), Gaussian([1.0, -0.5], [[1.0, 0.5], [0.5, 1.2]])
    for i in range(8):  # each sampler is asked about four times
        rng = np.random.default_rng([15, i])
        kinds = rng.permutation([*list(WRONG_SAMPLERS)[i % 2 :: 2], *list(RIGHT_SAMPLERS)[i % 2 :: 2]]).tolist()
        samplers = [_Sampler((RIGHT_SAMPLERS | WRONG_SAMPLERS)[kind], target) for kind in kinds]
        named = exercise.asked(answer, (samplers, rng))
        listed = isinstance(named, list | tuple | set | np.ndarray) and all(
            isinstance(number, int | np.integer) and not isinstance(number, bool) for number in named
        )
        advice = "return a list of the numbers, 0 to 7, of the wrong samplers, such as [0, 3]."
        require(listed and set(named) <= set(range(8)), advice)
        missed |= {kind for i, kind in enumerate(kinds) if kind in WRONG_SAMPLERS and i not in named}
        accused |= {kind for i, kind in enumerate(kinds) if kind in RIGHT_SAMPLERS and i in named}
    said = f"you find {10 - len(missed)} of 10 wrong samplers, and accuse {len(accused)} of 6 right ones"
    require(len(missed) < 5 or len(accused) < 4, f"{said}: do you name the right ones?")
    begin = "Begin at exact draws, which a right sampler leaves exact, and allow five standard errors."
    require(not accused, f"{said}, such as {min(accused, default='')}. {begin}")
    require(not missed, f"{said}. You miss this kind: {min(missed, default='')}.")


def _named(samplers, rng, errors=5.0, statistics=5, still=True, begin=lambda x: x):
    found = []
    for number, sampler in enumerate(samplers):
        x = y = begin(sampler.target.sample(8000, rng))
        for _ in range(5):
            y = sampler(y, rng)
        change = np.column_stack([y - x, y**2 - x**2, y.prod(1) - x.prod(1)])[:, :statistics]
        off = np.abs(change.mean(0)) > errors * change.std(0) / np.sqrt(len(x))
        found += [number] if off.any() or (still and (x == y).all(0).any()) else []
    return found


@exercise(
    hints=(
        "What do exact draws of the target become under a right sampler?",
        "Compare target.sample(n, rng) with itself after a few moves: means, mean squares and the mean product of the "
        "coordinates. Does each coordinate change?",
        "wrong if |mean(g_after - g_before)| > 5 sd / √n for g = x, x² or x₀x₁, or (x_after == x_before).all(0).any()",
    ),
    errors={"'list' object": "samplers is a list: look at each sampler by itself."},
    judge=_judge_line_up,
    mistakes={
        "you find 0 of 10": lambda samplers, rng: [],
        "do you name the right ones?": lambda samplers, rng: sorted(set(range(8)) - set(_named(samplers, rng))),
        "Begin at exact draws": partial(_named, begin=lambda x: 0 * x),
        "allow five standard errors": partial(_named, errors=1.5),
        "You miss this kind: it accepts by the ratio to the power": partial(_named, statistics=2),
        "a coordinate never changes": partial(_named, still=False),
        "with the wrong sign": partial(_named, statistics=4),
        "return a list of the numbers, 0 to 7": lambda samplers, rng: [True, False] * 4,
    },
    praise="right: all ten kinds of fault are found, and no right sampler is accused.",
)  # fmt: skip
def which_are_wrong(samplers, rng):
    """The numbers, from 0, of those of eight samplers that are wrong."""
    return _named(samplers, rng)


# Exercise 3: what is wrong with this run?
def _run(rng, n=40, keep=0.7, refused=0.2, drift=0.5, spread=0.5):
    """Log weights (C,) and states (200, C) that drift from half to half by so many standard errors over the chains."""
    x = rng.standard_normal((200, n))
    for t in range(1, 200):
        x[t] = np.where(rng.random(n) < refused, x[t - 1], keep * x[t - 1] + np.sqrt(1 - keep**2) * x[t])
    change = x[100:].mean(0) - x[:100].mean(0)
    x[100:] += drift * change.std(ddof=1) / np.sqrt(n) - change.mean()
    return spread * ndtri((rng.permutation(n) + 0.5) / n), 3 + x


def _runs():
    rng = np.random.default_rng(np.random.SeedSequence(153))  # data: they stay when seeds are shifted
    w, x = _run(rng)
    way, chain = np.linspace(-3, 0, 200)[:, None], np.arange(40)

    def changed(chains, new, sweeps=slice(None)):
        y = x.copy()
        y[sweeps, chains] = new
        return w, y

    return {
        "a sound run": (w, x),
        "a run whose weights collapse": (w + 12 * (chain == 7), x),
        "a run with ten copies": changed(slice(20, 30), x[:, :10]),
        "a run with ten chains that never move": changed(slice(20, 30), x[0, 20:30]),
        "a run on its way": (w, x + way),
        "a drift of 7 standard errors": _run(rng, drift=7.0, keep=0.0, refused=0.0),
        "slow chains": _run(rng, n=16, keep=0.98, drift=1.4),
        "a drift of 2.7 standard errors, which is chance": _run(rng, drift=2.7),
        "a drift of -9 standard errors": _run(rng, n=400, keep=0.98, drift=-9.0),
        "one chain that never moves": changed(4, x[0, 4]),
        "two chains that are one, and no neighbours": changed(17, x[:, 3]),
        "log weights near 800, one of them 810": (w + 800 + 10 * (chain == 7), x),
        "two chains of no weight": (w - 50 * (chain < 2), x),
        "a chain with a third of the weight": (np.where(chain == 7, np.log(0.32 / 0.68 * 39), 0.0), x),
        "chains that refuse three moves of four": _run(rng, refused=0.75),
        "a chain with 0.92 of the weight": (np.select([chain == 7, chain == 3], [-800, -802.5], -820.0), x),
        "200 chains with weights of a wide spread": _run(rng, n=200, spread=1.9),
        "states of the size of 1e-12": (w, 1e-12 * x),
        "a chain that moves seldom": changed(4, np.repeat(x[::20, 4], 20)),
        "a chain that moves by little": changed(4, x[0, 4] + 0.001 * (x[:, 4] - x[0, 4])),
        "a chain that ends where it began": changed(4, x[0, 4], -1),
        "two chains that begin at one place": changed(17, x[0, 3], 0),
        "two chains that are one for half of the run": changed(17, x[:110, 3], slice(110)),
        "chains that move in parallel": (w, x + 100 * way),
    }  # fmt: skip


def _told(log_weights, states, but="", errors=5.0, ess=effective_sample_size, error=None, change=None):
    early, late = np.split(states, 2)
    change = late.mean(0) - early.mean(0) if change is None else change
    seen = {
        "collapsed": ess(log_weights) < 3,
        "copies": np.unique(states, axis=1).shape[1] < states.shape[1],
        "stuck": (states == states[0]).all(0).any(),
        "not there yet": abs(change.mean()) > errors * (error or change.std() / np.sqrt(len(change))),
    }
    return next((word for word, found in seen.items() if found and word != but), "fine")


def _mistaken(log_weights, states):
    def told(**changed):
        return _told(log_weights, states, **changed)

    w, spread = np.exp(log_weights), states.std()
    return {
        "one chain may have nearly all weight: what is the effective sample size?": told(but="collapsed"),
        "two chains may be equal in every sweep: compare their states.": told(but="copies"),
        "a chain may never move: look at each of them.": told(but="stuck"),
        "the chains may be on their way: compare early and late in each chain; the standard error over C chains is "
        "std / √C.": told(but="not there yet"),
        "one sound run in twenty drifts by two standard errors: allow five.": told(errors=2.0),
        "draws of one chain depend on each other: let each chain give one number, its change.": told(
            error=spread * np.sqrt(4 / states.size)),
        "compare the mean change with its standard error, not with the spread of the states.": told(error=0.1 * spread),
        "the first and the last sweep alone are noisy: compare means over halves of the run.": told(
            change=states[-1] - states[0]),
        "exp(800) is infinite: subtract the largest log weight first.": told(ess=lambda _: w.sum() ** 2 / (w**2).sum()),
        "the axes are exchanged: states[t] are all chains at sweep t.": _told(log_weights, states.T),
    }  # fmt: skip


@exercise(
    hints=(
        "Which of the four troubles can be seen in the weights alone, and which in the states alone?",
        "The effective sample size tells of collapse; equal columns are copies; a column that never changes is stuck. "
        "Take the change of each chain from the first half to the second, and the error of their mean.",
        "w = np.exp(log_weights - log_weights.max()), w.max() > 0.9 * w.sum(); with x for states, n = len(x) // 2: "
        "np.unique(x, axis=1).shape[1] < x.shape[1]; (x == x[0]).all(0).any(); d = x[n:].mean(0) - x[:n].mean(0)",
    ),
    returns={"what you return": "Look at the weights, at pairs of chains, at each chain, at halves of the run."},
    cases=_runs, slips=_mistaken,
    praise="right: you name the trouble of each run, and give no false alarm.",
)  # fmt: skip
def what_is_wrong(log_weights, states):
    """The trouble of a run: "collapsed", "copies", "stuck", "not there yet" or "fine"."""
    return _told(log_weights, states)
