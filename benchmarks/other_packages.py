"""The same annealing by other packages, in one run: seconds, and how far each lands from the exact log Z.

AIS of a 784×20 RBM, whose log Z can be enumerated, by rbms (PyTorch, github.com/DsysDML/rbms) and PyDeep (NumPy,
github.com/MelJan/PyDeep), each from the start that it chooses; and Hamiltonian AIS of Student-t experts, beside the
same algorithm in JAX, in float32 and compiled as a whole. None is a dependency: what is not installed is left out.

Claims, on two cores: at least six times as fast as either package; Hamiltonian AIS, in float64 and not compiled, takes
at most twice as long as the compiled loop.
"""

import importlib
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

import anneal_edu as ae

FULL, TINY = (1000, 784, 20, 200, 200, 36, 10_000, 2), (5, 4, 3, 4, 5, 2, 4, 1)
"""Chains, D, H and K of the RBM; chains, D and K of the experts; repeats."""

Run = Callable[[int], float]
"""Seed -> log Ẑ."""


def found(name: str):
    """A module, or None and a word."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name.split('.')[0]} is left out: {error}")
        return None


def packages(rbm: ae.BinaryRBM, C: int, K: int) -> Iterator[tuple[str, Run]]:
    """AIS of one RBM by each package that is installed; what is made once is made before."""
    if (torch := found("torch")) and (bernoulli := found("rbms.bernoulli_bernoulli.classes")):
        annealing = importlib.import_module("rbms.partition_function.ais")
        theirs = bernoulli.BBRBM(*(torch.tensor(a) for a in rbm.single_precision))

        def by_rbms(seed: int) -> float:
            torch.manual_seed(seed)
            with torch.no_grad():
                return annealing.compute_partition_function_ais(C, K + 1, theirs)

        yield "rbms", by_rbms

    if model := found("pydeep.rbm.model"):
        estimator = importlib.import_module("pydeep.rbm.estimator")
        W, b, c = rbm.weights, rbm.visible_bias[None], rbm.hidden_bias[None]
        pydeep = model.BinaryBinaryRBM(
            rbm.dim, rbm.n_hidden, initial_weights=W, initial_visible_bias=b, initial_hidden_bias=c,
            initial_visible_offsets=0, initial_hidden_offsets=0,
        )

        def by_pydeep(seed: int) -> float:
            np.random.seed(seed)  # noqa: NPY002  (PyDeep draws from the global generator)
            return float(np.squeeze(estimator.annealed_importance_sampling(pydeep, C, 1, K + 1)[0]))

        yield "PyDeep", by_pydeep


def hais_in_jax(filters: np.ndarray, weights: np.ndarray, C: int, K: int, step: float = 0.2) -> Run | None:
    """Hamiltonian AIS of Student-t experts from N(0, I) as a user of JAX would write it."""
    if not (jax := found("jax")):
        return None
    numpy, D = jax.numpy, filters.shape[1]
    filters, weights = numpy.asarray(filters, numpy.float32), numpy.asarray(weights, numpy.float32)
    gamma = 1 - 2.0**-step

    def start_and_end(x):
        return -0.5 * ((x**2).sum(1) + D * numpy.log(2 * numpy.pi)), -numpy.log1p((x @ filters.T) ** 2) @ weights

    def log_f(beta, x):
        start, end = start_and_end(x)
        return (1 - beta) * start + beta * end

    slope = jax.grad(lambda x, beta: log_f(beta, x).sum())

    def transition(carried, betas):
        (x, v, log_w, key), (before, now) = carried, betas
        key, of_accept, of_v = jax.random.split(key, 3)
        start, end = start_and_end(x)
        log_w += (now - before) * (end - start)
        middle = x + step / 2 * v
        p = v + step * slope(middle, now)
        proposal = middle + step / 2 * p
        log_ratio = log_f(now, proposal) - log_f(now, x) - 0.5 * (p**2).sum(1) + 0.5 * (v**2).sum(1)
        accepted = (numpy.log(jax.random.uniform(of_accept, (C,))) < log_ratio)[:, None]
        x, p = numpy.where(accepted, proposal, x), numpy.where(accepted, p, -v)
        v = numpy.sqrt(1 - gamma) * p + numpy.sqrt(gamma) * jax.random.normal(of_v, p.shape)
        return (x, v, log_w, key), None

    @jax.jit
    def log_z(key):
        key, of_x, of_v = jax.random.split(key, 3)
        x, v = jax.random.normal(of_x, (C, D)), jax.random.normal(of_v, (C, D))
        betas = numpy.linspace(0, 1, K + 1)
        (_, _, log_w, _), _ = jax.lax.scan(transition, (x, v, numpy.zeros(C), key), (betas[:-1], betas[1:]))
        return jax.scipy.special.logsumexp(log_w) - numpy.log(C)

    return lambda seed: float(log_z(jax.random.key(seed)))


def compare(what: str, exact: float, runs: dict[str, Run], repeats: int) -> None:
    """Seconds of each, the fastest of several rounds in which all take turns, and its error."""
    seconds, errors = {name: [] for name in runs}, {name: [] for name in runs}
    for seed in range(repeats + 1):  # in the first round what compiles is compiled
        for name, run in runs.items():
            begin = time.perf_counter()
            log_z = run(seed)
            if seed:
                seconds[name].append(time.perf_counter() - begin)
                errors[name].append(log_z - exact)
    ours, *_ = (min(times) for times in seconds.values())
    for name, times in seconds.items():
        said = f"{min(times) / ours:.1f} × ours" if times is not seconds["anneal_edu"] else "ours"
        print(f"{what}: {name} {min(times):.3f} s, {said}; log Ẑ - log Z", *(f"{error:+.2f}" for error in errors[name]))


def main(tiny: bool = False) -> None:
    """An RBM and a product of experts."""
    C, D, H, K, few, d, long, repeats = TINY if tiny else FULL
    rng = np.random.default_rng(0)
    rbm = ae.BinaryRBM(0.05 * rng.normal(size=(D, H)), 0.5 * rng.normal(size=D), 0.5 * rng.normal(size=H))
    path, schedule = ae.geometric_path(ae.uniform_rbm(D, H), rbm), ae.linear_schedule(K)

    def by_ais(seed: int) -> float:
        return ae.ais(path, schedule, C, rng=np.random.default_rng(seed)).log_z

    runs = {"anneal_edu": by_ais, **dict(packages(rbm, C, K))}
    compare(f"AIS, {D}×{H}, C = {C:,}, K = {K}", rbm.log_z(), runs, repeats)

    filters, weights = rng.normal(size=(d, d)) / np.sqrt(d), rng.uniform(1.0, 2.0, size=d)
    experts = ae.ProductOfExperts(filters, weights, "student_t")
    bridge = ae.geometric_path(ae.Gaussian(np.zeros(d), np.eye(d)), experts)

    def by_hais(seed: int) -> float:
        return ae.hais(bridge, ae.linear_schedule(long), few, rng=np.random.default_rng(seed)).log_z

    runs = {"anneal_edu": by_hais}
    if compiled := hais_in_jax(filters, weights, few, long):
        runs["JAX"] = compiled
    compare(f"HAIS, {d} experts, C = {few}, K = {long:,}", experts.log_z(), runs, repeats)


if __name__ == "__main__":
    main(tiny=sys.argv[1:] == ["--tiny"])
