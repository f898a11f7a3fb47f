"""Every option of every public function does something: two of its values, all else equal, give two results."""

import inspect
from dataclasses import is_dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu import data, training
from tests.records import numbers


def rng(seed=0):
    return np.random.default_rng(seed)


def random_rbm(n_visible, n_hidden, seed, scale=1.0):
    made = rng(seed)
    return ae.BinaryRBM(
        scale * made.normal(size=(n_visible, n_hidden)), made.normal(size=n_visible), made.normal(size=n_hidden)
    )


BETAS = ae.linear_schedule(4)
PATH = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[0.3]]))
LAPLACE = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=1)  # no exact draws, no gradient
TO_LAPLACE = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), LAPLACE)
RBM, OTHER_RBM = random_rbm(4, 3, 1), random_rbm(4, 3, 2)
RBM_PATH = ae.geometric_path(ae.uniform_rbm(4, 3), RBM)
STUCK = ae.BinaryRBM(np.full((4, 3), 40.0), np.full(4, -60.0), np.full(3, -80.0))  # all off, or all on, for ever
GRBM = ae.GaussianRBM(rng(3).normal(size=(2, 2)), [0.5, -0.5], [0.2, 0.1], [0.7, 1.2])
EXPERTS = ae.ProductOfExperts([[1.0, 0.3], [0.2, 1.5], [0.7, -0.9]])
BINARY = (rng(4).random((30, 4)) < [0.2, 0.4, 0.6, 0.8]).astype(float)
REAL = rng(5).normal(size=(30, 2)) * [1.0, 0.5]
LOG_WEIGHTS = rng(6).normal(size=30)
X = rng(8).normal(size=(15, 1)) * 0.8 + 0.5
LOG_F, COUNTS = ae.log_density_matrix(PATH, BETAS, X), [3] * 5
CHAINS = np.tile(np.arange(3), 5)
SLOPES = ae.log_density_slopes(PATH, BETAS, X)
COLOURS, MORE_COLOURS = ([rng(seed).uniform(0, 255, size=(9, 12, 3))] for seed in (9, 10))
GREYS, MORE_GREYS = ([rng(seed).uniform(0, 255, size=(9, 24))] for seed in (11, 12))

walk = ae.random_walk(0.5)
long_walk = ae.random_walk(0.9)


def training_states():
    return ae.contrastive_divergence(
        BINARY, 3, "cd", n_gibbs=1, n_updates=12, learning_rate=0.5, batch_size=10, rng=rng()
    )


class Options(NamedTuple):
    """A call, its options, and of each two values whose results must differ."""

    function: object
    call: object
    values: dict


def first_rounds(**options):
    return list(islice(ae.rts_rounds(RBM_PATH, BETAS, 1, 2, 3, rng=rng(), **options), 2))


def first_sweeps(**options):
    return list(islice(ae.tempering_states(TO_LAPLACE, BETAS, 3, **({"kernel": walk} | options), rng=rng()), 4))


def trained(train, *arguments, **options):
    """The parameters, and not sigma, which may be an option itself; weights that have left their start at zero."""
    rbm = train(*arguments, **({"n_updates": 60, "learning_rate": 2.0, "batch_size": 5} | options), rng=rng())
    return rbm.weights, rbm.visible_bias, rbm.hidden_bias


def updates(**options):
    states = ae.contrastive_divergence(
        BINARY, 3, "pt", n_gibbs=1, n_updates=3, learning_rate=0.5, batch_size=5, rng=rng(), **options
    )
    return [(state.weights.copy(), state.particles.copy()) for state in states]


def tracked(**options):
    settings = {"every": 4, "n_sweeps": 2, "n_chains": 5, "schedule": BETAS}
    return list(ae.track_log_likelihood(training_states(), BINARY, **(settings | options), rng=rng()))


def integrated(rao_blackwellized=True, log_z=(0.0, 0.1, 0.2, 0.3, 0.4)):
    """log_z goes with rao_blackwellized."""
    log_z = {"log_z": log_z} if rao_blackwellized else {}
    return ae.thermodynamic_integration(LOG_F, COUNTS, BETAS, rao_blackwellized=rao_blackwellized, **log_z)


def flowed(**options):
    settings = {"n_rounds": 2, "n_iterations": 2, "step_size": 0.05, "n_leapfrog": 3}
    return ae.minimum_probability_flow(REAL, EXPERTS, **(settings | options), rng=rng())


def maximised(**options):
    start = ae.LinearGenerative(np.eye(2), noise=0.5)
    return ae.expectation_maximisation(REAL, start, **({"n_iterations": 2, "n_moves": 2} | options), rng=rng())


def fit_to(moments, **options):
    return ae.pcd_fit(**({"n_updates": 3, "n_particles": 4} | options), rng=rng())(moments, ae.uniform_rbm(4, 3))


def spline(**options):
    return ae.moment_spline_path(ae.uniform_rbm(4, 3), RBM, **({"knots": 1} | options))


def moments_of_chains(**options):
    return ae.estimate_moments(RBM, **({"n_chains": 4, "n_steps": 6, "n_burn_in": 2} | options), rng=rng())


def moments_from(start=((0,) * 4,) * 2, **options):
    return ae.estimate_moments(STUCK, 2, 1, 0, start=start, **options, rng=rng())


def cov_of_chains(**options):
    settings = {"n_chains": 4, "n_steps": 6, "n_burn_in": 2, "rao_blackwellized": False}
    return ae.estimate_mean_and_cov(GRBM, **(settings | options), rng=rng())


def swept(**options):
    return ae.parallel_tempering(TO_LAPLACE, BETAS, 4, 3, **({"kernel": walk} | options), rng=rng())


def tempered(**options):
    return ae.simulated_tempering(TO_LAPLACE, BETAS, np.zeros(5), 4, 3, **({"kernel": walk} | options), rng=rng())


def rts_run(**options):
    return ae.rts(TO_LAPLACE, BETAS, 4, 2, 3, **({"kernel": walk} | options), rng=rng())


def bounded(**options):
    return ae.sandwich(TO_LAPLACE, BETAS, 4, **({"kernel": walk, "n_burn_in": 2} | options), rng=rng())


def likelihood(model, **options):
    return ae.log_likelihood(model, REAL[:3], BETAS, **({"n_chains": 4} | options), rng=rng()).log_likelihoods


def tuned(**options):
    return ae.adaptive_schedule(PATH, **({"n_chains": 11, "kernel": walk} | options), rng=rng()).schedule


def move(kernel):
    """One tempered transition."""
    whole = ae.tempered_transitions(TO_LAPLACE, BETAS, kernel)
    return whole.move(X, rng())


def grey(**options):
    settings = {"n_components": 3, "size": 3, "images": GREYS, "n_held_out": 4}
    return ae.data.gray_patches(20, **(settings | options), rng=rng())


def colour(**options):
    return ae.data.color_patches(20, **({"size": 2, "images": COLOURS} | options), rng=rng())


A_RUN = ae.ais(PATH, BETAS, 20, rng=rng())
MIXED = ae.LinearGenerative([[1.0, 0.5], [0.0, 1.0]], noise=0.5)
SCORED = rng(13).normal(size=(4, 2))
MCRBM = (np.eye(2), -np.eye(2), np.zeros(2), np.eye(2), np.zeros(2), np.zeros(2))

NARROW, WIDE = ae.Gaussian([0.0], [[0.5]]), ae.Gaussian([0.0], [[2.0]])


def audited(n_draws=1000, on=NARROW, risk=0.001):
    undecided = lambda distribution, x, rng: x + 0.3 * rng.standard_normal(x.shape)  # noqa: E731
    return ae.audit(undecided, n_draws=n_draws, on=on, risk=risk, rng=rng())


TABLE = [
    Options(ae.audit, audited, {"n_draws": (1000, 1001), "on": (NARROW, WIDE), "risk": (1e-3, 0.5)}),
    Options(ae.AISResult.interval, A_RUN.interval, {"level": (0.5, 0.9), "n_resamples": (1, 400)}),
    Options(ae.BilinearGenerative, lambda noise: ae.BilinearGenerative(
        np.eye(2), np.eye(2), np.ones((2, 1)), noise).sample(3, rng()), {"noise": (0.1, 0.5)}),
    Options(ae.Gaussian, lambda log_scale: ae.Gaussian([0.0], [[1.0]], log_scale).log_density([1.0]),
            {"log_scale": (0.0, 1.0)}),
    Options(ae.GaussianBernoulli, lambda constant: ae.GaussianBernoulli(
        np.zeros(1), np.eye(1), np.eye(1), np.zeros(1), constant).log_density([1.0]), {"constant": (0.0, 1.0)}),
    Options(ae.LinearGenerative, lambda **o: ae.LinearGenerative(np.eye(2), **o).sample(3, rng()),
            {"noise": (0.1, 0.5), "prior": ("gaussian", "laplace")}),
    Options(ae.MeanCovarianceRBM, lambda sigma: ae.MeanCovarianceRBM(*MCRBM, sigma).log_density(SCORED),
            {"sigma": (1.0, 2.0)}),
    Options(ae.ProductOfExperts, lambda **o: ae.ProductOfExperts(np.eye(2), **o).log_density(SCORED),
            {"weights": (None, np.array([1.0, 2.0])), "expert": ("laplace", "student_t")}),
    Options(ae.Unnormalized, lambda grad: ae.Unnormalized(lambda x: -(x**2).sum(-1), 2, grad).grad_log_density(SCORED),
            {"grad": (lambda x: -2 * x, lambda x: 2 * x)}),
    Options(ae.ais, lambda **o: ae.ais(PATH, BETAS, 4, **o, rng=rng()),
            {"kernel": (ae.gibbs, walk), "resample": (0, 1)}),
    Options(ae.base_rate_rbm, lambda clip: ae.base_rate_rbm([[0, 1, 1], [0, 1, 0]], 1, clip), {"clip": (0.01, 0.1)}),
    Options(ae.bootstrap_log_mean_exp, lambda **o: ae.bootstrap_log_mean_exp(LOG_WEIGHTS, **o, rng=rng()),
            {"n_resamples": (2, 3)}),
    Options(ae.contrastive_divergence, updates,
            {"swaps": ("even_odd", "lifted"), "n_rungs": (3, 4), "decay": (True, False)}),
    Options(ae.data_moments, lambda example_weights: ae.data_moments(RBM, BINARY, example_weights),
            {"example_weights": (None, np.arange(30.0))}),
    Options(ae.estimate_mean_and_cov, cov_of_chains,
            {"n_chains": (4, 5), "n_steps": (6, 7), "n_burn_in": (2, 3), "rao_blackwellized": (True, False)}),
    Options(ae.estimate_moments, moments_of_chains,
            {"n_chains": (4, 5), "n_steps": (6, 7), "n_burn_in": (2, 3), "every": (1, 2)}),
    Options(ae.estimate_moments, moments_from,
            {"start": (np.zeros((2, 4)), np.ones((2, 4)))}),
    Options(ae.expectation_maximisation, maximised, {"n_iterations": (2, 3), "n_moves": (2, 3)}),
    Options(ae.expected_ais_weights, lambda **o: ae.expected_ais_weights(np.zeros((2, 2)), [np.eye(2)], **o),
            {"starts": (None, np.array([True, False]))}),
    Options(ae.hais, lambda **o: ae.hais(PATH, BETAS, 4, **o, rng=rng()),
            {"step_size": (0.2, 0.3), "refresh": (None, 0.5)}),
    Options(ae.kl_bias, lambda **o: ae.kl_bias(PATH, BETAS, **o), {"reverse": (False, True)}),
    Options(ae.larger_ess_p_value, lambda **o: ae.larger_ess_p_value(np.zeros(9), np.zeros(8), **o, rng=rng()),
            {"n_resamples": (20, 30)}),
    Options(ae.log_likelihood, partial(likelihood, EXPERTS), {"n_chains": (4, 5), "step_size": (0.2, 0.3)}),
    Options(ae.log_likelihood, partial(likelihood, MIXED), {"n_chains": (4, 5), "step_size": (0.2, 0.3)}),
    Options(ae.match_moments, lambda **o: ae.match_moments(RBM.moments(), ae.uniform_rbm(4, 3), **o),
            {"tolerance": (1e-1, 1e-6), "max_evaluations": (2, 4)}),
    Options(ae.minimum_probability_flow, flowed,
            {"n_rounds": (2, 3), "n_iterations": (2, 3), "step_size": (0.05, 0.1), "n_leapfrog": (3, 4)}),
    Options(ae.moment_spline_path, spline,
            {"knots": (1, 2), "target_moments": (None, OTHER_RBM.moments()),
             "fit": (partial(ae.match_moments, tolerance=1e-6), partial(ae.match_moments, tolerance=1e-1))}),
    Options(ae.optimal_binned_schedule, lambda **o: ae.optimal_binned_schedule(
        ae.moment_path(PATH.start, PATH.end), 12, **o), {"n_bins": (2, 3)}),
    Options(ae.parallel_tempering, swept,
            {"kernel": (walk, long_walk), "swaps": ("even_odd", "lifted"), "n_burn_in": (0, 1),
             "keep": ("all", "target"), "keep_every": (1, 2)}),
    Options(ae.pcd_fit, partial(fit_to, RBM.moments()),
            {"n_updates": (3, 4), "n_particles": (4, 5), "learning_rate": (0.01, 0.1)}),
    Options(ae.raise_log_likelihood, lambda **o: ae.raise_log_likelihood(PATH, BETAS, X[:2], 3, **o, rng=rng()),
            {"kernel": (ae.gibbs, walk)}),
    Options(ae.reverse_ais, lambda **o: ae.reverse_ais(PATH, BETAS, X[:3], **o, rng=rng()),
            {"kernel": (ae.gibbs, walk)}),
    Options(ae.rts, rts_run, {"kernel": (walk, long_walk), "n_initial": (1, 3), "log_z": (None, np.arange(5.0))}),
    Options(ae.rts_rounds, first_rounds, {"kernel": (ae.gibbs, ae.exact), "log_z": (None, np.arange(5.0))}),
    Options(ae.sandwich, bounded, {"kernel": (walk, long_walk), "n_burn_in": (2, 3), "data": (None, X + 3)}),
    Options(ae.simulated_tempering, tempered,
            {"kernel": (walk, long_walk), "n_burn_in": (0, 1), "keep_every": (1, 2)}),
    Options(ae.tempered_transitions, move, {"kernel": (walk, long_walk)}),
    Options(ae.tempering_states, first_sweeps, {"kernel": (walk, long_walk), "swaps": ("even_odd", "lifted")}),
    *(Options(method, partial(method, LOG_F, COUNTS, *more), {
        "chains": (None, CHAINS), "start_log_z": (None, 0.5),
    }) for method, more in ((ae.mbar, ()), (ae.stepping_stone, ()), (ae.thermodynamic_integration, (BETAS,)))),
    Options(ae.thermodynamic_integration, lambda slopes: ae.thermodynamic_integration(LOG_F, COUNTS, BETAS, slopes),
            {"slopes": (None, 2 * SLOPES)}),
    Options(ae.thermodynamic_integration, integrated,
            {"rao_blackwellized": (True, False), "log_z": ((0.0, 0.1, 0.2, 0.3, 0.4), (0.0, 0.4, 0.3, 0.2, 0.1))}),
    Options(ae.track_log_likelihood, tracked,
            {"validation": (BINARY[:7], BINARY[7:]), "every": (4, 6), "n_sweeps": (2, 3), "n_chains": (5, 6),
             "schedule": (BETAS, ae.linear_schedule(5)), "both_layers": (True, False)}),
    Options(ae.train_gaussian_rbm, partial(trained, ae.train_gaussian_rbm, REAL, 2, learning_rate=0.5),
            {"method": ("cd", "pcd"), "n_gibbs": (1, 2), "n_updates": (60, 61), "learning_rate": (0.5, 0.6),
             "batch_size": (5, 6), "sigma": (1.0, [1.0, 0.5]), "learn_sigma": (True, False)}),
    Options(ae.train_rbm, partial(trained, ae.train_rbm, BINARY, 3),
            {"method": ("cd", "pcd"), "n_gibbs": (1, 2), "n_updates": (60, 61), "learning_rate": (2.0, 2.1),
             "batch_size": (5, 6), "decay": (True, False)}),
    Options(ae.train_rbm, partial(trained, ae.train_rbm, BINARY, 3, "pt"),
            {"swaps": ("even_odd", "lifted"), "n_rungs": (3, 4)}),
    Options(ae.adaptive_schedule, tuned, {"ess": (0.9, 0.5)}),
    Options(data.bars_and_stripes, data.bars_and_stripes, {"size": (2, 3)}),
    Options(data.color_patches, colour, {"size": (2, 3), "images": (COLOURS, MORE_COLOURS)}),
    Options(data.digits, lru_cache(maxsize=2)(data.digits), {"size": (8, 28)}),
    Options(data.gray_patches, grey,
            {"n_components": (3, 4), "size": (3, 4), "images": (GREYS, MORE_GREYS), "n_held_out": (4, 5)}),
]  # fmt: skip


def public_objects():
    """Every function and class that the package, its training and its data offer, and the methods of the classes."""
    for module in (ae, training, data):
        names = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
        for found in (getattr(module, name) for name in names):
            if not getattr(found, "__module__", "").startswith("anneal_edu"):
                continue
            if inspect.isclass(found):
                methods = inspect.getmembers(found, inspect.isfunction)
                yield from (method for name, method in methods if not name.startswith("_"))
            if inspect.isfunction(found) or inspect.isclass(found):
                yield found


def is_record(found):
    """What the library fills in, field by field: `test_every_field` holds it to its formulas."""
    abilities = {"log_density", "sample", "__call__"}
    return is_dataclass(found) and not any(abilities & vars(base).keys() for base in found.__mro__)


def options_of(found):
    parameters = () if is_record(found) else inspect.signature(found).parameters.values()
    return {p.name for p in parameters if p.default is not p.empty}


def same(first, second):
    first, second = numbers(first), numbers(second)
    return len(first) == len(second) and all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(first, second, strict=True)
    )


@pytest.mark.parametrize(
    ("call", "name", "pair"),
    [
        pytest.param(call, name, pair, id=f"{function.__qualname__}-{name}")
        for function, call, options in TABLE
        for name, pair in options.items()
    ],
)
def test_an_option_moves_a_result(call, name, pair):
    one, other, again = (call(**{name: value}) for value in (*pair, pair[0]))
    assert same(one, again), "the two results must not differ by chance"
    assert not same(one, other)


LEFT_OUT = [
    ("track_log_likelihood: 100 equal rungs", tracked, "schedule", ae.linear_schedule(100)),
    ("rts: half of the rounds are initial", rts_run, "n_initial", 2),
    ("hais: 1 - 2^(-step size)", lambda **o: ae.hais(PATH, BETAS, 4, 0.5, **o, rng=rng()), "refresh", 1 - 0.5**0.5),
    ("train_rbm: swaps", partial(trained, ae.train_rbm, BINARY, 3, "pt", n_updates=3), "swaps", "even_odd"),
    ("train_rbm: rungs", partial(trained, ae.train_rbm, BINARY, 3, "pt", n_updates=3), "n_rungs", 10),
    ("data_moments: alike", partial(ae.data_moments, RBM, BINARY), "example_weights", np.ones(30)),
    ("ProductOfExperts: ones", lambda **o: ae.ProductOfExperts(np.eye(2), **o).log_density(SCORED), "weights", [1, 1]),
    ("moment_spline_path: exact", spline, "target_moments", RBM.moments()),
]


@pytest.mark.parametrize(("call", "name", "value"), [pytest.param(*call, id=said) for said, *call in LEFT_OUT])
def test_none_stands_for_what_is_said(call, name, value):
    for one, other in zip(numbers(call(**{name: None})), numbers(call(**{name: value})), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(call, id=function.__qualname__)
        for function, call, options in TABLE
        if "progress" in options_of(function)
    ],
)
def test_progress_is_shown_when_asked(call, capsys):
    quiet, shown = call(), call(progress=True)
    assert same(quiet, shown)
    assert capsys.readouterr().err.count("%|") > 0
    call()
    assert capsys.readouterr().err == ""


def test_every_public_option_is_in_the_table():
    listed = {}
    for function, _, options in TABLE:
        listed.setdefault(function, set()).update(options)
    moves_nothing = {"progress", "workers"}  # tests/test_workers.py
    found = {function: options_of(function) - moves_nothing for function in {*public_objects(), *listed}}
    wrong = {f.__qualname__: options ^ listed.get(f, set()) for f, options in found.items()}
    wrong = {name: sorted(options) for name, options in wrong.items() if options}
    assert not wrong, "enter each option in TABLE: a call, and two values with which its results must differ"
