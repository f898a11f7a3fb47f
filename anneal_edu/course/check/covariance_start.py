"""Checks of notebook 07: the covariance of the start."""

from collections.abc import Callable

import numpy as np

from anneal_edu.course.check.verdict import array, arrays, call, exercise, reject, require, same, several
from anneal_edu.distributions import GaussianRBM, binary_states
from anneal_edu.distributions.bernoulli import bernoulli
from anneal_edu.paths.covariance import covariance_path

Conditional = Callable[..., tuple[np.ndarray, np.ndarray]]
_TOLERATED = 5.0  # standard errors


_WEIGHTS = np.array(
    [[0.0, 0.5, 0.4], [-0.7, 0.6, 0.1], [-0.3, -0.9, -0.5], [0.9, 0.5, -0.7], [-0.2, -1.6, -1.1], [-0.4, -2.5, -0.5]]
)
_VISIBLE_BIAS = np.array([0.9, 0.5, 0.5, 1.9, 0.4, 1.4])
_SIGMA = np.array([1.3, 1.4, 1.6, 1.3, 0.7, 1.0])


def _small_grbm(n_visible: int) -> GaussianRBM:
    """Three hidden units, with a bias that keeps each on about half of the time."""
    W, b, sigma = (part[:n_visible] for part in (_WEIGHTS, _VISIBLE_BIAS, _SIGMA))
    return GaussianRBM(W, b, -(b / sigma) @ W - 0.5 * W.T @ W.sum(1), sigma)


# Exercise 1
def shift_after_one_step(conditional: Conditional, grbm: GaussianRBM, beta: float, n: int = 20_000) -> float:
    """Exact draws from p_β, one Gibbs step with this conditional of v: how far did any mean or second moment move?

    The path is the one from the diagonal start with the target's means and variances. A step that leaves p_β invariant
    moves no moment.

    Parameters
    ----------
    conditional : callable
        (h (C, H), β, grbm, start_mean (D,), start_variance (D,)) -> mean (C, D) and variance (D,) of v given h.
    grbm : GaussianRBM
    beta : float
    n : int
        Number of draws.

    Returns
    -------
    float
        The largest shift, in standard errors.
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


def _conditional_slips(h, beta, grbm, mean, variance) -> tuple[tuple, dict[str, tuple]]:
    """The right mean and variance, and what is said to those of likely slips."""
    noise, fields = grbm.sigma**2, h @ grbm.weights.T
    image = grbm.sigma * fields + grbm.visible_bias

    def weighted(share_target, share_start, picture=image):
        precision = share_target + share_start
        return (share_target * picture + share_start * mean) / precision, 1 / precision

    shares = beta / noise, (1 - beta) / variance
    right = weighted(*shares)
    exchanged = 1 / (beta / variance + (1 - beta) / noise)
    return right, {
        "this is Eq. 9 as printed. At β = 1 only the target is left, and v given h must have the variance σ², but this "
        "gives the start's: in σ_j²(β) the two precisions have exchanged their "
        "factors.": (exchanged * (shares[0] * image + shares[1] * mean), exchanged),
        "this runs the path backwards: at β = 1 it is the start. β belongs to the "
        "target.": weighted((1 - beta) / noise, beta / variance),
        "the second of the two should be the variance, and yours is its square root.": (right[0], np.sqrt(right[1])),
        "the second of the two should be the variance, and yours is its inverse, the "
        "precision.": (right[0], 1 / right[1]),
        "you averaged the variances. Energies are added along the path, so it is the *precisions* that are averaged: "
        "1/variance = β/σ² + (1-β)/start_variance.": (right[0], beta * noise + (1 - beta) * variance),
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


@exercise(
    hints=(
        "Which is averaged when energies are added: variances, or their inverses?",
        "The exponent is β·(target) + (1-β)·(start), two parabolas in each v_i: collect what stands before v_i² "
        "and v_i.",
        "1/variance = β/σ² + (1-β)/s², mean = variance · [β (b + σ·Wh)/σ² + (1-β) m/s²]",
    )
)
def conditional(answer) -> str:
    """``answer(h, beta, grbm, start_mean, start_variance)`` must be mean (C, D) and variance (D,) of v given h at β.

    Examples
    --------
    >>> conditional(lambda h, beta, grbm, mean, variance: (grbm.visible_mean(h), grbm.sigma**2))
    ✗ this is the conditional of the target. For β < 1 the start pulls as well.
      A hint: ae.check.covariance_start.conditional.hint()
    """
    grbm = _small_grbm(4)
    mean, cov = grbm.mean_and_cov()
    h = np.random.default_rng(1).integers(2, size=(6, 3)).astype(float)
    for beta in (0.2, 0.7, 1.0, 0.5, 0.0):
        got = _mean_and_variance(answer, h, beta, grbm, mean, cov.diagonal())
        right, slips = _conditional_slips(h, beta, grbm, mean, cov.diagonal())
        reject(got, slips, unless=right)

    def checked(h, beta, grbm, mean, variance):
        return _mean_and_variance(answer, h, beta, grbm, mean, variance)

    for beta in (0.2, 0.5, 0.8, 1.0):
        shift = shift_after_one_step(checked, grbm, beta)
        require(
            shift < _TOLERATED,
            f"at β = {beta:g} one step from 20,000 exact draws moves a moment by {shift:.0f} standard errors: p_β is "
            "not invariant. Write the exponent β·(target) + (1-β)·(start) as a function of v and complete the square.",
        )
    return "right: at four β one step from exact draws leaves all means and second moments where they were."


def _mean_and_variance(answer, h, beta, grbm, mean, variance) -> tuple[np.ndarray, np.ndarray]:
    got = call(answer, h.copy(), beta, grbm, np.array(mean), np.array(variance))
    centre, spread = several(got, 2, "return two arrays: the mean and the variance of v given h.")
    centre = array(centre, (len(h), grbm.dim), "the mean has", ", one row for each h")
    spread = np.broadcast_to(spread, (grbm.dim,)) if np.ndim(spread) == 0 else spread
    spread = array(spread, (grbm.dim,), "the variance has", ": it is the same for every h")
    require((spread > 0).all(), "a variance must be positive.")
    return centre, spread


# Exercise 2
@exercise(
    hints=(
        "If h were the same in every row, would v not vary at all?",
        "The law of total covariance: the covariance of E[v | h] over the rows, plus the mean of Cov[v | h].",
        "mean of b + σ·(Wh) over the rows; np.cov of it + diag(σ²)",
    )
)
def averaged_covariance(answer) -> str:
    """``answer(h, grbm)`` must be mean (D,) and covariance (D, D) of v from states h (n, H), with v averaged out.

    Examples
    --------
    >>> def too_narrow(h, grbm):
    ...     v = grbm.visible_mean(h)
    ...     return v.mean(0), np.cov(v.T)
    >>> averaged_covariance(too_narrow)
    ✗ this is the covariance of E[v | h] alone, and it is singular. The law of total covariance has a second part: v \
still varies when h is given, with variance σ².
      A hint: ae.check.covariance_start.averaged_covariance.hint()
    """
    grbm = _small_grbm(6)
    h = np.random.default_rng(1).integers(2, size=(40, 3)).astype(float)
    got_mean, got_cov = _two_moments(answer, h, grbm)
    centres, noise = grbm.visible_mean(h), grbm.sigma**2
    reject(got_mean, {
        "the mean is wrong: E[v | h] = b + σ·(Wh), and the factor σ is "
        "missing.": (h @ grbm.weights.T + grbm.visible_bias).mean(0),
        "the mean is wrong: E[v | h] = b + σ·(Wh), and the visible bias is "
        "missing.": (grbm.sigma * (h @ grbm.weights.T)).mean(0),
    })
    require(same(got_mean, centres.mean(0)), "the mean is wrong: average E[v | h] = b + σ·(Wh) over the rows of h.")
    for ddof in (0, 1):
        between = np.cov(centres.T, ddof=ddof)
        reject(got_cov, {
            "this is the covariance of E[v | h] alone, and it is singular. The law of total covariance has a second "
            "part: v still varies when h is given, with variance σ².": between,
            "you added σ; what v varies by, given h, is the *variance* σ².": between + np.diag(grbm.sigma),
            "you added σ² to every entry; given h the units of v are independent: a diagonal matrix.": between
            + noise,
            "the two parts of the covariance are added, not subtracted.": between - np.diag(noise),
            "this is diagonal: it was the covariances that we were after.": np.diag(np.diag(between) + noise),
        })
    second = centres.T @ centres / len(h) + np.diag(noise)
    require(not same(got_cov, second), "these are second moments about 0: subtract the mean first.")

    few = h[:4]
    _, cov = _two_moments(answer, few, grbm)
    lowest = float(np.linalg.eigvalsh(cov / np.outer(grbm.sigma, grbm.sigma))[0])
    require(
        lowest > 1 - 1e-6,
        f"from 4 states your covariance is narrower than σ² in some direction, by a factor of {lowest:.2g}. No "
        "Gaussian RBM's is: the part diag(σ²) is known exactly, only the other part is estimated.",
    )
    exact_cov, rng, errors, plain = grbm.mean_and_cov()[1], np.random.default_rng(2), [], []
    states, p = binary_states(grbm.n_hidden), grbm.hidden_probabilities()
    for _ in range(200):
        h = states[rng.choice(len(p), size=50, p=p)]
        errors.append(_two_moments(answer, h, grbm)[1] - exact_cov)
        plain.append(np.cov(grbm.visible_given_hidden(h, rng).T) - exact_cov)
    errors, plain = np.array(errors), np.array(plain)
    noise_of_mean = errors.std(0, ddof=1) / np.sqrt(len(errors))
    allowed = _TOLERATED * noise_of_mean + 0.03 * np.abs(exact_cov).max()  # divided by n or by n - 1
    require(
        (np.abs(errors.mean(0)) < allowed).all(),
        "averaged over 200 samples of 50 states your covariance is not the exact one: it is biased. It should be the "
        "covariance of E[v | h] over the states, plus diag(σ²).",
    )
    gain = float((errors**2).sum() / (plain**2).sum())
    require(gain < 0.3, "your covariance is as noisy as that of the states v: average E[v | h] instead of v.")
    return "right: unbiased, never narrower than σ², and its mean square error is only a fraction of that of drawn v."


def _two_moments(answer, h: np.ndarray, grbm: GaussianRBM) -> list[np.ndarray]:
    D, otherwise = grbm.dim, "return two arrays: the mean and the covariance of v."
    mean, cov = several(call(answer, h.copy(), grbm), 2, otherwise)
    rows = f"the covariance has shape {np.shape(cov)}; it should be ({D}, {D}). (np.cov wants one *row* a variable.)"
    require(np.shape(cov) == (D, D), rows)
    return arrays((mean, cov), {"the mean": (D,), "the covariance": (D, D)}, otherwise)


# Exercise 3
def _random_precision(rng: np.random.Generator, n: int) -> np.ndarray:
    root = rng.normal(size=(n, n))
    return root @ root.T + 0.5 * np.eye(n)


def _diagonal(matrix: np.ndarray) -> bool:
    return np.allclose(matrix, np.diag(np.diag(matrix)), atol=1e-7 * np.abs(matrix).max())


def _identity(matrix: np.ndarray) -> bool:
    return np.allclose(matrix, np.eye(len(matrix)), atol=1e-7)


def _require_identity(A: np.ndarray, P0: np.ndarray, P1: np.ndarray) -> None:
    start, end = A.T @ P0 @ A, A.T @ P1 @ A
    if _identity(end):
        return
    for sentence, slip in {
        "A P1 Aᵀ is the identity in yours, but Aᵀ P1 A should be: return the transpose.": _identity(A @ P1 @ A.T),
        "you have exchanged the two: Aᵀ P0 A is the identity. The target, P1, is the one to "
        "whiten.": _identity(start) and _diagonal(end),
        "both are diagonal, but Aᵀ P1 A is not the identity: divide each column a of A by √(aᵀ "
        "P1 a).": _diagonal(start) and _diagonal(end),
        "Aᵀ P0 A is diagonal, but Aᵀ P1 A is not the identity: these are the eigenvectors of P0 alone. Whiten P1 "
        "first.": _diagonal(start),
        "Aᵀ P1 A is diagonal, but not the identity, and Aᵀ P0 A is not diagonal: these are the eigenvectors of P1 "
        "alone.": _diagonal(end),
        "Aᵀ P1 A is not the identity.": True,
    }.items():
        require(not slip, sentence)


@exercise(
    hints=(
        "After P1 has become the identity, what freedom is left?",
        "With P1 = L Lᵀ the coordinates L⁻ᵀ whiten P1. A rotation leaves the identity alone, and can make the "
        "other diagonal.",
        "λ, R = eigh(L⁻¹ P0 L⁻ᵀ), A = L⁻ᵀ R; or scipy.linalg.eigh(P0, P1)",
    )
)
def common_coordinates(answer) -> str:
    """``answer(P0, P1)`` must be A (D, D) and λ (D,) with Aᵀ P1 A = I and Aᵀ P0 A = diag(λ).

    Examples
    --------
    >>> def of_the_start_alone(P0, P1):
    ...     eigenvalues, A = np.linalg.eigh(P0)
    ...     return A, eigenvalues
    >>> common_coordinates(of_the_start_alone)
    ✗ Aᵀ P0 A is diagonal, but Aᵀ P1 A is not the identity: these are the eigenvectors of P0 alone. Whiten P1 first.
      A hint: ae.check.covariance_start.common_coordinates.hint()
    """
    rng = np.random.default_rng(7)
    for n in (2, 5):
        P0, P1 = _random_precision(rng, n), _random_precision(rng, n)
        A, eigenvalues = _coordinates(answer, P0, P1)
        start = A.T @ P0 @ A
        _require_identity(A, P0, P1)
        require(
            _diagonal(start),
            "Aᵀ P1 A is the identity, as it should be, but Aᵀ P0 A is not diagonal. A rotation is still free: after "
            "whitening P1, rotate to the eigenvectors of what P0 has become.",
        )
        lam = np.diag(start)
        require(not np.allclose(eigenvalues, 1 / lam), "your λ are the inverses: Aᵀ P0 A is diag(1/λ) in yours.")
        require(np.allclose(np.sort(eigenvalues), np.sort(lam)), "λ should be the diagonal of Aᵀ P0 A.")
        require(np.allclose(eigenvalues, lam), "the λ are right, but not in the order of the columns of A.")
        beta = 0.3
        here = A.T @ ((1 - beta) * P0 + beta * P1) @ A
        require(
            np.allclose(here, np.diag((1 - beta) * eigenvalues + beta), atol=1e-6), "at β = 0.3 it is not diagonal."
        )
    return "right: in these coordinates the precision of v given h is (1-β) λ + β, diagonal at every β."


def _coordinates(answer, P0: np.ndarray, P1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    A, eigenvalues = several(call(answer, P0.copy(), P1.copy()), 2, "return two arrays: A and λ.")
    n = len(P0)
    other_way = np.shape(A) == (n,) and np.shape(eigenvalues) == (n, n)
    require(not other_way, "return A first, then λ: yours come the other way round.")
    A, eigenvalues = array(A, (n, n), "A has"), array(eigenvalues, (n,), "λ has", ", the diagonal alone")
    return np.real_if_close(A), np.real_if_close(eigenvalues)
