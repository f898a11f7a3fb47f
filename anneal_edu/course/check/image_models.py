"""Checks of notebook 09: which image model is best?"""

import numpy as np

from anneal_edu.course.check.verdict import call, exercise, reject, require, same

_ROUNDING = 1e-5  # of the root of a difference of two variances of 2,500 or so


# Exercise 1
@exercise(
    hints=(
        "What is ∫ exp(-|a|) da over the whole line?",
        "Independent variables multiply: one normaliser for each of the L factors, so L logarithms are subtracted.",
        "log p(a) = -Σ_l |a_l| - L log 2",
    )
)
def log_prior(answer) -> str:
    """``answer(a)`` must be the normalised log density of L independent Laplace variables: (..., L) -> (...).

    Examples
    --------
    >>> log_prior(lambda a: -np.abs(a).sum(-1) - np.log(2))
    ✗ in 2 dimensions your density integrates to 2.00: that is the paper's normaliser, 2 for any number of variables. \
Each of the L factors needs a 2 of its own.
      A hint: ae.check.image_models.log_prior.hint()
    """
    middle = (np.arange(1200) + 0.5) / 50 - 12  # the midpoint rule never touches the kink at 0
    line = middle[:, None]
    mass = [np.exp(call(answer, line.copy(), shape=(1200,))).sum() / 50]
    coarse = (np.arange(240) + 0.5) / 10 - 12
    plane = np.stack(np.meshgrid(coarse, coarse), axis=-1)  # (240, 240, 2)
    log_p = call(answer, plane.copy(), shape=(240, 240))
    mass.append(np.exp(log_p).sum() / 100)
    slope = call(answer, np.array([[3.0, 0.0], [1.0, 0.0], [2.0, 1.0]]), shape=(3,))
    require(slope[0] < slope[1], "your density grows away from 0; log p(a) should fall, by |a| for every variable.")
    require(
        same(slope[0] - slope[1], -2.0),
        f"from a = (1, 0) to (3, 0) log p should fall by 2; yours changes by {slope[0] - slope[1]:.2f}. A Laplace "
        "prior falls with |a|, not with a².",
    )
    require(
        same(slope[0], slope[2]),
        "(3, 0) and (2, 1) have the same sum of sizes, and should be equally likely: add the |a|, without squares.",
    )
    require(
        not (abs(mass[0] - 1) < 0.01 and abs(mass[1] - 2) < 0.02),
        f"in 2 dimensions your density integrates to {mass[1]:.2f}: that is the paper's normaliser, 2 for any number "
        "of variables. Each of the L factors needs a 2 of its own.",
    )
    for n, found in enumerate(mass, 1):
        require(
            abs(found - 1) < 0.01,
            f"in {n} dimension{'s' * (n > 1)} your density integrates to {found:.2f}, not to 1: check the normaliser "
            "of one factor, ∫ exp(-|a|) da, and how many factors there are.",
        )
    a = np.random.default_rng(9).laplace(size=(5, 4, 36))
    whole = call(answer, a.copy(), shape=(5, 4))
    parts = call(answer, a[..., :10].copy(), shape=(5, 4)) + call(answer, a[..., 10:].copy(), shape=(5, 4))
    require(
        same(whole, parts),
        "36 independent variables are 10 and 26: log p of all should be the sum of the two; yours is off by "
        f"{np.abs(whole - parts).max():.2f} nats. How does the normaliser grow with L?",
    )
    return f"right: it integrates to 1, and 36 variables need 36 twos. With one 2 it is {35 * np.log(2):.1f} nats off."


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
    alike = call(answer, patches - 3, patches.copy(), shape=())
    separate = np.sqrt(2 * patches.var(ddof=1) / 40)
    require(
        abs(alike) > _ROUNDING or abs(call(answer, patches, rng.permutation(patches), shape=())) > _ROUNDING,
        "your error is 0 even for models that disagree.",
    )
    require(
        abs(alike / separate - 1) > 0.05,
        f"two models that differ by 3 nats on every single patch differ by 3 without any doubt, and your error is "
        f"{alike:.2f}: you add the errors of the two means as if each model had seen patches of its own. Take "
        "differences first.",
    )
    require(
        abs(alike) < _ROUNDING,
        f"two models that differ by 3 nats on every single patch differ by 3 without any doubt; your error is "
        f"{alike:.2f}.",
    )
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
        }, case=f"your error is {found:.3f}, and should be {right:.3f}. ")
    biased = "Close: the mean was fitted to the same numbers, so divide the squares by N - 1."
    reject(found, {biased: noise.std() / np.sqrt(40)}, case=f"your error is {found:.3f}, and should be {right:.3f}. ")
    turned = call(answer, patches.copy(), patches + noise, shape=())
    require(same(turned, found), "exchanging the two models changes your error; only the gap may change, its sign.")
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
    found = call(answer, x.copy(), np.zeros((2, 3)), noise, shape=(6,))

    def pure(variance, log_normaliser=2 * np.pi):
        return -0.5 * (x * x).sum(1) / variance - np.log(log_normaliser * variance)

    reject(found, {
        "Yours is what it would be with variance noise.": pure(noise),
        "Yours lacks the factor (2π)^(D/2).": pure(noise**2, 1.0),
        "Yours lacks the determinant of the covariance.": pure(noise**2) + np.log(noise**2),
        "Yours has log |covariance| without its ½.": pure(noise**2) - np.log(noise**2),
        "Yours lacks the ½ before the squares.": -0.5 * (x * x).sum(1) / noise**2 * 2
        - np.log(2 * np.pi * noise**2),
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
    return "right: a Gaussian with the covariance of 200,000 images drawn from it, and noise alone without bases."
