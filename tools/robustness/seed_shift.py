"""Give every fixed seed another value, to see whether a test has a margin.

    pytest --seed-shift 7                   in tests, checks, panels, experiments, notebooks and what they start

While a shift n is in force, ``np.random.default_rng(s)`` with an integer or a sequence s is ``default_rng([s, n])``.
Generators, seed sequences and None stay what they are. Started processes inherit the shift through their environment.
"""

import os
from pathlib import Path

VARIABLE = "ANNEAL_EDU_SEED_SHIFT"
START_UP = Path(__file__).parent / "startup"


def install(shift):
    """Shift the seeds of this process by the integer ``shift``; 0 leaves them alone."""
    import numpy as np

    unshifted = getattr(np.random.default_rng, "unshifted", np.random.default_rng)

    def default_rng(seed=None):
        as_it_is = np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | np.random.RandomState | None
        return unshifted(seed if isinstance(seed, as_it_is) else [seed, shift])

    default_rng.unshifted = unshifted
    np.random.default_rng = default_rng if shift else unshifted


def inherit(shift, environment=os.environ):
    """Make every Python that is started from now on shift its seeds, too, by ``startup/sitecustomize.py``."""
    path = [str(START_UP), str(START_UP.parent), *environment.get("PYTHONPATH", "").split(os.pathsep)]
    environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, path)))
    environment[VARIABLE] = str(shift)
