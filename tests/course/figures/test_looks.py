"""Things that are seen together look different: to most readers, in deuteranopia, in protanopia and in grey.

Three things can tell a pair apart: its shape (line style and marker), its colours, and their lightness, which is what
a grey copy keeps. Shape carries every pair, so that colour alone never carries a meaning; colour carries every pair as
well, for dichromats, too. Where only areas are seen, colour and lightness have to suffice.
"""

import tomllib
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import colour_vision
from anneal_edu.course.figures import STYLES

COMPANIES = tomllib.loads(Path(__file__).with_name("companies.toml").read_text(encoding="utf-8"))
READERS = ("most", *colour_vision.DICHROMATS)
APART = 15.0  # ΔE: a just noticeable difference is about 2.3, between large fields side by side
LIGHTER = 10.0  # differences of L*
PALEST = 75.0  # L* of the lightest line on white, which has 100

NAMES = [tuple(names) for names in COMPANIES["together"]]
PAIRS = sorted({tuple(sorted(pair)) for names in NAMES for pair in combinations(names, 2)})
AREAS = [(pair, areas["alpha"]) for areas in COMPANIES["areas"] for pair in combinations(areas["names"], 2)]


def colours(pair, alpha=1.0):
    """sRGB of both on white paper."""
    return [1 - alpha + alpha * np.array(to_rgb(STYLES[name]["color"])) for name in pair]


def pattern(linestyle):
    """Of a line: how many strokes a period has, how much of it is ink, its length, and shortest over longest stroke."""
    if linestyle == "-":
        return 0, 1.0, 1.0, 1.0
    strokes, gaps = linestyle[1][::2], linestyle[1][1::2]
    period = sum(strokes) + sum(gaps)
    return len(strokes), sum(strokes) / period, period, min(strokes) / max(strokes)


def same_line(one, other):
    (n, ink, period, even), (m, other_ink, other_period, other_even) = map(pattern, (one, other))
    longer = max(period, other_period) / min(period, other_period)
    return n == m and abs(ink - other_ink) < 0.1 and longer < 1.5 and abs(even - other_even) < 0.2


def told_by_shape(pair):
    """Whether both markers and, where both have one, both lines differ."""
    one, other = (STYLES[name] for name in pair)
    lines = [look["linestyle"] for look in (one, other) if look["linestyle"] != "None"]
    return one["marker"] != other["marker"] and (len(lines) < 2 or not same_line(*lines))


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_a_pair_is_told_apart_by_shape_and_by_colour(pair):
    assert told_by_shape(pair)
    one, other = colours(pair)
    distances = {reader: colour_vision.distance(one, other, reader) for reader in READERS}
    assert min(distances.values()) >= APART, distances


@pytest.mark.parametrize("pair, alpha", AREAS, ids=str)
def test_areas_are_told_apart_by_colour_and_by_lightness(pair, alpha):
    one, other = colours(pair, alpha)
    assert min(colour_vision.distance(one, other, reader) for reader in READERS) >= APART
    assert colour_vision.distance(one, other, "grey") >= LIGHTER


def test_every_look_has_company_and_can_be_seen_on_white():
    assert {name for names in NAMES for name in names} == set(STYLES)
    for name, look in STYLES.items():
        assert colour_vision.lab(to_rgb(look["color"]))[0] <= PALEST, name


KNOWN = {"#ffffff": (100, 0, 0), "#000000": (0, 0, 0), "#777777": (50.03, 0, 0), "#ff0000": (53.24, 80.09, 67.20)}
KNOWN |= {"#00ff00": (87.73, -86.18, 83.18), "#0000ff": (32.30, 79.19, -107.86)}


@pytest.mark.parametrize("colour", KNOWN)
def test_known_colours_of_cielab(colour):
    np.testing.assert_allclose(colour_vision.lab(to_rgb(colour)), KNOWN[colour], atol=0.03)


@pytest.mark.parametrize("how", colour_vision.DICHROMATS)
def test_a_dichromat_has_two_dimensions_of_colour_and_sees_greys_as_they_are(how):
    for grey in (0.0, 0.2, 0.7, 1.0):
        np.testing.assert_allclose(colour_vision.seen([grey] * 3, how), grey, atol=1e-5)
    strengths = np.linalg.svd(colour_vision.DICHROMATS[how], compute_uv=False)
    assert strengths[2] < 0.05 * strengths[1]


def test_red_and_green_of_equal_light_are_one_grey():
    found = [colour_vision.seen(rgb, "grey") for rgb in ((1.0, 0.0, 0.0), (0.0, 0.5778, 0.0))]
    np.testing.assert_allclose(found[0], 0.4986, atol=1e-3)
    np.testing.assert_allclose(colour_vision.encoded(colour_vision.linear(np.array([0.02, 0.5]))), [0.02, 0.5])
    assert abs(found[1][0] - found[0][0]) < 0.02
