"""Checks of notebook 09: which image model is best?"""

import numpy as np

from anneal_edu.course.check.verdict import WrongAnswerError, array, call, exercise, reject, require, same


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
    ✗ r = 1.5, spread 0.6, budget 1,000: your C = 55.9. That is a square root: the squared bias falls as 1/C², its \
slope as 1/C³, and so it is C³ that you have found.
      A hint: ae.check.image_models.chains_a_patch.hint()
    """
    _judge_chains(answer, *_MEASURED)
    rng = np.random.default_rng(9)
    for r, ratio, tau in ((0.4, 6.5, 2.0), (90.0, 11.0, 0.45), *np.exp(rng.uniform(*np.log(_RANGES), (5, 3)))):
        _judge_chains(answer, float(f"{r:.3g}"), float(f"{tau:.3g}"), round(2 * tau**2 * ratio**3 * r))
    at_it, fewer, more = _measured(float(answer(*_MEASURED)))
    require(min(fewer, more) > 1.5 * at_it, f"{_said(at_it, fewer, more)}. Yours should be much the smallest.")
    return (
        f"right: measured in {_REPEATS:,} repeats, a quarter of your chains a patch and four times as many both err "
        "more, by half and more."
    )


_MEASURED, _REPEATS = (1.5, 0.6, 1000), 1500
_RANGES = (0.2, 5.0, 0.4), (60.0, 25.0, 3.0)
"""Least and most of r, of C / r at the best C, and of the spread over patches."""


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


def _judge_chains(answer, r: float, spread: float, budget: int) -> None:
    found = array(call(answer, r, spread, budget), (), "your function returned")
    require(np.isrealobj(found), "the root of a negative number? Has the slope of one of the two parts a sign?")
    got, right = float(found), float(np.cbrt(r**2 * budget / (2 * spread**2)))
    case = f"r = {r:g}, spread {spread:g}, budget {budget:,}: your C = {got:.4g}. "
    if abs(got / right - 1) > 0.005 and not (got == round(got) and abs(got - right) <= 1):
        _name_the_slip(got, right, r, spread, budget, case)


def _name_the_slip(got: float, right: float, r: float, spread: float, budget: int, case: str) -> None:
    require(got > 0, f"{case}A number of chains is positive.")
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
        "That is the number of patches, budget/C.": budget / right,
        "Does your bias enter as it is? Its *square* adds to a variance; or do you ask where bias and error bar are "
        "equal?": np.sqrt(r * budget / 2) / spread,
        "There the squared bias *equals* the patches' part of the variance. Their sum is smallest where their slopes "
        "cancel, and the slope of 1/C² is -2/C³.": np.cbrt(r2b / (4 * spread**2)),
        "The factor 2 is lost: log(1 + e) ≈ e - e²/2, so the bias is *half* of r/C; and it is the squares of bias and "
        "bar that add up.": np.cbrt(r2b / spread**2),
        "The bias is *half* of r/C: the second term of log(1 + e) is -e²/2.": np.cbrt(2 * r2b / spread**2),
        "`spread` is a standard deviation; a variance has its square.": np.cbrt(r2b / (2 * spread)),
        "The bias has r, so that its square has r².": np.cbrt(r * budget / (2 * spread**2)),
        "That weighs the bias against the Monte Carlo error alone, and leaves out that patches "
        "differ.": np.sqrt(r * budget) / 2,
        "The bias is the same at every patch: the mean over N patches has all of it, not an Nth part, nor one divided "
        "by √N.": r / (2 * spread),
    }.items():
        require(abs(got / wrong - 1) > 0.003 or abs(right / wrong - 1) < 0.006, case + sentence)
    require(
        got < 0.99 * budget,
        f"{case}That puts all chains into one patch. Patches differ, by `spread`: what does the average of a single "
        "one say of the others?",
    )
    close = "Near, but not yet the smallest mean squared error."
    require(abs(got / right - 1) > 0.08, f"{case}{close} Is r given, and C not C - 1? It need not be whole.")
    require(abs(got / right - 1) > 0.4, f"{case}{close} It has the *square* of the bias, plus the variance.")
    require(
        (r, spread, budget) != _MEASURED,
        f"{case[:-2]}; {_said(*_measured(got))}. Write bias and variance as functions of C, with N = budget/C.",
    )
    require(False, f"{case}It should be {right:.4g}. With which power does each of r, `spread` and budget enter?")


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
    ✗ your error is 1.087, and should be 1.193. You divide log_z_error by √N: but there is one log Ẑ, and it is off by \
the same amount at every patch.
      A hint: ae.check.image_models.gap_error.hint()
    """
    rng, asked = np.random.default_rng(9), []
    for n in (35, 60, 12):
        for shared in (0.5, 2.0, 0.0):
            first, second, each = _patches(rng, n, shared)
            found = float(call(answer, first.copy(), second.copy(), each.copy(), shared, shape=()))
            asked.append((found, _judge_gap(found, first, second, each, shared), n))
    gaps = [_patches(rng, 100, 0.6) for _ in range(_SETS)]
    off = np.std([(a.mean() - b.mean()) / call(answer, a, b, each, 0.6, shape=()) for a, b, each in gaps])
    where = f"in {_SETS:,} repeats with other patches and chains the gap"
    require(abs(off - 1) < 0.09, f"{where} was off by {off:.2f} of your errors, in root mean square.")
    for found, right, n in asked:
        require(same(found, right), f"of {n} patches your error is {found:.4g}; it should be {right:.4g}.")
    return f"right: {where} was off by your error, in root mean square, to a tenth."


_SETS = 4000


def _patches(rng: np.random.Generator, n: int, shared: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """log p of n patches under two models of equal mean, as estimated, and the Monte Carlo errors of the first."""
    hard, each = 30 * rng.standard_normal(n) - 40, rng.uniform(0.5, 6, n)
    first = hard + 5 * rng.standard_normal(n) + each * rng.standard_normal(n)
    return first, 0.9 * hard - 4 + 2 * rng.standard_normal(n) - shared * rng.standard_normal(), each


def _judge_gap(found: float, first: np.ndarray, second: np.ndarray, each: np.ndarray, shared: float) -> float:
    """The right error; what is wrong with another one is named where it is known."""
    n, chains = len(first), np.sqrt((each**2).sum()) / len(first)
    scatter = (first - second).std(ddof=1) / np.sqrt(n)
    right = float(np.hypot(scatter, shared))
    case = f"your error is {found:.4g}, and should be {right:.4g}. "
    require(found > 0, f"{case}An error is positive.")
    unpaired = "You add the errors of two means as if each model had seen patches of its own. Take differences first."
    again = "You add mc_errors once more: these errors, one for each patch, already make the differences scatter."
    part = "mc_errors are one part of what makes the differences scatter from patch to patch; the patches are another."
    for ddof in (1, 0):
        sd = (first - second).std(ddof=ddof)
        apart = np.sqrt((first.var(ddof=ddof) + second.var(ddof=ddof)) / n)
        mean = sd / np.sqrt(n)
        for wrong in (apart, *(np.hypot(apart, [shared, shared / np.sqrt(n), np.hypot(shared, chains)]))):
            reject(found, {unpaired: wrong}, case=case)
        for more in (chains, each.mean() / np.sqrt(n), each.mean(), np.sqrt((each**2).mean()), each.mean() / n):
            for log_z in (shared, shared / np.sqrt(n)):
                reject(found, {again: np.hypot(np.hypot(mean, more), log_z)}, case=case)
            for log_z in (shared, 0.0):
                reject(found, {part: np.hypot(more, log_z)}, case=case)
            reject(found, {again: mean + more + shared}, case=case)
        reject(found, {
            "You leave out that log Ẑ may be off, by the same amount at every patch: no number of patches averages "
            "that out.": mean,
            "You divide log_z_error by √N: but there is one log Ẑ, and it is off by the same amount at every "
            "patch.": np.hypot(mean, shared / np.sqrt(n)),
            "You divide log_z_error by N: but there is one log Ẑ, and it is off by the same amount at every "
            "patch.": np.hypot(mean, shared / n),
            "Independent errors add in squares: √(a² + b²), not a + b.": mean + shared,
            "log_z_error is a standard error: it is its square that adds to a variance.": np.sqrt(mean**2 + shared),
            "The root is missing: that is the square of the error.": mean**2 + shared**2,
            "That has the scatter of *one* difference; a mean over N patches is steadier by √N.": np.hypot(sd, shared),
            "You divide by N; the error of a mean falls with √N only.": np.hypot(sd / n, shared),
            "You take mc_errors out of the scatter: but the chains' errors are errors of the gap, "
            "too.": np.sqrt(max(0, mean**2 - chains**2) + shared**2),
            "You take log_z_error away: it comes on top of the scatter.": np.sqrt(max(0, mean**2 - shared**2)),
            "You divide by 10, the lesson's √100; here there are N patches.": np.hypot(sd / 10, shared),
            "You add the two models: what is hard about a patch counts twice, and drops out of a "
            "difference.": np.hypot((first + second).std(ddof=ddof) / np.sqrt(n), shared),
            "That is two standard errors; return one.": 2 * np.hypot(mean, shared),
            "Only log_z_error is in it: other patches would also give another gap.": shared,
        }, case=case, unless=right)
    reject(found, {
        "Close: the mean was fitted to the same numbers, so divide the squares by N - 1.": np.hypot(mean, shared),
        "You take the 1 away twice: once in the variance, and once more under the "
        "root.": np.hypot(scatter * np.sqrt(n / (n - 1)), shared),
    }, case=case)
    return right


# Exercise 3
@exercise(
    hints=(
        "What are the mean and the covariance of Φa + σr?",
        "Independent parts add their covariances: that of Φa is Φ I Φᵀ. Then it is one Gaussian density.",
        "Σ = ΦΦᵀ + σ² I; log p = -½ xᵀΣ⁻¹x - ½ log |2πΣ|",
    )
)
def linear_gaussian(answer) -> str:
    """``answer(x, bases, noise)`` must be log p(x) of x = bases a + noise r, both a and r from N(0, I): (N, D) -> (N,).

    Examples
    --------
    >>> from scipy.stats import multivariate_normal
    >>> linear_gaussian(lambda x, bases, noise: multivariate_normal(cov=bases @ bases.T + noise * np.eye(2)).logpdf(x))
    ✗ without bases the image is noise, of variance noise²: Eq. 41. Yours is what it would be with variance noise.
      A hint: ae.check.image_models.linear_gaussian.hint()
    """
    rng = np.random.default_rng(9)
    x, noise = rng.normal(size=(6, 2)), 0.7
    try:
        found = call(answer, x.copy(), np.zeros((2, 3)), noise, shape=(6,))
    except np.linalg.LinAlgError as error:
        raise WrongAnswerError(
            "without bases your covariance is singular. The noise is still there, and its part is noise² I, on the "
            "diagonal alone: yours lacks it, or has it in every entry, as a plain + noise**2 gives it."
        ) from error
    except ValueError as error:
        raise WrongAnswerError(
            f"with 3 bases of 2 pixels your shapes do not fit together ({error}). The covariance is that of x, of "
            "shape (D, D), here (2, 2); bases.T @ bases is (L, L), here (3, 3)."
        ) from error

    def pure(variance, log_normaliser=2 * np.pi, x=x):
        return -0.5 * (x * x).sum(1) / variance - np.log(log_normaliser * variance)

    reject(found, {
        "Yours is what it would be with variance noise.": pure(noise),
        "Yours lacks the factor (2π)^(D/2).": pure(noise**2, 1.0),
        "Yours lacks the determinant of the covariance.": pure(noise**2) + np.log(noise**2),
        "Yours has log |covariance| without its ½.": pure(noise**2) - np.log(noise**2),
        "Yours lacks the ½ before the squares.": -0.5 * (x * x).sum(1) / noise**2 * 2
        - np.log(2 * np.pi * noise**2),
        "Yours is twice that: the ½ is missing before the squares and before the logarithm.": 2 * pure(noise**2),
        "Yours has the wrong sign.": -pure(noise**2),
        "You take the mean of the images away; the model's mean is 0, whatever was drawn.": pure(
            noise**2, x=x - x.mean(0)
        ),
        "Yours has a logarithm to base 10.": pure(noise**2) / np.log(10),
        "Yours has twice that variance.": pure(2 * noise**2),
        "Yours has a noise of 0.1: use the one that is given.": pure(0.01),
    }, case="without bases the image is noise, of variance noise²: Eq. 41. ")
    require(same(found, pure(noise**2)), "without bases the image is noise: yours is not log N(x; 0, noise² I).")

    bases = np.array([[1.0, 0.5, -0.3], [0.2, -0.8, 0.6]])
    found = call(answer, x.copy(), bases.copy(), noise, shape=(6,))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    require(
        same(found, call(answer, x.copy(), bases @ turn, noise, shape=(6,))),
        "a rotation of the causes a changes nothing, for N(0, I) has no directions; it changes your answer. Only "
        "bases basesᵀ may matter.",
    )
    grid = (np.arange(160) + 0.5) / 10 - 8
    plane = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    p = np.exp(call(answer, plane.copy(), bases.copy(), noise, shape=(len(plane),))) / 100
    require(abs(p.sum() - 1) < 0.02, f"your density integrates to {p.sum():.2f} over the plane, not to 1.")
    a, r = rng.standard_normal((200_000, 3)), rng.standard_normal((200_000, 2))
    drawn, yours = np.cov((a @ bases.T + noise * r).T), (plane.T * p) @ plane
    require(
        np.abs(drawn - yours).max() < 0.03,
        f"200,000 images drawn from the model have variances {drawn[0, 0]:.2f} and {drawn[1, 1]:.2f} and covariance "
        f"{drawn[0, 1]:.2f}; under your density they are {yours[0, 0]:.2f}, {yours[1, 1]:.2f} and {yours[0, 1]:.2f}.",
    )
    low = np.array([[2.0], [1.0]])  # fewer causes than pixels
    square = np.linalg.solve(low @ low.T + noise**2 * np.eye(2), x.T)
    exact = -0.5 * (x.T * square).sum(0) - 0.5 * np.linalg.slogdet(2 * np.pi * (low @ low.T + noise**2 * np.eye(2)))[1]
    require(
        same(call(answer, x.copy(), low, noise, shape=(6,)), exact), "with one cause for two pixels yours is wrong."
    )
    x = rng.normal(size=(3, 400))
    many = np.asarray(call(answer, x.copy(), np.full((400, 1), 0.1), 0.1))
    require(
        np.isfinite(many).all(),
        "with 400 pixels yours is not finite: |Σ| is about 10^-797, which a computer takes for 0. Work with log |Σ|, "
        "np.linalg.slogdet.",
    )  # Σ = (I + 1 1ᵀ) / 100: one root is 401 times as large as the others
    exact = -50 * ((x * x).sum(1) - x.sum(1) ** 2 / 401) - 200 * np.log(2 * np.pi / 100) - 0.5 * np.log(401)
    require(same(many, exact), "with 400 pixels and noise 0.1 yours is wrong: use the noise that you are given.")
    return "right: a Gaussian with the covariance of 200,000 images drawn from it, and noise alone without bases."
