"""Colours as colour-blind readers see them: python tools/colour_vision.py PICTURE.png …

Writes each picture beside itself as it looks in deuteranopia, in protanopia and in grey. The matrices are those of
Machado, Oliveira and Fernandes (2009), "A physiologically-based model for simulation of color vision deficiency", IEEE
Transactions on Visualization and Computer Graphics 15(6), at severity 1; they act on linear RGB.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

DICHROMATS = {
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)  # of sRGB, whose white is D65


def linear(rgb: np.ndarray) -> np.ndarray:
    """From sRGB in [0, 1] to amounts of light, both (..., 3)."""
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def encoded(light: np.ndarray) -> np.ndarray:
    """From amounts of light to sRGB in [0, 1], both (..., 3)."""
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def seen(rgb: np.ndarray, how: str) -> np.ndarray:
    """sRGB colours (..., 3) as seen in "deuteranopia", in "protanopia", in "grey" or by "most" readers."""
    rgb = np.asarray(rgb, dtype=float)
    if how == "grey":
        luminance = linear(rgb) @ _TO_XYZ[1]
        return np.repeat(encoded(luminance)[..., None], 3, axis=-1)
    return rgb if how == "most" else encoded(np.clip(linear(rgb) @ DICHROMATS[how].T, 0, 1))


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB coordinates of an sRGB colour, (..., 3): lightness L* from 0 to 100, a*, b*.

    Examples
    --------
    >>> lab(np.array([1.0, 0.0, 0.0])).round(1)
    array([53.2, 80.1, 67.2])
    """
    ratio = linear(np.asarray(rgb, dtype=float)) @ _TO_XYZ.T / _TO_XYZ.sum(1)
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = np.moveaxis(f, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def distance(rgb: np.ndarray, other: np.ndarray, how: str) -> float:
    """ΔE of two sRGB colours (3,): their distance in CIELAB, as they are `seen`."""
    return float(np.linalg.norm(lab(seen(rgb, how)) - lab(seen(other, how))))


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        pixels = np.asarray(Image.open(path).convert("RGB")) / 255
        for how in (*DICHROMATS, "grey"):
            picture = Image.fromarray((255 * seen(pixels, how)).round().astype(np.uint8))
            picture.save(path.with_name(f"{path.stem}_{how}.png"))
