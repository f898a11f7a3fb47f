"""What a kernel is asked, where, and how often."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.auditing import of_kernels
from anneal_edu.auditing.findings import Docket
from anneal_edu.auditing.moves import Moves
from anneal_edu.auditing.worlds import tiny_worlds

WORLDS = tiny_worlds(np.random.default_rng(0))
LINE, SPACE, BITS = WORLDS[0], WORLDS[1], WORLDS[-1]


def rng(seed=0):
    return np.random.default_rng(seed)


def test_a_pause_changes_nothing_that_is_said():
    def paused(seconds):
        def walk(f, x, rng):
            time.sleep(seconds if len(x) == 300 else 0)
            return x + 0.2 * rng.standard_normal(x.shape)

        return str(ae.audit(walk, on=ae.Gaussian([0.0], [[1.0]]), n_draws=400, rng=rng()))

    assert paused(0.5) == paused(0.0) and "of 3200 exact draws" in paused(0.0)


@pytest.fixture
def questions(monkeypatch):
    """Every question of an audit of a kernel, as it is asked."""
    asked = []

    def told(moves, world, *n_docket_rng):
        asked.append((world.name, n_docket_rng[0] if len(n_docket_rng) > 2 else None))
        return world.discrete

    for name in ("ask_few_chains", "ask_invariance", "ask_rows", "ask_companions", "ask_independence"):
        monkeypatch.setattr(of_kernels, name, told)
    monkeypatch.setattr(of_kernels, "ask_chance", lambda moves, world, docket: lambda: asked.append(("again", None)))
    return asked


@pytest.mark.parametrize(("share", "few", "company"), [(1.0, 200, 100), (0.7, 140, 70), (0.05, 20, 60)])
def test_the_questions_to_a_kernel(questions, share, few, company):
    docket = Docket()
    of_kernels._ask(None, WORLDS, 700, share, docket, rng())
    first, second = WORLDS[2].name, WORLDS[0].name
    assert questions == [
        (first, few),
        *((world.name, 700) for world in WORLDS),
        (first, of_kernels.N_ROW_CALLS), (first, None), (first, company), (second, None), (second, company),
        ("again", None),
    ]  # fmt: skip
    assert docket.facts == []  # the bits moved


def test_a_kernel_of_one_world_is_asked_there(questions):
    docket = Docket()
    of_kernels._ask(None, [LINE], 700, 1.0, docket, rng())
    assert {name for name, _ in questions} == {LINE.name, "again"} and len(questions) == 6
    assert [str(fact) for fact in docket.facts] == ["does nothing: no chain ever moved, in any world"]


def worlds_of(kernel, on=None):
    docket = Docket()
    found = of_kernels._worlds_of(Moves(kernel, docket), on, docket, rng())
    return [world.name for world in found], docket


def test_in_which_worlds_a_kernel_can_move():
    names, docket = worlds_of(ae.random_walk(1.0))
    assert names == [world.name for world in WORLDS[:-1]]
    assert len(docket.left_out) == 1 and docket.left_out[0].startswith(f"{BITS.name}: TypeError: the random_walk kern")
    names, docket = worlds_of(lambda f, x, rng: x + rng.standard_normal(x.shape))
    assert docket.left_out == [f"{BITS.name}: it moves real numbers"] and len(names) == 5
    names, docket = worlds_of(ae.gibbs)
    assert BITS.name in names and SPACE.name in names
    names, docket = worlds_of(lambda rbm, v, rng: rbm.hidden_given(v))
    assert names == [] and docket.facts[0].sentence.startswith("it can move in none of 6 tiny worlds: it needs hid")
    names, docket = worlds_of(lambda f, x, rng: f.mixing + x[:, :1] if f.dim == 1 else x)
    assert LINE.name in names and any(why == "two bumps: it needs mixing" for why in docket.left_out)


def test_a_distribution_of_ones_own():
    assert worlds_of(None, ae.Gaussian([0.0], [[1.0]]))[0] == ["your distribution"]
    found = of_kernels._worlds_of(None, ae.uniform_rbm(2, 2), Docket(), rng())
    assert found[0].discrete and len(found[0].probes) == 4


def keeps(answer, **more):
    return of_kernels._keeps_values(SimpleNamespace(kernel=lambda rbm, v, rng: answer(v, rng)), BITS)


def test_who_keeps_bits():
    calls = []

    def late(v, rng):
        calls.append(0)
        return v + 0.5 * (len(calls) == 12)

    def rarely(v, rng):
        return v + 0.5 * (rng.random((len(v), 1)) < 1 / 300)

    def refuses(v, rng):
        raise ValueError

    assert not keeps(late) and not keeps(rarely) and keeps(lambda v, rng: 1 - v)
    assert keeps(lambda v, rng: v.astype(int)) and keeps(lambda v, rng: v == 1)
    assert keeps(refuses) and keeps(lambda v, rng: v[:-1] + 0.5) and keeps(lambda v, rng: v.astype(complex) + 0.5)


def test_a_kernel_that_fails_some_day_is_told_why(monkeypatch):
    calls = []

    def tired(f, x, rng):
        calls.append(0)
        if len(calls) > 20:
            raise ArithmeticError("too tired")
        return x + rng.standard_normal(x.shape)

    docket = Docket()
    of_kernels.audit_kernel(tired, None, 1000, docket, rng())
    assert [str(fact) for fact in docket.facts] == ["fails: ArithmeticError: too tired"]


def test_slow_kernels_are_asked_with_a_share(monkeypatch):
    asked = {}
    monkeypatch.setattr(of_kernels, "_ask", lambda moves, worlds, n, share, *_: asked.update(n=n, share=share))
    monkeypatch.setattr(of_kernels, "_ask_weights", lambda kernel, bits, n, *_: asked.update(weights=n, bits=bits))
    docket = Docket()
    for n, share, weights in ((5000, 1.0, 8000), (300, 0.3, 2400), (50, 0.05, 1000)):
        of_kernels.audit_kernel(ae.gibbs, None, n, docket, rng())
        assert asked == {"n": n, "share": share, "weights": weights, "bits": False}


@pytest.mark.parametrize("discrete", [False, True])
def test_the_mean_weight_of_ais_is_z(monkeypatch, discrete):
    """With a right kernel; what is told is its distance from log Z in its errors."""
    runs, docket = [], Docket()

    def watched(*args, **more):
        runs.append((args, ae.ais(*args, **more)))
        return runs[0][1]

    monkeypatch.setattr(of_kernels, "ais", watched)
    of_kernels._ask_weights(ae.gibbs, discrete, 3000, docket, rng(1))
    (path, schedule, n, kernel), run = runs[0]
    w = np.exp(run.log_weights - path(1.0).log_z())
    z = (w.mean() - 1) / w.std(ddof=1) * np.sqrt(3000)
    assert (n, kernel, len(schedule)) == (3000, ae.gibbs, 11)
    assert docket.tests[0].sentence == (
        f"the mean weight of 3000 chains of AIS is {w.mean():.3f} Z, {abs(z):.1f} standard errors from Z"
    )
    assert docket.tests[0].kind == "biased weights" and 1e-6 < docket.tests[0].p_value < 1


def test_a_kernel_that_fails_under_ais_is_not_asked():
    def only_here(f, x, rng):
        raise ArithmeticError("not here")

    docket = Docket()
    of_kernels._ask_weights(only_here, False, 1000, docket, rng(1))
    assert docket.left_out == ["the mean weight of AIS: ArithmeticError: not here"] and docket.tests == []
