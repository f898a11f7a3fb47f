"""Checks of notebook 09: which image model is best?"""

from functools import partial
from itertools import chain

import numpy as np

from anneal_edu.course.check.paired_errors import judge_gap
from anneal_edu.course.check.unseen_pixels import judge_given, judge_noise, judge_sizes
from anneal_edu.course.check.verdict import WrongAnswerError, array, call, exercise, require, same


# Exercise 1
@exercise(
    hints=(
        "How far off is the average over patches, and why: which of its errors do more patches make smaller, and which "
        "do they not touch?",
        "To leading order log Ẑ of a patch is off by e - e²/2, where e has mean 0 and variance r/C. Of the average, "
        "that leaves a bias at any N, and the variance of one patch divided by N = budget/C. Square the first, add the "
        "second, and see where the sum stops falling with C.",
        "bias -r/(2C), variance (τ² + r/C)/N; so r²/(4C²) + (τ² C + r)/budget is to be smallest: "
        "C³ = r² budget / (2τ²)",
    )
)
def chains_a_patch(answer) -> str:
    """``answer(r, spread, budget)`` must be how many chains a patch make the mean squared error smallest.

    There are N patches with C chains each, N C = budget; log p(x) has the standard deviation ``spread`` over patches,
    and the weights of a patch have relative variance r. The error is measured at the answer, and to both sides of it.

    Examples
    --------
    >>> chains_a_patch(lambda r, spread, budget: (r**2 * budget / (2 * spread**2)) ** 0.5)
    ✗ r = 1.7, spread 0.55, budget 1,000: your C = 69.11. That is a square root: the squared bias falls as 1/C², its \
slope as 1/C³, and so it is C³ that you have found.
      A hint: ae.check.image_models.chains_a_patch.hint()
    """
    rounds = _judge_chains(answer, *_MEASURED)
    rng = np.random.default_rng(9)
    _judge_chains(answer, 1.7, 0.55, 30_000, rounds)  # as before, with thirty times the budget
    given = (0.4, 6.5, 2.0), (0.3, 3.683, 1.0), (200.0, 20.0, 0.5), (60.0, 5.7, 0.2), (90.0, 11.0, 0.45)
    given += ((900.0, 30.0, 0.5),)  # tens of thousands a patch
    for r, ratio, tau in (*given, *np.exp(rng.uniform(*np.log(_RANGES), (5, 3)))):
        _judge_chains(answer, float(f"{r:.3g}"), float(f"{tau:.3g}"), round(2 * tau**2 * ratio**3 * r), rounds)
    at_it, fewer, more = _measured(float(answer(*_MEASURED)))
    require(min(fewer, more) > 1.5 * at_it, f"{_said(at_it, fewer, more)}. Yours should be much the smallest.")
    return (
        f"right: measured in {_REPEATS:,} repeats, a quarter of your chains a patch and four times as many both err "
        "more, by half and more."
    )


_MEASURED, _REPEATS = (1.7, 0.55, 1000), 1500
_RANGES = (0.2, 5.0, 0.4), (60.0, 25.0, 3.0)
"""Least and most of r, of C / r at the best C, and of the spread over patches."""


def _best(r: float, spread: float, budget: int) -> float:
    return float(np.cbrt(r**2 * budget / (2 * spread**2)))


def _measured(chains: float) -> list[float]:
    """Mean squared errors of the average over patches: with so many chains a patch, a quarter, and four times."""
    (r, spread, budget), errors = _MEASURED, []
    for C in (int(np.clip(np.round(times * chains), 1, budget)) for times in (1, 1 / 4, 4)):
        rng, log_variance, shape = np.random.default_rng(C), np.log1p(r), (_REPEATS, budget // C, C)
        weights = np.exp(np.sqrt(log_variance) * rng.standard_normal(shape) - log_variance / 2)  # of mean 1, exactly
        off = np.log(weights.mean(2)) + spread * rng.standard_normal(shape[:2])
        errors.append(float(np.mean(off.mean(1) ** 2)))
    return errors


def _said(at_it: float, fewer: float, more: float) -> str:
    return (
        f"measured in {_REPEATS:,} repeats, the mean squared error at your C is {at_it:.2g}, with a quarter of the "
        f"chains a patch {fewer:.2g}, and with four times as many {more:.2g}"
    )


def _judge_chains(answer, r: float, spread: float, budget: int, rounds: bool = True) -> bool:
    """Judge one C, which may be rounded, or its N, if the answer ``rounds`` elsewhere, too; whether it did."""
    found = array(call(answer, r, spread, budget), (), "your function returned")
    require(np.isrealobj(found), "the root of a negative number? Has the slope of one of the two parts a sign?")
    got, right = float(found), _best(r, spread, budget)
    case = f"r = {r:g}, spread {spread:g}, budget {budget:,}: your C = {got:.4g}. "
    whole = got == round(got) and abs(got - right) < 1
    n_patches, n_right = round(budget / got) if got else 0, budget / right
    whole |= abs(n_patches * got / budget - 1) < 1e-9 and abs(n_patches - n_right) < 1  # C or N was rounded
    if abs(got / right - 1) > 0.005 and not (whole and rounds):
        _name_the_slip(got, right, r, spread, budget, case)
    return whole


def _name_the_slip(got: float, right: float, r: float, spread: float, budget: int, case: str) -> None:
    require(got > 0, f"{case}A number of chains is positive.")
    require(got > 0.99, f"{case}Less than one chain a patch: does a quotient stand upside down?")
    require(
        got > 1.01,
        f"{case}One chain a patch, and all for patches? More patches make the variance smaller. What do they do to the "
        "bias, which is the same at every one?",
    )
    r2b = r**2 * budget
    for sentence, wrong in {
        "That is a square root: the squared bias falls as 1/C², its slope as 1/C³, and so it is C³ that you have "
        "found.": (r2b / (2 * spread**2)) ** 0.5,
        "That is C³: a root is missing.": r2b / (2 * spread**2),
        "That is a third of C³: `** 1/3` raises to the power 1 and divides by 3; write `** (1/3)`.": (
            r2b / (6 * spread**2)
        ),
        "That is the number of patches, budget/C.": budget / right,
        "Does your bias enter as it is? Its *square* adds to a variance; or do you ask where bias and error bar are "
        "equal?": np.sqrt(r * budget / 2) / spread,
        "There the squared bias *equals* the patches' part of the variance. Their sum is smallest where their slopes "
        "cancel, and the slope of 1/C² is -2/C³.": np.cbrt(r2b / (4 * spread**2)),
        "The factor 2 is lost: log(1 + e) ≈ e - e²/2, so the bias is *half* of r/C; and it is the squares of bias and "
        "bar that add up.": np.cbrt(r2b / spread**2),
        "The bias is *half* of r/C: the second term of log(1 + e) is -e²/2.": np.cbrt(2 * r2b / spread**2),
        "`spread` is a standard deviation; a variance has its square.": np.cbrt(r2b / (2 * spread)),
        "r is a variance already: the bias has r, and its square r².": np.cbrt(r**4 * budget / (2 * spread**2)),
        "`spread` is missing: the less the patches differ, the fewer of them it takes.": np.cbrt(r2b / 2),
        "The bias has r, so that its square has r².": np.cbrt(r * budget / (2 * spread**2)),
        "That weighs the bias against the Monte Carlo error alone, and leaves out that patches "
        "differ.": np.sqrt(r * budget) / 2,
        "r is the variance of a single weight: that of a patch is r/C, and of all N patches r/budget, whatever C "
        "is.": np.cbrt(r2b / (2 * (spread**2 + r))),
        "The bias is the same at every patch: the mean over N patches has all of it, not an Nth part, nor one divided "
        "by √N.": r / (2 * spread),
    }.items():
        require(abs(got / wrong - 1) > 0.003 or abs(right / wrong - 1) < 0.006, case + sentence)
    require(got < 1.01 * budget, f"{case}That is more chains a patch than the budget has, {budget:,}.")
    require(
        got < 0.99 * budget,
        f"{case}That puts all chains into one patch. Patches differ, by `spread`: what does the average of a single "
        "one say of the others?",
    )
    exact = "Is all of it exact, as the power 1/3? Is r given, and C not C - 1? It need not be whole."
    close = "Near, but not yet the smallest mean squared error."
    require(
        (r, spread, budget) != (1.7, 0.55, 30_000) or abs(got - _best(*_MEASURED)) > 0.02 * got,
        f"{case}That would be right for a budget of {_MEASURED[2]:,}: with more to spend, more chains a patch.",
    )
    require(abs(got / right - 1) > 0.08, f"{case}{close} {exact}")
    summed = "It is the *squared* bias and the variance whose sum should be smallest; and C need not be round."
    require(abs(got / right - 1) > 0.4, f"{case}{close} {summed}")
    require(
        (r, spread, budget) != _MEASURED,
        f"{case[:-2]}; {_said(*_measured(got))}. Write bias and variance as functions of C, with N = budget/C.",
    )
    powers = "With which power does each of r, `spread` and budget enter?"
    raise WrongAnswerError(f"{case}It should be {right:.4g}. {powers}")


# Exercise 2
@exercise(
    hints=(
        "Which of the errors is another one at each patch, and which is one and the same at all of them?",
        "An error of its own at each patch makes the differences first - second scatter, whatever it comes from: from "
        "the choice of patches, or from the chains. What they all share they do not show. Independent errors add in "
        "squares.",
        "√( Σ (d_n - d̄)² / (N - 1) / N + log_z_error² ) with d = first - second",
    )
)
def gap_error(answer) -> str:
    """``answer(first, second, mc_errors, log_z_error)`` must be the standard error of mean(first) - mean(second).

    ``first`` is of a generative model, with a Monte Carlo error of its own at each patch; ``second`` of an analysis
    model, with one log Ẑ for all. In repeats with other patches and chains the gap must scatter as the answer says.

    Examples
    --------
    >>> gap_error(lambda a, b, each, shared: np.sqrt((np.var(a - b, ddof=1) + shared**2) / len(a)))
    ✗ your error is 1.996, and should be 2.167. You divide log_z_error by √N: but there is one log Ẑ, and it is off by \
the same amount at every patch.
      A hint: ae.check.image_models.gap_error.hint()
    """
    rng, asked = np.random.default_rng(9), []
    drawn = ((*_patches(rng, n, shared), shared) for n in (35, 60, 12) for shared in (0.5, 2.0, 0.0))
    plain, *rest = ((*(np.array(part) for part in three), shared) for *three, shared in _GIVEN)
    # Of two patches, or of thousands, different slips look alike: asked only while no error is wrong
    alike = (case for case in rest if all(same(found, right) for found, right, _ in asked))
    for first, other, each, shared in chain((plain, *drawn), alike):
        for second in (other, -other):  # two that find the same patches hard, and two that do not
            found = call(answer, first.copy(), second.copy(), each.copy(), shared)
            require(np.shape(found) != () or not np.isnan(found), _NAN)
            found = float(array(found, (), "your function returned"))
            again = partial(call, answer, first.copy(), second.copy(), each.copy(), shape=())
            asked.append((found, judge_gap(found, first, second, each, shared, again), len(first)))
    gaps = [_patches(rng, 100, 0.6) for _ in range(_SETS)]
    off = np.std([(a.mean() - b.mean()) / call(answer, a, b, each, 0.6, shape=()) for a, b, each in gaps])
    where = f"in {_SETS:,} repeats with other patches and chains the gap"
    require(abs(off - 1) < 0.09, f"{where} was off by {off:.2f} of your errors, in root mean square.")
    for found, right, n in asked:
        require(same(found, right), f"of {n} patches your error is {found:.4g}; it should be {right:.4g}.")
    return f"right: {where} was off by your error, in root mean square, to a tenth."


_SETS = 4000
_NAN = (
    "your function returned NaN. The root of a negative number? It may be one if np.var, which divides by N, and "
    "np.cov, which divides by N - 1, stand in one difference; or if errors are taken away that should be added. "
    "Or do you divide by an error, which may be 0, or leave out patches, of which there may be two?"
)
_GIVEN = (
    ([3.0, -7.0, 12.0, 1.0, -4.0, 9.0, -10.0, 6.0], [8.0, 1.0, 9.0, -2.0, -5.0, 14.0, 2.0, 5.0],
     [0.5, 2.0, 1.0, 3.0, 0.7, 1.5, 1.0, 2.0], 0.9),
    ([10.1, 10.4, 9.9], [9.0, 9.2, 9.1], [1.0, 1.5, 0.8], 0.3),  # differences that happen to be alike
    ([-3.0, 5.0, 1.0, 2.5], [-4.5, 3.5, -0.5, 1.0], [0.0] * 4, 0.7),  # all the same, and without chains' errors
    ([-2e3, -1.4e3], [-1.9e3, -1.7e3], [20.0, 30.0], 0.0),  # two patches
    ([1e-3, 4e-3, 2e-3], [-2e-3, 5e-3, -1e-3], [1e-4, 2e-4, 1e-4], 5e-4),
    (4 + 9 * np.sin(np.arange(3000)), 7 * np.cos(np.arange(3000)) ** 3, np.full(3000, 5.0), 0.2),  # many patches
)


def _patches(rng: np.random.Generator, n: int, shared: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """log p of n patches under two models of equal mean, as estimated, and the Monte Carlo errors of the first."""
    hard, each = 30 * rng.standard_normal(n) - 40, rng.uniform(0.5, 6, n)
    first = hard + 5 * rng.standard_normal(n) + each * rng.standard_normal(n)
    return first, 0.9 * hard - 4 + 2 * rng.standard_normal(n) - shared * rng.standard_normal(), each


# Exercise 3
@exercise(
    hints=(
        "p(u | s) = p(u, s) / p(s). How is the image distributed as a whole, and how its seen pixels alone?",
        "Independent parts add their covariances: that of Φa is Φ I Φᵀ. And the seen pixels have bases of their own: "
        "which rows of Φ?",
        "log p of n pixels: -½ xᵀΣ⁻¹x - ½ log |2πΣ|, Σ = ΦΦᵀ + σ² I. Of all, with Φ, minus of the seen, with Φ[seen]",
    )
)
def linear_gaussian(answer) -> str:
    """``answer(x, bases, noise, seen)`` must be log p(unseen pixels | seen ones) of x = bases a + noise r, (N,).

    Both a and r are from N(0, I); x is (N, D), and ``seen`` says which of its pixels were seen, (D,).

    Examples
    --------
    >>> from scipy.stats import multivariate_normal
    >>> def whole(x, bases, noise, seen):
    ...     return multivariate_normal(cov=bases @ bases.T + noise**2 * np.eye(len(bases))).logpdf(x)
    >>> linear_gaussian(whole)
    ✗ without bases every pixel is noise, of variance noise²: Eq. 41. Yours is about all pixels, p(seen, unseen): \
divide by p(seen).
      A hint: ae.check.image_models.linear_gaussian.hint()
    """
    rng = np.random.default_rng(9)
    x, noise, seen = rng.normal(size=(6, 3)), 0.7, np.array([False, True, False])
    try:
        found = call(answer, x.copy(), np.zeros((3, 4)), noise, seen.copy(), shape=(6,))
    except np.linalg.LinAlgError as error:
        raise WrongAnswerError(
            "without bases your covariance is singular. The noise is still there, and its part is noise² I, on the "
            "diagonal alone: yours lacks it, or has it in every entry, as a plain + noise**2 gives it."
        ) from error
    except ValueError as error:
        raise WrongAnswerError(
            f"with 4 bases of 3 pixels, one of them seen, your shapes do not fit together ({error}). The covariance of "
            "x has the shape (D, D), here (3, 3); bases.T @ bases is (L, L), here (4, 4)."
        ) from error
    judge_noise(found, x, seen, noise**2)

    judge_given(partial(call, answer), x, noise, seen, rng)
    judge_sizes(partial(call, answer), x, noise, rng)
    return "right: what is seen moves the mean and narrows the rest, as in 200,000 images drawn from the model."
