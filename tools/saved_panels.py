"""Save exactly the panels that a lesson shows, also those from earlier sessions.

ipywidgets saves what the kernel of today knows. A lesson of which one cell was run again would lose the panels of all
others, and one in which a cell was run twenty times would hold twenty panels in place of one.
"""

import json
import re

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
_PART = re.compile(r"IPY_MODEL_(\w+)")


def keep_panels(model: dict, path: str, contents_manager, **_) -> None:
    """Choose the widgets that are saved with a notebook; Jupyter calls this before it saves."""
    if model["type"] != "notebook":
        return
    try:
        with open(contents_manager._get_os_path(path), encoding="utf-8") as file:
            before = json.load(file)
    except (OSError, ValueError):  # the first time, or no notebook
        before = {}
    merge(model["content"], before)


def merge(notebook: dict, before: dict) -> None:
    """Give a notebook the widgets that its outputs show, from its own state or else from what it was ``before``.

    Where neither has a panel, its picture takes its place.
    """
    states = states_in(before) | states_in(notebook)
    kept, bundles = {}, list(bundles_of(notebook))
    for bundle in bundles:
        found = [bundle[VIEW]["model_id"]]
        if found[0] not in states and "image/png" in bundle:
            del bundle[VIEW]
        for name in found:  # which grows
            if name in states and name not in kept:
                kept[name] = states[name]
                found += _PART.findall(json.dumps(states[name]))
    if kept:
        notebook["metadata"]["widgets"] = {STATE: {"version_major": 2, "version_minor": 0, "state": kept}}
    else:
        notebook["metadata"].pop("widgets", None)


def states_in(notebook: dict) -> dict:
    """Name → state of every widget that is saved in a notebook."""
    try:
        return notebook["metadata"]["widgets"][STATE]["state"]
    except (KeyError, TypeError):
        return {}


def bundles_of(notebook: dict):
    """The outputs of a notebook that show a widget."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            if VIEW in output.get("data", {}):
                yield output["data"]
