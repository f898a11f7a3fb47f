"""Exercises of notebook 11: training with tempered chains."""

from functools import partial

import numpy as np

from anneal_edu.annealing.matrices import gibbs_matrix
from anneal_edu.course.check.engine import Exercise, exercise, require
from anneal_edu.data import bars_and_stripes
from anneal_edu.distributions import BinaryRBM, binary_states
from anneal_edu.kernels import gibbs
from anneal_edu.paths.geometric import geometric_path


# Exercise 1: one step uphill
def _batches():
    rng, rbm = np.random.default_rng(11), BinaryRBM([[2, -3, 0], [-2, 3, 1], [3, -2, -1], [-1, 1, 2]], [0] * 4, [0] * 3)
    bits, square = rng.integers(0, 2, (12, 4)).astype(float), BinaryRBM(rng.normal(size=(4, 4)), [1] * 4, [0, 1, 2, 0])
    return {
        "seven images and five particles": (bits[:7], bits[7:], rbm),
        "as many particles as images": (bits[:6], bits[6:], rbm),
        "one image and eleven particles": (bits[:1], bits[1:], rbm),
        "as many hidden units as pixels": (bits[:4], bits[4:], square),
        "particles that are the data": (bits, bits, rbm),
    }


def _other_slopes(data, particles, rbm):
    N, M = len(data), len(particles)
    (W, b, c), h, h_model = gradient.solution(data, particles, rbm), *map(rbm.hidden_given_visible, (data, particles))
    up, down = (data.T @ h, data.sum(0), h.sum(0)), (particles.T @ h_model, particles.sum(0), h_model.sum(0))
    likelier = (h > 0.5).astype(float), (h_model > 0.5).astype(float)
    return {
        "that is the slope downhill. The data raise the likelihood, so their mean has the plus.": (-W, -b, -c),
        "N and M differ: take the mean over the data minus the mean over the particles, not sums.": tuple(
            u - d for u, d in zip(up, down, strict=True)),
        "the particles have a mean of their own: divide their sum by M, not by N.": tuple(
            u / N - d / N for u, d in zip(up, down, strict=True)),
        "the negative phase is missing: subtract the mean over the particles.": tuple(u / N for u in up),
        "that is E[v] E[h], a product of two means. Take the mean of the products v hᵀ.": (
            np.outer(data.mean(0), h.mean(0)) - np.outer(particles.mean(0), h_model.mean(0)), ..., ...),
        "W has a row for each pixel, (D, H): yours is transposed.": (W.T, ..., ...),
        "you set each h to its likelier value. Use the probability p(h = 1 | v).": (
            data.T @ likelier[0] / N - particles.T @ likelier[1] / M, ..., likelier[0].mean(0) - likelier[1].mean(0)),
        "p(h = 1 | v) at the mean of v is not its mean: ask for the h of every v.": (
            ..., ..., np.subtract(*(rbm.hidden_given_visible(v.mean(0, keepdims=True))[0] for v in (data, particles)))),
        "W comes first, then b of the visible units and c of the hidden ones.": (..., c, b),
    }  # fmt: skip


@exercise(
    hints=(
        "Which states should become more likely in an update, and which less?",
        "The positive phase is the mean of v p(h = 1 | v)ᵀ over the N images, the negative phase the same mean over "
        "the M particles. For b and c put v and p(h = 1 | v) in the place of the product.",
        "with h = rbm.hidden_given_visible(v), for the data minus for the particles: v.T @ h / len(v), v.mean(0), "
        "h.mean(0)",
    ),
    returns={"the gradient in W": "It is a mean of v p(h = 1 | v)ᵀ over the data minus one over the particles: use "
             "probabilities, and draw no h.",
             "that in b": "It is the mean of v over the data minus that over the particles.",
             "that in c": "It is the mean of p(h = 1 | v) over the data minus that over the particles."},
    cases=_batches, slips=_other_slopes, rtol=1e-5, atol=1e-6,
    praise="right: the data pull up, the particles push down, and the slope is 0 where both have the same means.",
)  # fmt: skip
def gradient(data, particles, rbm):
    """The stochastic gradient of the mean log likelihood in W (D, H), b (D,) and c (H,)."""
    h, h_model = rbm.hidden_given_visible(data), rbm.hidden_given_visible(particles)
    of_weights = data.T @ h / len(data) - particles.T @ h_model / len(particles)
    return of_weights, data.mean(0) - particles.mean(0), h.mean(0) - h_model.mean(0)


# Exercise 2: the tempered negative phase
_START = BinaryRBM(np.zeros((4, 3)), [1.5, -1.5, 1.0, 0.0], np.zeros(3))
_MODEL = BinaryRBM([[2, -3, 0], [-2, 3, 1], [3, -2, -1], [-1, 1, 2]], [-1.0, 0.5, -1.5, -1.0], [-0.5, 0.5, -0.5])
_LADDERS = {(0.0, 0.4, 1.0): (2, 5, 10), (1.0, 0.35, 0.0, 0.6, 1.0): (15, 9, 7, 3, 10),
            (1.0, 0.0, 1.0, 0.5): (15, 7, 6, 10), (0.0, 0.995, 1.0, 0.9999): (2, 5, 10, 5)}  # fmt: skip
_V, _N = binary_states(4).astype(float), 4000


def _judge_phase(exercise: Exercise, answer):
    for betas, codes in _LADDERS.items():
        _judge_sweep(partial(exercise.asked, answer), np.array(betas), codes)
    few = np.random.default_rng(2).integers(0, 2, (3, 20, 4)).astype(float)
    exercise.draws(answer, few, _START, _MODEL, np.array([0.0, 0.4, 1.0]), lambda states, *_: states[::-1].copy())


def _judge_sweep(asked, betas, codes):
    """One sweep: the chains of rung k start in the state number codes[k]."""
    path, rng, moved, back = geometric_path(_START, _MODEL), np.random.default_rng(3), [], []
    states, where = np.repeat(_V[list(codes), None], _N, axis=1), f"betas = {betas.tolist()}: "

    def swap(given, over, over_betas, generator):
        require(np.shape(given) == states.shape, f"swap wants all rungs, {states.shape}; it got {np.shape(given)}.")
        same = np.array_equal(over_betas, betas) and np.allclose(over(0.3).log_density(_V), path(0.3).log_density(_V))
        require(same, "swap wants the geometric path from start to model, and the betas.")
        require(generator is rng, "swap should draw from the rng that is passed in.")
        moved.append(np.array(given))
        back.append(np.roll(moved[-1], 1, axis=0))
        return back[-1].copy()

    found = asked((states.copy(), _START, _MODEL, betas.copy(), swap, rng), copied=False)
    require(isinstance(found, tuple | list) and len(found) == 2, "return two things: all states and the particles.")
    require(len(moved) == 1, f"swap once, after all rungs have moved. You swap {len(moved)} times.")
    stay = [k for k in range(len(betas)) if np.array_equal(moved[0][k], states[k])]
    require(not stay, f"each rung makes a Gibbs step before the swap: rung {stay and stay[0]} does not move.")
    for k in range(len(betas)):
        _judge_rung(moved[0][k].mean(0), k, codes, betas, f"{where}rung {k} ")
    require(not np.array_equal(found[1], back[0]), "all states stand second: return states first, then particles.")
    require(np.array_equal(found[0], back[0]), "return all states as they come back from swap.")
    particles, right = np.asarray(found[1]), back[0][betas == 1].reshape(-1, 4)
    require(particles.shape == right.shape, f"{where}the particles have shape {particles.shape}, but it should be "
            f"{right.shape}: join the states of all rungs with β = 1 in one axis.")  # fmt: skip
    require(sorted(particles.tolist()) == sorted(right.tolist()), f"{where}the particles should be the states of all "
            "rungs with β = 1, after the swap.")  # fmt: skip


def _judge_rung(mean, k, codes, betas, where):
    """The pixels' means after one Gibbs step are those of rung k; if not, of which slip are they?"""

    def off(beta, code):
        wanted = gibbs_matrix(geometric_path(_START, _MODEL)(beta))[code] @ _V
        return np.abs((mean - wanted) / np.sqrt(wanted * (1 - wanted) / _N)).max()

    own, code = betas[k], codes[k]
    slips = {f"moves under path({beta:g}). Use the β of its own rung, {own:g}.": off(beta, code) for beta in betas}
    slips |= {f"starts from states[{j}]. It should start from states[{k}].": off(own, codes[j])
              for j in range(len(betas))}  # fmt: skip
    said = min(slips, key=slips.__getitem__)
    other = f"should make one Gibbs step under path({own:g}), from states[{k}]: its pixels have other means."
    require(off(own, code) < 5.5, where + (said if slips[said] < 5 else other))


def _moving(move):
    """A negative phase that moves each rung by ``move(path, beta, x, rng)``, and then swaps."""

    def answer(states, start, model, betas, swap, rng):
        path = geometric_path(start, model)
        new = swap([move(path, beta, x, rng) for beta, x in zip(betas, states, strict=True)], path, betas, rng)
        return new, new[-1]

    return answer


@exercise(
    hints=(
        "Under which distribution does rung k move, and which of the rungs are the model?",
        "Make the path anew, ae.geometric_path(start, model); one Gibbs step on each rung, then one call of swap. The "
        "model is wherever β = 1: first, last, or both.",
        "new = states.copy(); new[k] = ae.gibbs(path(betas[k]), states[k], rng) for all k; "
        "new = swap(new, path, betas, rng); return new, new[betas == 1].reshape(-1, D)",
    ),
    errors={"beta must lie in": "rung k is at betas[k] on the path, not at k.",
            "Path lacks": "ae.gibbs wants the distribution of a rung, path(betas[k]), not the whole path."},
    judge=_judge_phase,
    mistakes={
        "rung 0 moves under path(1)": _moving(lambda path, beta, x, rng: gibbs(path(1.0), x, rng)),
        "does not move": _moving(lambda path, beta, x, rng: gibbs(path(1.0), x, rng) if beta == 1 else x),
        "should make one Gibbs step": _moving(lambda path, beta, x, rng: path(beta).sample(len(x), rng)),
        "join the states of all rungs with β = 1": _moving(lambda path, beta, x, rng: gibbs(path(beta), x, rng)),
        "after the swap": lambda *given: (negative_phase.solution(*given)[0], given[0][given[3] == 1].reshape(-1, 4)),
        "swap once": lambda *given: negative_phase.solution(*given[:4], lambda states, *_: states, given[5]),
        "from start to model": lambda states, *ends: negative_phase.solution(states, ends[1], ends[0], *ends[2:]),
        "states first, then particles": lambda *given: negative_phase.solution(*given)[::-1],
        "as they come back from swap": lambda *given: (given[0], negative_phase.solution(*given)[1]),
    },
    praise="right: every rung moves under its own distribution, neighbours swap, and the model is where β = 1.",
)  # fmt: skip
def negative_phase(states, start, model, betas, swap, rng):
    """All states (K+1, B, D) after one sweep, and the particles: the states of all rungs with β = 1."""
    path = geometric_path(start, model)
    states = np.stack([gibbs(path(beta), x, rng) for beta, x in zip(betas, states, strict=True)])
    states = swap(states, path, betas, rng)
    return states, states[betas == 1].reshape(-1, states.shape[-1])


# Exercise 3: an alarm bell
def _places():
    images, alike = bars_and_stripes(2).astype(float), BinaryRBM(np.zeros((4, 1)), [0] * 4, [0])
    weights = [[1, -2, 0.5], [1, 1.5, -1], [-1.5, -2, 0.5], [-1, 1.5, 1]]
    rbm = BinaryRBM(weights, [0.3, -0.5, 0.2, -0.4], [-0.5, 0.5, -0.3])
    large = BinaryRBM([[0.5], [-1], [0.25], [-0.5]], [0.5, 0.25, -0.5, 1], [800])
    elsewhere, points, flips = _V[[1, 6, 7, 1, 6]], np.eye(64), 1 - np.eye(64)
    seen = np.vstack([images[[0, 0, 0, 0, 0, 2, 3, 3, 4, 5, 5]], elsewhere])
    return {
        "six images and sixteen particles": (rbm, images[[2, 0, 1, 3, 4, 5]], seen),
        "particles on no image": (rbm, images[:4], elsewhere),
        "one image": (rbm, images[3:4], seen),
        "one particle": (rbm, images, images[3:4]),
        "all states as images": (rbm, _V, seen),
        "log f near 800, where f is infinite in floating point": (large, images[:4], seen),
        "a model in which all states are alike": (alike, images[:4], seen[1:].astype(np.float32)),
        "images of 64 pixels": (BinaryRBM(np.zeros((64, 1)), -np.linspace(2, 6, 64), [0.0]), points[:48], points[::3]),
        "64 pixels of which 63 are on": (BinaryRBM(np.zeros((64, 1)), np.linspace(2, 6, 64), [0.0]), flips[:48], flips),
    }


def _misplaced(rbm, images, particles):
    f, log_p = np.exp(rbm.log_density(images)), rbm.log_density(images) - rbm.log_z()
    same = particles[:, None] == images
    p, q, counts = np.exp(log_p), same.all(-1).mean(0), same.all(-1).sum(0)

    def apart(p, q, elsewhere=True):
        return 0.5 * (np.abs(p - q).sum() + elsewhere * abs(p.sum() - q.sum()))

    on_images = q / q.sum() if q.sum() else q
    return {
        "what is on none of the images is missing: *elsewhere* is one more place.": apart(p, q, elsewhere=False),
        "that is twice the total variation: what one place lacks, another has too much.": 2 * apart(p, q),
        "elsewhere the particles have 1 - Σq, but the model has 1 - Σp there.": apart(p, q, False) + (1 - q.sum()) / 2,
        "half of the sum is asked, and *elsewhere* is one more place.": 2 * apart(p, q, elsewhere=False),
        "divide f by Z, not by its sum over the images: use log_z().": apart(f / f.sum(), q),
        "divide f by Z, not by its sum over the images, and add *elsewhere*.": apart(f / f.sum(), q, False),
        "the shares are of all B particles, also of those on no image.": 0.5 * (
            np.abs(p - on_images).sum() + 1 - p.sum()),
        "f is not p: divide by Z, exp(log f - log Z).": apart(f, q),
        "log f - log Z is the logarithm of p: take the exponential.": apart(log_p, q),
        "take shares of the particles: divide their numbers by B.": apart(p, counts),
        "a particle is on an image if *all* pixels agree.": apart(p, same.any(-1).mean(0)),
        "exp overflows: subtract log Z first, and take the exponential then.": apart(f / np.exp(rbm.log_z()), q),
        "take absolute differences, not squares.": 0.5 * np.sqrt(((p - q) ** 2).sum() + (p.sum() - q.sum()) ** 2),
        "that is the largest difference. Take half of their sum.": max(np.abs(p - q).max(), abs(p.sum() - q.sum())),
    }  # fmt: skip


@exercise(
    hints=(
        "If no particle was on any image, which place would show it?",
        "Take p of each image and the share of particles on it. Then append 1 - sum to both, for *elsewhere*.",
        "½ Σ |p - q| with p = exp(log f - log Z), over all images and the place for the rest",
    ),
    returns={"the total variation": "It is ½ Σ |p - q| of shares in [0, 1]; with *elsewhere* each side sums to 1."},
    cases=_places, slips=_misplaced, rtol=1e-5, atol=1e-6,
    praise="right: 0 if the particles have the model's shares, and 1 if they share no place.",
)  # fmt: skip
def distance(rbm, images, particles):
    """Total variation between model and particles, on the images and elsewhere."""
    p = np.exp(rbm.log_density(images) - rbm.log_z())
    q = (particles[:, None] == images).all(-1).mean(0)
    return 0.5 * (np.abs(p - q).sum() + abs(p.sum() - q.sum()))
