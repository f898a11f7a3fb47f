"""environment.yml, constraints.txt and the workflows against pyproject.toml and the Makefile, name by name."""

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
    for extra in ("browser", "slides", "site", "mutants", "workflows"):
        requirements |= dict(split(line) for line in project["optional-dependencies"][extra])
    for name, bound in requirements.items():
        assert name in tested, f"constraints.txt does not pin {name}"
        assert numbers(tested[name]) >= numbers(bound), f"constraints.txt pins {name} below {bound}"


def test_hooks_before_a_commit_are_the_versions_of_make_lint():
    configured = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    hooks = {repo["repo"].split("/")[-1]: repo["rev"] for repo in configured}
    pinned = dict(line.split("==") for line in read("constraints.txt").splitlines() if not line.startswith("#"))
    assert hooks["ruff-pre-commit"] == f"v{pinned['ruff']}" and hooks["codespell"] == f"v{pinned['codespell']}"


def test_the_classifiers_name_the_pythons_that_are_tested(project, jobs):
    named = [line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r"Python :: \d\.\d+$", line)]
    assert named == pythons_of(jobs["test"])


def jobs_of(workflow):
    return yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]


@pytest.fixture
def jobs():
    """The jobs of the workflow that tests."""
    return jobs_of(ROOT / ".github" / "workflows" / "test.yml")


@pytest.fixture(params=WORKFLOWS, ids=lambda file: file.name)
def any_jobs(request):
    """The jobs of each workflow."""
    return jobs_of(request.param)


def pythons_of(job):
    """The Python versions that a job sets up, with those of its matrix."""
    named = [step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
    every = job.get("strategy", {}).get("matrix", {}).get("python")
    return [python for name in named for python in (every if "matrix.python" in name else [name])]


def test_workflows_begin_with_the_oldest_python_and_leave_none_out(project, jobs):
    oldest = numbers(project["requires-python"])
    tested = [numbers(python) for python in pythons_of(jobs["test"])]
    assert tested == [[oldest[0], minor] for minor in range(oldest[1], 15)]


def test_workflows_set_up_no_python_that_is_not_supported(project, any_jobs):
    oldest = numbers(project["requires-python"])
    assert not {name for name, job in any_jobs.items() for python in pythons_of(job) if numbers(python) < oldest}


def test_workflows_test_linux_and_macos_on_x86_and_arm(jobs):
    assert jobs["test"]["strategy"]["matrix"]["os"] == ["ubuntu-latest", "ubuntu-24.04-arm", "macos-latest"]


def test_workflows_make_only_what_the_makefile_knows(any_jobs):
    targets = set(re.findall(r"^([a-z.][\w./-]*)(?:[ \w./-]*):(?!=)", read("Makefile"), re.MULTILINE))
    commands = [step["run"] for job in any_jobs.values() for step in job["steps"] if "run" in step]
    made = [target for command in commands for target in re.findall(r"^make (\S+)", command, re.MULTILINE)]
    assert made and set(made) <= targets
    assert not [command for command in commands if "make" not in command]


def test_the_workflows_lint_test_and_publish():
    commands = {step.get("run", "") for path in WORKFLOWS for job in jobs_of(path).values() for step in job["steps"]}
    assert {"make lint", "make test JOBS=4", "make site JOBS=4"} <= commands


def test_every_step_of_a_workflow_that_is_not_ours_names_its_version(any_jobs):
    used = [step["uses"] for job in any_jobs.values() for step in job["steps"] if "uses" in step]
    assert used and not [name for name in used if not re.fullmatch(r"[\w./-]+@v\d+", name)]
