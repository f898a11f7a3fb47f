"""Since when a validation likelihood has been falling, for notebook 13: curves, and what is said of a wrong look."""

from collections.abc import Iterator

import numpy as np

from anneal_edu.course.check.verdict import attempt, require

Given = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Mean log f of the training and of the validation data, log Ẑ, its standard error, (n,) each."""

_RISE = np.array([-24.0, -22.0, -20.5, -19.5, -19.0, -18.6, -18.3, -18.1])
_FALL = np.array([-24.5, -22.9, -21.9, -21.5, -21.4, -21.8, -22.3, -22.9])
_FLAT = np.array([-24.5, -22.9, -21.9, -21.4, -21.2, -21.3, -21.2, -21.3])
_LOG_Z = np.array([35.0, 37.0, 41.0, 44.0, 46.0, 49.0, 53.0, 52.0])


def curves() -> Iterator[tuple[str, Given, int | None]]:
    """Case → mean log f of both sets, log Ẑ, its standard error, and the look since which validation has fallen."""
    rough_end = np.r_[np.full(7, 0.1), 0.9]
    rough_best = np.r_[np.full(4, 0.1), 0.9, np.full(3, 0.1)]
    rough_between = np.r_[np.full(6, 0.2), 3.0, 0.2]
    steeper = np.r_[_FALL[:-1], -23.6]  # by 2.2, with errors that combine to 0.906
    recovered, uneven = np.r_[_FALL[:6], -23.5, -21.6], np.r_[_FALL[:3], -21.0, -22.6, -21.9, -22.4, -22.9]
    for case, validation, std_error, since in (
        ("a clear fall", _FALL, np.full(8, 0.2), 4),
        ("a fall within the error bars", _FALL, np.full(8, 0.9), None),
        ("no fall", _FLAT, np.full(8, 0.2), None),
        ("a last look with a long error bar", _FALL, rough_end, None),
        ("a best look with a long error bar", _FALL, rough_best, None),
        ("a look in between with a long error bar, which does not matter", _FALL, rough_between, 4),
        ("a fall just beyond the error bars", _FALL, np.full(8, 0.528), 4),
        ("a fall just within the error bars", _FALL, np.full(8, 0.5325), None),
        ("a fall that a long error bar of the last look does not explain", steeper, rough_end, 4),
        ("a fall that a long error bar of the best look does not explain", steeper, rough_best, 4),
    ):
        yield case, (_RISE + _LOG_Z, validation + _LOG_Z, _LOG_Z.copy(), std_error), since
    yield "both likelihoods fall", (_FALL + 3 + _LOG_Z, _FALL + _LOG_Z, _LOG_Z.copy(), np.full(8, 0.2)), 4
    for case, validation, since in (
        ("a fall in between, of which the last look shows nothing", recovered, None),
        ("a fall with a rise in between", uneven, 3),
        ("a dip before the best look", np.r_[_FALL[:2], -23.6, _FALL[3:]], 4),
        ("a best look that leads by a third of a nat", np.array([-26.0, -23.4, -23.1, -25.0, -28.0]), 2),
        ("two dips before the best look", np.r_[-22.0, -24.5, -21.7, -23.0, -21.4, -22.9], 4),
        ("a dip, and the best look last", np.r_[-24.5, -21.9, -23.6, -21.4], None),
        ("a fall from the first look on", _FALL[4:], 0),
        ("a rise to the end", _FALL[:5], None),
        ("two looks, and a fall", _FALL[[4, 7]], 0),
        ("a single look", _FALL[:1], None),
    ):
        n = len(validation)
        yield case, (_RISE[:n] + _LOG_Z[:n], validation + _LOG_Z[:n], _LOG_Z[:n].copy(), np.full(n, 0.2)), since


def look_index(since) -> int | None:
    """What is handed in for the look since which the likelihood has fallen."""
    if since is None:
        return None
    require(since is not ..., "the third thing that you return is still `...`: since when has it been falling?")
    number = np.asarray(since) if np.isscalar(since) or isinstance(since, np.ndarray) else np.asarray([])
    whole = number.ndim == 0 and number.dtype.kind in "iuf" and bool(np.isfinite(number)) and number == int(number)
    require(whole, "since is the index of a look, a whole number, or None.")
    return int(number)


def _by_mean_f(answer, look: int, given) -> bool:
    """Whether since goes where mean log f is largest, though log Ẑ, no likelihood, has put it there."""
    *f, log_z, std_error = (part.copy() for part in given)
    rise = 50.0 * (np.arange(len(log_z)) == look)
    return look_index(attempt(answer(f[0] + rise, f[1] + rise, log_z + rise, std_error))[2]) == look


def _by_sum(answer, best: int, given) -> bool:
    """Whether since goes wherever log Ẑ alone has been raised, which lowers the likelihood there."""
    *f, log_z, std_error = (part.copy() for part in given)
    far = [look for look in range(len(log_z) - 1) if abs(look - best) > 1]
    rises = [50.0 * (np.arange(len(log_z)) == look) for look in far]
    found = [look_index(attempt(answer(*f, log_z + rise, std_error))[2]) for rise in rises]
    return len(far) > 0 and found == far


def _probes() -> list[tuple[int, np.ndarray]]:
    """The best look, and a validation likelihood that has not fallen from it to the last, whatever is between."""
    return [
        (2, np.array([-22.0, -23.5, -21.0, -23.5, -22.0, -21.5, -21.3, -21.05])),  # far down before, and in the next
        (1, np.array([-24.0, -21.0, -21.1, -21.3, -23.5, -22.0, -21.05])),  # far down later
        (4, np.array([-24.0, -23.0, -22.0, -21.5, -21.2])),  # far down before
        (1, np.array([-21.1, -21.0, -21.05, -21.11, -21.04])),
        (2, np.array([-21.1, -24.0, -21.0, -21.05])),  # far down before, and not at the first
    ]


_COMPARED = {  # at which of these the best look is called the beginning of a fall
    (True, False, False, False, False): "you compare the best look with the one after it. Asked is the *last* look.",
    (True, True, False, False, False): "you compare the best look with the lowest since. Asked is the *last* look.",
    (True, True, True, False, True): "you compare the best look with the lowest of all. Asked is the *last* look.",
    (True, True, True, False, False): "you compare the *first* look with the last. Asked is the best one.",
}


def _judge_what_is_compared(right: int | None, case: str, given: Given, answer) -> None:
    """Whether another likelihood was judged, or another look than the last: by what is said of likelihoods of ours."""
    f_train, f_validation, log_z, std_error = given
    exchanged = look_index(attempt(answer(f_validation.copy(), f_train.copy(), log_z.copy(), std_error.copy()))[2])
    require(
        right is None or exchanged != right,
        f"{case}with the two sets exchanged you find the fall: you judge the training likelihood.",
    )
    found = []
    for best, validation in _probes():
        n = len(validation)
        probe = _RISE[:n] + _LOG_Z[:n], validation + _LOG_Z[:n], _LOG_Z[:n].copy(), np.full(n, 0.2)
        found.append(look_index(attempt(answer(*probe))[2]) == best)
    require(tuple(found) not in _COMPARED, case + _COMPARED.get(tuple(found), ""))


def judge_since(since: int | None, right: int | None, case: str, given: Given, answer) -> None:
    """That look against the right one; where it is wrong, what else was compared."""
    _, f_validation, log_z, std_error = given
    validation = f_validation - log_z
    best, last = int(validation.argmax()), len(validation) - 1
    fall, error = validation[best] - validation[last], np.hypot(std_error[best], std_error[last])
    known = f"{case}: from its best look to the last the validation likelihood falls by {fall:.1f} nats"
    both = (
        f"{known}, with errors {std_error[best]:.3g} and {std_error[last]:.3g}. These are estimates from the draws of "
        f"two moments: their errors do not cancel, their squares add up, and they combine to {error:.3f}."
    )
    if since != right:
        _judge_what_is_compared(right, f"{case}: ", given, answer)
    if right is None:
        require(since != -1, f"{known}. Where that is no fall return None, not -1: as an index, -1 is the last look.")
        require(
            since != 0 or best == 0,
            f"{known}. Where that is no fall return None, not 0: that is the first look, and here not the best one.",
        )
        eager = f"You answer since look {since}, too eager"
        require(
            since is None,
            f"{both} The fall is less than two of these. {eager}: this fall may be chance."
            if fall > 0.15
            else f"{known}: that is within two errors of {error:.1f}. {eager}. How wide the gap is does not matter.",
        )
        return
    unseen = "The fall is more than two of these, and you do not see it. Is it the best look that is compared with the "
    unseen += "last, with no other, and are the two errors added as squares?"
    train = given[0] - log_z
    unseen += " (That the training likelihood falls as well changes nothing.)" * bool(train[-1] < train[best])
    if best == 0:
        unseen += " (It has the index 0 here, which `or` and `if` take for nothing.)"
    require(since is not None, f"{both} {unseen}")
    by_f = int(f_validation.argmax())
    require(
        not _by_sum(answer, best, given),
        "log Ẑ is subtracted: log p = log f - log Z. You look for the best sum of the two.",
    )
    require(
        since != by_f or not _by_mean_f(answer, by_f - 1, given),
        "you look for the best mean log f. It rises with Z itself: subtract log Ẑ first.",
    )
    require(
        since not in (last, -1),
        f"{known}. You return the last look, too late: it has been falling *since* the look where it was best.",
    )
    within = -len(validation) <= since < len(validation)
    require(within, f"{case}: there is no look {since} among {len(validation)}.")
    below, side = validation[best] - validation[since], "late" if since % len(validation) > best else "early"
    from_the_first = f"{known}. Count the looks from the first, which is 0; your since is {since}."
    require(since >= -1, from_the_first)
    require(
        since == best,
        f"{known}. At look {since}, which you return, it lies {below:.1f} nats below the best: too {side}.",
    )
