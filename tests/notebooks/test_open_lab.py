"""`make lab` opens copies: it never overwrites a student's work, and tells of newer lessons."""

import json
import os
import re
import subprocess
import sys
from contextlib import closing

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_notebook, new_output

import open_lab
from open_lab import Copies

LINK = re.compile(r"\]\(([^)\s#:]+\.\w+)\)")


def lesson(words):
    picture = new_output("display_data", data={"text/plain": words})
    cell = new_code_cell(f"print({words!r})", id="one", outputs=[picture])
    return nbformat.writes(new_notebook(cells=[cell]))


@pytest.fixture
def folders(tmp_path):
    """The course with two lessons and a solution, and an empty place for the student's."""
    course, own = tmp_path / "notebooks", tmp_path / "my_lessons"
    (course / "solutions").mkdir(parents=True)
    for name in ("00_a.ipynb", "01_b.ipynb", "solutions/00_a.ipynb"):
        (course / name).write_text(lesson(name), encoding="utf-8")
    return course, own


def is_trusted(own, notebook):
    notary = NotebookNotary(data_dir=str(open_lab.hidden(own)))
    with closing(notary.store):
        return notary.check_signature(notebook)


def files(folder):
    found = (file for file in folder.rglob("*.ipynb"))
    return {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in found}


def test_every_lesson_and_solution_is_copied(folders):
    course, own = folders
    assert Copies(course, own).bring() == []
    assert files(own) == files(course) and len(files(own)) == 3
    assert Copies(course, own).bring() == []


def test_what_a_student_has_written_stays_whatever_becomes_of_the_original(folders):
    course, own = folders
    Copies(course, own).bring()
    (own / "00_a.ipynb").write_text("mine", encoding="utf-8")
    (own / "of_my_own.ipynb").write_text("mine", encoding="utf-8")
    for _ in range(2):
        assert Copies(course, own).bring() == []
        assert (own / "00_a.ipynb").read_text() == (own / "of_my_own.ipynb").read_text() == "mine"
    (course / "00_a.ipynb").write_text(lesson("corrected"), encoding="utf-8")
    Copies(course, own).bring()
    assert (own / "00_a.ipynb").read_text() == "mine"


def test_a_newer_original_is_said_until_there_is_a_fresh_copy(folders):
    course, own = folders
    Copies(course, own).bring()
    (course / "01_b.ipynb").write_text(lesson("corrected"), encoding="utf-8")
    for _ in range(2):
        (sentence,) = Copies(course, own).bring()
        assert "newer version of 01_b.ipynb." in sentence and "rename or delete yours in my_lessons/" in sentence
        assert files(own)["01_b.ipynb"] == lesson("01_b.ipynb")
    (own / "01_b.ipynb").rename(own / "01_b_mine.ipynb")
    assert Copies(course, own).bring() == []
    assert files(own)["01_b.ipynb"] == files(course)["01_b.ipynb"]
    assert files(own)["01_b_mine.ipynb"] == lesson("01_b.ipynb")


@pytest.mark.parametrize("contents", [b"<<<<<<< HEAD", b"[]"], ids=repr)
@pytest.mark.parametrize("copied", [False, True])
def test_a_broken_original_is_said_and_not_copied(folders, contents, copied):
    course, own = folders
    if copied:
        Copies(course, own).bring()
    before = files(own)
    (course / "01_b.ipynb").write_bytes(contents)
    (sentence,) = Copies(course, own).bring()
    assert sentence.startswith("Not a readable notebook, so not copied: 01_b.ipynb")
    assert files(own) == before if copied else set(files(own)) == {"00_a.ipynb", "solutions/00_a.ipynb"}


def test_a_renamed_original_is_said_once_and_its_copy_stays(folders):
    course, own = folders
    Copies(course, own).bring()
    (course / "01_b.ipynb").rename(course / "01_c.ipynb")
    (sentence,) = Copies(course, own).bring()
    assert "under this name: 01_b.ipynb. Your copies stay." in sentence
    assert {"01_b.ipynb", "01_c.ipynb"} < set(files(own))
    assert Copies(course, own).bring() == []


@pytest.mark.parametrize("record", ["", "[1]"])
def test_a_lost_record_overwrites_nothing(folders, record):
    course, own = folders
    Copies(course, own).bring()
    (own / "00_a.ipynb").write_text("mine", encoding="utf-8")
    (open_lab.hidden(own) / "copied.json").write_text(record, encoding="utf-8")
    assert Copies(course, own).bring() == []
    assert files(own)["00_a.ipynb"] == "mine"


def test_a_copy_is_trusted_as_a_notebook_of_ones_own(folders):
    course, own = folders
    Copies(course, own).bring()
    notebook = nbformat.read(own / "00_a.ipynb", as_version=4)
    assert is_trusted(own, notebook)
    notebook.cells[0].source = "import shutil"
    assert not is_trusted(own, notebook)


def test_links_of_the_lessons_lead_from_copy_to_copy(tmp_path):
    own = tmp_path / "my_lessons"
    assert Copies(open_lab.ORIGINALS, own).bring() == []
    links = [
        (file.name, link, (file.parent / link).exists())
        for file in own.rglob("*.ipynb")
        for cell in nbformat.read(file, as_version=4).cells
        if cell.cell_type == "markdown"
        for link in LINK.findall(cell.source)
    ]
    assert len(links) > 30 and {("00_start_here.ipynb", "solutions/00_start_here.ipynb", True)} < set(links)
    assert [link for link in links if not link[2]] == []


def test_pictures_are_saved_and_small_products_do_not_stall():
    script = """
import json, sys
from jupyterlab_server.settings_utils import get_settings
import jupyterlab.commands as lab
folders = [lab.get_app_dir() + "/schemas", lab.get_app_dir() + "/settings"]
from jupyter_core.paths import jupyter_path
plugin = "@jupyter-widgets/jupyterlab-manager:plugin"
found, _ = get_settings(*folders, "/nowhere", schema_name=plugin, labextensions_path=jupyter_path("labextensions"))
print(json.dumps([found["schema"]["properties"]["saveState"]["default"], found["settings"]]))
"""
    run = subprocess.run(
        [sys.executable, "-c", script], env=open_lab.environment({}), capture_output=True, text=True, check=True
    )
    assert json.loads(run.stdout) == [True, {}]
    assert open_lab.environment({})["OPENBLAS_NUM_THREADS"] == "1"
    assert open_lab.environment({"OPENBLAS_NUM_THREADS": "4"})["OPENBLAS_NUM_THREADS"] == "4"
    assert open_lab.environment({"JUPYTER_CONFIG_PATH": "/mine"})["JUPYTER_CONFIG_PATH"].endswith(":/mine")


def test_a_lesson_that_was_run_is_exported_with_its_pictures(tmp_path):
    """A panel is a picture there, as a widget needs the network; what has no picture stays a widget."""
    view = {"model_id": "a", "version_major": 2, "version_minor": 0}
    shown = {"text/plain": "panel", "application/vnd.jupyter.widget-view+json": view}
    outputs = [new_output("display_data", data=data) for data in (shown | {"image/png": "iVBORw0KGgo="}, shown)]
    saved = {"application/vnd.jupyter.widget-state+json": {"state": {"a": {}}, "version_major": 2, "version_minor": 0}}
    notebook = new_notebook(cells=[new_code_cell("panel", outputs=outputs)], metadata={"widgets": saved})
    nbformat.write(notebook, tmp_path / "run.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "run.ipynb"]
    subprocess.run(command, cwd=tmp_path, env=open_lab.environment(dict(os.environ)), check=True, capture_output=True)
    html = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert html.count("<img") == html.count('<script type="application/vnd.jupyter.widget-view+json">') == 1


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(open_lab, "OWN", tmp_path / "file" / "my_lessons")
    with pytest.raises(SystemExit, match=r"^The lessons cannot be copied to .*my_lessons: Not a directory\."):
        open_lab.main()
