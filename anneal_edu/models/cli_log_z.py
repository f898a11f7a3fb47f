"""Estimate log Z of an RBM, and the likelihood of data: python -m anneal_edu log-z --help"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import numpy as np

from anneal_edu.data.files import binary_images, real_images, require_writable
from anneal_edu.distributions import BinaryRBM, GaussianRBM
from anneal_edu.models.examination import PATHS, STARTS, examine
from anneal_edu.models.stored import load_given

MODEL = (
    "NPZ file with the arrays weights (D, H), visible_bias (D,), hidden_bias (H,), and sigma (D,) of a Gaussian RBM: "
    "ae.data.save_rbm writes it, np.savez too, ae.BinaryRBM.from_sklearn takes scikit-learn's; or a stored model's name"
)
DATA = "IDX, NPY or NPZ file of what it was trained on; grey images are made binary at half of their range"


def read_files(args: argparse.Namespace) -> tuple[BinaryRBM | GaussianRBM, np.ndarray | None]:
    """Read the model and the data, and print their shapes."""
    rbm = load_given(args.model)
    if not isinstance(rbm, BinaryRBM | GaussianRBM):
        raise ValueError(f"log-z takes an RBM, and {args.model.name} holds a {type(rbm).__name__}")
    print(f"{args.model.name}: {rbm.dim} visible and {rbm.n_hidden} hidden units")
    if args.data is None:
        return rbm, None
    data, how = (binary_images if isinstance(rbm, BinaryRBM) else real_images)(args.data)
    print(how)
    if data.shape[1] != rbm.dim:
        raise ValueError(f"{args.model.name} has {rbm.dim} visible units, and {args.data.name} {data.shape[1]} a state")
    return rbm, data


def main(argv: list[str] | None = None) -> None:
    """Print the examination of one model."""
    command = argparse.ArgumentParser(prog="python -m anneal_edu log-z", description=__doc__.split(":")[0] + ".")
    command.add_argument("model", type=Path, metavar="MODEL.npz", help=MODEL)
    command.add_argument("--data", type=Path, metavar="FILE", help=DATA)
    command.add_argument("--steps", type=int, default=1000, metavar="K", help="annealing steps (default: %(default)s)")
    command.add_argument("--chains", type=int, default=200, metavar="C", help="chains (default: %(default)s)")
    command.add_argument("--path", choices=PATHS, default="geometric", help="averages of energies, or of moments")
    command.add_argument("--start", choices=STARTS, help="of the path (default: base-rate with --data, else uniform)")
    command.add_argument("--seed", type=int, default=0, metavar="S")
    command.add_argument("--json", type=Path, metavar="FILE", help="write what was found to this file")
    command.add_argument("--progress", action="store_true", help="show progress bars")
    args = command.parse_args(argv)
    try:
        for name, least in (("steps", 1), ("chains", 1), ("seed", 0)):
            if getattr(args, name) < least:
                raise ValueError(f"--{name} must be at least {least}, got {getattr(args, name)}")
        require_writable("--json", args.json)
        rbm, data = read_files(args)
        rng = np.random.default_rng(args.seed)
        found = examine(rbm, data, args.steps, args.chains, args.path, args.start, rng=rng, progress=args.progress)
    except (ValueError, OSError) as error:
        command.exit(2, f"error: {error}\n")
    if args.json is not None:
        names = {"model": args.model.name, "data": args.data and args.data.name, "seed": args.seed}
        args.json.write_text(json.dumps(names | found.summary(), indent=1, allow_nan=False) + "\n", encoding="utf-8")
    options = re.sub(r'(?m)^next: (?:n_)?(\w+)="?([\w.-]+)"?', r"next: --\1 \2", str(found))
    print(options.replace("--data ...", "--data FILE"))
