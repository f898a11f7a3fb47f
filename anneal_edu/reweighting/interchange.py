"""Draws and densities in the shapes that others use: ArviZ's (chain, draw, …), and pymbar's u_kn with N_k.

Plain arrays go out and in; neither package is needed here.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from anneal_edu.annealing.ais import AISResult
from anneal_edu.annealing.reverse import ReverseAISResult
from anneal_edu.reweighting.density_matrix import as_draws
from anneal_edu.tempering.parallel import TemperingResult
from anneal_edu.tempering.simulated import SimulatedTemperingResult
from anneal_edu.validation import as_real

Groups = dict[str, dict[str, np.ndarray]]


@singledispatch
def arviz_groups(result: Any) -> Groups:
    """Draws of a result by group and name, with axes (chain, draw, …), as ``arviz.from_dict`` takes them.

    ``arviz.from_dict(**groups)`` up to ArviZ 0.23, ``arviz.from_dict(groups)`` from 1.0 on.

    Parameters
    ----------
    result : TemperingResult, SimulatedTemperingResult, AISResult or HAISResult
        Of parallel tempering: each ladder is a chain, ``x`` (C, T', D) are its states on the last rung that was kept,
        the target's, and ``replica`` (C, T') says which replica stood there. Of simulated tempering: ``x`` (C, T, D)
        and ``rung`` (C, T) are draws of both together; weighted by q(β = 1 | x), ``exp(log_weight)``, those of ``x``
        are draws of the target. Of AIS: independent draws (1, C, D), to be weighted by ``exp(log_weight)``.

    Returns
    -------
    dict
        ``{"posterior": {"x": …}, "sample_stats": {…}}``

    Raises
    ------
    TypeError
        Where the result holds no draws of the target, such as that of reverse AIS.
    ValueError
        Where no sweep was kept.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0, 0.0], np.eye(2)), ae.Gaussian([1.0, 1.0], np.eye(2)))
    >>> run = ae.parallel_tempering(path, ae.linear_schedule(3), 50, 4, rng=np.random.default_rng(0))
    >>> ae.arviz_groups(run)["posterior"]["x"].shape
    (4, 50, 2)
    """
    wanted = "a TemperingResult, a SimulatedTemperingResult, an AISResult or a HAISResult"
    raise TypeError(f"result must hold draws of the target: {wanted}; got {type(result).__name__}")


@arviz_groups.register
def _of_ladders(result: TemperingResult) -> Groups:
    if not len(result.samples):
        raise ValueError('result must hold sweeps, and none was kept: take keep="target" or "all"')
    x, replicas = result.samples[:, -1], result.replicas[:, -1]  # (T', C, D), (T', C)
    return {"posterior": {"x": _chains_first(x)}, "sample_stats": {"replica": _chains_first(replicas)}}


@arviz_groups.register
def _of_walks(result: SimulatedTemperingResult) -> Groups:
    drawn = {"x": _chains_first(result.samples), "rung": _chains_first(result.rungs)}
    return {"posterior": drawn, "sample_stats": {"log_weight": _chains_first(result.log_conditionals[:, -1])}}


@arviz_groups.register
def _of_annealed_chains(result: AISResult) -> Groups:
    if isinstance(result, ReverseAISResult):
        raise TypeError("result must hold draws of the target, and reverse AIS ends at the start of the path")
    x, log_w = result.samples[None].copy(), result.log_weights[None].copy()  # (1, C, D), (1, C)
    return {"posterior": {"x": x}, "sample_stats": {"log_weight": log_w}}


def _chains_first(array: np.ndarray) -> np.ndarray:
    return np.swapaxes(array, 0, 1).copy()


def to_pymbar(log_density_matrix: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u_kn = -log f_k(x_n), the reduced potential energies, and N_k, as ``pymbar.MBAR(u_kn, N_k)`` takes them.

    Parameters
    ----------
    log_density_matrix : (K+1, N) array
        As for `mbar`: columns of state 0 first, then of state 1, and so on.
    counts : (K+1,) array of int

    Returns
    -------
    (K+1, N) array and (K+1,) array of int
        +inf where a state has no density; pymbar's free energies are minus our log Z.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.to_pymbar(np.array([[-1.0, -2.0], [-3.0, -4.0]]), [1, 1])
    (array([[1., 2.],
           [3., 4.]]), array([1, 1]))
    """
    log_f, counts = as_draws(log_density_matrix, counts)
    return -log_f, counts


def from_pymbar(u_kn: np.ndarray, N_k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What `mbar`, `stepping_stone` and `thermodynamic_integration` take, from pymbar's u_kn and N_k.

    Parameters
    ----------
    u_kn : (K+1, N) array
        Reduced potential energies, columns in the order of their states, as pymbar wants them too.
    N_k : (K+1,) array of int

    Returns
    -------
    (K+1, N) array and (K+1,) array of int
        log f_k(x_n) = -u_kn, and counts.

    Raises
    ------
    ValueError
        Where u_kn has not two axes (``pymbar.utils.kln_to_kn`` turns u_kln over), an entry is NaN or -inf, or the
        counts do not fit.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> log_f, counts = ae.from_pymbar(np.array([[1.0, 2.0, 1.5], [1.5, 1.0, 0.5]]), np.array([2, 1]))
    >>> ae.mbar(log_f, counts).log_z.shape
    (2,)
    """
    energies = as_real("u_kn", u_kn)
    if energies.ndim != 2:
        raise ValueError(f"u_kn must have 2 axes, got shape {energies.shape}: see pymbar.utils.kln_to_kn")
    if np.isnan(energies).any() or (energies == -np.inf).any():
        raise ValueError("u_kn must not hold NaN or -inf")
    return as_draws(-energies, N_k)
