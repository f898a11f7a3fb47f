"""A conditional of v on the path of a Gaussian RBM, for the checks of notebook 07: what is right, and how one errs."""

from collections.abc import Callable

import numpy as np

from anneal_edu.course.check.verdict import WrongAnswerError, array, call, require, same, several
from anneal_edu.course.experiments.kiwaki import printed_conditional
from anneal_edu.distributions import GaussianRBM
from anneal_edu.distributions.bernoulli import bernoulli
from anneal_edu.paths.covariance import covariance_path

Conditional = Callable[..., tuple[np.ndarray, np.ndarray]]
NARROW_AND_WIDE = np.array([0.02, 30.0, 1.0, 0.4])  # with the target's own variances many an average looks right


def shift_after_one_step(conditional: Conditional, grbm: GaussianRBM, beta: float, n: int = 20_000) -> float:
    """Exact draws from p_β, one Gibbs step with this conditional of v: how far did any mean or second moment move?

    The path is the one from the diagonal start with the target's means and variances. A step that leaves p_β invariant
    moves no moment. Returned is the largest shift of ``n`` draws, in standard errors.
    """
    mean, cov = grbm.mean_and_cov()
    variance = cov.diagonal().copy()
    here, rng = covariance_path(mean, np.diag(variance), grbm)(beta), np.random.default_rng(0)
    h = bernoulli(here.hidden_field(here.sample(n, rng)), rng).astype(float)
    centre, spread = conditional(h, beta, grbm, mean.copy(), variance.copy())
    v = centre + np.sqrt(spread) * rng.standard_normal((n, grbm.dim))
    exact_mean, exact_cov = here.mean_and_cov()
    away = v - exact_mean
    products = np.einsum("ci,cj->cij", away, away)
    shifts = [np.abs(x.mean(0) - exact) / (x.std(0) / np.sqrt(n)) for x, exact in ((away, 0.0), (products, exact_cov))]
    return float(max(shift.max() for shift in shifts))


def conditional_slips(h, beta, grbm, mean, variance) -> tuple[tuple, dict[str, tuple]]:
    """The right mean and variance, and what is said to those of likely slips."""
    noise, fields = grbm.sigma**2, h @ grbm.weights.T
    image = grbm.sigma * fields + grbm.visible_bias

    def weighted(share_target, share_start, picture=image):
        precision = share_target + share_start
        return (share_target * picture + share_start * mean) / precision, 1 / precision

    shares = beta / noise, (1 - beta) / variance
    right = weighted(*shares)
    averaged = beta * noise + (1 - beta) * variance
    deviations = {
        "the target's precision is 1/σ²; yours has σ there, a standard deviation.": (grbm.sigma, variance),
        "the start's precision is 1/start_variance; yours takes its root first, a standard deviation.": (
            noise,
            variance**0.5,
        ),
        "a precision is one over a variance; in both of yours a standard deviation stands for it.": (
            grbm.sigma,
            variance**0.5,
        ),
    }
    rooted = {said: weighted(beta / target, (1 - beta) / start) for said, (target, start) in deviations.items()}
    in_one = {f"in your variance {said}": (right[0], spread) for said, (_, spread) in rooted.items()}
    return right, rooted | in_one | {
        "this is Eq. 9 as printed. At β = 1 only the target is left, and v given h must have the variance σ², but this "
        "gives the start's: in σ_j²(β) the two precisions have exchanged their "
        "factors.": printed_conditional(h, beta, grbm, mean, variance),
        "this runs the path backwards: at β = 1 it is the start. β belongs to the "
        "target.": weighted((1 - beta) / noise, beta / variance),
        "the second of the two should be the variance, and yours is its square root.": (right[0], np.sqrt(right[1])),
        "the second of the two should be the variance, and yours is its inverse, the "
        "precision.": (right[0], 1 / right[1]),
        "you averaged the variances. Energies are added along the path, so it is the *precisions* that are "
        "averaged.": (right[0], averaged),
        "you averaged the variances, and divided by them. Energies are added along the path, so it is the *precisions* "
        "that are averaged.": (
            averaged * (shares[0] * image + shares[1] * mean),
            averaged,
        ),
        "you averaged variances and centres. Energies are added along the path, so it is the *precisions* that are "
        "averaged, and the narrower of two Gaussians pulls harder.": (beta * image + (1 - beta) * mean, averaged),
        "your mean weighs the two centres by β and 1-β alone. Each counts with its precision as well: the narrower of "
        "two Gaussians pulls harder.": (beta * image + (1 - beta) * mean, right[1]),
        "your mean is not yet divided by the precision: at β = 1 it should be b + "
        "σ·(Wh).": (right[0] / right[1], right[1]),
        "given h the target's v is centred at b + σ·(Wh): the factor σ is "
        "missing.": weighted(*shares, fields + grbm.visible_bias),
        "given h the target's v is centred at b + σ·(Wh): the visible bias is "
        "missing.": weighted(*shares, grbm.sigma * fields),
        "this is the conditional of the target. For β < 1 the start pulls as well.": (image, noise),
    }


def mean_and_variance(answer, h, beta, grbm, mean, variance) -> tuple[np.ndarray, np.ndarray]:
    got = call(answer, h.copy(), beta, grbm, np.array(mean), np.array(variance))
    centre, spread = several(got, 2, "return two arrays: the mean and the variance of v given h.")
    at = f"at β = {beta:g} the"
    centre = array(centre, (len(h), grbm.dim), f"{at} mean has", ", one row for each h")
    spread = np.broadcast_to(spread, (grbm.dim,)) if np.ndim(spread) == 0 else spread
    spread = array(spread, (grbm.dim,), f"{at} variance has", ": it is the same for every h")
    require((spread > 0).all(), "a variance must be positive.")
    return centre, spread


def _sides(found, right) -> str:
    """To which side the mean and the variance err."""
    said = []
    for name, got, wanted in zip(("mean", "variance"), found, right, strict=True):
        off = np.where(np.isclose(got, wanted, rtol=1e-6, atol=1e-8), 0.0, got - wanted)
        side = "too large" if off.max() > 0 else "too small" if off.min() < 0 else "right"
        said.append(f"your {name} is {side if off.min() * off.max() >= 0 else 'here too large and there too small'}")
    return " and ".join(said)


def where_it_errs(answer, beta: float, grbm: GaussianRBM) -> str:
    """Which of the two parts errs, to which side, and whether the ends of the path are right."""
    mean, cov = grbm.mean_and_cov()
    h = np.random.default_rng(1).integers(2, size=(6, grbm.weights.shape[1])).astype(float)
    pairs = {}
    for at in (beta, 0.0, 1.0):
        right, _ = conditional_slips(h, at, grbm, mean, cov.diagonal())
        pairs[at] = mean_and_variance(answer, h, at, grbm, mean, cov.diagonal()), right
    start, target = ("right" if same(*pairs[end]) else "wrong" for end in (0.0, 1.0))
    return (
        f"There {_sides(*pairs[beta])}. At the ends: at β = 0, where only the start is left, yours is {start}; at β = "
        f"1, where only the target is left, {target}."
    )


def require_square(found, h, beta: float, grbm: GaussianRBM, mean) -> None:
    """Of v given h log p_β is a sum of two squares; that of a normal with these moments may differ by a constant."""
    centre, spread = found
    v = np.random.default_rng(3).normal(size=(20, 1, grbm.dim))
    target = (v - grbm.visible_mean(h)) ** 2 / grbm.sigma**2
    start = (v - mean) ** 2 / NARROW_AND_WIDE
    apart = (beta * target + (1 - beta) * start - (v - centre) ** 2 / spread).sum(-1)
    if not np.ptp(apart, axis=0).max() < 1e-6 * (1 + np.abs(start).max()):
        right, _ = conditional_slips(h, beta, grbm, mean, NARROW_AND_WIDE)
        raise WrongAnswerError(
            f"at β = {beta:g}, from a start whose variances go from 0.02 to 30, your density of v is not the product "
            f"of target^β and start^(1-β): {_sides(found, right)}. Write the exponent as a function of v and complete "
            "the square."
        )
