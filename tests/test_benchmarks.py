"""Every script of `make bench` runs to its end at its smallest scale; its numbers are for a quiet machine to say."""

import re
import runpy
import sys
from pathlib import Path

import pytest

import anneal_edu as ae

SCRIPTS = sorted((Path(__file__).parents[1] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_runs_to_its_end(script, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(script), "--tiny"])
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr().out
    numbers = re.findall(r"\d+\.\d+|\d+e[+-]\d+", printed)
    assert len(numbers) >= 2 and "nan" not in printed and "inf" not in printed


def controls():
    for name in ae.panels.__all__:
        for control, recipe in getattr(getattr(ae.panels, name), "controls", {}).items():
            yield f"{name}.{control}", recipe()


def test_every_control_of_every_panel_takes_what_the_benchmark_sets_it_to():
    moves_of = runpy.run_path(str(SCRIPTS[0].with_name("panel_redraw.py")))["moves_of"]
    for name, control in controls():
        reached = []
        for trait, value in moves_of(control):
            setattr(control, trait, value)
            assert getattr(control, trait) == value, name
            reached.append(control.value)
        assert len(set(reached)) > 1, f"{name} does not move"
        control.close()
