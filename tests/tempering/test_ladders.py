"""The sweep that shares its products has the law of the sweep rung by rung, and wrong bookkeeping is seen."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.kernels import swapped
from anneal_edu.paths import rbm as fast
from anneal_edu.paths.rbm import TemperingSweep
from anneal_edu.tempering.matrices import even_odd_matrices, exploration_matrix
from anneal_edu.tempering.parallel import pt_sweep, sweep_on
from anneal_edu.tempering.swaps import SCHEMES, as_scheme
from tests.cases import always
from tests.frequencies import UNLIKELY, chance_of_farthest

SCHEDULE = np.array([0.0, 0.2, 0.45, 0.7, 1.0])
ALL = list(SCHEMES)


def random_rbm(n_visible=5, n_hidden=3, scale=2.0, seed=0):
    rng = np.random.default_rng(seed)
    weights = scale * rng.normal(size=(n_visible, n_hidden))
    return ae.BinaryRBM(weights, rng.normal(size=n_visible), rng.normal(size=n_hidden))


def path_to(rbm):
    """From a start with biases on both sides and no weights."""
    rng = np.random.default_rng(7)
    start = ae.BinaryRBM(np.zeros(rbm.weights.shape), rng.normal(size=rbm.dim), rng.normal(size=rbm.n_hidden))
    return ae.geometric_path(start, rbm)


def rung_by_rung(path, kernel=ae.gibbs):
    rungs = [path(beta) for beta in SCHEDULE]
    return lambda x, scheme, rng: pt_sweep(rungs, x, scheme, kernel, rng)


def check_bookkeeping(path, sweep, n_sweeps=6, n_chains=50):
    """After every sweep: what is kept belongs to the states, and the swaps were judged by the right densities."""
    rng, f = np.random.default_rng(0), [path(beta).log_density for beta in SCHEDULE]
    x = np.stack([path(0.0).sample(n_chains, rng) for _ in SCHEDULE])
    scheme = as_scheme("even_odd")(len(SCHEDULE) - 1, n_chains)
    for _ in range(n_sweeps):
        x, _, accepted, log_alpha, log_ratios = sweep(x, scheme, rng)
        assert accepted.any()
        v = x.astype(np.float64)
        slope = v @ path.end.weights + path.end.hidden_bias - path.start.hidden_bias
        tolerance = 1e-5 * (1 + np.abs(slope).sum(-1).max())
        right = v, slope, v @ path.start.visible_bias, v @ (path.end.visible_bias - path.start.visible_bias)
        for found, expected in zip(sweep.known, right, strict=True):
            np.testing.assert_allclose(found, expected, atol=tolerance)
        v = swapped(v, accepted)  # before the swaps
        up = np.array([f[k + 1](v[k]) - f[k](v[k]) for k in range(len(SCHEDULE) - 1)])
        down = np.array([f[k](v[k + 1]) - f[k + 1](v[k + 1]) for k in range(len(SCHEDULE) - 1)])
        np.testing.assert_allclose(log_ratios, [up, down], atol=tolerance)
        np.testing.assert_allclose(log_alpha, np.minimum(0, up + down), atol=tolerance)


def check_moments(sweep, path, n_chains=20_000):
    """From exact draws on every rung, one sweep later: mean of every unit on every rung, within 5 standard errors."""
    rng = np.random.default_rng(1)
    members = [path(float(beta)) for beta in SCHEDULE]
    x, scheme = np.stack([f.sample(n_chains, rng) for f in members]), as_scheme("stochastic_even_odd")(4, n_chains)
    for _ in range(3):
        x, *_ = sweep(x, scheme, rng)
    for member, states in zip(members, x, strict=True):
        mean = member.moments()[0]
        z = (states.mean(0, dtype=np.float64) - mean) / np.sqrt(mean * (1 - mean) / n_chains)
        assert np.abs(z).max() < 5


@pytest.mark.parametrize("shape", [(5, 3), (40, 21), (3, 1)])
def test_densities_and_what_is_carried_are_right_to_float32(shape):
    path = path_to(random_rbm(*shape, scale=0.7))
    sweep = sweep_on(path, SCHEDULE, ae.gibbs)
    assert isinstance(sweep, TemperingSweep)
    check_bookkeeping(path, sweep)


def test_large_fields_do_not_overflow():
    check_bookkeeping(path := path_to(random_rbm(30, 8, scale=12.0)), sweep_on(path, SCHEDULE, ae.gibbs))


def test_more_rows_than_a_block_holds():
    check_bookkeeping(path := path_to(random_rbm()), TemperingSweep(path, SCHEDULE), n_sweeps=2, n_chains=333)


@pytest.mark.parametrize("shared", [True, False])
def test_every_rung_keeps_its_moments(shared):
    path = path_to(random_rbm())
    check_moments(TemperingSweep(path, SCHEDULE) if shared else rung_by_rung(path), path)


def test_one_move_and_one_turn_follow_the_joint_matrix():
    """Two rungs of a model with two visible units: all 16 configurations, from one of them, 200,000 times."""
    path = path_to(random_rbm(2, 2, scale=1.5))
    ends = [path(0.0), path(1.0)]
    log_f = np.array([rbm.log_density(ae.binary_states(2)) for rbm in ends])
    matrix = exploration_matrix([ae.gibbs_matrix(rbm) for rbm in ends]) @ even_odd_matrices(log_f)[0]
    n, begin = 200_000, 6
    x = np.stack([np.tile(ae.binary_states(2)[code], (n, 1)) for code in divmod(begin, 4)])
    x, *_ = TemperingSweep(path, np.array([0.0, 1.0]))(x, as_scheme("even_odd")(1, n), np.random.default_rng(0))
    low, high = x @ [2, 1]
    found = np.bincount((4 * low + high).astype(int), minlength=16) / n
    p = matrix[begin]
    assert chance_of_farthest(found, p, n) > UNLIKELY


class MovesOnTheNextRung(TemperingSweep):
    def explored(self, old_slope, rng):
        v, slope = super().explored(np.roll(old_slope, 1, axis=0), rng)
        return np.roll(v, -1, axis=0), np.roll(slope, -1, axis=0)


class SwapsBySlopesOfTheRungBelow(TemperingSweep):
    """Judges every state by the product of its neighbour."""

    def log_density(self, known, betas):
        v, slope, *rest = known
        return super().log_density((v, np.roll(slope, 1, axis=0), *rest), betas)


class WeighsOnTheRungBelow(TemperingSweep):
    def log_density(self, known, betas):
        return super().log_density(known, np.roll(betas, 1))


class LeavesOutTheVisibleBias(TemperingSweep):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.db = 0 * self.db


@pytest.mark.parametrize("faulty", [MovesOnTheNextRung, SwapsBySlopesOfTheRungBelow, LeavesOutTheVisibleBias])
def test_faults_show_in_the_moments(faulty):
    path = path_to(random_rbm())
    with pytest.raises(AssertionError):
        check_moments(faulty(path, SCHEDULE), path)


@pytest.mark.parametrize("faulty", [WeighsOnTheRungBelow, SwapsBySlopesOfTheRungBelow, LeavesOutTheVisibleBias])
def test_faults_show_in_the_bookkeeping(faulty):
    path = path_to(random_rbm())
    with pytest.raises(AssertionError):
        check_bookkeeping(path, faulty(path, SCHEDULE))


def test_a_product_that_stays_behind_is_seen(monkeypatch):
    path = path_to(random_rbm())
    monkeypatch.setattr(fast, "swapped", lambda a, accepted: swapped(a, accepted) if a.shape[-1] == 5 else a)
    with pytest.raises(AssertionError):
        check_bookkeeping(path, TemperingSweep(path, SCHEDULE))


@pytest.mark.parametrize("scheme", always("lifted", of=ALL))
def test_the_generator_of_states_yields_the_same_things(scheme):
    """A path wrapped in another class is swept rung by rung: log Z of both agree with the exact one."""
    rbm = random_rbm()
    path = path_to(rbm)
    wrapped = lambda beta: path(beta)  # noqa: E731
    for walked in (path, wrapped):
        runs = [
            ae.parallel_tempering(walked, SCHEDULE, 60, 50, swaps=scheme, n_burn_in=20, rng=np.random.default_rng(s))
            for s in range(4)
        ]
        errors = np.array([run.log_z - rbm.log_z() for run in runs])
        reported = np.array([run.std_error for run in runs])
        assert abs(errors.mean()) < 5 * np.sqrt((reported**2).mean() / 4)
        assert runs[0].samples.shape == (60, 5, 50, 5)


def test_other_paths_and_kernels_go_rung_by_rung():
    rbm = random_rbm()
    for path, kernel in (
        (ae.geometric_path(random_rbm(seed=3), rbm), ae.gibbs),
        (path_to(rbm), ae.exact),
        (ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]])), ae.gibbs),
    ):
        assert not isinstance(sweep_on(path, SCHEDULE, kernel), TemperingSweep)


def test_neighbours_are_weighed_where_they_would_come():
    """log f_{k+1}(x_k) and log f_k(x_{k+1}) exchanged leave the swaps, which need their sum, right, and log Z wrong."""
    path, n = ae.geometric_path(ae.Gaussian([0.0], [[9.0]]), ae.Gaussian([1.0], [[1.0]])), 4
    sweep, scheme = rung_by_rung(path, lambda f, x, rng: x), as_scheme("even_odd")(len(SCHEDULE) - 1, n)
    x = np.random.default_rng(0).normal(size=(len(SCHEDULE), n, 1))
    _, _, _, log_alpha, log_ratios = sweep(x, scheme, np.random.default_rng(1))
    f = [path(beta).log_density for beta in SCHEDULE]
    ratios = np.array([f[k + 1](x[k]) - f[k](x[k]) for k in range(len(SCHEDULE) - 1)])
    back = np.array([f[k](x[k + 1]) - f[k + 1](x[k + 1]) for k in range(len(SCHEDULE) - 1)])
    np.testing.assert_allclose(log_ratios, [ratios, back], atol=1e-12)
    np.testing.assert_allclose(log_alpha, np.minimum(0, ratios + back), atol=1e-12)


def test_states_handed_out_stay_as_they_are():
    states = ae.tempering.parallel.tempering_states(path_to(random_rbm()), SCHEDULE, 20, rng=np.random.default_rng(0))
    first = next(states)
    before = first.x.copy()
    next(states)
    np.testing.assert_array_equal(first.x, before)


@pytest.mark.parametrize("hottest", [1e-6, 1e-13, 1e-30])
def test_a_ladder_of_equal_rejections_rises_even_where_all_happens_near_0(hottest):
    found = ae.equal_rejection_schedule([0.0, hottest, 2 * hottest, 1.0], [0.9, 0.8, 0.0], 10)
    assert (np.diff(found) > 0).all() and found[0] == 0 and found[-1] == 1 and 0 < found[-2] <= 2 * hottest
