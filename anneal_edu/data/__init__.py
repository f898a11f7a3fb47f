"""Data sets that need no network, and the user's own files."""

from anneal_edu.data.bars import bars_and_stripes
from anneal_edu.data.files import load_idx, load_rbm, save_rbm
from anneal_edu.data.handwritten import digit_labels, digits
from anneal_edu.data.patches import color_patches, load_cifar10
from anneal_edu.data.whitened import GrayPatches, gray_patches

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
