"""Settings of parallel tempering within a budget, for notebook 14: price, burn-in, and what their errors say."""

import numpy as np

from anneal_edu.course.check.verdict import attempt, call, require

BUDGETS = (400, 50_000)
"""At which settings are asked for, in Gibbs sweeps; they are run at the first."""


def settings_at(answer, budget: int) -> tuple[int, int, int, int]:
    """Rungs, ladders, sweeps that are thrown away and sweeps that are kept, as the answer has them for this budget."""
    settings = call(answer, budget)
    require(
        isinstance(settings, tuple | list | np.ndarray) and np.shape(settings) == (4,),
        "return four whole numbers: `return n_rungs, n_ladders, n_burn_in, n_sweeps`.",
    )
    for value in settings:
        attempt(value)
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        require(whole, f"counts are whole numbers, got {value!r}: divide with //.")
    rungs, ladders, burn_in, kept = map(int, settings)
    require(rungs >= 2 and kept >= 1 and burn_in >= 0, "at least two rungs and one sweep, and no negative burn-in.")
    require(ladders >= 1, f"n_ladders counts the ladders that are run; yours is {ladders}.")
    require(ladders >= 2, "with a single ladder there is no error bar: nothing to compare it with.")
    return rungs, ladders, burn_in, kept


def _cost(rungs: int, ladders: int, burn_in: int, kept: int) -> int:
    """In Gibbs sweeps, those that are thrown away included."""
    return rungs * ladders * (burn_in + kept)


def judge_costs(asked: dict[int, tuple[int, int, int, int]]) -> None:
    """From half of each budget to all of it."""
    for budget, (rungs, ladders, burn_in, kept) in asked.items():
        cost = _cost(rungs, ladders, burn_in, kept)
        times = f"{cost / budget:.{4 if cost > budget else 2}g} times"
        said = f"these settings cost {cost:,} Gibbs sweeps, {times} the budget of {budget:,}:"
        each = f"{rungs * ladders:,} chains make {burn_in + kept:,} sweeps each."
        why = _why_over(budget, asked) if cost > budget else ""
        require(cost <= budget, f"{said} {each} {why}".rstrip())
        require(
            cost >= budget / 2,
            f"{said} less than half. {each} Does yours depend on the budget? The comparison is at equal price: spend "
            "it.",
        )


def at_other_budgets(answer) -> dict[int, tuple[int, int, int, int]]:
    """Settings at budgets that no product divides, where what is rounded up costs more; they keep to the price."""
    asked = {budget: settings_at(answer, budget) for budget in (405, 999, 1234, 49_999)}
    for budget, settings in asked.items():
        cost = _cost(*settings)
        require(
            cost <= budget,
            f"at a budget of {budget:,} your settings cost {cost:,}: is something rounded up, to the nearest, or "
            "fixed? Divide with //, and give to one part what the others leave.",
        )
        judge_most_burn_in(budget, *settings)
    return asked


def judge_half_spent(budget: int, rungs: int, ladders: int, burn_in: int, kept: int) -> None:
    """Half of the budget at least; said of the others after the runs at the first."""
    cost = _cost(rungs, ladders, burn_in, kept)
    spent = f"at a budget of {budget:,} your settings cost {cost:,}, less than half: spend it, whatever it is."
    require(cost >= budget / 2, spent)


_FILLED = {400: 0.9, 50_000: 0.98}
"""At least which share of a budget is spent by who means to spend it, in whole sweeps."""


def _slips(rungs: int, ladders: int, burn_in: int, kept: int) -> list[tuple[int, str]]:
    """What may have been counted in place of the cost, and what to say of it."""
    return [
        ((rungs - 1) * ladders * (burn_in + kept), f"{rungs} rungs are {rungs} chains, both ends included; their "
         f"{rungs - 1} steps would fill the budget."),
        (rungs * ladders * (kept - burn_in), "Is the burn-in in it twice? It is not counted among n_sweeps."),
        (rungs * ladders * kept, "The burn-in counts too: it is thrown away, but paid for."),
        (ladders * (burn_in + kept), "Every rung of every ladder is a chain of its own: a sweep of the ladder costs "
         "one Gibbs step for each of its rungs."),
        (rungs * (burn_in + kept), "Every ladder pays: multiply by their number."),
    ]  # fmt: skip


def _why_over(budget: int, asked: dict[int, tuple[int, int, int, int]]) -> str:
    """Why the settings cost more than this budget: a slip is named if it fills the other budget, too."""
    costs = {other: _cost(*settings) for other, settings in asked.items()}
    if costs[budget] < 1.05 * budget:
        return "It is only just too much: divide with //, and give to one part what the others leave."
    spent = [budget, *(other for other in asked if costs[other] >= other / 2)]  # or else it takes them for equal
    counted = [[count / other for count, _ in _slips(*asked[other])] for other in spent]
    filled = [
        all(_FILLED[other] <= share <= 1 for other, share in zip(spent, shares, strict=True))
        for shares in zip(*counted, strict=True)
    ]
    named = [slip for slip, fills in zip(_slips(*asked[budget]), filled, strict=True) if fills]
    if named:
        nearest, _ = max(named)
        return " Or else: ".join(slip for counted, slip in named if counted == nearest)
    rungs, ladders, burn_in, kept = asked[budget]
    fit = budget // (rungs * ladders)
    if burn_in + kept - fit > 2 or max(cost / other for other, cost in costs.items() if other != budget) > 1.05:
        return ""
    return (
        f"{fit:,} sweeps each would keep to it. Is something rounded up, or one added? Divide with //, and give to one "
        "part what the others leave."
    )


def _share(budget: int, burn_in: int, kept: int) -> str:
    part = burn_in / (burn_in + kept)
    near = part and (part < 0.01 or min(abs(part - 0.05), abs(part - 0.5)) < 0.005)
    said = f"{part:.2%}" if near else f"{part:.0%}"
    return f"at a budget of {budget:,} {burn_in:,} of {burn_in + kept:,} sweeps are burn-in, {said}"


def judge_most_burn_in(budget: int, rungs: int, ladders: int, burn_in: int, kept: int) -> None:
    """Half of the sweeps at most."""
    share = _share(budget, burn_in, kept)
    require(burn_in <= kept, f"{share}: you throw away more than you keep. Half of them at most.")


def judge_least_burn_in(budget: int, rungs: int, ladders: int, burn_in: int, kept: int) -> None:
    """A twentieth of the sweeps at least; said after the runs, whose errors alone do not tell."""
    why = "Throw away a twentieth at least, whatever the budget."
    if budget == BUDGETS[0]:
        why = (
            "These three models forgive it, others do not. All rungs begin at draws of the start, and states that "
            "still remember it are biased. Throw away a twentieth at least."
        )
    total = burn_in + kept
    twentieth = total / 20 if budget in BUDGETS else total // 20  # of an odd budget in whole sweeps
    require(burn_in >= twentieth, f"{_share(budget, burn_in, kept)}. {why}")


def why_off(errors: list[float], rungs: int, ladders: int, burn_in: int, kept: int) -> str:
    """What the errors of the runs have in common, and what to ask of the settings: time, ladders or rungs."""
    bias, variance = float(np.mean(errors)), float(np.var(errors))
    parts = f"Of the mean square {bias**2 + variance:.2f} the bias makes {bias**2:.2f} and the spread {variance:.2f}."
    few = burn_in + kept < 8
    if rungs == 4 and few and bias**2 <= variance / 2:
        return (
            f"{parts} Each of {rungs * ladders:,} chains makes {burn_in + kept} sweeps: it hardly forgets the start, "
            "and few of its states are counted. Run fewer ladders, and there is time for more sweeps."
        )
    if rungs <= (3 if bias**2 > variance / (2 if few else 1) else 4):
        fewer = ", and run fewer ladders to pay for them" if ladders > 2 else ""
        return f"With so few rungs neighbours hardly overlap, and a stepping stone is a jump. Add rungs{fewer}."
    if bias**2 > variance / 2:
        side = "too low" if bias < 0 else "too high"
        fewer = "ladders" if ladders > 4 else "rungs"
        thrown = f", of which you throw away {burn_in or 'nothing'}" if 19 * burn_in < kept else ""
        return (
            f"{parts} They lie to one side, {side}: no chance, but a beginning that is still felt{thrown}. With so few "
            f"sweeps all rungs are still near the start. Fewer chains, here {rungs * ladders:,}, leave more sweeps to "
            f"each: run fewer {fewer}."
        )
    if 2 * burn_in > kept:
        return (
            f"{parts} They lie to both sides: noise. Of each rung {kept:,} sweeps of {ladders:,} ladders are counted, "
            f"and {burn_in:,} are thrown away."
        )
    return (
        f"{parts} They lie to both sides: noise. It grows with rungs that are far apart (yours are {rungs}), with "
        f"states that resemble those before them, and with few that are counted: of each rung {kept:,} sweeps of "
        f"{ladders:,} ladders."
    )
