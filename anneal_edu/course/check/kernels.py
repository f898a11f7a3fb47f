"""What an answer says of the steps of notebook 04, and what it makes of them."""

import numpy as np

from anneal_edu.course.bugs.rbm_steps import STEPS, STRONG_RBM, gibbs
from anneal_edu.course.check.verdict import call, judge_exchanged

TIMES = 150  # that the Gibbs step comes again: a test that errs once in thirty passes by luck once in 160


def judge_direction(answer) -> None:
    """Of an answer that has erred: whether it accuses all sound steps, and lets most of the others go."""
    of_sound, of_others = (
        [bool(said_of(answer, step, 0)) for step, sound, _ in STEPS.values() if sound == wanted]
        for wanted in (True, False)
    )
    never = f"you accuse all {len(of_sound)} steps that are sound"
    judge_exchanged(of_sound, of_others, never, "others", " True is for a step that can serve AIS.")


def last_draws(answer, rng: np.random.Generator) -> np.ndarray:
    """What the last step returned that the answer made of a sound kernel with this generator."""
    made = [np.zeros(0)]

    def heard(v, rng):
        made.append(gibbs(STRONG_RBM, np.asarray(v, dtype=float), rng))
        return made[-1].copy()

    call(answer, heard, STRONG_RBM, rng)
    return made[-1]


def said_of(answer, step, seed: int):
    """What the answer says of the step, for the RBM of the exercise."""
    handed_out = lambda v, rng: step(STRONG_RBM, np.asarray(v, dtype=float), rng)  # noqa: E731
    return call(answer, handed_out, STRONG_RBM, np.random.default_rng(seed))
