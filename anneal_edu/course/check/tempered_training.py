"""Checks of notebook 11: training with tempered chains."""

import numpy as np

from anneal_edu import BinaryRBM, binary_states
from anneal_edu.course.check.examiners import condemned, judge_fault, says_sound
from anneal_edu.course.check.particles import judge_one_step, judge_own_laws, judge_sweep, near_the_model, sweeps
from anneal_edu.course.check.phases import SICK, SOUND, ladders, opposite_faults, turned
from anneal_edu.course.check.verdict import call, exercise, reject, require
from anneal_edu.data import bars_and_stripes

_IMAGES = bars_and_stripes(2)


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

    On two ladders it is asked about a phase without a fault, 24 times, and about those with one: all in ``SICK``, and
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
together, is not: compare that, with ten thousand draws or more.
      A hint: ae.check.tempered_training.sound.hint()
    """

    n = condemned(answer)
    short, long = ladders()
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
        f"you condemn a phase without a fault in {n} of the first 24 trials. Of many numbers that are compared "
        "some are two standard errors off by chance, and some three: allow five, or draw more. Did each rung begin at "
        "exact draws of its own?",
    )
    require(
        says_sound(answer, turned(), turned().healthy, 34),
        "you condemn a phase without a fault on a ladder from the model to the start and back.",
    )
    for what, phase in SOUND.items():
        passed = says_sound(answer, short, phase, 33)
        require(passed, f"you condemn a phase that {what}: by exact draws, nothing is wrong with it.")
    faults = sum(map(len, (SICK, short.faults, long.faults, opposite_faults())))
    return f"right: all {faults} faults found, and phases without one are let go, 27 times of 27."


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
    rbm, images = _MODEL_NEAR_THE_IMAGES, _IMAGES.astype(np.float64)
    elsewhere = [[0, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 1]]
    particles = np.vstack([images[[0, 0, 0, 0, 0, 2, 3, 3, 4, 5, 5]], elsewhere, elsewhere[:2]])
    images = images[[2, 0, 1, *range(3, len(images))]]  # first one with more mass than particles
    found = float(call(answer, rbm, images.copy(), particles.copy(), shape=()))
    f = np.exp(rbm.log_density(images))
    p, q = f / np.exp(rbm.log_z()), _shares(images, particles)
    p_all, q_all = _with_elsewhere(p), _with_elsewhere(q)
    right = 0.5 * np.abs(p_all - q_all).sum()
    n = len(images)
    nearest = images[np.abs(images[:, None] - particles).sum(-1).argmin(0)]
    reject(found, {
        "particles on none of the images are counted to the nearest image; they are elsewhere.": (
            0.5 * np.abs(p_all - np.append(_shares(images, nearest), 0)).sum()
        ),
        "particles on none of the images are counted to the first: is that what argmax says where nothing agrees?": (
            0.5 * np.abs(p_all - np.append(q + (1 - q.sum()) * (np.arange(n) == 0), 0)).sum()
        ),
        "this is twice the total variation: what is missing in one place is too much in another.": 2 * right,
        "what is on none of the images counts too, as one more place: 1 minus the sum of the others, for the model "
        "and for the particles.": 0.5 * np.abs(p - q).sum(),
        "the model's p(v) has Z, not the sum over the images, below: log_z().": 0.5 * np.abs(f / f.sum() - q).sum(),
        "the model's p(v) has Z below, not the sum over the images.": 0.5 * np.abs(f / f.sum() - q / q.sum()).sum(),
        "the shares are of all B particles, also of those on no image: divide the counts by B.": (
            0.5 * np.abs(p_all - np.append(q / q.sum(), 0)).sum()
        ),
        "the shares are of all B particles, on an image or not, and the place for everything else is missing.": (
            0.5 * np.abs(p - q / q.sum()).sum()
        ),
        "elsewhere counts for 1 - Σp plus 1 - Σq here, as it does in 1 - Σ min(p, q) over the images alone. Its "
        "difference is |(1 - Σp) - (1 - Σq)|.": 0.5 * (np.abs(p - q).sum() + (1 - p.sum()) + (1 - q.sum())),
        "this compares the model with the images.": 0.5 * np.abs(p_all - np.append(np.full(n, 1 / n), 0)).sum(),
        "this compares the particles with the images.": 0.5 * np.abs(q_all - np.append(np.full(n, 1 / n), 0)).sum(),
        "this is the largest difference; total variation is half of their sum.": np.abs(p_all - q_all).max(),
        "elsewhere is one more place, and its difference is halved with those of the others.": (
            0.5 * np.abs(p - q).sum() + abs(p.sum() - q.sum())
        ),
        "what is on none of the images counts too, and half of the sum is asked: what is missing in one place is too "
        "much in another.": np.abs(p - q).sum(),
        "elsewhere the particles have 1 - Σq, and the model has something there, too: 1 - Σp.": (
            0.5 * (np.abs(p - q).sum() + 1 - q.sum())
        ),
        "elsewhere the model has 1 - Σp, and the particles have something there, too: 1 - Σq.": (
            0.5 * (np.abs(p - q).sum() + 1 - p.sum())
        ),
        "the model's p(v) has Z below, not the sum over the images; then it has something elsewhere, too.": (
            0.5 * np.abs(np.append(p / p.sum(), 0) - q_all).sum()
        ),
        "each particle counts, also one that is there twice: count all B.": (
            0.5 * np.abs(p_all - _with_elsewhere(_shares(images, np.unique(particles, axis=0)))).sum()
        ),
        "the shares are counts divided by B, not by B - 1.": (
            0.5 * np.abs(p_all - _with_elsewhere(q * len(particles) / (len(particles) - 1))).sum()
        ),
        "take absolute differences, not squares.": 0.5 * np.sqrt(((p_all - q_all) ** 2).sum()),
        "yours is 0, though the two differ: do differences of both signs cancel? Take absolute values first.": 0.0,
        "this is what all images together have too much or too little, and that is the difference at *elsewhere* "
        "alone: take the absolute difference at every place, and add.": abs((p - q).sum()),
        "this is half of what all images together have too much or too little: take the absolute difference at every "
        "place, and add.": 0.5 * abs((p - q).sum()),
    })
    _judge_shares(answer, rbm, (images, particles), (images, images[[1, 1, 1, 4, 4, 2]]))
    require(
        -1e-9 <= found <= 1 + 1e-9,
        f"a share of all mass lies from 0 to 1; yours is {found:.3g}. Do the shares that you compare lie from 0 to 1, "
        "and do they add up to 1, elsewhere included?",
    )
    require(np.isclose(found, right, atol=1e-9), f"it should be {right:.4f} for a case of ours; yours is {found:.4f}.")
    _judge_strays(answer, rbm, images[:4], np.vstack([images[:1], np.repeat(elsewhere, 3, axis=0)]), p[:4])
    one, other = np.array([[1.0, 1, 0, 0, 1, 1]]), np.array([[0.0, 1, 1, 0, 1, 0]])
    six = BinaryRBM([[1.0], [-1.0], [2.0], [0.0], [0.5], [-2.0]], [0.5, 1.0, -0.5, 0.0, 1.5, 0.5], [-0.5])
    for rbm_of, places, drawn in (
        (rbm, images, images[[4, 4, 5]]),
        (six, one, np.vstack([one, other, one])),
        (six, np.vstack([other, one]), one),
        (rbm, binary_states(4).astype(np.float64), particles),
    ):
        p, q = np.exp(rbm_of.log_density(places) - rbm_of.log_z()), _shares(places, drawn)
        right = 0.5 * (np.abs(p - q).sum() + abs(p.sum() - q.sum()))
        got = float(answer(rbm_of, places.copy(), drawn.copy()))
        sizes = f"{len(places)} image{'s' * (len(places) > 1)} of {places.shape[1]} pixels and {len(drawn)} particles"
        require(
            np.isclose(got, right, atol=1e-9),
            f"right for {n} images of 4 pixels and {len(particles)} particles, and wrong for {sizes}: it should be "
            f"{right:.4f}; yours is {got:.4f}.",
        )
    _judge_places(answer)
    exact = rbm.sample(200_000, np.random.default_rng(0)).astype(np.float64)
    near = float(answer(rbm, images, exact))
    require(near < 0.02, f"200,000 exact draws of the model should be at a distance near 0; yours is {near:.2f}.")
    return "right: 0 where the particles stand for the model, and 1 where they never meet."


def _judge_shares(answer, rbm: BinaryRBM, *cases: tuple[np.ndarray, np.ndarray]) -> None:
    """Other shares in the right formula, elsewhere included or not, in each case: once it may be chance."""
    found = [float(answer(rbm, images.copy(), particles.copy())) for images, particles in cases]
    slips = [_slips_of_shares(rbm, *case) for case in cases]
    for sentence in slips[0]:
        for elsewhere in (1, 0):
            apart = [np.abs(model - drawn).sum() for model, drawn in (of_case[sentence] for of_case in slips)]
            total = [abs(model.sum() - drawn.sum()) for model, drawn in (of_case[sentence] for of_case in slips)]
            reject(found, {sentence: [0.5 * (a + elsewhere * t) for a, t in zip(apart, total, strict=True)]})


def _slips_of_shares(rbm: BinaryRBM, images: np.ndarray, particles: np.ndarray) -> dict[str, tuple]:
    """What is said of other shares of the model and of the particles, and these shares."""
    log_f, log_z, q = rbm.log_density(images), rbm.log_z(), _shares(images, particles)
    p, alike = np.exp(log_f - log_z), particles[:, None] == images[None]
    ink = particles.sum(1)[:, None] == images.sum(1)
    return {
        "your p is log f - log Z, the logarithm of a probability: take exp.": (log_f - log_z, q),
        "your p is f, without Z: p(v) = exp(log f - log Z).": (np.exp(log_f), q),
        "your counts are divided by the number of images; they are shares of all B particles.": (
            p, q * len(particles) / len(images)
        ),
        "your counts are not divided by B, the number of particles.": (p, q * len(particles)),
        "a particle is on an image where *all* pixels agree; you count it where any does.": (p, alike.any(-1).mean(0)),
        "a particle is on an image where all pixels agree; you count it where it has as many that are on.": (
            p, ink.mean(0)
        ),
        "an image counts with its share of the particles; yours counts once if any particle is on it.": (
            p, alike.all(-1).any(0) / len(particles)
        ),
    }  # fmt: skip


def _shares(images: np.ndarray, particles: np.ndarray) -> np.ndarray:
    return (particles[:, None] == images[None]).all(-1).mean(0)


def _with_elsewhere(shares: np.ndarray) -> np.ndarray:
    return np.append(shares, 1 - shares.sum())


def _judge_places(answer) -> None:
    """Images that differ in one pixel of many, or in no way that the model knows of; and f beyond all floats."""
    flat, near_800 = BinaryRBM(np.zeros((4, 2)), np.zeros(4), np.zeros(2)), [[0.5], [-1.0], [0.25], [-0.5]]
    for rbm, seen, why in (
        (BinaryRBM(near_800, [0.5, 0.25, -0.5, 1.0], [800.0]), [0, 9, 5, 5], "log f and log Z near 800: exp(800) is "
         "infinite. Take log Z off before exp."),
        (flat, [0, 9, 6, 6], "a model to which all states are equally likely: a particle is on an image where all "
         "pixels agree, whatever the model says of the two."),
    ):
        drawn = binary_states(4).astype(np.float64)[seen]
        _judge_at(answer, rbm, _IMAGES[:4].astype(np.float64), drawn, why)
    for D in (12, 64):
        places = np.zeros((2, D))
        places[0, [0, D // 2, D - 1]] = places[1, D // 3] = 1
        drawn = np.repeat(places[:1], D + 1, axis=0)
        drawn[np.arange(D), np.arange(D)] = 1 - drawn[np.arange(D), np.arange(D)]  # all but one are on no image
        other = np.eye(D) + np.roll(np.eye(D), 1, axis=1)  # nor are these, in which two pixels are others
        drawn = np.concatenate([drawn, np.where(other, 1 - places[0], places[0])])
        for on in (places, 1 - places):
            _judge_at(
                answer, BinaryRBM(np.zeros((D, 1)), np.where(on[0], 4.0, -4.0), [0.0]), on,
                drawn if on is places else 1 - drawn, f"{D} pixels. A particle is on an image where all pixels agree. "
                "Has a code of all pixels room for 2 to the power of their number?",
            )


def _judge_at(answer, rbm, images, particles, why: str) -> None:
    p, q = np.exp(rbm.log_density(images) - rbm.log_z()), _shares(images, particles)
    right = 0.5 * (np.abs(p - q).sum() + abs(p.sum() - q.sum()))
    got = float(np.asarray(answer(rbm, images.copy(), particles.copy())))
    require(
        np.isclose(got, right, atol=1e-4), f"it should be {right:.4f} and is {got:.4f} for a case of ours with {why}"
    )


def _judge_strays(answer, rbm, images, particles, p) -> None:
    """Nine particles of ten on no image, far more than the model has there; and fewer images than before."""
    found, q = float(answer(rbm, images.copy(), particles.copy())), np.array([0.1, 0, 0, 0])
    apart, beyond = np.abs(p - q).sum(), q.sum() - p.sum()
    reject(found, {
        "where more particles than mass of the model are on no image, yours subtracts what they have too much there: "
        "the last place counts with its absolute difference, too.": 0.5 * (apart + beyond),
    })
    right = 0.5 * (apart + abs(beyond))
    require(
        np.isclose(found, right, atol=1e-9),
        f"right for {len(_IMAGES)} images, and wrong for {len(images)} with most particles on none of them: it should "
        f"be {right:.4f}; yours is {found:.4f}.",
    )
