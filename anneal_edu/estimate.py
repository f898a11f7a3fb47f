"""What all results share: log Z of the target, its standard error, and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit


class Diagnostic(str):
    """A warning of a result: a sentence, and a `kind` that code can test.

    The diagnostic is a string, the sentence. The kinds and their meaning:

    ==========================  =====================================================================
    "single chain"              no error bar can be given
    "every weight is zero"      no chain ends where the target has mass
    "collapsed weights"         a few weights carry the estimate
    "heavy tail"                the largest weights were probably not drawn
    "steps refused"             hardly any leapfrog step was accepted
    "poor points"               at some data points few chains carry the weight
    "rungs never meet"          no state of a rung has a density on the next one
    "swaps refused"             two rungs hardly ever swap
    "no round trip"             no replica has gone up the ladder and down again
    "uneven visits"             tempered chains hardly ever visit some rung
    "few crossings"             tempered chains hardly ever climb the whole ladder
    "little overlap"            few draws connect the states
    "coarse rule"               the error of the trapezoid rule exceeds the error bar
    "two rungs"                 the error of the trapezoid rule is unknown
    "not settled"               the two halves of a run differ by more than their noise
    "ends apart"                the upper bound exceeds the lower one by more than the noise
    "crossed"                   the upper bound is below the lower one: some draws are wrong
    "not converged"             the solver stopped short of the minimum
    "other states"              the draws of a state fit another state better
    ==========================  =====================================================================

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([40.0], [[1.0]]))
    >>> jump = ae.ais(path, [0, 1], 100, rng=np.random.default_rng(0))
    >>> [warning.kind for warning in jump.warnings]
    ['collapsed weights', 'heavy tail']
    """

    kind: str

    def __new__(cls, kind: str, sentence: str) -> Diagnostic:
        diagnostic = super().__new__(cls, sentence)
        diagnostic.kind = kind
        return diagnostic

    def __reduce__(self) -> tuple[type[Diagnostic], tuple[str, str]]:  # copies and worker processes call this
        return type(self), (self.kind, str(self))


SINGLE_CHAIN = Diagnostic("single chain", "a single chain: no error bar can be given; take n_chains=100, say")


def half_warnings(growth: np.ndarray, error: np.ndarray, n: int, where: Sequence[str]) -> tuple[Diagnostic, ...]:
    """A warning if the two halves of a run give different ratios of Z.

    ``growth`` holds differences of log Z between the halves, ``error`` their standard errors over n chains. One sound
    run in a thousand is warned of, by Student's t with Bonferroni's correction.
    """
    z = np.divide(np.abs(growth), error, out=np.zeros(len(error)), where=np.isfinite(growth) & (error > 0))
    worst = int(np.argmax(z))
    if n < 2 or not z[worst] > stdtrit(n - 1, 1 - 0.0005 / len(z)):
        return ()
    sentence = (
        f"the chains had not settled: from the first half of the sweeps to the second log Z changed by "
        f"{growth[worst]:+.2f} ± {error[worst]:.2g} {where[worst]}; raise n_burn_in or take a faster kernel"
    )
    return (Diagnostic("not settled", sentence),)


def end_warnings(lower: float, upper: float, error: float, n: int) -> tuple[Diagnostic, ...]:
    """A warning if log Z from below and from above disagree; error is the standard error of their gap over n draws.

    The gap of two sound ends is error² / 2 on average, since one is biased low and the other high.
    """
    z = (upper - lower - error**2 / 2) / error if n > 1 and error > 0 else 0.0
    if z < -stdtrit(n - 1, 0.9985):
        sentence = (
            f"crossed: the bound from above, {upper:.2f}, is lower than that from below, {lower:.2f}: some draws are "
            "not of their distribution; check sample, the order of the draws, the burn-in, and the kernel (audit)"
        )
        return (Diagnostic("crossed", sentence),)
    if z > stdtrit(n - 1, 0.9999):
        sentence = f"log Z may lie anywhere between {lower:.2f} and {upper:.2f}; log_z is too low: add rungs between"
        return (Diagnostic("ends apart", sentence),)
    return ()


@dataclass(frozen=True)
class Estimate:
    """log Z of the target, in nats: the ``estimate`` of every result.

    Each result keeps the shape of what it estimates. ``log_z`` and ``std_error`` are floats for AIS and parallel
    tempering, which have one target. For tempered sampling, MBAR, stepping stones and thermodynamic integration they
    are (K+1,) arrays, one number per rung, the last for the target. In an Estimate they are always floats.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    >>> abs(ae.ais(path, ae.linear_schedule(4), 500, rng=np.random.default_rng(0)).estimate.log_z) < 0.2
    True
    """

    log_z: float
    std_error: float
    warnings: tuple[Diagnostic, ...] = ()

    def __sub__(self, other: Estimate) -> Estimate:
        """The log of a ratio of two partition functions, a Bayes factor, from two independent runs."""
        error = float(np.hypot(self.std_error, other.std_error))
        return Estimate(self.log_z - other.log_z, error, tuple(dict.fromkeys(self.warnings + other.warnings)))

    def __str__(self) -> str:
        return ", ".join([f"log Z ≈ {self.log_z:.3f} ± {self.std_error:.3f}", *(w.kind for w in self.warnings)])


class Result:
    """What estimators return. It prints its text and its warnings."""

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; empty if nothing does."""
        return ()

    @property
    def estimate(self) -> Estimate:
        """log Z of the target, its standard error and the warnings."""
        log_z, std_error = (float(np.ravel(getattr(self, name))[-1]) for name in ("log_z", "std_error"))
        return Estimate(log_z, std_error, self.warnings)

    def _lines(self) -> list[str]:
        return []

    def __repr__(self) -> str:
        return "\n".join([*self._lines(), *(f"warning: {sentence}" for sentence in self.warnings)])
