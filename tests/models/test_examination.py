"""An RBM of one's own: bounds, verdict, likelihood and advice, held to models whose log Z can be counted."""

import json

import numpy as np
import pytest
from sklearn.neural_network import BernoulliRBM

import anneal_edu as ae
from anneal_edu.annealing.ais import AISResult
from anneal_edu.annealing.reverse import ReverseAISResult, Sandwich
from anneal_edu.models import Examination
from anneal_edu.models.examination import PATHS, STARTS
from tests.cases import always


def rng(seed=0):
    return np.random.default_rng(seed)


def small_rbm(n_visible=9, n_hidden=5, scale=0.7):
    made = rng(1)
    return ae.BinaryRBM(
        scale * made.normal(size=(n_visible, n_hidden)), made.normal(size=n_visible), made.normal(size=n_hidden)
    )


RBM = small_rbm()
DATA = RBM.sample(200, rng(2))


class Large(ae.BinaryRBM):
    """The same numbers, of a model that says it is too large to enumerate."""

    enumerable = False


LARGE = Large(RBM.weights, RBM.visible_bias, RBM.hidden_bias)
WEIGHTS = 2 * rng(np.random.SeedSequence(5)).normal(size=(6, 4))
REAL = ae.GaussianRBM(WEIGHTS, np.ones(6), np.zeros(4), np.geomspace(0.5, 20, 6))
MANY = type("ManyHidden", (ae.GaussianRBM,), {"enumerable": False})(*ae.data.files.rbm_arrays(REAL).values())


RUNS = [
    (path, start, with_data)
    for path in PATHS
    for start in STARTS
    for with_data in ((True,) if start == "base-rate" else (False, True))
]


@pytest.mark.parametrize(
    ("path", "start", "with_data"),
    always(("geometric", "uniform", False), ("moments", "base-rate", True), of=RUNS),
)
def test_the_bounds_hold_on_every_path_from_every_start(path, start, with_data):
    data = DATA if with_data else None
    found = ae.models.examine(LARGE, data, 200, 400, path, start, rng=rng(3))
    both, log_z = found.sandwich, RBM.log_z()
    for run in (both.forward, both.reverse):
        assert abs(run.log_z - log_z) < 6 * run.std_error + 0.02
    assert (found.path, found.start, found.n_steps, len(both.forward.log_weights)) == (path, start, 200, 400)
    assert both.draws == ("a long run" if data is None else "a long run from data")
    assert found.exact is None


@pytest.mark.parametrize("data", [None, DATA], ids=["no data", "data"])
def test_the_moments_of_the_path_are_those_of_chains_or_of_the_data(data, monkeypatch):
    """Chains: 16,000 draws, of which one in a hundred would be independent enough; 4.5 standard errors of those."""
    rbm, seen = ae.BinaryRBM(np.eye(9, 5), np.linspace(-2, 2, 9), np.full(5, -1.0)), []

    def spline(start, target, *, target_moments, fit):
        seen.extend(target_moments)
        return ae.geometric_path(start, target)

    monkeypatch.setattr("anneal_edu.models.examination.moment_spline_path", spline)
    found = ae.models.examine(rbm, data, 5, 5, "moments", rng=rng())
    assert found.start == ("uniform" if data is None else "base-rate")
    expected, tolerance = (rbm.moments(), 4.5 * 0.5 / np.sqrt(160)) if data is None else (ae.data_moments(rbm, data), 0)
    for one, other in zip(seen, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=tolerance)
    assert np.abs(rbm.moments()[0] - 0.5).max() > 0.3, "the start would not pass"


def test_what_can_be_counted_is_counted():
    found = ae.models.examine(RBM, DATA, 50, 50, rng=rng())
    assert found.exact == pytest.approx(np.logaddexp.reduce(RBM.log_density(ae.binary_states(9))), rel=1e-12)
    each = RBM.log_density(DATA.astype(float)) - found.exact
    assert found.log_likelihood == pytest.approx((each.mean(),) * 2, abs=1e-4)
    assert found.likelihood_error == pytest.approx(each.std(ddof=1) / np.sqrt(200), rel=1e-4)
    assert found.sandwich.draws == "exact draws"
    assert f"log Z = {found.exact:.3f}, counted exactly" in str(found)


@pytest.mark.parametrize("data", [None, REAL.sample(300, rng(4))], ids=["no data", "data"])
def test_a_gaussian_rbm_is_bounded_from_its_own_moments_exact_or_from_chains(data):
    for rbm in (REAL, MANY):
        found = ae.models.examine(rbm, data, 50, 400, rng=rng(3))
        assert found.start == "mean-and-covariance" and found.sandwich.forward.ess > 200  # from N(0, sigma²) 94
        for run in (found.sandwich.forward, found.sandwich.reverse):
            assert abs(run.log_z - REAL.log_z()) < 6 * run.std_error + 0.02
        assert found.exact == (REAL.log_z() if rbm is REAL else None)


def test_a_likelihood_has_its_direction():
    """log Z from below makes the data too likely, and from above not likely enough."""
    found = given(lower=(10.0, 0.0), upper=(11.0, 0.0), data=True)
    assert found.log_likelihood == pytest.approx((-3 - 11, -3 - 10))
    words = str(found)
    assert "-13.000 with log Z of the forward run, which is low on average: too good on average" in words
    assert "-14.000 with log Z of the reverse run, which is high if its chains began in the model: too bad" in words


def given(lower=(0.0, 0.01), upper=(0.1, 0.01), n=100, draws="a long run", data=False, **settings):
    """An examination made of numbers: (middle, spread) of the log weights of each run."""
    spread = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
    forward = AISResult(lower[0] + lower[1] * spread, np.zeros((n, 1)), 0)
    reverse = ReverseAISResult(upper[0] + upper[1] * spread, np.zeros((n, 1)), 0)
    log_densities = np.array([-2.0, -4.0]) if data else None
    settings = {"path": "geometric", "start": "uniform", "exact": None} | settings
    return Examination(Sandwich(forward, reverse, draws), 1000, **settings, log_densities=log_densities)


@pytest.mark.parametrize(
    ("examined", "verdict", "advice"),
    [
        (given(), "pinned", ["data=..."]),
        (given(draws="exact draws"), "pinned", []),
        (given(draws="a long run from data", data=True), "pinned", []),
        (given(upper=(0.6, 0.01)), "wide", ["n_steps=10000", 'path="moments"', "data=..."]),
        (given(upper=(0.1, 0.5), n=5), "wide", ["n_steps=10000", 'path="moments"', "data=..."]),
        (given(upper=(0.6, 0.01), path="moments"), "wide", ["n_steps=10000", "data=..."]),
        (given(upper=(0.6, 0.01), data=True), "wide", ["n_steps=10000", 'path="moments"', 'start="base-rate"']),
        (given(upper=(0.6, 0.01), data=True, start="base-rate"), "wide", ["n_steps=10000", 'path="moments"']),
        (given(upper=(-0.6, 0.01)), "crossed", ["believe neither", "n_steps=10000", 'path="moments"', "data=..."]),
        (given(upper=(0.6, 0.01), exact=0.3), "wide", []),
        (given(n=1), "wide", ["n_chains=200", "n_steps=10000", 'path="moments"', "data=..."]),
    ],
)
def test_the_verdict_and_what_to_do_next(examined, verdict, advice):
    assert examined.verdict == verdict
    assert len(examined.advice) == len(advice)
    for sentence, start in zip(examined.advice, advice, strict=True):
        assert sentence.startswith(start)
        assert f"next: {sentence}" in str(examined)
    assert f"verdict: {verdict}" in str(examined)


def test_a_warning_alone_asks_for_more_steps():
    """The ends meet, but few chains carry one of them."""
    log_weights = np.full(1000, -30.0)
    log_weights[:5] = 0.0
    heavy = AISResult(log_weights, np.zeros((1000, 1)), 0)
    assert [warning.kind for warning in heavy.warnings] == ["collapsed weights"]
    both = Sandwich(heavy, ReverseAISResult(np.full(1000, heavy.log_z), np.zeros((1000, 1)), 0), "exact draws")
    found = Examination(both, 70, "moments", "base-rate", None, np.zeros(2))
    assert [sentence.split(":")[0] for sentence in found.advice] == ["n_steps=700"]


def test_a_summary_is_strict_json():
    for examined in (given(n=1, data=True), given()):
        text = json.dumps(examined.summary(), allow_nan=False)
        assert json.loads(text)["verdict"] == examined.verdict
    summary = given(data=True).summary()
    assert summary["n_data"] == 2 and summary["log_likelihood"] == pytest.approx([-3.1, -3.0], abs=1e-4)
    assert summary["log_likelihood_error"] == pytest.approx(1.0)
    assert given().summary()["log_likelihood"] is given().summary()["log_likelihood_error"] is None
    assert given(n=1).summary()["lower_error"] is None


def test_the_long_run_is_as_long_as_the_annealing_and_at_least_a_thousand(monkeypatch):
    seen = []

    def sandwich(path, schedule, n_chains, **options):
        seen.append((options["n_burn_in"], options["progress"]))
        return given().sandwich

    monkeypatch.setattr("anneal_edu.models.examination.sandwich", sandwich)
    ae.models.examine(RBM, None, 10, rng=rng())
    ae.models.examine(RBM, None, 3000, progress=True, rng=rng())
    assert seen == [(1000, False), (3000, True)]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"rbm": ae.Gaussian([0.0], [[1.0]])}, TypeError, "rbm must be a BinaryRBM or a GaussianRBM, got Gaussian"),
        ({"data": np.zeros((3, 8))}, ValueError, r"data must have shape \(3, 9\), got \(3, 8\)"),
        ({"data": np.full((3, 9), 0.5)}, ValueError, "data must hold zeros and ones only"),
        ({"n_steps": 0}, ValueError, "n_steps must be at least 1"),
        ({"n_chains": 2.5}, TypeError, "n_chains must be a whole number"),
        ({"path": "straight"}, ValueError, "path must be one of geometric, moments"),
        ({"start": "noise"}, ValueError, "start must be one of base-rate, uniform"),
        ({"data": None, "start": "base-rate"}, ValueError, 'start "base-rate" needs data'),
        ({"rbm": REAL, "data": None, "start": "uniform"}, ValueError, "start must be one of mean-and-covariance"),
        ({"rng": 0}, TypeError, "rng must be a numpy.random.Generator"),
    ],
)
def test_bad_arguments_are_named(change, error, message):
    with pytest.raises(error, match=message):
        ae.models.examine(**({"rbm": RBM, "data": DATA, "rng": rng()} | change))


def test_one_state_has_a_likelihood_without_an_error():
    found = ae.models.examine(RBM, DATA[:1], 20, 20, rng=rng())
    assert np.isnan(found.likelihood_error) and "of 1 data: -" in str(found)


# scikit-learn's RBM


@pytest.fixture(scope="module")
def fitted():
    return BernoulliRBM(n_components=4, n_iter=3, learning_rate=0.1, random_state=0).fit(ae.data.digits(8)[:300])


def test_scikit_learns_rbm_is_the_same_distribution(fitted):
    rbm = ae.BinaryRBM.from_sklearn(fitted)
    v = ae.data.digits(8)[:50].astype(float)
    np.testing.assert_allclose(rbm.log_density(v), -fitted._free_energy(v), rtol=1e-10)
    np.testing.assert_allclose(rbm.hidden_given_visible(v), fitted.transform(v), rtol=1e-10)


def test_what_is_fitted_keeps_its_numbers(fitted):
    rbm = ae.BinaryRBM.from_sklearn(fitted)
    rbm_again = ae.BinaryRBM.from_sklearn(fitted)
    assert not rbm.weights.flags.writeable and fitted.components_.flags.writeable
    fitted.components_[0, 0] += 1
    assert rbm.weights[0, 0] == rbm_again.weights[0, 0] != fitted.components_[0, 0]
    fitted.components_[0, 0] -= 1


class Lookalike:
    components_ = np.zeros((2, 3))
    intercept_visible_ = np.zeros(3)
    intercept_hidden_ = np.zeros(2)


@pytest.mark.parametrize(
    ("estimator", "error", "message"),
    [
        (BernoulliRBM(), TypeError, "got a BernoulliRBM without components_, intercept_visible_.*call its fit first"),
        (np.eye(3), TypeError, "got a ndarray without components_"),
        (type("Flat", (Lookalike,), {"components_": np.zeros(3)}), ValueError, "components_ must have 2 axes"),
        (type("Turned", (Lookalike,), {"components_": np.zeros((3, 2))}), ValueError, "visible_bias must have shape"),
        (type("NaN", (Lookalike,), {"components_": np.full((2, 3), np.nan)}), ValueError, "components_ must be finite"),
    ],
)
def test_what_is_no_fitted_rbm_is_refused(estimator, error, message):
    with pytest.raises(error, match=message):
        ae.BinaryRBM.from_sklearn(estimator)


def test_anything_with_the_three_attributes_will_do():
    assert ae.BinaryRBM.from_sklearn(Lookalike()).weights.shape == (3, 2)
