"""Three states that change places at once, for the check of notebook 10 that asks how probable that is."""

import numpy as np

from anneal_edu.course.check.verdict import call, reject, require, same


def log_turn(path, betas, x, by: int = 1) -> np.ndarray:
    """Log of after over before, (C,): every state goes up ``by`` rungs, and after the last rung comes the first."""
    f, moved = [path(beta).log_density for beta in betas], np.roll(x, by, axis=0)
    return sum(f[k](moved[k]) - f[k](x[k]) for k in range(3))


def both_swaps(path, betas, x) -> np.ndarray:
    """The probability, (C,), that rungs 1 and 2 swap, and rungs 0 and 1 after them: all end in the same places."""
    f = [path(beta).log_density for beta in betas]
    first = f[1](x[2]) + f[2](x[1]) - f[1](x[1]) - f[2](x[2])
    then = f[0](x[2]) + f[1](x[0]) - f[0](x[0]) - f[1](x[2])
    return np.exp(np.minimum(0, first) + np.minimum(0, then))


def judge_turn(answer, path, betas, x, where: str) -> None:
    found, log_ratio = call(answer, path, betas.copy(), x.copy(), shape=x.shape[1:2]), log_turn(path, betas, x)
    f = [path(beta).log_density for beta in betas]
    each_state = [f[k](x[k - 1]) - f[k - 1](x[k - 1]) for k in range(3)]  # (3, C), as it goes up
    each_rung = [f[k](x[k - 1]) - f[k](x[k]) for k in range(3)]
    right = np.exp(np.minimum(0, log_ratio))
    own, fixed = [path(beta).log_density(x) for beta in betas], log_turn(path, (0.0, 0.5, 1.0), x)  # (3, C) each
    after, before = sum(f[k](x[k - 1]) for k in range(3)), sum(own[k][k] for k in range(3))
    ends = np.exp(np.minimum(0, own[0][2] + own[2][0] - own[0][0] - own[2][2]))
    old = [own[k][k + 1] + own[k + 1][k] - own[k][k] - own[k + 1][k + 1] for k in (0, 1)]
    down = np.exp(np.minimum(0, log_turn(path, betas, x, -1)))
    if not same(found, right):
        always = f"{where} yours are 1 for all chains: a turn may be refused, too."
        require(not same(found, np.ones_like(right)), always)
        decided = np.isin(found, (0, 1)).all() and found.any()
        require(not decided, f"{where} yours are all 0 or 1, as if already decided; wanted are the probabilities.")
    reject(found, {
        "the min is missing: some of your probabilities are above 1.": np.exp(log_ratio),
        "the ratio is upside down, and there is no min: some probabilities are above 1.": np.exp(-log_ratio),
        "the ratio is upside down: you accept what should be refused.": np.exp(np.minimum(0, -log_ratio)),
        "this is the turn the other way: the state on rung 0 should go to rung 1.": np.exp(
            np.minimum(0, log_turn(path, betas, x, -1))
        ),
        "these are two swaps one after the other, both accepted. They end in the same places, but a turn at once is "
        "one move, with one ratio and one min.": both_swaps(path, betas, x),
        "this is the logarithm of the probability.": np.minimum(0, log_ratio),
        "the min is taken of the two sides of the fraction, each by itself; take it of 1 and the whole ratio, "
        "once.": np.exp(np.minimum(0, after) - np.minimum(0, before)),
        "these are logarithms of ratios; take the exponential before the min.": np.minimum(1, log_ratio),
        "wanted is the smaller of 1 and the ratio; you take the larger one.": np.exp(np.maximum(0, log_ratio)),
        "you decide about each state by itself, or ask only those that go up; it is one move, with one ratio and one "
        "min.": np.exp(np.minimum(0, each_state).sum(0)),
        "you decide about each rung by itself; it is one move with one ratio and one min.": np.exp(
            np.minimum(0, each_rung).sum(0)
        ),
        "the first rung is not asked what the state from the last is worth to it.": np.exp(
            np.minimum(0, each_rung[1] + each_rung[2])
        ),
        "the middle rung is not asked what the state that comes is worth to it.": np.exp(
            np.minimum(0, each_rung[0] + each_rung[2])
        ),
        "the last rung is not asked what the state that comes is worth to it.": np.exp(
            np.minimum(0, each_rung[0] + each_rung[1])
        ),
        "your rungs stand the other way round: x[k] stands on betas[k].": np.exp(
            np.minimum(0, log_turn(path, betas[::-1], x))
        ),
        "your ratio is the root of the right one.": np.exp(np.minimum(0, log_ratio / 2)),
        "your ratio is the square of the right one.": np.exp(np.minimum(0, 2 * log_ratio)),
        "this is Barker's rule, ratio / (1 + ratio). It leaves the distribution as it is, too, but accepts less often; "
        "wanted is Metropolis'.": 1 / (1 + np.exp(-log_ratio)),
        "yours exchanges the states of rungs 0 and 2 and leaves rung 1 alone; all three are to change places.": ends,
        "these are two swaps, both judged in the states before the first: the second one meets other "
        "states.": np.exp(np.minimum(0, old[0]) + np.minimum(0, old[1])),
        "these are two swaps, judged by the states before the first, in one ratio: the second one meets other "
        "states.": np.exp(np.minimum(0, old[0] + old[1])),
        "your rungs stand at 0, ½ and 1 here: take all three from `betas`.": np.exp(np.minimum(0, fixed)),
        "this is the probability to refuse the turn.": 1 - right,
        "this is the larger of the probabilities of this turn and of the turn the other way.": np.maximum(right, down),
        "this is half of the right probability. Given that the turn is proposed, with which is it accepted?": right / 2,
        "this is the mean of both turns' probabilities; given that this one is proposed, the other does not "
        "count.": (right + down) / 2,
        "this is one number for all chains, the mean of their probabilities; each decides by itself.": np.full_like(
            right, right.mean()
        ),
        "your ratio is one for all chains, a product over them. Each decides by itself.": np.full_like(
            right, np.exp(min(0.0, log_ratio.sum()))
        ),
        "you take the mean of the log ratios over the chains. Each decides by itself.": np.full_like(
            right, np.exp(min(0.0, log_ratio.mean()))
        ),
        "all chains get what is right for the first; each decides by itself.": np.full_like(right, right[0]),
    }, case=f"{where} ", unless=right)
    require(
        same(found, right),
        f"{where} your probabilities differ from the right ones by up to {np.abs(found - right).max():.2g}.",
    )
