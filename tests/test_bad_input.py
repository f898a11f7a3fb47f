"""The same mistake raises the same error from every estimator; what is no mistake works."""

import re

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.models.__main__ import main as train_models
from anneal_edu.tempering.parallel import tempering_states
from anneal_edu.tempering.record import count_round_trips
from anneal_edu.tempering.rts import rts_rounds
from anneal_edu.tempering.simulated import log_conditionals
from anneal_edu.training import expectation_maximisation, track_log_likelihood
from tests.records import numbers

N, DIM, SCHEDULE = 6, 2, np.linspace(0, 1, 4)
START = ae.Gaussian(np.zeros(DIM), np.eye(DIM))
STATES = np.random.default_rng(1).normal(size=(N, DIM))


def rng(seed=0):
    return np.random.default_rng(seed)


def log_density(x):
    return -4.5 * (x**2).sum(-1)  # narrower than the start: not every tempered transition is accepted


def gradient(x):
    return -9 * x


def step(distribution, x, rng):
    return ae.random_walk(0.5)(distribution, x, rng)


def stay(distribution, x, rng):
    return x


def path_to(target):
    return ae.geometric_path(START, target)


PATH = path_to(ae.Unnormalized(log_density, DIM, gradient))


def tempered(path, schedule, n_chains, kernel, rng):
    move = ae.tempered_transitions(path, schedule, kernel)
    return move(move.target, STATES[:n_chains].copy(), rng)


EVERY = {
    "ais": lambda p, s, n, k, rng: ae.ais(p, s, n, k, rng=rng),
    "reverse_ais": lambda p, s, n, k, rng: ae.reverse_ais(p, s, STATES, k, rng=rng),
    "sandwich": lambda p, s, n, k, rng: ae.sandwich(p, s, n, k, n_burn_in=2, rng=rng),
    "raise_log_likelihood": lambda p, s, n, k, rng: ae.raise_log_likelihood(
        p, s, STATES, 1 if n == N else n, k, rng=rng
    ),
    "parallel_tempering": lambda p, s, n, k, rng: ae.parallel_tempering(p, s, 3, n, k, rng=rng),
    "tempering_states": lambda p, s, n, k, rng: next(tempering_states(p, s, n, k, rng=rng)),
    "simulated_tempering": lambda p, s, n, k, rng: ae.simulated_tempering(p, s, np.zeros(4), 12, n, k, rng=rng),
    "rts": lambda p, s, n, k, rng: ae.rts(p, s, 2, 12, n, k, rng=rng),
    "rts_rounds": lambda p, s, n, k, rng: next(rts_rounds(p, s, 1, 12, n, k, np.zeros(4), rng=rng)),
    "tempered_transitions": tempered,
    "hais": lambda p, s, n, k, rng: ae.hais(p, s, n, rng=rng),
    "log_density_matrix": lambda p, s, n, k, rng: ae.log_density_matrix(p, s, STATES),
    "log_density_slopes": lambda p, s, n, k, rng: ae.log_density_slopes(p, s, STATES),
}
WITH_KERNEL = [name for name in EVERY if name not in ("hais", "log_density_matrix", "log_density_slopes")]
WITH_RANDOMNESS = [name for name in EVERY if not name.startswith("log_density")]
WITH_COUNT = [name for name in WITH_RANDOMNESS if name not in ("reverse_ais", "tempered_transitions")]
DRAWING = [name for name in WITH_COUNT if name != "raise_log_likelihood"]
WITH_LOG_Z = [name for name in WITH_RANDOMNESS if name not in ("tempered_transitions", "tempering_states")]


def run(name, path=PATH, schedule=SCHEDULE, n_chains=N, kernel=step, generator=None):
    return EVERY[name](path, schedule, n_chains, kernel, rng() if generator is None else generator)


def complaint(name, **arguments):
    """The kind of error and its words."""
    with pytest.raises((TypeError, ValueError)) as caught:
        run(name, **arguments)
    return caught.type, str(caught.value)


class Own:
    """A user-defined distribution; its Gibbs sweep works in place."""

    dim = DIM

    def __init__(self, log_density=log_density, grad_log_density=gradient, log_z=0.0, sample=None, gibbs=None):
        self.log_density, self.grad_log_density, self.log_z = log_density, grad_log_density, lambda: log_z
        self.sample = sample or (lambda n, rng: rng.normal(size=(n, DIM)))
        self.gibbs = gibbs or self.sweep

    @staticmethod
    def sweep(x, rng):
        x[:] = rng.normal(size=x.shape)
        return x


def everywhere(**parts):
    """A path whose points are all the same user-defined distribution."""
    return lambda beta: Own(**parts)


def bridges(log_density=log_density, gradient=gradient):
    """Two paths to a user's functions: wrapped in Unnormalized, and in a user-defined class."""
    return [path_to(ae.Unnormalized(log_density, DIM, gradient)), path_to(Own(log_density, gradient))]


# One table: the functions, the words of the error, its type, and the bad arguments

MISTAKES = []


def mistake(names, words, error=ValueError, **arguments):
    MISTAKES.append((names, words, error, arguments))


for schedule, error, words in (
    ([0.0, 0.6, 0.4, 1.0], ValueError, "schedule must rise at every step, got 0.6 then 0.4"),
    (SCHEDULE[::-1], ValueError, "schedule must start at 0 and end at 1"),
    ([0.0, 0.5, 0.9], ValueError, "schedule must start at 0 and end at 1"),
    ([0.0, 0.5, 0.5, 1.0], ValueError, "schedule must rise at every step, got 0.5 then 0.5"),
    (3, ValueError, "schedule must have 1 axes, got shape ()"),
    (["0", "0.5", "0.7", "1"], TypeError, "schedule must be an array of real numbers"),
    ([0.0, np.nan, 0.5, 1.0], ValueError, "schedule must be finite"),
    (np.ma.masked_array(SCHEDULE, SCHEDULE == 1 / 3), ValueError, "schedule must not hide entries, got 1 masked ones"),
    (None, TypeError, "schedule must be an array of real numbers"),
):
    mistake(EVERY, words, error, schedule=schedule)
for path, error, words in (
    (None, TypeError, "path must be a function"),
    (START, TypeError, "path must be a function"),
    (ae.Gaussian, TypeError, "path must be a function"),
    (lambda beta: None if beta else START, TypeError, "path(1) must be a distribution"),
    (lambda beta: ae.Gaussian(np.zeros(2 + int(beta)), np.eye(2 + int(beta))), ValueError,
     "the ends of a path must have the same dim, got 2 and 3"),
    (lambda beta: PATH(beta) if beta in (0, 1) else None, TypeError,
     "a point of the path must be a distribution (with dim and log_density), got None"),
    (lambda beta: PATH(1.0) if beta else Own(lambda x: np.full(len(x), np.inf)), ValueError, "NaN or +inf"),
):  # fmt: skip
    mistake(EVERY, words, error, path=path, kernel=stay)
for generator in (5, np.random, np.random.RandomState(0)):
    words = "rng must be a numpy.random.Generator (np.random.default_rng(0)), got "
    mistake(WITH_RANDOMNESS, words, TypeError, generator=generator)
mistake(WITH_COUNT, "n_chains must be at least 1, got 0", n_chains=0)
for n_chains in (2.5, True, "6", None):
    mistake(WITH_COUNT, f"n_chains must be a whole number, got {n_chains!r}", TypeError, n_chains=n_chains)
for kernel, words in (
    (None, "kernel must be a function, such as gibbs or random_walk(0.5)"),
    (ae.random_walk, "kernel must be a function"),
    ("gibbs", "kernel must be a function"),
    (ae.exact, "the exact kernel needs a distribution with sample()"),
    (ae.gibbs, "the gibbs kernel needs a distribution with gibbs()"),
):
    mistake(WITH_KERNEL, words, TypeError, kernel=kernel)
mistake(DRAWING, "path(0) must offer sample", TypeError, path=ae.geometric_path(PATH(1.0), PATH(1.0)))
mistake(WITH_LOG_Z, "log_z, which Unnormalized lacks", TypeError, path=ae.geometric_path(PATH(1.0), START))
for log_z, error, words in (
    (np.nan, ValueError, "finite, got nan"), ("0", TypeError, "a number, got '0'"), (np.zeros(3), TypeError, "a number")
):  # fmt: skip
    mistake(WITH_LOG_Z, f"log_z of path(0) must be {words}", error, path=everywhere(log_z=log_z))
for drawn in (lambda n: np.zeros((n, 1)), lambda n: np.zeros((n + 1, DIM)), lambda n: None):
    mistake(
        DRAWING, "sample of path(0) must return one state for each of 6 chains, (6, 2), got", (TypeError, ValueError),
        path=everywhere(sample=lambda n, rng, drawn=drawn: drawn(n)),
    )  # fmt: skip
for returned, error, words in (
    (lambda x: x[:-1], ValueError, "got (5, 2)"),
    (lambda x: np.concatenate([x, x]), ValueError, "got (12, 2)"),
    (lambda x: x[:, :1], ValueError, "got (6, 1)"),
    (lambda x: np.hstack([x, x]), ValueError, "got (6, 4)"),
    (lambda x: x.ravel(), ValueError, "got (12,)"),
    (lambda x: x[None], ValueError, "got (1, 6, 2)"),
    (lambda x: 0.0, ValueError, "got ()"),
    (lambda x: None, TypeError, "got None"),
    (lambda x: (x, True), TypeError, "got tuple"),
    (lambda x: [[0.0], [0.0, 1.0]] * 3, TypeError, "got list"),
    (lambda x: x + 0j, TypeError, "got ndarray of complex128"),
    (lambda x: x.astype(object), TypeError, "got ndarray of object"),
    (lambda x: x.astype(str), TypeError, "got ndarray of <U32"),
    (lambda x: np.where(x == x[0], np.nan, x), ValueError, "got some that are NaN, infinite or masked"),
    (lambda x: np.where(x == x[0], np.inf, x), ValueError, "got some that are NaN, infinite or masked"),
    (lambda x: np.ma.masked_array(x, x == x[0]), ValueError, "got some that are NaN, infinite or masked"),
):
    words = f"the kernel must return one state for each of 6 chains, (6, 2), {words}"
    mistake(WITH_KERNEL, words, error, kernel=lambda f, x, rng, returned=returned: returned(x))
mistake(
    WITH_KERNEL, "the kernel must return one state for each of 6 chains, (6, 2), got (6, 1)",
    path=everywhere(gibbs=lambda x, rng: x[:, :1]), kernel=ae.gibbs,
)  # fmt: skip


def shifting(x):
    x -= 1.0
    return log_density(x)


def halving(x):
    x *= -0.5
    return x


for returned, error, words in (
    (lambda x: -(x**2).sum(), ValueError, "one number a chain, (6,), got ()"),
    (lambda x: -(x**2), ValueError, "one number a chain, (6,), got (6, 2)"),
    (lambda x: -(x**2).sum(-1, keepdims=True), ValueError, "one number a chain, (6,), got (6, 1)"),
    (lambda x: None, ValueError, "one number a chain, (6,), got ()"),
    (lambda x: np.where(x[..., 0] == x[0, 0], np.nan, 0.0), ValueError, "NaN or +inf in some chain"),
    (lambda x: np.where(x[..., 0] == x[0, 0], np.inf, 0.0), ValueError, "NaN or +inf in some chain"),
    (lambda x: log_density(x) + 0j, TypeError, "array of real numbers, got complex128"),
    (lambda x: log_density(x).astype(object), TypeError, "array of real numbers, got object"),
    (lambda x: np.ma.masked_array(log_density(x), x[..., 0] == x[0, 0]), ValueError, "got 1 masked ones"),
    (shifting, ValueError, "log_density must not change x in place: let it work on a copy, x = x.copy()"),
    (lambda x: log_density(x) - 0.1 * (x**2).sum(), ValueError, "log_density of path(1) must take every state alone"),
):
    for path in bridges(returned):
        mistake(EVERY, words, error, path=path, kernel=stay)
for path in bridges(gradient=lambda x: gradient(x) - x.mean()):
    mistake(EVERY, "grad_log_density of path(1) must take every state alone", path=path)
for returned, error, words in (
    (lambda x: -x.sum(-1), ValueError, r"must map shape \(\d, 2\) to itself, got \(\d,\)"),
    (lambda x: -x + 0j, TypeError, "real numbers, got complex128"),
    (lambda x: x * np.nan, ValueError, "grad_log_density is NaN in some chain"),
    (halving, ValueError, r"(grad|grad_log_density) must not change x in place: let it work on a copy, .*"),
):
    for path in bridges(gradient=returned):
        mistake([*WITH_KERNEL, "hais"], re.compile(words), error, path=path, kernel=ae.hmc(0.5, 2))


@pytest.mark.parametrize(("name", "number"), [(name, at) for at, row in enumerate(MISTAKES) for name in row[0]])
def test_the_same_mistake_raises_the_same_error_from_every_estimator(name, number):
    _, words, error, arguments = MISTAKES[number]
    kind, said = complaint(name, **arguments)
    assert issubclass(kind, error)
    assert words.search(said) if isinstance(words, re.Pattern) else words in said


@pytest.mark.parametrize("name", WITH_LOG_Z)
def test_a_bad_log_z_of_the_start_raises_before_any_move(name):
    """The target's density at given draws may be computed before; a run would compute one at every step."""
    asked = []

    def watched(x):
        asked.append(x)
        return log_density(x)

    complaint(name, path=everywhere(log_density=watched, log_z=np.nan))
    assert sum(len(x) > 3 for x in asked) <= 1  # the check of the path asks about three states


@pytest.mark.parametrize("name", WITH_KERNEL)
def test_the_result_of_every_move_is_checked(name):
    def late(f, x, rng):
        late.calls += 1
        return x[:, :1] if late.calls == late.spoiled else x

    late.calls, late.spoiled = 0, 0
    run(name, kernel=late)
    for move in range(1, late.calls + 1, 3):
        late.calls, late.spoiled = 0, move
        assert re.search(r"the kernel must return one state .*, got \(\d+, 1\)$", complaint(name, kernel=late)[1]), move


@pytest.mark.parametrize("bad_beta", [0.0, 1 / 3, 1.0])
@pytest.mark.parametrize("name", [name for name in EVERY if name != "tempered_transitions"])
def test_a_nan_density_raises_with_its_beta(name, bad_beta):
    def at(beta):
        return Own((lambda x: np.full(x.shape[:-1], np.nan)) if beta == bad_beta else log_density)

    paths = [at]
    if bad_beta in (0, 1) and name in ("hais", "log_density_matrix"):  # which ask the ends themselves
        paths.append(ae.geometric_path(at(0.0), at(1.0)))
    for path in paths:
        assert re.search(rf"NaN .*at beta = {bad_beta:.6g}$", complaint(name, path=path, kernel=stay)[1])


def test_generators_check_their_arguments_at_the_call():
    for states, counts in ((ae.tempering.parallel.tempering_states, (3,)), (ae.tempering.rts.rts_rounds, (1, 3, 3))):
        with pytest.raises(TypeError, match="rng must be"):
            states(PATH, SCHEDULE, *counts, step, rng=0)


HANDED_IN = {
    "samples": lambda x: ae.reverse_ais(PATH, SCHEDULE, x, step, rng=rng()),
    "data": lambda x: ae.raise_log_likelihood(PATH, SCHEDULE, x, 3, step, rng=rng()),
    "x": lambda x: ae.log_density_matrix(PATH, SCHEDULE, x),
    "x of a transition": lambda x: (move := ae.tempered_transitions(PATH, SCHEDULE, step))(move.target, x, rng()),
}


@pytest.mark.parametrize("handed_in", HANDED_IN)
@pytest.mark.parametrize(
    ("states", "words"),
    [
        (STATES[:, :1], r"must have shape \(N, 2\), got \(6, 1\)"),
        (STATES[0], r"must have shape \(N, 2\), got \(2,\)"),
        (STATES[:0], r"must have shape \(N, 2\), got \(0, 2\)"),
        (np.where(STATES == STATES[0, 0], np.nan, STATES), "must be finite, got NaN or infinity in 1 entries"),
        (np.ma.masked_array(STATES, STATES == STATES[0, 0]), "must not hide entries, got 1 masked ones"),
        (STATES + 0j, "must be an array of real numbers, got ndarray of complex128"),
        (STATES.astype(str), "must be an array of real numbers"),
        (None, "must be an array of real numbers, got NoneType"),
        ([[0.0], [0.0, 1.0]], "must be an array of numbers"),
    ],
)
def test_bad_states_are_named(handed_in, states, words):
    with pytest.raises((TypeError, ValueError), match=rf"^{handed_in.split()[0]} {words}"):
        HANDED_IN[handed_in](states)


def noisy(generator, still=()):
    """In two dimensions: on a line, lengths of pieces that happen to go one way add up, as if it were smooth."""
    return lambda beta: ae.Gaussian(np.array([4 * beta, 0]) + (beta not in still) * generator.normal(size=2), np.eye(2))


def ising():
    found = ae.Unnormalized(lambda x: x[..., 0] * x[..., 1], DIM)
    found.discrete = True
    return found


RBM, GRBM = ae.uniform_rbm(3, 2), ae.GaussianRBM(np.ones((3, 2)), np.zeros(3), np.zeros(2), np.ones(3))
IMAGES, HIDDEN = np.eye(3), np.ma.masked_array(np.eye(2), np.eye(2) == 0)
HALF_LINE = path_to(ae.Unnormalized(lambda x: np.where(x[..., 0] > 0, log_density(x), -np.inf), DIM))
OUT_OF_REACH = path_to(ae.Unnormalized(lambda x: np.where(np.abs(x[..., 0] - 100) < 0.1, 0.0, -np.inf), DIM))
RUN, LOG_F = ae.ais(PATH, SCHEDULE, N, step, rng=rng()), np.zeros((2, 2))
OTHERS = [
    (lambda: ae.kl_bias(path_to(START), SCHEDULE, reverse="no"), "reverse must be True or False, got 'no'"),
    (lambda: ae.estimate_mean_and_cov(GRBM, 2, 3, 1, rao_blackwellized=None, rng=rng()),
     "rao_blackwellized must be True or False, got None"),
    (lambda: ae.thermodynamic_integration(LOG_F, [1, 1], [0, 1], rao_blackwellized=1),
     "rao_blackwellized must be True or False, got 1"),
    (lambda: track_log_likelihood([], IMAGES, both_layers="v", rng=rng()),
     "both_layers must be True or False, got 'v'"),
    (lambda: ae.train_rbm(IMAGES, 2, np.array(["cd"]), rng=rng()), "method must be one of cd, pcd, pt, got array"),
    (lambda: ae.LinearGenerative(np.eye(2), prior=np.zeros(2)), "prior must be one of gaussian, laplace"),
    (lambda: ae.Gaussian([0.0], [[1.0]], log_scale=1j), "log_scale must be a number, got 1j"),
    (lambda: ae.base_rate_rbm([[1], [0, 1]], 2), "data must be an array of numbers"),
    (lambda: START.log_density([[1.0], [0.0, 1.0]]), "x must be an array of numbers"),
    (lambda: ae.binary_states(-1), "n_units must be at least 0, got -1"),
    (lambda: START.sample(0, rng()), "n must be at least 1, got 0"),
    (lambda: RBM.sample(0, rng()), "n must be at least 1, got 0"),
    (lambda: GRBM.sample(0, rng()), "n must be at least 1, got 0"),
    (lambda: ae.ProductOfExperts(np.eye(2)).sample(0, rng()), "n must be at least 1, got 0"),
    (lambda: ae.LinearGenerative(np.eye(2)).sample(0, rng()), "n must be at least 1, got 0"),
    (lambda: expectation_maximisation(IMAGES, ae.LinearGenerative(np.eye(3)), rng=rng()),
     "number of data points must be at least 4, got 3"),
    *((lambda level=level: RUN.interval(level), "level must be a number") for level in ("a", None, [0.9], True)),
    *((lambda wrong=wrong: count_round_trips(wrong), "replicas must") for wrong in (
        np.zeros(3), np.zeros((4, 3)), np.zeros((4, 3, 2)), np.full((4, 3, 2), np.arange(1, 4)[:, None]),
        np.zeros((4, 3, 2), complex), None)),
    *((lambda f=f: f(None), "path must be a function") for f in (ae.cost_functional, ae.path_length)),
    (lambda: ae.segment_costs(lambda beta: None, [0, 1]), "path(0) must be a distribution"),
    *((lambda f=f: f(noisy(rng())), "path must be the same") for f in (ae.cost_functional, ae.path_length)),
    *((lambda wrong=wrong: ae.data_moments(wrong, np.zeros((2, 3))), f"must be a BinaryRBM, got {type(wrong).__name__}")
      for wrong in (None, START, ae.JointRBM(RBM))),
    (lambda: ae.estimate_moments(START, 2, 3, 1, rng=rng()), "rbm must be a BinaryRBM, got Gaussian"),
    (lambda: ae.estimate_mean_and_cov(RBM, 2, 3, 1, rng=rng()), "grbm must be a GaussianBernoulli, got BinaryRBM"),
    (lambda: ae.data_moments(ae.uniform_rbm(4, 1), np.zeros((2, 3))), "data must have shape (2, 4), got (2, 3)"),
    *((call, "must not hide entries, got 2 masked ones: fill or drop them") for call in (
        lambda: ae.Gaussian(np.zeros(2), HIDDEN), lambda: START.log_density(HIDDEN),
        lambda: ae.uniform_rbm(2, 1).gibbs(HIDDEN, rng()), lambda: ae.mbar(HIDDEN, [1, 1]))),
    (lambda: ae.reverse_ais(HALF_LINE, SCHEDULE, [[1.0, 0.0], [-1.0, 0.0], [2.0, 0.0]], step, rng=rng()),
     "samples must be draws of the target, got 1 of 3 where its density is zero"),
    (lambda: ae.sandwich(OUT_OF_REACH, [0.0, 0.5, 1.0], 5, step, rng=rng()),
     "every weight of the forward run is zero: no chain landed where"),
    (lambda: ae.ais(ae.geometric_path(ae.Gaussian(np.zeros(20), 1.0), ae.Unnormalized(lambda x: -(x**2).sum(0), 20)),
                    SCHEDULE, 20, step, rng=rng()), "log_density of path(1) must take every state alone"),
    (lambda: ae.ais(path_to(ising()), SCHEDULE, N, rng=rng()), "lambda beta: Ising(beta * J)"),
    *((lambda make=make: make(), "must be") for make in (
        lambda: ae.random_walk(0.0), lambda: ae.random_walk([1.0, -1.0]), lambda: ae.random_walk(np.nan),
        lambda: ae.hmc(-0.1, 3), lambda: ae.hmc(np.inf, 3))),
    (lambda: ae.exact(PATH(1.0), STATES, rng()), "needs a distribution with sample()"),
    (lambda: ae.gibbs(PATH(1.0), STATES, rng()), "gibbs(), which Unnormalized lacks; use random"),
    (lambda: ae.random_walk(0.1)(RBM, IMAGES, rng()), "BinaryRBM is discrete: use gibbs"),
    (lambda: ae.hmc(0.1, 2)(RBM, IMAGES, rng()), "BinaryRBM is discrete: use gibbs"),
    (lambda: ae.hmc(0.1, 2)(ae.Unnormalized(log_density, DIM), STATES, rng()), "pass grad"),
    (lambda: ae.random_walk(0.5)(ae.geometric_path(RBM, ae.Unnormalized(lambda v: v.sum(-1), 3))(0.5), IMAGES, rng()),
     "discrete"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), OTHERS)
def test_other_bad_input_is_named(call, words):
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        call()


def test_a_path_too_rough_to_integrate_raises(monkeypatch):
    monkeypatch.setattr("anneal_edu.paths.asymptotics._MOST_PIECES", 500)
    with pytest.raises(ValueError, match="path is too rough to integrate: after 500 pieces"):
        ae.path_length(noisy(rng(), still=(0.5,)))


def test_a_model_of_an_unknown_name_is_not_trained(tmp_path):
    with pytest.raises(SystemExit, match=r"no model is called digits9_cd; there are digits8_cd, .*, cifar_pcd_200"):
        train_models(["digits8_cd", "digits9_cd", "--folder", str(tmp_path)])
    assert not list(tmp_path.iterdir())


# What is no mistake


def to_the_bit(result):
    return [number.tobytes() for number in numbers(result)]


def step_in_place(distribution, x, rng):
    x[:] = step(distribution, x, rng)
    return x


def step_in_one_array(distribution, x, rng, array=np.empty((N, DIM))):  # noqa: B008 - one array for all calls
    array[: len(x)] = step(distribution, x, rng)
    return array[: len(x)]


@pytest.mark.parametrize("name", WITH_KERNEL)
def test_a_kernel_or_a_sweep_may_work_in_place(name):
    before = STATES.copy()
    for kernel in (step_in_place, step_in_one_array):
        assert to_the_bit(run(name, kernel=kernel)) == to_the_bit(run(name))
    found = run(name, everywhere(), kernel=ae.gibbs)
    copied = run(name, everywhere(), kernel=lambda f, x, rng: f.gibbs(x.copy(), rng))
    assert to_the_bit(found) == to_the_bit(copied)
    np.testing.assert_array_equal(STATES, before, err_msg="the caller's samples were moved")


def test_states_may_be_read_only():
    fixed = STATES.copy()
    fixed.setflags(write=False)
    result = ae.reverse_ais(PATH, SCHEDULE, fixed, step_in_place, rng=rng())
    result.samples[:] = 0  # what comes back is the caller's to change
    assert fixed.any()


@pytest.mark.parametrize("name", DRAWING)
def test_whole_numbers_become_real_ones_where_a_kernel_makes_them_so(name):
    found = run(name, everywhere(sample=lambda n, rng: rng.integers(3, size=(n, DIM))))
    states = getattr(found, "forward", found)
    assert ((states.x if hasattr(states, "x") else states.samples) % 1).any()


def test_data_without_density_have_a_likelihood_of_zero():
    x = np.array([[1.0, 0.0], [-1.0, 0.0], [2.0, 0.0]])
    found = ae.raise_log_likelihood(HALF_LINE, SCHEDULE, x, 10, step, rng=rng())
    np.testing.assert_array_equal(np.isneginf(found), [False, True, False])
    assert ae.raise_log_likelihood(HALF_LINE, SCHEDULE, x[1:2], 10, step, rng=rng()) == [-np.inf]


def test_numpy_s_errstate_changes_nothing():
    """Tiny weights underflow to 0, whatever NumPy is told of that."""
    rbm = ae.BinaryRBM(60 * np.eye(4), np.full(4, -30.0), np.full(4, -30.0))
    path, far = ae.geometric_path(ae.uniform_rbm(4, 4), rbm), path_to(ae.Gaussian([90.0, 0.0], np.eye(2)))
    log_f, wide = np.array([[0.0, -1.0, -900.0, -1.0], [-1.0, 0.0, -1.0, -2.0]]), np.array([0.0, -900.0])

    def said(rng):
        results = [run(path, SCHEDULE, N, rng=rng) for run in (ae.ais, ae.sandwich)]
        results += [run(far, SCHEDULE, N, rng=rng) for run in (ae.ais, ae.hais)]
        results += [ae.parallel_tempering(far, SCHEDULE, 4, N, rng=rng), ae.rts(path, SCHEDULE, 4, 9, N, rng=rng)]
        results += [ae.simulated_tempering(far, SCHEDULE, np.zeros(4), 4, N, rng=rng), ae.stepping_stone(log_f, [2, 2])]
        results += [ae.mbar(log_f, [2, 2]), ae.thermodynamic_integration(log_f, [2, 2], [0, 1])]
        results += [ae.log_mean_exp(wide), ae.effective_sample_size(wide), ae.gibbs(rbm, rbm.sample(3, rng), rng)]
        return [str(result) for result in [*results, log_conditionals(log_f, np.zeros(2))]]

    with np.errstate(all="raise"):
        strict = said(rng())
    assert strict == said(rng())
