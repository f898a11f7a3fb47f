"""What is asked of a correction of log Ẑ under unequal wishes, and what is said to the ways to get it wrong."""

import numpy as np

from anneal_edu.course.check.verdict import WrongAnswerError, array, call, reject, require, same, several
from anneal_edu.tempering.simulated import log_conditionals


def asked(answer, log_f, log_z, wishes) -> list[np.ndarray]:
    """The shares and the corrected log Ẑ that come back, finite and (K+1,) each."""
    shape, what = (len(log_f),), "return two arrays: the shares c and the corrected log Ẑ."
    both = call(answer, log_f.copy(), log_z.copy(), wishes.copy())
    found = several(list(both) if isinstance(both, np.ndarray) and both.ndim == 2 else both, 2, what)
    per_draw = "there is one number for each draw in it: average over the draws, not over the rungs"
    require(all(np.shape(part) != log_f.shape[1:] for part in found), f"your answer has a wrong shape: {per_draw}.")
    c, z = array(found[0], shape, "your c has"), np.asarray(found[1], dtype=float)
    require(z.shape == shape, f"your log Ẑ has shape {z.shape}; it should be {shape}.")
    never = "your log Ẑ has NaN or infinity: the logarithm of 0? A count may be 0; an average of q never is."
    require(np.isfinite(z).all(), never)
    return [c, z]


def judge_corrected(found, log_f, log_z, wishes, truth, case: str) -> None:
    """``found`` must be the shares and log_z[0] + ``truth``, the exact log Z_k / Z_0."""
    q, r, (c, z) = np.exp(log_conditionals(log_f, log_z - np.log(wishes))), wishes[:, None], found
    right, without, p = q.mean(1), np.exp(log_conditionals(log_f, log_z)), np.exp(log_f - log_z[:, None]) * r
    reject(c, {
        "your c does not feel the wishes: they are in the law that the walk draws k from, r_k f_k(x) / Ẑ_k, normalised "
        "for each draw.": without.mean(1),
        "a wish multiplies f_k / Ẑ_k; in your c it divides.": np.exp(
            log_conditionals(log_f, log_z + np.log(wishes))
        ).mean(1),
        "you add the wish to a logarithm: add log r_k.": np.exp(log_conditionals(log_f, log_z - wishes)).mean(1),
        "c_k is the share of time itself. Divide by the wish where you correct Ẑ_k, not here.": right / wishes,
        "you divide the shares of time by the wishes, and make them add up to 1 again; c_k is the share "
        "itself.": right / wishes / (right / wishes).sum(),
        "multiply by the wish before q is normalised over the rungs, not after.": (without * r).mean(1),
        "multiply by the wish before q is normalised over the rungs of a draw, not after the "
        "mean.": without.mean(1) * wishes / (without.mean(1) @ wishes),
        "Ẑ has the wrong sign in your c: f_k is divided by Ẑ_k.": np.exp(
            log_conditionals(log_f, -log_z - np.log(wishes))
        ).mean(1),
        "the guess does not enter your c.": np.exp(log_conditionals(log_f, -np.log(wishes))).mean(1),
        "your c is not normalised: for each draw q adds up to 1 over the rungs.": p.mean(1),
        "you normalise all draws together: for each draw by itself q adds up to 1 over the "
        "rungs.": p.mean(1) / p.mean(1).sum(),
        "your q adds up to 1 over the draws; it should over the rungs, for each draw.": np.full(
            len(c), 1 / log_f.shape[1]
        ),
        "your c is a sum; divide by the number of draws.": q.sum(1),
        "that counts likeliest rungs; average q itself.": np.bincount(q.argmax(0), minlength=len(q)) / q.shape[1],
        "that is the mean of log q; average q itself.": np.exp(np.log(q).mean(1)),
        "that is log c; return c itself.": np.log(right),
        "that is what was wished for, not what came of it.": wishes,
        "the corrected log Ẑ came first; return c, and then log Ẑ.": truth + log_z[0],
    }, case=case, unless=right)
    require(same(c, right) or not _nearly(c, right), f"{case}your c is off {_LATE}")
    digits = 2 if np.abs(c - right).max() > 0.02 else 6
    require(same(c, right), f"{case}your c should be {row(right, digits)}; it is {row(c, digits)}.")
    step, wish, exact = np.log(right / right[0]), np.log(wishes / wishes[0]), truth + log_z[0]
    reject(z, {
        "That is (2) as it stands: a rung that you wished for twice as much has twice the time, and yours takes this "
        "for twice the Z.": log_z + step,
        "The wish has the wrong sign: time that was wished for is no news of Z_k, so divide it out.": log_z
        + step
        + wish,
        "The correction has the wrong sign: a rung with more time than wished for has a larger Z_k.": log_z
        - step
        + wish,
        "The share has the wrong sign: more time means a larger Z_k.": log_z - step - wish,
        "c_k is divided by its wish, and c_0 is not by its own: so the first entry moves.": log_z
        + step
        - np.log(wishes),
        "The first entry should stay: take log(c_0 / r_0) away from all.": log_z + np.log(right / wishes),
        "The first entry should stay, so c_0 is missing, too: take log(c_0 / r_0) away.": log_z + np.log(right) - wish,
        "The first entry should stay as it was given; yours is 0.": truth,
        "The guess is missing: what is found is a correction to it.": step - wish,
        "The guess is left as it was.": log_z,
        "That is the guess less the wishes; the shares do not enter.": log_z - wish,
        "You take the wish itself away: it is log r_k that you want.": log_z + step - wishes,
        "That is Ẑ; return its logarithm.": np.exp(exact),
    }, case=f"{case}your c is right, and your log Ẑ, {row(z)}, should be {row(exact)}. ", unless=exact)
    require(same(z, exact) or not _nearly(z, exact), f"{case}your c is right, and your log Ẑ is off {_LATE}")
    require(
        not same(z - z[0], exact - exact[0]) or same(z, exact),
        f"{case}the first entry of log Ẑ should stay as it was given, {exact[0]:.2f}; all of yours are off by "
        f"{z[0] - exact[0]:.2f}.",
    )
    require(same(z, exact), f"{case}the exact log Z, with the first as given, are {row(exact)}; yours are {row(z)}.")


_LATE = (
    "in late digits alone. float32 keeps seven digits: calculate in float64. And nothing is to be added to a share, or "
    "taken off it, however small it is."
)


def _nearly(found, right) -> bool:
    return np.allclose(found, right, rtol=1e-4, atol=1e-5)


def judge_small(answer) -> None:
    """Shares of e⁻¹², e⁻³⁰ and e⁻⁸⁰, on any rung: all draws have the same log f_k, which is log Z_k then."""
    for log_z in (np.array([0.0, -30.0, -12.0, -80.0]), np.array([-30.0, 0.0, -80.0])):
        f, wishes = np.repeat(log_z[:, None], 7, axis=1), 1.0 + np.arange(len(log_z))
        guess = np.full(len(log_z), 0.5)
        c, z = asked(answer, f, guess, wishes)
        q, right = np.exp(log_conditionals(f, guess - np.log(wishes))).mean(1), log_z - log_z[0] + 0.5
        small = "where the shares of some rungs are as small as e⁻¹² or e⁻³⁰ your"
        floor = "Is something added to a share before its logarithm is taken, or is a share kept above a least one?"
        require(_nearly(c, q), f"{small} c is off. {floor}")
        require(_nearly(z, right), f"{small} log Ẑ, {row(z)}, should be {row(right)}. {floor}")


def row(numbers, digits: int = 2) -> str:
    return f"[{', '.join(f'{number:.{digits}f}' for number in numbers)}]"


def judge_far(answer, log_f, log_z, wishes, rng) -> None:
    """What must stay where logarithms are far from 0: of single draws, of a rung, and of its guess with it."""
    far = rng.choice([-2000.0, 0.0, 900.0], log_f.shape[1])
    low = 2000.0 * rng.permutation(np.arange(len(log_f)) % 2)
    steep = np.where(rng.random(log_f.shape) < 0.4, -1500.0, 0.0)
    for given, why in (
        ((log_f + far, log_z), "with logs of -2000 or 900 at some draws, on all rungs alike"),
        ((log_f - low[:, None], log_z - low), "where both log f_k and log Ẑ_k are near -2000 on some rungs"),
        ((log_f + steep + far, log_z), "where log f_k is 1500 below others, on other rungs at each draw"),
    ):
        q = log_conditionals(given[0], given[1] - np.log(wishes))
        ratio = np.log(np.exp(q).mean(1) / wishes)
        try:
            c, z = asked(answer, *given, wishes)
        except WrongAnswerError as wrong:
            raise WrongAnswerError(f"{why} {wrong} Take logsumexp over the rungs away before you take exp.") from wrong
        right = np.exp(q).mean(1), given[1] + ratio - ratio[0]
        require(
            same((c, z), right) or not (np.allclose(c, right[0], atol=1e-3) and np.allclose(z, right[1], atol=0.01)),
            f"{why} your answer is off {_LATE}",
        )
        require(
            same((c, z), right),
            f"{why} yours is off: q does not feel a number that all rungs of a draw have in common.",
        )
