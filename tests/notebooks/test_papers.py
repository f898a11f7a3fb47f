"""What a paper's notebook shows of a stored run can be made again, by the command that stands beside it."""

import re
import shlex
from pathlib import Path

import nbformat
import pytest

from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.__main__ import arguments_of, require_sound

ROOT = Path(__file__).parents[2]
PAPERS = sorted(ROOT.glob("notebooks/papers/*.ipynb"))
RESULTS = sorted(file.stem for file in (ROOT / "anneal_edu/course/experiments/results").glob("*.json"))
COMMAND = re.compile(r"^python -m anneal_edu experiment (.+)$", re.MULTILINE)


def sections(path):
    """The text of each section of level 2, code included, without the cell of claims."""
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if "claims" not in cell.metadata.get("tags", []))
    return re.split(r"^## ", text, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.stem)
def test_a_section_names_the_command_of_each_stored_run_that_it_shows(path):
    for section in sections(path):
        commands = COMMAND.findall(section)
        for words in commands:
            require_sound(arguments_of(shlex.split(words))[1])
        for name in re.findall(r'stored\("(\w+)"\)', section):
            experiment = COMMAND.findall(stored(name)["command"])[0].split()[0]
            assert experiment in {words.split()[0] for words in commands}, (section.splitlines()[0], name, experiment)


@pytest.mark.parametrize("name", RESULTS)
def test_the_command_of_a_stored_run_is_one_of_today(name):
    """Each experiment is run at its tiny scale in tests/course/experiments/test_command_line.py."""
    command = stored(name)["command"].partition(";")[0]
    if script := re.fullmatch(r"python (tools/\S+)", command):
        assert (ROOT / script[1]).exists()
    else:
        (words,) = COMMAND.findall(command)
        require_sound(arguments_of(shlex.split(words))[1])
