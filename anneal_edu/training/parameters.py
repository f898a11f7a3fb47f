"""The free parameters of the image models: any real numbers make a model, and log f has a gradient in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from anneal_edu.distributions import MeanCovarianceRBM, ProductOfExperts

AnalysisModel = ProductOfExperts | MeanCovarianceRBM
Parts = dict[str, Any]
"""Arrays by name."""


class Parametrisation(NamedTuple):
    """How an optimiser sees a kind of model.

    Attributes
    ----------
    parts : model -> dict of arrays
        The free parameters by name.
    build : (model, dict of arrays) -> model
        One like the given model, with other parameters.
    slopes : (model, x (N, D), w (N,)) -> dict of arrays
        The gradient of Σ_n w_n log f(x_n) in every free parameter.
    """

    parts: Callable[[Any], Parts]
    build: Callable[[Any, Parts], Any]
    slopes: Callable[[Any, np.ndarray, np.ndarray], Parts]


def _laplace_slopes(model: ProductOfExperts, x: np.ndarray, w: np.ndarray) -> Parts:
    pull = -np.sign(x @ model.filters.T) * model.weights  # (N, L), of log f on u = filters x
    return {"filters": (pull * w[:, None]).T @ x}


def _lightest_weight(model: ProductOfExperts) -> float:
    """Student-t experts that all weigh more than D / 2L have an integral, if no D of their filters share a plane."""
    return 0.5 * model.dim / len(model.filters)


def _student_t_parts(model: ProductOfExperts) -> Parts:
    excess = model.weights - _lightest_weight(model)
    if (excess <= 0).any():
        raise ValueError(
            f"weights of student_t experts must exceed D / 2L = {_lightest_weight(model):g} to be trained, "
            f"got {model.weights.min():g}"
        )
    return {"filters": model.filters, "log_excess": np.log(excess)}


def _student_t_build(model: ProductOfExperts, parts: Parts) -> ProductOfExperts:
    weights = _lightest_weight(model) + np.exp(parts["log_excess"])
    return ProductOfExperts(parts["filters"], weights, model.expert)


def _student_t_slopes(model: ProductOfExperts, x: np.ndarray, w: np.ndarray) -> Parts:
    u = x @ model.filters.T  # (N, L)
    squares = 1 + u * u
    pull = -2 * u / squares * model.weights
    of_weights = -(w @ np.log(squares))  # (L,)
    excess = model.weights - _lightest_weight(model)
    return {"filters": (pull * w[:, None]).T @ x, "log_excess": of_weights * excess}


_OF_MC_RBM = ("filters", "pooling", "covariance_bias", "mean_weights", "mean_bias", "visible_bias")


def _mc_rbm_parts(model: MeanCovarianceRBM) -> Parts:
    return {name: getattr(model, name) for name in _OF_MC_RBM} | {"log_sigma": np.log([model.sigma])}


def _mc_rbm_build(model: MeanCovarianceRBM, parts: Parts) -> MeanCovarianceRBM:
    sigma = float(np.exp(parts["log_sigma"][0]))
    return MeanCovarianceRBM(**{name: parts[name] for name in _OF_MC_RBM} | {"sigma": sigma})


def _mc_rbm_slopes(model: MeanCovarianceRBM, x: np.ndarray, w: np.ndarray) -> Parts:
    size, u, covariance, mean = model.fields(x)
    on_covariance, on_mean = w[:, None] * expit(covariance), w[:, None] * expit(mean)  # (N, K), (N, J)
    pull = on_covariance @ model.pooling.T * u / size  # (N, L), of Σ w log f on u = filters x
    return {
        "filters": pull.T @ x,
        "pooling": 0.5 * (u * u / size).T @ on_covariance,
        "covariance_bias": on_covariance.sum(0),
        "mean_weights": on_mean.T @ x,
        "mean_bias": on_mean.sum(0),
        "visible_bias": w @ x,
        "log_sigma": np.array([w @ (x * x).sum(-1)]) / model.sigma**2,
    }


LAPLACE = Parametrisation(
    lambda model: {"filters": model.filters},
    lambda model, parts: ProductOfExperts(parts["filters"], model.weights, model.expert),
    _laplace_slopes,
)
STUDENT_T = Parametrisation(_student_t_parts, _student_t_build, _student_t_slopes)
MC_RBM = Parametrisation(_mc_rbm_parts, _mc_rbm_build, _mc_rbm_slopes)


def parametrisation(model: AnalysisModel) -> Parametrisation:
    """What is learned in this model, and the gradient in it.

    Of Laplace experts the filters: a weight could be absorbed in the length of its filter. Of Student-t experts also
    the weights λ, as log (λ - D / 2L). Of the mcRBM everything, sigma as log sigma.

    Raises
    ------
    TypeError
        Where the model is none of these.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> model = ae.ProductOfExperts(np.eye(2), None, "student_t")
    >>> list(parametrisation(model).slopes(model, np.ones((5, 2)), np.full(5, 0.2)))
    ['filters', 'log_excess']
    """
    if isinstance(model, MeanCovarianceRBM):
        return MC_RBM
    if isinstance(model, ProductOfExperts):
        return LAPLACE if model.expert == "laplace" else STUDENT_T
    raise TypeError(f"model must be a ProductOfExperts or a MeanCovarianceRBM, got {type(model).__name__}")


def pack(parts: Parts) -> np.ndarray:
    """All parameters in one vector, as optimisers want them.

    Examples
    --------
    >>> pack({"a": np.eye(2), "b": np.array([7.0])})
    array([1., 0., 0., 1., 7.])
    """
    return np.concatenate([part.ravel() for part in parts.values()])


def unpack(theta: np.ndarray, like: Parts) -> Parts:
    """The vector cut into arrays with the names and shapes of ``like``.

    Examples
    --------
    >>> unpack(np.arange(3.0), {"a": np.zeros((1, 2)), "b": np.zeros(1)})
    {'a': array([[0., 1.]]), 'b': array([2.])}
    """
    cuts = np.cumsum([part.size for part in like.values()])[:-1]
    return {
        name: piece.reshape(part.shape)
        for (name, part), piece in zip(like.items(), np.split(theta, cuts), strict=True)
    }
