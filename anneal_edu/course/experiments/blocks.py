"""AIS in blocks of chains: on any executor, resumable after a kill, with the same numbers however it was run."""

from __future__ import annotations

import hashlib
import pickle
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass, field
from pathlib import Path as File

import numpy as np
from tqdm.auto import tqdm

from anneal_edu.annealing.ais import AISResult, ais
from anneal_edu.annealing.reverse import ReverseAISResult, reverse_ais
from anneal_edu.course.experiments.kept_rows import keep_arrays, kept_arrays, reading
from anneal_edu.course.experiments.workers import one_blas_thread
from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.geometric import Path
from anneal_edu.validation import as_count, as_schedule


@dataclass(frozen=True, eq=False)
class BlockedAIS:
    """A run of `ais` cut into blocks of chains, each with random numbers of its own.

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
    """

    path: Path
    schedule: np.ndarray
    n_chains: int
    seed: int
    block_size: int = 500
    kernel: Kernel = gibbs

    def __post_init__(self):
        object.__setattr__(self, "schedule", as_schedule("schedule", self.schedule))
        for name in ("n_chains", "block_size"):
            as_count(name, getattr(self, name))
        as_count("seed", self.seed, minimum=0)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return -(-self.n_chains // self.block_size)

    def block(self, i: int) -> AISResult:
        """Run block i."""
        rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(self.seed, spawn_key=(i,))))
        with one_blas_thread():
            return ais(self.path, self.schedule, self._size(i), self.kernel, rng=rng)

    def _size(self, i: int) -> int:
        return min(self.block_size, self.n_chains - i * self.block_size)

    def fingerprint(self) -> str:
        """Hash of what the numbers depend on, by which block files of another run are told apart.

        Of the path it sees the log densities of four draws, at up to a hundred points of the schedule.
        """
        digest = hashlib.sha256(f"{self.seed} {self.n_chains} {self.block_size}".encode())
        digest.update(pickle.dumps(self.kernel))  # a function goes by its name, a kernel with settings by these
        digest.update(self.schedule.tobytes())
        with one_blas_thread():
            x = self.path(0.0).sample(4, np.random.default_rng(0)).astype(np.float64)
            for beta in self.schedule[:: max(1, len(self.schedule) // 100)]:
                digest.update(self.path(beta).log_density(x).tobytes())
            digest.update(self.path(1.0).log_density(x).tobytes())
        return digest.hexdigest()[:16]

    def run(self, executor: Executor | None = None, folder: File | None = None, progress: bool = False) -> AISResult:
        """Run every block and join them.

        Parameters
        ----------
        executor : concurrent.futures.Executor, optional
            Where the blocks run: a process pool, Dask's ``client.get_executor()``, …; by default here, one by one.
        folder : Path, optional
            Finished blocks are kept in it, and found again by a later run of the same settings.
        progress : bool
            Show a progress bar, one unit a block.

        Returns
        -------
        AISResult

        Examples
        --------
        >>> import anneal_edu as ae
        >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]]))
        >>> BlockedAIS(path, ae.linear_schedule(5), n_chains=25, seed=0, block_size=10).run().log_weights.shape
        (25,)
        """
        stem = None if folder is None else File(folder) / self.fingerprint()
        done = {} if stem is None else self._load(stem)
        missing = [i for i in range(self.n_blocks) if i not in done]
        bar = tqdm(total=self.n_blocks, initial=len(done), desc="blocks", disable=not progress)
        with bar, one_blas_thread():
            for i, result in self._results(missing, executor):
                done[i] = result
                if stem is not None:
                    keep_arrays(_block_file(stem, i), **vars(result))
                bar.update()
        blocks = [done[i] for i in range(self.n_blocks)]
        return AISResult(
            np.concatenate([block.log_weights for block in blocks]),
            np.concatenate([block.samples for block in blocks]),
            blocks[0].bootstrap_seed,
        )

    def _results(self, blocks: list[int], executor: Executor | None):
        if executor is None:
            yield from ((i, self.block(i)) for i in blocks)
            return
        futures = {executor.submit(self.block, i): i for i in blocks}
        for future in as_completed(futures):
            yield futures[future], future.result()

    def _load(self, stem: File) -> dict[int, AISResult]:
        done = {}
        for i in range(self.n_blocks):
            if (file := _block_file(stem, i)).exists():
                done[i] = _found(file, self._size(i))
        return done


def _block_file(stem: File, i: int) -> File:
    return stem.with_name(f"{stem.name}-{i:04d}.npz")


def _found(file: File, n_chains: int) -> AISResult:
    arrays = kept_arrays(file)
    with reading(file):
        result = AISResult(arrays["log_weights"], arrays["samples"], int(arrays["bootstrap_seed"]))
        if result.log_weights.shape != (n_chains,) or len(result.samples) != n_chains:
            raise ValueError(f"it should hold {n_chains} chains")
    return result


@dataclass(frozen=True, eq=False)
class BlockedReverseAIS(BlockedAIS):
    """`reverse_ais` in blocks, from given draws of the target; ``n_chains`` is their number.

    Parameters
    ----------
    samples : (n_chains, D) array
    """

    samples: np.ndarray = field(default=None, repr=False)

    def block(self, i: int) -> AISResult:
        """Run block i."""
        rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(self.seed, spawn_key=(i, 1))))
        mine = self.samples[i * self.block_size : (i + 1) * self.block_size]
        with one_blas_thread():
            return reverse_ais(self.path, self.schedule, mine, self.kernel, rng=rng)

    def fingerprint(self) -> str:
        """Hash of what the numbers depend on, the samples included."""
        samples = np.ascontiguousarray(self.samples).tobytes()
        digest = hashlib.sha256(super().fingerprint().encode() + b"reverse" + samples)
        return digest.hexdigest()[:16]

    def run(
        self, executor: Executor | None = None, folder: File | None = None, progress: bool = False
    ) -> ReverseAISResult:
        """Run every block and join them, as `BlockedAIS.run` does."""
        joined = super().run(executor, folder, progress)
        return ReverseAISResult(joined.log_weights, joined.samples, joined.bootstrap_seed)
