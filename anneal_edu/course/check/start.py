"""Checks for notebook 00: the first steps."""

import numpy as np
from scipy.special import logsumexp

from anneal_edu import moment_path
from anneal_edu.course.check.verdict import attempt, exercise, require
from anneal_edu.distributions import Gaussian


@exercise(
    hints=(
        "In how many ways can two switches stand so that an even number of them is on, and in how many three?",
        "Let all switches but the last stand as they like. How many choices are left for the last?",
        "half of the 2^20 states: log Z = log 2^19 = 19 log 2, with the natural logarithm np.log.",
    )
)
def log_number_of_states(answer):
    """Is the answer log Z of 20 light switches of which an even number is on, all these states alike with f = 1?"""
    right = 19 * np.log(2)
    number = isinstance(answer, int | float | np.number | np.ndarray) and np.size(answer) == 1
    require(number, f"give one number, log Z; you give a {type(answer).__name__}.")
    require(np.isfinite(float(np.ravel(answer)[0])), "your log Z is not finite; there are finitely many states.")
    require(
        not np.isclose(answer, 20 * np.log(2), atol=5e-3),
        "you count all states of 20 switches, or nearly all. Only those with an even number of them on are in this "
        "world.",
    )
    require(not np.isclose(answer, 2.0**19), "that is Z itself, the number of states. Give its natural logarithm.")
    require(
        not (np.isclose(answer, 19) or np.isclose(answer, np.log10(2.0**19))),
        "a logarithm to another base. In this course log is the natural logarithm, and its unit the nat: use np.log.",
    )
    require(
        not np.isclose(answer, np.log(20)),
        "that is the log of the number of switches. Each has two positions: count states.",
    )
    require(
        not np.isclose(answer, -right, atol=5e-3),
        "the sign: Z counts states and is larger than 1, so that its log is above 0.",
    )
    require(
        np.abs(np.subtract(answer, np.log(2.0**19 - 1))) > 5e-7,
        "you leave out one state: none of the switches is on. Is 0 even?",
    )
    near = np.abs(np.subtract(answer, right))
    require(not 5e-3 < near < 0.2, "nearly: give it to two decimals, or let np.log work it out.")
    require(
        np.isclose(answer, right, atol=5e-3),
        "count the states that are in this world, for 2, 3 and 4 switches first. Then take np.log.",
    )
    return f"right: log Z = 19 log 2 = {right:.2f} nats. Nineteen switches are free, and the last one is not."


_WHICH = ("a", "b", "undecided")
_CASES = (  # mean log f of a and b, their log Z, the error of each, how many data, the right answer, what else says
    (-4.0, -5.0, 1.5, 2.0, 0.1, 5, "a",
     "its mean log p is higher by 1.5 nats (average the logs, not p), and the errors are small."),
    (3.0, 0.0, 5.0, 0.0, 0.1, 8, "b", "you go by log f alone, or add log Z. p = f / Z: subtract each log Z."),
    (-10.0, -5.0, 1.0, 4.0, 0.1, 8, "b", "the model with the smaller Z is not yet the better one: f counts as well."),
    (-2000.0, -2003.0, 5.0, 5.5, 0.1, 6, "a", "exp(-2000) is 0 in a computer. Stay in logs all the way."),
    (-4.5, -5.0, 2.0, 2.0, 0.6, 9, "undecided",
     "the error of log Z, 0.6 nats each and the same for every observation, could turn a lead of 0.5 round."),
    (-4.4, -5.0, 2.0, 2.0, 0.1, 9, "a",
     "by the mean a leads by 0.6: little, but both log Z together are wrong by 0.2 at most."),
    (-3.5, -5.0, 2.0, 2.0, 1.0, 9, "undecided", "each log Z may be wrong by 1 nat, in opposite directions: together "
     "that turns a lead of 1.5 round."),
    (-6.0, -5.0, 2.0, 2.0, 0.8, 50, "undecided", "an error of log Z shifts the log p of every observation alike: "
     "compare means over the data, not sums or medians."),
    (-2.4, -5.0, 2.0, 2.0, 1.2, 9, "a",
     "on average, by the mean, a leads by 2.6, and both log Z together can be wrong by 2.4."),
    (-7.6, -5.0, 2.0, 2.0, 1.2, 9, "b", "even with both log Z wrong by 1.2 nats, b's lead of 2.6 remains."),
    (-4.0, -6.0, 5.0, 2.0, 0.1, 3, "b", "the mean of three numbers is a third of their sum: b leads by 1."),
    (-5.0, -5.0, 1.0, 4.0, 0.1, 8, "a", "equal log f are not equal p: the two log Z differ by 3."),
    *(
        (mean_b + log_z_a - log_z_b + part * error, mean_b, log_z_a, log_z_b, error, n,
         "undecided" if part < 2 else "a",
         f"both log Z together can be wrong by {2 * error:g}, and the lead is {part * error:g}.")
        for error, mean_b, log_z_a, log_z_b, n in (
            (1.0, -5.0, 2.0, 2.0, 9), (0.01, -4.0, -1.5, -3.0, 40), (0.06, -8.0, 3.0, -2.0, 1),
            (0.2, 2.0, -4.0, 1.0, 2), (0.4, -90.0, 0.5, 0.5, 9), (3.0, -700.0, -40.0, 25.0, 60),
            (12.0, -300.0, 650.0, 700.0, 7),
        )
        for part in (1.96, 2.04)
    ),
    (-4.999, -5.0, 2.0, 2.0, 0.0, 9, "a", "both log Z are exact: the least lead decides."),
)  # fmt: skip


_SLIPS = (  # what some compare, each with the sentence that helps
    (lambda f, log_z: log_z - f.mean(), "you name the other model everywhere: the higher mean of log f - log Z is the "
     "better one."),
    (lambda f, log_z: f.mean(), "you compare log f alone. p = f / Z: subtract each log Z."),
    (lambda f, log_z: f.mean() + log_z, "you add log Z, or subtract the other model's. p = f / Z: subtract each from "
     "its own mean log f."),
    (lambda f, log_z: log_z, "you compare log Z alone: f counts as well."),
    (lambda f, log_z: -log_z, "the model with the smaller Z is not yet the better one: f counts as well."),
    (lambda f, log_z: f.sum() - log_z, "you sum log f over the data and subtract log Z once: each observation has its "
     "own log f - log Z. Take the mean of log f."),
    (lambda f, log_z: f.sum() / (len(f) - 1) - log_z, "you divide by n - 1; a mean of n numbers is their sum by n."),
    (lambda f, log_z: np.median(f) - log_z, "you compare medians; on average means the mean."),
    (lambda f, log_z: logsumexp(f) - np.log(len(f)) - log_z, "you average p and take its log; what is compared is the "
     "mean of log p: average the logs."),
    (lambda f, log_z: f.max() - log_z, "you compare one observation of each, the best or the worst; on average means "
     "the mean."),
)  # fmt: skip


def _log_f_of(mean_a: float, mean_b: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """log f (n,) of two models with these means, skewed, so that a median is not the mean."""
    skewed = -2 * np.log1p(-(np.arange(n) + 0.5) / n)
    return mean_a + skewed - skewed.mean(), mean_b - skewed + skewed.mean()


def _slip_everywhere(answer) -> str | None:
    """The sentence for an answer that says in every case what comparing another number than the mean says."""
    given = [(*_log_f_of(a, b, n), log_z_a, log_z_b, error) for a, b, log_z_a, log_z_b, error, n, *_ in _CASES]
    said = [answer(*(np.copy(part) for part in case)) for case in given]
    for score, sentence in _SLIPS:
        gaps = [score(a, log_z_a) - score(b, log_z_b) for a, b, log_z_a, log_z_b, _ in given]
        reach = [2 * case[-1] for case in given]
        if said == [_decided(g, r, g) for g, r in zip(gaps, reach, strict=True)]:
            return sentence
    leads = [(a - z_a).mean() - (b - z_b).mean() for a, b, z_a, z_b, _ in given]
    for what, gaps in (
        ("log Z_a and log Z_b", [z_a - z_b for _, _, z_a, z_b, _ in given]),
        ("the two mean log f", [(a - b).mean() for a, b, *_ in given]),
    ):
        if said == [_decided(gap, 2 * case[-1], lead) for gap, lead, case in zip(gaps, leads, given, strict=True)]:
            return (
                f"you ask whether {what} lie near to each other. What the errors may turn round is the gap between the "
                "two mean log p."
            )
    if said == [_decided(lead, 0.0, lead) for lead in leads]:
        return None
    votes = [np.mean(a - z_a > b - z_b) - 0.5 for a, b, z_a, z_b, _ in given]
    if said == [_decided(vote, 0.0, vote) for vote in votes]:
        return "you count observations that prefer a model; on average means the mean, in which each says by how much."
    for part in (lambda n: 2 / n**0.5, lambda n: 2 / n, lambda n: 1 / n**0.5, lambda n: 1 / n):
        reach = [part(len(case[0])) * case[-1] for case in given]
        if said == [_decided(lead, by, lead) for lead, by in zip(leads, reach, strict=True)]:
            return "the error of log Z is the same in every observation: a mean over the data does not make it smaller."
    return None


def _decided(gap: float, reach: float, lead: float) -> str:
    """Undecided where the gap is within reach; else the model that leads."""
    return "undecided" if abs(gap) <= reach else "a" if lead > 0 else "b"


@exercise(
    hints=(
        "Which number of each model may be compared with that of another one: log f, log Z, or something made of both?",
        "Compare mean log f - log Z. Then ask by how much the two errors together could change the difference.",
        "gap = (mean log f_a - log Z_a) - (mean log f_b - log Z_b); undecided where |gap| ≤ 2 error.",
    )
)
def better_model(answer):
    """Is (log_f_a, log_f_b, log_z_a, log_z_b, error) -> "a", "b" or "undecided" what the evidence allows to say?"""
    for mean_a, mean_b, log_z_a, log_z_b, error, n, right, why in _CASES:
        log_f_a, log_f_b = _log_f_of(mean_a, mean_b, n)
        said = attempt(answer(log_f_a, log_f_b, log_z_a, log_z_b, error))
        require(isinstance(said, str) and said in _WHICH, f'return "a", "b" or "undecided"; you return {said!r}.')
        case = (
            f"mean log f {mean_a:g} and {mean_b:g}, log Z {log_z_a:g} and {log_z_b:g}, each up to {error:g} wrong: "
            f'you say "{said}", the evidence says "{right}": '
        )
        require(said == right, case + (_slip_everywhere(answer) or why))
        turned = attempt(answer(log_f_b, log_f_a, log_z_b, log_z_a, error))
        other = {"a": "b", "b": "a"}.get(right, right)
        require(turned == other, f'with the two models exchanged you say "{turned}"; it should be "{other}".')
    partly, fully = np.array([-1.0, -np.inf, -1.0, -1.0]), np.full(4, -1.0)
    said = [attempt(answer(partly, fully, -50.0, 0.0, 0.1)), attempt(answer(fully, partly, 0.0, -50.0, 0.1))]
    require(
        said == ["b", "a"],
        "one observation is impossible to one of the models, log f = -inf: its mean log p is -inf, whatever it says of "
        "the others. No observation may be left out.",
    )
    return "right: log p decides, not log f and not log Z, and only as far as the errors of log Z allow."


@exercise(
    hints=(
        "Which distribution should your path be at β = 0, and which at β = 1? And what is log Z of a normalised one?",
        "A path need be no more than a function of β. Every ae.Gaussian is normalised unless you tell it otherwise, "
        "and wants a list for the mean.",
        "path(β) = N(m(β), 1) with a mean that runs from m(0) = 0 to m(1) = 3",
    )
)
def your_path(answer):
    """Is the answer a path from N(0, 1) to N(3, 1), the target at β = 1, with log Z(β) = 0 all the way?"""
    require(callable(answer), "a path is a function: you should be able to call it with a β between 0 and 1.")
    start, end = answer(0.0), answer(1.0)
    made = not isinstance(start, type) and not isinstance(end, type)
    require(made, "your path returns a class; make a distribution of it: give ae.Gaussian its mean and covariance.")
    require(
        hasattr(start, "log_density") and hasattr(end, "log_density"),
        f"called with β = 0 your path returns a {type(start).__name__}; it should return a distribution.",
    )
    for p in (start, end):
        size = getattr(p, "dim", 1)
        require(size == 1, f"your path lives in {size} dimensions; N(0, 1) and N(3, 1) have one.")
    x = np.linspace(-2, 5, 8)[:, None]
    p0, p1 = Gaussian([0.0], [[1.0]]), Gaussian([3.0], [[1.0]])
    ends = [np.allclose(p.log_density(x), q.log_density(x)) for p, q in ((start, p0), (end, p1))]
    backwards = np.allclose(start.log_density(x), p1.log_density(x)) and np.allclose(
        end.log_density(x), p0.log_density(x)
    )
    require(
        not backwards, "your path runs backwards: β = 0 is the tractable start, N(0, 1), and β = 1 the target, N(3, 1)."
    )
    constant = start.log_density(x) - p0.log_density(x)
    require(
        ends[0] or np.ptp(constant) > 1e-6,
        f"at β = 0 your path has the shape of the start, and log Z = {constant[0]:.2f}: N(0, 1) is normalised.",
    )
    require(ends[0], "at β = 0 your path should be the start, N(0, 1).")
    require(ends[1], "at β = 1 your path should be the target, N(3, 1), normalised.")
    here = answer(0.5)
    require(
        np.allclose(here.log_density(x), answer(0.5).log_density(x)),
        "asked twice for β = 0.5, your path returns two different distributions. A path is a function: draw nothing at "
        "random in it, or f_k is one thing when chains are weighed and another when they move.",
    )
    require(np.isfinite(here.log_density(x)).all(), "at β = 0.5 your path returns a density that is not finite.")
    suspects = _require_no_leap(answer)
    for beta in (0.5, *np.linspace(0, 1, 402)[1:-1] ** 1.3, *suspects):  # uneven: what vanishes at quarters is seen
        log_z = _log_z_on_a_line(answer(beta))
        geometric = abs(log_z + 4.5 * beta * (1 - beta)) < 1e-3
        thin = "(A geometric average is thin between two bells.) " if geometric else ""
        require(
            abs(log_z) < 1e-3,
            f"log Z of your path is {log_z:.2g} at β = {beta:.2g}, and it should be 0. {thin}A path is a function: "
            "write one whose every member is normalised.",
        )
    averaged = np.allclose(here.log_density(x), moment_path(p0, p1)(0.5).log_density(x))
    which = "it is the moment path, of which notebook 02 has more to say" if averaged else "a path of your own"
    return f"right: from N(0, 1) to N(3, 1), normalised all the way; {which}. AIS could walk it."


def _log_z_on_a_line(p) -> float:
    """log ∫ f(x) dx of a distribution of one real value, as a sum over a grid, fine between -10 and 10."""
    t = np.linspace(-8, 8, 8001)  # x from -1490 to 1490
    return float(logsumexp(p.log_density(np.sinh(t)[:, None]) + np.log(np.cosh(t) * (t[1] - t[0]))))


_LINE = np.linspace(-12, 15, 601)[:, None]
_N_FINE = 4000
_STAIR = 1e-6  # nats, from a β to one that is 1e-12 further on


def _require_no_leap(path) -> np.ndarray:
    """Neighbours on a path must overlap, and the more the nearer they are; returns the β near which Z changes most."""
    betas = np.linspace(0, 1, _N_FINE + 1)
    p, log_sum = _shares(path, betas)
    steps = np.r_[_distances(p[:: _N_FINE // 200]), _distances(p)]
    if steps.max() > _STAIR:
        worst = int(steps[200:].argmax())
        low, high, distance = _bisected(path, betas[worst], betas[worst + 1])
        require(
            distance < _STAIR,
            f"your path leaps near β = {high:.4f}: between {low:.13f} and {high:.13f} it still changes, "
            f"and a leap is what a path is there to avoid. The nearer two β, the nearer their distributions should be.",
        )
    anywhere, further = np.random.default_rng(29).random((2, 300)) * [[1 - 1 / 200], [1 / 200]]
    p, _ = _shares(path, np.column_stack([anywhere, anywhere + further]).ravel())  # what is periodic is seen, too
    apart = _distances(p)[::2]
    require(
        apart.max() < -4 * np.log(0.9),
        f"your path leaps near β = {anywhere[apart.argmax()]:.3f}, or nearly: less than a 200th of the way on the "
        "overlap ∫√(pq) with what it was there is below nine tenths, and a leap is what a path is there to avoid.",
    )
    steep = int(steps[:200].argmax())
    require(
        steps[steep] < -4 * np.log(0.9),
        f"your path leaps near β = {(steep + 0.5) / 200:.3f}, or nearly: of two that stand a 200th of the way apart "
        "the overlap ∫√(pq) is below nine tenths. A leap is what a path is there to avoid: let it climb more slowly.",
    )
    return betas[1 + np.argsort(np.abs(np.diff(log_sum)))[-4:]]


def _shares(path, betas) -> tuple[np.ndarray, np.ndarray]:
    """The distributions at these β on a line, (B, X), each with sum 1, and the logs of their sums before, (B,)."""
    log_f = np.array([path(float(beta)).log_density(_LINE) for beta in betas])
    log_sum = logsumexp(log_f, axis=1)
    return np.exp(log_f - log_sum[:, None]), log_sum


def _distances(p: np.ndarray) -> np.ndarray:
    """About the KL divergence of each to the next, (B - 1,): four times the log of their overlap, finite or not."""
    with np.errstate(divide="ignore"):
        return -4 * np.log(np.minimum(1, np.sqrt(p[:-1] * p[1:]).sum(1)))


def _bisected(path, low: float, high: float) -> tuple[float, float, float]:
    """Where the path changes most between two β, to within 1e-12, and by how much."""
    while high - low > 1e-12:
        middle = (low + high) / 2
        first, second = _distances(_shares(path, [low, middle, high])[0])
        low, high = (low, middle) if first > second else (middle, high)
    return low, high, float(_distances(_shares(path, [low, high])[0])[0])
