"""Coordinates for the fit of moments: they lead back, and around the target the objective is a round valley."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.distributions.moment_coordinates import _spread
from anneal_edu.distributions.protocol import difference, inner


def rng(seed):
    return np.random.default_rng(seed)


BINARY, OTHER = (
    ae.BinaryRBM(rng(seed).normal(size=(4, 3)), rng(seed + 1).normal(size=4), rng(seed + 2).normal(size=3))
    for seed in (0, 10)
)
PAIR = ae.GaussianRBM([[2.0, -2.6], [0.4, -0.6], [-0.5, -0.2]], [-0.7, -0.2, 1.7], [-0.8, -1.3], [0.5, 1.0, 2.0])
MODELS = {"binary": BINARY, "Gaussian": PAIR}


def objective(member, x, coordinates):
    """A(η) - η · s, whose gradient in η is the error of the moments."""
    model = member(coordinates.unpack(x))
    return model.log_partition() - inner(model.natural_parameters(), coordinates.target)


def slopes(f, x, step):
    return np.array([(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(len(x))])


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_coordinates_lead_back_to_the_parameters(model):
    coordinates = model.moment_coordinates(model.moments())
    x = coordinates.pack(model.natural_parameters())
    for back, there in zip(coordinates.unpack(x), model.natural_parameters(), strict=True):
        np.testing.assert_allclose(back, there, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(coordinates.pack(coordinates.unpack(x)), x, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_gradient_is_that_of_the_objective(model):
    coordinates = model.moment_coordinates(model.moments())
    x = coordinates.pack(model.natural_parameters())
    x = x + 0.1 * rng(6).normal(size=len(x))
    errors = difference(model.member(coordinates.unpack(x)).moments(), model.moments())
    # the parameters of a BinaryRBM are single precision where they are large, so steps are wide
    found = slopes(lambda y: objective(model.member, y, coordinates), x, 1e-3)
    tolerance = 4e-4 * np.abs(found).max()  # wide steps leave of each slope what the steepest one's curve makes of it
    np.testing.assert_allclose(coordinates.gradient(x, errors), found, rtol=2e-3, atol=tolerance)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_valley_of_the_objective_is_about_round(model):
    """At the target the Hessian is the covariance of the scaled statistics; of single units it is 1.

    That of a pair whose weights are given: how round it is depends on them.
    """
    coordinates = model.moment_coordinates(model.moments())

    def gradient(x):
        return coordinates.gradient(x, difference(model.member(coordinates.unpack(x)).moments(), coordinates.target))

    hessian = slopes(gradient, coordinates.pack(model.natural_parameters()), 1e-3)
    steepness = hessian.diagonal()
    single = {"binary": slice(0, 4 + 3), "Gaussian": [0, 1, 2, -2, -1]}
    kind = next(name for name in MODELS if MODELS[name] is model)
    np.testing.assert_allclose(steepness[single[kind]], 1, rtol=5e-2)  # a wide difference at a unit that is seldom on
    assert 0.1 < steepness.min() and steepness.max() < 100


def test_a_unit_that_never_changes_still_has_a_scale():
    np.testing.assert_allclose(_spread(np.array([0.0, 1.0, 0.5, 0.1, 1e-7])), [1e-3, 1e-3, 0.5, 0.3, 1e-3])


def test_the_own_moments_of_units_that_are_nearly_always_on_are_accepted():
    """Sums over all states come out an ulp above 1 for one model in ten, and are probabilities none the less."""
    for seed in range(200):
        on, draw = np.full(6, 36.0), rng(seed)
        for model in (
            ae.GaussianRBM(3 * draw.normal(size=(3, 6)), np.zeros(3), on, np.ones(3)),
            ae.BinaryRBM(draw.normal(size=(4, 6)), on[:4], on),
        ):
            model.moment_coordinates(model.moments())


def changed(model, which, entry, value):
    moments = [np.array(s, dtype=float) for s in model.moments()]
    moments[which][entry] = value
    return moments


PROBABILITIES = [(BINARY, 0, 1, "E v"), (BINARY, 1, 2, "E h"), (BINARY, 2, (0, 1), "E v hᵀ"), (PAIR, 3, 1, "E h")]


@pytest.mark.parametrize(("model", "which", "entry", "name"), PROBABILITIES)
def test_moments_of_binary_units_are_probabilities(model, which, entry, name):
    for value in (0.0, 1.0):
        model.moment_coordinates(changed(model, which, entry, value))
    for value in (-1e-6, 1 + 1e-6):
        with pytest.raises(ValueError, match=f"{name} must hold probabilities"):
            model.moment_coordinates(changed(model, which, entry, value))


def test_moments_of_real_units_may_be_anything():
    far_below = ae.GaussianRBM(PAIR.weights, PAIR.visible_bias - 70.0, PAIR.hidden_bias, PAIR.sigma).moments()
    assert far_below[0].max() < -1 and PAIR.moment_coordinates(far_below).target[0].max() < -1
    PAIR.moment_coordinates(changed(PAIR, 2, (0, 1), 7.0))


@pytest.mark.parametrize(
    ("model", "moments", "message"),
    [
        (PAIR, changed(PAIR, 1, (0, 1), 7.0), "E v vᵀ - E v E vᵀ must be symmetric"),
        (PAIR, changed(PAIR, 1, (0, 0), -1.0), "E v vᵀ - E v E vᵀ must be positive definite"),
        (PAIR, PAIR.moments()[:3], "moments must be E v, E v vᵀ, E v hᵀ, E h, got 3 arrays"),
        (BINARY, PAIR.moments(), "moments must be E v, E h, E v hᵀ, got 4 arrays"),
        (BINARY, [*BINARY.moments()[:2], np.ones((4, 2))], r"E v hᵀ must have shape \(4, 3\)"),
    ],
)
def test_bad_moments_are_named(model, moments, message):
    with pytest.raises(ValueError, match=message):
        model.moment_coordinates(moments)
