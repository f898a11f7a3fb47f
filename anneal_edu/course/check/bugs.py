"""Checks of notebook 15: bugs that look right."""

from dataclasses import replace
from itertools import islice

import numpy as np

from anneal_edu.course.bugs.momenta import WRONG_REFRESHES, Refresh, right_otherwise, right_refresh
from anneal_edu.course.check.ailing_runs import WORDS, cases, five_runs
from anneal_edu.course.check.line_ups import BUDGET, LEFT_OUT, N_ROUNDS, N_SAMPLERS, Anonymous, BudgetError, line_up
from anneal_edu.course.check.verdict import WrongAnswerError, attempt, exercise, judge_exchanged, require
from anneal_edu.distributions import Gaussian

# Exercise 1
N_SPARED = 50


@exercise(
    hints=(
        "Momenta that are N(0, I) before must be so after. What else must hold of old and new together?",
        "Draw many chains, and look at each coordinate, for more than one γ: its variance, its correlation with the "
        "old one, the kurtosis of the noise, and how the noises of neighbouring chains and coordinates go together.",
        "With noise n = (new - √(1-γ) v) / √γ: mean n² = 1, mean n v = 0, mean n⁴ = 3 in every coordinate, mean "
        "n[1:] n[:-1] = 0 and mean n[:, 1:] n[:, :-1] = 0, each within 6 standard errors, for γ = 0.05, 0.5 and 1",
    )
)
def refresh_test(answer) -> str:
    """``answer(refresh, rng)`` must say True of a right ``refresh(v, gamma, rng)``, v (C, D), and False of a wrong one.

    It is asked about twenty-three wrong ones, and fifty times about right ones.

    Examples
    --------
    >>> refresh_test(lambda refresh, rng: True)
    ✗ you let a wrong refresh pass: its noise is γ r, as a paper prints it: below γ = 1 momenta lose their variance.
      A hint: ae.check.bugs.refresh_test.hint()
    """
    right = right_refresh, right_otherwise
    asked = (_says(answer, right[seed % 2], seed) for seed in range(N_SPARED))
    spared = list(islice(asked, 20))  # the others where all wrong ones are found
    require(
        not all(spared[::2]) or any(spared[1::2]),
        "you refuse a right one that draws its noise otherwise: √(1-γ) v - √γ r, with r from rng.normal. Test the law "
        "of what comes out, not the numbers.",
    )
    if not any(spared):
        never = "you refuse the right one every time"
        passed = [_says(answer, wrong, 0) for wrong in WRONG_REFRESHES.values()]
        judge_exchanged(spared, passed, never, "wrong ones")
        raise WrongAnswerError(
            f"{never}: v' = √(1-γ) v + √γ r, r ~ N(0, I). Is (v' - √(1-γ) v) / √γ what you look at, and its law, not "
            "its numbers? Of many that you compare some are two or three standard errors off by chance: allow more."
        )
    for said, wrong in WRONG_REFRESHES.items():
        passed = sum(_says(answer, wrong, seed) for seed in range(3))
        require(passed == 0, f"you let a wrong refresh pass: {said}.")
    refused = N_SPARED - sum(spared) - sum(asked)
    require(
        refused == 0,
        f"all wrong ones are found, but {refused} times of {N_SPARED} the right one is refused too: chance moves "
        "every average by an error or two, and you look at many; allow six.",
    )
    return f"right: all {len(WRONG_REFRESHES)} wrong ones are found, and the right one is spared {N_SPARED} times."


def _says(answer, refresh: Refresh, seed: int) -> bool:
    said = attempt(answer(refresh, np.random.default_rng([15, seed])))
    require(isinstance(said, bool | np.bool_), f"say True or False, not {said!r}.")
    return bool(said)


# Exercise 2
@exercise(
    hints=(
        "What do exact draws of the target become under a right sampler, and what else must each chain do?",
        "Give each sampler the same share of the budget: target.sample(n, rng), a few moves, then means, variances and "
        "the covariance before and after; a coordinate that never changes; chains from one point that move alike.",
        "wrong if some |mean(g_after - g_before)| > 5 sd / √n for g = x, x², x₀x₁, or "
        "(x_after == x_before).all(0).any(), or np.ptp of the moved steps of 50 chains from one point is 0",
    )
)
def which_are_wrong(answer) -> str:
    """``answer(samplers, rng)`` must return the numbers, from 0, of those of eight samplers that are wrong.

    Each has a ``target`` with exact draws and is called as ``sampler(x, rng)``; all together may move 400,000 chains.
    Ten line-ups are made anew: find four of five of the wrong ones, one at least of every kind, and all of those that
    never change a coordinate, with at most one false alarm in all.

    Examples
    --------
    >>> which_are_wrong(lambda samplers, rng: [])
    ✗ in ten line-ups you find 0% of the wrong samplers, with 0 false alarms. Find four of five.
      A hint: ae.check.bugs.which_are_wrong.hint()
    """
    return _judged(answer, range(N_ROUNDS))


def _judged(answer, seeds) -> str:
    hits, false, n_wrong = 0, 0, 0
    by_kind: dict[str, list[bool]] = {}  # which of its samplers are named
    for seed in seeds:
        samplers, wrong = line_up(seed)
        try:
            named = attempt(answer(samplers, np.random.default_rng([seed, 7])))
        except BudgetError:
            spent = f"the budget of {BUDGET:,} moves is spent: {BUDGET // N_SAMPLERS:,} for each sampler."
            raise WrongAnswerError(spent) from None
        whole = isinstance(named, list | tuple | set) or (isinstance(named, np.ndarray) and named.ndim == 1)
        require(whole, "return a list of numbers, such as [0, 3].")
        numbers = all(np.isscalar(one) and not isinstance(one, bool | np.bool_ | str) for one in named)
        require(numbers, "return the numbers of the wrong ones, such as [0, 3]: no samplers, no True and no False.")
        told = {int(number) for number in named}
        require(told <= set(range(N_SAMPLERS)), f"the samplers have the numbers 0 to {N_SAMPLERS - 1}, got {told}.")
        hits, false, n_wrong = hits + len(told & set(wrong)), false + len(told - set(wrong)), n_wrong + len(wrong)
        for number, kind in wrong.items():
            by_kind.setdefault(kind, []).append(number in told)
    score = f"in ten line-ups you find {hits / n_wrong:.0%} of the wrong samplers, with {false} false alarms"
    never = {kind: named for kind, named in by_kind.items() if not any(named) or (kind == LEFT_OUT and not all(named))}
    others = n_wrong - sum(named.count(False) for named in never.values() if len(never) < 3)  # these are named below
    n_right = N_SAMPLERS * len(seeds) - n_wrong
    require(
        hits > 0.3 * n_wrong or false < n_right * 2 / 3,
        f"{score}, of {n_right} right ones: do you name the right ones? Return the numbers of the wrong ones.",
    )
    require(hits >= 0.8 * others, f"{score}. Find four of five.")
    require(
        false <= 1 or not _begins_elsewhere(answer, seeds[0]),
        f"{score}. You begin at states that are no exact draws of the target. On their way to it chains change under a "
        "right sampler, too; what stays as it is, if it begins as what?",
    )
    require(
        false < n_right,
        f"{score}: you accuse every right one. With what do you compare: with the mean and the cov of sampler.target, "
        "and by how many standard errors of what you average?",
    )
    require(false <= 1, f"{score}. Whom you accuse must be wrong: allow chance five standard errors.")
    if never:
        kind, named = next(iter(never.items()))
        why = " Exact draws stay exact draws, and most of the plane is never seen." * (kind == LEFT_OUT)
        raise WrongAnswerError(f"{score}; but of one kind you miss {named.count(False)} of {len(named)}: {kind}.{why}")
    return (
        "right: in ten line-ups you find four of five wrong samplers or more, of every kind one at least, with at "
        "most one false alarm."
    )


def _begins_elsewhere(answer, seed: int) -> bool:
    """Whether no sampler of a line-up is begun at exact draws; what it has just returned is no beginning."""
    samplers, _ = line_up(seed)
    begun: list[np.ndarray] = []

    def watched(sampler: Anonymous) -> Anonymous:
        latest = np.empty((0, 2))

        def move(f, x, rng):
            nonlocal latest
            if not np.array_equal(x, latest):
                begun.append(x.copy())
            latest = sampler.move(f, x, rng)
            return latest

        return replace(sampler, move=move)

    answer([watched(sampler) for sampler in samplers], np.random.default_rng([seed, 7]))
    large = [x for x in begun if len(x) == max(map(len, begun)) >= 50]
    return bool(large) and not any(_like_draws(x, samplers[0].target) for x in large)


def _like_draws(x: np.ndarray, target: Gaussian) -> bool:
    """Whether means and mean squares of states (C, 2), the target's scales taken out, are within six errors."""
    u = np.linalg.solve(np.linalg.cholesky(target.cov), (x - target.mean).T)
    off = np.abs([u.mean(1), (u**2 - 1).mean(1) / np.sqrt(2)])
    return bool((off < 6 / np.sqrt(len(x))).all())


# Exercise 3
@exercise(
    hints=(
        "Which of the four troubles can be seen in the weights alone, and which in the states alone?",
        "The effective sample size tells of collapse; equal columns are copies; a column that never changes is stuck; "
        "take the change of each chain from the first half of the sweeps to the second, and the error of their mean.",
        "ae.effective_sample_size(log_weights) < 3; with x for states np.unique(x, axis=1).shape[1] < x.shape[1]; "
        "(x == x[0]).all(0).any(); d = x[100:].mean(0) - x[:100].mean(0), |mean d| > 5 sd(d) / √C",
    )
)
def what_is_wrong(answer) -> str:
    """``answer(log_weights, states)`` must say of one run what is wrong: log weights (C,), states (n_sweeps, C).

    "collapsed": one chain carries the weight. "copies": two chains are one. "stuck": a chain never moves. "not there
    yet": the chains are still on their way. "fine". Of all kinds come 40 runs, then 150 fine ones, and 18 to tell
    apart rules that are nearly right.

    Examples
    --------
    >>> what_is_wrong(lambda log_weights, states: "fine")
    ✗ a run that is 'not there yet' you call 'fine': all chains move from one place to another, now and then by \
little. Compare early and late in each chain: how large is the mean change beside its standard error?
      A hint: ae.check.bugs.what_is_wrong.hint()
    """
    told, alarms = {
        "collapsed": "one chain has nine tenths of the weight. What is the effective sample size? (exp(800) is inf.)",
        "copies": "each chain looks sound, but the states of two or more are equal in every sweep, whatever their "
        "weights are; and they need not be neighbours.",
        "stuck": "most chains move; look at every one, and at the states: the standard deviation of equal numbers need "
        "not be 0 in a computer.",
        "not there yet": "all chains move from one place to another, now and then by little. Compare early and late "
        "in each chain: how large is the mean change beside its standard error?",
        "fine": "nothing is wrong with it; what alarms you? To refuse three moves of four is fine, a slow chain is "
        "*one* number, a few of weight 0 are no collapse, nor is one weight e^5 times the middle one, chains may meet, "
        "and states may be of the size of 1e-12; chance moves one fine run in twenty by two standard errors.",
    }, {
        "collapsed": "Several chains have weight in this run; what do you take for one that carries it all?",
        "copies": "No two chains of this run are equal in every sweep. Chains that lie close to each other, that move "
        "together, or that have the same mean once it is rounded, are no copies.",
        "stuck": "Every chain of this run moves, one or the other by very little, or seldom.",
        "not there yet": "The chains of this run do not move to one side, all together. Is the change of each chain "
        "from early to late judged by its standard error over the chains?",
    }  # fmt: skip
    for runs, words in cases():
        for (log_w, x), word in zip(runs, words, strict=True):
            said = attempt(answer(log_w, x))
            require(said in WORDS, f"say one of {', '.join(WORDS)}, not {said!r}.")
            if said != word:
                _judge_axes(answer)
            why = told[word] if "fine" in (word, said) else "the alarm is false."
            require(said == word, f"a run that is {word!r} you call {said!r}: {why} {alarms.get(said, '')}".rstrip())
    return "right: two hundred and eight runs, and the trouble of each."


def _judge_axes(answer) -> None:
    """Of an answer that has erred: whether it is right about runs whose states are given with their axes exchanged."""
    try:
        right = all([answer(log_w, x.T) for log_w, x in runs] == words for runs, words in map(five_runs, range(3)))
    except Exception:  # whatever its code does with other shapes
        return
    require(not right, "your axes are exchanged: states[t] are all chains at sweep t, and states[:, i] is chain i.")
