"""Checks of notebook 11: training with tempered chains."""

import numpy as np

from anneal_edu import BinaryRBM, base_rate_rbm, binary_states, geometric_path, gibbs_matrix
from anneal_edu.course.check.phases import SICK, exchange, healthy, sound_rungs
from anneal_edu.course.check.verdict import WrongAnswerError, arrays, call, exercise, own_chance, reject, require
from anneal_edu.data import bars_and_stripes

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

    It is asked about a phase without a fault, twelve times, and about every phase in ``SICK``, twice each.

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
    rungs = sound_rungs()

    def asked(phase, seed) -> bool:
        given = np.random.default_rng([11, seed])

        def handed(states, rng):
            require(rng is given, "hand the rng that you are given on to the phase: it has no other chance.")
            return phase(states, rng)

        found = call(answer, handed, list(rungs), given)
        require(isinstance(found, bool | np.bool_), f"return True or False; yours is {found!r}.")
        return bool(found)

    condemned = sum(not asked(healthy, seed) for seed in range(12))
    require(
        condemned < 12,
        "you condemn a phase without a fault every time. Did it begin at exact draws of its rungs, and is a mean of "
        "finitely many draws allowed to be a little off?",
    )
    for fault, phase in SICK.items():
        require(not (asked(phase, 20) or asked(phase, 21)), f"you pass a phase that {fault}.")
    require(
        condemned == 0,
        f"you condemn a phase without a fault in {condemned} of twelve trials. Of many numbers that are compared "
        "some are two standard errors off by chance: allow five, or draw more. Did each rung begin at exact draws of "
        "its own?",
    )
    return f"right: all {len(SICK)} faults found, and the phase without one is let go, twelve times of twelve."


# Exercise 2
_BETAS = np.array([0.0, 0.4, 1.0])


def _z(found: np.ndarray, right: np.ndarray) -> np.ndarray:
    """How far means over _N chains (D,) are from their expectations, in standard errors."""
    return np.abs(found - right) / np.sqrt(right * (1 - right) / _N)


def _furthest(found: np.ndarray, right: np.ndarray) -> str:
    z = _z(found, right)
    j = int(z.argmax())
    side = "often" if found[j] > right[j] else "seldom"
    return f"pixel {j} is on in {found[j]:.0%} of {_N:,} chains, too {side} by {z[j]:.0f} standard errors"


@exercise(
    hints=(
        "Under which distribution does rung k move, and where does the model stand?",
        "Make the path anew, ae.geometric_path(start, model); one Gibbs step on each rung, then one call of swap.",
        "new = states.copy(); new[k] = ae.gibbs(path(betas[k]), states[k], rng) for all k; "
        "new = swap(new, path, betas, rng); return new, new[-1]",
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
    ✗ rung 0 moves about as rung 2 should, which is too cold: which distribution of the path belongs to betas[0] = 0?
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
    require(
        np.array_equal(particles, new[-1]),
        "these particles are not those of the last rung after the swaps: from before them, or from another rung.",
    )
    require(
        np.array_equal(new, back[0]),
        "what you return is not what came back from the swap: swap returns new states, and leaves those it is given.",
    )
    own_chance(lambda rng: answer(states.copy(), start, model, _BETAS, lambda x, *_: np.array(x), rng)[0], "states")
    _require_one_step(answer, path, start, model)
    _require_own_laws(answer, path, start, model, states)
    return "right: every rung moves under its own distribution, neighbours swap, and the last rung is the model."


def _require_own_laws(answer, path, start: BinaryRBM, model: BinaryRBM, states: np.ndarray) -> None:
    """From exact draws on every rung, six calls later: still their distributions."""
    rng = np.random.default_rng(2)
    for _ in range(6):
        states, _ = answer(states, start, model, _BETAS, exchange, rng)
    for k, beta in enumerate(_BETAS):
        found, right = np.asarray(states[k], dtype=float).mean(0), path(float(beta)).moments()[0]
        require(
            _z(found, right).max() < 5,
            f"rung {k} begins at exact draws of its own distribution, and after six calls should still follow it: "
            f"{_furthest(found, right)}.",
        )


def _log_f(path, beta: float) -> list[float]:
    return path(beta).log_density(binary_states(4)).round(9).tolist()


def _require_one_step(answer, path, start: BinaryRBM, model: BinaryRBM) -> None:
    """From one known state on every rung: the means after a Gibbs step, by the transition matrix."""
    everything, codes, came = binary_states(4).astype(float), (13, 5, 6), []  # slips are 10 errors apart

    def swap(given, over, betas, generator):
        came.append(np.array(given, dtype=float))
        return exchange(given, over, betas, generator)

    states = np.stack([np.tile(everything[code], (_N, 1)) for code in codes])
    answer(states, start, model, _BETAS, swap, np.random.default_rng(3))

    def step(code: int, beta: float) -> np.ndarray:
        return gibbs_matrix(path(float(beta)))[code] @ everything

    for k, (beta, code) in enumerate(zip(_BETAS, codes, strict=True)):
        mean, own = came[0][k].mean(0), step(code, beta)
        if _z(mean, own).max() < 5:
            continue
        slips = {}
        for j in {0, 1, 2} - {k}:
            slips[
                f"rung {k} moves about as rung {j} should, which is too {'hot' if j < k else 'cold'}: which "
                f"distribution of the path belongs to betas[{k}] = {beta:g}?"
            ] = step(code, _BETAS[j])
            slips[f"rung {k} goes on from the states of rung {j}; the chains of a rung stay there until the swap."] = (
                step(codes[j], beta)
            )
        if k / 2 != beta:
            slips[f"rung {k} moves as at β = {k / 2:g}, as on an even ladder; betas[{k}] is {beta:g}."] = (
                step(code, k / 2)
            )
        likeliest = min(slips, key=lambda said: _z(mean, slips[said]).max())
        require(_z(mean, slips[likeliest]).max() > 5, likeliest)
        raise WrongAnswerError(
            f"rung {k} should come to the swap by one Gibbs step under its own distribution from its own states[{k}]. "
            f"Put into one state there, it does not: {_furthest(mean, own)}. Another distribution, or more than a step?"
        )


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
    elsewhere = [[0, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 0]]
    particles = np.vstack([images[[0, 0, 0, 0, 0, 2, 3, 3, 4, 5, 5]], elsewhere, elsewhere[:2]])
    found = float(call(answer, rbm, images.copy(), particles.copy(), shape=()))
    f = np.exp(rbm.log_density(images))
    p, q = f / np.exp(rbm.log_z()), (particles[:, None] == images[None]).all(-1).mean(0)
    p_all, q_all = np.append(p, 1 - p.sum()), np.append(q, 1 - q.sum())
    right = 0.5 * np.abs(p_all - q_all).sum()
    n = len(images)
    reject(found, {
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
        "the last place counts with its difference, as every other: |(1 - Σp) - (1 - Σq)|, and not their sum.": (
            0.5 * (np.abs(p - q).sum() + (1 - p.sum()) + (1 - q.sum()))
        ),
        "this compares the model with the images.": 0.5 * np.abs(p_all - np.append(np.full(n, 1 / n), 0)).sum(),
        "this compares the particles with the images.": 0.5 * np.abs(q_all - np.append(np.full(n, 1 / n), 0)).sum(),
        "this is the largest difference; total variation is half of their sum.": np.abs(p_all - q_all).max(),
        "take absolute differences, not squares.": 0.5 * np.sqrt(((p_all - q_all) ** 2).sum()),
        "yours is 0, though the two differ: do differences of both signs cancel? Take absolute values first.": 0.0,
        "differences of both signs cancel: take the absolute value of each, and add then.": abs((p - q).sum()),
        "differences of both signs cancel: half the sum of their absolute values.": 0.5 * abs((p - q).sum()),
    })
    require(
        -1e-9 <= found <= 1 + 1e-9,
        f"a share of all mass lies from 0 to 1; yours is {found:.3g}. Is p(v) divided by Z, and a count by B?",
    )
    require(np.isclose(found, right, atol=1e-9), f"it should be {right:.4f} for a case of ours; yours is {found:.4f}.")
    _judge_strays(answer, rbm, images[:4], np.vstack([images[:1], np.repeat(elsewhere, 3, axis=0)]), p[:4])
    few = float(answer(rbm, images.copy(), images[[4, 4, 5]]))
    right = 0.5 * (np.abs(p - [0, 0, 0, 0, 2 / 3, 1 / 3]).sum() + p_all[-1])
    require(
        np.isclose(few, right, atol=1e-9),
        f"right for {len(particles)} particles, and wrong for three, fewer than there are images: it should be "
        f"{right:.4f}; yours is {few:.4f}.",
    )
    exact = rbm.sample(200_000, np.random.default_rng(0)).astype(np.float64)
    near = float(answer(rbm, images, exact))
    require(near < 0.02, f"200,000 exact draws of the model should be at a distance near 0; yours is {near:.2f}.")
    return "right: 0 where the particles stand for the model, and 1 where they never meet."


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
