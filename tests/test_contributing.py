"""CONTRIBUTING.md keeps its word."""

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_a_distribution_a_path_and_a_kernel_of_ones_own_find_log_z():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names = {}
    exec(compile(code, "CONTRIBUTING.md", "exec"), names)
    r = np.linspace(0, 6, 100_001)
    truth = np.log(np.trapezoid(2 * np.pi * r * np.exp(-10 * (r - 2) ** 2), r))
    run = names["run"]
    assert run.ess > 100
    assert abs(run.log_z - truth) < 5 * run.std_error < 0.5


def test_every_file_that_it_names_is_there():
    files = re.findall(r"`((?:[a-z_]+/)+(?:[\w.]+)?)`", TEXT) + re.findall(r"\]\(([^)#:]+)\)", TEXT)
    assert len(files) > 20
    rooms = [ROOT, ROOT / "anneal_edu"]
    assert [file for file in files if "NN_" not in file and not any((room / file).exists() for room in rooms)] == []


def test_every_target_that_it_names_is_one_of_the_makefile():
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for file in ("CONTRIBUTING.md", "README.md"):
        named = re.findall(r"(?:^|`| {4})make ([a-z-]+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert named and set(named) <= set(phony.split())
