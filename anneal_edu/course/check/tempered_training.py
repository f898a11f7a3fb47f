"""Checks of notebook 11: training with tempered chains."""

import numpy as np

from anneal_edu import BinaryRBM
from anneal_edu.course.bugs.phases import SICK, SOUND, ladders, opposite_faults, turned
from anneal_edu.course.check.distances import (
    IMAGES,
    judge_places,
    judge_shares,
    judge_sizes,
    judge_strays,
    slips_of_distance,
    total_variation,
)
from anneal_edu.course.check.examiners import condemned, judge_beginning, judge_fault, lets_go, says_sound
from anneal_edu.course.check.particles import (
    judge_one_chain,
    judge_one_step,
    judge_own_laws,
    judge_sweep,
    near_the_model,
    sweeps,
)
from anneal_edu.course.check.verdict import call, exercise, reject, require

# More and less than a few particles on several images, so that no single difference makes up half of the sum
_MODEL_NEAR_THE_IMAGES = BinaryRBM(
    [[1.0, -2.0, 0.5], [1.0, 1.5, -1.0], [-1.5, -2.0, 0.5], [-1.0, 1.5, 1.0]], [0.3, -0.5, 0.2, -0.4], [-0.5, 0.5, -0.3]
)


# Exercise 1
@exercise(
    hints=(
        "If the old states are exact draws of every rung, of what are the new ones draws?",
        "Draw exactly on every rung, let the phase move once, and compare each rung, and the particles, with "
        "rung.moments(): E[v], and E[v hᵀ] for what pixels do together. How far may a mean of n draws be off?",
        "abs(v.T @ rung.hidden_given_visible(v) / n - E[v hᵀ]) < 5 · 0.5 / √n everywhere, and the same for E[v]",
    )
)
def sound(answer) -> str:
    """``answer(phase, rungs, rng)`` must say whether a negative phase leaves every rung's distribution as it is.

    On two ladders it is asked about a phase without a fault, 24 times, of which it may condemn one, by chance, and
    about those with one: all in ``SICK``, and
    on each ladder, for every rung and for the particles, one that is sick there alone. On a third there are phases
    that are sick in two places, and right on average.

    Examples
    --------
    >>> def means_alone(phase, rungs, rng):
    ...     states, particles = phase(np.stack([rung.sample(10_000, rng) for rung in rungs]), rng)
    ...     seen = zip([*rungs, rungs[-1]], [*states, particles])
    ...     return all(abs(v.mean(0) - rung.moments()[0]).max() < 0.025 for rung, v in seen)
    >>> sound(means_alone)
    ✗ you pass a phase that mixes the pixels of different chains: every E[v] is right, and E[v hᵀ], what pixels do \
together, is not: compare that, with ten thousand draws or more, by its standard error.
      A hint: ae.check.tempered_training.sound.hint()
    """

    n, (short, long) = condemned(answer), ladders()
    require(
        not all(says_sound(answer, short, phase, 30) for phase in SICK.values()),
        "you pass a phase whatever is wrong with it. Is it the *new* states that you judge, those that "
        "`phase(states, rng)` returns, and are they enough to tell?",
    )
    seldom = f"you condemn a phase without a fault in {n} of the first 24 trials"
    for ladder in (short, long) if n else ():
        judge_beginning(answer, ladder, seldom)
    for fault, phase in SICK.items():
        for seed in (30, 31):
            judge_fault(answer, short, fault, phase, seed)
    for ladder in (short, long):
        for fault, phase in ladder.faults.items():
            judge_fault(answer, ladder, fault, phase, 32)
    for fault, phase in opposite_faults().items():
        require(not says_sound(answer, turned(), phase, 32), f"you pass a phase that {fault}.")
    require(
        n == 0,
        f"{seldom}. Of many numbers that are compared some are two standard errors off by chance, and some three: "
        "allow five, or draw more. Did each rung begin at exact draws of its own?",
    )
    require(
        lets_go(answer, turned(), turned().healthy, 34),
        "you condemn a phase without a fault on a ladder from the model to the start and back.",
    )
    for what, phase in SOUND.items():
        passed = lets_go(answer, short, phase, 33)
        require(passed, f"you condemn a phase that {what}: by exact draws, nothing is wrong with it.")
    faults = sum(map(len, (SICK, short.faults, long.faults, opposite_faults())))
    let_go = "all 27 phases without one are let go (one, perhaps, at the second try)"
    return f"right: all {faults} faults found, and {let_go}."


# Exercise 2
@exercise(
    hints=(
        "Under which distribution does rung k move, and which of the rungs are the model?",
        "Make the path anew, ae.geometric_path(start, model); one Gibbs step on each rung, then one call of swap. "
        "The model stands wherever β = 1, be that first, last, or both.",
        "new = states.copy(); new[k] = ae.gibbs(path(betas[k]), states[k], rng) for all k; "
        "new = swap(new, path, betas, rng); return new, new[betas == 1].reshape(-1, D)",
    )
)
def negative_phase(answer) -> str:
    """``answer(states, start, model, betas, swap, rng)`` must move every rung, swap, and return (states, particles).

    Its ladders rise, turn and fall: the particles are the new states of all rungs where β = 1, in any order.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> def cold(states, start, model, betas, swap, rng):
    ...     states = np.stack([ae.gibbs(model, x, rng) for x in states])
    ...     states = swap(states, ae.geometric_path(start, model), betas, rng)
    ...     return states, states[-1]
    >>> negative_phase(cold)
    ✗ rung 0 moves about as rung 2 should, which is too cold: which distribution of the path belongs to betas[0] = 0?
      A hint: ae.check.tempered_training.negative_phase.hint()
    """
    for sweep in sweeps():
        judge_sweep(answer, sweep)
        judge_one_step(answer, sweep)
        judge_own_laws(answer, sweep)
        judge_one_chain(answer, sweep)
    judge_sweep(answer, near_the_model())
    return "right: every rung moves under its own distribution, neighbours swap, and where β = 1 stands the model."


# Exercise 3
@exercise(
    hints=(
        "If all particles were on no image at all, which place would tell?",
        "Exact p of each image and the share of particles on it; then append 1 - sum to both, the place "
        "called elsewhere, for everything else.",
        "½ Σ |p - q| with p = exp(log f - log Z), over all images and the place for the rest",
    )
)
def distance(answer) -> str:
    """``answer(rbm, images, particles)`` must be the total variation between model and particles, from 0 to 1.

    Examples
    --------
    >>> def only_the_images(rbm, images, particles):
    ...     p = np.exp(rbm.log_density(images) - rbm.log_z())
    ...     q = (particles[:, None] == images).all(-1).mean(0)
    ...     return 0.5 * np.abs(p - q).sum()
    >>> distance(only_the_images)
    ✗ what is on none of the images counts too, as one more place: 1 minus the sum of the others, for the model and \
for the particles.
      A hint: ae.check.tempered_training.distance.hint()
    """
    rbm, images = _MODEL_NEAR_THE_IMAGES, IMAGES.astype(np.float64)
    elsewhere = [[0, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 1]]
    particles = np.vstack([images[[0, 0, 0, 0, 0, 2, 3, 3, 4, 5, 5]], elsewhere, elsewhere[:2]])
    images = images[[2, 0, 1, *range(3, len(images))]]  # first one with more mass than particles
    found = float(call(answer, rbm, images.copy(), particles.copy(), shape=()))
    right = total_variation(rbm, images, particles)
    reject(found, slips_of_distance(rbm, images, particles))
    judge_shares(answer, rbm, (images, particles), (images, images[[1, 1, 1, 4, 4, 2]]))
    require(
        -1e-9 <= found <= 1 + 1e-9,
        f"a share of all mass lies from 0 to 1; yours is {found:.3g}. Do the shares that you compare lie from 0 to 1, "
        "and do they add up to 1, elsewhere included? Then half of what they differ by, without signs, does, too.",
    )
    halves = "It is half of the sum of |p - q|, elsewhere included: no squares, and no logarithms."
    ours = f"it should be {right:.4f} for a case of ours; yours is {found:.4f}. {halves}"
    require(np.isclose(found, right, atol=1e-9), ours)
    judge_strays(answer, rbm, images[:4], np.vstack([images[:1], np.repeat(elsewhere, 3, axis=0)]))
    judge_sizes(answer, rbm, images, particles)
    judge_places(answer)
    exact = rbm.sample(200_000, np.random.default_rng(0)).astype(np.float64)
    near = float(answer(rbm, images, exact))
    require(near < 0.02, f"200,000 exact draws of the model should be at a distance near 0; yours is {near:.2f}.")
    return "right: 0 where the particles stand for the model, and 1 where they never meet."
