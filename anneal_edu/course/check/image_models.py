"""Exercises of notebook 09: which image model is best?"""

import numpy as np

from anneal_edu.course.check.engine import exercise

# Exercise 1: patches or chains?
_BUDGETS = {
    "a clear case": (1.7, 0.55, 13_700),
    "thirty times the budget": (1.7, 0.55, 411_000),
    "a spread of 3": (5.0, 3.0, 20_000),
    "weights that vary much": (200.0, 0.2, 12_000),
    "hardly more than one chain per patch": (0.3, 1.0, 40),
}


def _misdivided(r, spread, budget):
    C, r2b = np.cbrt(r**2 * budget / (2 * spread**2)), r**2 * budget
    return {
        "one chain per patch makes the bias r/(2C) as large as possible, and more patches do not reduce it.": 1.0,
        "that puts all chains into one patch. Patches differ by `spread`, so you need many.": float(budget),
        "that is the square root. The slope of 1/C² is -2/C³, so you have found C³.": np.sqrt(r2b / (2 * spread**2)),
        "that is C³: take the cube root.": r2b / (2 * spread**2),
        "`** 1/3` raises to the power 1 and divides by 3. Write `** (1/3)`.": r2b / (6 * spread**2),
        "a number of chains is real: does one of the two slopes have the wrong sign?": C * np.exp(1j * np.pi / 3),
        "that is the number of patches. Return C = budget / N.": budget / C,
        "there the squared bias *equals* the variance. Their sum is smallest where their slopes cancel.": np.cbrt(
            r2b / (4 * spread**2)),
        "the bias is *half* of r/C: log(1 + e) ≈ e - e²/2.": np.cbrt(2 * r2b / spread**2),
        "a factor 2 is lost: the squared bias is r²/(4C²), and its slope -r²/(2C³).": np.cbrt(r2b / spread**2),
        "you do not square the bias. Its square is added to the variance.": np.sqrt(r * budget / 2) / spread,
        "`spread` is a standard deviation. The variance is its square.": np.cbrt(r2b / (2 * spread)),
        "the bias contains r, so its square contains r².": np.cbrt(r * budget / (2 * spread**2)),
        "r is a variance already: the bias contains r, and its square r².": np.cbrt(r**4 * budget / (2 * spread**2)),
        "you weigh the bias against the Monte Carlo error alone. Patches differ, too.": np.sqrt(r * budget) / 2,
        "r is the variance of one weight: the chains of a patch add r/C to its variance.": np.cbrt(
            r2b / (2 * (spread**2 + r))),
        "your formula has no `spread`. If patches differ less, you need fewer of them.": np.cbrt(r2b / 2),
        "that makes r/C as large as the variance over patches. Weigh the bias r/(2C) instead.": r / spread**2,
        "the bias is the same at every patch, so the mean over patches has all of it: do not divide it by N.": r / (
            2 * spread),
    }  # fmt: skip


@exercise(
    hints=(
        "By how much is the average over patches off? Which part of this error do more patches reduce, and which part "
        "is the same at every patch?",
        "log Ẑ of a patch is off by e - e²/2, where e has mean 0 and variance r/C. So the average has a bias at any N, "
        "and a variance that is divided by N = budget/C. Add the squared bias and the variance.",
        "bias -r/(2C), variance (τ² + r/C)/N, so r²/(4C²) + (τ² C + r)/budget is smallest at C³ = r² budget / (2τ²)",
    ),
    returns={"C": "C need not be whole, so do not round it. Write bias and variance as functions of C, with "
             "N = budget/C."},
    cases=lambda: _BUDGETS, slips=_misdivided, rtol=1e-3,
    praise="right: C grows with the cube root of the budget, so most of a larger budget goes into more patches.",
)  # fmt: skip
def chains_per_patch(r, spread, budget):
    """The number of chains per patch with the smallest bias² + variance of the average over patches."""
    return np.cbrt(r**2 * budget / (2 * spread**2))


# Exercise 2: which errors average out?
def _patches():
    """log p of the patches under both models, the Monte Carlo errors of the first, and the error of the one log Ẑ."""
    first = np.array([3.0, -7.0, 12.0, 1.0, -4.0, 9.0, -10.0, 6.0])
    second = np.array([8.0, 1.0, 9.0, -2.0, -5.0, 14.0, 2.0, 5.0])
    each, n = np.array([0.5, 2.0, 1.0, 3.0, 0.7, 1.5, 1.0, 2.0]), np.arange(3000)
    close = np.array([10.1, 10.4, 9.9]), np.array([9.0, 9.2, 9.1])
    return {
        "eight patches": (first, second, each, 0.9),
        "two models that find other patches hard": (first, -second, each, 0.9),
        "three patches with nearly the same difference": (*close, np.array([1.0, 1.5, 0.8]), 0.3),
        "differences that are all the same": (first, first - 1.5, 0 * each, 0.7),
        "a log Ẑ without error": (100 * first, 100 * second, 10 * each, 0.0),
        "two patches": (first[:2], second[:2], each[:2], 0.5),
        "small differences": (first / 1000, second / 1000, each / 1000, 5e-4),
        "3,000 patches": (4 + 9 * np.sin(n), 7 * np.cos(n) ** 3, np.full(3000, 5.0), 0.2),
    }


def _miscounted(first, second, mc_errors, log_z_error):
    n, d, shared = len(first), first - second, log_z_error
    one, right = d.std(ddof=1), gap_error.solution(first, second, mc_errors, log_z_error)
    mean, chains = one / np.sqrt(n), np.sqrt((mc_errors**2).sum()) / n
    apart = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / n)
    unpaired = "you add the errors of two means as if each model had its own patches. Take the differences first"
    again = "you add mc_errors, but each of these errors already makes the differences scatter"
    return {
        f"{unpaired}.": np.hypot(apart, shared),
        f"{unpaired}; and add the error of log Ẑ.": apart,
        f"{again}.": np.hypot(right, chains),
        f"{again}; and one log Ẑ serves all patches.": np.sqrt((one**2 + (mc_errors**2).mean() + shared**2) / n),
        "mc_errors are a part of what makes the differences scatter. Patches differ, too.": np.hypot(chains, shared),
        "do not subtract mc_errors: the errors of the chains are errors of the gap.": np.sqrt(
            max(0.0, mean**2 - chains**2) + shared**2),
        "there is one log Ẑ, off by the same amount at every patch: do not divide its error by √N.": np.hypot(
            mean, shared / np.sqrt(n)),
        "log Ẑ may be off as well, by the same amount at every patch. Add its error.": mean,
        "independent errors add in squares: √(a² + b²), not a + b.": mean + shared,
        "log_z_error is a standard error. Its square is added to a variance.": np.sqrt(mean**2 + shared),
        "divide the squares by N - 1: the mean of the differences comes from the same numbers.": np.hypot(
            d.std() / np.sqrt(n), shared),
        "that is the scatter of *one* difference. A mean over N patches scatters less by √N.": np.hypot(one, shared),
        "you divide by N, but the error of a mean falls with √N.": np.hypot(one / n, shared),
        "take the root: that is the square of the error.": right**2,
        "the variance of a difference is var(a) + var(b) - *2* cov(a, b).": np.sqrt(
            max(0.0, apart**2 - np.cov(first, second)[0, 1] / n) + shared**2),
        "that is the gap itself. Return its standard error.": d.mean(),
    }  # fmt: skip


@exercise(
    hints=(
        "Which of the errors is another one at each patch, and which is the same at all of them?",
        "The differences first - second scatter by every error that is another one at each patch, from the choice of "
        "patches or from the chains. The shared error does not show in them. Independent errors add in squares.",
        "√( Σ (d_n - d̄)² / (N - 1) / N + log_z_error² ) with d = first - second",
    ),
    returns={"the standard error": "How much do the differences first - second scatter, and what do they not show?"},
    cases=_patches, slips=_miscounted,
    praise="right: the differences show every error that patches do not share, and log_z_error is the one they share.",
)  # fmt: skip
def gap_error(first, second, mc_errors, log_z_error):
    """The standard error of mean(first) - mean(second), of the same patches."""
    return np.sqrt(np.var(first - second, ddof=1) / len(first) + log_z_error**2)


# Exercise 3: a model whose likelihood is exact
def _linear_models():
    rng = np.random.default_rng(9)
    x, bases = rng.normal(size=(5, 3)), np.array([[1.0, 0.5, -0.3], [0.2, -0.8, 0.6], [-0.4, 0.7, 0.5]])
    return {
        "three pixels and three bases": (x, bases, 0.7),
        "four bases of three pixels": (x, np.hstack([bases, x[:1].T]), 0.7),
        "one basis of three pixels": (x, bases[:, :1], 0.4),
        "one image": (x[:1], bases, 0.7),
        "images far from the model's mean": (60 * x, bases, 0.7),
        "400 pixels": (rng.normal(size=(3, 400)), np.full((400, 2), 0.1), 0.1),
        "a noise of 0.001": (x, bases[:, :2], 1e-3),
    }


def _misjudged(x, bases, noise):
    D, right = len(bases), linear_gaussian.solution(x, bases, noise)
    summed = "you sum over the images. Return one number for each image."
    cov = bases @ bases.T + noise**2 * np.eye(D)

    def of(cov, x=x):
        return -0.5 * (x * np.linalg.lstsq(cov, x.T)[0].T).sum(1) - 0.5 * np.linalg.slogdet(2 * np.pi * cov)[1]

    log_det, squares = np.linalg.slogdet(cov)[1], (x * np.linalg.solve(cov, x.T).T).sum(1)
    by_det, by_density = right + log_det / 2 - np.log(np.linalg.det(cov)) / 2, np.log(np.exp(right))
    return {
        "each pixel has its own factor (2π)^(-½): log p contains -D/2 log 2π.": right + D / 2 * np.log(2 * np.pi),
        "there is one factor (2π)^(-½) for each pixel: D of them, not one.": right + (D - 1) / 2 * np.log(2 * np.pi),
        "log |Σ| is missing: the density is divided by √|Σ|.": right + log_det / 2,
        "the density is divided by the *root* of |Σ|: ½ log |Σ|.": right - log_det / 2,
        "the squares xᵀΣ⁻¹x need the factor ½.": right - squares / 2,
        "the squares have the wrong sign: -½ xᵀΣ⁻¹x.": right + squares,
        "the squares need the *inverse* of the covariance.": right + squares / 2 - ((x @ cov) * x).sum(1) / 2,
        "the noise has the variance σ², not σ.": of(bases @ bases.T + noise * np.eye(D)),
        "the noise is missing: it adds σ² I to the covariance.": of(bases @ bases.T),
        "the noise adds σ² to the diagonal of the covariance only, not to every entry.": of(bases @ bases.T + noise**2),
        "ΦᵀΦ compares bases with each other, (L, L). Σ is the covariance of pixels, (D, D): ΦΦᵀ.": of(
            np.resize(bases.T @ bases, (D, D)) + noise**2 * np.eye(D)),
        "pixels that share causes are not independent: Σ is not diagonal.": of(np.diag(np.diag(cov))),
        "that is log p(x | a = 0), the noise alone. The causes a add ΦΦᵀ to the covariance.": of(
            noise**2 * np.eye(D)),
        "the mean of the model is 0. Do not subtract the mean of the images.": of(cov, x - x.mean(0)),
        "that is the density. Return its logarithm.": np.exp(right),
        summed if len(x) > 1 else "your result has shape (); it should be (1,).": right.sum(),
        "|Σ| of many pixels is 0 in floating point. Use np.linalg.slogdet.": by_det,
        "p(x) itself is 0 in floating point. Do not take exp and log of it: add the logarithms.": by_density,
    }  # fmt: skip


@exercise(
    hints=(
        "A sum of Gaussian vectors is Gaussian. What are its mean and its covariance?",
        "Independent parts add their covariances: that of Φa is Φ I Φᵀ, and that of σr is σ² I. Then write down the "
        "log density of a Gaussian in D dimensions.",
        "-½ xᵀΣ⁻¹x - ½ log |2πΣ| with Σ = ΦΦᵀ + σ² I; np.linalg.slogdet gives log |2πΣ|",
    ),
    returns={"log p(x)": "x is Gaussian with mean 0. What is its covariance (D, D), and what is its log density?"},
    errors={"ingular": "ΦΦᵀ alone has no inverse if there are fewer bases than pixels. The noise adds σ² I.",
            "multiply sequence": "np.linalg.slogdet returns two things, a sign and log |Σ|: take [1]."},
    cases=_linear_models, slips=_misjudged, rtol=1e-5,
    praise="right: only ΦΦᵀ counts. If you rotate the causes, Φ → ΦQ, then p(x) does not change.",
)  # fmt: skip
def linear_gaussian(x, bases, noise):
    """log p(x), (N,), of x = bases a + noise r, with a and r from N(0, I)."""
    cov = bases @ bases.T + noise**2 * np.eye(len(bases))
    squares = (x * np.linalg.solve(cov, x.T).T).sum(1)
    return -0.5 * squares - 0.5 * np.linalg.slogdet(2 * np.pi * cov)[1]
