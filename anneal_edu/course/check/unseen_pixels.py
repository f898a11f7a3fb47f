"""Densities of pixels given others, for the check of notebook 09 that asks for one, and what is often slipped in it."""

import numpy as np

from anneal_edu.course.check.verdict import reject, require, same


def log_normal(x: np.ndarray, cov: np.ndarray) -> np.ndarray:
    """Log N(x; 0, cov) of each row of x (N, D)."""
    return -0.5 * (x * np.linalg.solve(cov, x.T).T).sum(1) - 0.5 * np.linalg.slogdet(2 * np.pi * cov)[1]


def of_equal_bases(x: np.ndarray) -> np.ndarray:
    """Log N(x; 0, (I + 1 1ᵀ) / 100), in closed form."""
    n = x.shape[1]
    return -50 * ((x * x).sum(1) - x.sum(1) ** 2 / (n + 1)) - n / 2 * np.log(2 * np.pi / 100) - 0.5 * np.log(n + 1)


def judge_noise(found: np.ndarray, x: np.ndarray, seen: np.ndarray, variance: float) -> None:
    """Without bases what is seen says nothing, and the rest is noise."""

    def pure(variance, two_pi=2 * np.pi, determinant=0.5, half=0.5, x=x[:, ~seen]):
        n = x.shape[1]
        return -half * (x * x).sum(1) / variance - n / 2 * np.log(two_pi) - determinant * n * np.log(variance)

    right, whole, known = pure(variance), pure(variance, x=x), pure(variance, x=x[:, seen])
    reject(found, {
        "Yours is about all pixels, p(seen, unseen): divide by p(seen).": whole,
        "Yours is about the seen pixels; asked is log p of the others, given these.": known,
        "You add log p(seen), or multiply by p(seen): p(unseen | seen) is a quotient.": whole + known,
        "Yours is what it would be with variance noise.": pure(variance**0.5),
        "Yours is what it would be with variance 1: the noise is left out of the covariance.": pure(1.0),
        "Yours has half of that variance.": pure(variance / 2),
        "Yours has twice that variance.": pure(2 * variance),
        "Yours has a noise of 0.1: use the one that is given.": pure(0.01),
        "Yours lacks the factor (2π)^(-½) of each unseen pixel: n of them have (2π)^(-n/2), and n differs between "
        "p(seen, unseen) and p(seen).": pure(variance, 1.0),
        "Yours lacks the determinant of the covariance.": pure(variance, determinant=0),
        "Yours has log |covariance| without its ½.": pure(variance, determinant=1),
        "Yours adds ½ log |covariance|, and it is to be subtracted.": pure(variance, determinant=-0.5),
        "Yours lacks the ½ before the squares.": pure(variance, half=1),
        "Yours adds the squares, and they are to be subtracted.": pure(variance, half=-0.5),
        "In your squares stands the covariance, and it should be its inverse.": pure(variance, half=0.5 * variance**2),
        "Yours is twice that: the ½ is missing before the squares and before the logarithm.": 2 * right,
        "Yours has the wrong sign.": -right,
        "You take the mean of the images away; the model's mean is 0, whatever was drawn.": pure(
            variance, x=(x - x.mean(0))[:, ~seen]
        ),
        "Yours has a logarithm to base 10.": right / np.log(10),
        "Yours has a logarithm to base 2.": right / np.log(2),
        "Yours is the density; return its logarithm.": np.exp(right),
    }, case="without bases every pixel is noise, of variance noise²: Eq. 41. ", unless=right)
    require(same(found, right), "without bases the unseen pixels are noise: yours is not log N(unseen; 0, noise² I).")
