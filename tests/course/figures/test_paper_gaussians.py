"""The figures of notebooks 02 and 03: drawn on fresh and on used Axes, with what they are meant to show."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.figures import LectureFigure, paper_gaussians

BOTH = ("geometric", "moments")
BETAS = np.linspace(0, 1, 5)
MEANS = np.column_stack([BETAS, BETAS**2])


def cloud():
    return np.zeros(2), np.eye(2)


def runs():
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]]))
    results = [ae.ais(path, ae.linear_schedule(n), 50, ae.exact, rng=np.random.default_rng(n)) for n in (10, 100)]
    return {("geometric", "linear"): results, ("moments", "optimal binned"): results}


def each(values):
    return {style: np.array(values) for style in BOTH}


DRAWINGS = {
    "figure one": lambda ax: paper_gaussians.figure_one(
        ax, dict.fromkeys(("start", "target", *BOTH), cloud()), dict.fromkeys(BOTH, MEANS)
    ),
    "figure two": lambda ax: paper_gaussians.figure_two([ax], np.array([10, 100]), {"perfect": runs()}),
    "objectives": lambda ax: paper_gaussians.objective_rises(
        ax, BETAS - 0.5, each((BETAS - 0.5) ** 2), {"moments": "m"}
    ),
    "step costs": lambda ax: paper_gaussians.step_costs(ax, each([3.0, 1.0, 0.1])),
    "along the path": lambda ax: paper_gaussians.along_path(ax, BETAS, each(BETAS), "correlation"),
    "two directions": lambda ax: paper_gaussians.forward_and_reverse(
        ax, np.array([1, 10, 100]), each([1.5, 1.2, 1.0]), each([0.5, 0.8, 1.0]), "K δ / F"
    ),
    "lengths": lambda ax: paper_gaussians.path_lengths(ax, BETAS + 1, each(BETAS), {"geometric": "ℓ = d"}),
    "bins": lambda ax: paper_gaussians.shares_of_bins(ax, each([0.4, 0.1, 0.1, 0.4]), "shares"),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_second_call_moves_the_same_artists(name):
    figure = LectureFigure()
    (ax,) = figure.columns(1)
    DRAWINGS[name](ax)
    once, n_artists = figure.png(), len(ax.get_children())
    DRAWINGS[name](ax)
    assert len(ax.get_children()) == n_artists
    assert figure.png() == once


def test_figure_two_joins_linear_schedules_and_says_colours_and_markers_once():
    axes = LectureFigure().columns(1, 1)
    paper_gaussians.figure_two(axes, np.array([10, 100]), {"perfect": runs(), "Gibbs": runs()})
    lines = {line.get_gid(): line for line in axes[1].get_lines()}
    assert lines["geometric linear"].get_linestyle() == "-"
    assert lines["moments optimal binned"].get_linestyle() == "None"
    assert lines["moments optimal binned"].get_markerfacecolor() == "white"
    said = [[text.get_text() for text in ax.get_legend().get_texts()] for ax in axes]
    assert said == [["geometric", "moments", "truth"], ["linear schedule", "optimal binned"]]
    assert [ax.get_title(loc="left") for ax in axes] == ["log Ẑ, perfect transitions", "log Ẑ, Gibbs transitions"]


def test_a_heavy_chain_is_seen_in_the_weight_and_not_among_the_chains():
    axes = LectureFigure().columns(1, 1)
    paper_gaussians.chains_and_weight(axes, {"geometric": np.append(np.full(99, -50.0), 0.0)}, low=-60.0, near=-8.0)
    outlines = [line for ax in axes for line in ax.get_lines() if line.get_gid() == "geometric"]
    assert [line.get_ydata().max() for line in outlines] == pytest.approx([0.99, 1.0])
    assert [ax.get_xlim()[0] for ax in axes] == [-60, -8]


def test_chains_beyond_the_left_end_are_counted_in_words():
    axes = LectureFigure().columns(1, 1)
    paper_gaussians.chains_and_weight(axes, {"moments": np.array([-100.0, -1.0, 0.0, 0.0])}, low=-60.0, near=-8.0)
    assert any("25% further left" in text.get_text() for text in axes[0].texts)


def test_a_random_walk_that_misses_by_a_nat_is_seen_beside_one_that_misses_by_a_hundred():
    left, right = LectureFigure().columns(1, 1)
    walks = {"geometric": -0.4, "moments": -1.0, "Hellinger": -134.1}
    found = {style: {"perfect": 0.0, "random walk": miss} for style, miss in walks.items()}
    for _ in range(2):
        paper_gaussians.walkable([left, right], BETAS, dict.fromkeys(walks, BETAS), found)
    words = [text.get_text() for text in right.texts]
    assert words == ["truth: log Z = 0", "−0.4", "−1.0", "−134.1"]
    places = right.transData.transform([(0, 0), *((0, miss) for miss in walks.values())])[:, 1]
    assert (-np.diff(places) > 0.07 * right.bbox.height).all()
