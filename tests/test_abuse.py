"""What users do wrong: the same words from every estimator for the same mistake, and nothing silently wrong."""

import re

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.models.__main__ import main as train_models
from anneal_edu.tempering.rts import climb
from anneal_edu.weights import _group_means

N, DIM, SCHEDULE = 6, 2, np.linspace(0, 1, 4)
START = ae.Gaussian(np.zeros(DIM), np.eye(DIM))


def log_density(x):
    return -4.5 * (x**2).sum(-1)  # narrower than the start: not every tempered transition is accepted


def gradient(x):
    return -9 * x


def step(distribution, x, rng):
    return ae.random_walk(0.5)(distribution, x, rng)


def path_to(target):
    return ae.geometric_path(START, target)


PATH = path_to(ae.Unnormalized(log_density, DIM, gradient))
STATES = np.random.default_rng(1).normal(size=(N, DIM))


def tempered(path, schedule, n_chains, kernel, rng):
    move = ae.tempered_transitions(path, schedule, kernel)
    return move(move.target, STATES[:n_chains].copy(), rng)


WALKERS = {
    "ais": lambda path, schedule, n, kernel, rng: ae.ais(path, schedule, n, kernel, rng=rng),
    "reverse_ais": lambda path, schedule, n, kernel, rng: ae.reverse_ais(path, schedule, STATES, kernel, rng=rng),
    "sandwich": lambda path, schedule, n, kernel, rng: ae.sandwich(path, schedule, n, kernel, n_burn_in=2, rng=rng),
    "raise_log_likelihood": lambda path, schedule, n, kernel, rng: ae.raise_log_likelihood(
        path, schedule, STATES, 1 if n == N else n, kernel, rng=rng
    ),
    "parallel_tempering": lambda path, schedule, n, kernel, rng: ae.parallel_tempering(
        path, schedule, 3, n, kernel, rng=rng
    ),
    "tempering_states": lambda path, schedule, n, kernel, rng: next(
        ae.tempering_states(path, schedule, n, kernel, rng=rng)
    ),
    "simulated_tempering": lambda path, schedule, n, kernel, rng: ae.simulated_tempering(
        path, schedule, np.zeros(4), 12, n, kernel, rng=rng
    ),
    "rts": lambda path, schedule, n, kernel, rng: ae.rts(path, schedule, 2, 12, n, kernel, rng=rng),
    "rts_rounds": lambda path, schedule, n, kernel, rng: next(
        ae.rts_rounds(path, schedule, 1, 12, n, kernel, np.zeros(4), rng=rng)
    ),
    "tempered_transitions": tempered,
}
WITHOUT_KERNEL = {
    "hais": lambda path, schedule, n, kernel, rng: ae.hais(path, schedule, n, rng=rng),
    "log_density_matrix": lambda path, schedule, n, kernel, rng: ae.log_density_matrix(path, schedule, STATES),
    "log_density_slopes": lambda path, schedule, n, kernel, rng: ae.log_density_slopes(path, schedule, STATES),
}
DRAWING = sorted({*WALKERS, "hais"} - {"reverse_ais", "raise_log_likelihood", "tempered_transitions"})
EVERY = WALKERS | WITHOUT_KERNEL


def run(name, path=PATH, schedule=SCHEDULE, n_chains=N, kernel=step, rng=None):
    return EVERY[name](path, schedule, n_chains, kernel, np.random.default_rng(0) if rng is None else rng)


def complaint(name, **arguments):
    """The kind of error and its words, without the place on the path."""
    with pytest.raises((TypeError, ValueError)) as caught:
        run(name, **arguments)
    return caught.type, re.sub(" at beta = .*", "", str(caught.value))


def numbers(result):
    """Every array of a result, to the last bit."""
    if isinstance(result, np.ndarray):
        return [result.tobytes()]
    if isinstance(result, float | int | str | None):
        return [result]
    return [number for value in vars(result).values() for number in numbers(value)]


# In place


def step_in_place(distribution, x, rng):
    x[:] = step(distribution, x, rng)
    return x


def step_in_one_array(distribution, x, rng, array=np.empty((N, DIM))):  # noqa: B008 - one array for all calls
    array[: len(x)] = step(distribution, x, rng)
    return array[: len(x)]


@pytest.mark.parametrize("name", WALKERS)
@pytest.mark.parametrize("kernel", [step_in_place, step_in_one_array])
def test_a_kernel_may_work_in_place(name, kernel):
    before = STATES.copy()
    assert numbers(run(name, kernel=kernel)) == numbers(run(name))
    np.testing.assert_array_equal(STATES, before, err_msg="the caller's samples were moved")


class InPlace:
    """A user's own distribution, whose sweep works in place."""

    dim = DIM

    def log_z(self):
        return 0.0

    def sample(self, n, rng):
        return rng.normal(size=(n, DIM))

    def log_density(self, x):
        return log_density(x)

    def gibbs(self, x, rng):
        x[:] = rng.normal(size=x.shape)
        return x


@pytest.mark.parametrize("name", WALKERS)
def test_so_may_the_sweep_of_a_distribution_of_ones_own(name):
    before = STATES.copy()
    found = run(name, lambda beta: InPlace(), kernel=ae.gibbs)
    assert numbers(found) == numbers(run(name, lambda beta: InPlace(), kernel=lambda f, x, rng: f.gibbs(x.copy(), rng)))
    np.testing.assert_array_equal(STATES, before)


def shifting(x):
    x -= 1.0
    return log_density(x)


def halving(x):
    x *= -0.5
    return x


class OfTheUsers:
    """A distribution with no help from the library."""

    dim = DIM

    def __init__(self, log_density, grad_log_density=gradient):
        self.log_density, self.grad_log_density = log_density, grad_log_density


KINDS = {"Unnormalized": lambda f, g=gradient: ae.Unnormalized(f, DIM, g), "a class of the user's": OfTheUsers}


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("kind", KINDS)
def test_a_density_that_changes_the_states_is_refused(name, kind):
    path = path_to(KINDS[kind](shifting))
    assert complaint(name, path=path) == (
        ValueError,
        "log_density must not change x in place: let it work on a copy, x = x.copy()",
    )


@pytest.mark.parametrize("kind", KINDS)
def test_so_is_a_gradient(kind):
    path = path_to(KINDS[kind](log_density, halving))
    for arguments in ({"name": "hais"}, {"name": "ais", "kernel": ae.hmc(0.1, 2)}):
        words = complaint(path=path, **arguments)[1]
        assert re.fullmatch(r"(grad|grad_log_density) must not change x in place: let it work on a copy, .*", words)


def test_states_may_be_read_only():
    fixed = STATES.copy()
    fixed.setflags(write=False)
    result = ae.reverse_ais(PATH, SCHEDULE, fixed, step_in_place, rng=np.random.default_rng(0))
    result.samples[:] = 0  # what comes back is the caller's to change
    assert fixed.any()


# What kernels and densities return

FAULTY_KERNELS = {
    "too few": (lambda x: x[:-1], ValueError, "(6, 2), got (5, 2)"),
    "too many": (lambda x: np.concatenate([x, x]), ValueError, "(6, 2), got (12, 2)"),
    "too narrow": (lambda x: x[:, :1], ValueError, "(6, 2), got (6, 1)"),
    "too wide": (lambda x: np.hstack([x, x]), ValueError, "(6, 2), got (6, 4)"),
    "flat": (lambda x: x.ravel(), ValueError, "(6, 2), got (12,)"),
    "one axis more": (lambda x: x[None], ValueError, "(6, 2), got (1, 6, 2)"),
    "a single number": (lambda x: 0.0, ValueError, "(6, 2), got ()"),
    "nothing": (lambda x: None, TypeError, "(6, 2), got None"),
    "states and whether they moved": (lambda x: (x, True), TypeError, "(6, 2), got tuple"),
    "rows of unequal lengths": (lambda x: [[0.0], [0.0, 1.0]] * 3, TypeError, "(6, 2), got list"),
    "complex numbers": (lambda x: x + 0j, TypeError, "(6, 2), got ndarray of complex128"),
    "objects": (lambda x: x.astype(object), TypeError, "(6, 2), got ndarray of object"),
    "words": (lambda x: x.astype(str), TypeError, "(6, 2), got ndarray of <U32"),
    "NaN": (lambda x: np.where(x == x[0], np.nan, x), ValueError, "(6, 2), got some that are NaN, infinite or masked"),
    "infinity": (lambda x: x / 0.0, ValueError, "(6, 2), got some that are NaN, infinite or masked"),
    "masked": (
        lambda x: np.ma.masked_array(x, x == x[0]), ValueError, "(6, 2), got some that are NaN, infinite or masked"
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("name", WALKERS)
@pytest.mark.parametrize("fault", FAULTY_KERNELS)
def test_a_kernel_that_returns_no_states_is_named(name, fault):
    returned, error, words = FAULTY_KERNELS[fault]
    found = complaint(name, kernel=lambda f, x, rng: returned(x))
    assert found == (error, f"the kernel must return one state for each of 6 chains, {words}")


@pytest.mark.parametrize("name", WALKERS)
def test_so_is_a_sweep_of_a_distribution_of_ones_own(name):
    class Narrow(InPlace):
        def gibbs(self, x, rng):
            return x[:, :1]

    _, words = complaint(name, path=lambda beta: Narrow(), kernel=ae.gibbs)
    assert words == "the kernel must return one state for each of 6 chains, (6, 2), got (6, 1)"


@pytest.mark.parametrize("name", WALKERS)
def test_it_does_not_matter_which_move_spoils_the_states(name):
    def late(f, x, rng):
        late.calls += 1
        return x[:, :1] if late.calls == late.spoiled else x

    late.calls, late.spoiled = 0, 0
    run(name, kernel=late)
    for move in range(1, late.calls + 1):
        late.calls, late.spoiled = 0, move
        words = complaint(name, kernel=late)[1]
        words = re.sub(r"\d+ chains, \(\d+, 2\), got \(\d+", "C chains, (C, 2), got (C", words)
        assert words == "the kernel must return one state for each of C chains, (C, 2), got (C, 1)", move


FAULTY_DENSITIES = {
    "a sum over everything": (lambda x: -(x**2).sum(), ValueError, "one number a chain, (6,), got ()"),
    "no sum": (lambda x: -(x**2), ValueError, "one number a chain, (6,), got (6, 2)"),
    "an axis kept": (lambda x: -(x**2).sum(-1, keepdims=True), ValueError, "one number a chain, (6,), got (6, 1)"),
    "nothing": (lambda x: None, ValueError, "one number a chain, (6,), got ()"),
    "NaN": (lambda x: np.where(x[..., 0] == x[0, 0], np.nan, 0.0), ValueError, "NaN or +inf in some chain"),
    "infinity": (lambda x: np.where(x[..., 0] == x[0, 0], np.inf, 0.0), ValueError, "NaN or +inf in some chain"),
    "complex numbers": (lambda x: log_density(x) + 0j, TypeError, "array of real numbers, got complex128"),
    "objects": (lambda x: log_density(x).astype(object), TypeError, "array of real numbers, got object"),
    "masked": (lambda x: np.ma.masked_array(log_density(x), x[..., 0] == x[0, 0]), ValueError, "got 1 masked ones"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", FAULTY_DENSITIES)
def test_a_density_that_is_none_is_named(fault, kind):
    returned, error, words = FAULTY_DENSITIES[fault]
    path = path_to(KINDS[kind](returned))
    stay = {"kernel": lambda f, x, rng: x}
    found = {name: complaint(name, path=path, **stay) for name in EVERY}
    assert len(set(found.values())) == 1, found
    assert found["ais"][0] is error
    assert found["ais"][1].startswith(("log f", "log_density"))
    assert words in found["ais"][1]


@pytest.mark.parametrize("name", EVERY)
def test_a_start_that_is_infinite_somewhere_is_no_weight_of_zero(name):
    class Infinite(InPlace):
        grad_log_density = staticmethod(gradient)

        def log_density(self, x):
            return np.full(len(x), np.inf)

    def path(beta):
        return PATH(1.0) if beta else Infinite()

    assert "NaN or +inf" in complaint(name, path=path, kernel=lambda f, x, rng: x)[1]


FAULTY_GRADIENTS = {
    "a sum": (lambda x: -x.sum(-1), "must map shape (C, 2) to itself, got (C,)"),
    "complex numbers": (lambda x: -x + 0j, "real numbers, got complex128"),
    "NaN": (lambda x: x * np.nan, "grad_log_density is NaN in some chain"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", FAULTY_GRADIENTS)
def test_a_gradient_that_is_none_is_named(fault, kind):
    returned, words = FAULTY_GRADIENTS[fault]
    path = path_to(KINDS[kind](log_density, returned))
    for name in (*WALKERS, "hais"):
        found = complaint(name, path=path, kernel=ae.hmc(0.5, 2))[1]
        assert words in re.sub(r"\((\d),", "(C,", found), name  # on how many of the chains the rungs decide


@pytest.mark.parametrize("name", DRAWING)
@pytest.mark.parametrize("drawn", [lambda n: np.zeros((n, 1)), lambda n: np.zeros((n + 1, DIM)), lambda n: None])
def test_a_start_that_gives_other_draws_than_asked_for_is_named(name, drawn):
    class Odd(InPlace):
        grad_log_density = staticmethod(gradient)

        def sample(self, n, rng):
            return drawn(n)

    _, words = complaint(name, path=lambda beta: Odd())
    assert words.startswith("sample of path(0) must return one state for each of 6 chains, (6, 2), got")


def test_whole_numbers_become_real_ones_where_a_kernel_makes_them_so():
    class Lattice(InPlace):
        def sample(self, n, rng):
            return rng.integers(3, size=(n, DIM))

    for result in (run(name, lambda beta: Lattice()) for name in WALKERS if name in DRAWING):
        for part in (result, *(getattr(result, name) for name in ("forward", "final") if hasattr(result, name))):
            for states in (getattr(part, name) for name in ("samples", "x") if hasattr(part, name)):
                assert (states % 1).any(), type(part)
    left_behind = climb(lambda beta: Lattice(), np.array(SCHEDULE), 50, step, np.random.default_rng(0))[1]
    assert (left_behind % 1).any()


# At the door

DOOR = {
    "a schedule that falls": ({"schedule": [0.0, 0.6, 0.4, 1.0]}, "schedule must rise at every step, got 0.6 then 0.4"),
    "a schedule turned around": ({"schedule": SCHEDULE[::-1]}, "schedule must start at 0 and end at 1"),
    "a schedule that ends early": ({"schedule": [0.0, 0.5, 0.9]}, "schedule must start at 0 and end at 1"),
    "a step twice": ({"schedule": [0.0, 0.5, 0.5, 1.0]}, "schedule must rise at every step, got 0.5 then 0.5"),
    "a number of steps": ({"schedule": 3}, "schedule must have 1 axes, got shape ()"),
    "a schedule of words": ({"schedule": ["0", "0.5", "0.7", "1"]}, "schedule must be an array of real numbers"),
    "a schedule with NaN": ({"schedule": [0.0, np.nan, 0.5, 1.0]}, "schedule must be finite"),
    "a schedule with a mask": (
        {"schedule": np.ma.masked_array(SCHEDULE, [False, True, False, False])},
        "schedule must not hide entries, got 1 masked ones",
    ),
    "no schedule": ({"schedule": None}, "schedule must be an array of real numbers"),
    "no path": ({"path": None}, "path must be a function"),
    "a distribution for a path": ({"path": START}, "path must be a function"),
    "a class for a path": ({"path": ae.Gaussian}, "path must be a function"),
    "a path to nothing": ({"path": lambda beta: None if beta else START}, "path(1) must be a distribution"),
    "a path that changes dimension": (
        {"path": lambda beta: ae.Gaussian(np.zeros(2 + int(beta)), np.eye(2 + int(beta)))},
        "the ends of a path must have the same dim, got 2 and 3",
    ),
    "a path with a hole": (
        {"path": lambda beta: PATH(beta) if beta in (0, 1) else None, "kernel": lambda f, x, rng: x},
        "a point of the path must be a distribution (with dim and log_density), got None",
    ),
}
WITH_CHAINS = {
    "a seed for a generator": ({"rng": 5}, "rng must be a numpy.random.Generator (np.random.default_rng(0)), got 5"),
    "the module for a generator": ({"rng": np.random}, "rng must be a numpy.random.Generator"),
    "numpy's older generator": ({"rng": np.random.RandomState(0)}, "rng must be a numpy.random.Generator"),
}
WITH_COUNTS = {
    "zero chains": ({"n_chains": 0}, "n_chains must be at least 1, got 0"),
    "half a chain": ({"n_chains": 2.5}, "n_chains must be a whole number, got 2.5"),
    "True chains": ({"n_chains": True}, "n_chains must be a whole number, got True"),
    "a word of chains": ({"n_chains": "6"}, "n_chains must be a whole number, got '6'"),
    "no chains": ({"n_chains": None}, "n_chains must be a whole number, got None"),
}
WITH_KERNEL = {
    "no kernel": ({"kernel": None}, "kernel must be a function, such as gibbs or random_walk(0.5)"),
    "a kernel without its scale": ({"kernel": ae.random_walk}, "kernel must be a function"),
    "the name of a kernel": ({"kernel": "gibbs"}, "kernel must be a function"),
    "a kernel that needs draws": ({"kernel": ae.exact}, "the exact kernel needs a distribution with sample()"),
    "a kernel that needs a sweep": ({"kernel": ae.gibbs}, "the gibbs kernel needs a distribution with gibbs()"),
}
WITH_START = {
    "a start without draws": (
        {"path": ae.geometric_path(PATH(1.0), PATH(1.0))}, "path(0) must offer sample"
    ),
}  # fmt: skip
WITH_LOG_Z = {
    "a start without log Z": ({"path": ae.geometric_path(PATH(1.0), START)}, "log_z, which Unnormalized lacks"),
}


class OddLogZ(InPlace):
    grad_log_density = staticmethod(gradient)

    def __init__(self, value):
        self.value = value

    def log_z(self):
        return self.value


for word, value, words in (
    ("NaN", np.nan, "log_z of path(0) must be finite, got nan"),
    ("words", "0", "log_z of path(0) must be a number, got '0'"),
    ("an array", np.zeros(3), "log_z of path(0) must be a number"),
):
    WITH_LOG_Z[f"a log Z of {word}"] = ({"path": lambda beta, value=value: OddLogZ(value)}, words)


def check_door(names, mistakes):
    return [pytest.param(name, *mistakes[m], id=f"{name}-{m}") for name in names for m in mistakes]


NO_RANDOMNESS = {"log_density_matrix", "log_density_slopes"}
NO_COUNT = {*NO_RANDOMNESS, "reverse_ais", "tempered_transitions"}
NO_LOG_Z = {*NO_RANDOMNESS, "tempered_transitions", "tempering_states"}


@pytest.mark.parametrize(
    ("name", "mistake", "words"),
    [
        *check_door(EVERY, DOOR),
        *check_door([n for n in EVERY if n not in NO_RANDOMNESS], WITH_CHAINS),
        *check_door([n for n in EVERY if n not in NO_COUNT], WITH_COUNTS),
        *check_door(WALKERS, WITH_KERNEL),
        *check_door(DRAWING, WITH_START),
        *check_door([n for n in EVERY if n not in NO_LOG_Z], WITH_LOG_Z),
    ],
)
def test_the_same_mistake_has_the_same_words(name, mistake, words):
    assert words in complaint(name, **mistake)[1]


@pytest.mark.parametrize("name", [n for n in EVERY if n not in NO_LOG_Z])
def test_an_odd_log_z_is_refused_before_anything_moves(name):
    """Handed-in draws may be weighed once before; a walk would ask for a density at every step."""

    class Watched(OddLogZ):
        def log_density(self, x):
            asked.append(x)
            return super().log_density(x)

    asked = []
    assert "must be finite" in complaint(name, path=lambda beta: Watched(np.nan))[1]
    assert sum(len(x) > 3 for x in asked) <= 1  # the door asks about three states


@pytest.mark.parametrize("name", ["tempering_states", "rts_rounds"])
def test_what_yields_for_ever_refuses_at_the_call(name):
    arguments = {"tempering_states": (3,), "rts_rounds": (1, 3, 3)}[name]
    with pytest.raises(TypeError, match="rng must be"):
        getattr(ae, name)(PATH, SCHEDULE, *arguments, step, rng=0)
    with pytest.raises(ValueError, match="schedule must rise"):
        getattr(ae, name)(PATH, [0, 0.5, 0.5, 1], *arguments, step, rng=np.random.default_rng(0))


HANDED_IN = {
    "samples": lambda x, rng: ae.reverse_ais(PATH, SCHEDULE, x, step, rng=rng),
    "data": lambda x, rng: ae.raise_log_likelihood(PATH, SCHEDULE, x, 3, step, rng=rng),
    "x": lambda x, rng: ae.log_density_matrix(PATH, SCHEDULE, x),
    "x of a tempered transition": lambda x, rng: (move := ae.tempered_transitions(PATH, SCHEDULE, step))(
        move.target, x, rng
    ),
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
def test_states_that_are_none_are_named(handed_in, states, words):
    with pytest.raises((TypeError, ValueError), match=rf"^{handed_in.split()[0]} {words}"):
        HANDED_IN[handed_in](states, np.random.default_rng(0))


# Where nothing can be said


def out_of_reach(x):
    return np.where(np.abs(x[..., 0] - 100) < 0.1, 0.0, -np.inf)


NOWHERE = path_to(ae.Unnormalized(out_of_reach, DIM))


def test_a_target_that_no_ladder_meets_has_minus_infinity_and_a_warning():
    run = ae.parallel_tempering(NOWHERE, [0.0, 0.5, 1.0], 4, 3, step, rng=np.random.default_rng(0))
    assert run.log_z == -np.inf
    assert "no chain of rung 0 has a density on rung 1" in str(run)
    lone = ae.parallel_tempering(NOWHERE, [0.0, 0.5, 1.0], 4, 1, step, rng=np.random.default_rng(0))
    assert lone.log_z == -np.inf
    assert np.isnan(lone.std_error)


def test_a_sandwich_without_anything_between_says_so():
    with pytest.raises(ValueError, match="every weight of the forward run is zero: no chain landed where"):
        ae.sandwich(NOWHERE, [0.0, 0.5, 1.0], 5, step, rng=np.random.default_rng(0))


def test_samples_that_the_target_cannot_have_given_are_refused():
    half_line = path_to(ae.Unnormalized(lambda x: np.where(x[..., 0] > 0, log_density(x), -np.inf), DIM))
    x = np.array([[1.0, 0.0], [-1.0, 0.0], [2.0, 0.0]])
    with pytest.raises(ValueError, match="samples must be draws of the target, got 1 of 3 where its density is zero"):
        ae.reverse_ais(half_line, SCHEDULE, x, step, rng=np.random.default_rng(0))
    found = ae.raise_log_likelihood(half_line, SCHEDULE, x, 10, step, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(np.isfinite(found), [True, False, True])
    assert found[1] == -np.inf
    nothing = ae.raise_log_likelihood(half_line, SCHEDULE, x[1:2], 10, step, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(nothing, [-np.inf])


ONE_CHAIN = {
    name: run(name, path_to(START), n_chains=1)
    for name in ("ais", "hais", "sandwich", "parallel_tempering", "simulated_tempering", "rts")
}


@pytest.mark.parametrize("name", ONE_CHAIN)
def test_a_single_chain_is_said_to_have_no_error_bar(name):
    assert "single chain" in [warning.kind for warning in ONE_CHAIN[name].warnings]
    assert str(ONE_CHAIN[name]).count("warning: a single chain: no error bar can be given") == 1
    two = run(name, path_to(START), n_chains=2)
    assert "a single chain" not in str(two)


# Others


@pytest.mark.parametrize("level", ["a", None, [0.9], True])
def test_a_level_that_is_no_number_is_named(level):
    with pytest.raises(TypeError, match="level must be a number"):
        run("ais").interval(level)


@pytest.mark.parametrize(
    "replicas",
    [
        np.zeros(3),
        np.zeros((4, 3)),
        np.zeros((4, 3, 2)),
        np.full((4, 3, 2), np.arange(1, 4)[:, None]),
        np.zeros((4, 3, 2), complex),
        None,
    ],
)
def test_replicas_that_are_none_are_refused(replicas):
    with pytest.raises((TypeError, ValueError), match="replicas must"):
        ae.count_round_trips(replicas)


def test_a_million_chains_are_printed_at_once():
    drawn = 0
    integers = np.random.Generator.integers

    class Counting(np.random.Generator):
        def integers(self, *arguments, size=None, **others):
            nonlocal drawn
            drawn += np.prod(size)
            return integers(self, *arguments, size=size, **others)

    log_w = np.random.default_rng(0).normal(size=1_000_000)
    ae.bootstrap_log_mean_exp(log_w, 5, rng=Counting(np.random.PCG64(0)))
    assert 5 * 50_000 <= drawn <= 5 * 100_000


@pytest.mark.parametrize("n_chains", [100_001, 150_000, 199_999, 200_003])
@pytest.mark.parametrize("order", ["as they came", "sorted"])
def test_groups_of_chains_have_the_interval_of_chains(n_chains, order):
    log_w = np.random.default_rng(0).normal(size=n_chains)
    if order == "sorted":
        log_w = np.sort(log_w)
    means = ae.bootstrap_log_mean_exp(log_w, 200, rng=np.random.default_rng(1))
    w = np.exp(log_w)
    error = w.std() / w.mean() / np.sqrt(n_chains)
    assert abs(means.mean() - np.log(w.mean())) < 4.5 * error / np.sqrt(200)
    assert abs(means.std() / error - 1) < 4.5 / np.sqrt(2 * 200), "a standard deviation of 200 draws"


@pytest.mark.parametrize("n_chains", [100_001, 200_003, 250_000])
def test_no_chain_is_lost_from_the_groups(n_chains):
    w = np.random.default_rng(0).uniform(size=n_chains)
    w[-1] = n_chains  # a chain that counts
    assert abs(_group_means(w).mean() / w.mean() - 1) < 1e-12
    assert 50_000 <= len(_group_means(w)) <= 100_000


def noisy(rng, still=()):
    """In two dimensions: on a line, lengths of pieces that happen to go one way add up, as if it were smooth."""
    return lambda beta: ae.Gaussian(np.array([4 * beta, 0]) + (beta not in still) * rng.normal(size=2), np.eye(2))


@pytest.mark.parametrize("integral", [ae.cost_functional, ae.path_length])
def test_the_integral_along_a_path_that_is_never_the_same_is_refused(integral, monkeypatch):
    with pytest.raises(ValueError, match="path must be the same at every call"):
        integral(noisy(np.random.default_rng(0)))
    monkeypatch.setattr("anneal_edu.paths.asymptotics._MOST_PIECES", 500)
    with pytest.raises(ValueError, match="path is too rough to integrate: after 500 pieces"):
        integral(noisy(np.random.default_rng(0), still=(0.5,)))


@pytest.mark.parametrize(
    "function",
    [ae.cost_functional, ae.path_length, lambda p: ae.kl_bias(p, SCHEDULE), lambda p: ae.segment_costs(p, [0, 1])],
)
def test_no_path_has_no_cost(function):
    with pytest.raises(TypeError, match="path must be a function"):
        function(None)
    with pytest.raises(TypeError, match=r"path\(0\) must be a distribution"):
        function(lambda beta: None)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda rbm, rng: ae.data_moments(rbm, np.zeros((2, 3))), "rbm"),
        (lambda rbm, rng: ae.estimate_moments(rbm, 2, 3, 1, rng=rng), "rbm"),
        (lambda rbm, rng: ae.estimate_mean_and_cov(rbm, 2, 3, 1, rng=rng), "grbm"),
    ],
)
def test_moments_of_what_is_no_rbm_are_refused(function, name):
    for wrong in (None, START, ae.JointRBM(ae.uniform_rbm(2, 1))):
        with pytest.raises(TypeError, match=rf"^{name} must be a \w+, got {type(wrong).__name__}"):
            function(wrong, np.random.default_rng(0))


def test_data_of_another_size_have_no_moments():
    with pytest.raises(ValueError, match=r"data must have shape \(2, 4\), got \(2, 3\)"):
        ae.data_moments(ae.uniform_rbm(4, 1), np.zeros((2, 3)))


def test_what_is_masked_does_not_come_back():
    hidden = np.ma.masked_array(np.eye(2), np.eye(2) == 0)
    for refuse in (
        lambda: ae.Gaussian(np.zeros(2), hidden),
        lambda: ae.BinaryRBM(hidden, np.zeros(2), np.zeros(2)),
        lambda: START.log_density(hidden),
        lambda: ae.uniform_rbm(2, 1).gibbs(hidden, np.random.default_rng(0)),
        lambda: ae.train_rbm(hidden, 2, n_updates=1, rng=np.random.default_rng(0)),
        lambda: ae.effective_sample_size(hidden[0]),
        lambda: ae.mbar(hidden, [1, 1]),
    ):
        with pytest.raises(ValueError, match=r"must not hide entries, got [12] masked ones: fill or drop them"):
            refuse()
    whole = np.ma.masked_array(np.eye(2), np.zeros((2, 2), dtype=bool))
    assert ae.Gaussian(np.zeros(2), whole).dim == 2


def test_a_model_of_an_unknown_name_is_not_trained(tmp_path):
    with pytest.raises(SystemExit, match=r"no model is called digits9_cd; there are digits8_cd, .*, cifar_pcd_200"):
        train_models(["digits8_cd", "digits9_cd", "--folder", str(tmp_path)])
    assert not list(tmp_path.iterdir())


RBM, GRBM = ae.uniform_rbm(3, 2), ae.GaussianRBM(np.ones((3, 2)), np.zeros(3), np.zeros(2), np.ones(3))
IMAGES = np.eye(3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ae.kl_bias(path_to(START), SCHEDULE, reverse="no"), "reverse must be True or False, got 'no'"),
        (
            lambda: ae.estimate_mean_and_cov(GRBM, 2, 3, 1, rao_blackwellized=None, rng=np.random.default_rng(0)),
            "rao_blackwellized must be True or False, got None",
        ),
        (
            lambda: ae.thermodynamic_integration(np.zeros((2, 2)), [1, 1], [0, 1], rao_blackwellized=1),
            "rao_blackwellized must be True or False, got 1",
        ),
        (
            lambda: ae.track_log_likelihood([], IMAGES, both_layers="v", rng=np.random.default_rng(0)),
            "both_layers must be True or False, got 'v'",
        ),
        (
            lambda: next(ae.contrastive_divergence(
                IMAGES, 2, "cdd", n_gibbs=1, n_updates=5, learning_rate=0.1, batch_size=3,
                rng=np.random.default_rng(0)
            )),
            "method must be one of cd, pcd, pt, got 'cdd'",
        ),
        (
            lambda: ae.train_rbm(IMAGES, 2, np.array(["cd"]), rng=np.random.default_rng(0)),
            "method must be one of cd, pcd, pt, got array",
        ),
        (lambda: ae.LinearGenerative(np.eye(2), prior=np.zeros(2)), "prior must be one of gaussian, laplace"),
        (lambda: ae.ProductOfExperts(np.eye(2), expert=None), "expert must be one of laplace, student_t, got None"),
        (lambda: ae.LatentPosterior(None, IMAGES), "model must be a LinearGenerative or a BilinearGenerative, got"),
        (lambda: ae.Gaussian([0.0], [[1.0]], log_scale=1j), "log_scale must be a number, got 1j"),
        (lambda: ae.base_rate_rbm(IMAGES, 2, clip="0.1"), "clip must be a number, got '0.1'"),
        (lambda: ae.base_rate_rbm([[1], [0, 1]], 2), "data must be an array of numbers"),
        (lambda: START.log_density([[1.0], [0.0, 1.0]]), "x must be an array of numbers"),
        (lambda: ae.binary_states(-1), "n_units must be at least 0, got -1"),
        (lambda: ae.binary_states(2.0), "n_units must be a whole number, got 2.0"),
    ],
)
def test_other_mistakes_are_named_too(call, words):
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        call()


# Chains that know each other


def summed(x):
    return log_density(x) - 0.1 * (x**2).sum()  # a likelihood whose sum lacks its axis, and a prior that has it


@pytest.mark.parametrize("name", EVERY)
def test_a_row_that_depends_on_the_others_is_refused(name):
    for function, slope, who in (
        (summed, gradient, "log_density"), (log_density, lambda x: gradient(x) - x.mean(), "grad_log_density")
    ):  # fmt: skip
        kind, words = complaint(name, path=path_to(ae.Unnormalized(function, DIM, slope)))
        assert kind is ValueError and f"{who} of path(1) must take every state alone" in words


def test_so_is_a_sum_over_the_wrong_axis_with_as_many_chains_as_coordinates():
    path = ae.geometric_path(ae.Gaussian(np.zeros(20), 1.0), ae.Unnormalized(lambda x: -(x**2).sum(0), 20))
    with pytest.raises(ValueError, match=r"log_density of path\(1\) must take every state alone"):
        ae.ais(path, SCHEDULE, 20, step, rng=np.random.default_rng(0))


def test_nobody_s_errstate_changes_anything():
    """Tiny weights underflow to 0, whatever NumPy is told of that."""
    rbm = ae.BinaryRBM(60 * np.eye(4), np.full(4, -30.0), np.full(4, -30.0))
    path, far = ae.geometric_path(ae.uniform_rbm(4, 4), rbm), path_to(ae.Gaussian([90.0, 0.0], np.eye(2)))
    log_f, wide = np.array([[0.0, -1.0, -900.0, -1.0], [-1.0, 0.0, -1.0, -2.0]]), np.array([0.0, -900.0])

    def everything(rng):
        yield from (run(path, SCHEDULE, N, rng=rng) for run in (ae.ais, ae.sandwich))
        yield from (run(far, SCHEDULE, N, rng=rng) for run in (ae.ais, ae.hais))
        yield ae.parallel_tempering(far, SCHEDULE, 4, N, rng=rng)
        yield ae.rts(path, SCHEDULE, 4, 9, N, rng=rng)
        yield ae.simulated_tempering(far, SCHEDULE, np.zeros(4), 4, N, rng=rng)
        yield from (ae.stepping_stone(log_f, [2, 2]), ae.mbar(log_f, [2, 2]))
        yield ae.thermodynamic_integration(log_f, [2, 2], [0, 1])
        yield from (ae.log_mean_exp(wide), ae.effective_sample_size(wide), ae.gibbs(rbm, rbm.sample(3, rng), rng))
        yield ae.log_conditionals(log_f, np.zeros(2))

    def said(rng):
        return [str(result) for result in everything(rng)]

    with np.errstate(all="raise"):
        strict = said(np.random.default_rng(0))
    assert strict == said(np.random.default_rng(0))


def test_a_discrete_model_on_a_geometric_path_is_told_its_way_out():
    ising = ae.Unnormalized(lambda x: x[..., 0] * x[..., 1], DIM)
    ising.discrete = True
    with pytest.raises(TypeError, match=r"use a path of your own .* lambda beta: Ising\(beta \* J\)"):
        ae.ais(path_to(ising), SCHEDULE, N, rng=np.random.default_rng(0))
