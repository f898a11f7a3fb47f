"""The names that others build on, and the promise that each is documented with a runnable example."""

import inspect

import numpy as np
import pytest

import anneal_edu as ae

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
PUBLIC = sorted(name for name, value in vars(ae).items() if callable(value) and not name.startswith("_"))
RESULTS = set("""
AISResult HAISResult LikelihoodResult MBARResult MomentMatch RTSResult RTSRound ReverseAISResult Sandwich
SimulatedTemperingResult TemperingResult ThermodynamicIntegrationResult
""".split())
STATES = {"contrastive_divergence", "rts_rounds", "tempering_states"}
NO_CALLS = RESULTS | STATES | {"Distribution", "Kernel", "LatentPosterior", "Path", "import_module"}


def test_every_promised_name_is_there():
    assert [name for name in NAMES if not hasattr(ae, name)] == []
    assert ae.data.digits and ae.data.color_patches and ae.data.gray_patches and ae.panels and ae.check and ae.figures
    assert ae.experiments.stored and ae.experiments.kiwaki.STARTS and ae.models.load_spline and ae.hidden_states


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in NO_CALLS])
def test_every_public_function_shows_a_runnable_example(name):
    assert ">>> " in inspect.getdoc(getattr(ae, name)), f"ae.{name} has no example in its docstring"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'anneal'"):
        ae.anneal  # noqa: B018
    with pytest.raises(AttributeError, match="experiments' has no attribute 'kawaki'"):
        ae.experiments.kawaki  # noqa: B018


def test_a_result_offers_what_the_contract_says():
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]]))
    result = ae.ais(path, ae.linear_schedule(3), 7, kernel=ae.gibbs, rng=np.random.default_rng(0))
    assert result.log_weights.shape == (7,)
    assert result.log_weights.dtype == np.float64
    assert result.samples.shape == (7, 1)
    for name in ("log_z", "ess", "std_error", "mean_log_weight"):
        assert isinstance(getattr(result, name), float)
    assert len(result.interval(0.9)) == 2
