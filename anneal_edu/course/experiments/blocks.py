"""AIS in blocks of chains: on any executor, resumable after a kill, with the same numbers however it was run."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass, field

import numpy as np
from tqdm.auto import tqdm

from anneal_edu.annealing.ais import AISResult, ais
from anneal_edu.annealing.reverse import ReverseAISResult, reverse_ais
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.geometric import Path
from anneal_edu.validation import as_count, as_schedule
from anneal_edu.workers import one_blas_thread


@dataclass(frozen=True, eq=False)
class BlockedAIS:
    """A run of `ais`, or of `reverse_ais`, cut into blocks of chains, each with random numbers of its own.

    Block i draws from SFC64 seeded by (seed, i), and matrix products run in one thread: what a block returns depends on
    nothing else, neither on the number of workers nor on what ran before. While it runs, BLAS has one thread for
    everybody in this process, see `one_blas_thread`.

    Parameters
    ----------
    path : callable, beta -> Distribution
        Can be pickled, as the paths of the library can.
    schedule : (K+1,) array
    n_chains : int
        Number of chains C in all.
    seed : int
    block_size : int
        Chains a block; the last one may be smaller.
    kernel : callable, (distribution, x, rng) -> x
        Can be pickled: one of the library's, or a function of a module of your own.
    samples : (C, D) array, optional
        Draws of the target, from which reverse AIS starts; without them AIS is run forward.
    """

    path: Path
    schedule: np.ndarray
    n_chains: int
    seed: int
    block_size: int = 500
    kernel: Kernel = gibbs
    samples: np.ndarray | None = field(default=None, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "schedule", as_schedule("schedule", self.schedule))
        for name in ("n_chains", "block_size"):
            as_count(name, getattr(self, name))
        as_count("seed", self.seed, minimum=0)

    def block(self, i: int) -> AISResult:
        """Run block i."""
        first, last = i * self.block_size, min((i + 1) * self.block_size, self.n_chains)
        key = (i,) if self.samples is None else (i, 1)
        rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(self.seed, spawn_key=key)))
        with one_blas_thread():
            if self.samples is None:
                return ais(self.path, self.schedule, last - first, self.kernel, rng=rng)
            return reverse_ais(self.path, self.schedule, self.samples[first:last], self.kernel, rng=rng)

    def fingerprint(self) -> str:
        """Hash of what the numbers depend on, by which block files of another run are told apart.

        Of the path it sees the log densities of four draws, at up to a hundred points of the schedule.
        """
        digest = hashlib.sha256(f"{self.seed} {self.n_chains} {self.block_size}".encode())
        digest.update(pickle.dumps(self.kernel))  # a function goes by its name, a kernel with settings by these
        digest.update(self.schedule.tobytes())
        if self.samples is not None:
            digest.update(b"reverse" + np.ascontiguousarray(self.samples).tobytes())
        with one_blas_thread():
            x = self.path(0.0).sample(4, np.random.default_rng(0)).astype(np.float64)
            for beta in self.schedule[:: max(1, len(self.schedule) // 100)]:
                digest.update(self.path(beta).log_density(x).tobytes())
            digest.update(self.path(1.0).log_density(x).tobytes())
        return digest.hexdigest()[:16]

    def run(self, how: Run = HERE) -> AISResult:
        """Run every block and join them, with a progress bar of one unit a block where it is asked for.

        Examples
        --------
        >>> import anneal_edu as ae
        >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]]))
        >>> BlockedAIS(path, ae.linear_schedule(5), n_chains=25, seed=0, block_size=10).run().log_weights.shape
        (25,)
        """
        wanted = [(i,) for i in range(-(-self.n_chains // self.block_size))]
        work = "ais" if how.folder is None else f"ais-{self.fingerprint()}"
        results = how.each(work, self.block, wanted, AISResult, ReverseAISResult)
        blocks = list(tqdm(results, total=len(wanted), desc="blocks", disable=not how.progress))
        return type(blocks[0])(
            np.concatenate([block.log_weights for block in blocks]),
            np.concatenate([block.samples for block in blocks]),
            blocks[0].bootstrap_seed,
        )
