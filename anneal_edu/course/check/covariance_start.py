"""Checks of notebook 07: the covariance of the start."""

from itertools import permutations

import numpy as np

from anneal_edu.course.check.rare_modes import judge_unseen
from anneal_edu.course.check.verdict import array, arrays, call, exercise, numbers, reject, require, same, several
from anneal_edu.distributions import GaussianRBM, binary_states
from anneal_edu.paths.covariance import auxiliary_gibbs, covariance_path

_FAR, _N_CHAINS = 200.0, 4000  # where the two clouds of chains begin, in standard deviations, and their size
_UNCERTAIN = 5e-4  # of a share that is measured so: more than 8 standard errors

# Exercise 1
@exercise(
    hints=(
        "x is drawn near v, and then v near x. Which part of v - m does the mean of x take over, and which part of x "
        "the mean of the new v?",
        "Complete the square in x with v held, and in v with x held. In the first 1 - β is a factor of all that holds "
        "x; in the second β pulls to b and 1 - β to x.",
        "x keeps 1 - σ²/s² of v - m, v keeps 1 - β of that: share = (1 - β) (1 - σ²/s²), and share ** n <= left from "
        "n = ceil(log(left) / log(share)) on",
    )
)
def kept(answer) -> str:
    """``answer(beta, start_variance, noise_variance, left)`` must foretell how the kernel with x forgets.

    Two numbers: the share of v - E[v] that is left on average after one sweep, and after how many sweeps at most
    ``left`` of it is. One visible unit, W = 0. The check measures both on chains that the library's kernel moves.

    Examples
    --------
    >>> kept(lambda beta, start_variance, noise_variance, left: (1 - beta, 1))
    ✗ with β = 0.3, s² = 40, σ² = 1: this is the part of x that v takes over. But x was not where v was: its mean is \
pulled from v towards m.
      A hint: ae.check.covariance_start.kept.hint()
    """
    rng, worlds = np.random.default_rng(11), [(0.3, 40.0, 1.0, 13), (0.01, 60.0, 0.5, 60), (0.9, 3.0, 2.5, 1)]
    worlds += (0.2, 0.003, 0.0008, 4), (0.001, 1e4, 1.0, 4000), (1e-5, 1e6, 1.0, 200_000), (0.3, 40.0, 1.0, 200)
    for n_sweeps in (2, 5, 9):
        noise = rng.uniform(0.2, 4.0)
        worlds.append((rng.uniform(0.1, 0.5), noise * rng.uniform(3.0, 30.0), noise, n_sweeps))
    for number, (beta, s2, noise, n_sweeps) in enumerate(worlds):
        _judge_kept(answer, beta, s2, noise, n_sweeps, over=(0.5, 0.01, 0.2, 0.001)[number % 4])
    _judge_kept(answer, 0.5, 2.0, 1.0, 2, over=1.0)  # powers of ½: no answer need round
    return "right: the library's kernel keeps these shares, and forgets after as many sweeps as you foretold."


def _judge_kept(answer, beta: float, s2: float, noise: float, n_sweeps: int, over: float) -> None:
    """``n_sweeps`` are needed, and all but one and a part, ``over``, of another would leave exactly enough."""
    case = f"with β = {beta:.2g}, s² = {s2:.3g}, σ² = {noise:.3g}: "
    P = (1 - beta) * np.array([[1 / noise, -1 / noise], [-1 / noise, 1 / noise + 1 / (s2 - noise)]])  # of (v, x)
    P[0, 0] += beta / noise
    right = P[0, 1] ** 2 / (P[0, 0] * P[1, 1])
    left = right ** (n_sweeps - 1 + over)
    both = "return two numbers: the share that one sweep keeps, and the number of sweeps."
    share, sweeps = numbers(call(answer, beta, s2, noise, left), 2, both)
    share = float(array(share, (), "the share has"))
    sweeps = float(array(sweeps, (), "the number of sweeps has"))
    of_x = 1 - noise / s2
    reject(share, {
        "this is the part of x that v takes over. But x was not where v was: its mean is pulled from v towards "
        "m.": 1 - beta,
        "this is the part of v - m that x takes over. The new v does not copy x: the target pulls it to b.": of_x,
        "without x this is right; but it is the kernel with x that is asked for.": 0.0,
        "this is the share that a sweep forgets.": 1 - right,
        "the sign is wrong: what is left of v - E[v] lies on the same side.": -right,
        "return the share first, and then the number of sweeps.": n_sweeps,
        "here β and 1 - β have changed places: x belongs to the start.": beta * of_x,
        "σ²/s² is the part of v - m that x does *not* take over.": (1 - beta) * noise / s2,
        "this is the correlation of v with x. A sweep goes from v to x and back to v.": right**0.5,
        "this is the square of the share: it says how much of the *variance* a sweep keeps.": right**2,
        "the arguments are variances, s² and σ²; yours takes their roots.": (1 - beta) * (1 - (noise / s2) ** 0.5),
        "the arguments are variances already; yours squares them again.": (1 - beta) * (1 - (noise / s2) ** 2),
        "s² and σ² have changed places.": (1 - beta) * (1 - s2 / noise),
        "given v *both* terms with x count 1 - β times, so that their ratio does not know β; in yours the narrow one "
        "alone does.": (1 - beta) * (1 - beta) * (s2 - noise) / (noise + (1 - beta) * (s2 - noise)),
        "1 - β counts once, where v is drawn. Given v it is a factor of both terms with x.": (1 - beta) ** 2 * of_x,
        "at the start x has the variance s² - σ²; s² is that of v.": (1 - beta) * s2 / (s2 + noise),
        "s² - σ² is a variance, and no share: which part of s² is it?": (1 - beta) * (s2 - noise),
    }, case, unless=right)
    after = _measured(beta, s2, noise, min(n_sweeps, 60))
    measured = f"{case}chains set far apart keep {after[0]:.3f} of their distance in a sweep; yours says {share:.3f}."
    require(abs(share - after[0]) < _UNCERTAIN, measured)
    require(same(share, right), f"{measured} That is near, and not the share: complete both squares.")
    digits = ".3g" if over > 0.1 else ".7g"
    case += f"and at most {left:{digits}} to be left: "
    require(sweeps == round(sweeps), f"{case}{sweeps:g} is no whole number of sweeps. Which one is the first to do?")
    if sweeps != n_sweeps:
        _name_the_sweeps(answer, beta, s2, noise, right, (left, right**2.5, right**6.5, right**30.5), case)
    still = right ** max(sweeps, 0)  # measured, where that has not an error as large
    still = after[int(sweeps) - 1] if 1 <= sweeps <= len(after) and still > 0.01 and over > 0.1 else still
    require(sweeps >= n_sweeps, f"{case}{still:{digits}} is still left after as few as {sweeps:,.0f}.")
    enough = " Exactly as much is no more than that." if over == 1 else ""
    late = f"{case}{right**n_sweeps:.3g} is left already after {n_sweeps:,}; yours waits longer.{enough}"
    require(sweeps == n_sweeps, late)


def _name_the_sweeps(answer, beta: float, s2: float, noise: float, share: float, lefts: tuple, case: str) -> None:
    """Of a wrong number of sweeps say what it is, if it is that for each of the ``lefts``: two may round up alike."""
    asked = [array(call(answer, beta, s2, noise, left)[1], (), "the number of sweeps has") for left in lefts]

    def each(number):
        return [np.ceil(round(float(number(left)), 9)) for left in lefts]

    reject(asked, {
        "one sweep multiplies v - E[v] by the share, two by its square: it falls by less in each. Yours is about "
        "1 / (1 - share), as if it fell by as much.": each(lambda left: (1 - left) / (1 - share)),
        "that is about 1 / (1 - share), whatever `left` is.": each(lambda left: 1 / (1 - share)),
        "that is (1 + share) / (1 - share), as of an autocorrelation; it does not ask for "
        "`left`.": each(lambda left: (1 + share) / (1 - share)),
        "it is v - E[v] that should fall so far; with yours its square "
        "does.": each(lambda left: np.log(left) / np.log(share) / 2),
    }, case)
    two_bases = "the two logarithms of your quotient have different bases; log(left) / log(share) has one for both."
    for above, below in permutations((np.log, np.log2, np.log10), 2):
        reject(asked, {two_bases: each(lambda left, a=above, b=below: a(left) / b(share))}, case)


def _measured(beta: float, s2: float, noise: float, n_sweeps: int) -> list[float]:
    """Two clouds of chains at E[v] ± 200 standard deviations: the share of their distance left after 1, 2, … sweeps."""
    rng = np.random.default_rng(5)
    grbm = GaussianRBM(np.zeros((1, 2)), [1.5], [0.4, -1.0], [noise**0.5])
    here = covariance_path([-0.7], [[s2]], grbm)(beta)
    mean, cov = here.mean_and_cov()
    apart = 2 * _FAR * cov[0, 0] ** 0.5
    v, after = np.repeat([mean + apart / 2, mean - apart / 2], _N_CHAINS, axis=0), []
    for _ in range(n_sweeps):
        v = auxiliary_gibbs(here, v, rng)
        after.append(float(v[:_N_CHAINS].mean() - v[_N_CHAINS:].mean()) / apart)
    return after


# Exercise 2
@exercise(
    hints=(
        "A chain of weight 3 counts as three chains of weight 1. Around which mean do they vary, and does the noise "
        "know of the weights?",
        "Divide the weights by their sum, after the largest log weight has been subtracted. With them, take the mean "
        "of E[v | h], then the mean of the products of what is left of E[v | h]; and σ² belongs to every chain.",
        "w = exp(log_weights - log_weights.max()), w /= w.sum(), centres = b + σ·(Wh), mean = w @ centres, d = centres "
        "- mean, covariance = (w * d.T) @ d + diag(σ²)",
    )
)
def weighted_covariance(answer) -> str:
    """``answer(h, log_weights, grbm)`` must be mean (D,) and covariance (D, D) of v under the target, v averaged out.

    ``h`` (n, H) are hidden states of chains with ``log_weights`` (n,), which may be very large or very small.

    Examples
    --------
    >>> def uneven(h, log_weights, grbm):
    ...     v = grbm.visible_mean(h)
    ...     return v.mean(0), np.cov(v.T) + np.diag(grbm.sigma**2)
    >>> weighted_covariance(uneven)
    ✗ your mean leaves the weights out: every chain counts the same.
      A hint: ae.check.covariance_start.weighted_covariance.hint()
    """
    rng = np.random.default_rng(1)
    for D, H, n in ((6, 3, 40), (4, 2, 25), (3, 4, 30)):
        grbm = GaussianRBM(rng.normal(size=(D, H)), *(rng.normal(size=k) for k in (D, H)), rng.uniform(0.5, 2.0, D))
        h, log_w = rng.integers(2, size=(n, H)).astype(float), 1.5 * rng.normal(size=n)
        _judge_weighted(answer, h, log_w, grbm)
        times = rng.integers(5, size=n)
        times[:2] = 1, 0
        again = _two_moments(answer, h, np.log(times), grbm)
        each = np.repeat(grbm.visible_mean(h), times, axis=0)
        require(
            same(again[0], each.mean(0)) and same(again[1], np.cov(each.T, ddof=0) + np.diag(grbm.sigma**2)),
            "a chain of weight 3 should count as three chains of weight 1, and one of weight 0, whose log weight is "
            "-inf, not at all. With yours it does not.",
        )
        found = _two_moments(answer, h[:1], log_w[:1], grbm, "a single chain: ")
        alone = same(found[0], grbm.visible_mean(h[:1])[0]) and same(found[1], np.diag(grbm.sigma**2))
        require(alone, "a single chain has its own E[v | h] for mean, and σ² for covariance; with yours it does not.")
        for top in (1000.0, -1000.0):
            found = _two_moments(answer, h, log_w + top, grbm, f"log weights around {top:g}: ")
            near = _two_moments(answer, h, log_w, grbm)
            moved = "a factor common to all weights should change nothing; with yours it does."
            require(same(found[0], near[0]) and same(found[1], near[1]), moved)
        found = _two_moments(answer, h, np.append([1000.0, 999.0], log_w[2:]), grbm, "log weights up to 1000: ")
        w, two = np.array([np.e, 1.0]) / (1 + np.e), grbm.visible_mean(h[:2])
        between = np.cov(two.T, aweights=w, ddof=0)
        counts = same(found[0], w @ two) and same(found[1], between + np.diag(grbm.sigma**2))
        require(counts, "two chains that outweigh all others by 900 nats should alone count; with yours they do not.")
        states, p = binary_states(H).astype(float), grbm.hidden_probabilities()
        mean, cov = grbm.mean_and_cov()
        found = _two_moments(answer, states, np.log(p) + 7, grbm)
        require(
            same(found[0], mean) and same(found[1], cov),
            "every state of h once, with its probability for a weight, should give the exact moments of the target.",
        )
    return "right: weights count as so many chains, none overflows, and with the exact weights the moments are exact."


def _judge_weighted(answer, h: np.ndarray, log_w: np.ndarray, grbm: GaussianRBM) -> None:
    """Say of a wrong mean or covariance what it did."""
    got_mean, got_cov = _two_moments(answer, h, log_w, grbm)
    n, c, w = len(h), grbm.visible_mean(h), np.exp(log_w) / np.exp(log_w).sum()
    mean, inverse = w @ c, np.exp(-log_w) / np.exp(-log_w).sum()
    reject(got_mean, {
        "your mean leaves the weights out: every chain counts the same.": c.mean(0),
        "your mean counts the chains by their *log* weights: take exp first.": log_w / log_w.sum() @ c,
        "your mean is not divided by the sum of the weights.": np.exp(log_w) @ c,
        "your mean is a sum over weights whose largest is 1: divide it by their sum.": np.exp(log_w - log_w.max()) @ c,
        "your mean divides by the number of chains; divide by the sum of the weights.": np.exp(log_w) @ c / n,
        "your mean divides by the number of chains, after the largest weight was made 1; divide by the sum of the "
        "weights.": np.exp(log_w - log_w.max()) @ c / n,
        "your weights sum to 1, and then you took a mean over the chains: that divides by n once more.": mean / n,
        "in your mean heavy chains count little: the sign of the log weights is turned.": inverse @ c,
        "the mean is wrong: E[v | h] = b + σ·(Wh), and the factor σ is missing.": w
        @ (h @ grbm.weights.T + grbm.visible_bias),
        "the mean is wrong: E[v | h] = b + σ·(Wh), and b is missing.": w @ (grbm.sigma * (h @ grbm.weights.T)),
    }, unless=mean)
    require(same(got_mean, mean), "the mean is wrong: average E[v | h] = b + σ·(Wh), each chain with its weight.")

    noise, d, away = np.diag(grbm.sigma**2), c - mean, c - c.mean(0)
    between = (w * d.T) @ d
    ess = 1 / (w @ w)
    for part in (between, between / (1 - 1 / ess)):
        reject(got_cov, {
            "this is the covariance of E[v | h] alone: v still varies when h is given, with variance σ².": part,
            "you added σ; what v varies by, given h, is the *variance* σ².": part + np.diag(grbm.sigma),
            "you added σ² to every entry; given h the units of v are independent: a diagonal matrix.": part
            + grbm.sigma**2,
            "you added the variance of one unit to all; each has its own σ_j².": part
            + grbm.sigma[0] ** 2 * np.eye(len(noise)),
            "the two parts of the covariance are added, not subtracted.": part - noise,
            "the noise does not average away: every single v has all of σ², however many chains there are.": part
            + noise / n,
            "you added the noise once for each chain. Their weights sum to 1, so it counts once.": part + n * noise,
            "this is diagonal: it was the covariances that we were after.": np.diag(np.diag(part + noise)),
            "the noise was weighed twice: weights that sum to 1 leave σ² as it is.": part + noise / ess,
        })
    plain = np.cov(c.T, ddof=0)
    for scale in (1.0, n / (n - 1)):
        reject(got_cov, {
            "the mean is weighted, the covariance is not: every chain counts the same in it.": scale * plain + noise,
            "the centres are multiplied by their weights, and then the covariance of that is taken. It is the "
            "*products* of deviations that are weighted.": scale * np.cov((n * w * c.T), ddof=0) + noise,
            "the deviations are multiplied by their weights before they are multiplied with each other: so each weight "
            "counts twice.": scale * n * (w**2 * d.T) @ d + noise,
            "these are products of deviations from the weighted mean, but all count the same.": scale * d.T @ d / n
            + noise,
        })
    for scale in (1 / (1 - 1 / ess), n / (n - 1)):
        reject(got_cov, {
            "you divide by 1 - Σw², as np.cov does by itself, or by n - 1. With every state once, and its probability "
            "for a weight, that is not the covariance of the target: ddof=0.": scale * between + noise,
        })
    reject(got_cov, {
        "the products are weighted, but they are deviations from the *unweighted* mean.": (w * away.T) @ away + noise,
        "these are second moments about 0: subtract the mean first.": (w * c.T) @ c + noise,
        "the weights sum to 1, and then you divided by n as well.": between / n + noise,
        "the weights of your products are not divided by their sum.": between * np.exp(log_w).sum() + noise,
        "the largest weight of your products is 1; it is their sum that should "
        "be.": between * np.exp(log_w - log_w.max()).sum() + noise,
        "the deviations are multiplied by their weights before they are multiplied with each other: so each weight "
        "counts twice.": (w**2 * d.T) @ d + noise,
    })
    wrong = "the covariance is wrong: weigh the products of deviations from the weighted mean, and add diag(σ²) once."
    off = np.abs(got_cov - between - noise).max()
    late = f"the covariance is off by {off:.1g}, in late digits: is it computed in single precision?"
    require(same(got_cov, between + noise) or off > 1e-4, late)
    require(same(got_cov, between + noise), wrong)


def _two_moments(answer, h: np.ndarray, log_w: np.ndarray, grbm: GaussianRBM, case: str = "") -> list[np.ndarray]:
    D, otherwise = grbm.dim, "return two arrays: the mean and the covariance of v."
    mean, cov = several(call(answer, h.copy(), log_w.copy(), grbm), 2, otherwise)
    exchanged = np.shape(mean) == (D, D) and np.shape(cov) == (D,)
    require(not exchanged, "return the mean first, and then the covariance.")
    rows = f"the covariance has shape {np.shape(cov)}; it should be ({D}, {D}). (np.cov wants one *row* a variable.)"
    require(np.shape(cov) == (D, D), rows)
    lost = f"{case}NaN or infinity. exp overflows, or all weights are 0: subtract the largest log weight first."
    require(not case or (np.isfinite(mean).all() and np.isfinite(cov).all()), lost)
    return arrays((mean, cov), {"the mean": (D,), "the covariance": (D, D)}, otherwise)


# Exercise 3
@exercise(
    hints=(
        "AIS is unbiased. If a rare chain weighs so much, what must all others weigh?",
        "With u Z for the others, q W + (1 - q) u = 1. As long as no rare chain is seen, every weight is u Z.",
        "u = (1 - q W) / (1 - q): return (1 - q)^(runs · chains), log u, q W² + (1 - q) u² - 1",
    )
)
def unseen(answer) -> str:
    """``answer(q, W, n_runs, n_chains)`` must foretell what runs say of a rare mode that few of them reach.

    Three numbers: the probability that no chain of any run arrives there, log Ẑ - log Z of such runs, and the variance
    of w / Z in the long run. A chain arrives with probability q and weighs W Z then; all others weigh alike.

    Examples
    --------
    >>> unseen(lambda q, W, n_runs, n_chains: ((1 - q) ** n_chains, 0.0, q * W**2))
    ✗ with q = 0.02, W = 20, 3 runs of 10 chains: your first number is about one run. No chain of *any* run may \
arrive: runs · chains of them.
      A hint: ae.check.covariance_start.unseen.hint()
    """
    rare = (0.02, 20.0, 3, 10), (0.1, 4.0, 3, 5), (1e-6, 1e4, 40, 1000), (0.3, 0.5, 2, 3), (0.05, 19.9, 7, 2)
    never = (0.1, 4.0, 1, 100), (0.5, 1.5, 5, 20)  # that none arrives has probability 3e-5, and 8e-31
    for q, W, n_runs, n_chains in (*rare, (0.6, 1.5, 1, 1), *never):
        got = numbers(call(answer, q, W, n_runs, n_chains), 3, "return three numbers.")
        got = [float(array(part, (), "one of the three has")) for part in got]
        judge_unseen(got, q, W, n_runs, n_chains)
    rng = np.random.default_rng(7)
    w = np.where(rng.random((20_000, 50)) < 0.02, 20.0, 0.6 / 0.98)
    quiet = (w < 1).all(1)
    measured = quiet.mean(), np.log(w[quiet].mean()), w.var()
    foretold = [float(part) for part in call(answer, 0.02, 20.0, 1, 50)]
    require(np.allclose(foretold, measured, rtol=0.1), f"20,000 runs of 50 chains gave {measured}; yours: {foretold}.")
    return "right: 20,000 runs drawn from such chains agree with all three numbers."
