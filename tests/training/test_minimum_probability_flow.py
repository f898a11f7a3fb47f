"""Gradients against finite differences; training against exact log likelihoods of complete products of experts."""

import inspect

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.kernels import leapfrog
from anneal_edu.training import flow_rounds, minimum_probability_flow
from anneal_edu.training.mpf import log_flow
from anneal_edu.training.parameters import pack, unpack
from tests.planted import planted


def models(D=3, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "laplace": ae.ProductOfExperts(rng.normal(size=(D + 2, D)), rng.uniform(0.5, 2.0, D + 2)),
        "student_t": ae.ProductOfExperts(rng.normal(size=(D + 2, D)), rng.uniform(0.5, 2.0, D + 2), "student_t"),
        "complete": ae.ProductOfExperts(rng.normal(size=(D, D)), rng.uniform(0.6, 2.0, D), "student_t"),
        "mcrbm": ae.MeanCovarianceRBM(
            *(rng.normal(size=shape) for shape in ((4, D), (4, 2), 2, (3, D), 3, D)), sigma=1.3
        ),
    }


def numeric_gradient(function, theta, eps=1e-6):  # short: a kink of |x| may lie between its two ends
    return np.array([(function(theta + eps * e) - function(theta - eps * e)) / (2 * eps) for e in np.eye(len(theta))])


@pytest.mark.parametrize("name", models())
def test_slopes_are_the_gradient_of_the_weighted_log_density(name):
    model, rng = models()[name], np.random.default_rng(1)
    x, w, parts = rng.normal(size=(7, 3)), rng.normal(size=7), model.free_parameters()

    def weighted(theta):
        return w @ model.with_free_parameters(unpack(theta, parts)).log_density(x)

    numeric = numeric_gradient(weighted, pack(parts))
    np.testing.assert_allclose(pack(model.parameter_slopes(x, w)), numeric, atol=1e-7)


def flow_and_numeric_gradient(model, function=log_flow):
    rng = np.random.default_rng(2)
    x, y, kinetic = rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), rng.normal(size=7)
    parts = model.free_parameters()

    def by_definition(theta):
        built = model.with_free_parameters(unpack(theta, parts))
        rates = [
            np.exp(0.5 * (built.log_density(b) - built.log_density(a) + k))
            for a, b, k in zip(x, y, kinetic, strict=True)
        ]
        return np.log(np.mean(rates))

    return function(model, x, y, kinetic), by_definition(pack(parts)), numeric_gradient(by_definition, pack(parts))


@pytest.mark.parametrize("name", models())
def test_the_flow_and_its_gradient(name):
    (value, gradient), wanted, numeric = flow_and_numeric_gradient(models()[name])
    assert abs(value - wanted) < 1e-12
    np.testing.assert_allclose(gradient, numeric, atol=1e-7)


@pytest.mark.parametrize(
    "fault", [{"exponent = 0.5": "exponent = -0.5"}, {"+ kinetic)": "- kinetic)"}, {"w = 0.5 *": "w ="}]
)
def test_a_wrong_flow_is_seen(fault):
    (value, gradient), wanted, numeric = flow_and_numeric_gradient(models()["mcrbm"], planted(log_flow, fault))
    assert abs(value - wanted) > 1e-4 or np.abs(gradient - numeric).max() > 1e-4


def complete(expert, D=5, seed=0):
    """Orthogonal filters: data of variance near 1."""
    rng = np.random.default_rng(seed)
    filters = np.linalg.qr(rng.normal(size=(D, D)))[0]
    if expert == "laplace":
        return ae.ProductOfExperts(np.sqrt(2) * filters), ae.ProductOfExperts(rng.normal(size=(D, D)))
    return (
        ae.ProductOfExperts(filters, rng.uniform(1.5, 3.0, D), expert),
        ae.ProductOfExperts(rng.normal(size=(D, D)), np.full(D, 2.0), expert),
    )


@pytest.mark.parametrize("expert", ["laplace", "student_t"])
@pytest.mark.parametrize("seed", range(2))
def test_at_the_truth_nothing_flows_on_average(expert, seed):
    """E ∂K = 0 in every parameter when the data come from the model, within 5 standard errors of 100 batches."""
    model, _ = complete(expert, 3)
    rng = np.random.default_rng(seed)
    gradients = []
    for x in np.split(model.sample(20_000, rng), 100):
        v = rng.standard_normal(x.shape)
        y, v_y, _ = leapfrog(model.grad_log_density, x, v, 0.3, 3)
        value, gradient = log_flow(model, x, y, 0.5 * (v * v).sum(-1) - 0.5 * (v_y * v_y).sum(-1))
        gradients.append(np.exp(value) * gradient)  # of K itself, whose mean is exact
    error = np.std(gradients, axis=0, ddof=1) / 10
    assert (np.abs(np.mean(gradients, axis=0)) < 5 * error).all()


def excess(model, truth, held_out):
    """Mean log likelihood beyond the truth's on fresh data, exact, and the standard error of the difference."""
    gain = model.log_density(held_out) - model.log_z() - truth.log_density(held_out) + truth.log_z()
    return gain.mean(), gain.std() / np.sqrt(len(gain))


@pytest.mark.parametrize(("expert", "start_scale", "lost"), [("laplace", 0.5, 0.03), ("student_t", 2.0, 0.06)])
def test_a_complete_model_is_learned(expert, start_scale, lost):
    """From other orthogonal filters and a wrong scale, about two nats below. Over 80 seeds Laplace models end 0.003
    to 0.013 nats below the truth, Student-t ones 0.002 to 0.016; maximum likelihood would lose P / 2N on average,
    0.0025 for 25 entries. (From filters that are nearly dependent eighty rounds may not suffice.)"""
    truth, start = complete(expert)
    start = ae.ProductOfExperts(start_scale * np.linalg.qr(start.filters)[0], start.weights, expert)
    data, held_out = np.split(truth.sample(10_000, np.random.default_rng(1)), 2)
    model = ae.training.minimum_probability_flow(data, start, 20, 10, 0.1, 10, rng=np.random.default_rng(2))
    assert excess(start, truth, held_out)[0] < -0.5
    gain, error = excess(model, truth, held_out)
    assert -lost < gain < 4.5 * error


def test_with_the_sign_of_the_exponent_turned_the_model_gets_worse(monkeypatch):
    """The objective falls as it should, and its gradient is right: only what it means is wrong."""
    turned = {
        "exponent = 0.5": "exponent = -0.5",
        "pack(model.parameter_slopes(y, w)) - pack(": "-pack(model.parameter_slopes(y, w)) + pack(",
    }
    truth, start = complete("laplace")
    data = truth.sample(2000, np.random.default_rng(1))
    monkeypatch.setattr(inspect.getmodule(log_flow), "log_flow", planted(log_flow, turned))
    *_, last = flow_rounds(data, start, 5, 2, 0.1, 10, np.random.default_rng(2))
    assert last.after < last.before
    assert excess(last.model, truth, data)[0] < excess(start, truth, data)[0] - 1


@pytest.mark.parametrize("name", models())
def test_every_round_lowers_the_flow(name):
    data = np.random.default_rng(1).laplace(size=(500, 3))
    with np.errstate(over="raise", invalid="raise"):
        rounds = list(flow_rounds(data, models()[name], 5, 3, 0.1, 10, np.random.default_rng(0)))
    assert all(found.after < found.before for found in rounds)


@pytest.mark.parametrize("n_experts", [2, 5])
def test_however_far_they_are_pushed_student_t_experts_keep_an_integral(n_experts):
    filters = np.random.default_rng(0).normal(size=(n_experts, 2))
    start = ae.ProductOfExperts(filters, np.full(n_experts, 2.0), "student_t")
    model = start.with_free_parameters({"filters": filters, "log_excess": np.full(n_experts, -25.0)})
    assert (model.weights > 1 / n_experts).all()


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"data": np.zeros((5, 2))}, ValueError),
        ({"model": ae.Gaussian([0.0], [[1.0]])}, TypeError),
        ({"step_size": 0.0}, ValueError),
        ({"step_size": 1e200}, ValueError),
    ],
)
def test_bad_input_is_named(bad, error):
    arguments = {"data": np.ones((5, 3)), "model": models()["mcrbm"], "rng": np.random.default_rng(0)} | bad
    with pytest.raises(error, match=next(iter(bad))):
        minimum_probability_flow(**arguments)


@pytest.mark.parametrize("lightest", [0.2, 0.25])
def test_student_t_weights_too_light_to_be_trained_are_named(lightest):
    model = ae.ProductOfExperts(np.ones((4, 2)) + np.eye(4, 2), [lightest, 2.0, 2.0, 2.0], "student_t")
    with pytest.raises(ValueError, match=rf"of student_t experts must exceed D / 2L = 0\.25 .*, got {lightest}$"):
        ae.training.minimum_probability_flow(np.ones((5, 2)), model, rng=np.random.default_rng(0))
