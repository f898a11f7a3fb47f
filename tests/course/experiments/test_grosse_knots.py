"""What a knot holds, where it is known: two modes that no chain leaves, and RBMs whose ink can be counted."""

import numpy as np

import anneal_edu as ae
from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.grosse_figure4 import pictures_of
from anneal_edu.course.experiments.grosse_knots import BEGINNINGS, N_CHAINS, knots, seen_in
from anneal_edu.course.experiments.grosse_large import SCALES
from anneal_edu.course.experiments.kept import Run

D = 16
NAMES = "two modes", "uniform", "MAS"


def two_modes():
    """White pages, and black ones that have nearly all of the mass; a hidden unit holds all pixels in place."""
    return ae.BinaryRBM(np.full((D, 1), 8.0), np.full(D, -4.0), np.array([-50.0]))


def test_chains_from_black_pages_find_a_mode_that_those_from_the_data_do_not():
    knot, white = two_modes(), np.zeros((50, D))
    end = ae.BinaryRBM(np.zeros((D, 1)), np.full(D, -4.0), np.zeros(1))
    path = ae.spline_path([0, 0.5, 1], [ae.uniform_rbm(D, 1), knot, end])
    rows = list(seen_in(path, white, NAMES, seed=3))
    assert [(row.beta, row.began) for row in rows] == [(beta, began) for beta in (0, 0.5, 1) for began in BEGINNINGS]
    from_data, from_black = rows[2:4]
    assert from_data.ink < 1 and from_black.ink > D - 1
    np.testing.assert_allclose(from_data.log_f, knot.log_density(np.zeros((1, D)))[0], atol=1e-4)
    np.testing.assert_allclose(from_black.log_f, knot.log_density(np.ones((1, D)))[0], atol=1e-4)
    assert from_black.log_f - from_data.log_f > 10
    assert (from_data.pictures < 0.1).all() and (from_black.pictures > 0.9).all()
    assert abs(rows[4].ink - rows[5].ink) < 1, "without a second mode the two meet"


def test_the_ink_is_that_of_the_knots_where_chains_mix():
    """Eight comparisons; with 50 seeds none was off by more than 3.1 standard errors."""
    rng = np.random.default_rng(0)
    target = ae.BinaryRBM(0.3 * rng.normal(size=(8, 4)), 0.5 * rng.normal(size=8), 0.3 * rng.normal(size=4))
    path = ae.moment_spline_path(ae.uniform_rbm(8, 4), target, knots=2)
    states = ae.binary_states(8)
    for row in seen_in(path, states, NAMES, seed=1):
        knot = path(row.beta)
        p = np.exp(knot.log_density(states) - knot.log_z())
        ink = states.sum(1)
        spread = np.sqrt(p @ ink**2 - (p @ ink) ** 2)
        assert abs(row.ink - p @ ink) < 5 * spread / np.sqrt(N_CHAINS)
        assert knot.log_density(states).min() <= row.log_f <= knot.log_density(states).max()


def test_every_knot_of_both_splines_from_both_starts(tmp_path):
    scale = SCALES["tiny"]
    rows = knots(scale, Run(seed=0, model=two_modes(), images=np.eye(D, dtype=int), name="two modes", folder=tmp_path))
    assert len(rows) == 2 * 2 * 11 * 2
    summary = rows[-1].summary()
    assert (summary["start"], summary["path"], summary["beta"], summary["began"]) == (
        "base rate", "MAS cheap", 1.0, "black pages"
    )  # fmt: skip
    assert abs(pictures_of(summary) - rows[-1].pictures).max() <= 0.5 / 15 + 1e-6
    assert "black pages" in str(rows[-1])


ENTROPY = 206.0
"""Of independent pixels with the base rates of MNIST, made binary, in nats."""


def _knots_on_mnist(*spline: str) -> dict[tuple[float, str], dict]:
    """The stored rows of one spline, by the knot and by where the chains began."""
    rows = stored("grosse_knots_mnist")["rows"]
    found = {(r["beta"], r["began"]): r for r in rows if (r["model"], r["start"], r["path"]) == spline}
    assert len(found) == 2 * 11
    return found


def test_on_mnist_chains_meet_in_every_knot_of_the_spline_that_is_pinned_and_in_the_other_they_do_not():
    for start, least, most in (("base rate", 0, 12), ("uniform", 200, 250)):
        knots_of = _knots_on_mnist("mnist_cd25_500", start, "MAS cheap")
        apart = max(abs(r["ink"] - knots_of[beta, "black pages"]["ink"]) for (beta, _), r in knots_of.items())
        assert least <= apart < most, start
        (row,) = (r for r in stored("grosse_table2_mnist")["rows"] if (r["model"], r["start"], r["path"]) == (
            "mnist_cd25_500", start, "MAS cheap"))
        gap = row["reverse_log_z"] - row["log_z"]
        assert abs(gap) < 0.1 if start == "base rate" else gap > 1


def test_on_mnist_the_late_knots_of_mas_cheap_have_nearly_all_of_their_mass_in_a_black_frame():
    cheap = _knots_on_mnist("mnist_pcd_500", "base rate", "MAS cheap")
    for beta in (0.7, 0.8, 0.9):
        digits, pages = (cheap[beta, began] for began in BEGINNINGS)
        assert digits["ink"] < 130 and pages["ink"] > 250
        assert pages["log_f"] - digits["log_f"] > ENTROPY + 100, "digits have more states, but not so many"
    for beta in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0):
        digits, pages = (cheap[beta, began] for began in BEGINNINGS)
        assert abs(digits["ink"] - pages["ink"]) < 20, "nothing but digits is found"
    frame = pictures_of(cheap[0.9, "black pages"])[0].reshape(28, 28)
    assert min(frame[0].min(), frame[-1].min(), frame[:, 0].min(), frame[:, -1].min()) > 0.8
    assert frame[6:-6, 6:-6].max() < 0.2
