"""Checks of notebook 11: training with tempered chains."""

import numpy as np

from anneal_edu import BinaryRBM, base_rate_rbm, binary_states, geometric_path, gibbs_matrix
from anneal_edu.course.check.verdict import arrays, call, exercise, own_chance, reject, require, same
from anneal_edu.data import bars_and_stripes
from anneal_edu.paths.rungs import Rungs
from anneal_edu.tempering.parallel import sweep
from anneal_edu.tempering.swaps import EvenOdd

_IMAGES = bars_and_stripes(2)
_N = 4000


# More and less than a few particles on several images, so that no single difference makes up half of the sum
_MODEL_NEAR_THE_IMAGES = BinaryRBM(
    [[1.0, -2.0, 0.5], [1.0, 1.5, -1.0], [-1.5, -2.0, 0.5], [-1.0, 1.5, 1.0]], [0.3, -0.5, 0.2, -0.4], [-0.5, 0.5, -0.3]
)
# Its means, and those of the ladder that ends here, differ from rung to rung and after one step from any state
_MODEL = BinaryRBM(
    [[2.0, -3.0, 0.0], [-2.0, 3.0, 1.0], [3.0, -2.0, -1.0], [-1.0, 1.0, 2.0]],
    [-1.0, 0.5, -1.5, -1.0],
    [-0.5, 0.5, -0.5],
)


# Exercise 1
def _halves(rbm: BinaryRBM, data: np.ndarray, particles: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """Means of (v hᵀ, v, h) over the data and over the particles, h averaged out given v."""
    parts = []
    for v in (data, particles):
        h = rbm.hidden_given_visible(v)
        parts.append((v.T @ h / len(v), v.mean(0), h.mean(0)))
    return parts


@exercise(
    hints=(
        "Where data and particles agree, how large is the slope?",
        "Each half is a mean over its own rows of v hᵀ, v and h, with p(h = 1 | v) in place of h.",
        "mean over the data minus mean over the particles; for W: vᵀ p(h | v) / number of rows",
    )
)
def gradient(answer) -> str:
    """``answer(rbm, data, particles)`` must be the estimated slopes of the mean log likelihood in (W, b, c).

    Examples
    --------
    >>> def as_printed(rbm, data, particles):
    ...     h_data, h_model = rbm.hidden_given_visible(data), rbm.hidden_given_visible(particles)
    ...     W = particles.T @ h_model / len(particles) - data.T @ h_data / len(data)
    ...     return W, particles.mean(0) - data.mean(0), h_model.mean(0) - h_data.mean(0)
    >>> gradient(as_printed)
    ✗ this leads downhill: it is minus the slope. Equation 2 of the report has this sign, if E is the energy in \
p ∝ exp(-E). The data push the likelihood up, the particles down.
      A hint: ae.check.tempered_training.gradient.hint()
    """
    rbm, data = _MODEL, _IMAGES.astype(np.float64)
    particles = np.random.default_rng(5).integers(0, 2, size=(9, 4)).astype(np.float64)
    shapes = {"the slope in W": (4, 3), "the slope in b": (4,), "the slope in c": (3,)}
    found = call(answer, rbm, data.copy(), particles.copy())
    found = arrays(found, shapes, "return three arrays: the slopes in W, b and c.")
    of_data, of_model = _halves(rbm, data, particles)
    right = [up - down for up, down in zip(of_data, of_model, strict=True)]
    mean_v, mean_h, mean_vh = rbm.moments()
    reject(found, {
        "this leads downhill: it is minus the slope. Equation 2 of the report has this sign, if E is the energy in p "
        "∝ exp(-E). The data push the likelihood up, the particles down.": [-part for part in right],
        "the particles are missing: this only pushes the data up, and never stops.": of_data,
        "the data are missing: this only pushes the particles down.": [-part for part in of_model],
        "these are the model's exact moments; a large model has none, only particles.": [
            up - mean for up, mean in zip(of_data, (mean_vh, mean_v, mean_h), strict=True)
        ],
        "these are sums; the two halves have different numbers of rows, and are means.": [
            len(data) * up - len(particles) * down for up, down in zip(of_data, of_model, strict=True)
        ],
    })
    scale = np.vdot(found[0], right[0]) / np.vdot(right[0], right[0])
    require(
        same(scale, 1.0) or not same(found, [scale * part for part in right]),
        f"this is {scale:.3g} times the slope; the learning rate, for one, belongs to the loop around it.",
    )
    for name, part, goal in zip(shapes, found, right, strict=True):
        require(not np.allclose(part, -goal), f"{name} has the wrong sign, and the others have not.")
    again = [np.asarray(part, dtype=float) for part in answer(rbm, data.copy(), particles.copy())]
    require(same(found, again), "two calls differ: average h out, p(h = 1 | v), in place of drawing it.")
    blind = BinaryRBM(rbm.weights, rbm.visible_bias, np.zeros(3))
    ups, downs = _halves(blind, data, particles)
    reject(found, {
        "the hidden biases are missing in p(h | v): take rbm.hidden_given_visible(v).": [
            up - down for up, down in zip(ups, downs, strict=True)
        ]
    })
    for name, part, goal in zip(shapes, found, right, strict=True):
        halves = "mean over the data minus mean over the particles, with p(h = 1 | v) for h."
        require(same(part, goal), f"{name} is not {halves}")
    return "right: the data pull up, the particles push down, and where both agree training rests."


# Exercise 2
def exchange(states: np.ndarray, path, betas: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Swap neighbours on a ladder, even pairs and then odd ones, by Metropolis: (K+1, B, D) -> (K+1, B, D)."""
    states = np.asarray(states)
    still = Rungs(path, betas, lambda distribution, x, rng: x)
    scheme, carried = EvenOdd(len(betas) - 1, states.shape[1]), still.carry(states)
    for _ in range(2):
        carried, _ = sweep(still, carried, scheme, rng)
    return carried[0]


_BETAS = np.array([0.0, 0.4, 1.0])


def _z_of_means(states: np.ndarray, rbm: BinaryRBM) -> float:
    """Largest distance of a unit's mean from the exact one, in standard errors."""
    mean = rbm.moments()[0]
    return float(np.abs((states.mean(0) - mean) / np.sqrt(mean * (1 - mean) / len(states))).max())


@exercise(
    hints=(
        "Under which distribution does rung k move, and where does the model stand?",
        "Make the path anew, ae.geometric_path(start, model); one Gibbs step on each rung, then one call of swap.",
        "states[k] = ae.gibbs(path(betas[k]), states[k], rng) for all k; states = swap(states, path, betas, rng); "
        "states[-1]",
    )
)
def negative_phase(answer) -> str:
    """``answer(states, start, model, betas, swap, rng)`` must move every rung, swap, and return (states, particles).

    Examples
    --------
    >>> import anneal_edu as ae
    >>> def cold(states, start, model, betas, swap, rng):
    ...     states = np.stack([ae.gibbs(model, x, rng) for x in states])
    ...     states = swap(states, ae.geometric_path(start, model), betas, rng)
    ...     return states, states[-1]
    >>> negative_phase(cold)
    ✗ rung 0 should follow the start, path(0), and yours follows another distribution. Rung k has path(betas[k]), with \
path = ae.geometric_path(start, model).
      A hint: ae.check.tempered_training.negative_phase.hint()
    """
    model, start = _MODEL, base_rate_rbm(_IMAGES, 3)
    start = BinaryRBM(start.weights, np.array([1.5, -1.5, 1.0, 0.0]), start.hidden_bias)
    path, rng = geometric_path(start, model), np.random.default_rng(11)
    states = np.stack([path(float(beta)).sample(_N, rng) for beta in _BETAS]).astype(np.float64)
    calls, back, the_rng = [], [], np.random.default_rng(1)

    def swap(given, over, betas, generator):
        calls.append(np.array(given))
        require(np.shape(given) == states.shape, f"swap wants all rungs, {states.shape}; it got {np.shape(given)}.")
        require(callable(over), "swap(states, path, betas, rng) wants the path from the start to the model.")
        require(
            np.array_equal(betas, _BETAS) and _log_f(over, 0.4) == _log_f(path, 0.4),
            "swap should judge by the path and the betas by which the rungs move; yours got others.",
        )
        require(generator is the_rng, "swap should draw from the rng that you are given, and gets another generator.")
        back.append(exchange(given, over, betas, generator))
        return back[-1].copy()

    pair = call(answer, states.copy(), start, model, _BETAS, swap, the_rng)
    shapes = {"the array of all states": states.shape, "the array of particles": states.shape[1:]}
    new, particles = arrays(pair, shapes, "return two things: all states, and the particles.")
    require(calls, "nothing was swapped: without swaps the last rung is PCD, and the hot ones work for nothing.")
    require(len(calls) == 1, f"one call is one sweep: move, then swap once. Yours swaps {len(calls)} times.")
    require(
        not np.array_equal(calls[0], states),
        "the states come to the swap as they were: move every rung by a Gibbs step first.",
    )
    unmoved = [k for k in range(3) if np.array_equal(calls[0][k], states[k])]
    require(not unmoved, f"rung {unmoved[0] if unmoved else 0} did not move: every rung makes its Gibbs step.")
    require(
        not np.array_equal(particles, new[0]),
        "these particles are of the first rung, the start. The model is the last rung, β = 1.",
    )
    require(np.array_equal(particles, new[-1]), "particles should be the last rung after the swaps: states[-1].")
    require(
        np.array_equal(new, back[0]),
        "what you return is not what came back from the swap: swap returns new states, and leaves those it is given.",
    )
    own_chance(lambda rng: answer(states.copy(), start, model, _BETAS, lambda x, *_: np.array(x), rng)[0], "states")
    _require_own_laws(answer, path, start, model, states)
    _require_one_step(answer, path, start, model)
    return "right: every rung moves under its own distribution, neighbours swap, and the last rung is the model."


def _require_own_laws(answer, path, start: BinaryRBM, model: BinaryRBM, states: np.ndarray) -> None:
    """From exact draws on every rung, six calls later: still their distributions."""
    rng = np.random.default_rng(2)
    for _ in range(6):
        states, _ = answer(states, start, model, _BETAS, exchange, rng)
    names = ("the start, path(0)", "path(betas[1])", "the model, path(1)")
    for k, (beta, name) in enumerate(zip(_BETAS, names, strict=True)):
        require(
            _z_of_means(np.asarray(states[k], dtype=float), path(float(beta))) < 5,
            f"rung {k} should follow {name}, and yours follows another distribution. Rung k has path(betas[k]), with "
            "path = ae.geometric_path(start, model).",
        )


def _log_f(path, beta: float) -> list[float]:
    return path(beta).log_density(binary_states(4)).round(9).tolist()


def _require_one_step(answer, path, start: BinaryRBM, model: BinaryRBM) -> None:
    """From one known state on every rung: the means after a Gibbs step, by the transition matrix."""
    everything, codes, came = binary_states(4).astype(float), (0, 15, 4), []

    def swap(given, over, betas, generator):
        came.append(np.array(given, dtype=float))
        return exchange(given, over, betas, generator)

    states = np.stack([np.tile(everything[code], (_N, 1)) for code in codes])
    answer(states, start, model, _BETAS, swap, np.random.default_rng(3))
    for k, (beta, code) in enumerate(zip(_BETAS, codes, strict=True)):
        mean = gibbs_matrix(path(float(beta)))[code] @ everything
        z = (came[0][k].mean(0) - mean) / np.sqrt(mean * (1 - mean) / _N)
        require(
            float(np.abs(z).max()) < 5,
            f"rung {k} should come to the swap by one Gibbs step from its own states[{k}]; yours comes from elsewhere, "
            "or further.",
        )


# Exercise 3
@exercise(
    hints=(
        "If all particles were on no image at all, which cell would tell?",
        "Exact p of each image and the share of particles on it; then append 1 - sum to both, the cell for "
        "everything else.",
        "½ Σ |p - q| with p = exp(log f - log Z), over all images and the cell for the rest",
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
    ✗ what is on none of the images counts too, as one more cell: 1 minus the sum of the others, for the model and for \
the particles.
      A hint: ae.check.tempered_training.distance.hint()
    """
    rbm, images = _MODEL_NEAR_THE_IMAGES, _IMAGES.astype(np.float64)
    elsewhere = [[0, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 0]]
    particles = np.vstack([images[[0, 0, 0, 3, 5, 5, 1, 2]], elsewhere])
    found = float(call(answer, rbm, images.copy(), particles.copy(), shape=()))
    f = np.exp(rbm.log_density(images))
    p, q = f / np.exp(rbm.log_z()), (particles[:, None] == images[None]).all(-1).mean(0)
    p_all, q_all = np.append(p, 1 - p.sum()), np.append(q, 1 - q.sum())
    right = 0.5 * np.abs(p_all - q_all).sum()
    n = len(images)
    reject(found, {
        "this is twice the total variation: what is missing in one cell is too much in another.": 2 * right,
        "what is on none of the images counts too, as one more cell: 1 minus the sum of the others, for the model and "
        "for the particles.": 0.5 * np.abs(p - q).sum(),
        "the model's p(v) has Z, not the sum over the images, below: log_z().": 0.5 * np.abs(f / f.sum() - q).sum(),
        "the model's p(v) has Z below, not the sum over the images.": 0.5 * np.abs(f / f.sum() - q / q.sum()).sum(),
        "the shares are of all B particles, also of those on no image: divide the counts by B.": (
            0.5 * np.abs(p_all - np.append(q / q.sum(), 0)).sum()
        ),
        "the shares are of all B particles, on an image or not, and the cell for everything else is missing.": (
            0.5 * np.abs(p - q / q.sum()).sum()
        ),
        "this compares the model with the images.": 0.5 * np.abs(p_all - np.append(np.full(n, 1 / n), 0)).sum(),
        "this compares the particles with the images.": 0.5 * np.abs(q_all - np.append(np.full(n, 1 / n), 0)).sum(),
        "this is the largest difference; total variation is half of their sum.": np.abs(p_all - q_all).max(),
        "take absolute differences, not squares.": 0.5 * np.sqrt(((p_all - q_all) ** 2).sum()),
        "differences of both signs cancel: take absolute values first.": 0.5 * abs((p_all - q_all).sum()),
    })
    require(
        -1e-9 <= found <= 1 + 1e-9,
        f"a share of all mass lies from 0 to 1; yours is {found:.3g}. Is p(v) divided by Z, and a count by B?",
    )
    require(np.isclose(found, right, atol=1e-9), f"it should be {right:.4f} for a case of ours; yours is {found:.4f}.")
    exact = rbm.sample(200_000, np.random.default_rng(0)).astype(np.float64)
    near = float(answer(rbm, images, exact))
    require(near < 0.02, f"200,000 exact draws of the model should be at a distance near 0; yours is {near:.2f}.")
    return "right: 0 where the particles stand for the model, and 1 where they never meet."
