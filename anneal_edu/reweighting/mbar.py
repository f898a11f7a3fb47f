"""The multistate Bennett acceptance ratio: log Z of many distributions from draws of some of them.

Shirts and Chodera, "Statistically optimal analysis of samples from multiple equilibrium states", J. Chem. Phys. 129,
2008; with two states Bennett, "Efficient estimation of free energy differences from Monte Carlo data", 1976.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import scipy

from anneal_edu.estimate import Diagnostic
from anneal_edu.reweighting.over_chains import RatioResult, as_draws, chain_sums
from anneal_edu.weights import logsumexp


@dataclass(frozen=True, eq=False, repr=False)
class MBARResult(RatioResult):
    """log Z_k of every state relative to the first, in nats.

    Attributes
    ----------
    log_z : (K+1,) array
        log Z_k - log Z_0: the first is 0.
    covariance : (K+1, K+1) array
        Asymptotic covariance of log_z: for independent draws (Shirts and Chodera 2008, Eq. 8), or over chains if these
        are named (`anneal_edu.reweighting.over_chains`).
    overlap : (K+1, K+1) array
        O_ij, the mean probability that a draw of state i is assigned to state j, given x alone; rows sum to 1.
    weakest_link : float
        How many draws connect the two groups into which the states fall first: Σ n_i O_ij, i in one and j in the other.
    gradient : float
        Largest entry of the gradient of the objective at the end, a share of draws.
    n_chains : int, optional
    start_log_z : float, optional
    misplaced : tuple of Diagnostic
        A warning of draws that fit another state than the one they are said to come from.
    """

    log_z: np.ndarray
    covariance: np.ndarray
    overlap: np.ndarray
    weakest_link: float
    gradient: float
    n_chains: int | None = None
    start_log_z: float | None = None
    misplaced: tuple[Diagnostic, ...] = ()

    @property
    def std_error(self) -> np.ndarray:
        """Standard errors of log_z, (K+1,): the first is 0."""
        return np.sqrt(np.maximum(self.covariance.diagonal(), 0))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; empty if nothing does."""
        found = list(self.misplaced)
        if self.weakest_link < 5:
            sentence = f"about {self.weakest_link:.1g} draws connect two groups of states, too few: add states between"
            found.append(Diagnostic("little overlap", sentence))
        if not self.gradient < 1e-8:
            sentence = f"the minimum was not reached (gradient {self.gradient:.1e}): add states between, or draws"
            found.append(Diagnostic("not converged", sentence))
        return tuple(found)

    def _lines(self) -> list[str]:
        draws = "for independent draws" if self.n_chains is None else f"over {self.n_chains} chains"
        return [f"log Z ratio ≈ {self.log_z[-1]:.3f}  (standard error {self.std_error[-1]:.3f}, {draws})"]


def responsibilities(log_f: np.ndarray, log_shares: np.ndarray, log_z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log of the mixture Σ_k s_k f_k(x_n) / Z_k, (N,), and the part p_k(x_n) that state k has in it, (K+1, N).

    The part is q(β_k | x_n) of tempered sampling, with Ẑ_k = Z_k / s_k.
    """
    p = log_f + (log_shares - log_z)[:, None]
    top = p.max(0)
    p -= top
    np.exp(p, out=p)
    total = p.sum(0)
    return top + np.log(total), p / total


def minimise_objective(log_f: np.ndarray, shares: np.ndarray, log_z: np.ndarray) -> tuple[np.ndarray, int, float]:
    """Minimise (1/N) Σ_n log Σ_k s_k f_k(x_n) / Z_k + Σ_k s_k log Z_k over log Z, by Newton's method.

    The objective is convex in log Z; the poster's "maximizing" is a misprint  (Carlson et al. 2016, "MBAR"). A Newton
    step may lead uphill, a self-consistent step never does; far away the better is taken.
    """
    log_s = np.log(shares)

    def at(log_z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        log_z = log_z - log_z[0]  # a common shift changes nothing
        log_mixture, p = responsibilities(log_f, log_s, log_z)
        return log_mixture.mean() + shares @ log_z, log_z, p

    value, log_z, p = at(log_z)
    for n_steps in range(1, 201):  # noqa: B007 - it is returned
        mean_p = p.mean(1)
        hessian = np.diag(mean_p) - p @ p.T / p.shape[1]
        newton = np.append(0.0, np.linalg.lstsq(hessian[1:, 1:], (mean_p - shares)[1:], rcond=1e-15)[0])
        self_consistent = np.log(np.maximum(mean_p, 1e-300)) - log_s  # Z_k ← (1/N) Σ_n f_k(x_n) / mixture(x_n)
        found = at(log_z + newton)
        if np.abs(self_consistent).max() > 1 or found[0] > value + 1e-14 * abs(value):
            found = min(at(log_z + self_consistent), found, key=itemgetter(0))
        value, log_z, p = found
        if np.abs([newton, self_consistent]).max() < 1e-7:  # the error is now the square of that
            break
    return log_z, n_steps, float(np.abs(shares - p.mean(1)).max())


def rough_log_z(log_f: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, tuple[Diagnostic, ...]]:
    """log Z of the sampled states from some of the draws, and a warning if these fit other states than their own.

    MBAR does not depend on which of equally many draws came from which state, so that it cannot notice a wrong order.
    """
    sampled, ends = np.flatnonzero(counts), np.cumsum(counts)
    most = max(5, 5000 // len(sampled))
    of = [log_f[sampled, ends[k] - counts[k] : ends[k] : counts[k] // most + 1] for k in sampled]  # each (S, few)
    means = np.stack([np.nan_to_num(x - x.max(0), neginf=-1e300).mean(1) for x in of])  # (draws of, in) a state
    shares = np.array([x.shape[1] for x in of]) / sum(x.shape[1] for x in of)
    log_z, *_ = minimise_objective(np.hstack(of), shares, means.diagonal())
    fit = means - log_z
    gain = fit.max(1) - fit.diagonal()
    if (gain > 1).sum() < 2:
        return log_z, ()
    worst = int(gain.argmax())
    sentence = (
        f"draws said to be of state {sampled[worst]} fit state {sampled[fit[worst].argmax()]} better, by "
        f"{gain[worst]:.3g} nats each: put the columns in the order of their states, or let the chains settle"
    )
    return log_z, (Diagnostic("other states", sentence),)


def _weakest_link(overlap: np.ndarray, counts: np.ndarray) -> float:
    """How many draws connect the two groups into which the states fall first, as ever stronger links are cut."""
    sampled = np.flatnonzero(counts)
    n = counts[sampled]
    flow = n[:, None] * overlap[np.ix_(sampled, sampled)]
    strength = flow / np.sqrt(np.outer(n, n))
    links = np.unique(strength)
    first = bisect_left(links, 2, key=lambda link: scipy.sparse.csgraph.connected_components(strength > link)[0])
    n_groups, label = scipy.sparse.csgraph.connected_components(strength > links[first])
    weakest = float(flow[label[:, None] < label].sum())
    if weakest < 2.5e-10 * n.sum():  # rounding decides
        raise ValueError(
            "the draws do not overlap: nothing connects states "
            f"{' and '.join(str(sampled[label == group].tolist()) for group in range(n_groups))}; add states between"
        )
    return weakest


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
        log Z of the first state, if it is known: ``estimate`` adds it to the ratio.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    >>> x = np.concatenate([path(b).sample(500, np.random.default_rng(0)) for b in (0.0, 0.5, 1.0)])
    >>> result = ae.mbar(ae.log_density_matrix(path, [0, 0.5, 1], x), [500, 500, 500])
    >>> abs(result.log_z[1] + 0.5) < 3 * result.std_error[1]
    np.True_
    """
    log_f, counts, chains, start_log_z = as_draws(log_density_matrix, counts, chains, start_log_z)
    sampled = np.flatnonzero(counts)
    if len(sampled) < 2:
        raise ValueError(f"draws of at least two states are needed, got draws of {len(sampled)}")
    n_draws, shares = counts.sum(), counts[sampled] / counts.sum()
    start, misplaced = rough_log_z(log_f, counts)
    log_z, _, gradient = minimise_objective(log_f[sampled], shares, start)
    log_mixture, _ = responsibilities(log_f[sampled], np.log(shares), log_z)
    log_z = logsumexp(log_f - log_mixture, axis=1) - np.log(n_draws)  # Z_k = (1/N) Σ_n f_k(x_n) / mixture(x_n)
    W = np.exp(log_f - log_mixture - log_z[:, None]) / n_draws  # (K+1, N): rows sum to 1
    products = W @ W.T
    overlap = products * counts
    weakest = _weakest_link(overlap, counts)

    # Σ_n [1(x_n is of state k) - n_k W_kn] = 0 is the estimating equation, that of logistic regression with the Hessian
    # H  (Geyer, "Estimating normalizing constants and reweighting mixtures in Markov chain Monte Carlo", 1994)
    rest = sampled[1:]
    H = np.diag(counts[rest]) - counts[rest, None] * overlap[np.ix_(rest, rest)]
    response = overlap[:, rest] @ np.linalg.inv(H)  # (K+1, S-1)
    if chains is None:
        theta, n_chains = products + response @ overlap[:, rest].T, None  # Shirts and Chodera 2008, Eq. 8
    else:
        is_of_state = np.repeat(np.arange(len(counts)), counts) == rest[:, None]  # (S-1, N)
        sums = chain_sums(W - response @ (is_of_state - counts[rest, None] * W[rest]), chains)  # (K+1, C)
        theta, n_chains = sums @ sums.T, sums.shape[1]
    covariance = theta - theta[0] - theta[:, :1] + theta[0, 0]
    return MBARResult(log_z - log_z[0], covariance, overlap, weakest, gradient, n_chains, start_log_z, misplaced)
