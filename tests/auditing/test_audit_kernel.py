"""The audit finds what is wrong with a kernel, and passes what is right."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.auditing import audit_kernel
from anneal_edu.auditing.problems import standard_problems
from anneal_edu.auditing.report import Report
from anneal_edu.course.bugs import kernels, rbm_steps
from tests.auditing.helpers import checked, kinds, rng, sentences
from tests.cases import always

FEW = 1000  # draws
PROBLEMS = standard_problems(rng())
LINE, SPACE, BITS = PROBLEMS[0], PROBLEMS[1], PROBLEMS[-1]

KIND_OF = {
    "not invariant": (
        "ratio upside down", "half of the log ratio", "no decision", "uphill only", "u against the log",
        "step depends on x", "x e^z without its factor", "lopsided step", "independent, uncorrected", "until accepted",
        "another density", "Langevin without Hastings", "Langevin undecided", "Langevin, too much noise",
        "no kinetic energy", "kinetic energy twice", "no half step", "momentum too small",
    ),
    "cannot reach": (
        "last coordinate left out", "never across 0", "lattice", "only mirrored", "clipped", "two digits",
        "chains resampled",
    ),
    "chains share randomness": ("one noise for all chains", "one uniform for all chains"),
    "chains depend on each other": (
        "last chain undecided", "scale of the others", "difference of the others", "chains exchanged"
    ),
    "chains left out": ("first half", "all but the last chain", "first ten"),
    "invalid states": ("one state", "squeezed"),
    "no randomness": ("seed of its own",),
    "other randomness": ("other randomness", "adapts", "old density"),
    "changes its input": ("in place",),
    "rounds its states": ("float32",),
    "never moves": ("nothing",),
}  # fmt: skip
FOUND = [(fault, kind) for kind, faults in KIND_OF.items() for fault in faults]
ALWAYS = "step depends on x", "old density", "never across 0", "last chain undecided", "first ten", "one state"


def audit(kernel, n_draws=FEW, seed=0, **more):
    return ae.audit(kernel, n_draws=n_draws, rng=rng(seed), **more)


@pytest.mark.parametrize(("fault", "kind"), always(*[case for case in FOUND if case[0] in ALWAYS], of=FOUND))
def test_a_fault_is_found_and_named(fault, kind):
    found = audit(kernels.FAULTY[fault], n_draws=8000 if fault == "until accepted" else FEW)
    assert kind in found.kinds and f"✗ {kind}" in str(found), found


def test_every_fault_has_a_kind():
    assert sorted(fault for fault, _ in FOUND) == sorted(kernels.FAULTY)


def only_bits(step):
    def kernel(f, x, rng):
        if not getattr(f, "binary", False):
            raise TypeError("for bits")
        return step(f, x, rng).astype(x.dtype)

    return kernel


@pytest.mark.parametrize("fault", always("an even number of flips", of=rbm_steps.FAULTY_STEPS))
def test_a_faulty_step_of_an_rbm_is_found(fault):
    assert not audit(only_bits(rbm_steps.FAULTY_STEPS[fault]), n_draws=8000).passed


def lazy(f, x, rng):
    return np.where(rng.random((len(x), 1)) < 0.02, kernels.walk(f, x, rng), x)


RIGHT = {
    "random walk": ae.random_walk(0.7), "lazy": lazy, "Gibbs": ae.gibbs, "bits": only_bits(rbm_steps.flip()),
    "Langevin": kernels.langevin(), "Hamiltonian": kernels.hamiltonian(),
}  # fmt: skip


@pytest.mark.parametrize("name", always("random walk", "lazy", "Gibbs", "bits", of=RIGHT))
def test_what_is_right_passes(name):
    """A false alarm has a probability of 1e-5 or less. A lazy kernel of real numbers rarely leaves 0 and 1."""
    found = audit(RIGHT[name], risk=1e-5)
    assert found.passed, found
    assert found.n_tests > 5 and "the mean weight of AIS" in found.checks
    assert (f"{BITS.name}: it moves real numbers" in found.skipped) == (name == "lazy")


@pytest.mark.thorough("kernels on the distributions that are given")
def test_a_kernel_that_needs_more_is_audited_on_a_distribution_of_its_own():
    def independent(distribution, x, rng):
        return distribution.mean + rng.standard_normal(x.shape) @ np.linalg.cholesky(distribution.cov).T

    found = audit(independent, risk=1e-5)
    assert found.passed and any("it needs mean" in reason for reason in found.skipped)
    assert audit(independent, risk=1e-5, on=ae.Gaussian([1.0, 2.0], [[1.0, 0.5], [0.5, 2.0]])).passed


def test_a_gross_fault_is_found_with_few_draws():
    found = audit(kernels.FAULTY["uphill only"], n_draws=200, risk=1e-5)
    assert found.kinds[:1] == ("not invariant",) and "after one: check the acceptance ratio" in str(found)


def test_what_the_audit_cannot_do_is_no_fault_of_the_kernel():
    found = audit(ae.gibbs, on=ae.BinaryRBM(np.ones((40, 40)), np.zeros(40), np.zeros(40)))
    assert found.passed and found.checks == () and found.skipped[0].startswith("your distribution: ValueError")
    rejected = audit(ae.random_walk(40.0), on=ae.Gaussian([0.0], [[1.0]]))
    assert rejected.passed, "hardly any step is accepted"


def test_a_problem_on_which_no_chain_moves_is_named():
    found = audit(lambda f, x, rng: ae.random_walk(1.0)(f, x, rng) if f.dim == 3 else x)
    assert "never moves" not in found.kinds
    assert "a half-line: none of 1000 chains moved in 12 moves" in found.skipped


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda f, x, rng: f.nothing_of_the_kind(x), "fails: on all 6 test problems. a steep and a long tail"),
        (lambda f, x, rng: TIRED.pop() + kernels.walk(f, x, rng), "fails: IndexError: pop from empty list"),
    ],
)
def test_a_kernel_that_raises_is_told_why(kernel, words):
    (finding,) = audit(kernel).findings
    assert str(finding).startswith(words)


TIRED = [0.0] * 20


def usable(kernel, on=None):
    kernel = checked(kernel)
    return [problem.name for problem in audit_kernel._usable_problems(kernel, on, rng())], kernel.report


def test_on_which_problems_a_kernel_can_move():
    names, report = usable(ae.random_walk(1.0))
    assert names == [problem.name for problem in PROBLEMS[:-1]]
    assert len(report.skipped) == 1 and report.skipped[0].startswith(f"{BITS.name}: TypeError: the random_walk kern")
    assert usable(ae.gibbs)[0] == [SPACE.name, BITS.name]
    names, report = usable(lambda f, x, rng: f.mixing + x[:, :1] if f.dim == 1 else x)
    assert LINE.name in names and "two bumps: it needs mixing" in report.skipped
    for own in (ae.Gaussian([0.0], [[1.0]]), ae.uniform_rbm(2, 2)):
        assert usable(None, own)[0] == ["your distribution"]


@pytest.mark.parametrize(
    ("step", "keeps"),
    [
        (lambda f, x, rng: 1 - x, True), (lambda f, x, rng: x == 1, True), (lambda f, x, rng: x.astype(int), True),
        (lambda f, x, rng: x + 0.5 * (rng.random((len(x), 1)) < 1 / 300), False),
        (lambda f, x, rng: x.missing, True), (lambda f, x, rng: x[:-1] + 0.5, True),
    ],
    ids=["bits", "bool", "int", "rarely half", "refuses", "too few"],
)  # fmt: skip
def test_whether_a_kernel_keeps_bits(step, keeps):
    assert audit_kernel._keeps_values(checked(step), BITS) is keeps


@pytest.mark.parametrize(("share", "few", "calls"), [(1.0, 200, 100), (0.7, 140, 70), (0.05, 20, 60)])
def test_slow_kernels_are_checked_less_often(monkeypatch, share, few, calls):
    made = []
    for name in ("every_chain", "invariance", "independence", "exchangeability"):

        def noted(kernel, problem, first, *_, name=name):
            made.append((name, problem.name, first))
            return problem.discrete  # the bits move

        monkeypatch.setattr(audit_kernel, f"check_{name}", noted)
    monkeypatch.setattr(audit_kernel, "check_randomness", lambda kernel, problem: lambda: made.append("repeated"))
    kernel, generator = checked(None), rng()
    audit_kernel._check(kernel, PROBLEMS, 700, share, generator)
    assert made == [
        ("every_chain", "a skewed plane", few),
        *(("invariance", problem.name, 700) for problem in PROBLEMS),
        ("independence", "a skewed plane", generator),
        ("exchangeability", "a skewed plane", calls), ("independence", LINE.name, generator),
        ("exchangeability", LINE.name, calls), "repeated",
    ]  # fmt: skip
    assert kinds(kernel.report) == []
    audit_kernel._check(kernel, [LINE], 700, share, generator)
    assert sentences(kernel.report) == ["no chain moved, on any problem"]


@pytest.mark.parametrize("discrete", [False, True])
def test_the_mean_weight_of_ais_is_z(monkeypatch, discrete):
    runs, report = [], Report()

    def recorded(*given, **more):
        runs.append((given, ae.ais(*given, **more)))
        return runs[0][1]

    monkeypatch.setattr(audit_kernel, "ais", recorded)
    audit_kernel._check_weights(ae.gibbs, discrete, 3000, report, rng(1))
    (path, _, n, kernel), run = runs[0]
    w = np.exp(run.log_weights - path(1.0).log_z())
    z = abs(w.mean() - 1) / w.std(ddof=1) * np.sqrt(3000)
    (test,) = report.tests
    assert (n, kernel, test.kind) == (3000, ae.gibbs, "biased weights") and 1e-6 < test.p_value < 1
    assert test.sentence == f"the mean weight of 3000 chains of AIS is {w.mean():.3f} Z, {z:.1f} standard errors from Z"


def test_a_kernel_that_fails_under_ais_is_not_checked_there():
    report = Report()
    audit_kernel._check_weights(lambda f, x, rng: 1 / 0, False, 1000, report, rng(1))
    assert report.skipped == ["the mean weight of AIS: ZeroDivisionError: division by zero"] and report.tests == []


def emcee_kernel(move, state_of):
    def kernel(f, x, rng):
        class Model:
            map_func, compute_log_prob_fn = map, staticmethod(lambda x: (f.log_density(x), None))
            random = np.random.RandomState(rng.integers(2**31))

        move.live_dangerously = True
        return move.propose(Model, state_of(x, log_prob=f.log_density(x), copy=True))[0].coords

    return kernel


def test_moves_of_another_library():
    """Those of emcee, in an environment that has it: one chain at a time, and chains that use each other."""
    moves = pytest.importorskip("emcee.moves")
    state_of = pytest.importorskip("emcee.state").State
    assert audit(emcee_kernel(moves.GaussianMove(0.6), state_of), risk=1e-5).passed
    assert "chains depend on each other" in audit(emcee_kernel(moves.StretchMove(), state_of)).kinds
