"""Kernels with one fault each, for the audit to find."""

import numpy as np


def decided(f, x, y, rng, more=0.0):
    """Metropolis: y where accepted, else x."""
    with np.errstate(all="ignore"):
        gain = f.log_density(y) - f.log_density(x) + more
    return np.where((np.log(rng.random(len(x))) < gain)[:, None], y, x)


def proposed(x, rng, scale=0.8):
    return x + scale * rng.standard_normal(x.shape)


def inverted(f, x, rng):
    y = proposed(x, rng)
    with np.errstate(all="ignore"):
        gain = f.log_density(x) - f.log_density(y)
    inside = np.isfinite(f.log_density(y))
    return np.where(((np.log(rng.random(len(x))) < gain) & inside)[:, None], y, x)


def no_decision(f, x, rng):
    y = proposed(x, rng, 0.1)
    return np.where(np.isfinite(f.log_density(y))[:, None], y, x)


def half_the_ratio(f, x, rng):
    y = proposed(x, rng)
    gain = f.log_density(y) - f.log_density(x)
    return np.where((np.log(rng.random(len(x))) < 0.5 * gain)[:, None], y, x)


def almost_the_ratio(f, x, rng):
    y = proposed(x, rng)
    gain = f.log_density(y) - f.log_density(x)
    return np.where((np.log(rng.random(len(x))) < 0.93 * gain)[:, None], y, x)


def greedy(f, x, rng):
    y = proposed(x, rng)
    return np.where((f.log_density(y) > f.log_density(x))[:, None], y, x)


def uniform_against_log(f, x, rng):
    y = proposed(x, rng)
    return np.where((rng.random(len(x)) < f.log_density(y) - f.log_density(x))[:, None], y, x)


def scaled_without_hastings(f, x, rng):
    return decided(f, x, x * np.exp(0.5 * rng.standard_normal((len(x), 1))), rng)


def step_of_the_state(f, x, rng):
    return decided(f, x, x + 0.3 * (1 + np.abs(x)) * rng.standard_normal(x.shape), rng)


def drifting_proposal(f, x, rng):
    return decided(f, x, x + 0.3 + 0.8 * rng.standard_normal(x.shape), rng)


def langevin(correct, noise=1.0, decide=True):
    def move(f, x, rng, h=0.4):
        g = f.grad_log_density(x)
        y = x + h / 2 * g + noise * np.sqrt(h) * rng.standard_normal(x.shape)
        if not decide:
            return np.where(np.isfinite(f.log_density(y))[:, None], y, x)
        there = f.grad_log_density(y)
        there_and_back = ((y - x - h / 2 * g) ** 2 - (x - y - h / 2 * there) ** 2).sum(1) / (2 * h)
        return decided(f, x, y, rng, there_and_back if correct else 0.0)

    return move


def hamiltonian(kinetic=0.5, first=0.5, momentum=1.0):
    def move(f, x, rng, e=0.35, n=4):
        v = momentum * rng.standard_normal(x.shape)
        y, p = x, v + first * e * f.grad_log_density(x)
        for step in range(n):
            y = y + e * p
            p = p + (e if step < n - 1 else 0.5 * e) * f.grad_log_density(y)
        return decided(f, x, y, rng, kinetic * ((v**2).sum(1) - (p**2).sum(1)))

    return move


def one_coordinate_left(f, x, rng):
    y = proposed(x, rng)
    if x.shape[1] > 1:
        y[:, -1] = x[:, -1]
    return decided(f, x, y, rng)


def one_side(f, x, rng):
    y = proposed(x, rng)
    y = np.where(np.sign(y) == np.sign(x), y, x)
    return decided(f, x, y, rng)


def lattice(f, x, rng):
    return decided(f, x, x + 0.5 * rng.choice([-1, 1], size=x.shape), rng)


def shared_noise(f, x, rng):
    return decided(f, x, x + 0.8 * rng.standard_normal(x.shape[1:]), rng)


def shared_decision(f, x, rng):
    y = proposed(x, rng)
    gain = f.log_density(y) - f.log_density(x)
    return np.where((np.log(rng.random()) < gain)[:, None], y, x)


def one_decision_for_all(f, x, rng):
    y = proposed(x, rng)
    gain = (f.log_density(y) - f.log_density(x)).mean()
    return y if np.log(rng.random()) < gain else x.copy()


def in_place(f, x, rng):
    before = x.copy()
    x += 0.8 * rng.standard_normal(x.shape)
    x[:] = decided(f, before, x, rng)
    return x


def in_place_too_early(f, x, rng):
    y = x
    y += 0.8 * rng.standard_normal(x.shape)
    return decided(f, x, y, rng)


def first_half(f, x, rng):
    n = (len(x) + 1) // 2
    return np.concatenate([decided(f, x[:n], proposed(x[:n], rng), rng), x[n:]])


def last_chain_left(f, x, rng):
    if len(x) == 1:
        return decided(f, x, proposed(x, rng), rng)
    return np.concatenate([decided(f, x[:-1], proposed(x[:-1], rng), rng), x[-1:]])


def last_chain_free(f, x, rng):
    new = decided(f, x, proposed(x, rng), rng)
    y = proposed(x, rng, 0.3)
    new[-1] = np.where(np.isfinite(f.log_density(y))[:, None], y, x)[-1]
    return new


def first_ten(f, x, rng):
    return np.concatenate([decided(f, x[:10], proposed(x[:10], rng), rng), x[10:]])


def single_precision(f, x, rng):
    return decided(f, x, proposed(x, rng), rng).astype(np.float32)


def rounded(f, x, rng):
    return np.round(decided(f, x, proposed(x, rng), rng), 2)


def other_density(f, x, rng):
    y = proposed(x, rng)
    gain = -0.5 * (y**2).sum(1) + 0.5 * (x**2).sum(1)
    return np.where(((np.log(rng.random(len(x))) < gain) & np.isfinite(f.log_density(y)))[:, None], y, x)


def scale_of_the_crowd(f, x, rng):
    return decided(f, x, x + x.std(0) * rng.standard_normal(x.shape), rng)


def pulled_to_the_crowd(f, x, rng):
    return decided(f, x, x + 0.3 * (x.mean(0) - x) + 0.7 * rng.standard_normal(x.shape), rng)


def difference_of_others(f, x, rng):
    return decided(f, x, x + (np.roll(x, 1, 0) - np.roll(x, 2, 0)) + 0.01 * rng.standard_normal(x.shape), rng)


def exchanged_chains(f, x, rng):
    return decided(f, x, proposed(x, rng), rng)[rng.permutation(len(x))]


def sorted_chains(f, x, rng):
    new = decided(f, x, proposed(x, rng), rng)
    return new[np.argsort(new[:, 0])]


def resampled(f, x, rng):
    new = decided(f, x, proposed(x, rng), rng)
    return new[rng.integers(len(x), size=len(x))]


def fixed_seed(f, x, rng):
    rng = np.random.default_rng(3)
    return decided(f, x, proposed(x, rng), rng)


def global_chance(f, x, rng):
    rng = np.random.default_rng()
    return decided(f, x, proposed(x, rng), rng)


def adapting():
    scale = [0.5]

    def move(f, x, rng):
        new = decided(f, x, proposed(x, rng, scale[0]), rng)
        scale[0] *= 1.1 if (new != x).any(1).mean() > 0.44 else 0.9
        return new

    return move


def counting():
    calls = [0]

    def move(f, x, rng):
        calls[0] += 1
        return decided(f, x, proposed(x, rng), rng) if calls[0] % 5 else proposed(x, rng, 0.01)

    return move


def stale():
    kept = {}

    def move(f, x, rng):
        y = proposed(x, rng)
        old = kept.get("log_f")
        log_f = f.log_density(x) if old is None or len(old) != len(x) else old
        new_log_f = f.log_density(y)
        accepted = np.log(rng.random(len(x))) < new_log_f - log_f
        kept["log_f"] = np.where(accepted, new_log_f, log_f)
        return np.where(accepted[:, None], y, x)

    return move


def nothing(f, x, rng):
    return x.copy()


def flat(f, x, rng):
    return decided(f, x, proposed(x, rng), rng)[0]


def squeezed(f, x, rng):
    return decided(f, x, proposed(x, rng), rng).squeeze()


def mirrored(f, x, rng):
    return decided(f, x, -x, rng)


def rejected_to_zero(f, x, rng):
    y = proposed(x, rng)
    with np.errstate(all="ignore"):
        gain = f.log_density(y) - f.log_density(x)
    return np.where((np.log(rng.random(len(x))) < gain)[:, None], y, x * 0.999)


def twice_in_the_tail(f, x, rng):
    new = decided(f, x, proposed(x, rng), rng)
    return np.where((np.abs(x) > 2).any(1)[:, None], new, decided(f, x, proposed(x, rng), rng))


def until_accepted(f, x, rng):
    new = x.copy()
    for _ in range(5):
        still = (new == x).all(1)
        if still.any():
            new[still] = decided(f, x[still], proposed(x[still], rng), rng)
    return new


def bounded(f, x, rng):
    return decided(f, x, np.clip(proposed(x, rng), -2.0, 2.0), rng)


def uniform_of_one_side(f, x, rng):
    return decided(f, x, x + rng.uniform(-0.5, 0.8, x.shape), rng)


def tempered(f, x, rng):
    y = proposed(x, rng)
    return np.where((np.log(rng.random(len(x))) < 1.05 * (f.log_density(y) - f.log_density(x)))[:, None], y, x)


def independent_without_correction(f, x, rng):
    y = 1.5 * rng.standard_normal(x.shape)
    return decided(f, x, y, rng)


FAULTY = {
    "the ratio upside down": inverted, "no decision": no_decision, "half of the ratio": half_the_ratio,
    "nearly the ratio": almost_the_ratio, "uphill only": greedy, "u < log ratio": uniform_against_log,
    "x e^z without its factor": scaled_without_hastings, "a step that depends on x": step_of_the_state,
    "a drifting proposal": drifting_proposal, "Langevin without Hastings": langevin(False),
    "Langevin undecided": langevin(True, decide=False), "Langevin, too much noise": langevin(True, noise=1.2),
    "no kinetic energy": hamiltonian(kinetic=0.0), "no half step": hamiltonian(first=0.0),
    "kinetic energy twice": hamiltonian(kinetic=1.0), "momentum too small": hamiltonian(momentum=0.8),
    "the last coordinate never": one_coordinate_left, "never across 0": one_side, "a lattice": lattice,
    "one noise for all": shared_noise, "one uniform for all": shared_decision, "one for all": one_decision_for_all,
    "in place": in_place, "in place, too early": in_place_too_early, "the first half": first_half,
    "all but the last chain": last_chain_left, "the last chain undecided": last_chain_free, "the first ten": first_ten,
    "float32": single_precision, "two digits": rounded, "another density": other_density,
    "the scale of the crowd": scale_of_the_crowd, "pulled to the crowd": pulled_to_the_crowd,
    "the others' difference": difference_of_others, "chains exchanged": exchanged_chains,
    "chains sorted": sorted_chains, "chains resampled": resampled, "a seed of its own": fixed_seed,
    "chance from elsewhere": global_chance, "adapts": adapting(), "every fifth undecided": counting(),
    "an old density": stale(), "nothing": nothing, "one state": flat, "squeezed": squeezed, "only mirrored": mirrored,
    "refused, and a little smaller": rejected_to_zero, "until accepted": until_accepted, "clipped": bounded,
    "a lopsided step": uniform_of_one_side, "a power of the ratio": tempered,
    "independent, uncorrected": independent_without_correction,
}  # fmt: skip


def bits(f, x, rng, decide=1.0, shared=False, left=0):
    j = rng.integers(x.shape[1] - left, size=() if shared else len(x))
    y = x.copy()
    y[np.arange(len(x)), j] = 1 - y[np.arange(len(x)), j]
    gain = f.log_density(y) - f.log_density(x)
    return np.where((np.log(rng.random(len(x))) < decide * gain)[:, None], y, x)


def old_layers(f, x, rng):
    h = rng.random((len(x), f.n_hidden)) < f.hidden_given_visible(x)
    other = rng.random((len(x), f.n_hidden)) < f.hidden_given_visible(x)
    v = rng.random(x.shape) < f.visible_given_hidden(np.where(rng.random(h.shape) < 0.5, h, ~other).astype(float))
    return v.astype(x.dtype)


def mean_field(f, x, rng):
    return (rng.random(x.shape) < f.visible_given_hidden(f.hidden_given_visible(x))).astype(x.dtype)


def two_flips(f, x, rng):
    j = rng.integers(x.shape[1], size=len(x))
    y = 1 - x
    y[np.arange(len(x)), j] = x[np.arange(len(x)), j]
    return decided(f, x, y, rng).astype(x.dtype)


def only_bits(move):
    def kernel(f, x, rng):
        if not getattr(f, "binary", False):
            raise TypeError("for bits")
        return move(f, x, rng)

    return kernel


FAULTY_BITS = {
    "the ratio upside down": only_bits(lambda f, x, rng: bits(f, x, rng, decide=-1.0)),
    "always": only_bits(lambda f, x, rng: bits(f, x, rng, decide=0.0)),
    "the last bit never": only_bits(lambda f, x, rng: bits(f, x, rng, left=1)),
    "the mean in place of a draw": only_bits(mean_field),
    "an even number of flips": only_bits(two_flips),
    "hidden units of two draws": only_bits(old_layers),
    "one bit for all": only_bits(lambda f, x, rng: bits(f, x, rng, shared=True)),
}
RIGHT = {
    "Metropolis": lambda f, x, rng: decided(f, x, proposed(x, rng), rng),
    "Langevin": langevin(True),
    "Hamiltonian": hamiltonian(),
    "bits": only_bits(bits),
    "now this, now that": lambda f, x, rng: decided(f, x, proposed(x, rng, rng.choice([0.2, 2.0], (len(x), 1))), rng),
}
