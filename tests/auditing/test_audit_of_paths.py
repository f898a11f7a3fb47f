"""How an audit asks a path: each question with points made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

import anneal_edu as ae
from anneal_edu.auditing import of_paths
from anneal_edu.auditing.findings import Docket
from anneal_edu.auditing.moves import UnfitStatesError
from anneal_edu.auditing.worlds import discrete_world


@pytest.fixture(autouse=True)
def as_in_an_audit():
    """Which lets log 0 and ∞ - ∞ happen."""
    with np.errstate(all="ignore"):
        yield


def rng(seed=0):
    return np.random.default_rng(seed)


LINE = ae.geometric_path(ae.Gaussian([0.0], [[2.0]], 0.5), ae.Gaussian([1.0], [[0.5]], -1.0))
SPACE = ae.geometric_path(ae.Gaussian([0.0, 0.0], 2 * np.eye(2)), ae.Gaussian([1.0, 0.0], np.eye(2)))
RBM = ae.BinaryRBM(np.ones((3, 2)), [0.2, -0.4, 0], [0.5, -1])


def kinds(docket):
    return [fact.kind for fact in docket.facts]


def ends(**points):
    docket = Docket()
    x = of_paths._look_at_ends({0.0: points["start"], 1.0: points["end"]}, docket, rng())
    return x, [fact.sentence for fact in docket.facts]


def point(dim=1, **more):
    return SimpleNamespace(dim=dim, log_density=lambda x: -(x**2).sum(-1) / 2, **more)


def start(dim=1, **more):
    had = {"sample": lambda n, rng: rng.standard_normal((n, dim)), "log_z": lambda: 0.0}
    return SimpleNamespace(**vars(point(dim)) | had | more)


def test_states_to_look_at_are_draws_of_the_start():
    x, said = ends(start=start(2), end=point(2))
    assert said == []
    np.testing.assert_array_equal(x, rng().standard_normal((200, 2)))


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ({"start": start(), "end": SimpleNamespace(dim=1)}, "path(1) has no dim and log_density, but is SimpleNamesp"),
        ({"start": SimpleNamespace(log_density=len), "end": point()}, "path(0) has no dim and log_density"),
        ({"start": start(), "end": point(2)}, "dim changes along the path: [1, 2]"),
        ({"start": point(), "end": point()}, "path(0) must offer sample and log_z, where chains begin"),
        ({"start": point(sample=len), "end": point()}, "path(0) must offer log_z, where chains begin"),
        ({"start": point(log_z=len), "end": point(log_z=len)}, "path(0) must offer sample, where chains begin"),
        ({"start": point(), "end": start()}, "chains begin; path(1) has: are β and 1 - β exchanged?"),
        (
            {"start": start(sample=lambda n, rng: np.zeros(n)), "end": point()},
            "path(0).sample(200, rng) must have shape (200, 1), got (200,)",
        ),
    ],
)
def test_ends_that_will_not_do(points, words):
    x, said = ends(**points)
    assert x is None and len(said) == 1 and words in said[0]
    assert said[0].endswith("begin") or "begin" not in words or "exchanged" in words


def looked_at(log_density, x=None, **more):
    docket, x = Docket(), rng().standard_normal((200, 1)) if x is None else x
    one = SimpleNamespace(dim=1, log_density=log_density, **more)
    of_paths._look_at_point(lambda beta: one, 0.25, one, x, docket)
    return kinds(docket)


def half_square(x):
    return -(x[:, 0] ** 2) / 2


def test_what_a_density_may_be():
    assert looked_at(half_square) == []
    assert looked_at(lambda x: np.where(x[:, 0] > 0, half_square(x), -np.inf)) == []


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("row", [0, 199])
def test_a_density_is_a_number_or_zero(bad, row):
    with pytest.raises(UnfitStatesError):
        looked_at(lambda x: np.where(np.arange(len(x)) == row, bad, half_square(x)))


@pytest.mark.parametrize("wrong", [lambda x: -(x**2), lambda x: half_square(x)[:-1], lambda x: half_square(x).sum()])
def test_a_density_is_one_number_a_state(wrong):
    with pytest.raises(UnfitStatesError):
        looked_at(wrong)


def test_a_density_must_not_write_on_its_states():
    def untidy(x):
        value = half_square(x)
        x[-1] = 0.0
        return value

    assert "changes its input" in looked_at(untidy)


def test_a_density_is_a_function_and_of_one_state():
    calls = []

    def forgetful(x):
        calls.append(0)
        return half_square(x) + 1e-5 * (len(calls) == 2)

    assert looked_at(forgetful) == ["no function"]
    assert looked_at(lambda x: half_square(x) + 1e-9 * (calls.append(0) or len(calls))) == []
    assert looked_at(lambda x: half_square(x) + 1e-3 * len(x)) == ["states mixed up"]
    assert looked_at(lambda x: half_square(x) + 1e-7 * len(x)) == []  # as single precision would do
    assert looked_at(half_square, grad_log_density=lambda x: -x + x.mean())[:1] == ["states mixed up"]


def test_gradients_are_those_of_densities_of_real_numbers():
    wrong = {"grad_log_density": lambda x: x}
    assert looked_at(half_square, **wrong) == ["wrong gradient"]
    assert looked_at(half_square, **wrong, discrete=True) == []
    assert looked_at(half_square, **wrong, discrete=False) == ["wrong gradient"]
    assert looked_at(half_square, grad_log_density=lambda x: -x) == []


def slopes(grad, log_density=lambda x: -(x**2).sum(-1) / 2):
    docket = Docket()
    one = SimpleNamespace(dim=2, log_density=log_density, grad_log_density=grad)
    of_paths._look_at_gradient(0.5, one, rng().uniform(-3, 3, size=(50, 2)), docket)
    return [fact.sentence for fact in docket.facts]


@pytest.mark.parametrize("j", [0, 1])
def test_each_coordinate_of_a_gradient_is_held_to_its_slope(j):
    sentence = "at β = 0.5 grad_log_density is not the slope of log_density"
    assert slopes(lambda x: -x) == []
    assert slopes(lambda x: -x + 0.01 * np.eye(2)[j]) == [sentence]
    assert slopes(lambda x: -x * (1 - 0.5 * np.eye(2)[j])) == [sentence]
    assert slopes(lambda x: -x[:, :1]) == [sentence]


def test_a_gradient_is_not_asked_at_a_wall_nor_where_it_cannot_be_had():
    def walled(x):
        return np.where(x[:, 0] > 0, -(x**2).sum(-1) / 2, -np.inf)

    assert slopes(lambda x: np.where(x[:, :1] > 0, -x, 7.0), walled) == []
    assert slopes(lambda x: np.where(x[:, :1] > 0, x, 7.0), walled) != []

    def refuses(x):
        raise TypeError

    assert slopes(refuses) == []


@pytest.mark.parametrize("at", [0.0, 0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize(("height", "told"), [(0.1, True), (0.005, False)])
def test_a_jump_at_any_of_the_points_that_are_looked_at(at, height, told):
    docket = Docket()

    def path(beta):
        return SimpleNamespace(log_density=lambda x: half_square(x) + height * (beta > at or at == 1.0 == beta))

    of_paths._look_for_jumps(path, rng().standard_normal((200, 1)), docket)
    near = at + 1e-6 if at < 1 else at - 1e-6
    sentence = f"log f changes by 0.1 between β = {at:g} and {near:.6f}"
    assert [fact.sentence for fact in docket.facts] == [sentence] * told


def test_a_wall_that_moves_is_no_jump_for_those_inside():
    docket = Docket()

    def path(beta):
        return SimpleNamespace(log_density=lambda x: np.where(x[:, 0] > (beta > 0.5) * 2, half_square(x), -np.inf))

    of_paths._look_for_jumps(path, rng().standard_normal((200, 1)), docket)
    assert docket.facts == []


def test_a_sum_over_bits_or_over_a_grid():
    flat = {"binary": True, "discrete": True, "log_density": lambda x: np.zeros(x.shape[:-1])}
    assert of_paths._exact_log_z(SimpleNamespace(dim=12, **flat)) == pytest.approx(12 * np.log(2))
    assert of_paths._exact_log_z(SimpleNamespace(dim=13, **flat)) is None
    assert of_paths._exact_log_z(SimpleNamespace(dim=1, **flat | {"binary": False})) is None
    for dim in (1, 2):
        gauss = ae.Gaussian(np.full(dim, 5.0), np.diag([2.0, 0.1][:dim]), 0.7)
        assert of_paths._exact_log_z(gauss) == pytest.approx(0.7, abs=1e-6)
    assert of_paths._exact_log_z(ae.Gaussian(np.zeros(3), np.eye(3))) is None


@pytest.mark.parametrize("dim", [1, 2])
def test_a_grid_is_fine_but_not_large(dim):
    sizes = []

    def flat(x):
        sizes.append(x.shape)
        return np.zeros(x.shape[:-1])

    draws = ae.Gaussian(np.zeros(dim), np.eye(dim)).sample
    of_paths._exact_log_z(SimpleNamespace(dim=dim, log_density=flat, sample=draws))
    ((*grid, last),) = sizes
    assert last == dim and min(grid) > 300 and 3000 < np.prod(grid) < 300_000


def of_bits(dim):
    return SimpleNamespace(dim=dim, binary=True, discrete=True, log_density=lambda x: np.zeros(len(x)))


def test_of_few_states_every_one_is_watched_and_of_many_what_is_watched_of_real_numbers():
    assert len(discrete_world("bits", of_bits(5)).probes) == 2**5
    nine = SimpleNamespace(**vars(of_bits(9)), sample=ae.uniform_rbm(9, 1).sample)
    world = discrete_world("bits", nine)
    assert world.discrete and len(world.probes) == 8 * 9 + 36 + 1 and len(world.values) == 9


def normalisers(points, n=1000):
    docket = Docket()
    of_paths._ask_normalisers(points, n, docket, rng(1))
    return docket


def claims(gauss, wrong=0.0, **more):
    had = {"sample": gauss.sample, "log_z": lambda: gauss.log_z() + wrong}
    return SimpleNamespace(dim=gauss.dim, log_density=gauss.log_density, **had | more)


WIDE, NEAR, FAR = (ae.Gaussian([m], [[v]], z) for m, v, z in ((0, 2, 0.5), (0.3, 1.8, -1), (9, 0.1, 100)))


@pytest.mark.parametrize(
    ("log_z", "off", "told"),
    [(0.0, 0.009, False), (0.0, 0.011, True), (100.0, 0.09, False), (100.0, 0.11, True), (100.0, -0.11, True)],
)
def test_how_far_a_normaliser_may_be_from_a_sum(log_z, off, told):
    """By a hundredth of the root of log Z, or a hundredth."""
    assert kinds(normalisers({0.0: claims(ae.Gaussian([0.0], [[1.0]], log_z), off)})) == ["wrong normaliser"] * told


def test_neighbours_weigh_each_other():
    docket = normalisers({0.0: claims(WIDE), 1.0: claims(NEAR, 0.3)})
    (test,), x = docket.tests, WIDE.sample(4000, rng(1))
    w = np.exp(NEAR.log_density(x) - WIDE.log_density(x) - (NEAR.log_z() + 0.3 - WIDE.log_z()))
    z = abs(w.mean() - 1) / w.std(ddof=1) * np.sqrt(4000)
    assert test.p_value == pytest.approx(2 * norm.sf(z)) and test.kind == "wrong normaliser"
    said = f"Z at β = 1 over Z at β = 0 is {w.mean():.3f} of what log_z() says, {z:.1f} standard errors from it"
    assert test.sentence == said
    assert normalisers({0.0: claims(WIDE), 1.0: claims(NEAR)}).tests[0].p_value > 1e-6


def test_who_is_too_far_knows_nothing_or_has_no_draws_is_not_weighed():
    assert normalisers({0.0: claims(WIDE), 1.0: claims(FAR)}).tests == []
    hidden = SimpleNamespace(dim=1, log_density=NEAR.log_density)
    assert normalisers({0.0: claims(WIDE), 0.5: hidden, 1.0: claims(NEAR)}).tests[0].sentence[:8] == "Z at β ="
    for first in (claims(WIDE, enumerable=False), SimpleNamespace(log_z=WIDE.log_z, dim=3, log_density=len)):
        assert normalisers({0.0: first, 1.0: claims(NEAR)}).tests == []
    assert len(normalisers({0.0: claims(WIDE, enumerable=True), 1.0: claims(NEAR)}).tests) == 1


def asked_of_draws(one, monkeypatch):
    """Which questions are asked, and with which steps of the walk."""
    asked = []

    def ask(kind, kernel, world, n, docket, rng):
        asked.append((kind, np.ravel(getattr(kernel, "scale", ()))))

    monkeypatch.setattr(of_paths, "_ask", ask)
    monkeypatch.setattr(of_paths, "_ask_shares", lambda *_: asked.append(("shares", ())))
    of_paths._ask_draws(0.5, one, 1000, Docket(), rng())
    return asked


def test_draws_are_asked_by_a_walk_of_their_own_spread(monkeypatch):
    (kind, scale), step = asked_of_draws(ae.Gaussian([3.0, 0.0], np.diag([4.0, 0.01])), monkeypatch)
    assert (kind, step[0]) == ("wrong draws", "wrong Gibbs step")
    np.testing.assert_allclose(scale, [2.0, 0.1], rtol=0.15)


def test_bits_are_asked_by_their_shares_and_a_gibbs_step_where_there_is_one(monkeypatch):
    assert [kind for kind, _ in asked_of_draws(RBM, monkeypatch)] == ["shares", "wrong Gibbs step"]
    no_step = SimpleNamespace(**vars(of_bits(3)), sample=len)
    assert [kind for kind, _ in asked_of_draws(no_step, monkeypatch)] == ["shares"]
    for silent in (of_bits(3), of_bits(13), SimpleNamespace(**vars(no_step), enumerable=False)):
        assert asked_of_draws(silent, monkeypatch) == []


def test_what_an_invariance_finds_is_told_under_another_name():
    def one_bit_left(rbm, v, rng):
        return np.where(np.arange(3) == 2, v, rbm.gibbs(v, rng))

    world = discrete_world("bits", RBM)
    for kind, facts in (("wrong draws", []), ("wrong Gibbs step", ["wrong Gibbs step"])):
        docket = Docket()
        of_paths._ask(kind, lambda rbm, v, rng: v[::-1].copy() if len(v) > 1 else v, world, 500, docket, rng(1))
        assert {test.kind for test in docket.tests} == {kind} and len(docket.tests) == 2
        docket = Docket()
        of_paths._ask(kind, one_bit_left, world, 500, docket, rng(1))
        assert kinds(docket) == facts


@pytest.mark.parametrize("rare", [49, 50, 51])
def test_the_share_of_the_worst_state_is_told_but_of_one_too_rare_to_be_normal(rare):
    """Of 1600 draws the rare state is seen three times as often as it should be, the most common one less."""
    exact = np.array([800, 400, 400 - rare, rare]) / 1600
    seen = exact + np.array([-2, 0, 0, 2]) * rare / 1600
    states = ae.binary_states(2)
    drawn = np.repeat(states, np.rint(1600 * seen).astype(int), axis=0)
    one = SimpleNamespace(dim=2, binary=True, log_density=lambda x: 7 + np.log(exact[(x @ [2, 1]).astype(int)]))
    one.sample = lambda n, rng: drawn[:n]
    docket = Docket()
    of_paths._ask_shares(discrete_world("bits", one), 400, docket, rng())
    z = np.abs(seen - exact) / np.sqrt(seen * (1 - seen) / 1599)
    (test,), told = docket.tests, z[3] if rare >= 50 else z[0]
    assert z[3] > z[0] and test.kind == "wrong draws" and test.p_value == pytest.approx(4 * 2 * norm.sf(told))
    worst = "1 1" if rare >= 50 else "0 0"
    assert test.sentence == f"the share of state {worst} among draws of bits is {told:.1f} standard errors off"


def test_a_probability_is_at_most_one():
    docket = Docket()
    of_paths._ask_shares(discrete_world("bits", SimpleNamespace(**vars(of_bits(2)), sample=full)), 400, docket, rng())
    assert docket.tests[0].p_value == 1


def full(n, rng):
    return np.resize(ae.binary_states(2), (n, 2))


def test_a_path_is_asked_everything_with_its_budget(monkeypatch):
    asked = []
    told = lambda moves, world, n, docket, rng, hint: asked.append((world.name, n)) or docket.test("", "", 1.0)  # noqa: E731
    monkeypatch.setattr(of_paths, "ask_invariance", told)
    docket = Docket()
    of_paths.audit_path(SPACE, 300, docket, rng())
    assert [name for name, _ in asked] == [f"path({beta:g})" for beta in of_paths.BETAS for _ in range(2)]
    assert {n for _, n in asked} == {300} and docket.facts == []
    assert set(docket.asked) == {"ends and densities", "gradients", "normalisers", "draws", "Gibbs step"}


def test_what_is_not_there_to_be_asked_is_not_listed():
    bridge = lambda beta: start(log_z=lambda: np.log(2 * np.pi) / 2) if beta == 0 else point()  # noqa: E731
    found = ae.audit(bridge, n_draws=200, rng=rng())
    assert found.passed and found.asked == ("ends and densities", "normalisers", "draws")
    assert found.left_out == ("draws and Gibbs steps at β = 0.25, 0.5, 0.75, 1: there are no exact draws",)


def test_a_path_that_fails_is_told_why():
    def fails(x):
        raise ArithmeticError("not there")

    found = ae.audit(lambda beta: start() if beta == 0 else SimpleNamespace(dim=1, log_density=fails), rng=rng())
    assert [str(finding) for finding in found.findings] == ["fails: ArithmeticError: not there"]
    no_number = ae.audit(lambda beta: start(log_density=lambda x: np.full(len(x), np.nan)), rng=rng())
    assert no_number.kinds == ("no density",)
    assert no_number.left_out == ("what comes after states that cannot be used",)
