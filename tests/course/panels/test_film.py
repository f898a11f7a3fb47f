"""Films: what is recorded is what is drawn, and the picture behind it stands still."""

import numpy as np
import pytest

from anneal_edu.course import panels
from anneal_edu.course.figures import LectureFigure
from anneal_edu.course.figures.film import Film
from tests.course.panels.conftest import PANELS


def test_what_is_recorded_is_what_was_given():
    (ax,) = LectureFigure().columns(1)
    ax.set(xlim=(0, 4), ylim=(-1, 1))
    x, ends = np.arange(6.0).reshape(3, 2), np.full((3, 4, 1), np.nan)
    ends[1] = 0.5
    film = Film(now=1, rate=2.0)
    film.dots(ax, "dots", x, np.zeros((3, 2)), ["black", "white"], radius=4.0)
    film.links(ax, "links", ends, "swapping")
    film.words(ax, "words", 0.0, 0.0, ["a", "b", "c"])
    dots, links, words = film.recorded()["views"][0]["layers"]
    assert np.frombuffer(dots["arrays"]["x"], np.float32).reshape(3, dots["rows"]["x"]).tolist() == x.tolist()
    np.testing.assert_array_equal(np.frombuffer(links["arrays"]["ends"], np.float32).reshape(3, 4), ends[..., 0])
    assert words["texts"] == ["a", "b", "c"] and film.recorded()["moments"] == 3
    assert dots["limits"] == [0, 4, -1, 1] and all(0 <= share <= 1 for share in dots["box"])
    drawn = {artist.get_gid(): artist for artist in film.drawn()}
    assert drawn["dots"].get_offsets().tolist() == [[2, 0], [3, 0]] and drawn["words"].get_text() == "b"


@pytest.mark.parametrize("kind", [panels.OneLadder, panels.AnnealedWalk])
def test_behind_a_film_the_picture_stands_still(kind):
    panel = kind()
    still, film, whole = panel._stage.png, panel._stage.film, panel.figure.png()
    panel.moment.value = 20
    assert panel._stage.png == still and panel._stage.film == film
    assert panel.figure.png() != whole
    panel.close()


@pytest.mark.parametrize("name", [name for name, kind in PANELS.items() if kind.plays])
def test_a_film_is_at_the_step_of_its_slider(quick_panel, monkeypatch, name):
    """The player shows that moment before the kernel has drawn it."""
    films, recorded = [], Film.recorded
    monkeypatch.setattr(Film, "recorded", lambda film: films.append(film) or recorded(film))
    panel = quick_panel(PANELS[name])
    for scene in panel.scenes:
        panel.show(scene)
        time = getattr(panel, panel.plays)
        assert not films or films[-1].now == round((time.value - time.min) / time.step)
