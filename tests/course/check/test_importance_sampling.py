"""Each check of notebook 01: wrong answers are rejected with the sentence that helps, right ones pass."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp

from anneal_edu.course.bugs import transition_matrices as faulty
from anneal_edu.course.check import importance_sampling as check


def ratios(log_f, x, at):
    """Σ_k log f_k(x_at) - log f_{k-1}(x_at), the state taken at stage k - 1 + at."""
    return sum(log_f[k][x[:, k - 1 + at]] - log_f[k - 1][x[:, k - 1 + at]] for k in range(1, len(log_f)))


def right_log_weights(log_f, log_z_0, x):
    return log_z_0 + ratios(log_f, x, at=1)


def vectorised_log_weights(log_f, log_z_0, x):
    stages = np.arange(len(log_f) - 1)
    return log_z_0 + (log_f[stages + 1, x[:, 1:]] - log_f[stages, x[:, 1:]]).sum(1)


def single_log_weights(log_f, log_z_0, x):
    return right_log_weights(log_f, log_z_0, x).astype(np.float32)


def mixed_places(log_f, log_z_0, x):
    return log_z_0 + sum(log_f[k][x[:, k]] - log_f[k - 1][x[:, k - 1]] for k in range(1, len(log_f)))


def through_densities(log_f, log_z_0, x):
    f = np.exp(log_f)
    return log_z_0 + np.log(np.prod([f[k][x[:, k]] / f[k - 1][x[:, k]] for k in range(1, len(f))], axis=0))


def step_by_step(log_f, log_z_0, x, ratio=lambda change: change):
    """Each ratio for itself, by what ``ratio`` makes of its logarithm."""
    changes = [log_f[k][x[:, k]] - log_f[k - 1][x[:, k]] for k in range(1, len(log_f))]
    return log_z_0 + np.sum([ratio(change) for change in changes], axis=0)


WRONG_WEIGHTS = {
    "as they are": lambda *given: step_by_step(*given, ratio=lambda change: np.clip(change, -50, 50)),
    "e^{±hundreds}": lambda *given: step_by_step(*given, ratio=lambda change: np.log(np.exp(change))),
    "where log f is about 900": through_densities,
    "log_z_0": lambda log_f, log_z_0, x: ratios(log_f, x, at=1),
    "before the move": lambda log_f, log_z_0, x: log_z_0 + ratios(log_f, x, at=0),
    "two different places": mixed_places,
    "upside down": lambda log_f, log_z_0, x: log_z_0 - ratios(log_f, x, at=1),
    "the weights themselves": lambda log_f, log_z_0, x: np.exp(right_log_weights(log_f, log_z_0, x)),
    "plain importance sampling": lambda log_f, log_z_0, x: log_z_0 + log_f[-1][x[:, 0]] - log_f[0][x[:, 0]],
    "or all but the first": lambda log_f, log_z_0, x: log_z_0 + log_f[1][x[:, 1]] - log_f[0][x[:, 1]],
    "not counted: the last": lambda log_f, log_z_0, x: log_z_0 + ratios(log_f[:-1], x, at=1),
    "sum over all k": lambda log_f, log_z_0, x: log_z_0 + ratios(log_f[:3], x, at=1),
    "the first ratio is missing": lambda log_f, log_z_0, x: log_z_0 + ratios(log_f[1:], x[:, 1:], at=1),
    "is subtracted in yours": lambda log_f, log_z_0, x: ratios(log_f, x, at=1) - log_z_0,
    "log_z_0 comes once.": lambda log_f, log_z_0, x: log_z_0 * (len(log_f) - 1) + ratios(log_f, x, at=1),
    "not averaged": lambda log_f, log_z_0, x: log_z_0 + ratios(log_f, x, at=1) / (len(log_f) - 1),
    "the places are exchanged": lambda log_f, log_z_0, x: log_z_0 + sum(
        log_f[k][x[:, k - 1]] - log_f[k - 1][x[:, k]] for k in range(1, len(log_f))
    ),
    "not those of AIS": lambda log_f, log_z_0, x: np.full(len(x), logsumexp(log_f[-1])),
    "has mean": lambda log_f, log_z_0, x: np.zeros(len(x)),
    "shape": lambda log_f, log_z_0, x: right_log_weights(log_f, log_z_0, x).mean(),
    "infinity": lambda log_f, log_z_0, x: np.full(len(x), np.inf),
    "raised IndexError": lambda log_f, log_z_0, x: log_f[len(log_f)],
}


@pytest.mark.parametrize("advice", WRONG_WEIGHTS)
def test_wrong_log_weights(advice):
    verdict = check.log_weights(WRONG_WEIGHTS[advice])
    assert verdict.passed is False
    assert advice in verdict.message


@pytest.mark.parametrize("answer", [right_log_weights, vectorised_log_weights, single_log_weights, step_by_step])
def test_right_log_weights(answer):
    verdict = check.log_weights(answer)
    assert verdict.passed, verdict


def largest_changes(log_f, tables, late=0):
    p = np.exp(log_f - log_f.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    return [abs(p[k - late] @ T - p[k - late]).max() for k, T in enumerate(tables, start=1)]


def right_broken_step(log_f, tables):
    return 1 + int(np.argmax(largest_changes(log_f, tables)))


def by_detailed_balance(log_f, tables):
    flows = [np.exp(f - f.max())[:, None] * T for f, T in zip(log_f[1:], tables, strict=True)]
    return 1 + int(np.argmax([abs(flow - flow.T).max() > 1e-9 for flow in flows]))


def by_columns(log_f, tables):
    p = np.exp(log_f - log_f.max(1, keepdims=True))
    return 1 + int(np.argmax([abs(T @ p[k] - p[k]).max() for k, T in enumerate(tables, start=1)]))


def by_columns_summed(log_f, tables):
    p = np.exp(log_f - log_f.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    return 1 + int(np.argmax([abs(T @ p[k] - p[k]).sum() for k, T in enumerate(tables, start=1)]))


def overflowing(log_f, tables):
    p = np.exp(log_f)
    p /= p.sum(1, keepdims=True)
    changes = [abs(p[k] @ T - p[k]).max() for k, T in enumerate(tables, start=1)]
    return 1 + int(np.nanargmax(changes)) if np.isfinite(changes).any() else 1


def by_the_stationary_distribution(log_f, tables):
    """As if each table had one: those that do not lead from everywhere to everywhere have many."""
    changes = []
    for k, T in enumerate(tables, start=1):
        values, vectors = np.linalg.eig(T.T)
        found = abs(vectors[:, abs(values - 1).argmin()].real)
        p = np.exp(log_f[k] - log_f[k].max())
        changes.append(abs(found / found.sum() - p / p.sum()).max())
    return 1 + int(np.argmax(changes))


def in_single_precision(log_f, tables):
    f = np.exp(log_f - log_f.max(1, keepdims=True)).astype(np.float32)
    return 1 + int(np.argmax([abs(p @ T.astype(np.float32) / p - 1).max() for p, T in zip(f[1:], tables, strict=True)]))


WRONG_STEPS = {
    "Single precision hides it": in_single_precision,
    "count from 0": lambda log_f, tables: right_broken_step(log_f, tables) - 1,
    "no detailed balance, and yet": by_detailed_balance,
    "the f of the same": lambda log_f, tables: 1 + int(np.argmax(largest_changes(log_f, tables, late=1))),
    "p stands on the left of T": by_columns,
    "the largest T p - p. p stands": by_columns_summed,
    "subtract the largest": overflowing,
    "k runs from 1": lambda log_f, tables: 0,
    "one whole number": lambda log_f, tables: largest_changes(log_f, tables),
    "leaves many distributions invariant": by_the_stationary_distribution,
    "you compare T_k with f_{k-1}": lambda log_f, tables: 1 + int(np.argmax(largest_changes(log_f, tables, 1))),
    "you say one less": lambda log_f, tables: right_broken_step(log_f, tables) - 1,
    "is sound": lambda log_f, tables: min(3, len(tables)),
    "changes no weight": lambda log_f, tables: 1 + int(np.argmax(largest_changes(log_f, tables)[:-1])),
    "name the last table": lambda log_f, tables: len(tables),
    "All rows add up to one": lambda log_f, tables: 1 + int(np.argmax([abs(T.sum(1) - 1).max() for T in tables])),
}


def first_beyond(level):
    return lambda log_f, tables: int(np.argmax(np.array(largest_changes(log_f, tables)) > level)) + 1


def changes_of(log_f, tables, seen):
    """What ``seen`` makes of each p_k T_k - p_k, given p_k."""
    p = np.exp(log_f - log_f.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    return [abs(float(seen(p[k] @ T - p[k], p[k]))) for k, T in enumerate(tables, start=1)]


PARTS_OF_A_CHANGE = {
    "the first site": lambda change, p: change[0],
    "the last site": lambda change, p: change[-1],
    "the likeliest site": lambda change, p: change[np.argmax(p)],
    "the mean site": lambda change, p: change @ np.arange(len(change)),
    "the second site": lambda change, p: change[1],
    "the third site": lambda change, p: change[2],
    "the middle site": lambda change, p: change[len(p) // 2],
    "the first two": lambda change, p: abs(change[:2]).max(),
    "the last two": lambda change, p: abs(change[-2:]).max(),
    "the first half": lambda change, p: abs(change[: len(p) // 2]).max(),
    "the second half": lambda change, p: abs(change[(len(p) + 1) // 2 :]).max(),
    "every other site": lambda change, p: abs(change[::2]).max(),
    "the others": lambda change, p: abs(change[1::2]).max(),
    "the parity": lambda change, p: change @ (-1.0) ** np.arange(len(p)),
    "the least likely site": lambda change, p: change[np.argmin(p)],
    "the mean log f": lambda change, p: change @ np.log(p),
    "the mean p": lambda change, p: change @ p,
    "the spread": lambda change, p: (p + change) @ np.arange(len(p)) ** 2 - p @ np.arange(len(p)) ** 2,
    "the sum": lambda change, p: change.sum(),
    "the sorted p": lambda change, p: abs(np.sort(p + change) - np.sort(p)).max(),
    "the largest p": lambda change, p: (p + change).max() - p.max(),
    "the entropy": lambda change, p: (p + change) @ np.log(p + change) - p @ np.log(p),
    "the sum of squares": lambda change, p: ((p + change) ** 2).sum() - (p**2).sum(),
    "where p is largest": lambda change, p: float(np.argmax(p + change) != np.argmax(p)),
}


@pytest.mark.parametrize("digits", [9, 300])
@pytest.mark.parametrize("part", PARTS_OF_A_CHANGE)
def test_a_part_of_p_is_not_enough(part, digits):
    """Also where rounding is not rounded away: no part finds the broken table by what rounding leaves of it."""
    verdict = check.broken_step(
        lambda log_f, tables: 1 + int(np.argmax(np.round(changes_of(log_f, tables, PARTS_OF_A_CHANGE[part]), digits)))
    )
    assert verdict.passed is False
    assert "is sound: p_" in verdict.message


@pytest.mark.parametrize("level", [0.01, 1e-3, 1e-4])
def test_a_small_fault_is_not_to_be_overlooked(level):
    verdict = check.broken_step(first_beyond(level))
    assert verdict.passed is False
    assert "and rounding by 1e-16" in verdict.message


@pytest.mark.parametrize("advice", WRONG_STEPS)
def test_wrong_broken_step(advice):
    verdict = check.broken_step(WRONG_STEPS[advice])
    assert verdict.passed is False
    expected = {"the f of the same": "log_f[k]"}.get(advice, advice)
    assert expected in verdict.message


def test_constants_that_differ_between_stages_are_asked_for():
    """One largest log f for all stages: where constants are hundreds apart, all but one of the stages vanish."""

    def by_the_largest_of_all(log_f, tables):
        p = np.exp(log_f - log_f.max())
        changes = [abs(f @ T - f).max() / (f.sum() or 1) for f, T in zip(p[1:], tables, strict=True)]
        return 1 + int(np.argmax(changes))

    verdict = check.broken_step(by_the_largest_of_all)
    assert verdict.passed is False
    assert "another constant of hundreds of nats" in verdict.message


@pytest.mark.parametrize("site, which", [(0, "first"), (-1, "last")])
def test_the_largest_log_f_is_subtracted_and_not_that_of_one_site(site, which):
    def by_one_site(log_f, tables):
        f = np.exp(log_f - log_f[:, [site]])
        return 1 + int(np.argmax([abs(p @ T - p).max() for p, T in zip(f[1:], tables, strict=True)]))

    verdict = check.broken_step(by_one_site)
    assert verdict.passed is False
    assert f"the {which} site is improbable" in verdict.message


@pytest.mark.parametrize(
    "answer",
    [
        right_broken_step,
        first_beyond(1e-13),
        lambda log_f, tables: np.argmax(largest_changes(log_f, tables)) + 1.0,
    ],
)
def test_right_broken_step(answer):
    verdict = check.broken_step(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize("seed", range(6))
def test_one_table_of_each_world_is_broken_and_all_others_are_sound(seed):
    for fault in ("careless", "the old target", "a little too steep", "a leak to both sides"):
        log_f, tables = faulty.broken_tables(seed, 1 + seed, fault, 0.0)
        changes = np.array(largest_changes(log_f, tables))
        assert changes[seed] > 1e-6, "a million times what rounding leaves of the others"
        assert (np.delete(changes, seed) < 1e-12).all()
        assert all(np.allclose(T.sum(1), 1) and (T >= 0).all() for T in tables)
    for log_f, tables, broken in (faulty.balanced_tables(), faulty.exchanged_tables(3 + seed, 2, (seed, 6 + seed))):
        changes = np.array(largest_changes(log_f, tables))
        assert changes[broken - 1] > 1e-3
        assert (np.delete(changes, broken - 1) < 1e-12).all()
        assert all(np.allclose(T.sum(1), 1) and (T >= 0).all() for T in tables)


WRONG_ACCEPTANCES = {
    "upside down": lambda here, there: min(1.0, np.exp(here - there)),
    "no probability": lambda here, there: np.exp(there - here),
    "back with 1. For as much": lambda here, there: 1.0 if np.isclose(here, there) else np.exp(min(0.0, there - here)),
    "accept every proposal": lambda here, there: 1.0,
    "never moves": lambda here, there: 0.0,
    "to flow down as up": lambda here, there: min(1.0, np.exp(there - here)) * (there - here > -30),
    "p T differs": lambda here, there: min(1.0, np.exp(2 * (there - here))),
    "goes with probability 2.06e-09, and back with 1": lambda here, there: min(1.0, np.exp(max(there - here, -20.0))),
    "take the minimum before": lambda here, there: min(1.0, math.exp(there - here)),
    "never goes either way": lambda here, there: min(1.0, np.exp(there - here)) * (there != here),
    "right but for a rounding error": lambda here, there: 0.5 * (1 + np.tanh((there - here) / 2)),
    "must be refused": lambda here, there: np.exp(min(0.0, max(there - here, -700.0))) + 1e-11 * (there - here < -700),
    "ubtract the logs": lambda here, there: min(1.0, np.exp(there) / np.exp(here)) if here > -1000 else np.nan,
    "here and there are logs": lambda here, there: there - here,
    "smaller of it and 1": lambda here, there: np.log1p(np.exp(there - here)),
    "leave the coin": lambda here, there: float(np.random.default_rng().random() < np.exp(min(0.0, there - here))),
    "never go downhill": lambda here, there: float(there >= here),
    "one number": lambda here, there: np.array([0.5, 0.5]),
    "never moves, or next to never": lambda here, there: 1e-13 * np.exp(min(0.0, there - here)),
    "where the chain stands": lambda here, there: min(1.0, np.exp(there)),
    "where the chain would go": lambda here, there: min(1.0, np.exp(-here)),
}


@pytest.mark.parametrize("advice", WRONG_ACCEPTANCES)
def test_wrong_acceptance(advice):
    verdict = check.acceptance(WRONG_ACCEPTANCES[advice])
    assert verdict.passed is False
    assert advice in verdict.message


@pytest.mark.parametrize("drop", [1.0, 1.5, 3.0, 4.0, 5.0, 20.0, 40.0, 100.0])
@pytest.mark.parametrize("beyond", [0.0, 0.5])
def test_a_steep_way_down_is_walked_as_well(drop, beyond):
    verdict = check.acceptance(lambda here, there: np.exp(min(0.0, there - here)) if there - here > -drop else beyond)
    assert verdict.passed is False
    assert "never go downhill" not in verdict.message


def test_a_rule_that_accepts_too_much_is_not_said_to_accept_everything():
    verdict = check.acceptance(lambda here, there: min(1.0, 2 * np.exp(min(0.0, there - here))))
    assert verdict.passed is False
    assert "p T differs" in verdict.message


@pytest.mark.parametrize("tolerance", [1e-5, 1e-6, 2e-7])
def test_two_large_logs_that_are_near_are_two(tolerance):
    verdict = check.acceptance(
        lambda here, there: np.exp(min(0.0, there - here)) if abs(there - here) > tolerance * abs(here) else 1.0
    )
    assert verdict.passed is False
    assert "For as much to flow down as up" in verdict.message


def test_an_acceptance_that_exponentiates_first_is_rejected():
    verdict = check.acceptance(lambda here, there: np.fmin(1.0, np.exp(there) / np.exp(here)))
    assert verdict.passed is False
    assert "ubtract the logs" in verdict.message


@pytest.mark.parametrize(
    "answer",
    [
        lambda here, there: min(1.0, np.exp(there - here)),
        lambda here, there: np.exp(min(0.0, there - here)),
        lambda here, there: 1 / (1 + np.exp(here - there)),  # Barker's rule
        lambda here, there: 0.5 * np.exp(min(0.0, there - here)),  # lazy Metropolis
        lambda here, there: 1e-6 * np.exp(min(0.0, there - here)),  # so lazy that it hardly moves
        lambda here, there: 1.0 if there > here else math.exp(there - here),
        lambda here, there: math.exp(there - here) if there - here < -700 else math.exp(-np.logaddexp(0, here - there)),
        lambda here, there: np.float32(np.exp(min(0.0, there - here))),
        lambda here, there: np.exp(np.minimum(np.float32(0), np.float32(there) - np.float32(here))),
        lambda here, there: math.exp(min(here, there) - here),
    ],
)
def test_right_acceptance(answer):
    verdict = check.acceptance(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize("judge", [check.log_weights, check.broken_step, check.acceptance])
def test_untouched_stubs_fail_kindly(judge):
    assert judge(...).passed is None
    assert judge(lambda *arguments: ...).passed is None
    assert "not attempted yet" in judge(...).message


@pytest.mark.parametrize("seed", range(20))
def test_the_known_mistakes_are_all_different_from_the_right_answer(seed):
    """No advice can hit a right answer by accident, whatever the world."""
    rng = np.random.default_rng(seed)
    log_f, x = rng.standard_normal((3, 3)), rng.integers(3, size=(20, 3))
    right = right_log_weights(log_f, 1.7, x)
    assert not any(np.allclose(right, wrong) for wrong in check._mistaken_log_weights(log_f, 1.7, x).values())
