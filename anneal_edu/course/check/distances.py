"""The distance between a model and particles, for the check of notebook 11 that asks for it, and its usual slips."""

import numpy as np

from anneal_edu import BinaryRBM, binary_states
from anneal_edu.course.check.verdict import reject, require
from anneal_edu.data import bars_and_stripes

IMAGES = bars_and_stripes(2)


def total_variation(rbm: BinaryRBM, images: np.ndarray, particles: np.ndarray) -> float:
    """Half of all differences between shares of model and particles: on each image, and elsewhere."""
    p, q = np.exp(rbm.log_density(images) - rbm.log_z()), _shares(images, particles)
    return float(0.5 * np.abs(_with_elsewhere(p) - _with_elsewhere(q)).sum())


def _shares(images: np.ndarray, particles: np.ndarray) -> np.ndarray:
    return (particles[:, None] == images[None]).all(-1).mean(0)


def _with_elsewhere(shares: np.ndarray) -> np.ndarray:
    return np.append(shares, 1 - shares.sum())


def slips_of_distance(rbm: BinaryRBM, images: np.ndarray, particles: np.ndarray) -> dict[str, float]:
    """What is said of other distances between model and particles, and these distances."""
    f = np.exp(rbm.log_density(images))
    p, q, n = f / np.exp(rbm.log_z()), _shares(images, particles), len(images)
    p_all, q_all = _with_elsewhere(p), _with_elsewhere(q)
    nearest = images[np.abs(images[:, None] - particles).sum(-1).argmin(0)]
    return {
        "particles on none of the images are counted to the nearest image; they are elsewhere.": (
            0.5 * np.abs(p_all - np.append(_shares(images, nearest), 0)).sum()
        ),
        "particles on none of the images are counted to the first: is that what argmax says where nothing agrees?": (
            0.5 * np.abs(p_all - np.append(q + (1 - q.sum()) * (np.arange(n) == 0), 0)).sum()
        ),
        "this is twice the total variation: what is missing in one place is too much in another.": 2
        * total_variation(rbm, images, particles),
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
    }


def judge_sizes(answer, rbm: BinaryRBM, images: np.ndarray, particles: np.ndarray) -> None:
    """Other numbers of images, pixels and particles."""
    one, other = np.array([[1.0, 1, 0, 0, 1, 1]]), np.array([[0.0, 1, 1, 0, 1, 0]])
    six = BinaryRBM([[1.0], [-1.0], [2.0], [0.0], [0.5], [-2.0]], [0.5, 1.0, -0.5, 0.0, 1.5, 0.5], [-0.5])
    for rbm_of, places, drawn in (
        (rbm, images, images[[4, 4, 5]]),
        (rbm, images, images[[3]]),
        (six, one, np.vstack([one, other, one])),
        (six, np.vstack([other, one]), one),
        (rbm, binary_states(4).astype(np.float64), particles),
    ):
        right = total_variation(rbm_of, places, drawn)
        got = float(answer(rbm_of, places.copy(), drawn.copy()))
        sizes = f"{len(places)} image{'s' * (len(places) > 1)} of {places.shape[1]} pixels and {len(drawn)} particle"
        sizes += "s" * (len(drawn) > 1)
        require(
            np.isclose(got, right, atol=1e-9),
            f"right for {len(images)} images of 4 pixels and {len(particles)} particles, and wrong for {sizes}: it "
            f"should be {right:.4f}; yours is {got:.4f}.",
        )


def judge_shares(answer, rbm: BinaryRBM, *cases: tuple[np.ndarray, np.ndarray]) -> None:
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


def judge_places(answer) -> None:
    """Images that differ in one pixel of many, or in no way that the model knows of; and f beyond all floats."""
    flat, near_800 = BinaryRBM(np.zeros((4, 2)), np.zeros(4), np.zeros(2)), [[0.5], [-1.0], [0.25], [-0.5]]
    for rbm, seen, why in (
        (BinaryRBM(near_800, [0.5, 0.25, -0.5, 1.0], [800.0]), [0, 9, 5, 5], "log f and log Z near 800: exp(800) is "
         "infinite. Take log Z off before exp."),
        (flat, [0, 9, 6, 6], "a model to which all states are equally likely: a particle is on an image where all "
         "pixels agree, whatever the model says of the two."),
    ):
        drawn = binary_states(4).astype(np.float64)[seen]
        _judge_at(answer, rbm, IMAGES[:4].astype(np.float64), drawn, why)
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
    points, own = np.eye(64), np.where(np.arange(64) < 48, 5.0, -5.0)  # a code that repeats mixes them up
    code = "64 images of 64 pixels, each with one pixel on. Has the code of every image a value of its own?"
    for off in (0, 1):
        _judge_at(
            answer, BinaryRBM(np.zeros((64, 1)), (1 - 2 * off) * (own - 8), [0.0]), np.abs(points - off),
            np.abs(points[np.arange(96) % 12] - off), code,
        )
    one = "particles in single precision, as the library's chains are: 1.0 is 1.0. Are values compared, or bytes?"
    _judge_at(answer, flat, IMAGES[:4].astype(np.float64), binary_states(4)[[0, 9, 6, 6]].astype(np.float32), one)
    many = binary_states(10)[:1000].astype(np.float64)
    small = "1,000 images, each with a share of less than 1 in 1,000: none is too small to count."
    _judge_at(answer, BinaryRBM(np.zeros((10, 1)), np.zeros(10), [0.0]), many, many, small)


def _judge_at(answer, rbm, images, particles, why: str) -> None:
    right = total_variation(rbm, images, particles)
    got = float(np.asarray(answer(rbm, images.copy(), particles.copy())))
    require(
        np.isclose(got, right, atol=1e-4), f"it should be {right:.4f} and is {got:.4f} for a case of ours with {why}"
    )


def judge_strays(answer, rbm, images, particles) -> None:
    """Nine particles of ten on no image, far more than the model has there; and fewer images than before."""
    found, q = float(answer(rbm, images.copy(), particles.copy())), np.array([0.1, 0, 0, 0])
    p = np.exp(rbm.log_density(images) - rbm.log_z())
    apart, beyond = np.abs(p - q).sum(), q.sum() - p.sum()
    reject(found, {
        "where more particles than mass of the model are on no image, yours leaves this last place out, or counts it "
        "with its sign: it counts with its absolute difference, too.": 0.5 * (apart + beyond),
    })
    right = 0.5 * (apart + abs(beyond))
    require(
        np.isclose(found, right, atol=1e-9),
        f"right for {len(IMAGES)} images, and wrong for {len(images)} with most particles on none of them: it should "
        f"be {right:.4f}; yours is {found:.4f}.",
    )
