"""What can be audited, and bad calls."""

import pytest

import anneal_edu as ae
from anneal_edu.auditing.audit import kind_of
from tests.auditing.helpers import rng

GAUSSIAN = ae.Gaussian([0.0], [[1.0]])


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        (ae.random_walk(1.0), "kernel"), (ae.hmc(0.1, 3), "kernel"), (lambda p, state, generator: state, "kernel"),
        (ae.geometric_path(GAUSSIAN, GAUSSIAN), "path"), (lambda b: None, "path"),
        (ae.ais, "estimator"), (ae.reverse_ais, "estimator"), (ae.hais, "estimator"),
        (lambda path, schedule, n_chains, kernel=None, *, rng: None, "estimator"),
        (lambda path, betas, n: None, "estimator"), (lambda line, schedule, n_chains=100: None, "estimator"),
        (lambda p, betas, n, *, rng: None, "estimator"),
    ],
)  # fmt: skip
def test_the_signature_tells_what_a_function_is(subject, kind):
    assert kind_of(subject) == kind


@pytest.mark.parametrize(
    ("subject", "more", "words"),
    [
        (3, {}, "subject must be a function"), (ae.random_walk, {}, "subject must be a function"),
        (lambda: 0, {}, "got one with the arguments"), (lambda a, b: 0, {}, "got one with the arguments"),
        (lambda a, b, *, rng: 0, {}, "got one with the arguments"),
        (ae.gibbs, {"rng": 3}, "rng must be"), (ae.gibbs, {"n_draws": 10}, "n_draws must be at least 200"),
        (ae.gibbs, {"risk": 2}, "risk must lie"), (ae.gibbs, {"risk": 0}, "risk must lie"),
        (ae.ais, {"on": GAUSSIAN}, "on is for a kernel"), (ae.gibbs, {"on": 3}, "sample"),
    ],
)  # fmt: skip
def test_bad_calls(subject, more, words):
    with pytest.raises((TypeError, ValueError), match=words):
        ae.audit(subject, **{"rng": rng(), **more})


def test_the_report_tells_the_subject_and_the_draws():
    walk = lambda f, x, rng: x + 0.2 * rng.standard_normal(x.shape)  # noqa: E731
    found = ae.audit(walk, on=GAUSSIAN, n_draws=400, rng=rng())
    assert (found.subject, found.n_draws, found.risk) == ("kernel", 3200, 0.001)
    assert "3200 exact draws (your distribution): " in str(found)
    assert str(found) == str(ae.audit(walk, on=GAUSSIAN, n_draws=400, rng=rng())), "equal generators, equal reports"
