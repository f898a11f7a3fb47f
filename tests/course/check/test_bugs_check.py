"""Known-wrong answers to the exercises of notebook 15: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.check import ailing_runs, bugs, line_ups
from anneal_edu.course.check.verdict import WrongAnswerError
from tests.cases import a_third

ALL = range(5)


def laws(
    refresh, rng, gammas=(0.05, 0.5, 1.0), n=20_000, errors=6.0, chosen=ALL, coordinates=slice(None), signed=True,
    begin=None, size=abs,
):
    """The solution, or with one thing left out."""
    for gamma in gammas:
        v = rng.standard_normal((n, 3))
        v = v if begin is None else begin(v)
        new = refresh(v.copy(), gamma, rng)
        sign = 1.0 if signed else np.sign((new * v).mean())
        noise = (new - sign * np.sqrt(1 - gamma) * v) / np.sqrt(gamma)
        all_laws = noise**2 - 1, noise * v, noise**4 - 3, noise[1:] * noise[:-1], noise * np.roll(noise, 1, axis=1)
        for law in (all_laws[i][:, coordinates] for i in chosen):
            if (size(law.mean(0)) > errors * law.std(0) / np.sqrt(len(law)) + 1e-9).any():
                return False
    return True


def two_sided(refresh, rng):
    """Whether the noise is ±1."""
    return np.unique(np.abs(refresh(np.zeros((9, 3)), 0.5, rng)).round(9)).size == 1


WRONG_TESTS = {
    "everything passes": (lambda refresh, rng: True, "you let a wrong refresh pass"),
    "nothing passes": (lambda refresh, rng: False, "you refuse the right one every time"),
    "only the variance of v'": (
        lambda refresh, rng: abs(refresh(rng.standard_normal((20_000, 3)), 0.3, rng).var() - 1) < 0.03,
        "look at what is kept",
    ),
    "no law of the shape": (lambda refresh, rng: laws(refresh, rng, chosen=(0, 1, 3, 4)), "the shape is not"),
    "no law of the neighbours": (lambda refresh, rng: laws(refresh, rng, chosen=(0, 1, 2, 4)), "chains 0 and 1 share"),
    "the first coordinate alone": (
        lambda refresh, rng: laws(refresh, rng, coordinates=slice(0, 1)), "look at every one",
    ),
    "no law of noise and old momentum": (
        lambda refresh, rng: laws(refresh, rng, chosen=(0, 2, 3, 4)), "the noise and the old momentum together",
    ),
    "no law of two coordinates": (
        lambda refresh, rng: laws(refresh, rng, chosen=(0, 1, 2, 3)), "all coordinates of a chain share one noise",
    ),
    "γ = 0.3 alone": (lambda refresh, rng: laws(refresh, rng, gammas=(0.3,)), "a share of 0.3, whatever γ is"),
    "γ = 0.05 alone": (lambda refresh, rng: laws(refresh, rng, gammas=(0.05,)), "ask with a large one, too"),
    "γ = 0.9 alone": (lambda refresh, rng: laws(refresh, rng, gammas=(0.9,)), "ask with a small one, too"),
    "no more of the shape than that it is not ±1": (
        lambda refresh, rng: laws(refresh, rng, chosen=(0, 1, 3, 4)) and not two_sided(refresh, rng),
        "its noise is uniform",
    ),
    "γ = 0.5 alone": (lambda refresh, rng: laws(refresh, rng, gammas=(0.5,)), "a share 1 - γ"),
    "how much is kept, but not its sign": (
        lambda refresh, rng: laws(refresh, rng, signed=False), "what it keeps of v it turns round",
    ),
    "from one and the same momentum": (
        lambda refresh, rng: laws(refresh, rng, begin=lambda v: np.ones_like(v)), "another v for every chain"
    ),
    "from positive momenta": (
        lambda refresh, rng: laws(refresh, rng, begin=np.abs), "has lost its sign, |v|: begin with momenta of both"
    ),
    "from momenta that agree in twos": (
        lambda refresh, rng: laws(refresh, rng, begin=lambda v: np.sort(v, axis=0)), "its neighbour's momentum"
    ),
    "neighbours of one sign": (
        lambda refresh, rng: laws(refresh, rng, chosen=(0, 1, 2)) and laws(refresh, rng, chosen=(3, 4), size=np.array),
        "opposite noise",
    ),
    "coordinates of one sign": (
        lambda refresh, rng: laws(refresh, rng, chosen=(0, 1, 2, 3)) and laws(refresh, rng, chosen=(4,), size=np.array),
        "coordinates 0 and 1 of a chain",
    ),
    "two standard errors": (lambda refresh, rng: laws(refresh, rng, errors=2.0), "allow six"),
    "exchanged": (lambda refresh, rng: not laws(refresh, rng), "pass 23 of 23 wrong ones: are True and False"),
    "exchanged, and no law of the shape": (
        lambda refresh, rng: not laws(refresh, rng, chosen=(0, 1, 3, 4)), "pass 20 of 23 wrong ones: are True and False"
    ),
    "a tenth of a standard error": (lambda refresh, rng: laws(refresh, rng, errors=0.1), "by chance: allow more"),
    "the same numbers from an equal generator": (
        lambda refresh, rng: all(
            np.allclose(refresh(v, g, np.random.default_rng(1)), bugs.right_refresh(v, g, np.random.default_rng(1)))
            for g, v in ((0.1, rng.standard_normal((50, 3))), (0.6, rng.standard_normal((50, 3))))
        ),
        "draws its noise otherwise",
    ),
    "a number": (lambda refresh, rng: 1.0, "say True or False"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", a_third(WRONG_TESTS))
def test_wrong_tests(mistake):
    answer, message = WRONG_TESTS[mistake]
    verdict = bugs.refresh_test(answer)
    assert verdict.passed is False and message in verdict.message, verdict


def found(samplers, rng, n=8000, alike=True, still=True, errors=5.0, squares=True, together=True, begin=lambda x: x):
    """The solution, or with one thing left out."""
    named = []
    for number, sampler in enumerate(samplers):
        x = y = begin(sampler.target.sample(n, rng))
        for _ in range(5):
            y = sampler(y, rng)
        change = [y - x, y**2 - x**2, y[:, :1] * y[:, 1:] - x[:, :1] * x[:, 1:]][: 1 + squares + together]
        change = np.hstack(change)
        wrong = (abs(change.mean(0)) > errors * change.std(0) / np.sqrt(n)).any()
        steps = [sampler(np.tile(one, (50, 1)), rng) - one for one in x[:20]]
        moved = [s[(s != 0).any(1)] for s in steps if (s != 0).any()]
        wrong |= alike and all(np.ptp(s, axis=0).max(initial=0) < 1e-9 for s in moved)
        wrong |= still and (x == y).all(0).any()
        named += [number] if wrong else []
    return named


WRONG_LINE_UPS = {
    "nobody": (lambda samplers, rng: [], "you find 0% of"),
    "the right ones": (
        lambda samplers, rng: sorted(set(range(8)) - set(found(samplers, rng))), "do you name the right ones?"
    ),
    "everybody": (lambda samplers, rng: list(range(8)), "you accuse every right one"),
    "one standard error and a half": (lambda samplers, rng: found(samplers, rng, errors=1.5), "false alarms"),
    "means alone, nothing else": (
        lambda samplers, rng: found(samplers, rng, alike=False, still=False, squares=False, together=False),
        "Find four of five",
    ),
    "from 0": (lambda samplers, rng: found(samplers, rng, begin=lambda x: 0 * x), "no exact draws of the target"),
    "from draws that are too narrow": (
        lambda samplers, rng: found(samplers, rng, begin=lambda x: 0.8 * x), "no exact draws of the target"
    ),
    "one standard error and a half, from exact draws": (
        lambda samplers, rng: found(samplers, rng, errors=1.5), "allow chance five"
    ),
    "too many moves": (lambda samplers, rng: found(samplers, rng, n=20_000), "the budget of 400,000 moves is spent"),
    "none of those that leave out a coordinate": (
        lambda samplers, rng: found(samplers, rng, still=False), "a coordinate never changes",
    ),
    "means and squares, and not what coordinates do together": (
        lambda samplers, rng: found(samplers, rng, together=False),
        ": a coordinate follows the other one with the wrong sign",
    ),
    "a ninth sampler": (lambda samplers, rng: [8], "numbers 0 to 7"),
    "a number": (lambda samplers, rng: 3, "a list of numbers"),
    "the samplers themselves": (lambda samplers, rng: samplers[:1], "no samplers"),
    "a mark for each": (lambda samplers, rng: [True, False] * 4, "no True and no False"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", WRONG_LINE_UPS)
def test_wrong_line_ups(mistake):
    answer, message = WRONG_LINE_UPS[mistake]
    verdict = bugs.which_are_wrong(answer)
    assert verdict.passed is False and message in verdict.message, verdict


def moved(states, errors=5.0):
    """Whether the mean change of the chains, from the first half to the second, is so many standard errors."""
    n = len(states) // 2
    change = states[-n:].mean(0) - states[:n].mean(0)
    return abs(change.mean()) > errors * change.std() / np.sqrt(len(change))


def told(log_weights, states, left_out=(), ess=ae.effective_sample_size, moved=moved):
    """The solution, or with one trouble that it does not know."""
    seen = {
        "collapsed": ess(log_weights) < 3,
        "copies": np.unique(states, axis=1).shape[1] < states.shape[1],
        "stuck": (states == states[0]).all(0).any(),
        "not there yet": moved(states),
    }
    return next((word for word, found in seen.items() if found and word not in left_out), "fine")


@pytest.mark.parametrize("word", bugs.WORDS[:-1])
def test_a_trouble_that_is_not_known(word):
    verdict = bugs.what_is_wrong(lambda w, x: told(w, x, left_out=(word,)))
    assert verdict.passed is False and f"a run that is '{word}' you call 'fine'" in verdict.message


WRONG_DRIFTS = {
    "a standard deviation for a standard error": lambda x: moved(x, errors=5.0 * np.sqrt(x.shape[1])),
    "twenty standard errors": lambda x: moved(x, errors=20.0),
    "half a standard deviation of a state": lambda x: abs(x[:100].mean() - x[100:].mean()) > x.std() / 2,
    "the first row and the last": lambda x: abs(x[0].mean() - x[-1].mean()) > 1.5 * x.std(),
}


@pytest.mark.parametrize("mistake", WRONG_DRIFTS)
def test_a_drift_that_is_small_is_missed(mistake):
    verdict = bugs.what_is_wrong(lambda w, x: told(w, x, moved=WRONG_DRIFTS[mistake]))
    assert verdict.passed is False
    assert "'not there yet' you call 'fine'" in verdict.message and "standard error" in verdict.message, verdict


@pytest.mark.parametrize("errors", [3.0, 4.0, 6.0])
def test_other_ways_to_see_a_drift(errors):
    """From half to half, where the drifts of the fine runs are given, and not left to chance."""
    assert bugs.what_is_wrong(lambda w, x: told(w, x, moved=lambda x: moved(x, errors))).passed


@pytest.mark.parametrize("n_errors", [2, 2.576])
@pytest.mark.parametrize("ddof", [0, 1])
def test_a_hasty_alarm_accuses_fine_runs(ddof, n_errors):
    """One in twenty, or in a hundred: rules that are refused with one seed of two, if the fine runs are few."""
    error = lambda x: (x[100:].mean(0) - x[:100].mean(0)).std(ddof=ddof) / np.sqrt(x.shape[1])  # noqa: E731
    hasty = lambda x: abs(x[100:].mean() - x[:100].mean()) > n_errors * error(x)  # noqa: E731
    said = bugs.what_is_wrong(lambda w, x: told(w, x, moved=hasty)).message
    assert "a run that is 'fine' you call 'not there yet'" in said and "one fine run in twenty" in said, said


def test_draws_of_one_chain_are_no_strangers():
    """Who takes all states for independent has too short an error."""
    half = lambda x, part: x[part].std() / np.sqrt(x[part].size)  # noqa: E731
    early, late = slice(None, 100), slice(100, None)
    naive = lambda x: abs(x[early].mean() - x[late].mean()) > 2 * np.hypot(half(x, early), half(x, late))  # noqa: E731
    assert "you call 'not there yet'" in bugs.what_is_wrong(lambda w, x: told(w, x, moved=naive)).message


WRONG_COLLAPSES = {
    "a wide spread": lambda w: w.std() > 1.3,
    "a wide range": lambda w: np.ptp(w) > 6.5,
    "a dead chain": lambda w: np.ptp(w) > 20,
}


@pytest.mark.parametrize("mistake", WRONG_COLLAPSES)
def test_a_spread_or_a_dead_chain_is_no_collapse(mistake):
    wrong = WRONG_COLLAPSES[mistake]
    said = bugs.what_is_wrong(lambda w, x: "collapsed" if wrong(w) else told(w, x)).message
    assert "a run that is 'fine' you call 'collapsed'" in said and "no collapse" in said, said


@pytest.mark.parametrize("share", [0.5, 0.7])
def test_a_random_walk_that_refuses_most_moves_is_not_stuck(share):
    seldom = lambda x: ((x[1:] == x[:-1]).mean(0) > share).any()  # noqa: E731
    said = bugs.what_is_wrong(lambda w, x: "stuck" if told(w, x) == "fine" and seldom(x) else told(w, x)).message
    assert "a run that is 'fine' you call 'stuck'" in said and "three moves of four" in said, said


def test_slow_chains_are_fine():
    """All states taken for independent, at four standard errors: rightly called by luck where chains are quick."""
    n = lambda x: x.size / 2  # noqa: E731
    naive = lambda x: abs(x[100:].mean() - x[:100].mean()) > 4 * np.hypot(x[:100].std(), x[100:].std()) / np.sqrt(n(x))  # noqa: E731
    *_, (runs, words) = ailing_runs.cases()
    assert all(naive(x) for _, x in runs[:4]) and set(words[:4]) == {"fine"}
    said = bugs.what_is_wrong(lambda w, x: told(w, x, moved=naive)).message
    assert "a run that is 'fine' you call 'not there yet'" in said and "*one* number" in said


def lead(w):
    return np.diff(np.sort(w)[-2:])[0]


NEARLY_RIGHT = {
    "a lead of 1 nat": ("fine", "collapsed", lambda w, x: lead(w) > 1),
    "three tenths of the weight": ("fine", "collapsed", lambda w, x: (np.exp(w - w.max()).sum() < 1 / 0.3)),
    "a lead of 2.5 nats": ("fine", "collapsed", lambda w, x: lead(w) > 2.49),
    "a lead of 3 nats": ("collapsed", "fine", lambda w, x: lead(w) > 3),
    "a lead of 6 nats": ("collapsed", "fine", lambda w, x: lead(w) > 6),
    "five nats above the middle one": ("fine", "collapsed", lambda w, x: w.max() - np.median(w) > 5),
    "a tenth of the median spread": ("fine", "stuck", lambda w, x: (x.std(0) < 0.1 * np.median(x.std(0))).any()),
    "the first state and the last": ("fine", "stuck", lambda w, x: (x[0] == x[-1]).any()),
    "the last states": ("fine", "copies", lambda w, x: len(np.unique(x[-1])) < x.shape[1]),
    "three tenths of the states' spread": (
        "not there yet", "fine", lambda w, x: abs(x[100:].mean() - x[:100].mean()) > 0.3 * x.std()
    ),
    "a twentieth of the states' spread": (
        "fine", "not there yet", lambda w, x: abs(x[100:].mean() - x[:100].mean()) > 0.05 * x.std()
    ),
    "a chain whose states hardly differ": ("fine", "stuck", lambda w, x: (x.std(0) < 1e-3).any()),
    "close to the first state": ("fine", "stuck", lambda w, x: np.isclose(x, x[0]).all(0).any()),
    "nine moves of ten refused": ("fine", "stuck", lambda w, x: ((x[1:] == x[:-1]).mean(0) > 0.9).any()),
    "several that never move": ("stuck", "fine", lambda w, x: (x == x[0]).all(0).sum() > 1),
    "chains that begin at one place": ("fine", "copies", lambda w, x: len(np.unique(x[0])) < x.shape[1]),
    "chains that are near each other": (
        "fine", "copies", lambda w, x: any(np.allclose(x[:, i], x[:, j]) for i in range(9) for j in range(i))
    ),
    "neighbours that are one": ("copies", "fine", lambda w, x: (x[:, 1:] == x[:, :-1]).all(0).any()),
    "copies of chain 0": ("copies", "fine", lambda w, x: (x[:, 1:] == x[:, :1]).all(0).any()),
    "many copies": ("copies", "fine", lambda w, x: np.unique(x, axis=1).shape[1] < x.shape[1] - 1),
}


def test_chains_that_drift_in_parallel_are_no_copies():
    def by_correlation(w, x):
        alike = np.corrcoef(x.T) - np.eye(x.shape[1]) > 0.9 if np.ptp(x, axis=0).all() else np.zeros(1)
        others = told(w, x, left_out=("copies",))
        return "copies" if alike.any() and others != "collapsed" else others

    verdict = bugs.what_is_wrong(by_correlation)
    assert verdict.passed is False and "you call 'copies'" in verdict.message, verdict


def by_means(w, x):
    others = told(w, x, left_out=("copies",))
    alike = len(np.unique(x.mean(0).round(2))) < x.shape[1]
    return "copies" if alike and others != "collapsed" else others


FALSE_ALARMS = {
    "means that are alike": (by_means, "No two chains of this run are equal in every sweep"),
    "chains that hardly move": (
        lambda w, x: "stuck" if told(w, x) == "not there yet" else told(w, x), "Every chain of this run moves, one or"
    ),
    "a weight above the mean": (
        lambda w, x: "collapsed" if told(w, x) == "stuck" else told(w, x), "Several chains have weight in this run"
    ),
    "any change": (
        lambda w, x: "not there yet" if told(w, x) == "stuck" else told(w, x), "do not move to one side, all together"
    ),
    "axes exchanged": (lambda w, x: told(w, x.T), "your axes are exchanged: states[t] are all chains at sweep t"),
}


def test_copies_are_told_by_their_states():
    by_weights = lambda w, x: "copies" if len(np.unique(w)) < len(w) else told(w, x, left_out=("copies",))  # noqa: E731
    said = bugs.what_is_wrong(by_weights).message
    assert "you call 'fine': each chain looks sound, but the states of two or more are equal in every sweep" in said
    assert "whatever their weights are" in said, said


@pytest.mark.parametrize("rule", FALSE_ALARMS)
def test_a_false_alarm_is_told_why_it_is_false(rule):
    answer, message = FALSE_ALARMS[rule]
    verdict = bugs.what_is_wrong(answer)
    assert verdict.passed is False and message in verdict.message, verdict


@pytest.mark.parametrize("rule", a_third(NEARLY_RIGHT))
def test_a_rule_that_is_nearly_right(rule):
    """Told by the runs that were made for it."""
    word, called, wrong = NEARLY_RIGHT[rule]
    trouble = called if word == "fine" else word
    for (w, x), right in zip(*list(ailing_runs.cases())[-1], strict=True):
        others = told(w, x, left_out=(trouble,))
        said = trouble if others == "fine" and wrong(w, x) else others
        if said != right:
            assert (right, said) == (word, called)
            break
    else:
        pytest.fail("it is right about all of them")
    assert bugs.what_is_wrong(
        lambda w, x: trouble if (others := told(w, x, (trouble,))) == "fine" and wrong(w, x) else others
    ).passed is False  # fmt: skip


def test_other_wrong_diagnoses():
    assert "say one of" in bugs.what_is_wrong(lambda w, x: "odd").message
    assert "what alarms you" in bugs.what_is_wrong(
        lambda w, x: word if (word := told(w, x)) != "fine" else "stuck"
    ).message  # fmt: skip
    overflow = lambda w: np.exp(w).sum() ** 2 / (np.exp(w) ** 2).sum()  # noqa: E731
    assert not bugs.what_is_wrong(lambda w, x: told(w, x, ess=overflow)).passed
    refused = bugs.what_is_wrong(lambda w, x: "stuck" if (x[1] == x[0]).any() and told(w, x) == "fine" else told(w, x))
    assert "a run that is 'fine' you call 'stuck'" in refused.message  # one refused step is no chain that never moves


def test_right_answers():
    assert bugs.refresh_test(laws).passed
    assert bugs.which_are_wrong(found).passed
    assert bugs.which_are_wrong(lambda samplers, rng: np.array(found(samplers, rng))).passed
    assert bugs.what_is_wrong(told).passed


@pytest.mark.thorough("right answers with the cases of the lesson")
def test_right_answers_pass_with_other_cases():
    """Line-ups of 30 other seeds, and runs of 60."""
    n_failed = 0
    for first in range(5, 35, 5):
        try:
            bugs._judged(found, range(first, first + 5))
        except WrongAnswerError:
            n_failed += 1
    assert n_failed == 0
    for seed in range(60):
        runs, words = ailing_runs.five_runs(seed)
        assert [told(*run) for run in runs] == words


def test_a_line_up_has_right_and_wrong_ones():
    wrong = [line_ups.line_up(seed)[1] for seed in range(100)]
    counts = [len(kinds) for kinds in wrong]
    assert min(counts) >= 1 and max(counts) <= 6 and len(set(counts)) >= 4
    for first in range(len(wrong) - line_ups.N_ROUNDS + 1):
        among = {kind for kinds in wrong[first : first + line_ups.N_ROUNDS] for kind in kinds.values()}
        assert among == set(line_ups.WRONG), "the answer who never asks for one kind might pass"


@pytest.mark.parametrize("check", [bugs.refresh_test, bugs.which_are_wrong, bugs.what_is_wrong])
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
