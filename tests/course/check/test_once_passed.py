"""Wrong answers that readers made up and that a check once let pass, each right wherever it is asked about less."""

import numpy as np
import pytest

import anneal_edu as ae


def _three_coordinates(p0, p1):
    def steps(a, b):
        path = ae.moment_path(a, b)
        for K in range(2, 5000):
            betas = ae.linear_schedule(K)
            p, q = path(betas[0]), path(betas[1])
            if np.linalg.eigvalsh(2 * q.precision - p.precision)[0] > 0:
                return K
        return 0

    return steps(*(ae.Gaussian(p.mean[:3], p.cov[:3, :3]) for p in (p0, p1)))


def _to_three_digits(log_weights):
    lw = np.sort(log_weights)[::-1]
    w = np.round(np.exp(lw - lw[0]), 3)
    n = 1 + int(np.searchsorted(np.cumsum(w), w.sum() / 2))
    return n, ae.log_mean_exp(lw[n:])


def _by_the_largest_left(log_weights):
    lw = np.sort(log_weights)[::-1]
    w = np.exp(lw - lw[0])
    n = 1 + int(np.searchsorted(np.cumsum(w), w.sum() / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return n, lw[n] + np.log(np.mean(np.exp(lw[n:] - lw[n])))


def _by_a_norm(p0, p1):
    path = ae.moment_path(p0, p1)
    return next(
        K for K in range(2, 5000)
        if np.linalg.norm(np.linalg.solve(path(0.0).cov, path(1 / K).cov), 2) < 2
    )


ONCE_PASSED = {
    "two_paths.steps_for_finite_variance, three coordinates": _three_coordinates,
    "two_paths.judge_weights, three digits": _to_three_digits,
    "two_paths.judge_weights, NaN for nothing left": _by_the_largest_left,
    "two_paths.steps_for_finite_variance, a norm": _by_a_norm,
}  # fmt: skip


@pytest.mark.parametrize("what", ONCE_PASSED)
def test_it_passes_no_more(what):
    module, _, name = what.partition(",")[0].partition(".")
    verdict = getattr(getattr(ae.check, module), name)(ONCE_PASSED[what])
    assert verdict.passed is False
    assert "raised" not in verdict.message
