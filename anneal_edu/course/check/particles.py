"""Ladders of the second exercise of notebook 11, and what is said to a negative phase that goes wrong on one."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anneal_edu import BinaryRBM, binary_states, geometric_path, gibbs_matrix
from anneal_edu.course.bugs.phases import Ladder, exchange
from anneal_edu.course.check.verdict import WrongAnswerError, array, call, own_chance, require, several

N = 8000


@dataclass(frozen=True, eq=False)
class Sweep(Ladder):
    """A ladder, and a state for each rung, by its number, from which slips are told apart by N chains."""

    codes: tuple[int, ...]

    @property
    def says(self) -> str:
        if len(self.betas) == 3 and self.betas[0] == 0:
            return ""
        return f"where betas = [{', '.join(f'{beta:g}' for beta in self.betas)}]: "

    def step(self, rung: BinaryRBM, code: int, times: int = 1) -> np.ndarray:
        """The means after Gibbs steps from this state, (D,)."""
        matrix = np.linalg.matrix_power(gibbs_matrix(rung), times)
        return matrix[code] @ binary_states(self.model.dim)


def sweeps() -> list[Sweep]:
    """Ladders that rise, turn and fall; their rungs have other means, also after one step from any state."""
    weights = [[2.0, -3.0, 0.0], [-2.0, 3.0, 1.0], [3.0, -2.0, -1.0], [-1.0, 1.0, 2.0]]
    four = BinaryRBM(weights, [-1.0, 0.5, -1.5, -1.0], [-0.5, 0.5, -0.5])
    weights = [[3.0, -2.0], [-2.0, 3.0], [2.0, 1.0], [-1.0, -3.0], [1.0, 2.0]]
    five = BinaryRBM(weights, [-1.0, 0.0, -1.5, 1.5, -1.0], [-1.0, -0.5])
    start = BinaryRBM(np.zeros((4, 3)), [1.5, -1.5, 1.0, 0.0], np.zeros(3))
    wide = BinaryRBM(np.zeros((5, 2)), [1.0, -1.0, 0.5, -0.5, 1.5], np.zeros(2))
    return [
        Sweep(start, four, np.array([0.0, 0.4, 1.0]), (2, 5, 10)),
        Sweep(wide, five, np.array([1.0, 0.35, 0.0, 0.6, 1.0]), (21, 9, 23, 3, 7)),
        Sweep(start, four, np.array([1.0, 0.4, 0.0]), (10, 5, 2)),
        Sweep(start, four, np.array([1.0, 0.0, 1.0, 0.5]), (15, 7, 6, 10)),
    ]


def near_the_model() -> Sweep:
    """A ladder with rungs that are nearly the model, and are not."""
    four = sweeps()[0]
    return Sweep(four.start, four.model, np.array([0.0, 0.995, 1.0, 0.9999]), (2, 5, 10, 5))


def z(found: np.ndarray, right: np.ndarray) -> float:
    """By how many standard errors the means of N chains, (D,), are off where they are furthest off."""
    return float((np.abs(found - right) / np.sqrt(right * (1 - right) / N)).max())


def _furthest(found: np.ndarray, right: np.ndarray) -> str:
    off = np.abs(found - right) / np.sqrt(right * (1 - right) / N)
    j = int(off.argmax())
    side = "often" if found[j] > right[j] else "seldom"
    return f"pixel {j} is on in {found[j]:.0%} of {N:,} chains, too {side} by {off[j]:.0f} standard errors"


def judge_sweep(answer: Callable, sweep: Sweep) -> None:
    """One call of ``answer`` on this ladder: what it moves, swaps and returns, and by which law."""
    rng, the_rng, betas = np.random.default_rng(11), np.random.default_rng(1), sweep.betas
    states = np.stack([rung.sample(N, rng) for rung in sweep.rungs]).astype(np.float64)
    calls, back = [], []

    def swap(given, over, over_betas, generator):
        require(np.shape(given) == states.shape, f"swap wants all rungs, {states.shape}; it got {np.shape(given)}.")
        require(callable(over), "swap(states, path, betas, rng) wants the path from the start to the model.")
        require(
            not np.array_equal(over_betas, betas) or not _same_path(over, sweep, turned=True),
            "the path that swap gets runs from the model to the start: its ends are exchanged.",
        )
        require(
            np.array_equal(over_betas, betas) and _same_path(over, sweep),
            "swap should judge by the path of the rungs and by the betas as they are given; yours got others.",
        )
        require(generator is the_rng, "swap should draw from the rng that you are given, and gets another generator.")
        calls.append(np.array(given))
        back.append(exchange(given, over, over_betas, generator))
        return back[-1].copy()

    pair = call(answer, states.copy(), sweep.start, sweep.model, betas.copy(), swap, the_rng)
    pair = several(pair, 2, "return two things: all states, and the particles.")
    new = array(pair[0], states.shape, "the array of all states has")
    require(calls, "nothing was swapped: without swaps the last rung is PCD, and the hot ones work for nothing.")
    require(len(calls) == 1, f"one call is one sweep: move, then swap once. Yours swaps {len(calls)} times.")
    require(
        not np.array_equal(calls[0], states),
        "the states come to the swap as they were: move every rung by a Gibbs step first.",
    )
    unmoved = [k for k in range(len(betas)) if np.array_equal(calls[0][k], states[k])]
    require(not unmoved, f"rung {unmoved[0] if unmoved else 0} did not move: every rung makes its Gibbs step.")
    _judge_particles(np.asarray(pair[1]), new, calls[0], sweep)
    require(
        np.array_equal(new, back[0]),
        "what you return is not what came back from the swap: swap returns new states, and leaves those it is given.",
    )
    own_chance(
        lambda rng: answer(states.copy(), sweep.start, sweep.model, betas, lambda x, *_: np.array(x), rng)[0], "states"
    )


def judge_one_chain(answer: Callable, sweep: Sweep) -> None:
    """One state on each rung, and where β = 1 one particle: the shapes must stay as they are for many."""
    states = np.stack([rung.sample(1, np.random.default_rng(3)) for rung in sweep.rungs]).astype(np.float64)
    pair = call(answer, states.copy(), sweep.start, sweep.model, sweep.betas.copy(), exchange, np.random.default_rng(4))
    new, handed = (np.asarray(part) for part in pair)
    wanted = states.shape, (int((sweep.betas == 1).sum()), sweep.model.dim)
    require(
        (new.shape, handed.shape) == wanted,
        f"{sweep.says}with one chain a rung, states of shape {states.shape}, you return shapes {new.shape} and "
        f"{handed.shape}; they should be {wanted[0]} and {wanted[1]}.",
    )


def _same_path(path, sweep: Sweep, turned: bool = False) -> bool:
    v, ends = binary_states(sweep.model.dim), (sweep.start, sweep.model)
    right = geometric_path(*ends[:: -1 if turned else 1])
    return np.allclose(path(0.3).log_density(v), right(0.3).log_density(v))


def _judge_particles(found: np.ndarray, new: np.ndarray, moved: np.ndarray, sweep: Sweep) -> None:
    """Rows in any order: the new states of all rungs where β = 1."""
    says, D, at_end = sweep.says, sweep.model.dim, sweep.betas == 1
    right = new[at_end].reshape(-1, D)
    require(
        found.ndim == 2 and found.shape[1] == D,
        f"{says}the array of particles has shape {found.shape}; it should be (M, {D}), one particle a row.",
    )
    if _rows(found) == _rows(right):
        return
    for k in np.flatnonzero(~at_end):
        require(
            _rows(found) != _rows(new[k]),
            f"{says}these particles are of rung {k}, where β = {sweep.betas[k]:g}. Which rungs are the model?",
        )
    require(
        len(found) <= len(right),
        f"{says}you return {len(found):,} particles, and {len(right):,} states stand for the model. States of other "
        "rungs stand for something else, and none counts twice.",
    )
    require(
        len(found) == len(right),
        f"{says}you return {len(found):,} particles, and {len(right):,} states stand for the model. Which β is the "
        "model's, and on how many rungs?",
    )
    require(_rows(found) != _rows(moved[at_end].reshape(-1, D)), f"{says}these particles are from before the swaps.")
    raise WrongAnswerError(
        f"{says}the particles are not those of the states that you return which stand for the model: all of every "
        "rung where β = 1, each once, after the swaps and with nothing done to them since."
    )


def _rows(states: np.ndarray) -> list:
    return sorted(map(tuple, np.asarray(states, dtype=float).tolist()))


def judge_own_laws(answer: Callable, sweep: Sweep) -> None:
    """From exact draws on every rung, six calls later: still their distributions."""
    rng, draws = np.random.default_rng(2), np.random.default_rng(12)
    states = np.stack([rung.sample(N, draws) for rung in sweep.rungs]).astype(np.float64)
    for _ in range(6):
        states, _ = answer(states, sweep.start, sweep.model, sweep.betas, exchange, rng)
    for k, rung in enumerate(sweep.rungs):
        found, right = np.asarray(states[k], dtype=float).mean(0), rung.moments()[0]
        require(
            z(found, right) < 5.5,
            f"{sweep.says}rung {k} begins at exact draws of its own distribution, and after six calls should still "
            f"follow it: {_furthest(found, right)}.",
        )


def judge_one_step(answer: Callable, sweep: Sweep) -> None:
    """From one known state on every rung: the means after a Gibbs step, by the transition matrix."""
    came, betas = [], sweep.betas

    def swap(given, over, over_betas, generator):
        came.append(np.array(given, dtype=float))
        return exchange(given, over, over_betas, generator)

    everything = binary_states(sweep.model.dim).astype(float)
    states = np.stack([np.tile(everything[code], (N, 1)) for code in sweep.codes])
    answer(states, sweep.start, sweep.model, betas, swap, np.random.default_rng(3))
    for k, (rung, code) in enumerate(zip(sweep.rungs, sweep.codes, strict=True)):
        mean, own = came[0][k].mean(0), sweep.step(rung, code)
        if z(mean, own) < 5.5:
            continue
        likely = [said for said, law in slips(sweep, k).items() if z(mean, law) < 5]
        require(len(likely) != 1, sweep.says + "".join(likely))
        raise WrongAnswerError(
            f"{sweep.says}rung {k} should come to the swap by one Gibbs step under its own distribution from its own "
            f"states[{k}]. Put into one state there, it does not: {_furthest(mean, own)}. Another distribution, other "
            "states, or more than one step?"
        )


def slips(sweep: Sweep, k: int) -> dict[str, np.ndarray]:
    """What is said of rung k, and the means, (D,), that it comes to the swap with if that is what was done."""
    betas, rung, code, last = sweep.betas, sweep.rungs[k], sweep.codes[k], len(sweep.betas) - 1
    said = {}
    for j, beta in enumerate(betas):
        if beta != betas[k]:
            said[
                f"rung {k} moves about as rung {j} should, which is too {'hot' if beta < betas[k] else 'cold'}: which "
                f"distribution of the path belongs to betas[{k}] = {betas[k]:g}?"
            ] = sweep.step(sweep.rungs[j], code)
        if j != k:
            said[f"rung {k} goes on from the states of rung {j}; the chains of a rung stay there until the swap."] = (
                sweep.step(rung, sweep.codes[j])
            )
    for even, name in {1 - k / last: "falls evenly", k / last: "rises evenly"}.items():
        if even not in betas:
            said[f"rung {k} moves as at β = {even:g}, as on a ladder that {name}; betas[{k}] is {betas[k]:g}."] = (
                sweep.step(geometric_path(sweep.start, sweep.model)(even), code)
            )
    model, beta = sweep.model, betas[k]
    powered = BinaryRBM(beta * model.weights, beta * model.visible_bias, beta * model.hidden_bias)
    said |= {
        f"rung {k} moves under the model's f to the power {beta:g}: the path has a part of the start in it, too.": (
            sweep.step(powered, code)
        ),
        f"rung {k} makes two Gibbs steps under its own distribution; one sweep has one on each rung.": (
            sweep.step(rung, code, 2)
        ),
        f"rung {k} comes with draws of its own distribution that know nothing of its states: fresh ones, or after many "
        "steps? One Gibbs step goes on from its states.": rung.moments()[0],
    }
    own = sweep.step(rung, code)
    return {sentence: law for sentence, law in said.items() if z(own, law) > 0.5}
