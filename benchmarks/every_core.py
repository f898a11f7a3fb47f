"""What the default calls take on all cores: against the products that cannot be avoided, against one worker, and JAX.

The first lines are AIS of RBMs with 1,000 chains. The two products of a step, v @ W and h @ Wᵀ, are timed with all BLAS
threads; the loop in JAX is the same algorithm, in float32, compiled as a whole. Where the small model's log Z can be
enumerated both errors are shown: a fast wrong number is of no use. JAX is no dependency; without it its lines are left
out (pip install jax).

Claims, on two cores of an AMD EPYC, with AVX-512 and, in brackets, with its instructions disabled: a step of 784×500
takes at most 1.6 (1.7) times its two products, between knots 1.5 (1.6) times its three, and about as long as the
compiled loop; with 20 hidden units the compiled loop takes 1.4 (1.1) times as long. rbm_annealing_step.py has one block
in one thread. Which of its loops numpy uses is printed.
"""

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.lib.introspect import opt_func_info

import anneal_edu as ae
from anneal_edu.workers import n_cores

try:
    import jax
except ImportError:
    jax = None

FULL, TINY = (1000, 784, (500, 20), (40, 200), 5), (5, 4, (3, 2), (3, 3), 1)  # chains, D, H, steps, repeats


def timed(*works: Callable[[], object], repeats: int) -> list[float]:
    """Seconds of each, the fastest of several rounds in which all take turns."""
    seconds = [[] for _ in works]
    for _ in range(repeats):
        for times, work in zip(seconds, works, strict=True):
            begin = time.perf_counter()
            work()
            times.append(time.perf_counter() - begin)
    return [min(times) for times in seconds]


def random_rbm(D: int, H: int, rng: np.random.Generator) -> ae.BinaryRBM:
    """Parameters of about the size that training leads to."""
    return ae.BinaryRBM(0.05 * rng.normal(size=(D, H)), 0.5 * rng.normal(size=D), 0.5 * rng.normal(size=H))


def products(C: int, rbm: ae.BinaryRBM, n_products: int, n_steps: int) -> None:
    """The products of so many steps, and nothing else."""
    W = rbm.single_precision[0]
    v, h = np.zeros((C, rbm.dim), np.float32), np.zeros((C, rbm.n_hidden), np.float32)
    for _ in range(n_steps):
        np.matmul(h, W.T, out=v)
        for _ in range(n_products - 1):
            np.matmul(v, W, out=h)


def ais_in_jax(rbm: ae.BinaryRBM, schedule: np.ndarray, C: int) -> Callable[[int], float]:
    """AIS from the uniform RBM as a user of JAX would write it: seed -> log Ẑ."""
    numpy = jax.numpy
    W, b, c = (numpy.asarray(a) for a in rbm.single_precision)
    betas = numpy.asarray(schedule, numpy.float32)

    def step(carried, now):
        v, log_w, key, before = carried
        key, of_h, of_v = jax.random.split(key, 3)
        slope = v @ W + c
        log_w += (jax.nn.softplus(now * slope) - jax.nn.softplus(before * slope)).sum(1) + (now - before) * (v @ b)
        h = jax.random.bernoulli(of_h, jax.nn.sigmoid(now * slope)).astype(numpy.float32)
        v = jax.random.bernoulli(of_v, jax.nn.sigmoid(now * (h @ W.T + b))).astype(numpy.float32)
        return (v, log_w, key, now), None

    @jax.jit
    def log_z(key):
        key, of_v = jax.random.split(key)
        v = jax.random.bernoulli(of_v, 0.5, (C, rbm.dim)).astype(numpy.float32)
        (_, log_w, _, _), _ = jax.lax.scan(step, (v, numpy.zeros(C), key, numpy.float32(0)), betas[1:])
        return jax.scipy.special.logsumexp(log_w) - numpy.log(C) + (rbm.dim + rbm.n_hidden) * numpy.log(2.0)

    return lambda seed: float(log_z(jax.random.key(seed)))


def annealing(C: int, D: int, H: int, K: int, repeats: int, rng: np.random.Generator) -> None:
    """Steps of AIS from the uniform RBM and between two knots."""
    start, knot, rbm = ae.uniform_rbm(D, H), random_rbm(D, H, rng), random_rbm(D, H, rng)
    between = ae.spline_path([0, 1e-9, 1], [start, knot, rbm])  # the first step leads to the knot, all others from it
    schedule = ae.linear_schedule(K)
    for said, path, n in (("from uniform", ae.geometric_path(start, rbm), 2), ("between knots", between, 3)):
        run = partial(ae.ais, path, schedule, C, rng=rng)
        works = [run, partial(run, workers=1), partial(run, workers=8), partial(products, C, rbm, n, K)]
        compiled = ais_in_jax(rbm, schedule, C) if jax and n == 2 else None
        if compiled:
            compiled(0)
            works.append(partial(compiled, 1))
        all_cores, one, eight, bare, *in_jax = (1e3 * seconds / K for seconds in timed(*works, repeats=repeats))
        print(
            f"{D}×{H}, {C:,} chains, {said}: a step {all_cores:.2f} ms (one worker {one:.2f}, eight {eight:.2f}), "
            f"{all_cores / bare:.2f} × its {n} products ({bare:.2f} ms)"
            + "".join(f", JAX {other:.2f} ms: {other / all_cores:.2f} × ours" for other in in_jax)
        )
        if compiled and rbm.enumerable:
            errors = run().log_z - rbm.log_z(), compiled(2) - rbm.log_z()
            print(f"  log Ẑ - log Z at K = {K}: ours {errors[0]:+.2f}, JAX {errors[1]:+.2f}")


def others(tiny: bool, repeats: int, rng: np.random.Generator) -> None:
    """The other samplers, with one worker and with all."""
    C, D, H, K = (5, 4, 3, 2) if tiny else (1000, 784, 500, 10)
    rbm = random_rbm(D, H, rng)
    path, rungs = ae.geometric_path(ae.uniform_rbm(D, H), rbm), ae.linear_schedule(K)
    few, d = max(2, C // 10), D // 4
    grbm = ae.GaussianRBM(0.2 * rng.normal(size=(d, H)), rng.normal(size=d), rng.normal(size=H), np.ones(d))
    start = ae.Gaussian(np.zeros(d), np.eye(d))
    experts = ae.ProductOfExperts(rng.normal(size=(d, d)) / np.sqrt(d))
    for name, run in {
        "Gaussian RBM": partial(ae.ais, ae.covariance_path(start.mean, start.cov, grbm), ae.linear_schedule(20), C),
        "parallel tempering": partial(ae.parallel_tempering, path, rungs, 10, few, keep="nothing"),
        "RTS": partial(ae.rts, path, ae.linear_schedule(10 * K), 2, 10, few, log_z=np.zeros(10 * K + 1)),
        "HAIS": partial(ae.hais, ae.geometric_path(start, experts), ae.linear_schedule(100), C),
    }.items():
        one, all_cores = timed(partial(run, rng=rng, workers=1), partial(run, rng=rng), repeats=repeats)
        print(f"{name}: {one:.2f} s with one worker, {all_cores:.2f} s with {n_cores()}: {one / all_cores:.2f} ×")


def main(tiny: bool = False) -> None:
    """RBMs of two sizes, and the other samplers."""
    print(f"numpy's tanh of float32: {opt_func_info('^tanh$')['tanh']['ff']['current']}")
    C, D, hidden, steps, repeats = TINY if tiny else FULL
    rng = np.random.default_rng(0)
    for H, K in zip(hidden, steps, strict=True):
        annealing(C, D, H, K, repeats, rng)
    others(tiny, repeats, rng)


if __name__ == "__main__":
    main(tiny=sys.argv[1:] == ["--tiny"])
