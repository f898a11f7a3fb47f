"""Cases of one test, of which some are run always, and the others where there is time; replicas without a model."""

import numpy as np
import pytest

from anneal_edu.kernels import swapped
from anneal_edu.tempering.swaps import as_rates, as_scheme

OTHERS = pytest.mark.thorough("the same test on other cases")


def always(*chosen, of):
    """The cases `of` a test: the chosen ones are run always, the others with --thorough."""
    of = list(of)
    assert set(chosen) < set(of), f"{set(chosen) - set(of)} are no cases"
    return [case if case in chosen else pytest.param(*_unpacked(case), marks=OTHERS) for case in of]


def _unpacked(case):
    return case if isinstance(case, tuple) else (case,)


def index_walk(scheme, rejection_rates, n_sweeps, n_ladders, rng):
    """Replicas that walk a ladder whose swaps are refused at given rates, independently each time: yields (K+1, C).

    This is what swaps do when exploration is perfect, with no model at all; entry k is the replica on rung k.
    """
    rates, walkers = as_rates(rejection_rates), as_scheme(scheme)
    walkers = walkers(len(rates), n_ladders)
    replicas = np.tile(np.arange(len(rates) + 1)[:, None], (1, n_ladders))
    yield replicas
    for _ in range(n_sweeps):
        accepted = walkers.propose(rng) & (rng.random((len(rates), n_ladders)) >= rates[:, None])
        walkers.update(accepted)
        replicas = swapped(replicas, accepted)
        yield replicas
