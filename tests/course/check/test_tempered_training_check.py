"""Known-wrong answers to the exercises of notebook 11: each is rejected with a message about its own mistake."""

import re

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.check import tempered_training


def slopes(sign=1, h_of=None, mean=True, parts=("data", "model")):
    def answer(rbm, data, particles):
        hidden = h_of or (lambda rbm, v: rbm.hidden_given_visible(v))

        def half(v):
            h, n = hidden(rbm, v), len(v) if mean else 1
            return v.T @ h / n, v.sum(0) / n, h.sum(0) / n

        up, down = half(data), half(particles)
        if "model" not in parts:
            return up
        return tuple(sign * (a - b) for a, b in zip(up, down, strict=True))

    return answer


def one_sign_wrong(rbm, data, particles):
    W, b, c = slopes()(rbm, data, particles)
    return W, -b, c


COINS = np.random.default_rng(0)


def drawn(rbm, v):
    return (COINS.random((len(v), rbm.n_hidden)) < rbm.hidden_given_visible(v)).astype(float)


def without_bias(rbm, v):
    return 1 / (1 + np.exp(-v @ rbm.weights))


def with_exact_moments(rbm, data, particles):
    mean_v, mean_h, mean_vh = rbm.moments()
    h = rbm.hidden_given_visible(data)
    return data.T @ h / len(data) - mean_vh, data.mean(0) - mean_v, h.mean(0) - mean_h


def both_over_n(rbm, data, particles):
    (W, b, c), (W2, b2, c2) = (slopes(mean=False, parts=("data",))(rbm, v, v) for v in (data, particles))
    return (W - W2) / len(data), (b - b2) / len(data), (c - c2) / len(data)


def product_of_means(rbm, data, particles):
    _, b, c = slopes()(rbm, data, particles)
    halves = [np.outer(v.mean(0), rbm.hidden_given_visible(v).mean(0)) for v in (data, particles)]
    return halves[0] - halves[1], b, c


WRONG_GRADIENT = {
    "as printed": (slopes(-1), "downhill"),
    "only the data": (slopes(parts=("data",)), "particles are missing"),
    "sums": (slopes(mean=False), "these are sums"),
    "one sign": (one_sign_wrong, "slope in b has the wrong sign"),
    "h drawn": (slopes(h_of=drawn), "average h out"),
    "no hidden bias": (slopes(h_of=without_bias), "hidden biases are missing"),
    "fields for probabilities": (slopes(h_of=lambda rbm, v: rbm.hidden_field(v)), "with p\\(h = 1 \\| v\\) for h"),
    "doubled": (slopes(2), "this is 2 times the slope"),
    "learning rate": (slopes(0.05), "this is 0.05 times the slope; the learning rate"),
    "only the particles": (lambda rbm, d, p: tuple(-x for x in slopes(parts=("data",))(rbm, p, d)), "data are missing"),
    "exact moments": (with_exact_moments, "model's exact moments"),
    "both over N": (both_over_n, "slope in W is not"),
    "product of means": (product_of_means, "slope in W is not"),
    "two parts": (lambda rbm, d, p: slopes()(rbm, d, p)[:2], "three arrays"),
    "transposed": (lambda rbm, d, p: (slopes()(rbm, d, p)[0].T, *slopes()(rbm, d, p)[1:]), "shape"),
    "NaN": (lambda rbm, d, p: tuple(np.nan * part for part in slopes()(rbm, d, p)), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_GRADIENT)
def test_wrong_gradient(mistake):
    answer, message = WRONG_GRADIENT[mistake]
    verdict = tempered_training.gradient(answer)
    assert verdict.passed is False
    assert re.search(message, verdict.message), verdict


def phase(beta_of=lambda betas, k: betas[k], swaps=True, moves=True, give=-1, first="move", only=None, of_start=None):
    def answer(states, start, model, betas, swap, rng):
        path = ae.geometric_path(start, model)
        if first == "swap":
            states = swap(states, path, betas, rng)
        if moves:
            states = np.stack(
                [
                    ae.gibbs(path(float(beta_of(betas, k))), x, rng) if only is None or k in only else x
                    for k, x in enumerate(states)
                ]
            )
        if swaps and first == "move":
            states = swap(states, path, betas, rng)
        return states, states[give]

    return answer


def before_the_swap(states, start, model, betas, swap, rng):
    path = ae.geometric_path(start, model)
    states = np.stack([ae.gibbs(path(float(beta)), x, rng) for beta, x in zip(betas, states, strict=True)])
    return swap(states, path, betas, rng), states[-1]


def in_place(states, start, model, betas, swap, rng):
    path = ae.geometric_path(start, model)
    for k, beta in enumerate(betas):
        states[k] = ae.gibbs(path(float(beta)), states[k], rng)
    states = swap(states, path, betas, rng)
    return states, states[-1]


def swap_on_the_reversed_ladder(states, start, model, betas, swap, rng):
    path, back = ae.geometric_path(start, model), ae.geometric_path(model, start)
    states = np.stack([ae.gibbs(path(float(beta)), x, rng) for beta, x in zip(betas, states, strict=True)])
    states = swap(states, back, betas, rng)
    return states, states[-1]


def forgets_the_states(states, start, model, betas, swap, rng):
    _, particles = phase()(states, start, model, betas, swap, rng)
    return states, particles


def moved_by(move, times=1, betas_of_swap=None):
    """Move every rung by ``move(path, beta, k, states, rng)``, then swap; all of that so many times."""

    def answer(states, start, model, betas, swap, rng):
        path = ae.geometric_path(start, model)
        for _ in range(times):
            states = np.stack([move(path, float(beta), k, states, rng) for k, beta in enumerate(betas)])
            states = swap(states, path, betas if betas_of_swap is None else betas_of_swap, rng)
        return states, states[-1]

    return answer


def own_step(path, beta, k, states, rng):
    return ae.gibbs(path(beta), states[k], rng)


def tempered_energies(path, beta, k, states, rng):
    rbm = path(1.0)
    return ae.gibbs(ae.BinaryRBM(beta * rbm.weights, beta * rbm.visible_bias, beta * rbm.hidden_bias), states[k], rng)


def deaf_to_the_swap(states, start, model, betas, swap, rng):
    path = ae.geometric_path(start, model)
    states = np.stack([ae.gibbs(path(float(beta)), x, rng) for beta, x in zip(betas, states, strict=True)])
    swap(states, path, betas, rng)
    return states, states[-1]


def swap_by_another_generator(states, start, model, betas, swap, rng):
    return phase()(states, start, model, betas, lambda *given: swap(*given[:3], np.random.default_rng(0)), rng)


WRONG_PHASE = {
    "what swap returns thrown away": (deaf_to_the_swap, "not what came back from the swap"),
    "a generator of its own for the swap": (swap_by_another_generator, "gets another generator"),
    "a generator of its own for the steps": (
        moved_by(lambda path, beta, k, states, rng: ae.gibbs(path(beta), states[k], np.random.default_rng(k))),
        "two generators give the same states",
    ),
    "fresh chance for the steps": (
        moved_by(lambda path, beta, k, states, rng: ae.gibbs(path(beta), states[k], np.random.default_rng())),
        "from it alone",
    ),
    "all from the last rung": (
        moved_by(lambda path, beta, k, states, rng: ae.gibbs(path(beta), states[-1], rng)),
        r"rung [012] should (follow|come to the swap by one Gibbs step)",
    ),
    "exact draws": (
        moved_by(lambda path, beta, k, states, rng: path(beta).sample(len(states[k]), rng)),
        "by one Gibbs step",
    ),
    "two sweeps": (moved_by(own_step, times=2), "swaps 2 times"),
    "evenly spaced betas in the swap": (moved_by(own_step, betas_of_swap=np.linspace(0, 1, 3)), "yours got others"),
    "f to the power beta": (moved_by(tempered_energies), "rung 0 should follow the start"),
    "rungs permuted": (
        moved_by(lambda path, beta, k, states, rng: ae.gibbs(path(beta), states[k - 1], rng)),
        "rung [012] should follow",
    ),
    "all cold": (phase(lambda betas, k: 1.0), "rung 0 should follow the start"),
    "all hot": (phase(lambda betas, k: 0.0), "should follow"),
    "upside down": (phase(lambda betas, k: betas[-1 - k]), "should follow"),
    "middle at another β": (phase(lambda betas, k: [0.0, 0.9, 1.0][k]), "rung 1 should follow|should follow"),
    "no swaps": (phase(swaps=False), "nothing was swapped"),
    "no moves": (phase(moves=False), "move every rung"),
    "swaps first": (phase(first="swap"), "move every rung"),
    "only the last moves": (phase(only=(2,)), "rung 0 did not move"),
    "the first rung handed out": (phase(give=0), "particles are of the first rung"),
    "the middle handed out": (phase(give=1), "particles should be the last rung"),
    "before the swap": (before_the_swap, "after the swaps"),
    "in place": (in_place, "changes the states"),
    "reversed ladder in the swap": (swap_on_the_reversed_ladder, "yours got others"),
    "forgets": (forgets_the_states, "particles should be the last rung"),
    "particles alone": (lambda *a: phase()(*a)[1], "return two things"),
}


@pytest.mark.parametrize("mistake", WRONG_PHASE)
def test_wrong_phase(mistake):
    answer, message = WRONG_PHASE[mistake]
    verdict = tempered_training.negative_phase(answer)
    assert verdict.passed is False, verdict
    assert re.search(message, verdict.message), verdict


def cells(rbm, images, particles, elsewhere=True, z=None):
    p = np.exp(rbm.log_density(images) - (rbm.log_z() if z is None else z(rbm, images)))
    q = (particles[:, None] == images[None]).all(-1).mean(0)
    return (np.append(p, 1 - p.sum()), np.append(q, 1 - q.sum())) if elsewhere else (p, q)


def right_distance(rbm, images, particles):
    p, q = cells(rbm, images, particles)
    return 0.5 * np.abs(p - q).sum()


def log_sum(rbm, images):
    return np.log(np.exp(rbm.log_density(images)).sum())


def shares_of_the_images(rbm, images, particles, elsewhere):
    p, q = cells(rbm, images, particles, elsewhere=False)
    q = q / q.sum()
    p, q = (np.append(p, 1 - p.sum()), np.append(q, 0)) if elsewhere else (p, q)
    return 0.5 * np.abs(p - q).sum()


WRONG_DISTANCE = {
    "shares of the images": (lambda *a: shares_of_the_images(*a, True), "divide the counts by B"),
    "shares of the images alone": (lambda *a: shares_of_the_images(*a, False), "on an image or not"),
    "twice": (lambda *a: 2 * right_distance(*a), "twice"),
    "no elsewhere": (
        lambda *a: 0.5 * np.abs(np.subtract(*cells(*a, elsewhere=False))).sum(),
        "what is on none of the images",
    ),
    "Z of the images": (
        lambda *a: 0.5 * np.abs(np.subtract(*cells(*a, elsewhere=False, z=log_sum))).sum(),
        "has Z",
    ),
    "largest": (lambda *a: np.abs(np.subtract(*cells(*a))).max(), "largest difference"),
    "squares": (lambda *a: 0.5 * np.sqrt((np.subtract(*cells(*a)) ** 2).sum()), "not squares"),
    "signed": (lambda *a: 0.5 * abs(np.subtract(*cells(*a)).sum()), "cancel"),
    "against the images": (
        lambda *a: 0.5 * np.abs(cells(*a)[0] - np.append(np.full(6, 1 / 6), 0)).sum(),
        "compares the model with the images",
    ),
    "particles against the images": (
        lambda *a: 0.5 * np.abs(cells(*a)[1] - np.append(np.full(6, 1 / 6), 0)).sum(),
        "compares the particles with the images",
    ),
    "log Z for Z": (
        lambda rbm, i, p: 0.5 * np.abs(cells(rbm, i, p, z=lambda rbm, i: np.log(rbm.log_z()))[0]).sum(),
        "lies from 0 to 1",
    ),
    "no Z": (lambda rbm, i, p: 0.5 * np.exp(rbm.log_density(i)).sum(), "lies from 0 to 1"),
    "in percent": (lambda *a: 100 * right_distance(*a), "lies from 0 to 1"),
    "mean for sum": (lambda *a: 0.5 * np.abs(np.subtract(*cells(*a))).mean(), "it should be"),
    "elsewhere for the model alone": (
        lambda rbm, i, p: 0.5 * np.abs(cells(rbm, i, p)[0] - np.append(cells(rbm, i, p)[1][:-1], 0)).sum(),
        "it should be",
    ),
    "overlap": (lambda *a: 1 - right_distance(*a), "it should be"),
    "not a number": (lambda *a: np.nan, "NaN"),
    "a vector": (lambda *a: np.abs(np.subtract(*cells(*a))), "shape"),
}


@pytest.mark.parametrize("mistake", WRONG_DISTANCE)
def test_wrong_distance(mistake):
    answer, message = WRONG_DISTANCE[mistake]
    verdict = tempered_training.distance(answer)
    assert verdict.passed is False, verdict
    assert message in verdict.message, verdict


@pytest.mark.parametrize(
    ("check", "answer"), [("gradient", slopes()), ("negative_phase", phase()), ("distance", right_distance)]
)
def test_right_answers_pass(check, answer):
    verdict = getattr(tempered_training, check)(answer)
    assert verdict.passed, verdict


def as_a_list(states, start, model, betas, swap, rng):
    path = ae.geometric_path(start, model)
    moved = [ae.gibbs(path(float(beta)), x, rng) for beta, x in zip(betas, states, strict=True)]
    states = swap(moved, path, betas, rng)
    return states, states[-1]


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        ("negative_phase", as_a_list),
        ("negative_phase", moved_by(own_step)),
        ("distance", lambda *a: np.maximum(np.subtract(*cells(*a)), 0).sum()),
        ("distance", lambda *a: 1 - np.minimum(*cells(*a)).sum()),
    ],
)
def test_right_answers_in_other_words_pass(check, answer):
    verdict = getattr(tempered_training, check)(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize("check", ["gradient", "negative_phase", "distance"])
def test_stubs_are_not_attempted(check):
    assert getattr(tempered_training, check)(lambda *arguments: ...).passed is None


def test_the_given_swap_keeps_every_rung():
    model, rng = tempered_training._MODEL, np.random.default_rng(0)
    start = ae.BinaryRBM(np.zeros((4, 3)), np.array([1.5, -1.5, 1.0, 0.0]), np.zeros(3))
    path = ae.geometric_path(start, model)
    betas = np.array([0.0, 0.4, 1.0])
    states = np.stack([path(float(beta)).sample(4000, rng) for beta in betas])
    swapped = tempered_training.exchange(states, path, betas, rng)
    assert not np.array_equal(swapped, states)
    for beta, x in zip(betas, swapped, strict=True):
        assert tempered_training._z_of_means(x.astype(float), path(float(beta))) < 4.5
