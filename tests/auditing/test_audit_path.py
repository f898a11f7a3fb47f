"""The audit of a path, on paths and points made for one check each."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

import anneal_edu as ae
from anneal_edu.auditing import audit_path
from anneal_edu.auditing.problems import discrete_problem
from anneal_edu.auditing.report import AuditStoppedError, Report
from tests.auditing.helpers import kinds, rng, sentences


@pytest.fixture(autouse=True)
def as_in_an_audit():
    """Where log 0 and ∞ - ∞ may happen."""
    with np.errstate(all="ignore"):
        yield


def gaussians(dim):
    start, end = ae.Gaussian(np.zeros(dim), 2 * np.eye(dim), 0.5), ae.Gaussian(np.full(dim, 0.8), np.eye(dim), -1.0)
    return ae.geometric_path(start, end)


LINE = gaussians(1)
RBM = ae.BinaryRBM(np.ones((3, 2)), [0.2, -0.4, 0], [0.5, -1])
BITS = ae.geometric_path(ae.uniform_rbm(3, 2), RBM)
TENT = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), 1)


def audit(path, **more):
    return ae.audit(path, rng=rng(), **{"n_draws": 1000, **more})


@pytest.mark.parametrize("path", [LINE, BITS, gaussians(2), gaussians(3)], ids=["line", "bits", "plane", "space"])
def test_a_right_path_passes(path):
    found = audit(path, risk=1e-5)
    assert found.passed, found


class Changed:
    """A point of a path, with one thing changed."""

    def __init__(self, point, changes):
        self.point, self.changes = point, changes

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.changes[name](self.point) if name in self.changes else getattr(self.point, name)


def changed(path, **changes):
    return lambda beta: Changed(path(beta), changes)


FAULTY = {
    "ends exchanged": (lambda b: TENT if b < 1 else LINE(0.0), "no start"),
    "normaliser on a line": (changed(gaussians(1), log_z=lambda p: lambda: p.log_z() + 0.2), "a sum gives"),
    "normaliser in a plane": (changed(gaussians(2), log_z=lambda p: lambda: 1.4 * p.log_z()), "a sum gives"),
    "normaliser in space": (changed(gaussians(3), log_z=lambda p: lambda: 1.4 * p.log_z()), "standard errors from it"),
    "normaliser of bits": (changed(BITS, log_z=lambda p: lambda: p.log_z() + np.log(2)), "wrong normaliser"),
    "gradient": (changed(LINE, grad_log_density=lambda p: lambda x: -p.grad_log_density(x)), "wrong gradient"),
    "draws": (changed(LINE, sample=lambda p: lambda n, rng: p.sample(n, rng) + 0.3), "wrong draws"),
    "Gibbs": (changed(BITS, gibbs=lambda p: lambda x, rng: 1 - p.gibbs(x, rng)), "wrong Gibbs step"),
    "a jump": (lambda b: LINE(b if b < 0.5 else 1.0), "a jump"),
    "a mean over states": (
        changed(LINE, log_density=lambda p: lambda x: p.log_density(x) - p.log_density(x).mean()), "states mixed up"
    ),
    "it raises": (changed(LINE, log_density=lambda p: lambda x: 1 / 0), "fails: ZeroDivisionError: division by zero"),
    "not a number": (changed(LINE, log_density=lambda p: lambda x: np.full(len(x), np.nan)), "invalid density"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_path_is_found(fault):
    path, words = FAULTY[fault]
    found = audit(path)
    assert any(words in str(finding) for finding in found.findings), found


class Coupled:
    """Log f = Σ_{i<j} J_ij [x_i = x_j] on discrete values, and a Gibbs sweep one by one, or wrongly all at once."""

    discrete = True

    def __init__(self, values, dim, at_once=False, rare=0.0):
        self.values, self.dim, self.at_once, self.binary = np.array(values), dim, at_once, values == (0.0, 1.0)
        couplings = np.triu(rng(1).normal(size=(dim, dim)), 1)
        self.couplings, self.field = couplings + couplings.T, np.where(np.arange(len(values)) == 0, -rare, 0.0)
        self.states = np.array(list(product(self.values, repeat=dim)))

    def log_density(self, x):
        terms = zip(self.values, self.field, strict=True)
        return sum(((x == v) * ((x == v) @ self.couplings / 2 + h)).sum(-1) for v, h in terms)

    def log_z(self):
        return logsumexp(self.log_density(self.states))

    def sample(self, n, rng):
        return self.states[rng.choice(len(self.states), n, p=np.exp(self.log_density(self.states) - self.log_z()))]

    def gibbs(self, x, rng):
        x = x.copy()
        seen = x.copy() if self.at_once else x
        for i in range(self.dim):
            scores = (seen[:, None] == self.values[:, None]) @ self.couplings[i] + self.field
            x[:, i] = self.values[np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)]
        return x


SPINS, POTTS, BITS_13 = ((-1.0, 1.0), 6), ((0.0, 1.0, 2.0), 4), ((False, True), 13)


@pytest.mark.parametrize("states", [SPINS, POTTS, BITS_13], ids=["spins", "Potts", "13 bits"])
@pytest.mark.parametrize("at_once", [False, True])
def test_a_gibbs_step_on_discrete_states_is_right_one_by_one_and_wrong_all_at_once(states, at_once):
    model = Coupled(*states, at_once=at_once)
    as_kernel = ae.audit(ae.gibbs, on=model, n_draws=400, risk=1e-5, rng=rng())
    as_path = audit(lambda beta: model, n_draws=400, risk=1e-5)
    assert as_kernel.kinds == ("not invariant",) * at_once and as_path.kinds == ("wrong Gibbs step",) * at_once
    assert ("newest values of the others" in str(as_kernel)) == ("newest values" in str(as_path)) == at_once


def test_a_value_that_draws_rarely_show_is_allowed_and_one_between_them_is_not():
    for dim, rare in ((9, 8.0), (3, 20.0), (3, 9.0), (3, 11.0)):
        model = Coupled((-1.0, 1.0), dim, rare=rare)
        assert ae.audit(ae.gibbs, on=model, n_draws=2000, risk=1e-5, rng=rng()).passed
    halfway = ae.audit(lambda f, x, rng: f.gibbs(x, rng) / 2, on=model, rng=rng())
    assert halfway.kinds == ("leaves the support",), halfway


def test_only_what_was_checked_is_listed():
    every = audit(gaussians(2), n_draws=300)
    assert set(every.checks) == {"ends and densities", "gradients", "normalisers", "draws", "Gibbs step"}
    some = audit(lambda beta: start(log_z=lambda: np.log(2 * np.pi) / 2) if beta == 0 else point(), n_draws=200)
    assert some.passed and some.checks == ("ends and densities", "normalisers", "draws")
    assert some.skipped == ("draws and Gibbs steps at β = 0.25, 0.5, 0.75, 1: no exact draws",)
    failed = audit(FAULTY["not a number"][0])
    assert failed.skipped == ("everything after this failure",)


def point(dim=1, **more):
    return SimpleNamespace(dim=dim, log_density=lambda x: -(x**2).sum(-1) / 2, **more)


def start(dim=1, **more):
    had = {"sample": lambda n, rng: rng.standard_normal((n, dim)), "log_z": lambda: 0.0}
    return SimpleNamespace(**vars(point(dim)) | had | more)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ((start(), SimpleNamespace(dim=1)), "path(1) is a SimpleNamespace without dim and log_density"),
        ((SimpleNamespace(log_density=len), point()), "path(0) is a SimpleNamespace without dim and log_density"),
        ((start(), point(2)), "dim changes along the path: [1, 2]"),
        ((point(), point()), "path(0), where chains start, needs sample and log_z"),
        ((point(sample=len), point()), "path(0), where chains start, needs log_z"),
        ((point(), start()), "needs sample and log_z; path(1) has it: are β and 1 - β exchanged?"),
        ((start(sample=lambda n, rng: np.zeros(n)), point()), "must have shape (200, 1), got (200,)"),
    ],
)
def test_wrong_ends(points, words):
    report = Report()
    with pytest.raises(AuditStoppedError):
        audit_path._check_ends(dict(zip((0.0, 1.0), points, strict=True)), report, rng())
    (said,) = sentences(report)
    assert said.endswith(words) and (words[-1] == "?") == ("exchanged" in said)


def half_square(x):
    return -(x[:, 0] ** 2) / 2


def density(log_density, **more):
    """What is reported of a density at 200 states."""
    report, one = Report(), SimpleNamespace(dim=1, log_density=log_density, **more)
    audit_path._check_density(lambda beta: one, 0.25, one, rng().standard_normal((200, 1)), report)
    return kinds(report)


LAST = np.arange(200) == 199


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: np.where(LAST, np.nan, half_square(x)), lambda x: np.where(LAST, np.inf, half_square(x)),
        lambda x: -(x**2), lambda x: half_square(x)[:-1], lambda x: half_square(x).sum(),
    ],
    ids=["NaN", "infinite", "a column", "one missing", "one for all"],
)  # fmt: skip
def test_a_density_is_a_number_or_minus_infinity_per_state(wrong):
    assert density(lambda x: np.where(x[:, 0] > 0, half_square(x), -np.inf)) == []
    with pytest.raises(AuditStoppedError):
        density(wrong)


def test_a_density_is_a_function_of_one_state():
    calls = []
    assert density(lambda x: half_square(x) + 1e-5 * (calls.append(0) or len(calls) == 2)) == ["not a function"]
    assert density(lambda x: half_square(x) + 1e-9 * (calls.append(0) or len(calls))) == []
    assert density(lambda x: half_square(x) + 1e-3 * len(x)) == ["states mixed up"]
    assert density(lambda x: half_square(x) + 1e-7 * len(x)) == [], "single precision does this"
    assert "changes its input" in density(lambda x: half_square(np.add(x, 1, out=x)))


def test_gradients_are_those_of_densities_of_real_numbers():
    assert density(half_square, grad_log_density=lambda x: -x) == []
    assert density(half_square, grad_log_density=lambda x: x) == ["wrong gradient"]
    assert density(half_square, grad_log_density=lambda x: x, discrete=True) == []
    assert density(half_square, grad_log_density=lambda x: -x + x.mean())[:1] == ["states mixed up"]


def walled(x):
    return np.where(x[:, 0] > 0, -(x**2).sum(-1) / 2, -np.inf)


@pytest.mark.parametrize(
    ("grad", "log_density", "found"),
    [
        (lambda x: -x, lambda x: -(x**2).sum(-1) / 2, 0),
        (lambda x: -x + [0.01, 0.0], lambda x: -(x**2).sum(-1) / 2, 1),
        (lambda x: -x * [1.0, 0.5], lambda x: -(x**2).sum(-1) / 2, 1),
        (lambda x: -x[:, :1], lambda x: -(x**2).sum(-1) / 2, 1),
        (lambda x: np.where(x[:, :1] > 0, -x, 7.0), walled, 0),
        (lambda x: np.where(x[:, :1] > 0, x, 7.0), walled, 1),
        (lambda x: x + None, walled, 0),
    ],
    ids=["right", "off", "a factor", "one column", "walled", "wrong inside", "not there"],
)
def test_each_coordinate_of_a_gradient_is_a_slope(grad, log_density, found):
    report = Report()
    one = SimpleNamespace(dim=2, log_density=log_density, grad_log_density=grad)
    audit_path._check_gradient(0.5, one, rng().uniform(-3, 3, size=(50, 2)), report)
    assert sentences(report) == ["grad_log_density of path(0.5) is not the slope of log_density"] * found


@pytest.mark.parametrize("at", audit_path.BETAS)
@pytest.mark.parametrize(("height", "found"), [(0.1, True), (0.005, False)])
def test_a_jump_is_found_at_each_point(at, height, found):
    def path(beta):
        after = beta > at or at == 1.0 == beta
        return SimpleNamespace(log_density=lambda x: half_square(x) + height * after)

    report, near = Report(), at + 1e-6 if at < 1 else at - 1e-6
    audit_path._check_continuity(path, rng().standard_normal((200, 1)), report)
    assert sentences(report) == [f"log f changes by 0.1 between β = {at:g} and {near:.6f}"] * found


def test_a_wall_that_moves_is_no_jump_for_those_inside():
    def path(beta):
        return SimpleNamespace(log_density=lambda x: np.where(x[:, 0] > (beta > 0.5) * 2, half_square(x), -np.inf))

    report = Report()
    audit_path._check_continuity(path, rng().standard_normal((200, 1)), report)
    assert kinds(report) == []


def test_exact_normalisers():
    flat = {"binary": True, "discrete": True, "log_density": lambda x: np.zeros(x.shape[:-1])}
    assert audit_path._exact_log_z(SimpleNamespace(dim=12, **flat)) == pytest.approx(12 * np.log(2))
    for dim in (1, 2):
        gauss = ae.Gaussian(np.full(dim, 5.0), np.diag([2.0, 0.1][:dim]), 0.7)
        assert audit_path._exact_log_z(gauss) == pytest.approx(0.7, abs=1e-6)
    for unknown in (SimpleNamespace(dim=13, **flat), SimpleNamespace(dim=1, discrete=True), gaussians(3)(0.5), TENT):
        assert audit_path._exact_log_z(unknown) is None


def normalisers(*points):
    report = Report()
    audit_path._check_normalisers(dict(enumerate(points)), 1000, report, rng(1))
    return report


def claims(gauss, wrong=0.0, **more):
    had = {"sample": gauss.sample, "log_z": lambda: gauss.log_z() + wrong}
    return SimpleNamespace(dim=gauss.dim, log_density=gauss.log_density, **had | more)


WIDE, NEAR, FAR = (ae.Gaussian([m], [[v]], z) for m, v, z in ((0, 2, 0.5), (0.3, 1.8, -1), (9, 0.1, 100)))


@pytest.mark.parametrize(
    ("log_z", "off", "found"),
    [(0.0, 0.009, False), (0.0, 0.011, True), (100.0, 0.09, False), (100.0, 0.11, True), (100.0, -0.11, True)],
)
def test_a_normaliser_may_be_a_hundredth_off_or_that_of_its_root(log_z, off, found):
    assert kinds(normalisers(claims(ae.Gaussian([0.0], [[1.0]], log_z), off))) == ["wrong normaliser"] * found


def test_a_normaliser_is_compared_with_the_mean_weight_of_a_neighbours_draws():
    (test,), x = normalisers(claims(WIDE), claims(NEAR, 0.3)).tests, WIDE.sample(4000, rng(1))
    w = np.exp(NEAR.log_density(x) - WIDE.log_density(x) - (NEAR.log_z() + 0.3 - WIDE.log_z()))
    z = abs(w.mean() - 1) / w.std(ddof=1) * np.sqrt(4000)
    assert test.p_value == pytest.approx(2 * norm.sf(z)) and test.kind == "wrong normaliser"
    ratio = f"Z at β = 1 over Z at β = 0 is {w.mean():.3f} times the value by log_z()"
    assert test.sentence == f"{ratio}, {z:.1f} standard errors from it"
    assert normalisers(claims(WIDE), claims(NEAR)).tests[0].p_value > 1e-6
    no_draws = SimpleNamespace(log_z=WIDE.log_z, dim=3, log_density=len)
    for pair in ((WIDE, FAR), (claims(WIDE, enumerable=False), NEAR), (no_draws, NEAR)):
        assert normalisers(*pair).tests == [], "too far, not known, or without draws"


@pytest.mark.parametrize("rare", [49, 50, 51])
def test_the_worst_share_is_reported_but_not_of_a_state_too_rare_to_be_normal(rare):
    """Of 1600 draws the rare state is seen three times as often as it should be, the most common one less."""
    exact = np.array([800, 400, 400 - rare, rare]) / 1600
    seen = exact + np.array([-2, 0, 0, 2]) * rare / 1600
    drawn = np.repeat(ae.binary_states(2), np.rint(1600 * seen).astype(int), axis=0)
    one = SimpleNamespace(dim=2, binary=True, log_density=lambda x: 7 + np.log(exact[(x @ [2, 1]).astype(int)]))
    one.sample = lambda n, rng: drawn[:n]
    report = Report()
    audit_path._check_shares(discrete_problem("bits", one), 400, report, rng())
    z = np.abs(seen - exact) / np.sqrt(seen * (1 - seen) / 1599)
    (test,), worst, state = report.tests, *((z[3], "1 1") if rare >= 50 else (z[0], "0 0"))
    assert z[3] > z[0] and test.kind == "wrong draws" and test.p_value == pytest.approx(4 * 2 * norm.sf(worst))
    assert test.sentence == f"the share of state {state} in draws of bits is {worst:.1f} standard errors off"


def test_a_gibbs_step_that_leaves_a_bit_is_found():
    report = Report()
    lazy = changed(BITS, gibbs=lambda p: lambda v, rng: np.where(np.arange(3) == 2, v, p.gibbs(v, rng)))
    audit_path._check_draws(1.0, lazy(1.0), 500, report, rng(1))
    assert kinds(report) == ["wrong Gibbs step"]
    assert {test.kind for test in report.tests} == {"wrong draws", "wrong Gibbs step"}
