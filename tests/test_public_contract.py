"""The names that others build on, their defaults, and the promise that each is documented with a runnable example."""

import inspect

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.distributions.enumeration import normalised
from anneal_edu.kernels import leapfrog
from anneal_edu.models.examination import examine
from anneal_edu.reweighting.over_chains import by_rungs
from anneal_edu.tempering.parallel import tempering_states
from anneal_edu.training import expectation_maximisation, minimum_probability_flow, track_log_likelihood
from anneal_edu.weights import bootstrap_log_mean_exp

NAMES = """
Gaussian Unnormalized
ProductOfExperts LinearGenerative BilinearGenerative MeanCovarianceRBM
 BinaryRBM GaussianRBM uniform_rbm base_rate_rbm
geometric_path moment_path spline_path moment_spline_path covariance_path reverse_ais
linear_schedule piecewise_schedule optimal_binned_schedule
exact gibbs random_walk hmc ais hais parallel_tempering kl_bias cost_functional path_length effective_sample_size
simulated_tempering rts log_density_matrix mbar thermodynamic_integration raise_log_likelihood
train_rbm train_gaussian_rbm
""".split()
PUBLIC = {name: value for name, value in vars(ae).items() if callable(value) and not name.startswith("_")}
NO_CALLS = {"contrastive_divergence", "import_module"}


def test_every_promised_name_is_there():
    assert [name for name in NAMES if not hasattr(ae, name)] == []
    assert ae.data.digits and ae.data.color_patches and ae.data.gray_patches and ae.panels and ae.check and ae.figures
    assert ae.experiments.stored and ae.experiments.kiwaki.STARTS and ae.models.load_spline and ae.hidden_states


def test_every_public_function_shows_a_runnable_example():
    assert [name for name in PUBLIC.keys() - NO_CALLS if ">>> " not in inspect.getdoc(PUBLIC[name])] == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'anneal'"):
        ae.anneal  # noqa: B018
    with pytest.raises(AttributeError, match="experiments' has no attribute 'kawaki'"):
        ae.experiments.kawaki  # noqa: B018


@pytest.mark.parametrize("name", sorted(name for name, value in PUBLIC.items() if inspect.isfunction(value)))
def test_arguments_may_be_named_and_a_generator_must_be(name):
    kinds = {key: parameter.kind for key, parameter in inspect.signature(PUBLIC[name]).parameters.items()}
    assert inspect.Parameter.POSITIONAL_ONLY not in kinds.values()
    kernel = len(kinds) == 3 and list(kinds)[-1] == "rng"
    assert kernel or kinds.get("rng", inspect.Parameter.KEYWORD_ONLY) == inspect.Parameter.KEYWORD_ONLY


def test_results_of_every_estimator_stand_in_one_list_and_are_printed_in_one_loop():
    """Z_0 = e^0.3 and Z_1 = e^1.7; draws of simulated tempering are read by three more."""
    path, betas = ae.geometric_path(ae.Gaussian([0.0], [[1.0]], 0.3), ae.Gaussian([1.5], [[1.0]], 1.7)), [0, 0.5, 1]
    rng, C = np.random.default_rng(0), 50
    both, rts = ae.sandwich(path, ae.linear_schedule(20), C, rng=rng), ae.rts(path, betas, 10, 10, C, rng=rng)
    walked = ae.simulated_tempering(path, betas, rts.log_z, 40, C, n_burn_in=5, rng=rng)
    order, counts = by_rungs(walked.rungs.ravel(), 3)
    log_f = ae.log_density_matrix(path, betas, walked.samples.reshape(-1, 1)[order])
    known = {"chains": np.tile(np.arange(C), 40)[order], "start_log_z": path(0.0).log_z()}
    results = [
        both.forward, both.reverse, both, ae.hais(path, ae.linear_schedule(20), C, rng=rng),
        ae.parallel_tempering(path, betas, 100, 10, n_burn_in=5, rng=rng), walked, rts,
        ae.stepping_stone(log_f, counts, **known), ae.mbar(log_f, counts, **known),
        ae.thermodynamic_integration(log_f, counts, betas, **known),
    ]  # fmt: skip
    for result in results:
        found = result.estimate
        assert type(found.log_z) is float and type(found.std_error) is float
        assert abs(found.log_z - 1.7) < 5 * found.std_error < 1.5, type(result).__name__
        assert str(found).startswith("log Z ≈ ") and found.warnings == result.warnings


ROOMS = (
    tempering_states, expectation_maximisation, minimum_probability_flow, track_log_likelihood, bootstrap_log_mean_exp,
    leapfrog, normalised,
)  # fmt: skip

# Without None, which stands for "no such thing", and without kernels and callables.
DEFAULTS = {
    "BilinearGenerative": dict(noise=0.1),
    "Gaussian": dict(log_scale=0.0),
    "LinearGenerative": dict(noise=0.1, prior="gaussian"),
    "MeanCovarianceRBM": dict(sigma=1.0),
    "ProductOfExperts": dict(expert="laplace"),
    "adaptive_schedule": dict(ess=0.97),
    "ais": dict(resample=0.0),
    "audit": dict(n_draws=8000, risk=0.001),
    "contrastive_divergence": dict(swaps="even_odd", n_rungs=10, decay=True),
    "bootstrap_log_mean_exp": dict(n_resamples=1000),
    "expectation_maximisation": dict(n_iterations=200, n_moves=10),
    "leapfrog": dict(n_steps=1),
    "minimum_probability_flow": dict(n_rounds=60, n_iterations=2, step_size=0.05, n_leapfrog=20),
    "normalised": dict(constant=0.0),
    "tempering_states": dict(swaps="even_odd"),
    "track_log_likelihood": dict(every=100, n_sweeps=10, n_chains=100, both_layers=False),
    "bars_and_stripes": dict(size=4),
    "color_patches": dict(size=6),
    "digits": dict(size=8),
    "gray_patches": dict(n_components=36, size=16, n_held_out=100),
    "estimate_mean_and_cov": dict(n_chains=100, n_steps=5000, n_burn_in=100, rao_blackwellized=True),
    "estimate_moments": dict(n_chains=1000, n_steps=10000, n_burn_in=1000, every=1),
    "hais": dict(step_size=0.2),
    "kl_bias": dict(reverse=False),
    "log_likelihood": dict(n_chains=200, step_size=0.2),
    "match_moments": dict(tolerance=0.005),
    "moment_spline_path": dict(knots=9),
    "optimal_binned_schedule": dict(n_bins=10),
    "parallel_tempering": dict(swaps="even_odd", keep="all", keep_every=1),
    "pcd_fit": dict(n_updates=1000, n_particles=100, learning_rate=0.01),
    "sandwich": dict(n_burn_in=1000),
    "simulated_tempering": dict(keep_every=1),
    "thermodynamic_integration": dict(rao_blackwellized=False),
    "train_gaussian_rbm": dict(
        method="cd", n_gibbs=1, n_updates=5000, learning_rate=0.05, batch_size=100, sigma=1.0, learn_sigma=False
    ),
    "train_rbm": dict(method="cd", n_gibbs=1, n_updates=5000, learning_rate=0.05, batch_size=100, decay=True),
}


def defaults_of(function):
    found = {name: p.default for name, p in inspect.signature(function).parameters.items() if p.default is not p.empty}
    return {name: value for name, value in found.items() if isinstance(value, bool | int | float | str)}


def test_defaults_are_what_the_lessons_and_papers_count_on():
    """No bar is shown unasked."""
    functions = {name: value for name, value in vars(ae.data).items() if inspect.isfunction(value) and name[0] != "_"}
    functions |= {name: value for name, value in PUBLIC.items() if name in DEFAULTS or inspect.isfunction(value)}
    functions |= {function.__name__: function for function in ROOMS}
    found = {name: defaults_of(value) for name, value in functions.items()}
    assert {options.pop("progress", False) for options in found.values()} == {False}
    assert {name: options for name, options in found.items() if options} == DEFAULTS
    assert defaults_of(ae.annealing.ais.AISResult.interval) == dict(level=0.95, n_resamples=1000)
    assert defaults_of(examine) == dict(n_steps=1000, n_chains=200, path="geometric", progress=False)
