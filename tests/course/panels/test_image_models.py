"""The panel of notebook 09 and the stored patches behind it, and what the notebook says about them."""

import json

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.hamiltonian_images import (
    PAPER,
    REFERENCE,
    SCALES,
    paired_difference,
    separate_error,
    stored_patches,
    stored_points,
)
from anneal_edu.course.figures import LectureFigure, image_models
from anneal_edu.course.panels import ImageModels
from anneal_edu.course.panels.image_models import NAMES, SHARES, flat_patches, gains
from anneal_edu.models.images import image_patches
from recipes.hais_patches import store_patches

FLAT = flat_patches()
RICH = ~FLAT


def test_the_stored_patches_average_to_the_stored_table():
    points = stored_points()
    for row in stored("hais_table1_quick")["rows"]:
        mean = row["log_likelihood"] if row["exact"] is None else row["exact"]
        assert points[row["model"]].mean() == pytest.approx(mean, abs=1e-3)
    assert set(points) == {REFERENCE, *PAPER}


@pytest.mark.parametrize("name", ["image_laplace_experts", "image_mean_covariance", "image_student_t_experts"])
def test_stored_patches_of_an_analysis_model_differ_as_its_densities_do(name):
    """They share one log Z."""
    x = stored_patches()
    log_z = ae.models.load(name).log_density(x) - stored_points()[name]
    assert np.ptp(log_z) < 1e-3


def test_exact_patches_are_exact():
    x = stored_patches()
    exact = ae.models.load("image_linear_gaussian").log_density(x)
    np.testing.assert_allclose(stored_points()["image_linear_gaussian"], exact, atol=1e-3)


def test_the_stored_patches_are_written_as_they_are_read(tmp_path):
    store_patches(tmp_path / "runs", tmp_path, SCALES["tiny"])
    found = json.loads((tmp_path / "hais_table1_points.json").read_text(encoding="utf-8"))["points"]
    assert list(found) == [REFERENCE, *PAPER]
    assert all(len(of["log_likelihoods"]) == len(of["errors"]) == 5 for of in found.values())
    exact = ae.models.load("image_linear_gaussian").log_density(image_patches().held_out[:5])
    np.testing.assert_allclose(found["image_linear_gaussian"]["log_likelihoods"], exact, atol=1e-4)
    assert [set(found[name]["errors"]) == {0.0} for name in found] == [True, True, *5 * [False]]
    with np.load(tmp_path / "hais_table1_patches.npz") as kept:
        np.testing.assert_array_equal(kept["patches"], image_patches().held_out[:5])


def test_pairing_removes_what_all_models_find_hard():
    rng = np.random.default_rng(0)
    hard, n = 30 * rng.normal(size=4000), 4000
    first, second = hard + rng.normal(size=n), hard + rng.normal(size=n)
    _, paired = paired_difference(first, second)
    assert paired == pytest.approx(np.sqrt(2 / n), rel=4.5 / np.sqrt(2 * n))
    assert separate_error(first, second) > 20 * paired


def test_gains_at_both_ends_and_in_the_middle_are_paired_differences():
    points, means = stored_points(), gains("image_bilinear")[0]
    assert FLAT.sum() == RICH.sum() == 50
    for share, mask in ((0, RICH), (50, FLAT | RICH), (100, FLAT)):
        expected = [paired_difference(points[name][mask], points["image_bilinear"][mask]) for name in PAPER]
        np.testing.assert_allclose(np.array(gains("image_bilinear"))[:, share, 1:].T, expected, rtol=0.011, atol=1e-9)
    np.testing.assert_allclose(means, means[0] + SHARES[:, None] * (means[100] - means[0]), atol=1e-9)


def test_the_best_model_depends_on_the_share_of_flat_patches():
    """Notebook 09: a draw at 42%; the paper's order from 31% to 42%; Student-t last below 11%."""
    likelihoods, names = gains()[0][:, 1:], list(PAPER)
    student, bilinear = names.index("image_student_t_experts"), names.index("image_bilinear")
    assert np.flatnonzero(likelihoods[:, student] > likelihoods[:, bilinear]).tolist() == list(range(43, 101))
    ours = np.flatnonzero((likelihoods.argsort(axis=1) == range(6)).all(1))
    assert ours.tolist() == list(range(31, 43))
    assert np.flatnonzero(likelihoods.argmin(1) == student).tolist() == list(range(11))


@pytest.mark.parametrize("model", NAMES)
def test_the_sentence_holds_at_every_share(model, quick_panel):
    """First is who is first; undecided, what is not beyond three errors."""
    panel, likelihoods = quick_panel(ImageModels, model=model), gains()[0][:, 1:]
    for share in range(0, 101, 3):
        panel.share.value = share
        first = panel.takeaway.split(" goes to the ")[1].split(",")[0].removesuffix(" model")
        best = next(label for label in NAMES if label.replace(",", "") == first)
        assert NAMES[best] == list(PAPER)[likelihoods[share].argmax()]
        gap, error = map(float, panel.takeaway.split(", ")[2].split(" nats")[0].split(" ± "))
        assert ("undecided" in panel.takeaway) == (gap < 3 * error) or abs(gap - 3 * error) < 2.1


def test_student_t_experts_peak_above_what_the_noise_allows_a_generative_model():
    points, x = stored_points(), stored_patches()
    model = ae.models.load("image_student_t_experts")
    log_z = (model.log_density(x) - points["image_student_t_experts"]).mean()
    ceiling = -18 * np.log(2 * np.pi * 0.1**2)
    assert -log_z > ceiling + 10
    assert all(points[name].max() < ceiling for name in ("image_linear_laplace", "image_bilinear"))


def test_signed_pictures_use_all_greys_and_leave_zero_in_the_middle():
    ax = LectureFigure().columns(1)[0]
    pictures = np.zeros((3, 4, 4))
    pictures[0, 0, 0], pictures[0, 1, 1], pictures[1, 2, 2] = 5.0, -2.5, -0.1
    image_models.signed_pictures(ax, "p", pictures, 3, weights=np.array([1.0, 0.5, 0.25]))
    shown = ax.get_images()[0].get_array()
    assert (shown[0, 0], shown[1, 1], shown[2, 7], shown[3, 3]) == (0.0, 0.75, 1.0, 0.5)
    assert [text.get_text() for text in ax.texts] == ["1.00", "0.50", "0.25"]
