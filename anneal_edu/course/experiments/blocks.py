"""AIS in blocks of chains for long runs of the papers' experiments: the same numbers however the blocks are run."""

from __future__ import annotations

import numpy as np

from anneal_edu.annealing.ais import AISResult, ais
from anneal_edu.annealing.reverse import reverse_ais
from anneal_edu.course.experiments.run import HERE, Run
from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.geometric import Path
from anneal_edu.validation import as_count, as_schedule


def ais_in_blocks(
    path: Path,
    schedule: np.ndarray,
    n_chains: int,
    run: Run = HERE,
    block_size: int = 500,
    kernel: Kernel = gibbs,
    samples: np.ndarray | None = None,
) -> AISResult:
    """`ais`, or `reverse_ais`, in blocks of chains that any process can compute and a folder keeps.

    Block i draws from SFC64 seeded by (``run.seed``, i): the numbers do not depend on where or when it runs.

    With samples (n_chains, D), draws of the target, AIS runs in reverse. Path and kernel must be picklable, as those of
    the library are.
    """
    schedule, size = as_schedule("schedule", schedule), as_count("block_size", block_size)
    wanted = []
    for i, begin in enumerate(range(0, as_count("n_chains", n_chains), size)):
        end = min(begin + size, n_chains)
        starts = None if samples is None else samples[begin:end]
        wanted.append((path, schedule, end - begin, kernel, run.seed, i, starts))
    blocks = list(run.each(block, wanted))
    log_weights, states = (np.concatenate([getattr(b, name) for b in blocks]) for name in ("log_weights", "samples"))
    return type(blocks[0])(log_weights, states, blocks[0].bootstrap_seed)


def block(
    path: Path, schedule: np.ndarray, n: int, kernel: Kernel, seed: int, i: int, samples: np.ndarray | None
) -> AISResult:
    """Chains of block i, with random numbers of their own."""
    key = (i,) if samples is None else (i, 1)
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=key)))
    if samples is None:
        return ais(path, schedule, n, kernel, rng=rng)
    return reverse_ais(path, schedule, samples, kernel, rng=rng)
