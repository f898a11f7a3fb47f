"""Known-wrong answers to the exercises of notebook 10: each is rejected with a message about its own mistake."""

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator
from scipy.special import erfinv

import anneal_edu as ae
from anneal_edu.course.check import swaps
from anneal_edu.tempering.matrices import lifted_move


def printed(n, e, accepted, K):
    inside = 0 < n + e < K
    return (n + e, e if inside else -e) if accepted else (n, -e if inside else e)


def by_printed_steps(n, e, accepted, K):
    n, e = (n + e, -e) if accepted else (n, e)  # there and look back
    return n, (-e if 0 < n + e < K else e)


def right_arrival(n, e, K):
    n = n + e
    return n, (-e if n in (0, K) else e)


WRONG_RULE = {
    "as printed": (printed, "as the report prints it"),
    "as printed, by the two steps": (by_printed_steps, "as the report prints it"),
    "always turns when refused": (
        lambda n, e, a, K: right_arrival(n, e, K) if a else (n, -e),
        "only one way is open",
    ),
    "does not turn at the end": (
        lambda n, e, a, K: (n + e, e) if a else (n, e if n in (0, K) else -e),
        "must turn around",
    ),
    "never turns when refused": (lambda n, e, a, K: right_arrival(n, e, K) if a else (n, e), "not left invariant"),
    "flips on acceptance": (lambda n, e, a, K: (n + e, -e) if a else (n, e), "only ever sees the rungs [0, 1]"),
    "stays after a swap": (lambda n, e, a, K: (n, e), "has lost its replica"),
    "moves when refused": (lambda n, e, a, K: right_arrival(n, e, K), "has lost its replica"),
    "exchanged": (lambda n, e, a, K: lifted_move(n, e, a, K)[::-1], "return the rung n first"),
    "exchanged, and never turns": (lambda n, e, a, K: (e, n + e if a else n), "return the rung n first"),
    "one number": (lambda n, e, a, K: n, "two whole numbers"),
    "between two rungs": (
        lambda n, e, a, K: (*right_arrival(n, e, K),) if a and K < 2 else (n + 0.4, e),
        "two whole numbers",
    ),
    "words": (lambda n, e, a, K: ("up", e), "two whole numbers"),
    "right on short ladders only": (
        lambda n, e, a, K: lifted_move(n, e, a, K) if K < 4 else (n + e if a else n, e),
        "must turn around",
    ),
    "a ladder of four rungs at most": (
        lambda n, e, a, K: (
            (n + e, e if 0 < n + e < min(K, 3) else -e) if a else (n, -e if 0 < n < min(K, 3) else e)
        ),
        "The last rung is K",
    ),
    "a wall in a long ladder": (
        lambda n, e, a, K: right_arrival(n, e, K) if a and n + e != 4 else (n + e, -e) if a else (
            n, e if n in (0, 4, K) else -e
        ),
        "on 5 pairs",
    ),
    "a wall in a very long ladder": (
        lambda n, e, a, K: lifted_move(n, e, a, min(K, 12)) if n < 12 else right_arrival(n, e, K) if a else (n, -e),
        "on 24 pairs",
    ),
    "stays on a ladder of one pair": (lambda n, e, a, K: (n, e) if K == 1 else lifted_move(n, e, a, K), "on rung 1"),
    "looks down on a ladder of one pair": (
        lambda n, e, a, K: (lifted_move(n, e, a, K)[0], -1) if K == 1 else lifted_move(n, e, a, K), "on 1 pair your"
    ),
    "turns half of the time": (
        lambda n, e, a, K: right_arrival(n, e, K) if a else (n, 1 if n < K else -1),
        "not left invariant",
    ),
    "no direction": (lambda n, e, a, K: (n + e if a else n, 0), "+1 or -1"),
}


@pytest.mark.parametrize("mistake", WRONG_RULE)
def test_wrong_rule(mistake):
    answer, message = WRONG_RULE[mistake]
    verdict = swaps.lifted_rule(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_rule():
    assert swaps.lifted_rule(lifted_move).passed
    assert swaps.lifted_rule(lambda *given: np.array(lifted_move(*given))).passed


def of_logs(form):
    """A function of the table log f_k(x_j), (3, 3, C): rungs in rows, states in columns."""
    return lambda path, betas, x: form(np.array([[path(beta).log_density(part) for part in x] for beta in betas]))


def ratio(f):
    return f[0, 2] + f[1, 0] + f[2, 1] - f[0, 0] - f[1, 1] - f[2, 2]


def probability(f):
    return np.exp(np.minimum(0, ratio(f)))


def temperature_differences(path, betas, x):
    log_f = path(1.0).log_density(x)
    return np.exp(np.minimum(0, betas @ (log_f[[2, 0, 1]] - log_f)))


def old_swap(f, k):
    return f[k, k + 1] + f[k + 1, k] - f[k, k] - f[k + 1, k + 1]


def two_swaps(f):
    first, then = f[1, 2] + f[2, 1] - f[1, 1] - f[2, 2], f[0, 2] + f[1, 0] - f[0, 0] - f[1, 2]
    return np.exp(np.minimum(0, first) + np.minimum(0, then))


def every_one_by_itself(*differences):
    return np.exp(sum(np.minimum(0, difference) for difference in differences))


def as_if_geometric(path, betas, x):
    ends = path(0.0).log_density(x), path(1.0).log_density(x)  # (3, C)
    f = np.array([[(1 - beta) * ends[0][i] + beta * ends[1][i] for i in range(3)] for beta in betas])
    return np.exp(np.minimum(0, f[0, 2] + f[1, 0] + f[2, 1] - f[0, 0] - f[1, 1] - f[2, 2]))


WRONG_TURNS = {
    "as if the path were geometric": (as_if_geometric, "right on a geometric path"),
    "upside down": (of_logs(lambda f: np.exp(np.minimum(0, -ratio(f)))), "upside down"),
    "no min": (of_logs(lambda f: np.exp(ratio(f))), "min is missing"),
    "upside down, no min": (of_logs(lambda f: np.exp(-ratio(f))), "there is no min"),
    "down the ladder": (
        of_logs(lambda f: np.exp(np.minimum(0, f[0, 1] + f[1, 2] + f[2, 0] - f[0, 0] - f[1, 1] - f[2, 2]))),
        "the turn the other way",
    ),
    "two swaps": (of_logs(two_swaps), "two swaps one after the other"),
    "logarithm": (of_logs(lambda f: np.minimum(0, ratio(f))), "this is the logarithm"),
    "no exponential": (of_logs(lambda f: np.minimum(1, ratio(f))), "before the min"),
    "states by themselves": (
        of_logs(lambda f: every_one_by_itself(f[1, 0] - f[0, 0], f[2, 1] - f[1, 1], f[0, 2] - f[2, 2])),
        "each state by itself",
    ),
    "rungs by themselves": (
        of_logs(lambda f: every_one_by_itself(f[1, 0] - f[1, 1], f[2, 1] - f[2, 2], f[0, 2] - f[0, 0])),
        "each rung by itself",
    ),
    "who comes down is not asked": (
        of_logs(lambda f: np.exp(np.minimum(0, f[1, 0] - f[0, 0] + f[2, 1] - f[1, 1]))),
        "ask only those that go up",
    ),
    "the first rung is not asked": (
        of_logs(lambda f: np.exp(np.minimum(0, f[1, 0] - f[1, 1] + f[2, 1] - f[2, 2]))),
        "the first rung is not asked",
    ),
    "the middle rung is not asked": (
        of_logs(lambda f: np.exp(np.minimum(0, f[0, 2] - f[0, 0] + f[2, 1] - f[2, 2]))),
        "the middle rung is not asked",
    ),
    "the last rung is not asked": (
        of_logs(lambda f: np.exp(np.minimum(0, f[0, 2] - f[0, 0] + f[1, 0] - f[1, 1]))),
        "the last rung is not asked",
    ),
    "rungs upside down": (
        lambda path, betas, x: of_logs(probability)(path, betas[::-1], x), "your rungs stand the other way round"
    ),
    "β differences": (temperature_differences, "any other path"),
    "exponentials first": (
        of_logs(lambda f: np.minimum(1, np.exp(f[0, 2]) * np.exp(f[1, 0]) * np.exp(f[2, 1]) / np.exp(
            f[0, 0] + f[1, 1] + f[2, 2]
        ))),
        "exponentiate what is left",
    ),
    "exponentials of parts": (
        of_logs(lambda f: np.minimum(1, np.exp(f[1, 0] - f[1, 1]) * np.exp(f[2, 1] - f[2, 2]) * np.exp(
            f[0, 2] - f[0, 0]
        ))),
        "a part of your ratio is infinite",
    ),
    "always the same rungs": (
        lambda path, betas, x: of_logs(probability)(path, (0.3, 0.5, 0.8), x),
        "wrong for others",
    ),
    "the ends and the middle": (
        lambda path, betas, x: of_logs(probability)(path, (betas[0], betas[[0, 2]].mean(), betas[2]), x),
        "from the right ones",
    ),
    "Barker": (of_logs(lambda f: 1 / (1 + np.exp(-ratio(f)))), "Barker's rule"),
    "max for min": (of_logs(lambda f: np.exp(np.maximum(0, ratio(f)))), "the larger one"),
    "root": (of_logs(lambda f: np.exp(np.minimum(0, 0.5 * ratio(f)))), "is the root"),
    "square": (of_logs(lambda f: np.exp(np.minimum(0, 2 * ratio(f)))), "is the square"),
    "the mean of all chains": (of_logs(lambda f: probability(f).mean() * np.ones(f.shape[2])), "one number for all"),
    "the first chain": (of_logs(lambda f: probability(f)[:1] * np.ones(f.shape[2])), "right for the first"),
    "a product of chains": (of_logs(lambda f: np.exp(-np.abs(ratio(f)).sum()) * np.ones(f.shape[2])), "by up to"),
    "the mean of the logs": (
        of_logs(lambda f: np.exp(np.minimum(0, ratio(f).mean())) * np.ones(f.shape[2])), "mean of the log ratios"
    ),
    "the probability to refuse": (of_logs(lambda f: 1 - probability(f)), "the probability to refuse"),
    "always": (of_logs(lambda f: np.ones(f.shape[2])), "1 for all chains"),
    "yes or no": (of_logs(lambda f: ratio(f) > 0), "as if already decided"),
    "a draw": (
        of_logs(lambda f: 1.0 * (np.random.default_rng(0).random(f.shape[2]) < probability(f))), "as if already decided"
    ),
    "rungs 0 and 2 alone": (
        of_logs(lambda f: np.exp(np.minimum(0, f[0, 2] + f[2, 0] - f[0, 0] - f[2, 2]))), "leaves rung 1 alone"
    ),
    "two swaps at the old states": (
        of_logs(lambda f: np.exp(np.minimum(0, old_swap(f, 0)) + np.minimum(0, old_swap(f, 1)))),
        "two swaps, both judged",
    ),
    "two swaps at the old states, one ratio": (
        of_logs(lambda f: np.exp(np.minimum(0, old_swap(f, 0) + old_swap(f, 1)))),
        "in one ratio",
    ),
    "betas ignored": (
        lambda path, betas, x: of_logs(probability)(path, (0.0, 0.5, 1.0), x), "0, ½ and 1 here: take all three"
    ),
    "betas to one decimal": (
        lambda path, betas, x: of_logs(probability)(path, np.round(betas, 1), x), "wrong for others"
    ),
    "both ways": (of_logs(lambda f: np.maximum(probability(f), probability(f[::-1, ::-1]))), "the larger of the"),
    "mean of both ways": (of_logs(lambda f: (probability(f) + probability(f[::-1, ::-1])) / 2), "the mean of both"),
    "half": (of_logs(lambda f: probability(f) / 2), "half of the right"),
    "the first coordinate": (
        lambda path, betas, x: of_logs(probability)(path, betas, x if x.shape[2] < 2 else x * [1.0, 0.0]),
        "for x of shape (3, 1, 2)",
    ),
    "two coordinates among the chains": (
        lambda path, betas, x: of_logs(probability)(path, betas, x.transpose(0, 2, 1).reshape(x.shape)),
        "for x of shape (3, 7, 2)",
    ),
    "shape": (of_logs(lambda f: ratio(f)[:3]), "shape"),
    "NaN": (of_logs(lambda f: ratio(f) * np.nan), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_TURNS)
def test_wrong_turn(mistake):
    answer, message = WRONG_TURNS[mistake]
    verdict = swaps.turn_probability(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_turn():
    assert swaps.turn_probability(of_logs(probability)).passed


def test_turns_at_once_are_accepted_more_often():
    """Against the same expectations by quadrature, on a grid of each rung's line."""
    path, betas = ae.moment_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([3.0], [[0.5]])), (0.0, 0.4, 1.0)
    lines = [path(beta).mean[0] + np.sqrt(path(beta).cov[0, 0]) * np.linspace(-5, 5, 101) for beta in betas]
    x = np.stack(np.meshgrid(*lines, indexing="ij")).reshape(3, -1, 1)
    weights = np.exp(sum(path(beta).log_density(part) for beta, part in zip(betas, x, strict=True)))
    at_once, one_by_one = (
        weights @ of_logs(form)(path, betas, x) / weights.sum() for form in (probability, two_swaps)
    )
    told = swaps.turn_probability(of_logs(probability)).message
    for share in (at_once, one_by_one):
        assert any(abs(float(word[:-1]) / 100 - share) < 0.004 for word in told.replace(":", "").split() if "%" in word)


def share(schedule, rates, n_steps):
    total = np.append(0, np.cumsum(rates))
    return np.interp(np.linspace(0, total[-1], n_steps + 1), total, schedule)


def enough(rates, most):
    return int(np.ceil(np.sum(rates) / most))


def with_number(number):
    return lambda s, r, most: share(s, r, max(1, number(np.sum(r) / most)))


def with_ladder(ladder):
    """With the right number of pairs."""
    return lambda s, r, most: ladder(s, r, enough(r, most))


def with_rates(changed):
    """With rates that are taken to be others where the rungs are placed, but not where they are counted."""
    return with_ladder(lambda s, r, K: share(s, changed(r), K))


shortest = with_ladder(share)


def exchanged(schedule, rates, n_steps):
    total = np.append(0, np.cumsum(rates))
    return np.interp(np.linspace(0, 1, n_steps + 1), schedule, total / total[-1])


def without_0(schedule, rates, n_steps):
    return np.interp(np.linspace(0, sum(rates), n_steps + 1), np.cumsum(rates), schedule[1:])


def divided_once(schedule, rates, n_steps):
    total = np.append(0, np.cumsum(rates))
    return np.interp(np.linspace(0, total[-1], n_steps + 1), total / total[-1], schedule)


WRONG_LADDER = {
    "rounded down": (with_number(int), "each refuses 0.329, and that is more"),
    "rounded": (with_number(round), "with Λ = 2 and most = 0.6, your ladder of 4 rungs has 3 pairs: if they"),
    "one too many": (with_number(lambda K: int(np.ceil(K)) + 1), "will do: with 8 each would refuse 0.28"),
    "rounded down and one more": (with_number(lambda K: int(K) + 1), "Exactly as much is not more"),
    "twice as many": (with_number(lambda K: 2 * int(np.ceil(K))), "A shorter one will do"),
    "not rounded": (lambda s, r, most: share(s, r, np.sum(r) / most), "raised TypeError"),
    "the pilot itself, where it has one pair": (
        lambda s, r, most: s if len(r) == 1 else share(s, r, int(np.ceil(round(r.sum() / most, 9)))),
        "with Λ = 0.8 and most = 0.3, your ladder of 2 rungs has 1 pair",
    ),
    "two pairs at least": (with_number(lambda K: max(2, int(np.ceil(K)))), "Λ = 0.8 and most = 0.9, your ladder of 3"),
    "a hundred pairs at most": (with_number(lambda K: min(100, int(np.ceil(K)))), "and most = 0.02"),
    "as many pairs as the pilot had": (lambda s, r, most: share(s, r, len(r)), "A shorter one will do"),
    "the mean rate": (with_number(lambda K: 1), "each refuses 2.303"),
    "as if all refused like the worst": (lambda s, r, most: share(s, r, enough(len(r) * r.max(), most)), "will do"),
    "counted by -log(1 - r)": (lambda s, r, most: share(s, r, enough(-np.log(1 - r), most)), "A shorter one will do"),
    "counted by what is accepted": (lambda s, r, most: share(s, r, enough(r, 1 - most)), "and that is more"),
    "even in β, with more pairs": (
        lambda s, r, most: next(
            np.linspace(0, 1, K + 1) for K in range(1, 10**6)
            if np.diff(np.interp(np.linspace(0, 1, K + 1), s, np.append(0, np.cumsum(r)))).max() <= most
        ),
        "A shorter one will do",
    ),
    "filled up from the start": (
        with_ladder(lambda s, r, K: np.interp(np.append(0.3 * np.arange(K), 1e9), np.append(0, np.cumsum(r)), s)),
        "not alike",
    ),
    "linear": (with_ladder(lambda s, r, K: np.linspace(0, 1, K + 1)), "linear, as if"),
    "rates of 0.05 at least": (with_rates(lambda r: np.maximum(r, 0.05)), "linear, as if"),
    "rates of 0.01 at least": (with_rates(lambda r: np.maximum(r, 0.01)), "not alike"),
    "rates of 0.95 at most": (with_rates(lambda r: np.minimum(r, 0.95)), "not alike"),
    "a little more than the rates": (with_rates(lambda r: r + r * r / 50), "not alike"),
    "of a normal score": (with_rates(lambda r: erfinv(np.minimum(r, 0.9999))), "the rates themselves"),
    "three digits": (with_ladder(lambda s, r, K: share(s, r, K).round(3)), "are the rungs rounded"),
    "axes exchanged": (with_ladder(exchanged), "roles of the two axes"),
    "fewest where it is hard": (with_rates(lambda r: 1 / r), "not alike"),
    "the pilot's rungs taken to be even": (
        with_ladder(lambda s, r, K: share(np.linspace(0, 1, len(s)), r, K)), "take the pilot's rungs to be even"
    ),
    "not cumulative": (with_rates(np.sqrt), "not alike"),
    "r / (1 - r)": (with_rates(lambda r: r / (1 - r)), "not alike"),
    "-log(1 - r)": (with_rates(lambda r: -np.log(1 - r)), "not alike"),
    "the sum does not start at 0": (with_ladder(without_0), "what is it at the first rung?"),
    "divided by Λ once": (with_ladder(divided_once), "stand at 1 from rung 4 on"),
    "acceptances": (with_rates(lambda r: 1 - r), "not alike"),
    "rates for a unit of β": (with_ladder(lambda s, r, K: share(s, r / np.diff(s), K)), "not alike"),
    "rates backwards": (with_rates(lambda r: r[::-1]), "not alike"),
    "as many rungs as pairs": (with_ladder(lambda s, r, K: share(s, r, max(1, K - 1))), "K pairs have K + 1 rungs"),
    "no ends": (with_ladder(lambda s, r, K: share(s, r, K + 2)[1:-1]), "The start and the target are rungs, too"),
    "no end": (with_ladder(lambda s, r, K: share(s, r, K)[:-1]), "goes from 0 to"),
    "from 1 to 0": (with_ladder(lambda s, r, K: share(s, r, K)[::-1]), "your ladder comes down"),
    "falls": (with_ladder(lambda s, r, K: np.r_[0, share(s, r, K)[1:-1][::-1], 1]), "is not above rung"),
    "a table": (with_ladder(lambda s, r, K: share(s, r, K)[None]), "a row of rungs"),
    "the number alone": (lambda s, r, most: enough(r, most), "a row of rungs"),
    "NaN": (with_ladder(lambda s, r, K: share(s, r, K) * np.nan), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_LADDER)
def test_wrong_ladder(mistake):
    answer, message = WRONG_LADDER[mistake]
    verdict = swaps.equal_ladder(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_the_library_alone_does_not_do_it():
    assert swaps.equal_ladder(ae.equal_rejection_schedule).passed is False


def by_trial(schedule, rates, most):
    n_steps = 1
    while np.sum(rates) / n_steps > most:
        n_steps += 1
    return list(share(schedule, rates, n_steps))


def test_right_ladder():
    smooth = lambda s, r, K: PchipInterpolator(np.r_[0, r.cumsum()], s)(np.linspace(0, r.sum(), K + 1))  # noqa: E731
    of_shares = lambda s, r, K: np.interp(np.arange(K + 1) / K, np.r_[0, r.cumsum()] / r.sum(), s)  # noqa: E731
    in_single_precision = lambda *given: share(*given).astype(np.float32)  # noqa: E731
    for ladder in (share, ae.equal_rejection_schedule, in_single_precision, of_shares, smooth):
        assert swaps.equal_ladder(with_ladder(ladder)).passed
    assert swaps.equal_ladder(by_trial).passed
    assert swaps.equal_ladder(lambda s, r, most: share(s, r, -int(-sum(r) // most))).passed


@pytest.mark.parametrize("check", [swaps.lifted_rule, swaps.turn_probability, swaps.equal_ladder])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
