"""Checks of notebook 09: which image model is best?"""

import numpy as np
from scipy.special import digamma, polygamma

from anneal_edu.course.check.verdict import WrongAnswerError, array, call, exercise, numbers, reject, require, same

_ROUNDING = 1e-5  # of the root of a difference of two variances of 2,500 or so


# Exercise 1
@exercise(
    hints=(
        "Patches are averaged: which of two errors of a patch averages away, the random or the systematic one?",
        "The mean of C weights has the relative variance r / C. Take the logarithm's series to second order: "
        "log(1 + e) is about e - e²/2.",
        "bias = -r / (2C), at every patch; bar = √(r / (C N))",
    )
)
def bias_and_bar(answer) -> str:
    """``answer(r, n_chains, n_patches)`` must foretell bias and error bar of the mean of log Ẑ over patches.

    Every patch has weights of relative variance r, and chains of its own; to leading order in r / n_chains.

    Examples
    --------
    >>> bias_and_bar(lambda r, C, N: (-r / (2 * C) / np.sqrt(N), np.sqrt(r / (C * N))))
    ✗ r = 1, 20 chains, 100 patches: the bias is the same at every patch, and the mean of equal numbers is that \
number: no √N makes it smaller.
      A hint: ae.check.image_models.bias_and_bar.hint()
    """
    few = (0.01, 5, 100)  # of chains, and yet r / C is small: C - 1 would show
    for given in ((1.0, 20, 100), (4.0, 200, 25), (0.5, 100, 1000), (0.5, 200, 3), (2.0, 10**6, 4), few):
        got = numbers(call(answer, *given), 2, "return two numbers: the bias and the error bar.")
        got = [float(array(part, (), "one of the two has")) for part in got]
        _judge_bias(got, *given)
    measured = digamma(20) - np.log(20), np.sqrt(polygamma(1, 20) / 100)  # of weights e^-x, which have r = 1
    got = [float(part) for part in answer(1.0, 20, 100)]
    require(np.allclose(got, measured, rtol=0.06), "of exponential weights bias and bar are others.")
    return "right: exponential weights, whose log mean is exactly known, have this bias and this bar within 6%."


def _judge_bias(got: list[float], r: float, n_chains: int, n_patches: int) -> None:
    case, e = f"r = {r:g}, {n_chains} chains, {n_patches} patches: ", np.sqrt(r / n_chains)
    bias, bar = -(e**2) / 2, e / np.sqrt(n_patches)
    near_enough = 0.06 if n_chains < 10**6 else 1e-3  # where r / C is small there is no higher order to excuse it

    def near(found: float, wrong: float) -> bool:
        return abs(found - wrong) < 0.03 * abs(wrong)

    require(not near(got[0], bar) or not near(got[1], bias), f"{case}return the bias first, and then the bar.")
    for sentence, wrong in {
        "the logarithm of a mean comes out too *low* (Jensen): the bias is negative.": -bias,
        "the bias is half of that: the second term of log(1 + e) is -e²/2.": 2 * bias,
        "the bias is the same at every patch, and the mean of equal numbers is that number: no √N makes it "
        "smaller.": bias / np.sqrt(n_patches),
        "the bias is the same at every patch, and the mean of equal numbers is that number: no N makes it "
        "smaller.": bias / n_patches,
        "that bias is of a single chain; the mean of C weights is C times less variable.": bias * n_chains,
        "the bias goes with the *square* of a patch's error.": -e / 2,
    }.items():
        require(not near(got[0], wrong), case + sentence)
    if n_chains < 10:
        one_less, fitted = n_chains / (n_chains - 1), "r is given, not measured on the C weights: C, not C - 1."
        require(not near(got[0], bias * one_less) and not near(got[1], bar * np.sqrt(one_less)), case + fitted)
    require(
        abs(got[0] / bias - 1) < near_enough,
        f"{case}the bias should be about {bias:.4g}; yours is {got[0]:.4g}. What does log(1 + e) lose on average, "
        "if e has mean 0 and variance r / C?",
    )
    for sentence, wrong in {
        "that bar is of a single patch; the mean over N patches is steadier by √N.": e,
        "the bar falls with √N, not with N.": e / n_patches,
        "that is the square of the bar.": bar**2,
        "that bar is of a single chain a patch.": bar * np.sqrt(n_chains),
        "the bar falls with √C, too: the weights of a patch are averaged.": bar / np.sqrt(n_chains),
    }.items():
        require(not near(got[1], wrong), case + sentence)
    require(abs(got[1] / bar - 1) < near_enough, f"{case}the bar should be about {bar:.4g}; yours is {got[1]:.4g}.")


# Exercise 2
@exercise(
    hints=(
        "If one model beats the other by 3 nats on every single patch, how uncertain is the difference?",
        "Take the difference on each patch first: then it is the error of one single mean.",
        "√( Σ (d_n - d̄)² / (N - 1) / N ) with d = first - second",
    )
)
def paired_error(answer) -> str:
    """``answer(first, second)`` must be the standard error of mean(first) - mean(second) over the same data.

    Examples
    --------
    >>> paired_error(lambda a, b: np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)))
    ✗ two models that differ by 3 nats on every single patch differ by 3 without any doubt, and your error is 11.93: \
you add the errors of the two means as if each model had seen patches of its own. Take differences first.
      A hint: ae.check.image_models.paired_error.hint()
    """
    rng = np.random.default_rng(9)
    patches = 50 * rng.standard_normal(40) - 40
    alike, separate = call(answer, patches - 3, patches.copy()), np.sqrt(2 * patches.var(ddof=1) / 40)
    certain = "two models that differ by 3 nats on every single patch differ by 3 without any doubt"
    require(
        np.shape(alike) != () or alike == alike,
        f"{certain}, and your error is NaN. Is it the root of a variance that came out below 0? np.cov divides by "
        "N - 1, and .var() by N unless it is told ddof=1.",
    )
    alike = array(alike, (), "your function returned")
    require(
        abs(alike) > _ROUNDING or abs(call(answer, patches, rng.permutation(patches), shape=())) > _ROUNDING,
        "your error is 0 even for models that disagree.",
    )
    require(
        abs(alike / separate - 1) > 0.05,
        f"{certain}, and your error is {alike:.2f}: you add the errors of the two means as if each model had seen "
        "patches of its own. Take differences first.",
    )
    for sd in (patches.std(ddof=1), patches.std()):
        reject(alike, {
            "That is the error of one model alone.": sd / np.sqrt(40),
            "That adds the two models, or their errors: what is hard about a patch counts twice, and should drop "
            "out.": 2 * sd / np.sqrt(40),
        }, case=f"{certain}; your error is {alike:.2f}. ")
    require(abs(alike) < _ROUNDING, f"{certain}; your error is {alike:.2f}.")
    noise = 6 * rng.standard_normal(40)
    found = float(call(answer, patches + noise, patches.copy(), shape=()))
    right = noise.std(ddof=1) / np.sqrt(40)
    require(found > 0, f"an error is positive; yours is {found:.2f}.")
    for ddof in (1, 0):
        sd = noise.std(ddof=ddof)
        reject(found, {
            "That is the spread of one difference. The mean over N patches is steadier by √N.": sd,
            "That is the variance of the mean: the root is missing.": sd**2 / 40,
            "That is the variance of one difference.": sd**2,
            "You divide by N; the error of a mean falls with √N only.": sd / 40,
            "You divide by 10, the lesson's √100; here there are N patches.": sd / 10,
            "That is two standard errors; return one.": 2 * sd / np.sqrt(40),
        }, case=f"your error is {found:.3f}, and should be {right:.3f}. ")
    biased = "Close: the mean was fitted to the same numbers, so divide the squares by N - 1."
    twice = "You take the 1 away twice: once in the variance, and once more under the root."
    case = f"your error is {found:.4f}, and should be {right:.4f}. "
    reject(found, {twice: noise.std(ddof=1) / np.sqrt(39)}, case=case)
    reject(found, {biased: noise.std() / np.sqrt(40)}, case=f"your error is {found:.3f}, and should be {right:.3f}. ")
    turned = call(answer, patches.copy(), patches + noise, shape=())
    require(same(turned, found), "exchanging the two models changes your error; only the gap may change, its sign.")
    for _ in range(3):
        first, second = _pair(rng)
        wanted = (first - second).std(ddof=1) / np.sqrt(len(first))
        found = float(call(answer, first.copy(), second.copy(), shape=()))
        spread = f"of two models that differ in spread: your error is {found:.4f}, not {wanted:.4f}."
        require(same(found, wanted), spread)
    simulated = np.array([_gap(rng) for _ in range(4000)])
    typical = np.sqrt(np.mean([float(call(answer, *_pair(rng), shape=())) ** 2 for _ in range(400)]))
    require(
        abs(typical / simulated.std() - 1) < 0.1,
        f"in 4,000 repeats the gap between two models scattered by {simulated.std():.2f}; your error says "
        f"{typical:.2f}.",
    )
    return "right: your error agrees, within a tenth, with the scatter of the gap in 4,000 repeats."


def _pair(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    patches = 30 * rng.standard_normal(20)
    return patches + 5 * rng.standard_normal(20), 0.8 * patches + 2 * rng.standard_normal(20)


def _gap(rng: np.random.Generator) -> float:
    first, second = _pair(rng)
    return float(first.mean() - second.mean())


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
