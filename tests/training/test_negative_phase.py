"""Tempered training against exact enumeration, and options that belong to it alone."""

import sys

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.tempering.swaps import SCHEMES
from anneal_edu.training.negative_phase import FromTheData, Persistent, Tempered
from anneal_edu.training.rbm import negative_phase
from tests.cases import always

training = sys.modules["anneal_edu.training.rbm"]  # its package has a function of that name

BARS = ae.data.bars_and_stripes(3)
N_PARTICLES = 4000


def small_model():
    """The same numbers at any seed, as uneven as normal ones."""
    weights = 2 * np.sin(np.arange(1.0, 37) ** 2).reshape(9, 4)
    return ae.BinaryRBM(weights, np.sin(np.arange(1.0, 10) ** 3), np.cos(np.arange(1.0, 5) ** 2))


def draw(phase, rbm, n_calls, rng):
    """Particles after several calls with a model that stays as it is."""
    parameters = [np.asarray(a, dtype=np.float32) for a in (rbm.weights, rbm.visible_bias, rbm.hidden_bias)]
    batch = BARS[rng.integers(len(BARS), size=N_PARTICLES)]
    for _ in range(n_calls):
        particles = phase(*parameters, batch, rng)
    return particles


def negative_gradient_errors(particles, rbm):
    """Largest |z| of the estimates of (E v, E h, E v hᵀ), h averaged out given v, against enumeration."""
    h = rbm.hidden_given_visible(particles.astype(np.float64))
    estimates = (particles, h, particles[:, :, None] * h[:, None, :])
    worst = 0.0
    for draws, exact in zip(estimates, rbm.moments(), strict=True):
        error = draws.std(0, ddof=1) / np.sqrt(len(draws))
        worst = max(worst, np.abs((draws.mean(0, dtype=np.float64) - exact) / error).max())
    return worst


def tempered(n_sweeps=1, swaps="even_odd", n_rungs=6):
    first = BARS[np.random.default_rng(2).integers(len(BARS), size=N_PARTICLES)]
    return Tempered(first, ae.base_rate_rbm(BARS, 4), n_sweeps, swaps, n_rungs)


@pytest.mark.parametrize("scheme", always("lifted", of=SCHEMES))
def test_the_tempered_gradient_is_exact_in_the_mean(scheme):
    """4,000 independent ladders, 60 calls of one sweep each, at a fixed model; 49 numbers within 5 errors."""
    rbm = small_model()
    assert negative_gradient_errors(draw(tempered(swaps=scheme), rbm, 60, np.random.default_rng(0)), rbm) < 5


def test_near_the_data_it_is_not():
    """CD-1 stands beside: the same number of calls, and far more than 5 errors off."""
    rbm = small_model()
    assert negative_gradient_errors(draw(FromTheData(1), rbm, 60, np.random.default_rng(0)), rbm) > 20


class HandsOutTheWrongRung(Tempered):
    def __call__(self, *arguments):
        super().__call__(*arguments)
        return self.states[-2]


class LadderOfAnOldModel(Tempered):
    def __call__(self, W, b, c, batch, rng):
        return super().__call__(0.8 * W, b, c, batch, rng)


@pytest.mark.parametrize("faulty", always(LadderOfAnOldModel, of=[HandsOutTheWrongRung, LadderOfAnOldModel]))
def test_planted_faults_are_seen(faulty):
    rbm, right = small_model(), tempered()
    phase = faulty(right.states[0], right.start, 1, "even_odd", 6)
    assert negative_gradient_errors(draw(phase, rbm, 60, np.random.default_rng(0)), rbm) > 10


@pytest.mark.parametrize("scheme", SCHEMES)
def test_tempered_training_learns(scheme):
    """By 1.6 nats, in 120 seeds, with a standard deviation of 0.24; biases alone learn nothing more."""
    settings = {"n_gibbs": 1, "n_updates": 600, "learning_rate": 1.0, "batch_size": 20, "swaps": scheme}
    rbm = ae.train_rbm(BARS, 6, "pt", n_rungs=5, **settings, rng=np.random.default_rng(0))
    before = ae.base_rate_rbm(BARS, 6)
    assert rbm.log_density(BARS).mean() - rbm.log_z() > before.log_density(BARS).mean() - before.log_z() + 0.4


def test_a_constant_rate_keeps_moving():
    """The last of 40 updates changes the weights much less under a falling rate, 1/40 of the first."""
    steps = {}
    for decay in (True, False):
        before = []
        for n in (39, 40):
            states = ae.contrastive_divergence(
                BARS, 3, "cd", n_gibbs=1, n_updates=40, learning_rate=0.1, batch_size=10,
                rng=np.random.default_rng(0), decay=decay
            )
            before.append([next(states) for _ in range(n)][-1].weights.copy())
        steps[decay] = np.abs(before[1] - before[0]).max()
    assert steps[True] < 0.2 * steps[False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "cd", "swaps": "lifted"}, "swaps belongs to method"),
        ({"method": "pcd", "n_rungs": 4}, "n_rungs belongs to method"),
        ({"method": "pt", "swaps": "odd"}, "swaps must be one of"),
        ({"method": "pt", "decay": 0.5}, "decay must be True or False"),
        ({"method": "ptt"}, "method must be one of cd, pcd, pt"),
        ({"learning_rate": -0.1}, "learning_rate must be positive"),
        ({"data": BARS / 2}, "data must hold zeros and ones only"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ae.train_rbm(**({"data": BARS, "n_hidden": 3, "n_updates": 2, "rng": np.random.default_rng(0)} | options))


def test_the_sign_of_equation_2_of_the_report():
    """Slopes of the exact likelihood are E_P[∂E/∂θ] - E_data[∂E/∂θ]; as printed, every slope is reversed."""
    rbm, data, rng = small_model(), BARS.astype(np.float64), np.random.default_rng(0)
    theta, h = (rbm.weights, rbm.visible_bias, rbm.hidden_bias), rbm.hidden_given_visible(data)
    at_data = -data.T @ h / len(data), -data.mean(0), -h.mean(0)  # E_data[∂E/∂θ]
    mean_v, mean_h, mean_vh = rbm.moments()
    in_model = -mean_vh, -mean_v, -mean_h  # E_P[∂E/∂θ]

    def likelihood(step, direction):
        model = ae.BinaryRBM(*(part + step * d for part, d in zip(theta, direction, strict=True)))
        return model.log_density(data).mean() - model.log_z()

    for i in range(3):  # along a random direction of one parameter
        direction = [(i == j) * rng.normal(size=part.shape) for j, part in enumerate(theta)]
        slope = (likelihood(1e-5, direction) - likelihood(-1e-5, direction)) / 2e-5
        assert slope == pytest.approx(np.vdot(direction[i], in_model[i] - at_data[i]), abs=1e-6)
        assert abs(slope) > 0.01


@pytest.mark.parametrize("method", ["cd", "pcd", "pt"])
def test_three_steps_are_three_times_one(method):
    """The same random numbers in the same order; CD is handed its own particles as the next batch."""
    rbm, start = small_model(), ae.base_rate_rbm(BARS, 4)
    parameters = [np.asarray(a, dtype=np.float32) for a in (rbm.weights, rbm.visible_bias, rbm.hidden_bias)]
    at_once, by_one = (negative_phase(method, BARS, start, n, "even_odd", 5) for n in (3, 1))
    found = at_once(*parameters, BARS, np.random.default_rng(0))
    rng, v = np.random.default_rng(0), BARS
    for _ in range(3):
        v = by_one(*parameters, v, rng)
    np.testing.assert_array_equal(found, v)


def test_rungs_are_evenly_spaced_and_the_first_stays_at_the_base_rate(monkeypatch):
    """Its biases are not those that training changes in place."""
    phases = []

    def kept(*arguments):
        phases.append(negative_phase(*arguments))
        return phases[-1]

    monkeypatch.setattr(training, "negative_phase", kept)
    rbm = ae.train_rbm(BARS[:5], 3, "pt", n_updates=100, learning_rate=5.0, n_rungs=5, rng=np.random.default_rng(0))
    np.testing.assert_allclose(phases[0].schedule, [0, 0.25, 0.5, 0.75, 1])
    base_rates = ae.base_rate_rbm(BARS[:5], 3).visible_bias
    np.testing.assert_allclose(phases[0].start.single_precision[1], base_rates, rtol=1e-6)
    assert np.abs(rbm.visible_bias - base_rates).max() > 0.1


def test_swaps_bring_every_rung_within_reach():
    """Two far clusters that Gibbs steps never join: without swaps the last rung stays where it began."""
    rbm = ae.BinaryRBM(np.full((9, 2), 4.0), np.full(9, -4.0), np.full(2, -18.0))
    zeros = np.zeros((500, 9), dtype=np.float32)
    phase = Tempered(zeros, ae.uniform_rbm(9, 2), 1, "even_odd", 8)
    share = draw(phase, rbm, 150, np.random.default_rng(0))[:, 0].mean()
    stuck = draw(Persistent(zeros, 1), rbm, 150, np.random.default_rng(0))[:, 0].mean()
    p = rbm.moments()[0][0]
    assert stuck < 0.05 < p
    assert abs(share - p) < 5 * np.sqrt(p * (1 - p) / 500)


def test_biases_begin_at_the_base_rate_and_every_example_is_used():
    """From the change of the visible biases and the particles one reads which examples an update saw."""
    rate, batch_size = 0.5, 4
    images = np.eye(6, dtype=np.float32)
    before, seen = ae.base_rate_rbm(images, 2).single_precision[1], np.zeros(6)
    rng = np.random.default_rng(0)
    for state in ae.contrastive_divergence(
        images, 2, "pcd", n_gibbs=1, n_updates=300, learning_rate=rate, batch_size=batch_size, rng=rng, decay=False
    ):
        mean_of_batch = (state.visible_bias - before) / rate + state.particles.mean(0)
        counts = mean_of_batch * batch_size
        np.testing.assert_allclose(counts, counts.round(), atol=1e-3)
        assert round(float(counts.sum())) == batch_size
        seen, before = seen + counts, state.visible_bias.copy()
    expected, n = 300 * batch_size / 6, 300 * batch_size
    assert (np.abs(seen - expected) < 5 * np.sqrt(n * 5 / 36)).all()
