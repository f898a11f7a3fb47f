"""environment.yml and constraints.txt against pyproject.toml, name by name and bound by bound."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONDA_NAMES = {"matplotlib": "matplotlib-base", "pymbar": "pymbar-core"}


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def split(requirement):
    """Return the name and the rest, as 'numpy>=2.0' gives ('numpy', '>=2.0')."""
    name, bound = re.fullmatch(r"([A-Za-z0-9_-]+)\s*(.*)", requirement).groups()
    return name, bound.replace(" ", "")


def numbers(version):
    return [int(part) for part in re.findall(r"\d+", version)]


@pytest.fixture
def project():
    return tomllib.loads(read("pyproject.toml"))["project"]


@pytest.fixture
def requirements(project):
    extras = project["optional-dependencies"]
    return dict(split(line) for line in project["dependencies"] + extras["lab"] + extras["test"])


@pytest.fixture
def conda():
    """The conda packages of environment.yml, without pip and what pip installs."""
    entries = re.findall(r"^  - ([^:\n]+)$", read("environment.yml").split("dependencies:")[1], re.MULTILINE)
    return dict(split(entry) for entry in entries if entry != "pip")


def test_conda_has_the_same_names_and_bounds(project, requirements, conda):
    expected = {CONDA_NAMES.get(name, name): bound for name, bound in requirements.items()}
    assert conda == expected | {"python": project["requires-python"]}


def test_conda_installs_the_package_itself():
    assert "- pip:\n      - -e .\n" in read("environment.yml")


def test_every_requirement_is_one_lower_bound(requirements):
    """`make test-oldest` turns each into a pin, which only this form allows."""
    assert not {name: bound for name, bound in requirements.items() if not re.fullmatch(r">=\d+(\.\d+)*", bound)}


def test_tested_versions_are_exact_and_no_older_than_the_bounds(project, requirements):
    lines = [line for line in read("constraints.txt").splitlines() if line and not line.startswith("#")]
    assert not [line for line in lines if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9a-z.+]+", line)]
    tested = {name.lower(): version for name, version in (line.split("==") for line in lines)}
    requirements |= dict(split(line) for line in project["optional-dependencies"]["browser"])
    for name, bound in requirements.items():
        assert name in tested, f"constraints.txt does not pin {name}"
        assert numbers(tested[name]) >= numbers(bound), f"constraints.txt pins {name} below {bound}"
