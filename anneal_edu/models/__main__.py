"""List the stored models, or train some of them again, into a folder of yours: python -m anneal_edu models --help"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from anneal_edu.data import load_cifar10
from anneal_edu.data.files import binary_images, rbm_arrays
from anneal_edu.distributions import BinaryRBM, Enumerable, GaussianRBM
from anneal_edu.models import CIFAR_RECIPES, GAUSSIAN_RECIPES, IMAGE_RECIPES, MNIST_RECIPES, RECIPES
from anneal_edu.models.images import image_arrays
from anneal_edu.models.knots import fit_knots
from anneal_edu.models.stored import load

ON_YOUR_IMAGES: dict[str, dict[str, Any]] = {"MNIST": MNIST_RECIPES, "CIFAR-10": CIFAR_RECIPES}
"""Recipes for which the images must be given: they are not part of the library."""
OWN: dict[str, dict[str, Any]] = {"digits": RECIPES, "colour patches": GAUSSIAN_RECIPES, "grey patches": IMAGE_RECIPES}


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(prog="python -m anneal_edu models", description=__doc__.split(":")[0] + ".")
    made.add_argument("names", nargs="*", metavar="NAME", help="train it again, or fit the knots (default: list all)")
    made.add_argument("--folder", type=Path, metavar="DIR", help="where the trained models are written")
    images = "IDX file of MNIST's training images, or folder of CIFAR-10's in its binary version, for their models"
    made.add_argument("--images", type=Path, metavar="FILE", help=images)
    return made


def images_for(names: list[str], file: Path | None) -> np.ndarray | None:
    """The images where they are wanted; a ValueError where they are wanted and missing, or given for nothing."""
    wanted = {whose: [n for n in names if n in recipes] for whose, recipes in ON_YOUR_IMAGES.items()}
    of_images = [(whose, name) for whose, named in wanted.items() for name in named]
    if file is None and of_images:
        raise ValueError(f"{of_images[0][1]} needs --images FILE, {of_images[0][0]}'s training images")
    if file is None:
        return None
    if not of_images:
        known = ", ".join(name for recipes in ON_YOUR_IMAGES.values() for name in recipes)
        raise ValueError(f"--images is for {known}, and none of these is named")
    if wanted["CIFAR-10"]:
        return load_cifar10(file)
    images, how = binary_images(file)
    if images.shape[1] != 28**2:
        raise ValueError(f"--images must hold images of 784 pixels, got {images.shape[1]}")
    print(how)
    return images


def main(argv: list[str], folder: Path | None = None) -> None:
    """List all models, or train the named ones: written to --folder in single precision, or those of MNIST in half.

    "knots" fits the knots of the splines to three of them, once these are as they should be.
    """
    recipes = RECIPES | GAUSSIAN_RECIPES | IMAGE_RECIPES
    known = {name: whose for whose, some in (OWN | ON_YOUR_IMAGES).items() for name in some}
    door = parser()
    args = door.parse_args(argv)
    if not args.names:
        for name, whose in known.items():
            print(f"{name:27}{type(load(name)).__name__} of {whose}, {load(name).dim} numbers each")
        return
    if unknown := [name for name in args.names if name not in [*known, "knots"]]:
        raise SystemExit(f"no model is called {', '.join(unknown)}; there are {', '.join(known)}, and knots")
    folder = args.folder or folder
    try:
        if folder is None or not os.access(folder, os.W_OK) or folder.samefile(Path(__file__).parent):
            raise ValueError(f"--folder must be one that can be written, and not the library's own, got {folder}")
        images = images_for(args.names, args.images)
    except (ValueError, OSError) as error:
        door.exit(2, f"error: {error}\n")
    for name in args.names:
        if name == "knots":
            fit_knots(folder)
        elif images is not None and name in MNIST_RECIPES:
            write(folder / f"{name}.npz", MNIST_RECIPES[name].train(images), np.float16)
        elif name in CIFAR_RECIPES:
            write(folder / f"{name}.npz", CIFAR_RECIPES[name].train(images), np.float32)
        else:
            write(folder / f"{name}.npz", recipes[name].train(), np.float32)


def write(file: Path, model: Any, precision: type[np.floating]) -> None:
    """Store a model, and say its log Z where it can be counted."""
    arrays = rbm_arrays(model) if isinstance(model, BinaryRBM | GaussianRBM) else image_arrays(model)
    stored: dict[str, Any] = {part: array.astype(precision) for part, array in arrays.items()}
    np.savez_compressed(file, **stored)
    name = file.stem
    print(f"{name}: log Z = {model.log_z():.2f}" if isinstance(model, Enumerable) and model.enumerable else name)


if __name__ == "__main__":
    main(sys.argv[1:])
