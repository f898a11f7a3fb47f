"""Hills for notebook 05: families of distributions in which every state is counted, and where a climb goes wrong."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import logsumexp

from anneal_edu.distributions import binary_states


@dataclass(frozen=True)
class Hill:
    """The family p(x) exp(θ·g(x) - A(θ)) with θ = 0 where the climb begins, and its top at ``end``."""

    g: np.ndarray
    p: np.ndarray
    end: np.ndarray
    near: bool

    def log_partition(self, theta: np.ndarray) -> float:
        return float(logsumexp((self.g - self.p @ self.g) @ theta, b=self.p))  # about the mean: rounding stays small

    @property
    def target(self) -> np.ndarray:
        weights = self.p * np.exp(self.g @ self.end - (self.g @ self.end).max())
        return weights @ self.g / weights.sum()

    @property
    def slope(self) -> np.ndarray:
        return self.target - self.p @ self.g

    @property
    def top(self) -> float:
        return float(self.end @ self.slope) - self.log_partition(self.end)

    def height(self, rate: float) -> float:
        """How high a step of this rate along the slope leads, measured from where it begins."""
        return float(rate * self.slope @ self.slope) - self.log_partition(rate * self.slope)

    def scaled(self, by: float) -> "Hill":
        """The same hill in other units: all statistics so many times as large."""
        return Hill(by * self.g, self.p, self.end / by, self.near)

    def searched(self, about: float) -> float:
        """The rate that really gains most, found by trying, from a hundredth of this one to a hundred times it."""
        found = scipy.optimize.minimize_scalar(
            lambda x: -self.height(about * np.exp(x)), bounds=(-4.6, 4.6), method="bounded"
        )
        return about * float(np.exp(found.x))


_GIVEN = np.array([[0.0, 1.0, -1.0], [1.0, -1.0, 0.5], [2.0, 0.0, 0.0], [0.0, 3.0, 1.0]])  # (S, n)


def hills(near: bool = False) -> Iterator[Hill]:
    """Families of several sizes and units; a step begins far from the top, or so ``near`` that the hill is a bowl."""
    rng = np.random.default_rng(4)
    v, h = (binary_states(5)[:, part].astype(float) for part in (slice(2), slice(2, 5)))
    rbm = np.hstack([v, h, (v[:, :, None] * h[:, None]).reshape(32, 6)])
    of_two_units, far = binary_states(2).astype(float), 1e-4 if near else 0.7
    yield Hill(_GIVEN, np.array([0.4, 0.3, 0.2, 0.1]), far * np.array([1.0, 0.5, -0.5]), near)
    for g in (
        rng.normal(size=(7, 3)),
        rng.normal(size=(12, 4)) * [0.1, 1.0, 3.0, 10.0] + 20.0,
        rbm,
        rng.normal(1.0, 2.0, size=(3, 6)),  # fewer states than statistics
        of_two_units,
    ):
        p = rng.dirichlet(np.ones(len(g)))
        yield Hill(g, p, far * rng.normal(size=g.shape[1]) / g.std(0), near)
    yield Hill(rbm, np.append(np.zeros(20), np.full(12, 1 / 12)), far * rng.normal(size=11), near)


def slips_of_rate(hill: Hill, right: float) -> dict[str, float]:
    """What common slips give for the rate, each with the sentence that helps."""
    g, p, s, r = hill.g, hill.p, hill.target, hill.slope
    mean, along, size = p @ g, g @ r, float(r @ r)
    cov = (g - mean).T @ (p[:, None] * (g - mean))
    bend, bends, total = size / right, np.linalg.eigvalsh(cov), float(np.trace(cov))
    plain = s - g.mean(0)

    def walked(direction: np.ndarray) -> float:
        return float(direction @ direction / (direction @ cov @ direction))

    return {
        "you divide by the mean of (r·g)²; a variance has the squared mean of r·g taken off.": size
        / float(p @ along**2),
        "this is safe in whichever direction one walks, for it reckons with the steepest bend of all. The bend along r "
        "is gentler: a longer step gains more.": 1 / bends[-1],
        "this adds up the bends of all directions: safe, and slow. Only the bend along r counts.": 1 / total,
        "this is the mean bend of all directions; only the bend along r counts.": len(r) / total,
        "this takes the statistics for independent: the covariances between them are missing from the "
        "bend.": size / float(r**2 @ np.diag(cov)),
        "‖r‖² is missing: r is no unit vector, and the height rises by t ‖r‖² at first.": 1 / bend,
        "‖r‖ stands where its square belongs: the height rises by t r·r at first.": size**0.5 / bend,
        "this is ‖r‖² t: is a length of r in it twice?": size * right,
        "this is the length of the step, ‖r‖ t; asked is the rate t.": size**0.5 * right,
        "you divide by the standard deviation of r·g; the bend is its variance.": size / bend**0.5,
        "this is the root of the rate: the bend is the variance of r·g, and the slope along r is ‖r‖².": right**0.5,
        "the slope is right; but all directions are added up in your bend. Only that along r counts.": size / total,
        "this is a mean of 1/bend; the step sees the bend along r, and that comes from the covariance "
        "itself.": float(r @ np.linalg.pinv(cov) @ r) / size,
        "the bend is missing: this is ‖r‖² alone.": size,
        "this is 1/t: bend and slope are turned round.": 1 / right,
        "this is half the rate: the parabola t ‖r‖² - ½ t² · bend has its top where its derivative is 0.": right / 2,
        "with twice the best rate the step ends on the other side of the top, as high as it began: the derivative by t "
        "is to be 0, not the gain.": 2 * right,
        "the sign: along +r it goes uphill.": -right,
        "this is the height gained; asked is the rate.": size * right / 2,
        "yours is n times the rate: is a mean over the statistics in it where a sum belongs?": len(r) * right,
        "yours is the rate divided by n: is a mean over the statistics in it where a sum belongs?": right / len(r),
        "every state counts alike in your variance; weight them by p.": size / float(along.var()),
        "every state counts alike in your covariance; weight them by p.": size / float(along.var(ddof=1)),
        "every state counts alike in your mean of g; weight them by p.": walked(plain),
        "np.cov takes your weights for those of draws: with aweights=p it needs ddof=0.": right * (1 - float(p @ p)),
        "S - 1 is for draws; these are all the states, with their probabilities.": right * (1 - 1 / len(p)),
        "you walk along s, the target. The slope is s - E[g].": walked(s),
        "you walk along E[g], the model's moments. The slope is s - E[g].": walked(mean),
        "the bend in yours is that along s; the step goes along r = s - E[g].": size / float(s @ cov @ s),
    }
