"""List the stored models, or train some of them again: python -m anneal_edu models --help"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

from anneal_edu.data import load_cifar10
from anneal_edu.data.files import binary_images, rbm_arrays
from anneal_edu.distributions import BinaryRBM, GaussianRBM
from anneal_edu.models.images import image_arrays
from anneal_edu.models.stored import RECIPES, load

TRAINED_ON = {
    "digits": "digits",
    "patches": "colour patches",
    "image": "grey patches",
    "mnist": "MNIST",
    "cifar": "CIFAR-10",
}


def family(name: str) -> str:
    """The first part of a model's name, without digits."""
    return name.split("_")[0].rstrip("0123456789")


def read_images(names: list[str], file: Path | None) -> np.ndarray | None:
    """Read the images on which the named models are trained, if they come from a file."""
    wanted = [name for name in names if family(name) in ("mnist", "cifar")]
    if file is None and wanted:
        raise ValueError(f"{wanted[0]} needs --images FILE, {TRAINED_ON[family(wanted[0])]}'s training images")
    if file is None:
        return None
    if not wanted or len({family(name) for name in names}) > 1:
        raise ValueError("--images is for models of MNIST alone, or of CIFAR-10 alone")
    if family(wanted[0]) == "cifar":
        return load_cifar10(file)
    images, how = binary_images(file)
    if images.shape[1] != 28**2:
        raise ValueError(f"--images must hold images of 784 pixels, got {images.shape[1]}")
    print(how)
    return images


def main(argv: list[str]) -> None:
    """List all models, or train the named ones."""
    command = argparse.ArgumentParser(prog="python -m anneal_edu models", description=__doc__.split(":")[0] + ".")
    command.add_argument("names", nargs="*", metavar="NAME", help="a model to be trained again (default: list all)")
    command.add_argument("--folder", type=Path, metavar="DIR", help="where the trained models are written")
    images = "IDX file of MNIST's training images, or folder of CIFAR-10's in its binary version, for their models"
    command.add_argument("--images", type=Path, metavar="FILE", help=images)
    args = command.parse_args(argv)
    if not args.names:
        for name in RECIPES:
            model = load(name)
            print(f"{name:27}{type(model).__name__} of {TRAINED_ON[family(name)]}, {model.dim} numbers each")
        return
    if unknown := [name for name in args.names if name not in RECIPES]:
        raise SystemExit(f"no model is called {', '.join(unknown)}; there are {', '.join(RECIPES)}")
    try:
        if args.folder is None or not os.access(args.folder, os.W_OK) or args.folder.samefile(Path(__file__).parent):
            raise ValueError(f"--folder must be one that can be written, and not the library's own, got {args.folder}")
        data = read_images(args.names, args.images)
    except (ValueError, OSError) as error:
        command.exit(2, f"error: {error}\n")
    for name in args.names:
        recipe: Any = RECIPES[name]
        model = recipe.train() if data is None else recipe.train(data)
        arrays = rbm_arrays(model) if isinstance(model, BinaryRBM | GaussianRBM) else image_arrays(model)
        precision = np.float16 if family(name) == "mnist" else np.float32
        stored: dict[str, Any] = {part: array.astype(precision) for part, array in arrays.items()}
        np.savez_compressed(args.folder / f"{name}.npz", **stored)
        print(args.folder / f"{name}.npz")
