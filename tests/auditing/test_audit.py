"""What an audit is asked with, what it says of paths and estimators, and how it shares the risk."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import logsumexp, ndtr, ndtri
from scipy.stats import binom

import anneal_edu as ae
from anneal_edu.auditing import of_estimators, of_paths
from anneal_edu.auditing.audit import kind_of
from anneal_edu.auditing.findings import Docket, z_and_p
from tests.auditing.by_hand import Coupled


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        (ae.random_walk(1.0), "kernel"), (ae.hmc(0.1, 3), "kernel"), (lambda p, state, generator: state, "kernel"),
        (ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]])), "path"), (lambda b: None, "path"),
        (ae.ais, "estimator"), (ae.reverse_ais, "estimator"), (ae.hais, "estimator"),
        (lambda path, schedule, n_chains, kernel=None, *, rng: None, "estimator"),
        (lambda path, betas, n: None, "estimator"), (lambda line, schedule, n_chains=100: None, "estimator"),
        (lambda p, betas, n, *, rng: None, "estimator"),
    ],
)  # fmt: skip
def test_what_it_is_its_signature_says(subject, kind):
    assert kind_of(subject) == kind


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ae.audit(3, rng=rng()), "subject must be a function"),
        (lambda: ae.audit(ae.random_walk, rng=rng()), "subject must be a function"),
        (lambda: ae.audit(lambda: 0, rng=rng()), "got one with the arguments"),
        (lambda: ae.audit(lambda a, b: 0, rng=rng()), "got one with the arguments"),
        (lambda: ae.audit(ae.gibbs, rng=3), "rng must be"),
        (lambda: ae.audit(ae.gibbs, n_draws=10, rng=rng()), "n_draws must be at least 200"),
        (lambda: ae.audit(ae.gibbs, risk=2, rng=rng()), "risk must lie"),
        (lambda: ae.audit(ae.ais, on=ae.Gaussian([0.0], [[1.0]]), rng=rng()), "on is for a kernel"),
        (lambda: ae.audit(ae.gibbs, on=3, rng=rng()), "sample"),
    ],
)
def test_bad_calls(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


GAUSSIANS = ae.geometric_path(ae.Gaussian([0.0], [[2.0]], 0.5), ae.Gaussian([1.0], [[0.5]], -1.0))
BITS = ae.geometric_path(ae.uniform_rbm(3, 2), ae.BinaryRBM(np.ones((3, 2)), [0.2, -0.4, 0], [0.5, -1]))


class Changed:
    """A point of a path, with one thing changed."""

    def __init__(self, point, **changes):
        self.point, self.changes = point, changes

    def __getattr__(self, name):
        if name.startswith("__") or name in ("point", "changes"):
            raise AttributeError(name)
        return self.changes.get(name) or getattr(self.point, name)


def changed(path, **changes):
    return lambda beta: Changed(path(beta), **{name: change(path(beta)) for name, change in changes.items()})


def gaussians(dim):
    start, end = ae.Gaussian(np.zeros(dim), 2 * np.eye(dim), 0.5), ae.Gaussian(np.full(dim, 0.8), np.eye(dim), -1.0)
    return ae.geometric_path(start, end)


@pytest.mark.parametrize("path", [GAUSSIANS, BITS, gaussians(2), gaussians(3)], ids=["line", "bits", "plane", "space"])
def test_a_right_path_passes(path):
    found = ae.audit(path, n_draws=1000, risk=1e-5, rng=rng())
    assert found.passed, found


@pytest.mark.parametrize(("dim", "words"), [(1, "a sum gives"), (2, "a sum gives"), (3, "standard errors from it")])
def test_a_wrong_normaliser_is_found_by_a_sum_and_in_space_by_its_neighbours_draws(dim, words):
    wrong = changed(gaussians(dim), log_z=lambda p: lambda: 1.4 * p.log_z())
    findings = ae.audit(wrong, n_draws=1000, rng=rng()).findings
    assert any(found.kind == "wrong normaliser" and words in found.sentence for found in findings), findings


SPINS, POTTS, BITS_13 = ((-1.0, 1.0), 6), ((0.0, 1.0, 2.0), 4), ((False, True), 13)


@pytest.mark.parametrize("states", [SPINS, POTTS, BITS_13], ids=["spins", "Potts", "13 bits"])
@pytest.mark.parametrize("at_once", [False, True])
def test_gibbs_on_discrete_states_is_right_one_by_one_and_wrong_all_at_once(states, at_once):
    model = Coupled(*states, at_once=at_once)
    as_kernel = ae.audit(ae.gibbs, on=model, n_draws=400, risk=1e-5, rng=rng())
    as_path = ae.audit(lambda beta: model, n_draws=400, risk=1e-5, rng=rng())
    assert as_kernel.kinds == ("not invariant",) * at_once and as_path.kinds == ("wrong Gibbs step",) * at_once
    assert ("newest values of the others" in str(as_kernel)) == ("newest values" in str(as_path)) == at_once


def test_a_value_that_draws_rarely_show_may_be_taken_and_one_between_them_may_not():
    for dim, rare in ((9, 8.0), (3, 20.0), (3, 9.0), (3, 11.0)):
        model = Coupled((-1.0, 1.0), dim, rare=rare)
        assert ae.audit(ae.gibbs, on=model, n_draws=2000, risk=1e-5, rng=rng()).passed
    halfway = ae.audit(lambda f, x, rng: f.gibbs(x, rng) / 2, on=model, rng=rng())
    assert halfway.kinds == ("leaves the support",), halfway


TENT = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), 1)


def shifted(p):
    return lambda n, rng: p.sample(n, rng) + 0.3


FAULTY_PATHS = {
    "ends exchanged": (lambda b: TENT if b < 1 else GAUSSIANS(0.0), "no start"),
    "normaliser": (changed(GAUSSIANS, log_z=lambda p: lambda: p.log_z() + 0.2), "wrong normaliser"),
    "normaliser of bits": (changed(BITS, log_z=lambda p: lambda: p.log_z() + np.log(2)), "wrong normaliser"),
    "gradient": (changed(GAUSSIANS, grad_log_density=lambda p: lambda x: -p.grad_log_density(x)), "wrong gradient"),
    "draws": (changed(GAUSSIANS, sample=shifted), "wrong draws"),
    "Gibbs": (changed(BITS, gibbs=lambda p: lambda x, rng: 1 - p.gibbs(x, rng)), "wrong Gibbs step"),
    "a jump": (lambda b: GAUSSIANS(b if b < 0.5 else 1.0), "a jump"),
    "no distribution": (lambda b: b, "no distribution"),
    "a mean over states": (
        changed(GAUSSIANS, log_density=lambda p: lambda x: p.log_density(x) - p.log_density(x).mean()),
        "states mixed up",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTY_PATHS)
def test_a_faulty_path_is_found(fault):
    path, kind = FAULTY_PATHS[fault]
    found = ae.audit(path, n_draws=1000, rng=rng())
    assert kind in found.kinds, found


def annealed(change_log_w=lambda w: w, path_of=lambda p: p, betas=lambda s: s, kernel_of=lambda k: k):
    def estimator(path, schedule, n_chains, kernel=ae.gibbs, *, rng):
        run = ae.ais(path_of(path), betas(schedule), n_chains, kernel_of(kernel), rng=rng, workers=1)
        return ae.AISResult(change_log_w(run.log_weights), run.samples, 0)

    return estimator


def one_step_short(path, schedule, n_chains, kernel=ae.gibbs, *, rng):
    class Result:
        pass

    short = lambda beta: path(beta * schedule[-2])  # noqa: E731
    found = Result()
    found.log_z = ae.ais(short, schedule, n_chains, kernel, rng=rng, workers=1).log_z
    return found


class Overconfident(ae.AISResult):
    std_error = property(lambda self: ae.AISResult.std_error.fget(self) / 5)


def overconfident(path, schedule, n_chains, kernel=ae.gibbs, *, rng):
    run = ae.ais(path, schedule, n_chains, kernel, rng=rng, workers=1)
    return Overconfident(run.log_weights, run.samples, 0)


FAULTY_ESTIMATORS = {
    "a factor of 1.2": (annealed(lambda w: w + np.log(1.2)), "biased"),
    "the last step missing": (one_step_short, "ignores its schedule"),
    "half of the chains": (annealed(lambda w: w[: len(w) // 2]), "chains left out"),
    "every second step": (annealed(betas=lambda s: np.append(s[:-1:2], 1.0)), "ignores its schedule"),
    "an error bar a fifth as long": (overconfident, "wrong error bar"),
}  # fmt: skip


@pytest.fixture
def fewer(monkeypatch):
    """Repeats and problems: CI has ten minutes for all tests."""
    problems = of_estimators.problems()
    monkeypatch.setattr(of_estimators, "N_REPEATS", 30)
    monkeypatch.setattr(of_estimators, "problems", lambda: problems[:1])


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("fault", FAULTY_ESTIMATORS)
def test_a_faulty_estimator_is_found(fault):
    estimator, kind = FAULTY_ESTIMATORS[fault]
    found = ae.audit(estimator, rng=rng())
    assert kind in found.kinds, found
    assert ("moved before they are weighed?" in str(found)) == (fault in ("a factor of 1.2", "the last step missing"))


@pytest.mark.usefixtures("fewer")
def test_a_right_estimator_passes():
    found = ae.audit(ae.ais, risk=1e-5, rng=rng())
    assert found.passed, found
    assert found.subject == "estimator"


def exact_log_z(point):
    if getattr(point, "binary", False):
        return logsumexp(point.log_density(ae.binary_states(point.dim)))
    axes = [np.linspace(-40, 40, 80_001 if point.dim == 1 else 1601)] * point.dim
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return logsumexp(point.log_density(x)) + point.dim * np.log(axes[0][1] - axes[0][0])


@pytest.mark.parametrize("problem", of_estimators.problems(), ids=lambda problem: problem.name)
def test_the_problems_know_their_log_z(problem):
    path = problem.make_path(0.0, 0.0)
    assert exact_log_z(path(1.0)) == pytest.approx(problem.log_z, abs=2e-4)
    assert exact_log_z(path(0.0)) == pytest.approx(path(0.0).log_z(), abs=2e-4)


def test_a_sum_needs_few_dimensions_and_draws_that_say_where():
    assert of_paths._exact_log_z(TENT) is None
    assert of_paths._exact_log_z(gaussians(3)(0.5)) is None
    assert of_paths._exact_log_z(gaussians(2)(0.5)) == pytest.approx(gaussians(2)(0.5).log_z(), abs=1e-3)


def off_by(bias):
    """An estimator that asks the target for its log Z, and is off by bias(K)."""

    def estimator(path, schedule, n_chains, kernel=None, *, rng):
        noise = 0.1 * rng.standard_normal() / np.sqrt(n_chains)
        return SimpleNamespace(log_z=path(1.0).log_z() + bias(len(schedule) - 1) + noise)

    return estimator


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(("power", "excused"), [(2, True), (1, False)])
def test_a_bias_that_four_times_the_steps_take_away_is_excused(power, excused):
    """A sixteenth of it is left, as of a rule of integration; where a quarter is left, it is not excused."""
    estimator = off_by(lambda n_steps: 0.3 * (of_estimators.N_STEPS / n_steps) ** power)
    found = ae.audit(estimator, rng=rng())
    assert ("biased" not in found.kinds) == excused, found
    assert any("with four times the steps" in why and "is excused" in why for why in found.left_out) == excused


@pytest.mark.usefixtures("fewer")
def test_an_estimator_that_answers_nothing_is_told_why():
    def refuses(path, schedule, n_chains, kernel=None, *, rng):
        raise ArithmeticError("not this one")

    found = ae.audit(refuses, rng=rng())
    assert found.left_out == ("two Gaussians: ArithmeticError: not this one",)
    assert found.kinds == ("fails",) and "answers none" in str(found)


@pytest.mark.usefixtures("fewer")
def test_an_estimator_that_fails_later_is_told_so():
    calls = []

    def tired(path, schedule, n_chains, kernel=None, *, rng):
        calls.append(n_chains)
        if len(calls) > 5:
            raise ArithmeticError("too tired")
        return SimpleNamespace(log_z=path(1.0).log_z() + 0.1 * rng.standard_normal())

    found = ae.audit(tired, rng=rng())
    assert "fails" in found.kinds and "ArithmeticError: too tired" in str(found)


def test_a_bias_is_what_lies_beyond_the_logarithm_of_a_mean():
    """The mean of errors is -2, their variance 2: 3/4 of it is excused."""
    errors = np.array([-1.0, -1.0, -3.0, -3.0, -2.0 - 2**0.5, -2.0 + 2**0.5, -2.0])  # squares 4 + 4 of 6
    beyond, error = of_estimators._excess(errors)
    assert beyond == pytest.approx(2 - 0.75 * 8 / 6)
    assert error == pytest.approx(np.sqrt(8 / 6 / 7))
    assert of_estimators._excess(errors + 2)[0] == 0


def test_intervals_that_hold_the_truth_too_rarely_are_found_by_their_binomial():
    errors = ndtri((np.arange(400) + 0.5) / 400)
    for half in (1.96, 1.0):
        docket, held = Docket(), (np.abs(errors) <= half).sum()
        results = [SimpleNamespace(interval=lambda level, e=e, half=half: (e - half, e + half)) for e in errors]
        of_estimators._ask_error_bars(SimpleNamespace(name="one", log_z=0.0), results, errors, docket)
        assert docket.tests[0].kind == "wrong interval" and f"{held} do" in docket.tests[0].sentence
        assert docket.tests[0].p_value == pytest.approx(binom.cdf(held, 400, 0.88))


@pytest.mark.parametrize("ratio", [5.0, 3.2, 2.0, 1.0])
def test_more_chains_must_divide_the_variance(ratio):
    """By 4, and by 4 / 1.25 at the least; the logarithm of the ratio of two variances is off by √(6 / 100)."""
    errors = ndtri((np.arange(100) + 0.5) / 100)
    later, docket = iter(errors / np.sqrt(ratio)), Docket()
    of_estimators._ask_more_chains(lambda *_: SimpleNamespace(log_z=next(later)), None, errors, docket, rng())
    z = max(0.0, np.log(3.2 / ratio)) / np.sqrt(0.06)
    assert docket.tests[0].p_value == pytest.approx(2 * ndtr(-z))


def p_of_error_bars(errors, said):
    docket = Docket()
    results = [SimpleNamespace(std_error=said) for _ in errors]
    of_estimators._ask_error_bars(SimpleNamespace(name="one", log_z=0.0), results, errors, docket)
    return docket.tests[0].p_value


def test_an_error_bar_may_be_off_by_a_fifth_but_not_by_half():
    errors = ndtri((np.arange(400) + 0.5) / 400)
    assert p_of_error_bars(errors, 0.85) == p_of_error_bars(errors, 1.2) == 1
    assert max(p_of_error_bars(errors, said) for said in (0.5, 2.0)) < 1e-9


def test_a_spread_of_many_runs_is_as_uncertain_as_that_of_normal_errors():
    """sd(log s²) = √(2 / n) of normal errors; errors of a smaller kurtosis are given no less."""
    errors, said = np.tile([1.0, -1.0], 200), 0.7
    z = 2 * (np.log(np.sqrt(400 / 399) / said) - np.log(1.25)) / np.sqrt(2 / 400)
    assert p_of_error_bars(errors, said) == pytest.approx(2 * ndtr(-z))


def test_of_rare_large_errors_the_spread_is_uncertain():
    """Two of 60 runs are off by 8, all others by 1: the kurtosis is 14, and a bar of 1 for 1.8 no proof."""
    errors = np.tile([1.0, -1.0], 30)
    errors[:2] *= 8
    assert p_of_error_bars(errors, 1.0) > 0.1
    assert p_of_error_bars(np.tile([1.0, -1.0], 30), 0.5) < 1e-3


def test_the_risk_is_shared():
    """Of four tests each gets a quarter, and of each kind the worst is told."""
    docket = Docket()
    for p in (0.0002, 0.0003, 0.5, 0.00001):
        docket.test("odd" if p < 0.1 else "even", f"{p}", p)
    closed = docket.closed("kernel", 0.001)
    assert [f.sentence for f in closed.findings] == ["1e-05"] and closed.n_tests == 4
    assert docket.closed("kernel", 0.00003).passed


def test_z_is_the_mean_in_its_own_errors():
    differences = np.array([[1.0], [3.0]] * 100)
    z, p = z_and_p(differences)
    assert z[0] == pytest.approx(2 / (differences.std(ddof=1) / np.sqrt(200)))
    assert ndtri(p[0] / 2) == pytest.approx(-z[0])
    few = np.zeros((1000, 1))
    few[:49] = 1
    assert z_and_p(few)[1] == 1


@pytest.mark.parametrize(("third", "n_left"), [("n_chains", 0), ("samples", 1)])
def test_from_above_alone_a_wall_is_left_out(third, n_left, monkeypatch):
    """An estimator that starts from the target's samples is not asked about the half-line; one from below is."""
    monkeypatch.setattr(of_estimators, "_ask", lambda runs, problem, docket, *a, **b: docket.asked.append(problem.name))
    answer = SimpleNamespace(log_z=0.0)
    from_below = lambda path, schedule, n_chains, kernel=None, *, rng: answer  # noqa: E731
    from_above = lambda path, schedule, samples, kernel=None, *, rng: answer  # noqa: E731
    docket = Docket()
    of_estimators.audit_estimator({"n_chains": from_below, "samples": from_above}[third], docket, rng())
    assert len(docket.left_out) == n_left and all("behind a wall" in why for why in docket.left_out)
    assert len(docket.asked) == len(of_estimators.problems()) - n_left
