"""What names a version, a bound or a target of make agrees with pyproject.toml and the Makefile."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CONDA_NAMES = {"matplotlib": "matplotlib-base", "pymbar": "pymbar-core"}


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def split(requirement):
    """Return the name and the rest, as 'numpy>=2.0' gives ('numpy', '>=2.0')."""
    name, bound = re.fullmatch(r"([A-Za-z0-9_-]+)\s*(.*)", requirement).groups()
    return name, bound.replace(" ", "")


def numbers(version):
    return [int(part) for part in re.findall(r"\d+", version)]


PROJECT = tomllib.loads(read("pyproject.toml"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LISTED = PROJECT["dependencies"] + EXTRAS["lab"] + EXTRAS["test"]
REQUIREMENTS = dict(map(split, LISTED))
PINNED = dict(line.lower().split("==") for line in read("constraints.txt").splitlines() if not line.startswith("#"))


def test_conda_has_the_same_names_and_bounds():
    entries = re.findall(r"^  - ([^:\n]+)$", read("environment.yml").split("dependencies:")[1], re.MULTILINE)
    expected = {CONDA_NAMES.get(name, name): bound for name, bound in REQUIREMENTS.items()}
    found = dict(split(entry) for entry in entries if entry != "pip")
    assert found == expected | {"python": PROJECT["requires-python"]}


def test_every_requirement_is_one_lower_bound():
    """`make test-oldest` turns each into a pin, which only this form allows."""
    assert not {name: bound for name, bound in REQUIREMENTS.items() if not re.fullmatch(r">=\d+(\.\d+)*", bound)}
    assert len(REQUIREMENTS) == len(LISTED)


def test_tested_versions_are_no_older_than_the_bounds():
    extras = "browser", "slides", "site", "mutants", "workflows"
    optional = dict(split(line) for extra in extras for line in EXTRAS[extra])
    for name, bound in (REQUIREMENTS | optional).items():
        assert name in PINNED, f"constraints.txt does not pin {name}"
        assert numbers(PINNED[name]) >= numbers(bound), f"constraints.txt pins {name} below {bound}"


def test_the_version_is_the_one_that_the_changes_begin_with_and_that_is_cited():
    ((version, date),) = re.findall(r"\A# Changes\n[^#]*## (\S+) \((\S+)\)\n", read("CHANGELOG.md"))
    cited = yaml.safe_load(read("CITATION.cff"))
    assert version == PROJECT["version"] == cited["version"] and date == str(cited["date-released"])


def test_colab_and_binder_install_what_panels_need():
    (cell,) = re.findall(r"^%pip install .*$", read("docs/where_it_runs.md"), re.MULTILINE)
    assert [f'"{name}{REQUIREMENTS[name]}"' in cell for name in ("ipywidgets", "anywidget")] == [True, True]
    assert read(".binder/requirements.txt") == ".[lab]\n"
    assert numbers(read(".binder/runtime.txt")) >= numbers(PROJECT["requires-python"])


def test_hooks_before_a_commit_are_the_versions_of_make_lint():
    configured = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    hooks = {repo["repo"].split("/")[-1]: repo["rev"] for repo in configured}
    assert hooks["ruff-pre-commit"] == f"v{PINNED['ruff']}" and hooks["codespell"] == f"v{PINNED['codespell']}"


def test_the_workflow_tests_the_pythons_that_the_classifiers_name():
    named = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r"Python :: \d\.\d+$", line)]
    jobs = yaml.safe_load(read(".github/workflows/test.yml"))["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == named
    assert f">={named[0]}" == PROJECT["requires-python"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
def test_workflows_make_only_what_the_makefile_knows(workflow):
    targets = set(re.findall(r"^([a-z.][\w./-]*)(?:[ \w./-]*):(?!=)", read("Makefile"), re.MULTILINE))
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    made = [target for command in commands for target in re.findall(r"^make (\S+)", command, re.MULTILINE)]
    assert made and set(made) <= targets
