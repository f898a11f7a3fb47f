"""What a caller gets who leaves an option out: the numbers of lessons and papers rest on it."""

import inspect

import anneal_edu as ae
from anneal_edu.models.examination import examine

# Without None, which stands for "no such thing", and without kernels and callables.
DEFAULTS = {
    "AISResult.interval": dict(level=0.95, n_resamples=1000),
    "BilinearGenerative": dict(noise=0.1),
    "AuditResult": dict(n_draws=0),
    "Finding": dict(p_value=0.0),
    "Gaussian": dict(log_scale=0.0),
    "GaussianBernoulli": dict(constant=0.0),
    "HAISResult.interval": dict(level=0.95, n_resamples=1000),
    "LinearGenerative": dict(noise=0.1, prior="gaussian"),
    "MeanCovarianceRBM": dict(sigma=1.0),
    "ProductOfExperts": dict(expert="laplace"),
    "ReverseAISResult.interval": dict(level=0.95, n_resamples=1000),
    "adaptive_schedule": dict(ess=0.97),
    "ais": dict(resample=0.0),
    "audit": dict(n_draws=8000, risk=0.001),
    "base_rate_rbm": dict(clip=0.01),
    "bootstrap_log_mean_exp": dict(n_resamples=1000),
    "contrastive_divergence": dict(swaps="even_odd", n_rungs=10, decay=True),
    "data.bars_and_stripes": dict(size=4),
    "data.color_patches": dict(size=6),
    "data.digits": dict(size=8),
    "data.gray_patches": dict(n_components=36, size=16, n_held_out=100),
    "estimate_mean_and_cov": dict(n_chains=100, n_steps=5000, n_burn_in=100, rao_blackwellized=True),
    "estimate_moments": dict(n_chains=1000, n_steps=10000, n_burn_in=1000, every=1),
    "expectation_maximisation": dict(n_iterations=200, n_moves=10),
    "hais": dict(step_size=0.2),
    "kl_bias": dict(reverse=False),
    "larger_ess_p_value": dict(n_resamples=1000),
    "log_likelihood": dict(n_chains=200, step_size=0.2),
    "match_moments": dict(tolerance=0.005, max_evaluations=1000),
    "minimum_probability_flow": dict(n_rounds=60, n_iterations=2, step_size=0.05, n_leapfrog=20),
    "moment_spline_path": dict(knots=9),
    "optimal_binned_schedule": dict(n_bins=10),
    "parallel_tempering": dict(swaps="even_odd", keep="all", keep_every=1),
    "pcd_fit": dict(n_updates=1000, n_particles=100, learning_rate=0.01),
    "sandwich": dict(n_burn_in=1000),
    "simulated_tempering": dict(keep_every=1),
    "tempering_states": dict(swaps="even_odd"),
    "thermodynamic_integration": dict(rao_blackwellized=False),
    "track_log_likelihood": dict(every=100, n_sweeps=10, n_chains=100, both_layers=False),
    "train_gaussian_rbm": dict(
        method="cd", n_gibbs=1, n_updates=5000, learning_rate=0.05, batch_size=100, sigma=1.0, learn_sigma=False
    ),
    "train_rbm": dict(method="cd", n_gibbs=1, n_updates=5000, learning_rate=0.05, batch_size=100, decay=True),
}


def public_callables():
    for prefix, module in (("", ae), ("data.", ae.data)):
        for name, value in vars(module).items():
            if callable(value) and not name.startswith("_") and value.__module__.startswith("anneal_edu"):
                yield prefix + name, value
                if hasattr(value, "interval"):
                    yield f"{prefix}{name}.interval", value.interval


def defaults_of(function):
    parameters = inspect.signature(function).parameters.values()
    found = {p.name: p.default for p in parameters if p.default is not p.empty}
    return {name: value for name, value in found.items() if isinstance(value, bool | int | float | str)}


def test_defaults_are_what_the_lessons_and_papers_count_on():
    found = {name: defaults_of(function) for name, function in public_callables()}
    without_progress = {
        name: {option: value for option, value in options.items() if option != "progress"}
        for name, options in found.items()
    }
    assert {name: options for name, options in without_progress.items() if options} == DEFAULTS


def test_an_examination_is_of_two_hundred_chains_and_a_thousand_steps():
    assert defaults_of(examine) == dict(n_steps=1000, n_chains=200, path="geometric", progress=False)


def test_no_progress_bar_is_shown_unasked():
    bars = [defaults_of(function).get("progress") for _, function in public_callables()]
    assert True not in bars and False in bars
