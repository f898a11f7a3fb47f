"""Thermodynamic integration: log Z as the area under E_β[Δ].

Gelman and Meng, "Simulating normalizing constants", Statistical Science 13, 1998.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from anneal_edu.estimate import Diagnostic
from anneal_edu.reweighting.mbar import rough_log_z
from anneal_edu.reweighting.over_chains import RatioResult, as_draws, error_over_chains
from anneal_edu.tempering.simulated import log_conditionals
from anneal_edu.validation import as_finite_array, as_flag, as_schedule, require_shape
from anneal_edu.weights import logsumexp


@dataclass(frozen=True, eq=False, repr=False)
class ThermodynamicIntegrationResult(RatioResult):
    """log Z along a path, relative to its start, in nats.

    Attributes
    ----------
    schedule : (K+1,) array
    mean_slopes : (K+1,) array
        Estimates of E_k[Δ] = d/dβ log Z(β), the integrand.
    std_error : (K+1,) array
        Standard errors of log_z: over chains if these are named, else for independent draws. The error of the trapezoid
        rule is not in them: see rule_error.
    start_log_z : float, optional
    slope_variances : (K+1,) array, optional
        Var_k[Δ], the slope of the integrand, if log f is linear in β.
    misplaced : tuple of Diagnostic
        A warning of draws that fit another state than the one they are said to come from.
    """

    schedule: np.ndarray
    mean_slopes: np.ndarray
    std_error: np.ndarray
    start_log_z: float | None = None
    slope_variances: np.ndarray | None = None
    misplaced: tuple[Diagnostic, ...] = ()

    @property
    def log_z(self) -> np.ndarray:
        """log Z_k - log Z_0 by the trapezoid rule, (K+1,): the first is 0."""
        return scipy.integrate.cumulative_trapezoid(self.mean_slopes, self.schedule, initial=0)

    @property
    def rule_error(self) -> float:
        """Error of the trapezoid rule in the last log_z: a third of the change if every second rung is left out.

        The error falls with the square of the distance of the rungs (Richardson 1911). With fewer than five rungs one
        interval may hold all the area. If log f is linear in β, it is then at least Σ_k (h²/12) |Var_{k+1} - Var_k|
        (Friel, Hurn and Wyse 2014), or h/2 times the rise of the integrand if that is less. Else NaN for two rungs.
        """
        betas, V, last = self.schedule, self.slope_variances, len(self.schedule) - 1
        found = [float("nan")]
        if last > 1:
            kept = np.unique([*range(0, last, 2), last])
            found = [float(abs(np.trapezoid(self.mean_slopes[kept], betas[kept]) - self.log_z[-1]) / 3)]
        if last < 4 and V is not None:
            h, rise = np.diff(betas), np.abs(np.diff(self.mean_slopes))
            found.append(float(np.minimum(h**2 * np.abs(np.diff(V)) / 12, h * rise / 2).sum()))
        return float(np.fmax.reduce(found))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; empty if nothing does."""
        if np.isnan(self.rule_error):
            sentence = "two rungs: how far the trapezoid rule is off cannot be told; add a third"
            return (*self.misplaced, Diagnostic("two rungs", sentence))
        if self.rule_error > 2 * self.std_error[-1]:
            sentence = f"the trapezoid rule is off by about {self.rule_error:.2g} nats: add rungs"
            return (*self.misplaced, Diagnostic("coarse rule", sentence))
        return self.misplaced

    def _lines(self) -> list[str]:
        return [
            f"log Z ratio ≈ {self.log_z[-1]:.3f}  (standard error {self.std_error[-1]:.3f}, and the rule's own error "
            f"about {self.rule_error:.2g})"
        ]


@np.errstate(under="ignore")
def thermodynamic_integration(
    log_density_matrix: np.ndarray, counts: np.ndarray, schedule: np.ndarray, slopes: np.ndarray | None = None, *,
    rao_blackwellized: bool = False, log_z: np.ndarray | None = None, chains: np.ndarray | None = None,
    start_log_z: float | None = None,
) -> ThermodynamicIntegrationResult:
    """Estimate log Z along a path as ∫ E_β[Δ] dβ, Δ = d/dβ log f_β, by the trapezoid rule.

    The identity is Grosse et al. 2013, Eq. 2, and Kiwaki and Aihara 2015, Eq. 4.

    Plain, E_k[Δ] is the mean over the draws of rung k. Rao-Blackwellised, every draw counts on every rung, with
    q(β_k | x) ∝ f_k(x) / Ẑ_k: E_k[Δ] ≈ Σ_n q(β_k | x_n) Δ_n / Σ_n q(β_k | x_n)  (Carlson et al. 2016, "TI"). With many
    rungs this approaches `rts` on the same draws (Carlson et al. 2016, "Relationships"). If rungs are drawn at random,
    as in simulated tempering, the plain form is path sampling on a grid  (Gelman and Meng 1998).

    Parameters
    ----------
    log_density_matrix, counts, chains, start_log_z
        As for `mbar`.
    schedule : (K+1,) array
        The rungs, rising from 0 to 1.
    slopes : (K+1, N) array, optional
        Δ_k(x_n), as from `log_density_slopes`. Not needed if log f is linear in β, as on a geometric path between
        densities of x: Δ is then the difference of the last and the first row.
    rao_blackwellized : bool
    log_z : (K+1,) array, optional
        log Ẑ_k if the draws, taken together, are a sample of q(x, β_k) ∝ f_k(x) / Ẑ_k, as from `simulated_tempering`.
        Needed if rao_blackwellized, and only then.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path, betas = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]])), [0, 0.5, 1]
    >>> x = np.concatenate([path(b).sample(500, np.random.default_rng(0)) for b in (0.0, 0.5, 1.0)])
    >>> result = ae.thermodynamic_integration(ae.log_density_matrix(path, betas, x), [500, 500, 500], betas)
    >>> abs(result.log_z[1] + 0.5) < 3 * result.std_error[1]
    np.True_
    """
    log_f, counts, chains, start_log_z = as_draws(log_density_matrix, counts, chains, start_log_z)
    schedule = as_schedule("schedule", schedule)
    require_shape("schedule", schedule, (len(log_f),))
    linear = slopes is None
    slopes = _slopes_of(log_f, schedule) if slopes is None else as_finite_array("slopes", slopes, ndim=2)
    require_shape("slopes", slopes, log_f.shape)
    if as_flag("rao_blackwellized", rao_blackwellized) != (log_z is not None):
        raise ValueError(f"log_z must be given if rao_blackwellized, and only then: got {log_z!r}")
    if rao_blackwellized:
        log_z = as_finite_array("log_z", log_z, ndim=1)
        require_shape("log_z", log_z, schedule.shape)
        log_q = log_conditionals(log_f, log_z)
        weights = np.exp(log_q - logsumexp(log_q, axis=1, keepdims=True))  # (K+1, N): rows sum to 1
    elif (counts == 0).any():
        raise ValueError(f"every rung needs draws, got none of rung {int(np.argmin(counts))}")
    else:
        rungs = np.arange(len(counts))
        weights = (rungs[:, None] == np.repeat(rungs, counts)) / counts[:, None]

    mean_slopes = (weights * slopes).sum(1)
    terms = weights * (slopes - mean_slopes[:, None])
    influences = scipy.integrate.cumulative_trapezoid(terms, schedule, axis=0, initial=0)
    error = error_over_chains(influences, chains)
    variances = (weights * (slopes - mean_slopes[:, None]) ** 2).sum(1) if linear else None
    misplaced = () if rao_blackwellized else rough_log_z(log_f, counts)[1]
    return ThermodynamicIntegrationResult(schedule, mean_slopes, error, start_log_z, variances, misplaced)


def _slopes_of(log_f: np.ndarray, schedule: np.ndarray) -> np.ndarray:
    """Δ of densities that are linear in β: (K+1, N) -> (K+1, N)."""
    if np.isneginf(log_f).any():
        raise ValueError("a density is zero somewhere: Δ has no mean there")
    slope = log_f[-1] - log_f[0]
    if np.abs(log_f - log_f[0] - schedule[:, None] * slope).max() > 1e-6 * (1 + np.abs(log_f).max()):
        raise ValueError("log f is not linear in β: pass slopes=log_density_slopes(path, schedule, x)")
    return np.broadcast_to(slope, log_f.shape)
