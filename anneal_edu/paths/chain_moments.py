"""Moments of RBMs too large to enumerate, and fits to moments by chains  (Grosse et al. 2013, Section 5.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from anneal_edu.distributions import BinaryRBM, GaussianBernoulli
from anneal_edu.distributions.bernoulli import bernoulli
from anneal_edu.distributions.protocol import difference
from anneal_edu.paths.moment_matching import Fit, MomentMatch, Moments, largest
from anneal_edu.validation import (
    as_binary_data,
    as_count,
    as_flag,
    as_positive,
    require_generator,
    require_kind,
    require_shape,
)
from anneal_edu.workers import Watch, in_blocks


def data_moments(rbm: BinaryRBM, data: np.ndarray) -> Moments:
    """Moments with v from the data and h from p(h | v): the target moments of "MAS cheap"  (Grosse et al. 2013).

    Of data (N, D), zeros and ones: E v (D,), E h (H,), E v hᵀ (D, H).

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.data_moments(ae.uniform_rbm(2, 1), np.array([[0, 1], [1, 1]]))[0]
    array([0.5, 1. ])
    """
    require_kind("rbm", rbm, BinaryRBM)
    v = as_binary_data("data", data)
    require_shape("data", v, (len(v), rbm.dim))
    share = np.full(len(v), 1 / len(v))
    h = rbm.hidden_given_visible(v).astype(np.float64)  # (N, H)
    return share @ v, share @ h, v.T @ (share[:, None] * h)


def estimate_moments(
    rbm: BinaryRBM, n_chains: int = 1000, n_steps: int = 10_000, n_burn_in: int = 1000, *,
    rng: np.random.Generator, every: int = 1, workers: int | None = None, progress: bool = False,
) -> Moments:
    """Moments of an RBM from long Gibbs chains, with h averaged out given v  (Grosse et al. 2013, Section 5.2).

    They are E v (D,), E h (H,) and E v hᵀ (D, H). The chains start at uniform noise.

    Parameters
    ----------
    rbm : BinaryRBM
    n_chains, n_steps, n_burn_in : int
        Chains, Gibbs steps of each, and the first steps that are discarded. The defaults are the paper's.
    rng : numpy.random.Generator
    every : int
        Use one step in so many: the sum of v hᵀ costs as much as half a step.
    workers, progress : int and bool, optional
        See `anneal_edu.workers`.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> mean_v, _, _ = ae.estimate_moments(ae.uniform_rbm(3, 2), 50, 40, 10, rng=np.random.default_rng(0))
    >>> np.abs(mean_v - 0.5).max() < 0.1
    np.True_
    """
    require_kind("rbm", rbm, BinaryRBM)
    n_chains, every = as_count("n_chains", n_chains), as_count("every", every)
    n_burn_in = as_count("n_burn_in", n_burn_in, minimum=0)
    n_steps = as_count("n_steps", n_steps, minimum=n_burn_in + every)
    require_generator(rng)
    v = bernoulli(np.zeros((n_chains, rbm.dim), dtype=np.float32), rng)

    def walk(rows: slice, rng: np.random.Generator, watch: Watch) -> Moments:
        x, sums = v[rows], tuple(np.zeros_like(eta) for eta in rbm.natural_parameters())
        for step in watch(range(1, n_steps + 1)):
            x = rbm.gibbs(x, rng)
            if step > n_burn_in and (step - n_burn_in) % every == 0:
                h = rbm.hidden_given_visible(x)  # (C, H)
                for total, term in zip(sums, (x.sum(0), h.sum(0), x.T @ h), strict=True):
                    total += term
        return sums

    blocks = in_blocks(
        walk, n_chains, rbm, n_steps=n_steps, desc="moments", rng=rng, workers=workers, progress=progress
    )
    n_used = n_chains * ((n_steps - n_burn_in) // every)
    return tuple(np.clip(sum(sums) / n_used, 0, 1) for sums in zip(*blocks, strict=True))


def estimate_mean_and_cov(
    grbm: GaussianBernoulli, n_chains: int = 100, n_steps: int = 5000, n_burn_in: int = 100, *,
    rng: np.random.Generator, rao_blackwellized: bool = True, workers: int | None = None, progress: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean (D,) and covariance (D, D) of v in a Gaussian RBM, from Gibbs chains  (Kiwaki and Aihara 2015, Section 5).

    The chains start at uniform random hidden units.

    Parameters
    ----------
    grbm : GaussianRBM
    n_chains, n_steps, n_burn_in : int
        Chains, Gibbs steps of each, and the first steps that are discarded. The defaults are the paper's.
    rng : numpy.random.Generator
    rao_blackwellized : bool
        Average E[v | h] and E[v vᵀ | h] over the states h of the chains, without the noise of v: the covariance is then
        never narrower than diag(sigma²). False averages v and v vᵀ, as the paper does.
    workers, progress : int and bool, optional
        See `anneal_edu.workers`.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> grbm = ae.GaussianRBM([[2.0], [0.0]], np.zeros(2), [-2.0], np.ones(2))
    >>> mean, cov = ae.estimate_mean_and_cov(grbm, 100, 300, 50, rng=np.random.default_rng(0))
    >>> np.abs(mean - [1, 0]).max() < 0.1, np.abs(cov - np.diag([2, 1])).max() < 0.1
    (np.True_, np.True_)
    """
    require_kind("grbm", grbm, GaussianBernoulli)
    as_flag("rao_blackwellized", rao_blackwellized)
    n_chains = as_count("n_chains", n_chains)
    n_burn_in = as_count("n_burn_in", n_burn_in, minimum=0)
    n_steps = as_count("n_steps", n_steps, minimum=n_burn_in + 1)
    require_generator(rng)
    origin = grbm.visible_mean(np.full((1, grbm.n_hidden), 0.5))[0]  # sums of squares about it stay small

    def walk(rows: slice, rng: np.random.Generator, watch: Watch) -> tuple[np.ndarray, np.ndarray]:
        h = bernoulli(np.zeros((rows.stop - rows.start, grbm.n_hidden), dtype=np.float32), rng)
        total, squares = np.zeros(grbm.dim), np.zeros((grbm.dim, grbm.dim))
        for step in watch(range(n_steps)):
            v = grbm.visible_given_hidden(h, rng)
            h = bernoulli(grbm.hidden_field(v), rng)
            if step >= n_burn_in:
                x = (grbm.visible_mean(h) if rao_blackwellized else v) - origin  # (C, D)
                total += x.sum(0)
                squares += x.T @ x
        return total, squares

    blocks = in_blocks(
        walk, n_chains, grbm, n_steps=n_steps, desc="moments", rng=rng, workers=workers, progress=progress
    )
    n = n_chains * (n_steps - n_burn_in)
    away, squares = (np.sum(sums, axis=0) / n for sums in zip(*blocks, strict=True))
    cov = squares - np.outer(away, away)
    return origin + away, cov + grbm.noise_cov if rao_blackwellized else cov


def pcd_fit(
    n_updates: int = 1000, n_particles: int = 100, learning_rate: float = 0.01, *, rng: np.random.Generator
) -> Fit:
    """Make a fit of RBMs to moments by persistent contrastive divergence, for RBMs too large to enumerate.

    The fit is for `moment_spline_path(…, fit=…)`. The gradient of the match, s - E_η[g], is estimated from persistent
    Gibbs chains (Grosse et al. 2013, Section 5.2), ``n_particles`` of them. The paper makes 50,000 updates, and 1,000
    with 100 particles for "MAS cheap", both at a fixed rate of 0.01. The residual is that of the mean moments of the
    last hundred updates.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> target = ae.BinaryRBM(np.eye(3, 2), np.zeros(3), np.ones(2))
    >>> fit = ae.pcd_fit(300, 200, 0.1, rng=np.random.default_rng(0))
    >>> fit(target.moments(), ae.uniform_rbm(3, 2)).residual < 0.05
    True
    """
    as_count("n_updates", n_updates)
    as_count("n_particles", n_particles)
    rate = np.float32(as_positive("learning_rate", learning_rate))
    require_generator(rng)
    n_last = min(100, n_updates)

    def fit(moments: Moments, initial: Any) -> MomentMatch:
        require_kind("initial", initial, BinaryRBM)
        target = initial.moment_coordinates(moments).target
        b, c, W = (np.array(eta, dtype=np.float32) for eta in initial.natural_parameters())
        s_v, s_h, s_vh = (s.astype(np.float32) for s in target)
        v = bernoulli(np.tile(b, (n_particles, 1)), rng)
        sums = tuple(np.zeros_like(s) for s in target)
        for update in range(n_updates):
            h = bernoulli(v @ W + c, rng)  # (B, H)
            v = bernoulli(h @ W.T + b, rng)  # (B, D)
            p_h = expit(v @ W + c)
            model = (v.mean(0), p_h.mean(0), v.T @ p_h / n_particles)
            if update >= n_updates - n_last:
                for total, term in zip(sums, model, strict=True):
                    total += term
            b += rate * (s_v - model[0])
            c += rate * (s_h - model[1])
            W += rate * (s_vh - model[2])
        residual = largest(difference(tuple(total / n_last for total in sums), target))
        return MomentMatch(BinaryRBM(W, b, c), residual, None, n_updates)

    return fit
