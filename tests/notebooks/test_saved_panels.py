"""A lesson is saved with exactly the panels that it shows, also those from earlier sessions."""

import copy
import json
from types import SimpleNamespace

from saved_panels import STATE, VIEW, keep_panels, merge, states_in


def panel(name):
    """States of a panel of three parts, the last of which is named in a list."""
    return {
        name: {"state": {"layout": f"IPY_MODEL_{name}a", "children": [f"IPY_MODEL_{name}b"]}},
        f"{name}a": {"state": {}},
        f"{name}b": {"state": {"parent": f"IPY_MODEL_{name}"}},
    }


def notebook(*shown, states=None):
    outputs = [{"data": {VIEW: {"model_id": name}, "image/png": "", "text/plain": ""}} for name in shown]
    cells = [{"cell_type": "code", "outputs": [output]} for output in outputs] + [{"cell_type": "markdown"}]
    metadata = {} if states is None else {"widgets": {STATE: {"state": states}}}
    return {"cells": cells, "metadata": metadata}


def views(saved):
    return [cell["outputs"][0]["data"].get(VIEW, {}).get("model_id") for cell in saved["cells"][:-1]]


def test_a_panel_of_another_day_stays_where_only_another_cell_was_run():
    today = notebook("new", "old", states=panel("new"))
    merge(today, notebook("gone", "old", states=panel("gone") | panel("old")))
    assert states_in(today) == panel("new") | panel("old")
    assert views(today) == ["new", "old"]


def test_what_is_shown_no_more_is_not_saved():
    today = notebook("second", states=panel("first") | panel("second"))
    merge(today, {})
    assert states_in(today) == panel("second")
    today = notebook(states=panel("first"))
    merge(today, {})
    assert "widgets" not in today["metadata"]


def test_today_counts_more_than_yesterday():
    moved = {"a": {"state": {"value": 2}}}
    today = notebook("a", states=moved)
    merge(today, notebook("a", states={"a": {"state": {"value": 1}}}))
    assert states_in(today) == moved


def test_a_panel_that_nobody_knows_is_shown_by_its_picture():
    today = notebook("lost", "there", states=panel("there"))
    del today["cells"][1]["outputs"][0]["data"]["image/png"]
    merge(today, notebook("there"))
    assert views(today) == [None, "there"] and today["cells"][0]["outputs"][0]["data"] == {
        "image/png": "",
        "text/plain": "",
    }


def test_it_reads_the_file_that_is_about_to_be_replaced(tmp_path):
    manager = SimpleNamespace(_get_os_path=lambda path: str(tmp_path / path))
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook("old", states=panel("old"))), encoding="utf-8")
    today = notebook("old")
    keep_panels(model={"type": "notebook", "content": today}, path="a.ipynb", contents_manager=manager)
    assert states_in(today) == panel("old")
    for contents in (None, "", "[]", "{"):
        if contents is not None:
            (tmp_path / "b.ipynb").write_text(contents, encoding="utf-8")
        today = notebook("new", states=panel("new"))
        keep_panels(model={"type": "notebook", "content": today}, path="b.ipynb", contents_manager=manager)
        assert states_in(today) == panel("new")
    text = {"type": "file", "content": "words"}
    before = copy.copy(text)
    keep_panels(model=text, path="c.txt", contents_manager=manager)
    assert text == before
