"""An audit finds what is wrong with a kernel, and acquits what is right."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.auditing import conduct, invariance, of_kernels
from anneal_edu.auditing.findings import Docket
from anneal_edu.auditing.moves import Moves
from anneal_edu.auditing.worlds import tiny_worlds
from tests.auditing import faulty_kernels as them
from tests.cases import always

FEW = 1000  # draws

KIND_OF = {
    "the ratio upside down": "not invariant", "uphill only": "not invariant", "u < log ratio": "not invariant",
    "x e^z without its factor": "not invariant", "a step that depends on x": "not invariant",
    "Langevin without Hastings": "not invariant", "no half step": "not invariant",
    "the last coordinate never": "cannot reach",
    "never across 0": "cannot reach", "a lattice": "cannot reach", "one noise for all": "chains share their chance",
    "one uniform for all": "chains share their chance", "in place": "changes its input",
    "the first half": "chains left out", "all but the last chain": "chains left out",
    "the first ten": "chains left out",
    "the last chain undecided": "not invariant", "float32": "rounds its states", "two digits": "cannot reach",
    "another density": "not invariant", "the scale of the crowd": "chains depend on each other",
    "chains exchanged": "chains depend on each other", "chains resampled": "cannot reach",
    "a seed of its own": "no chance",
    "chance from elsewhere": "chance of its own", "nothing": "does nothing", "one state": "no states",
    "squeezed": "no states", "only mirrored": "cannot reach",
}  # fmt: skip
SOME = ("a step that depends on x", "never across 0", "in place", "the first ten", "one state")
"""Asked always: an audit takes a second."""


@pytest.mark.parametrize("fault", always(*SOME, of=KIND_OF))
def test_a_fault_is_found_and_named(fault):
    found = ae.audit(them.FAULTY[fault], n_draws=FEW, rng=np.random.default_rng(0))
    assert not found.passed and KIND_OF[fault] in found.kinds, found
    assert "✗ " + KIND_OF[fault] in str(found)


@pytest.mark.parametrize("fault", always("an even number of flips", of=them.FAULTY_BITS))
def test_a_fault_in_a_world_of_bits(fault):
    assert not ae.audit(them.FAULTY_BITS[fault], rng=np.random.default_rng(0)).passed


@pytest.mark.parametrize("kernel", [ae.random_walk(0.7), ae.gibbs, them.RIGHT["bits"]], ids=["walk", "gibbs", "bits"])
def test_what_is_right_passes(kernel):
    """Wrongly accused with probability 1e-5 or less."""
    found = ae.audit(kernel, n_draws=FEW, risk=1e-5, rng=np.random.default_rng(0))
    assert found.passed, found
    assert "nothing found in" in str(found) and found.n_tests > 5 and found.asked
    assert "the mean weight of AIS" in found.asked and not any("AIS" in why for why in found.left_out)


def lazy_walk(share, draw=lambda rng, n: rng.random(n)):
    """A random walk that tries to move in a share of its steps."""

    def lazy(distribution, x, rng):
        proposal = x + 0.7 * rng.standard_normal(x.shape)
        log_ratio = distribution.log_density(proposal) - distribution.log_density(x)
        moves = (np.log(rng.random(len(x))) < log_ratio) & (draw(rng, len(x)) < share)
        return np.where(moves[:, None], proposal, x)

    return lazy


@pytest.mark.parametrize("share", always(0.02, of=[0.3, 0.02]))
def test_a_lazy_kernel_of_real_numbers_is_not_asked_about_bits(share):
    """It stays where it is nearly always, and so among 0 and 1; that it would leave them is no fault."""
    found = ae.audit(lazy_walk(share), n_draws=FEW, risk=1e-5, rng=np.random.default_rng(0))
    assert found.passed, found
    assert any("it moves real numbers" in reason for reason in found.left_out)


def likeness(kernel, seed):
    docket, draw = Docket(), np.random.default_rng(seed)
    conduct.ask_independence(Moves(kernel, docket), tiny_worlds(np.random.default_rng(0))[0], docket, draw)
    return docket.tests[0].p_value


def test_lazy_chains_that_never_move_together_do_not_look_alike():
    """Two of six that move in one step of fifty: it happens now and then, or not at all, and both are chance.

    By the spread that was seen, every twentieth right walk is suspected; by that of independent chains none of 600.
    """
    assert sum(likeness(lazy_walk(0.02), seed) < 1 for seed in range(120)) <= 1


def test_lazy_chains_that_wait_for_each_other_look_alike():
    together = lazy_walk(0.1, draw=lambda rng, n: np.full(n, rng.random()))
    assert max(likeness(together, seed) for seed in range(5)) < 1e-9


@pytest.mark.thorough("kernels on the distributions that are given")
def test_a_kernel_that_needs_more_is_asked_on_a_distribution_of_its_own():
    def independent(distribution, x, rng):
        return distribution.mean + rng.standard_normal(x.shape) @ np.linalg.cholesky(distribution.cov).T

    found = ae.audit(independent, n_draws=FEW, risk=1e-5, rng=np.random.default_rng(0))
    assert found.passed and any("it needs mean" in reason for reason in found.left_out)
    own = ae.Gaussian([1.0, 2.0], [[1.0, 0.5], [0.5, 2.0]])
    assert ae.audit(independent, on=own, n_draws=FEW, risk=1e-5, rng=np.random.default_rng(0)).passed


def test_a_gross_fault_is_seen_with_few_draws():
    found = ae.audit(them.FAULTY["uphill only"], n_draws=200, risk=1e-5, rng=np.random.default_rng(0))
    assert found.kinds[:1] == ("not invariant",) and "after one: look at the acceptance ratio" in str(found)


def test_what_the_audit_cannot_do_is_no_fault_of_the_kernel():
    large = ae.BinaryRBM(np.ones((40, 40)), np.zeros(40), np.zeros(40))
    found = ae.audit(ae.gibbs, on=large, rng=np.random.default_rng(0))
    assert found.passed and found.asked == () and found.left_out[0].startswith("your distribution: ValueError")


def test_causes_are_told_before_consequences():
    docket = Docket()
    for kind, p in (("biased weights", 0.0), ("not invariant", 1e-9), ("chains share their chance", 1e-7)):
        docket.test(kind, "seen", p)
    assert docket.closed("kernel", 0.001).kinds == ("chains share their chance", "biased weights", "not invariant")


def test_who_never_moves_is_not_told_that_it_has_no_chance():
    docket, world = Docket(), tiny_worlds(np.random.default_rng(0))[0]
    conduct.ask_chance(Moves(lambda distribution, x, rng: x, docket), world, docket)
    assert docket.facts == []


@pytest.mark.parametrize(("p", "n_looks"), [(0.5, 1), (1e-4, 2)])
def test_only_a_suspicious_likeness_is_looked_at_again(monkeypatch, p, n_looks):
    looks = []

    def likeness(moves, world, n_calls, rng):
        looks.append(n_calls)
        return np.zeros(3), np.full(3, p)

    monkeypatch.setattr(conduct, "_likeness", likeness)
    conduct.ask_independence(None, tiny_worlds(np.random.default_rng(0))[0], Docket(), np.random.default_rng(0))
    assert looks == [conduct.N_CALLS, conduct.TIMES_MORE * conduct.N_CALLS][:n_looks]


def test_worlds_where_nothing_moves_are_said():
    def still(distribution, x, rng):
        return ae.random_walk(1.0)(distribution, x, rng) if distribution.dim == 3 else x

    found = ae.audit(still, n_draws=FEW, rng=np.random.default_rng(0))
    assert "does nothing" not in found.kinds
    assert "a half-line: 1000 chains stood still in 12 moves: there is nothing to see" in found.left_out


def test_hardly_any_step_accepted_is_no_fault():
    found = ae.audit(ae.random_walk(40.0), on=ae.Gaussian([0.0], [[1.0]]), n_draws=FEW, rng=np.random.default_rng(0))
    assert found.passed, found


def test_a_kernel_that_fails_everywhere_is_told_why():
    def broken(distribution, x, rng):
        return distribution.nothing_of_the_kind(x)

    found = ae.audit(broken, n_draws=FEW, rng=np.random.default_rng(0))
    assert found.kinds == ("fails",) and "nothing_of_the_kind" in str(found)


def test_moves_of_another_library_pass():
    """Those of emcee, on one chain at a time; in an environment that has it."""
    moves = pytest.importorskip("emcee.moves")
    state_of = pytest.importorskip("emcee.state").State
    proposal = moves.GaussianMove(0.6)

    def kernel(distribution, x, rng):
        random = np.random.RandomState(rng.integers(2**31))

        class Model:
            map_func, compute_log_prob_fn = map, staticmethod(lambda x: (distribution.log_density(x), None))

        Model.random = random
        state = state_of(x, log_prob=distribution.log_density(x), copy=True)
        return proposal.propose(Model, state)[0].coords

    assert ae.audit(kernel, n_draws=FEW, risk=1e-5, rng=np.random.default_rng(0)).passed
    stretch = moves.StretchMove()
    assert "chains depend on each other" in ae.audit(
        lambda f, x, rng: _stretched(stretch, f, x, rng, state_of), n_draws=FEW, rng=np.random.default_rng(0)
    ).kinds


def _stretched(move, f, x, rng, state_of):
    class Model:
        map_func, compute_log_prob_fn = map, staticmethod(lambda x: (f.log_density(x), None))

    Model.random = np.random.RandomState(rng.integers(2**31))
    move.live_dangerously = True
    return move.propose(Model, state_of(x, log_prob=f.log_density(x), copy=True))[0].coords


def test_chains_are_looked_at_after_the_moves_that_are_named():
    world = next(world for world in tiny_worlds(np.random.default_rng(0)) if not world.discrete)
    stages = invariance.walked(lambda world, x, rng: x + 1.0, world, 5, np.random.default_rng(0))
    moved = [(x - stages[0])[0, 0] for x in stages]
    np.testing.assert_allclose(moved, [0, 1, 4, 12])


def test_a_kernel_that_moves_once_and_then_stands_has_moved():
    world, calls, docket = tiny_worlds(np.random.default_rng(0))[0], [], Docket()

    def once(world, x, rng):
        calls.append(x)
        return x + 1.0 if len(calls) % max(invariance.STOPS) == 1 else x

    assert invariance.ask_invariance(once, world, 500, docket, np.random.default_rng(1))
    assert docket.left_out == [] and docket.tests[0].p_value < 1e-9


def test_steps_that_multiply_by_two_factors_reach_few_points():
    world, docket, rng = tiny_worlds(np.random.default_rng(0))[0], Docket(), np.random.default_rng(2)
    x = rng.uniform(1, 2, size=(1000, world.distribution.dim))
    invariance._look_for_lattices(world, [x, x * rng.choice([0.5, 2.0], size=x.shape)], docket)
    assert "takes only 2 different steps" in docket.facts[0].sentence


def test_chains_that_stand_still_are_as_independent_as_any():
    world = tiny_worlds(np.random.default_rng(0))[0]
    z, p = conduct._likeness(lambda world, x, rng: x, world, 5, np.random.default_rng(1))
    assert (z == 0).all() and (p == 1).all()


@pytest.mark.parametrize(("kernel", "keeps"), [(ae.gibbs, True), (lambda rbm, v, rng: v + 0.5, False)])
def test_who_keeps_bits_is_told_from_who_leaves_them(kernel, keeps):
    bits = next(world for world in tiny_worlds(np.random.default_rng(0)) if world.discrete)
    assert of_kernels._keeps_values(Moves(kernel, Docket()), bits) == keeps


def test_a_coordinate_that_changes_a_little_changes():
    world, docket, rng = tiny_worlds(np.random.default_rng(0))[0], Docket(), np.random.default_rng(3)
    x = world.distribution.sample(2000, rng)
    invariance._look_for_what_never_changes(world, [x, x + 0.2 * x.std(0) * rng.standard_normal(x.shape)], docket)
    assert docket.facts == []
