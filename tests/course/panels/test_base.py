"""What every panel inherits: when it redraws, what it shows, and what it leaves behind."""

import asyncio
import base64
import gc
import weakref

import ipywidgets as widgets
import numpy as np
import pytest
from matplotlib.text import Text

from anneal_edu.course.figures import artists
from anneal_edu.course.panels import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider, steps


class Dots(Panel):
    """A fast panel: random dots, which a second control may hide."""

    title = "Dots"
    picture = "Dots on a line."
    controls = {  # noqa: RUF012
        "height": slider("height", 1.0, 0.0, 2.0, 0.1),
        "shown": choice("dots", "shown", ("shown", "hidden")),
        "seed": seed(),
    }

    def make_axes(self, figure):
        (ax,) = figure.columns(1)
        ax.set(xlim=(-4, 4), ylim=(0, 2))
        return [ax]

    def draw(self, height, shown, seed):
        x = np.random.default_rng(seed).standard_normal(20)
        if shown == "shown":
            artists.marks(self.axes[0], "dots", x, np.full(20, height), "estimate")
        if height == 2.0:
            raise ArithmeticError("too high")
        return Readout(f"The dots are {height:g} high.", {"first": f"{x[0]:.3f}"})


class Sums(Panel):
    """A slow panel, which remembers what it has computed."""

    title = "Sums"
    picture = "One bar."
    controls = {"n": steps("n", 10, (10, 100, 1000)), "colour": choice("colour", "black", ("black", "red"))}  # noqa: RUF012

    def __init__(self, **values):
        self.sums = {}
        super().__init__(**values)

    def make_axes(self, figure):
        return figure.columns(1)

    def draw(self, n, colour):
        if n not in self.sums:
            for i in range(4):
                yield i / 4
            self.sums[n] = n * (n + 1) // 2
        artists.line(self.axes[0], "bar", [0, 0], [0, self.sums[n]], color=colour)
        self.axes[0].set(ylim=(0, 1.1 * self.sums[n]))
        return Readout(f"The sum is {self.sums[n]}.", {})


@pytest.fixture
def opened():
    panels = []

    def open_panel(kind, **values):
        panels.append(kind(**values))
        return panels[-1]

    yield open_panel
    for panel in panels:
        panel.close()


def overlay(panel):
    return panel.children[1].overlay


def asks(panel, **message):
    """What the page sends when the reader asks for something."""
    panel.children[1]._handle_custom_msg(message, [])


def picture(panel):
    bundle, _ = panel._repr_mimebundle_()
    return base64.b64decode(bundle["image/png"])


def test_has_redrawn_when_the_assignment_returns(opened):
    panel = opened(Dots)
    before = picture(panel)
    panel.height.value = 0.5
    assert panel.takeaway == "The dots are 0.5 high."
    assert picture(panel) != before
    assert panel.children[1].png == picture(panel)


def test_the_same_settings_give_the_same_bytes_and_text(opened):
    wandering, direct = opened(Dots), opened(Dots, height=0.5, seed=3)
    for name, value in (("seed", 7), ("shown", "hidden"), ("height", 1.5), ("shown", "shown"), ("seed", 3)):
        getattr(wandering, name).value = value
    wandering.height.value = 0.5
    assert picture(wandering) == picture(direct)
    assert str(wandering) == str(direct)
    assert wandering.readout == direct.readout


def test_the_look_does_not_depend_on_what_the_session_has_set(opened):
    import matplotlib as mpl

    plain = picture(opened(Dots))
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.facecolor": "black"}):
        assert picture(opened(Dots)) == plain


def test_what_draw_does_not_call_for_is_hidden(opened):
    panel = opened(Dots)
    panel.shown.value = "hidden"
    assert picture(panel) == picture(opened(Dots, shown="hidden"))
    assert picture(panel) != picture(opened(Dots))


def test_static_readers_get_a_picture_with_alt_text_and_the_settings_in_words(opened):
    panel = opened(Dots)
    bundle, metadata = panel._repr_mimebundle_()
    assert bundle["text/plain"] == "Dots\n  height 1, shown shown, seed 0\n  The dots are 1 high."
    assert picture(panel).startswith(b"\x89PNG")
    assert metadata["image/png"]["alt"] == "Dots. Dots on a line. The dots are 1 high."
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == panel.model_id


def test_an_error_in_draw_is_raised_and_shown(opened):
    panel = opened(Dots)
    before = picture(panel)
    with pytest.raises(ArithmeticError, match="too high"):
        panel.height.value = 2.0
    assert panel.takeaway == "ArithmeticError: too high"
    assert overlay(panel) == "this picture is of earlier settings"
    panel.height.value = 1.0
    assert panel.takeaway == "The dots are 1 high." and overlay(panel) == "" and picture(panel) == before


def while_computing(panel, *actions):
    """Press Run for n = 100, do these things while it computes, and wait until it computes no more."""
    panel.n.value = 100

    async def pressed():
        panel._run_in_pieces()
        await asyncio.sleep(0.01)
        assert panel.children[1].computing and overlay(panel) == "computing …"
        for action in actions:
            action()
        await asyncio.wait_for(panel._task, 10)

    asyncio.run(pressed())


def test_a_run_can_be_cancelled_and_done_again(opened):
    panel = opened(Sums)
    while_computing(panel, lambda: asks(panel, cancel=True))
    assert overlay(panel) == "press Run" and not panel.children[1].computing and panel.sums.keys() == {10}
    panel.run()
    assert panel.takeaway == "The sum is 5050."


def test_a_setting_moved_while_computing_is_not_mixed_with_the_other(opened):
    panel = opened(Sums)
    while_computing(panel, lambda: setattr(panel.n, "value", 1000))
    assert panel.sums.keys() == {10} and overlay(panel) == "press Run"


def test_run_pressed_again_while_it_computes_changes_nothing(opened):
    panel = opened(Sums)
    while_computing(panel, panel._run_in_pieces)
    assert panel.takeaway == "The sum is 5050." and overlay(panel) == ""


def test_run_pressed_for_other_settings_while_it_computes_computes_these(opened):
    panel = opened(Sums)
    while_computing(panel, lambda: setattr(panel.n, "value", 1000), panel._run_in_pieces)
    assert panel.takeaway == "The sum is 500500." and panel.sums.keys() == {10, 1000} and overlay(panel) == ""


class Scenes(Dots):
    scenes = {"middle": {}, "low": {"height": 0.2}, "bare": {"shown": "hidden", "height": 0.5}}  # noqa: RUF012


def test_a_scene_moves_all_controls_and_reset_leads_back(opened):
    panel = opened(Scenes, seed=5)
    assert panel.children[1].scenes == ["middle", "low", "bare"] and panel.children[1].scene == ""
    asks(panel, scene="bare")
    assert panel.values == {"height": 0.5, "shown": "hidden", "seed": 0}
    assert panel.children[1].scene == "bare"
    assert panel.show("low").values == {"height": 0.2, "shown": "shown", "seed": 0}
    assert picture(panel) == picture(opened(Scenes, height=0.2))
    with pytest.raises(ValueError, match="Scenes has no scene 'high'; it has middle, low, bare"):
        panel.show("high")


def test_a_scene_is_drawn_once(opened, monkeypatch):
    panel, drawn = opened(Scenes), []
    monkeypatch.setattr(panel, "draw", lambda **values: drawn.append(values) or Readout("", {}))
    panel.show("bare")
    assert drawn == [{"height": 0.5, "shown": "hidden", "seed": 0}]


def test_arrows_move_the_first_slider_up_to_its_ends(opened):
    panel, slow = opened(Dots), opened(Sums)
    asks(panel, step=1)
    assert panel.height.value == pytest.approx(1.1)
    asks(panel, step=-1)
    for expected in (100, 1000, 1000):
        asks(slow, step=1)
        assert slow.n.value == expected


@pytest.mark.parametrize("screen", [[1024, 768], [1920, 1080]])
def test_a_lecture_fills_the_screen_and_ends(opened, screen):
    panel = opened(Dots)
    before = picture(panel)
    asks(panel, lecture=screen)
    assert panel.children[1].width == pytest.approx(0.97 * screen[0])
    shown = panel.figure.get_size_inches() * panel.figure.dpi
    assert shown == pytest.approx([0.97 * screen[0], 0.66 * screen[1]])
    letters = [text.get_fontsize() / 72 * panel.figure.dpi for text in panel.figure.findobj(Text)]
    assert min(letters) == pytest.approx(screen[1] / 35)
    asks(panel, lecture=None)
    assert picture(panel) == before


def test_a_screen_of_more_pixels_gets_more_of_them(opened):
    panel = opened(Dots)
    asks(panel, pixels=2.0)
    assert panel.figure.dpi == 200 and panel.children[1].width == 1000
    asks(panel, lecture=[1024, 768])
    assert panel.figure.get_size_inches()[0] * panel.figure.dpi == pytest.approx(2 * 0.97 * 1024)


def test_it_plays_to_the_end_and_begins_again_when_asked_there(opened):
    class Played(Dots):
        plays = "height"

        def draw(self, height, shown, seed):
            return Readout("", {})

    class PlayedSums(Sums):
        plays = "n"

    panel, seen, told = opened(Played, height=1.85), [], []
    panel.children[1].send = told.append
    for again in (True, False, False, False, True, False, False):
        asks(panel, play=again)
        seen.append(panel.height.value)
    assert seen == pytest.approx([1.95, 2.0, 2.0, 2.0, 0.0, 0.1, 0.2])
    assert told == [{"here": True}] * 3 + [{"played": True}, {"here": True}, {"played": True}] + [{"here": True}] * 3
    assert panel.children[1].plays is panel.height and opened(Dots).children[1].plays is None
    slow = opened(PlayedSums, n=1000)
    asks(slow, play=False)
    assert slow.n.value == 1000
    asks(slow, play=True)
    assert slow.n.value == 10
    asks(slow, play=False)
    assert slow.n.value == 100


def test_a_die_rolls_the_seed(opened):
    panel = opened(Dots)
    assert panel.children[1].can_roll and not opened(Sums).children[1].can_roll
    rolled = set()
    for _ in range(4):
        asks(panel, roll=True)
        rolled.add(panel.seed.value)
    assert rolled != {0}, "all four, by chance, once in 10¹²"


def test_presented_it_is_larger_and_still_follows_its_controls(opened):
    panel = opened(Dots)
    before = panel.figure
    assert panel.present() is panel
    assert panel.figure.dpi > before.dpi
    assert np.prod(panel.figure.get_size_inches()) < np.prod(before.get_size_inches())
    presented = picture(panel)
    panel.height.value = 0.5
    assert picture(panel) != presented


def test_wrong_settings_are_refused(opened):
    with pytest.raises(TypeError, match="no control 'breadth'; it has height, shown, seed"):
        Dots(breadth=1.0)
    with pytest.raises(ValueError, match=r"height cannot be 5.0: its control stops at 2.0"):
        Dots(height=5.0)


def test_a_control_cannot_take_the_name_of_an_attribute():
    class Wrong(Dots):
        controls = {"layout": slider("layout", 1.0, 0.0, 2.0, 0.1)}  # noqa: RUF012

    with pytest.raises(TypeError, match="cannot be named 'layout'"):
        Wrong()


def test_a_slow_panel_is_covered_until_it_is_run(opened):
    panel = opened(Sums)
    assert panel.takeaway == "The sum is 55."
    panel.n.value = 100
    assert "press Run" in panel.takeaway and panel.readout == {}
    assert overlay(panel) == "press Run"
    assert "image/png" not in panel._repr_mimebundle_()[0], "the picture of 10 under the words of 100"
    assert panel.sums.keys() == {10}
    panel.run()
    assert overlay(panel) == ""
    assert panel.takeaway == "The sum is 5050."
    assert picture(panel) == picture(opened(Sums, n=100))


def test_a_slow_panel_shows_at_once_what_it_has_already_computed(opened):
    panel = opened(Sums)
    before = picture(panel)
    panel.n.value = 100
    panel.n.value = 10
    assert panel.takeaway == "The sum is 55."
    assert picture(panel) == before
    panel.colour.value = "red"
    assert panel.takeaway == "The sum is 55."


def test_the_run_button_runs(opened):
    panel = opened(Sums)
    panel.n.value = 1000
    buttons = [widget for row in panel.children for widget in getattr(row, "children", ()) if hasattr(widget, "click")]
    (button,) = buttons
    async def pressed():
        button.click()
        while panel._task and not panel._task.done():
            await asyncio.sleep(0.01)

    asyncio.run(pressed())
    assert panel.takeaway == "The sum is 500500."


def test_closing_leaves_nothing_behind():
    gc.collect()
    before = set(widgets.widget._instances)
    panel = Sums()
    panel.present()
    remains = weakref.ref(panel), weakref.ref(panel.figure)
    panel.close()
    assert set(widgets.widget._instances) == before
    del panel
    gc.collect()
    assert [ref() for ref in remains] == [None, None]
