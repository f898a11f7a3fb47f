"""Known-wrong answers to the exercises of notebook 11: each is rejected with a message about its own mistake."""

import re

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.bugs.phases import SICK, exchange, ladders, opposite_faults, turned
from anneal_edu.course.check import particles, tempered_training
from anneal_edu.course.check.examiners import _all_elsewhere
from tests.cases import a_third


def soundness(
    rungs_of=range, pairs=True, particles=True, k=5.0, n=20_000, zeros=False, means=True, hidden=0, times=1, off=np.abs
):
    def answer(phase, rungs, rng):
        states = np.stack([rung.sample(n, rng) for rung in rungs]) * (not zeros)
        for _ in range(times):
            states, handed = phase(states, rng)
        seen = [(rungs[i], states[i]) for i in rungs_of(len(rungs))] + [(rungs[-1], handed)] * particles
        for rung, v in seen:
            (mean_v, mean_h, mean_vh), h = rung.moments(), rung.hidden_given_visible(v)
            found = [off(v.mean(0) - mean_v).max()] * means + [off(h.mean(0) - mean_h).max()] * hidden
            found += [off(v.T @ h / n - mean_vh).max()] * pairs
            if max(found) > k * 0.5 / np.sqrt(n):
                return False
        return True

    return answer


def in_another_order(begin, judge=slice(None), n=4000):
    """Right, but that block k begins at draws of ``rungs[begin][k]`` and is judged by ``rungs[judge][k]``."""

    def answer(phase, rungs, rng):
        states, handed = phase(np.stack([rung.sample(n, rng) for rung in rungs[begin]]), rng)
        return soundness(n=n, hidden=1)(lambda *_: (states, handed), rungs[judge], rng)

    return answer


def before_and_after(phase, rungs, rng):
    """Compares the new states with the old ones, as two samples."""
    old = np.stack([rung.sample(20_000, rng) for rung in rungs])
    new, handed = phase(old, rng)

    def pairs(rung, v):
        return v.T @ rung.hidden_given_visible(v) / len(v)

    seen = zip([*rungs, rungs[-1]], [*old, old[-1]], [*new, handed], strict=True)
    return all(np.abs(pairs(rung, a) - pairs(rung, b)).max() < 0.025 for rung, a, b in seen)


def moved(phase, rungs, rng):
    old = np.stack([rung.sample(100, rng) for rung in rungs])
    return bool((phase(old.copy(), rng)[0] != old).any())


def in_order(phase, rungs, rng):
    states, particles = phase(np.stack([rung.sample(100, rng) for rung in rungs]), rng)
    return bool(np.array_equal(states[-1], particles))


def on_average(places=slice(None), n=20_000):
    """Judges the mean of what these places are off by, the particles last."""

    def answer(phase, rungs, rng):
        states, handed = phase(np.stack([rung.sample(n, rng) for rung in rungs]), rng)
        off = []
        for rung, v in zip([*rungs, rungs[-1]], [*states, handed], strict=True):
            (mean_v, mean_h, mean_vh), h = rung.moments(), rung.hidden_given_visible(v)
            off.append(np.concatenate([v.mean(0) - mean_v, h.mean(0) - mean_h, np.ravel(v.T @ h / n - mean_vh)]))
        judged = np.mean(off[places], axis=0)
        return bool(np.abs(judged).max() < 4 * 0.5 / np.sqrt(n * len(off[places])))

    return answer


def in_standard_errors(begin=None, k=5.0, n=4000, pixels=slice(None)):
    """Right, each number of these pixels in its own standard error, but that all rungs begin at ``rungs[begin]``."""

    def answer(phase, rungs, rng):
        begun = rungs if begin is None else [rungs[begin]] * len(rungs)
        states, handed = phase(np.stack([rung.sample(n, rng) for rung in begun]), rng)
        for rung, v in zip([*rungs, rungs[-1]], [*states.astype(float), handed], strict=True):
            (mean_v, mean_h, mean_vh), h = rung.moments(), rung.hidden_given_visible(v)
            pairs = v[:, pixels, None] * h[:, None, :]
            for found, mean in ((v[:, pixels], mean_v[pixels]), (h, mean_h), (pairs, mean_vh[pixels])):
                if (abs(found.mean(0) - mean) > k * (found.std(0) / np.sqrt(n) + 1e-12)).any():
                    return False
        return True

    return answer


def if_all_move(phase, rungs, rng):
    """Right, but that no chain may stay where it is."""
    old = np.stack([rung.sample(20_000, rng) for rung in rungs])
    new, handed = phase(old.copy(), rng)
    return soundness()(lambda *_: (new, handed), rungs, rng) and not (new == old).all(-1).any()


WRONG_SOUND = {
    "everything is well": (lambda phase, rungs, rng: True, "whatever is wrong with it"),
    "nothing is well": (lambda phase, rungs, rng: False, "every time"),
    "the last rung alone": (soundness(rungs_of=lambda n: [n - 1]), "on the other rungs"),
    "the particles alone": (soundness(rungs_of=lambda n: []), "on the other rungs"),
    "the two ends": (soundness(rungs_of=lambda n: [0, n - 1]), "second rung as it does the first"),
    "all but the first rung": (soundness(rungs_of=lambda n: range(1, n)), "first rung as it does the second"),
    "all but the third rung": (soundness(rungs_of=lambda n: [0, 1, 3]), "third rung as it does the second"),
    "rungs 0, 1 and the last, after three moves": (
        soundness(rungs_of=lambda n: [0, 1, n - 1], times=3), "on rung 2 of 0 to 3|the third rung as it does the second"
    ),
    "the particles for the last rung": (soundness(rungs_of=lambda n: range(n - 1)), "not in its particles"),
    "three standard errors": (in_standard_errors(k=3.0, n=12_000), "you condemn a phase without a fault in"),
    "all pixels but the last": (
        in_standard_errors(n=20_000, pixels=slice(-1)), "has pixel 4 too often on, on rung 0 of 0 to 6"
    ),
    "all pixels but the first": (
        in_standard_errors(n=20_000, pixels=slice(1, None)),
        "pixel 0 too often on, on rung 0 of 0 to 3|the first rung as it does",
    ),
    "as many rungs as the first ladder has": (soundness(rungs_of=lambda n: range(4)), "on rung 4 of 0 to 6"),
    "E[v] and E[h]": (soundness(pairs=False, hidden=1), "E.v hᵀ., what pixels do together|E.v hᵀ. wrong, on rung 1"),
    "too often alone": (soundness(off=lambda x: x), "you pass a phase"),
    "too seldom alone": (soundness(off=lambda x: -x), "too often on"),
    "pairs on the short ladder": (
        lambda phase, rungs, rng: soundness(pairs=len(rungs) == 4, hidden=1)(phase, rungs, rng),
        "on rung 1 of 0 to 6",
    ),
    "an average over all places": (on_average(), "an average over both is right, so judge each by itself"),
    "an average over the rungs, and the particles": (
        lambda *a: on_average(slice(-1))(*a) and soundness(rungs_of=lambda n: [])(*a), "judge each by itself"
    ),
    "every rung, and an average of the last and the particles": (
        lambda *a: soundness(rungs_of=lambda n: range(n - 1), particles=False)(*a) and on_average(slice(-2, None))(*a),
        "seldom in its particles, whose law is the same",
    ),
    "a tolerance that is too wide": (soundness(k=60.0), "you say False. So is it compared by itself"),
    "the last rung alone, and a wide tolerance": (
        soundness(rungs_of=lambda n: [n - 1], k=60.0), "on the other rungs"
    ),
    "no chain may stay": (if_all_move, "Whether chains move is not asked"),
    "exchanged": (lambda *a: not soundness()(*a), "are True and False exchanged?"),
    "exchanged, and means alone": (lambda *a: not soundness(pairs=False)(*a), "with one: are True and False exchanged"),
    "the rungs reversed": (
        in_another_order(slice(None, None, -1), slice(None, None, -1)),
        r"in states\[0\] are no draws of rungs\[0\]: they look like draws of rungs\[3\]",
    ),
    "begun at the rungs reversed": (in_another_order(slice(None, None, -1)), "they look like draws of rungs.3."),
    "judged by the rungs reversed": (
        in_another_order(slice(None), slice(None, None, -1)), r"judged by the law of rungs\[k\]"
    ),
    "draws of the model on every rung": (
        lambda phase, rungs, rng: soundness()(phase, [rungs[-1]] * len(rungs), rng),
        r"in states\[0\] are no draws of rungs\[0\]: they look like draws of rungs\[3\]",
    ),
    "draws of the model on every rung, in standard errors": (
        in_standard_errors(-1), r"in states\[0\] are no draws of rungs\[0\]: they look like draws of rungs\[3\]"
    ),
    "draws of the start on every rung, in standard errors": (
        in_standard_errors(0), r"in states\[1\] are no draws of rungs\[1\]: they look like draws of rungs\[0\]"
    ),
    "draws of the model on every rung, where there are seven": (
        lambda phase, rungs, rng: (in_standard_errors(-1) if len(rungs) == 7 else soundness())(phase, rungs, rng),
        r"of the first 24 trials. It wants .* in states\[0\] are no draws of rungs\[0\]",
    ),
    "none on a ladder that turns": (
        lambda phase, rungs, rng: soundness()(phase, rungs, rng) and len(rungs) != 5, "to the start and back"
    ),
    "no chance allowed": (soundness(k=0.01), "a little off"),
    "a middle rung alone": (soundness(rungs_of=lambda n: [1], particles=False), "you pass a phase"),
    "no particles": (soundness(particles=False), "look at the particles"),
    "means alone": (soundness(pairs=False), "what pixels do together, is not: compare that"),
    "half a standard error": (soundness(k=0.5), "may a mean of finitely many draws be a little off"),
    "two standard errors": (soundness(k=1.7), "of the first 24 trials|every time"),
    "ten draws": (soundness(n=10), "you pass a phase"),
    "from zeros": (soundness(zeros=True), "exact draws of its rungs"),
    "whether chains move": (
        lambda phase, rungs, rng: soundness(hidden=1)(phase, rungs, rng) and moved(phase, rungs, rng), "never moves"
    ),
    "whether particles are the last rung, row by row": (
        lambda phase, rungs, rng: soundness(hidden=1)(phase, rungs, rng) and in_order(phase, rungs, rng),
        "in another order",
    ),
    "a number": (lambda phase, rungs, rng: 3.0, "True or False"),
    "a second rng": (lambda phase, rungs, rng: soundness()(phase, rungs, np.random.default_rng(0)), "hand the rng"),
}


@pytest.mark.parametrize("mistake", a_third(WRONG_SOUND))
def test_wrong_sound(mistake):
    answer, message = WRONG_SOUND[mistake]
    verdict = tempered_training.sound(answer)
    assert verdict.passed is False
    assert re.search(message, verdict.message), verdict


def test_each_sick_phase_has_its_fault_and_the_healthy_one_has_none():
    """By the moments of 20,000 draws: 8 standard errors or more against less than 5."""
    short, long = ladders()
    for ladder, faults in ((short, SICK), (short, short.faults), (long, long.faults), (turned(), opposite_faults())):
        for phase in faults.values():
            assert not soundness(k=8.0)(phase, ladder.rungs, np.random.default_rng(5))
        assert soundness(hidden=1)(ladder.healthy, ladder.rungs, np.random.default_rng(5))


@pytest.mark.parametrize("ladder", ladders())
def test_what_is_sick_in_one_place_is_sick_there_alone(ladder):
    """Every fault is seen in one place of K + 2, after three moves too, and all places have one."""
    n, seen = len(ladder.rungs), []
    for name, phase in ladder.faults.items():
        places = [
            soundness(rungs_of=lambda n, k=k: [k] if k < n else [], particles=k == n, times=3) for k in range(n + 1)
        ]
        seen.append([k for k, look in enumerate(places) if not look(phase, ladder.rungs, np.random.default_rng(6))])
        assert soundness(pairs=False, hidden=1)(phase, ladder.rungs, np.random.default_rng(7)) is ("E[v hᵀ]" in name)
    assert sorted(seen) == sorted([[k] for k in range(n + 1)] + [[k] for k in range(1, n + 1)])


@pytest.mark.parametrize("fault", opposite_faults())
def test_opposite_faults_cancel_on_average(fault):
    assert on_average()(opposite_faults()[fault], turned().rungs, np.random.default_rng(8))


def test_all_chains_are_put_elsewhere_and_no_law_is_changed():
    for ladder in (*ladders(), turned()):
        old = np.stack([rung.sample(1000, np.random.default_rng(9)) for rung in ladder.rungs])
        new, handed = _all_elsewhere(old, np.random.default_rng(0))
        assert not (new == old).all(-1).any() and np.array_equal(handed, new[-1])
        for x, y in zip(old, new, strict=True):
            assert sorted(map(tuple, x)) == sorted(map(tuple, y))


def at_end(states, betas):
    return states[betas == 1].reshape(-1, states.shape[-1])


def phase(beta_of=lambda betas, k: betas[k], swaps=True, moves=True, give=None, first="move", only=None, of_start=None):
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
        return states, at_end(states, betas) if give is None else states[give]

    return answer


def before_the_swap(states, start, model, betas, swap, rng):
    path = ae.geometric_path(start, model)
    states = np.stack([ae.gibbs(path(float(beta)), x, rng) for beta, x in zip(betas, states, strict=True)])
    return swap(states, path, betas, rng), at_end(states, betas)


def in_place(states, start, model, betas, swap, rng):
    path = ae.geometric_path(start, model)
    for k, beta in enumerate(betas):
        states[k] = ae.gibbs(path(float(beta)), states[k], rng)
    states = swap(states, path, betas, rng)
    return states, at_end(states, betas)


def swap_on_the_reversed_ladder(states, start, model, betas, swap, rng):
    path, back = ae.geometric_path(start, model), ae.geometric_path(model, start)
    states = np.stack([ae.gibbs(path(float(beta)), x, rng) for beta, x in zip(betas, states, strict=True)])
    states = swap(states, back, betas, rng)
    return states, at_end(states, betas)


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
        return states, at_end(states, betas)

    return answer


def own_step(path, beta, k, states, rng):
    return ae.gibbs(path(beta), states[k], rng)


def tempered_energies(path, beta, k, states, rng):
    rbm = path(1.0)
    return ae.gibbs(ae.BinaryRBM(beta * rbm.weights, beta * rbm.visible_bias, beta * rbm.hidden_bias), states[k], rng)


def never_leaving(path, beta, k, states, rng):
    there = (states[k][:, :4] == [1, 0, 0, 0]).all(-1, keepdims=True)
    return np.where(there, states[k], own_step(path, beta, k, states, rng))


def deaf_to_the_swap(states, start, model, betas, swap, rng):
    path = ae.geometric_path(start, model)
    states = np.stack([ae.gibbs(path(float(beta)), x, rng) for beta, x in zip(betas, states, strict=True)])
    swap(states, path, betas, rng)
    return states, at_end(states, betas)


def three_rungs(states, start, model, betas, swap, rng):
    path = ae.geometric_path(start, model)
    middle = ae.gibbs(path(betas[1]), states[1], rng)
    new = np.stack([start.sample(states.shape[1], rng), middle, ae.gibbs(model, states[2], rng)])
    new = swap(new, path, betas, rng)
    return new, new[2]


def handing_out(particles):
    """Right but for what is handed out: ``particles(new, old, model, betas, rng)``."""

    def answer(states, start, model, betas, swap, rng):
        new, _ = phase()(states, start, model, betas, swap, rng)
        return new, particles(new, states, model, betas, rng)

    return answer


def swap_by_another_generator(states, start, model, betas, swap, rng):
    return phase()(states, start, model, betas, lambda *given: swap(*given[:3], np.random.default_rng(0)), rng)


WRONG_PHASE = {
    "three rungs": (three_rungs, "swap wants all rungs, .5, 8000, 5.; it got .3, 8000, 5."),
    "the first three rungs": (
        lambda s, start, model, betas, *given: phase()(s[:3], start, model, betas[:3], *given), "swap wants all rungs"
    ),
    "one particle without its axis": (
        lambda *given: tuple(part if part.ndim > 2 else np.squeeze(part) for part in phase()(*given)),
        "with one chain a rung, states of shape (3, 1, 4), you return shapes (3, 1, 4) and (4,)".replace("(", r"\(")
        .replace(")", r"\)"),
    ),
    "the last rung, wherever β = 1": (phase(give=-1), "you return 8,000 particles, and 16,000 states stand for"),
    "all rungs with β > 0.99": (
        handing_out(lambda new, old, model, betas, rng: new[betas > 0.99].reshape(-1, new.shape[-1])),
        "0.995, 1, 0.9999.: you return 24,000 particles",
    ),
    "all rungs with β near 1": (
        handing_out(lambda new, old, model, betas, rng: at_end(new, np.where(np.isclose(betas, 1, atol=1e-3), 1, 0))),
        "0.995, 1, 0.9999.: you return 16,000 particles",
    ),
    "both ends": (
        handing_out(lambda new, old, model, betas, rng: np.vstack([new[0], new[-1]])),
        "you return 16,000 particles, and 8,000",
    ),
    "the end that is not the start": (
        handing_out(lambda new, old, model, betas, rng: np.vstack([new[0], new[-1]]) if betas[0] else new[-1]),
        "where betas = .1, 0.4, 0.: you return 16,000 particles",
    ),
    "a block a rung": (
        handing_out(lambda new, old, model, betas, rng: new[betas == 1]), r"shape \(1, 8000, 4\).*one particle a row"
    ),
    "all rungs": (handing_out(lambda new, *_: new.reshape(-1, new.shape[-1])), "and 8,000 states stand for the model"),
    "moved once more": (
        handing_out(lambda new, old, model, betas, rng: ae.gibbs(model, at_end(new, betas), rng)), "done to them since"
    ),
    "the old ones": (handing_out(lambda new, old, model, betas, rng: at_end(old, betas)), "not those of the states"),
    "two Gibbs steps": (
        moved_by(lambda path, beta, k, states, rng: ae.gibbs(path(beta), ae.gibbs(path(beta), states[k], rng), rng)),
        "rung 1 makes two Gibbs steps",
    ),
    "upside down where it turns": (
        phase(lambda betas, k: betas[k] if betas[0] < betas[-1] else betas[-1 - k]),
        "rung 1 moves about as rung 3 should",
    ),
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
        "rung [12] goes on from the states of rung 2",
    ),
    "exact draws": (
        moved_by(lambda path, beta, k, states, rng: path(beta).sample(len(states[k]), rng)),
        "rung 1 comes with draws of its own distribution",
    ),
    "two sweeps": (moved_by(own_step, times=2), "swaps 2 times"),
    "everything on the reversed ladder": (
        lambda s, start, model, *given: phase()(s, model, start, *given), "runs from the model to the start"
    ),
    "evenly spaced betas in the swap": (moved_by(own_step, betas_of_swap=np.linspace(0, 1, 3)), "yours got others"),
    "f to the power beta": (
        moved_by(tempered_energies),
        "rung 0 moves under the model's f to the power 0",
    ),
    "rungs permuted": (
        moved_by(lambda path, beta, k, states, rng: ae.gibbs(path(beta), states[k - 1], rng)),
        "rung 1 goes on from the states of rung 0",
    ),
    "a state that no chain leaves": (moved_by(never_leaving), "should still follow it: pixel"),
    "all cold": (phase(lambda betas, k: 1.0), "rung 0 moves about as rung 2 should, which is too cold"),
    "all hot": (phase(lambda betas, k: 0.0), "rung 1 moves about as rung 0 should, which is too hot"),
    "evenly spaced betas": (phase(lambda betas, k: k / 2), "rung 1 moves as at β = 0.5"),
    "upside down": (phase(lambda betas, k: betas[-1 - k]), "rung 0 moves about as rung 2 should, which is too cold"),
    "middle at another β": (
        phase(lambda betas, k: [0.0, 0.9, 1.0][k]), "rung 1 should come .* pixel . is on in .*, too (often|seldom) by"
    ),
    "no swaps": (phase(swaps=False), "nothing was swapped"),
    "no moves": (phase(moves=False), "move every rung"),
    "swaps first": (phase(first="swap"), "move every rung"),
    "only the last moves": (phase(only=(2,)), "rung 0 did not move"),
    "the first rung handed out": (phase(give=0), "particles are of rung 0, where β = 0"),
    "the middle handed out": (phase(give=1), "of rung 1, where β = 0.4"),
    "before the swap": (before_the_swap, "from before the swaps"),
    "in place": (in_place, "changes the states"),
    "reversed ladder in the swap": (swap_on_the_reversed_ladder, "its ends are exchanged"),
    "forgets": (forgets_the_states, "not those of the states"),
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


def from_shares(p, q):
    return 0.5 * (np.abs(p - q).sum() + abs(p.sum() - q.sum()))


def coded(code):
    """Images and particles are told apart by ``code(x, rbm)``, (n,)."""

    def answer(rbm, images, particles):
        p, same = cells(rbm, images, particles, elsewhere=False)[0], code(particles, rbm)[:, None] == code(images, rbm)
        return from_shares(p, same.mean(0))

    return answer


def floats(dtype, order):
    return lambda x, rbm: (x[:, ::order] @ 2.0 ** np.arange(x.shape[1])).astype(dtype)


WRONG_DISTANCE = {
    "shares of the images": (lambda *a: shares_of_the_images(*a, True), "divide the counts by B"),
    "shares of the images alone": (lambda *a: shares_of_the_images(*a, False), "on an image or not"),
    "twice": (lambda *a: 2 * right_distance(*a), "twice"),
    "the sign of the last cell": (
        lambda *a: 0.5 * (np.abs(np.subtract(*cells(*a))[:-1]).sum() + np.subtract(*cells(*a))[-1]),
        "counts with its absolute difference",
    ),
    "right for six images": (
        lambda rbm, images, particles: right_distance(rbm, images, particles) * (1 if len(images) == 6 else 0.9),
        "right for 6 images",
    ),
    "half where there is one particle": (
        lambda rbm, images, particles: right_distance(rbm, images, particles) / (1 + (len(particles) == 1)),
        "wrong for 6 images of 4 pixels and 1 particle: it",
    ),
    "no elsewhere": (
        lambda *a: 0.5 * np.abs(np.subtract(*cells(*a, elsewhere=False))).sum(),
        "what is on none of the images",
    ),
    "Z of the images": (
        lambda *a: 0.5 * np.abs(np.subtract(*cells(*a, elsewhere=False, z=log_sum))).sum(),
        "has Z",
    ),
    "the nearest image": (
        lambda rbm, i, p: right_distance(rbm, i, i[np.abs(i[:, None] - p).sum(-1).argmin(0)]), "nearest image"
    ),
    "no overlap with elsewhere": (
        lambda *a: 1 - np.minimum(*cells(*a, elsewhere=False)).sum(), "in 1 - Σ min(p, q) over the images alone"
    ),
    "argmax of no match": (
        lambda rbm, i, p: right_distance(rbm, i, i[(p[:, None] == i).all(-1).argmax(1)]), "what argmax says"
    ),
    "elsewhere alone": (lambda *a: abs(np.subtract(*cells(*a))[-1]), "the difference at *elsewhere* alone"),
    "four pixels": (lambda rbm, i, p: right_distance(rbm, i, p) * (i.shape[1] == 4), "1 image of 6 pixels"),
    "several images": (lambda rbm, i, p: right_distance(rbm, i, p) if len(i) > 1 else 0.5, "1 image of 6 pixels"),
    "something is elsewhere": (
        lambda rbm, i, p: right_distance(rbm, i, p) if len(i) < 2 ** i.shape[1] else 0.5, "16 images of 4 pixels"
    ),
    "largest": (lambda *a: np.abs(np.subtract(*cells(*a))).max(), "largest difference"),
    "squares": (lambda *a: 0.5 * np.sqrt((np.subtract(*cells(*a)) ** 2).sum()), "not squares"),
    "signed, of the images": (
        lambda *a: abs(np.subtract(*cells(*a, elsewhere=False)).sum()), "the difference at *elsewhere* alone"
    ),
    "half of that": (
        lambda *a: 0.5 * abs(np.subtract(*cells(*a, elsewhere=False)).sum()), "half of what all images together"
    ),
    "the sum in the last cell": (
        lambda *a: 0.5 * (np.abs(np.subtract(*cells(*a))[:-1]).sum() + np.sum(cells(*a), axis=0)[-1]),
        "as it does in 1 - Σ min(p, q)",
    ),
    "as many images as particles": (
        lambda rbm, i, p: right_distance(rbm, i[: len(p)], p),
        "and wrong for 6 images of 4 pixels and 3 particles",
    ),
    "signed": (lambda *a: 0.5 * abs(np.subtract(*cells(*a)).sum()), "cancel"),
    "against the images": (
        lambda *a: 0.5 * np.abs(cells(*a)[0] - np.append(np.full(6, 1 / 6), 0)).sum(),
        "compares the model with the images",
    ),
    "particles against the images": (
        lambda *a: 0.5 * np.abs(cells(*a)[1] - np.append(np.full(6, 1 / 6), 0)).sum(),
        "compares the particles with the images",
    ),
    "no exp": (lambda rbm, i, p: from_shares(rbm.log_density(i) - rbm.log_z(), cells(rbm, i, p, False)[1]), "take exp"),
    "f for p": (lambda rbm, i, p: from_shares(np.exp(rbm.log_density(i)), cells(rbm, i, p, False)[1]), "without Z"),
    "any pixel": (
        lambda rbm, i, p: from_shares(cells(rbm, i, p, False)[0], (p[:, None] == i).any(-1).mean(0)), "where any does"
    ),
    "sums of pixels": (coded(lambda x, rbm: x.sum(1)), "as many that are on"),
    "counts over the number of images": (
        lambda rbm, i, p: from_shares(cells(rbm, i, p, False)[0], cells(rbm, i, p, False)[1] * len(p) / len(i)),
        "divided by the number of images",
    ),
    "counts": (
        lambda rbm, i, p: from_shares(cells(rbm, i, p, False)[0], cells(rbm, i, p, False)[1] * len(p)),
        "not divided by B",
    ),
    "an image counts once": (
        lambda rbm, i, p: from_shares(cells(rbm, i, p, False)[0], (cells(rbm, i, p, False)[1] > 0) / len(p)),
        "counts once if any",
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
        "elsewhere the model has 1 - Σp",
    ),
    "overlap": (lambda *a: 1 - right_distance(*a), "it should be"),
    "exp f over exp log Z": (
        lambda rbm, i, p: from_shares(np.exp(rbm.log_density(i)) / np.exp(rbm.log_z()), cells(rbm, i, p, False)[1]),
        "Take log Z off before exp.",
    ),
    "equal density for equal": (
        coded(lambda x, rbm: rbm.log_density(x)), "whatever the model says of the two",
    ),
    "the first byte": (coded(lambda x, rbm: np.packbits(x.astype(bool), axis=1)[:, 0]), "with 12 pixels"),
    "the last eight": (coded(lambda x, rbm: (x[:, ::-1] @ 2 ** np.arange(x.shape[1])).astype(np.uint8)), "12 pixels"),
    "sixteen bits": (coded(lambda x, rbm: (x @ 2.0 ** np.arange(x.shape[1])) % 2**16), "with 64 pixels"),
    "32 bits with a sign, which keep the parity of the rest": (
        coded(lambda x, rbm: x.astype(np.int32) @ (1 << np.minimum(np.arange(x.shape[1]), 31)).astype(np.int32)),
        "with 64 pixels",
    ),
    **{
        f"codes that repeat after {n} pixels": (
            coded(lambda x, rbm, n=n: x @ 2.0 ** (np.arange(x.shape[1]) % n)), "value of its own"
        )
        for n in (12, 16, 32)
    },
    "32 bits": (coded(lambda x, rbm: (x @ 2.0 ** np.arange(x.shape[1])) % 2**32), "with 64 pixels"),
    **{
        f"a code of float{bits}, {name}": (coded(floats(f"f{bits // 8}", order)), f"with {pixels} pixels")
        for bits, pixels in ((16, 12), (32, 64), (64, 64))
        for name, order in (("upwards", 1), ("downwards", -1))
    },
    "elsewhere not halved": (
        lambda *a: right_distance(*a) + 0.5 * abs(np.subtract(*cells(*a))[-1]), "halved with those of the others"
    ),
    "no half, no elsewhere": (
        lambda *a: np.abs(np.subtract(*cells(*a, elsewhere=False))).sum(), "and half of the sum is asked"
    ),
    "elsewhere of the particles alone": (
        lambda *a: 0.5 * (np.abs(np.subtract(*cells(*a))[:-1]).sum() + cells(*a)[1][-1]), "the model has something"
    ),
    "elsewhere of the model alone": (
        lambda *a: 0.5 * (np.abs(np.subtract(*cells(*a))[:-1]).sum() + cells(*a)[0][-1]), "the particles have something"
    ),
    "Z of the images, and elsewhere": (
        lambda *a: 0.5 * np.abs(np.subtract(*cells(*a, z=log_sum))).sum(), "then it has something elsewhere"
    ),
    "each particle once": (lambda rbm, i, p: right_distance(rbm, i, np.unique(p, axis=0)), "count all B"),
    "B - 1": (
        lambda rbm, i, p: from_shares(cells(rbm, i, p)[0][:-1], cells(rbm, i, p)[1][:-1] * len(p) / max(len(p) - 1, 1)),
        "not by B - 1",
    ),
    "elsewhere without its size": (
        lambda *a: 0.5 * (np.abs(np.subtract(*cells(*a))[:-1]).sum() - np.subtract(*cells(*a))[-1]), "it should be"
    ),
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
    ("check", "answer"), [("sound", soundness()), ("negative_phase", phase()), ("distance", right_distance)]
)
def test_right_answers_pass(check, answer):
    verdict = getattr(tempered_training, check)(answer)
    assert verdict.passed, verdict


def as_a_list(states, start, model, betas, swap, rng):
    path = ae.geometric_path(start, model)
    moved = [ae.gibbs(path(float(beta)), x, rng) for beta, x in zip(betas, states, strict=True)]
    states = swap(moved, path, betas, rng)
    return states, at_end(states, betas)


def as_the_last_hint_says(states, start, model, betas, swap, rng):
    path, new = ae.geometric_path(start, model), states.copy()
    for k in range(len(betas)):
        new[k] = ae.gibbs(path(betas[k]), states[k], rng)
    new = swap(new, path, betas, rng)
    return new, new[betas == 1].reshape(-1, new.shape[-1])


def fresh_draws_of_the_start(states, start, model, betas, swap, rng):
    path, new = ae.geometric_path(start, model), []
    for beta, x in zip(betas, states, strict=True):
        new.append(ae.gibbs(path(beta), x, rng) if beta else start.sample(len(x), rng))
    new = swap(new, path, betas, rng)
    return [new, [v for beta, x in zip(betas, new, strict=True) if beta == 1 for v in x][::-1]]


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        ("sound", before_and_after),
        ("sound", soundness(means=False, n=10_000)),
        ("negative_phase", as_a_list),
        ("negative_phase", as_the_last_hint_says),
        ("negative_phase", moved_by(own_step)),
        ("negative_phase", fresh_draws_of_the_start),
        ("distance", lambda *a: np.maximum(np.subtract(*cells(*a)), 0).sum()),
        ("distance", lambda *a: 1 - np.minimum(*cells(*a)).sum()),
        ("distance", coded(lambda x, rbm: np.array([row.tobytes() for row in x]))),
        ("distance", lambda rbm, i, p: right_distance(rbm, i.astype(np.float32), p.astype(np.float32))),
        ("distance", coded(lambda x, rbm: x.astype(int) @ 2 ** np.arange(x.shape[1]))),
    ],
)
def test_right_answers_in_other_words_pass(check, answer):
    verdict = getattr(tempered_training, check)(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize("check", ["sound", "negative_phase", "distance"])
def test_stubs_are_not_attempted(check):
    assert getattr(tempered_training, check)(lambda *arguments: ...).passed is None


@pytest.mark.parametrize("sweep", particles.sweeps())
def test_the_given_swap_keeps_every_rung(sweep):
    rng = np.random.default_rng(0)
    states = np.stack([rung.sample(particles.N, rng) for rung in sweep.rungs])
    swapped = exchange(states, ae.geometric_path(sweep.start, sweep.model), sweep.betas, rng)
    assert not np.array_equal(swapped, states)
    for rung, x in zip(sweep.rungs, swapped, strict=True):
        assert particles.z(x.mean(0), rung.moments()[0]) < 5


@pytest.mark.parametrize("sweep", particles.sweeps())
def test_slips_are_far_from_the_right_step(sweep):
    for k, (rung, code) in enumerate(zip(sweep.rungs, sweep.codes, strict=True)):
        for said, law in particles.slips(sweep, k).items():
            assert particles.z(sweep.step(rung, code), law) > 8, said
