"""Data sets that need no network, and your own files."""

from anneal_edu.data.bars import bars_and_stripes
from anneal_edu.data.files import load_cifar10, load_idx, load_rbm, save_rbm
from anneal_edu.data.patches import GrayPatches, color_patches, gray_patches
from anneal_edu.data.sklearn_digits import digit_labels, digits

__all__ = [
    "GrayPatches",
    "bars_and_stripes",
    "color_patches",
    "digit_labels",
    "digits",
    "gray_patches",
    "load_cifar10",
    "load_idx",
    "load_rbm",
    "save_rbm",
]
