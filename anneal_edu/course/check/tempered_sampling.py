"""Exercises of notebook 12: shares of time that are not equal, the steps of TI, and the objective of MBAR."""

import numpy as np
from scipy.special import logsumexp, softmax

from anneal_edu.course.check.engine import exercise


# Exercise 1: unequal shares
def _walks():
    rng = np.random.default_rng(12)
    log_f, log_z, wanted = rng.normal(0, 2, (3, 6)), np.array([0.7, -0.4, 1.5]), np.array([0.2, 0.3, 1.1])
    low, tiny = np.array([0.0, -2000.0, 0.0]), np.array([0.0, -30.0, -12.0, -80.0])
    far = np.array([-2000.0, 0.0, 900.0, -2000.0, 0.0, 900.0])
    return {
        "a few draws": (log_f, log_z, wanted),
        "shares that add up to 1": (log_f[::-1], log_z, wanted / wanted.sum()),
        "draws with log f of -2000 or 900 on all rungs": (log_f + far, log_z, wanted),
        "a rung with log f and log Ẑ near -2000": (log_f + low[:, None], log_z + low, wanted),
        "shares as small as e⁻³⁰": (np.repeat(tiny[:, None], 7, 1), np.full(4, 0.5), np.arange(1, 5.0)),
        "log f 1500 apart, in each draw on other rungs": (
            log_f - 1500.0 * np.array([[0, 1, 1, 0, 0, 1], [1, 0, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0]]),
            log_z,
            wanted,
        ),
        "two rungs": (log_f[:2], log_z[:2], wanted[:2]),
        "nine rungs and two draws": (rng.normal(0, 2, (9, 2)), rng.normal(0, 1, 9), rng.uniform(0.5, 2, 9)),
    }


def _miscorrected(log_f, log_z, wanted):
    right, found = corrected.solution(log_f, log_z, wanted)
    log_r, f, zero = np.log(wanted), log_f - log_z[:, None], log_z[0]
    step, wish = np.log(right / right[0]), log_r - log_r[0]
    p = np.exp(f + log_r[:, None])

    def shares(logs):
        c = softmax(logs, axis=0).mean(1)
        z = log_z + np.log(c / wanted)
        return c, z - z[0] + zero

    copied = shares(f)[0]
    return {
        "those are formulas (2) and (3) unchanged, without r_k: there all rungs have the same r_k.": (
            copied, log_z + np.log(copied / copied[0])),
        "r_k is missing in your c: the walk draws k with probability ∝ r_k f_k(x) / Ẑ_k.": shares(f),
        "r_k multiplies f_k / Ẑ_k; in your c it divides.": shares(f - log_r[:, None]),
        "you add r_k to a logarithm: add log r_k.": shares(f + wanted[:, None]),
        "the guess has the wrong sign in your c: f_k is divided by Ẑ_k.": shares(log_f + (log_z + log_r)[:, None]),
        "the guess is missing in your c: f_k is divided by Ẑ_k.": shares(log_f + log_r[:, None]),
        "your q is not normalised: for each draw it adds up to 1 over the rungs.": (p.mean(1), ...),
        "your q adds up to 1 over the draws; it should over the rungs, for each draw.": (
            softmax(f + log_r[:, None], axis=1).mean(1), ...),
        "c_k is the share of time itself: divide by r_k where you correct Ẑ_k, not here.": (right / wanted, ...),
        "your c is a sum over the draws: divide by their number.": (right * log_f.shape[1], ...),
        "multiply by r_k before q is normalised over the rungs, not after.": (softmax(f, axis=0).mean(1) * wanted, ...),
        "that is formula (2) unchanged: a rung with twice the r_k has twice the time, and you take this for twice the "
        "Z.": (..., log_z + step),
        "r_k has the wrong sign in your log Ẑ: divide it out.": (..., log_z + step + wish),
        "the correction has the wrong sign: a rung with more time than wanted has a larger Z_k.": (
            ..., log_z - step + wish),
        "the first entry of log Ẑ should stay: subtract log(c_0 / r_0) everywhere.": (
            ..., log_z + np.log(right / wanted)),
        "the first entry of log Ẑ should stay as it was given; yours is 0.": (..., found - zero),
        "the guess is missing: the shares give a correction to it.": (..., step - wish),
        "the share has the wrong sign: more time means a larger Z_k.": (..., log_z - step - wish),
        "return the shares c first, then log Ẑ.": (found, right),
        "return log Ẑ, not Ẑ.": (..., np.exp(found)),
    }  # fmt: skip


@exercise(
    hints=(
        "A rung gets twice the time because you wanted it to. What does this say of its Z_k?",
        "Divide r_k f_k(x) / Ẑ_k by its sum over the rungs to have q(β_k | x): in logarithms, and exp comes last. Sum "
        "it over x instead to have q(β_k), and solve that for Z_k.",
        "c_k = mean over n of r_k f_k(x_n) / Ẑ_k / Σ_j r_j f_j(x_n) / Ẑ_j; log Ẑ_k + log(c_k / r_k) - log(c_0 / r_0)",
    ),
    returns={"c": "For each draw q adds up to 1 over the rungs; c is its mean over the draws. Take logsumexp over the "
                  "rungs away before exp.",
             "log Ẑ": "What share of time says that Z_k is larger than the guess?"},
    cases=_walks, slips=_miscorrected, rtol=1e-4, atol=1e-15,
    praise="right: two people who want different shares find the same Z_k.",
)  # fmt: skip
def corrected(log_f, log_z, wanted):
    """The Rao-Blackwellised shares of time and the corrected log Ẑ, of a walk with q(x, β_k) ∝ r_k f_k(x) / Ẑ_k."""
    log_q = np.log(wanted)[:, None] + log_f - log_z[:, None]
    c = np.exp(log_q - logsumexp(log_q, axis=0)).mean(axis=1)
    found = log_z + np.log(c / wanted)
    return c, found - found[0] + log_z[0]


# Exercise 2: how many steps does TI need?
def _slopes():
    def at(slope, n_steps, tolerance):
        return slope(np.linspace(0, 1, n_steps + 1)), tolerance

    return {
        "slopes that rise": at(lambda b: 6 * np.exp(2.5 * b), 8, 1e-3),
        "slopes that flatten": at(lambda b: -60 / (1 + 2 * b), 8, 1e-3),
        "slopes that turn": at(lambda b: 40 * np.sin(2.5 * b) - 8, 16, 1e-4),
        "a parabola": at(lambda b: 90 * b**2, 10, 1e-3),
        "three slopes": at(lambda b: 50 * b**2 - 50 * b, 2, 1e-3),
        "a tolerance of 2 nats": at(lambda b: 600 * b**2, 6, 2.0),
        "fewer steps than slopes": at(lambda b: 6 * b**2, 16, 0.05),
    }


def _misjudged(slopes, tolerance):
    K = len(slopes) - 1
    fine, coarse = np.trapezoid(slopes, dx=1 / K), np.trapezoid(slopes[::2], dx=2 / K)
    moved = abs(fine - coarse)

    def steps(error, power=0.5):
        n = K * (error / tolerance) ** power
        return np.ceil(n) if np.isfinite(n) else np.nan

    third = "the rule moves by 4e - e = 3e when every second slope is left out: "
    return {
        "the error falls as 1/K²: a tenth of the error needs √10 times the steps, not ten times.": steps(moved / 3, 1),
        f"{third}take a third of it.": steps(moved),
        f"{third}a third of it, not a quarter.": steps(moved / 4),
        f"{third}a third of it, not half.": steps(moved / 2),
        "that is the error with every second slope, 4e. The error with all slopes is e.": steps(4 * moved / 3),
        "the spacing is 2/K where every second slope is left out.": steps(abs(fine - coarse / 2) / 3),
        "multiply each sum by its spacing: 1/K for all slopes, 2/K for every second one.": steps(
            abs(K * fine - K / 2 * coarse) / 3),
        "the spacing is missing: β goes from 0 to 1, in K steps of 1/K.": steps(K * moved / 3),
        "any whole number of steps is allowed, also below K: do not only double K.": K * 2.0 ** max(
            0, np.ceil(np.log2(moved / 3 / tolerance) / 2)),
        "the law starts at your K steps: multiply √(e / tolerance) by K.": np.ceil(np.sqrt(moved / 3 / tolerance)),
        "K is the number of steps, one less than the number of slopes.": np.ceil(
            (K + 1) * np.sqrt(moved / 3 / tolerance)),
        "your K counts the steps of every second slope. The error e is that of all K steps.": np.ceil(
            K / 2 * np.sqrt(moved / 3 / tolerance)),
        "the difference of the two results has a sign: take its absolute value.": steps((fine - coarse) / 3),
        "the difference has a sign, and a loop ends at once: take the absolute value.": (
            1.0 if fine < coarse else steps(moved / 3)),
        "the fraction is upside down: a smaller tolerance needs more steps.": np.ceil(
            K * np.sqrt(tolerance / (moved / 3))),
        "those are the steps that you have: how many are needed?": float(K),
        "a tolerance is in nats, not relative to log Z.": steps(moved / 3 / abs(fine)),
    }  # fmt: skip


@exercise(
    hints=(
        "The error of the rule falls as 1/K². How much of it is left when K doubles?",
        "Apply the rule to all slopes and to every second one. With e the error of the finer, the coarser is off by "
        "4 e.",
        "e = |fine - coarse| / 3, and then K √(e / tolerance) steps, rounded up",
    ),
    returns={"the number of steps": "What is the rule's error with all slopes, and how does it fall with K?"},
    errors={"NaN": "the difference of the two results has a sign: take its absolute value."},
    cases=_slopes, slips=_misjudged, rtol=0, atol=1.01,
    praise="right: what moves when every second slope is left out is three times the error, and the error falls as "
           "1/K².",
)  # fmt: skip
def steps_needed(slopes, tolerance):
    """How many equal steps the trapezoid rule needs, predicted from the slopes at K + 1 equally spaced β."""
    K = len(slopes) - 1
    fine, coarse = np.trapezoid(slopes, dx=1 / K), np.trapezoid(slopes[::2], dx=2 / K)
    return int(np.ceil(K * np.sqrt(abs(fine - coarse) / 3 / tolerance)))


# Exercise 3: the valley
def _tables():
    rng = np.random.default_rng(4)
    log_f, counts, log_z = rng.normal(0, 2, (3, 10)), np.array([2, 5, 3]), np.array([0.3, -1.2, 2.1])
    return {
        "three rungs": (log_f, counts, log_z),
        "a rung without draws: it weighs n_k/N = 0 in both terms": (log_f[:, :8], np.array([3, 0, 5]), log_z),
        "log f of -1000 and 900": (log_f + np.where(np.arange(10) % 2, -1000.0, 900.0), counts, log_z),
        "five rungs": (rng.normal(0, 2, (5, 40)), np.array([2, 8, 20, 3, 7]), rng.normal(0, 1, 5)),
        "a last rung with most draws": (log_f[:, :6], np.array([1, 1, 4]), log_z[::-1]),
    }


def _misweighed(log_f, counts, log_z):
    N, n_rungs = counts.sum(), len(counts)
    s, f, even = counts / N, log_f - log_z[:, None], np.full(n_rungs, 1 / n_rungs)

    def first(weights=s, logs=f):
        return logsumexp(np.log(weights)[:, None] + logs, axis=0)

    mean, second = first().mean(), s @ log_z
    return {
        "that is the poster's sign: a hill. (4) is a valley, to be minimised.": -mean - second,
        "the second term has the wrong sign: the first falls as the Z_k grow, so the second must rise.": mean - second,
        "the first term has the wrong sign: (4) begins with + (1/N) Σ_n log Σ_k.": second - mean,
        "the second term is missing.": mean,
        "the first term is missing.": second,
        "every rung has the same weight in both terms. Rung k gave n_k of the N draws.": first(even).mean()
        + even @ log_z,
        "every rung has the same weight in your second term. At which a_k does the slope vanish?": mean + even @ log_z,
        "every rung has the same weight in your first term: rung k weighs n_k/N.": first(even).mean() + second,
        "the weights of your second term are n_k: they should add up to 1.": mean + counts @ log_z,
        "the weights of your second term are all 1: they should add up to 1.": mean + log_z.sum(),
        "the weights in your first term are n_k: they should be n_k/N, and add up to 1.": first(counts).mean() + second,
        "the weights n_k/N are missing in your first term.": first(np.ones(n_rungs)).mean() + second,
        "your first term is a sum over the draws: divide it by N.": first().sum() + second,
        "that is N times (4): divide by N.": N * (mean + second),
        "divide each f_k by its Z_k in the first term.": first(logs=log_f).mean() + second,
        "f_k is divided by Z_k, so subtract log Z_k.": first(logs=log_f + log_z[:, None]).mean() + second,
        "the logarithm stands before the sum over the rungs, not inside it.": (s @ f).mean() + second,
        "average the logarithms of the mixture; yours is the logarithm of its average.": logsumexp(first())
        - np.log(log_f.shape[1]) + second,
        "½ holds for two rungs with equal counts only: which a_k do other counts need?": mean + log_z.sum() / 2,
        "the second term has log Z_k, not Z_k.": mean + s @ np.exp(log_z),
    }  # fmt: skip


@exercise(
    hints=(
        "What happens to the objective when every Z_k doubles?",
        "One logsumexp over the rungs for each draw, with the shares n_k/N inside; average it. What is its slope in "
        "log Z_k, and which weight a_k cancels that where the equation of the lesson holds?",
        "(1/N) Σ_n log Σ_k (n_k/N) f_k(x_n)/Z_k + Σ_k (n_k/N) log Z_k",
    ),
    returns={"the objective": "The sum over k is inside the logarithm, take logsumexp; the mean over the draws is "
                              "outside. Both terms have the weights n_k/N."},
    cases=_tables, slips=_misweighed, rtol=1e-5, atol=1e-5,
    praise="right: a valley, and its lowest point is the log Z of ae.mbar. With equal weights its floor would lie "
           "elsewhere.",
)  # fmt: skip
def mbar_objective(log_f, counts, log_z):
    """MBAR's objective (4), which is to be minimised."""
    share = counts / counts.sum()
    log_mixture = logsumexp(np.log(share)[:, None] + log_f - log_z[:, None], axis=0)
    return log_mixture.mean() + share @ log_z
