"""EM against exact answers: the joint distribution of causes and images, and the best covariance with L causes."""

import inspect
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.distributions import LatentPosterior
from anneal_edu.training import em_steps, expectation_maximisation
from anneal_edu.training.em_hmc import maximised, move_latents, squared_error
from anneal_edu.training.parameters import pack, unpack
from tests.cases import always
from tests.planted import planted

GAUSSIAN = np.array([[0.1, -0.1, 0.6], [0.1, -0.5, 0.4], [1.3, 0.9, -0.7], [-1.3, -0.6, 0.0]])
LAPLACE = np.array([[-2.3, -0.2, -1.2], [-0.7, -0.5, -0.3], [0.4, 1.0, -0.1], [1.4, -0.7, 0.4]])
BILINEAR = (
    np.array([[0.9, 0.1, -0.7], [-0.9, -0.5, 0.2], [-1.0, -0.2, -0.2], [0.5, 0.2, 0.4]]),
    np.array([[-0.7, -0.1], [0.8, 1.5], [-1.3, 1.5]]),
    np.array([[0.6, 0.3, 0.4], [0.9, 0.2, 0.6], [0.1, 0.8, 0.8]]),
)


def models(noise=0.5):
    return {
        "gaussian": ae.LinearGenerative(GAUSSIAN, noise),
        "laplace": ae.LinearGenerative(LAPLACE, noise, "laplace"),
        "bilinear": ae.BilinearGenerative(*BILINEAR, noise),
    }


def parameters(model):
    names = ("bases", "c_weights", "d_weights")
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


def moved_causes(model, function=move_latents, n=20_000, n_moves=30, step=0.1):
    """Causes from the prior, an image of each, then moves that keep p(cause | image): still draws from the prior.

    Returned with the share of the moves that were accepted.
    """
    rng = np.random.default_rng(1)
    latent = model.latent_prior.sample(n, rng)
    x = model.reconstruct(latent) + model.noise * rng.standard_normal((n, model.dim))
    moved, _, acceptance = function(
        model, x, latent, rng.standard_normal(latent.shape), np.full(n, step), n_moves, rng
    )
    assert not np.allclose(moved, latent, atol=0.1)
    return moved, acceptance.mean()


def moment_scores(moved, prior):
    """Standard scores of the mean size, the mean square, and the mean, of every cause."""
    sparse, nonnegative = prior.sparse, prior.nonnegative
    size = 1.0 if sparse else np.sqrt(2 / np.pi)
    wanted = {np.abs: size, np.square: 2.0 if sparse else 1.0, np.asarray: nonnegative.astype(float)}
    scores = [(f(moved).mean(0) - mean) / f(moved).std(0) for f, mean in wanted.items()]
    return np.sqrt(len(moved)) * np.array(scores)


@pytest.mark.parametrize("name", models())
def test_moves_keep_the_joint_distribution_of_causes_and_images(name):
    """Within 5 standard errors."""
    model = models()[name]
    moved, acceptance = moved_causes(model)
    assert 0.5 < acceptance < 1
    assert np.abs(moment_scores(moved, model.latent_prior)).max() < 5
    assert (moved[:, model.latent_prior.nonnegative] >= 0).all()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("state.x, state.v", "0.9 * state.x, state.v"),
        ("LatentPosterior(model, x)", "LatentPosterior(replace(model, noise=2 * model.noise), x)"),
    ],
)
def test_wrong_moves_are_seen(right, wrong):
    model = models()["gaussian"]
    for function, seen in ((planted(move_latents, {right: wrong}), True), (move_latents, False)):
        moved, _ = moved_causes(model, function, step=0.3)
        assert (np.abs(moment_scores(moved, model.latent_prior)).max() > 4.5) == seen


@pytest.mark.parametrize("name", models())
def test_the_gradient_of_the_squared_error(name):
    model, rng = models()[name], np.random.default_rng(1)
    x, latent, parts = rng.normal(size=(7, 4)), model.latent_prior.sample(7, rng), parameters(model)

    def by_definition(theta):
        image = replace(model, **unpack(theta, parts)).reconstruct(latent)
        return 0.5 * np.mean([np.linalg.norm(row - seen) ** 2 for row, seen in zip(image, x, strict=True)])

    theta = pack(parts)
    numeric = [(by_definition(theta + 1e-5 * e) - by_definition(theta - 1e-5 * e)) / 2e-5 for e in np.eye(len(theta))]
    value, slopes = squared_error(model, x, latent)
    assert list(slopes) == list(parts)
    assert abs(value - by_definition(theta)) < 1e-12
    np.testing.assert_allclose(pack(slopes), numeric, atol=1e-7)


@pytest.mark.parametrize("name", models())
def test_the_m_step_makes_causes_and_images_more_likely_together(name):
    model, rng = models()[name], np.random.default_rng(1)
    x, latent = rng.normal(size=(50, 4)), model.latent_prior.sample(50, rng)
    better = maximised(model, x, latent)
    posteriors = [LatentPosterior(either, x).log_density(latent).mean() for either in (model, better)]
    assert posteriors[1] > posteriors[0] + 0.5
    if name != "bilinear":
        np.testing.assert_allclose(squared_error(better, x, latent)[1]["bases"], 0, atol=1e-12)


def best_log_likelihood(data, n_causes, noise):
    """Of N(0, Φ Φᵀ + noise² I) with L columns: the top L variances are met, the others are noise²."""
    variances = np.linalg.eigvalsh(data.T @ data / len(data))[::-1]
    fitted = np.where(np.arange(len(variances)) < n_causes, np.maximum(variances, noise**2), noise**2)
    return -0.5 * (np.log(2 * np.pi * fitted) + variances / fitted).sum()


@pytest.mark.parametrize("n_causes", always(2, of=[2, 4]))
def test_gaussian_causes_reach_the_best_likelihood_there_is(n_causes):
    """From nats below to within 0.03 nats: the noise of one draw a point leaves 0.012 ± 0.0035 over seeds."""
    data = np.random.default_rng(0).normal(size=(2000, 4)) * [3.0, 2.0, 1.0, 0.7]
    start = ae.LinearGenerative(np.eye(4)[:, ::-1][:, :n_causes], noise=0.5)
    best = best_log_likelihood(data, n_causes, 0.5)
    found = expectation_maximisation(data, start, 100, rng=np.random.default_rng(1))
    assert best - start.log_density(data).mean() > 2
    assert 0 <= best - found.log_density(data).mean() < 0.03


def test_causes_that_never_move_do_not_reach_it(monkeypatch):
    stuck = planted(move_latents, {"return latent, momentum,": "return 0 * momentum + 1, momentum,"})
    monkeypatch.setattr(inspect.getmodule(move_latents), "move_latents", stuck)
    data = np.random.default_rng(0).normal(size=(2000, 4)) * [3.0, 2.0, 1.0, 0.7]
    start = ae.LinearGenerative(np.eye(4)[:, ::-1][:, :1], noise=0.5)
    found = expectation_maximisation(data, start, 100, rng=np.random.default_rng(1))
    assert best_log_likelihood(data, 1, 0.5) - found.log_density(data).mean() > 1


@pytest.mark.parametrize("name", always("laplace", of=["laplace", "bilinear"]))
def test_sparse_causes_make_their_own_images_more_likely(name):
    """Of 100 fresh images at least 70 become more likely, by Hamiltonian AIS: 85 to 95 do, and a coin says 50."""
    rng = np.random.default_rng(0)
    data, held_out = np.split(models()[name].sample(1100, rng), [1000])
    start = replace(models()[name], bases=np.roll(models()[name].bases, 1, axis=0))  # the same bases on other pixels
    found = expectation_maximisation(data, start, 40, rng=rng)
    before, after = (
        ae.log_likelihood(either, held_out, ae.linear_schedule(100), 30, 0.1, rng=np.random.default_rng(1))
        for either in (start, found)
    )
    assert (after.log_likelihoods > before.log_likelihoods).sum() >= 70


def test_every_point_keeps_its_own_step_size():
    """Bright images need shorter steps: with one step for all, those would never move. 95% do, of 150."""
    model = models(noise=0.1)["bilinear"]
    data = model.sample(300, np.random.default_rng(0)) * np.repeat([0.1, 20.0], 150)[:, None]
    steps = list(em_steps(data, model, 30, 10, np.random.default_rng(1)))
    moved = np.abs(steps[-1].latent - steps[-10].latent).max(1)
    assert (moved[150:] > 1e-3).mean() > 0.85
    assert 0.6 < steps[-1].acceptance < 0.98


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"data": np.zeros((9, 2))}, ValueError),
        ({"data": np.zeros((3, 4))}, ValueError),
        ({"model": ae.Gaussian([0.0], [[1.0]])}, TypeError),
    ],
)
def test_bad_input_is_named(bad, error):
    arguments = {"data": np.ones((9, 4)), "model": models()["laplace"], "rng": np.random.default_rng(0)} | bad
    with pytest.raises(error, match=next(iter(bad))):
        expectation_maximisation(**arguments)


def test_half_of_the_momentum_is_renewed_in_the_time_of_the_noises_width(monkeypatch):
    """γ = 1 - 2^{-ε / noise}: at ε = 0.1 and 0.2, with noise 0.1, a half and three quarters."""
    renewed = []

    def watched(path, betas, x, v, step_sizes, refreshes, rng, nonnegative):
        renewed.extend(refresh.ravel() for refresh in refreshes)
        return iter(())

    module = import_module("anneal_edu.training.em_hmc")
    monkeypatch.setattr(module, "hais_states", watched)
    model, x = ae.LinearGenerative(np.eye(2), noise=0.1), np.zeros((2, 2))
    move_latents(model, x, x, x, np.array([0.1, 0.2]), 1, np.random.default_rng(0))
    np.testing.assert_allclose(renewed, [[0.5, 0.75]])


@pytest.mark.parametrize(("acceptance", "factor"), [(0.9, 1.1), (0.8, 1 / 1.1)])
def test_step_sizes_grow_and_shrink_by_a_tenth_up_to_the_noise(acceptance, factor, monkeypatch):
    """They begin at 0.3 of the noise; the first 30 moves lead from three times the data's spread to the model's."""
    seen, noises = [], []

    def watched(model, x, latent, momentum, step_size, n_moves, rng):
        seen.append(step_size / model.noise)
        noises.append(model.noise)
        return latent, momentum, np.full(len(x), acceptance)

    monkeypatch.setattr(inspect.getmodule(move_latents), "move_latents", watched)
    model, rng = ae.LinearGenerative(GAUSSIAN, 0.5), np.random.default_rng(0)
    data = model.sample(50, rng)
    list(em_steps(data, model, 2, 4, rng))
    np.testing.assert_allclose(noises, [*np.geomspace(3 * data.std(), 0.5, 30), 0.5, 0.5], rtol=1e-12)
    for k, step in enumerate(seen):
        np.testing.assert_allclose(step, min(0.3 * factor**k, 1.0), rtol=1e-12)


def test_the_acceptance_is_a_mean_over_all_moves():
    model, rng = ae.LinearGenerative(np.eye(2), noise=0.5), np.random.default_rng(0)
    x = model.sample(300, rng)
    *_, acceptance = move_latents(model, x, x, rng.standard_normal(x.shape), np.full(300, 0.8), 4, rng)
    assert set(np.unique(4 * acceptance)) == {0, 1, 2, 3, 4}
