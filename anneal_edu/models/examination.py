"""Bounds on log Z and on the log likelihood of data under your RBM, and how far to trust them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anneal_edu.annealing.reverse import Sandwich, sandwich
from anneal_edu.distributions import BinaryRBM, GaussianRBM, base_rate_rbm, uniform_rbm
from anneal_edu.paths.capabilities import Path
from anneal_edu.paths.chain_moments import data_moments, estimate_mean_and_cov, estimate_moments, pcd_fit
from anneal_edu.paths.covariance import covariance_path
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.paths.splines import moment_spline_path
from anneal_edu.validation import as_binary_data, as_choice, as_count, as_finite_array, require_generator, require_shape

PATHS = ("geometric", "moments")
STARTS = ("base-rate", "uniform")
_CLOSE = 0.5  # nats: a fifth of a factor of ten in Z


@dataclass(frozen=True, eq=False)
class Examination:
    """Bounds on log Z of an RBM from forward and reverse AIS, and its exact value if it can be enumerated.

    Attributes
    ----------
    sandwich : Sandwich
        log Z between a forward and a reverse run.
    n_steps : int
        Annealing steps K of each.
    path : "geometric" or "moments"
    start : "base-rate" or "uniform", of a Gaussian RBM "mean-and-covariance"
        Where the path began.
    exact : float or None
        log Z, where a layer of at most 24 units can be enumerated.
    log_densities : (N,) array or None
        log f of the data, where there are some.
    """

    sandwich: Sandwich
    n_steps: int
    path: str
    start: str
    exact: float | None
    log_densities: np.ndarray | None = field(repr=False)

    @property
    def verdict(self) -> str:
        """The word "crossed" if gap < -3 s, "pinned" if |gap| + 3 s < 0.5 nats, else "wide"; s is the gap's error."""
        both = self.sandwich
        noise = 3 * np.hypot(both.forward.std_error, both.reverse.std_error)
        if both.gap < -noise:
            return "crossed"
        return "pinned" if abs(both.gap) + noise < _CLOSE else "wide"

    @property
    def log_likelihood(self) -> tuple[float, float] | None:
        """Lower and upper end of the mean log likelihood, mean log f(v) - log Z; both exact if log Z is."""
        if self.log_densities is None:
            return None
        mean = float(self.log_densities.mean())
        if self.exact is not None:
            return mean - self.exact, mean - self.exact
        return mean - self.sandwich.upper, mean - self.sandwich.lower

    @property
    def likelihood_error(self) -> float:
        """Standard error of the mean log likelihood over the data."""
        if self.log_densities is None or len(self.log_densities) < 2:
            return float("nan")
        return float(self.log_densities.std(ddof=1) / np.sqrt(len(self.log_densities)))

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do next, as arguments of `examine`; empty if nothing is left to do or log Z is exact."""
        if self.exact is not None:
            return ()
        kinds = {warning.kind for warning in self.sandwich.warnings}
        found = []
        if "single chain" in kinds:
            found.append("n_chains=200: a single chain has no error bar")
        if self.verdict == "pinned" and not kinds:
            if self.sandwich.draws == "a long run":
                found.append(
                    "data=..., states that it was trained on: both ends came from one start, and a mode that no "
                    "chain found would be missing from both; a run from data may begin in it"
                )
            return tuple(found)
        if self.verdict == "crossed":
            found.append("believe neither end: the reverse chains did not begin in the model, or not in all of it")
        found.append(f"n_steps={10 * self.n_steps}: smaller steps, and a longer run before the reverse one")
        if self.path == "geometric" and self.start in STARTS:
            found.append('path="moments": halfway it shows half of what the model shows, not half of its energy')
        if self.log_densities is None:
            found.append("data=..., what it was trained on: a second witness, and base rates for a BinaryRBM's start")
        elif self.start == "uniform":
            found.append('start="base-rate": nearer to the model than noise')
        return tuple(found)

    def summary(self) -> dict[str, Any]:
        """All results for JSON; a number that is not finite is None."""
        both, likelihood = self.sandwich, self.log_likelihood
        found = {
            "n_steps": self.n_steps, "n_chains": len(both.forward.log_weights), "path": self.path, "start": self.start,
            "lower": both.lower, "lower_error": both.forward.std_error, "upper": both.upper,
            "upper_error": both.reverse.std_error, "gap": both.gap, "draws": both.draws, "verdict": self.verdict,
            "warnings": [{"kind": warning.kind, "sentence": str(warning)} for warning in both.warnings],
            "exact": self.exact, "n_data": 0 if self.log_densities is None else len(self.log_densities),
            "log_likelihood": None if likelihood is None else list(likelihood),
            "log_likelihood_error": self.likelihood_error, "advice": list(self.advice),
        }  # fmt: skip
        return {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in found.items()}

    def __str__(self) -> str:
        n_chains, start = len(self.sandwich.forward.log_weights), self.start.replace("-", " ")
        lines = [f"{self.path} path from {start}, {self.n_steps} steps, {n_chains} chains"]
        lines += [str(self.sandwich), f"verdict: {_VERDICTS[self.verdict]}"]
        if self.exact is not None:
            lines.append(f"log Z = {self.exact:.3f}, counted exactly: believe this one")
        lines += self._likelihood_lines()
        return "\n".join(lines + [f"next: {sentence}" for sentence in self.advice])

    __repr__ = __str__

    def _likelihood_lines(self) -> list[str]:
        if (found := self.log_likelihood) is None or self.log_densities is None:
            return []
        mean = f"mean log likelihood of {len(self.log_densities)} data"
        error = "" if np.isnan(self.likelihood_error) else f" ± {self.likelihood_error:.3f} over the data"
        if self.exact is not None:
            return [f"{mean}: {found[0]:.3f}{error}, with the exact log Z"]
        return [
            f"{mean}{error}:",
            f"  {found[1]:.3f} with log Z of the forward run, which is low on average: too good on average",
            f"  {found[0]:.3f} with log Z of the reverse run, which is high if its chains began in the model: too bad",
        ]


_VERDICTS = {
    "crossed": "crossed, the reverse end is below the forward one by more than their noise",
    "pinned": f"pinned, the ends meet within {_CLOSE} nats, three standard errors included",
    "wide": f"wide, the ends do not meet within {_CLOSE} nats, three standard errors included",
}


def examine(
    rbm: BinaryRBM | GaussianRBM, data: np.ndarray | None = None, n_steps: int = 1000, n_chains: int = 200,
    path: str = "geometric", start: str | None = None, *, rng: np.random.Generator, progress: bool = False,
) -> Examination:
    """Bound log Z of your RBM and the mean log likelihood of data, and say how far to trust both.

    Parameters
    ----------
    rbm : BinaryRBM or GaussianRBM
        Yours: `load_rbm`, `BinaryRBM.from_sklearn` or ``BinaryRBM(weights, visible_bias, hidden_bias)``.
    data : (N, D) array of 0 and 1, or of real numbers for a GaussianRBM, optional
        What it was trained on, or others of their kind. They give the base rates; and where log Z cannot be counted,
        the run to the start of the reverse chains begins at them.
    n_steps, n_chains : int
        Annealing steps K and chains C of the `sandwich`. The long run takes as many steps, and at least a thousand.
    path : "geometric" or "moments"
        "moments" is "MAS cheap" (Grosse et al. 2013, Section 5.2), with moments of the data, or else of Gibbs chains.
    start : "base-rate" or "uniform", optional
        Of the path; by default at the base rates of the data, where there are some. A GaussianRBM has the geometric
        path alone, from a Gaussian with its own mean and covariance: exact ones, or else those of Gibbs chains.
    rng : numpy.random.Generator
    progress : bool
        Show progress bars.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rbm, rng = ae.models.load("digits8_cd"), np.random.default_rng(0)
    >>> found = ae.models.examine(rbm, ae.data.digits(8), n_steps=200, rng=rng)
    >>> found.verdict, found.advice, abs(found.sandwich.lower - found.exact) < 0.2
    ('pinned', (), True)
    """
    if not isinstance(rbm, BinaryRBM | GaussianRBM):
        raise TypeError(f"rbm must be a BinaryRBM or a GaussianRBM, got {type(rbm).__name__}")
    n_steps, n_chains = as_count("n_steps", n_steps), as_count("n_chains", n_chains)
    binary = isinstance(rbm, BinaryRBM)
    paths, starts = (PATHS, STARTS) if binary else (PATHS[:1], ("mean-and-covariance",))
    as_choice("path", path, paths)
    require_generator(rng)
    if data is not None:
        data = as_binary_data("data", data) if binary else as_finite_array("data", data, ndim=2)
        require_shape("data", data, (len(data), rbm.dim))
    start = as_choice("start", start or starts[-1 if data is None else 0], starts)
    walk = _path_to(rbm, data, path, start, rng)
    both = sandwich(
        walk, linear_schedule(n_steps), n_chains, n_burn_in=max(n_steps, 1000), data=data, rng=rng, progress=progress
    )
    exact = rbm.log_z() if rbm.enumerable else None
    return Examination(both, n_steps, path, start, exact, None if data is None else rbm.log_density(data))


def _path_to(
    rbm: BinaryRBM | GaussianRBM, data: np.ndarray | None, path: str, start: str, rng: np.random.Generator
) -> Path:
    if isinstance(rbm, GaussianRBM):
        known = rbm.mean_and_cov() if rbm.enumerable else estimate_mean_and_cov(rbm, 100, 1000, 200, rng=rng)
        return covariance_path(*known, rbm)
    if start == "base-rate" and data is None:
        raise ValueError('start "base-rate" needs data: base rates are how often each unit is on in them')
    H = rbm.n_hidden
    p0 = uniform_rbm(rbm.dim, H) if data is None or start == "uniform" else base_rate_rbm(data, H)
    if path == "geometric":
        return geometric_path(p0, rbm)
    moments = estimate_moments(rbm, 100, 1000, 200, every=5, rng=rng) if data is None else data_moments(rbm, data)
    return moment_spline_path(p0, rbm, target_moments=moments, fit=pcd_fit(rng=rng))
