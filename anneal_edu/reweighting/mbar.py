"""The multistate Bennett acceptance ratio: log Z of many distributions from draws of some of them.

Shirts and Chodera, "Statistically optimal analysis of samples from multiple equilibrium states", J. Chem. Phys. 129,
2008; with two states Bennett, "Efficient estimation of free energy differences from Monte Carlo data", 1976.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from anneal_edu.estimate import Diagnostic
from anneal_edu.reweighting.density_matrix import (
    RatioResult,
    as_draws,
    as_start_log_z,
    log_ratios_by_stepping_stones,
)
from anneal_edu.reweighting.over_chains import as_chain_labels, chain_sums
from anneal_edu.weights import logsumexp

_NO_OVERLAP = 1e-9  # a spectral gap of the overlap matrix below which rounding decides
_FEW_CONNECT = 5.0  # draws
_AT_MINIMUM = 1e-8  # the largest entry of the gradient, a share of draws
_FEW = 5_000  # draws that tell whether columns are in the order of their states
_MAX_STEPS = 200
_FIRST_STEPS = 20


@dataclass(frozen=True, eq=False, repr=False)
class MBARResult(RatioResult):
    """log Z_k of every state relative to the first, in nats.

    Attributes
    ----------
    log_z : (K+1,) array
        log Z_k - log Z_0: the first is 0.
    covariance : (K+1, K+1) array
        Asymptotic covariance Θ of log Z, up to a common shift: for independent draws (Shirts and Chodera 2008, Eq. 8),
        or over chains where these were named (`anneal_edu.reweighting.over_chains`).
    overlap : (K+1, K+1) array
        O_ij, the chance that a draw of state i, had it to guess where it came from, would say j; rows sum to 1.
    spectral_gap : float
        1 minus the second-largest eigenvalue of the overlap matrix of the sampled states; 0 where they fall apart into
        groups.
    n_steps : int
        Newton steps taken.
    gradient : float
        Largest entry of the gradient of the objective at the end, a share of draws.
    n_chains : int, optional
        How many chains were named.
    start_log_z : float, optional
        log Z_0, where it was given.
    weakest_link : float
        How many draws connect the two groups into which the states fall first: Σ n_i O_ij, i in one and j in the other.
    misplaced : tuple of Diagnostic
        A warning of draws that are not of the state that they are said to come from.
    """

    log_z: np.ndarray
    covariance: np.ndarray
    overlap: np.ndarray
    spectral_gap: float
    n_steps: int
    gradient: float
    n_chains: int | None = None
    start_log_z: float | None = None
    weakest_link: float = np.inf
    misplaced: tuple[Diagnostic, ...] = ()

    @property
    def std_error(self) -> np.ndarray:
        """Standard errors of log_z, sqrt(Θ_kk - 2 Θ_k0 + Θ_00), (K+1,)."""
        theta = self.covariance
        return np.sqrt(np.maximum(theta.diagonal() - 2 * theta[:, 0] + theta[0, 0], 0))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; empty where nothing does."""
        found = list(self.misplaced)
        if self.weakest_link < _FEW_CONNECT:
            sentence = (
                f"little overlap between states (spectral gap {self.spectral_gap:.1e}): about {self.weakest_link:.1g} "
                "of the draws connect them, and the error bar may be far too small; add states between"
            )
            found.append(Diagnostic("little overlap", sentence))
        if not self.gradient < _AT_MINIMUM:
            sentence = f"the minimum was not reached (gradient {self.gradient:.1e}): add states between, or draws"
            found.append(Diagnostic("not converged", sentence))
        return tuple(found)

    def _lines(self) -> list[str]:
        draws = "for independent draws" if self.n_chains is None else f"over {self.n_chains} chains"
        return [
            f"log Z ratio ≈ {self.log_z[-1]:.3f}  (standard error {self.std_error[-1]:.3f}, {draws})",
            f"overlap: spectral gap {self.spectral_gap:.3f}; {self.n_steps} Newton steps",
        ]


def responsibilities(log_f: np.ndarray, log_shares: np.ndarray, log_z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log of the mixture Σ_k s_k f_k(x_n) / Z_k, (N,), and the part p_k(x_n) that state k has in it, (K+1, N).

    The part is q(β_k | x_n) of tempered sampling, with Ẑ_k = Z_k / s_k.

    Examples
    --------
    >>> import numpy as np
    >>> log_mixture, p = responsibilities(np.log([[1.0, 3.0], [1.0, 1.0]]), np.log([0.5, 0.5]), np.zeros(2))
    >>> np.exp(log_mixture), p
    (array([1., 2.]), array([[0.5 , 0.75],
           [0.5 , 0.25]]))
    """
    p = log_f + (log_shares - log_z)[:, None]
    top = p.max(0)
    p -= top
    np.exp(p, out=p)
    total = p.sum(0)
    p /= total
    return top + np.log(total), p


def minimise_objective(log_f: np.ndarray, shares: np.ndarray, log_z: np.ndarray) -> tuple[np.ndarray, int, float]:
    """Minimise (1/N) Σ_n log Σ_k s_k f_k(x_n) / Z_k + Σ_k s_k log Z_k over log Z, by Newton's method.

    It is convex in log Z, so that the poster's "maximizing" is a slip  (Carlson et al. 2016, "MBAR"). Self-consistent
    steps come first; Newton's are halved until they lead downhill.

    Parameters
    ----------
    log_f : (K+1, N) array
        Every column finite in some row.
    shares : (K+1,) array
        s_k = n_k / N, all positive.
    log_z : (K+1,) array
        Where to begin.

    Returns
    -------
    (K+1,) array, int, float
        log Z relative to the first; Newton steps taken; the largest entry of the gradient at the end.
    """
    log_s, n_draws = np.log(shares), log_f.shape[1]

    def objective(z: np.ndarray) -> tuple[float, np.ndarray]:
        log_mixture, p = responsibilities(log_f, log_s, z)
        return log_mixture.mean() + shares @ z, p

    def self_consistent(p: np.ndarray) -> np.ndarray:  # Z_k ← (1/N) Σ_n f_k(x_n) / mixture(x_n) never leads uphill
        step = np.log(np.maximum(p.mean(1), 1e-300)) - log_s
        return step - step[0]

    value, p = objective(log_z)
    for _ in range(_FIRST_STEPS):
        step = self_consistent(p)
        log_z = log_z + step
        value, p = objective(log_z)
        if np.abs(step).max() < 1:
            break
    for n_steps in range(1, _MAX_STEPS + 1):  # noqa: B007 - it is returned
        mean_p = p.mean(1)  # ∂/∂ log Z_k of the objective is s_k minus this
        hessian = np.diag(mean_p) - p @ p.T / n_draws
        newton = np.zeros_like(log_z)  # log Z_0 stays: the objective does not feel a common shift
        newton[1:] = np.linalg.lstsq(hessian[1:, 1:], (mean_p - shares)[1:], rcond=1e-15)[0]
        for step in (*(newton / 2**halved for halved in range(30)), self_consistent(p)):
            new_value, new_p = objective(log_z + step)
            if new_value <= value + 1e-14 * abs(value):
                break
        log_z, value, p = log_z + step, new_value, new_p
        if np.abs(newton).max() < 1e-11 * (1 + np.abs(log_z).max()):
            break
    return log_z - log_z[0], n_steps, float(np.abs(shares - p.mean(1)).max())


def _covariance(products: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Θ = Wᵀ (I - W N Wᵀ)⁺ W, from WᵀW = V Σ² Vᵀ alone  (Shirts and Chodera 2008, Eq. 8 and D8)."""
    squares, V = np.linalg.eigh(products)
    S = np.sqrt(np.maximum(squares, 0))
    inner = np.eye(len(S)) - S[:, None] * (V.T @ (counts[:, None] * V)) * S
    return (V * S) @ np.linalg.pinv(inner, rcond=1e-10, hermitian=True) @ (V * S).T


def _overlap_gaps(products: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """Spectral gap of the overlap matrix, and its weakest link; ValueError where the draws fall apart into groups.

    The groups are those into which the states fall first, as ever stronger links between two of them are cut.
    """
    sampled = np.flatnonzero(counts)
    root = np.sqrt(counts[sampled])
    overlap = root[:, None] * products[np.ix_(sampled, sampled)] * root
    gap = float(1 - np.linalg.eigvalsh(overlap)[-2])
    links = np.unique(overlap)
    first = bisect_left(links, 2, key=lambda link: connected_components(overlap > link)[0])
    n_groups, label = connected_components(overlap > links[first])
    if gap < _NO_OVERLAP:
        groups = " and ".join(f"[{', '.join(map(str, sampled[label == g]))}]" for g in range(n_groups))
        raise ValueError(
            f"the draws do not overlap (spectral gap {max(gap, 0):.0e}): nothing connects states {groups}; "
            "add states between them"
        )
    across = np.where(label[:, None] != label, overlap, 0)
    return gap, float(root @ across @ root / 2)


def other_states(log_f: np.ndarray, counts: np.ndarray) -> tuple[Diagnostic, ...]:
    """Whether draws fit the states that they are said to come from, by a nat at least, told by some of them.

    MBAR itself is indifferent to the order of equally many draws, and tells for each which state it may be of.
    """
    sampled, start = np.flatnonzero(counts), np.cumsum(counts) - counts
    few = max(5, _FEW // len(sampled))
    rows = [np.unique(np.linspace(start[k], start[k] + counts[k] - 1, few).astype(int)) for k in sampled]
    of = np.repeat(np.arange(len(sampled)), [len(row) for row in rows])
    log_f = log_f[np.ix_(sampled, np.concatenate(rows))]
    shares = np.bincount(of) / len(of)
    log_z, _, _ = minimise_objective(log_f, shares, np.zeros(len(sampled)))
    log_p = np.maximum(log_f - log_z[:, None], -1e6)
    fit = np.stack([log_p[:, of == k].mean(1) for k in range(len(sampled))])  # of draws said to be of k, to every state
    gain = fit.max(1) - fit.diagonal()
    if (gain > 1).sum() < 2:
        return ()
    worst = int(gain.argmax())
    sentence = (
        f"draws said to be of state {sampled[worst]} fit state {sampled[fit[worst].argmax()]} better, by "
        f"{gain[worst]:.3g} nats each: put the columns in the order of their states, or let the chains settle"
    )
    return (Diagnostic("other states", sentence),)


def _influences(W: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """What every draw contributes to log Z_k - log Z_0, to first order: (K+1, N).

    The estimating equation Σ_n [1(x_n is of state k) - p_k(x_n)] = 0, p_k = n_k W_k, is that of logistic regression
    (Geyer, "Estimating normalizing constants and reweighting mixtures in Markov chain Monte Carlo", 1994): H⁺ times
    its terms, H = diag(Σ_n p) - Σ_n p pᵀ, is what each draw does to the parts of the mixture, and so to its density.
    """
    sampled = np.flatnonzero(counts)
    p, origin = counts[sampled, None] * W[sampled], np.repeat(np.arange(len(sampled)), counts[sampled])  # (S, N), (N,)
    H = np.diag(p.sum(1)) - p @ p.T
    to_mixture = W @ p.T @ np.linalg.pinv(H, rcond=1e-12, hermitian=True)  # (K+1, S)
    found = W - to_mixture[:, origin] + to_mixture @ p
    return found - found[0]


@np.errstate(under="ignore")
def mbar(
    log_density_matrix: np.ndarray, counts: np.ndarray, *,
    chains: np.ndarray | None = None, start_log_z: float | None = None,
) -> MBARResult:
    """Estimate log Z of every state from draws of some, by the multistate Bennett acceptance ratio.

    Of all estimators that reweight these draws it has the smallest asymptotic variance (Shirts and Chodera 2008). All
    draws are pooled as if they came from the mixture Σ_k n_k f_k(x) / Z_k, and Z_k is what makes this consistent. With
    two states it is Bennett's acceptance ratio (1976). The poster's form: Carlson et al. 2016, "MBAR".

    Parameters
    ----------
    log_density_matrix : (K+1, N) array
        Log f_k(x_n), as from `log_density_matrix`; columns of state 0 first, then of state 1, and so on.
    counts : (K+1,) array of int
        Draws of each state, adding up to N; 0 for a state that was not sampled.
    chains : (N,) array of int, optional
        Which chain each column came from. Draws of one chain depend on each other: without this the error bars take
        all draws for independent, and are too small for those of a Markov chain.
    start_log_z : float, optional
        log Z of the first state, where it is known: ``estimate`` adds it to the ratio.

    Returns
    -------
    MBARResult

    Raises
    ------
    ValueError
        Where shapes, counts or chains do not fit, there is one chain only, an entry is NaN or +inf, or the states do
        not overlap, so that no method could tell their ratio from these draws.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    >>> x = np.concatenate([path(b).sample(500, np.random.default_rng(0)) for b in (0.0, 0.5, 1.0)])
    >>> result = ae.mbar(ae.log_density_matrix(path, [0, 0.5, 1], x), [500, 500, 500])
    >>> abs(result.log_z[1] + 0.5) < 3 * result.std_error[1]
    np.True_
    """
    log_f, counts = as_draws(log_density_matrix, counts)
    chains, start_log_z = as_chain_labels(chains, counts), as_start_log_z(start_log_z)
    sampled = np.flatnonzero(counts)
    if len(sampled) < 2:
        raise ValueError(f"draws of at least two states are needed, got draws of {len(sampled)}")
    n_draws = counts.sum()
    start = log_ratios_by_stepping_stones(log_f, counts)[sampled]
    start = np.where(np.isfinite(start), start, 0.0)
    shares = counts[sampled] / n_draws
    log_z_sampled, n_steps, gradient = minimise_objective(log_f[sampled], shares, start)

    log_mixture, _ = responsibilities(log_f[sampled], np.log(shares), log_z_sampled)
    log_z = logsumexp(log_f - log_mixture, axis=1) - np.log(n_draws)  # Z_k = (1/N) Σ_n f_k(x_n) / mixture(x_n)
    W = np.exp(log_f - log_mixture - log_z[:, None]) / n_draws  # (K+1, N): rows sum to 1
    products = W @ W.T
    gap, weakest = _overlap_gaps(products, counts)
    log_ratios, overlap = log_z - log_z[0], products * counts
    if chains is None:
        covariance, n_chains = _covariance(products, counts), None
    else:
        sums = chain_sums(_influences(W, counts), chains)  # (K+1, C)
        covariance, n_chains = sums @ sums.T, sums.shape[1]
    misplaced = other_states(log_f, counts)
    return MBARResult(
        log_ratios, covariance, overlap, gap, n_steps, gradient, n_chains, start_log_z, weakest, misplaced
    )
