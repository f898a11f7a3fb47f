"""A pytest plugin that notes which lines of the package each test runs, and how long that takes.

    PYTHONPATH=tools LINE_MAP=folder python -m pytest -p line_map …

leaves in the folder one JSON file for each process that ran tests: of every test that passed, its seconds of processor
time and the lines by file. What the import of the package runs belongs to no test, what the import of a file of tests
runs in it to all of the file's tests. Tests that interrupt themselves are left out.
"""

import importlib
import json
import os
import pkgutil
import sys
import time
from pathlib import Path

import coverage
import pytest

FOLDER = Path(os.environ["LINE_MAP"])
PROCESS = os.environ.get("PYTEST_XDIST_WORKER", "main")
ROOT = Path.cwd()
SECONDS = {}
FAILED = set()

seen = coverage.Coverage(data_file=FOLDER / f"{PROCESS}.coverage", config_file=False, source_pkgs=["anneal_edu"])
seen.start()  # before the package is imported


def processor_time():
    own = os.times()
    return time.process_time() + own.children_user + own.children_system


def pytest_sessionstart():
    import anneal_edu

    for module in pkgutil.walk_packages(anneal_edu.__path__, "anneal_edu."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def forget():
    """What an earlier test has computed and the package keeps would hide the lines that this one asks for."""
    for name, module in list(sys.modules.items()):
        if name.startswith("anneal_edu."):
            for thing in list(vars(module).values()):
                if hasattr(thing, "cache_clear"):
                    thing.cache_clear()


def pytest_collection_modifyitems(items):
    """An interrupt that comes while coverage holds its lock leaves it locked for ever."""
    items[:] = [item for item in items if "interrupt" not in item.name]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    if isinstance(collector, pytest.Module):
        seen.switch_context(collector.nodeid)
    try:
        return (yield)
    finally:
        seen.switch_context("")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    forget()
    seen.switch_context(item.nodeid)
    start = processor_time()
    try:
        return (yield)
    finally:
        SECONDS[item.nodeid] = processor_time() - start
        seen.switch_context("")


def pytest_runtest_logreport(report):
    if report.failed:
        FAILED.add(report.nodeid)


def pytest_sessionfinish():
    seen.stop()
    seen.save()
    data = coverage.CoverageData(FOLDER / f"{PROCESS}.coverage")
    data.read()
    lines = {test: {} for test in SECONDS.keys() - FAILED}
    of_file = {}
    for test in lines:
        of_file.setdefault(test.split("::")[0], []).append(test)
    for file in data.measured_files():
        for line, contexts in data.contexts_by_lineno(file).items():
            for test in {test for context in contexts for test in of_file.get(context, [context])} & lines.keys():
                lines[test].setdefault(str(Path(file).relative_to(ROOT)), []).append(line)
    found = {test: {"seconds": SECONDS[test], "lines": lines[test]} for test in lines}
    (FOLDER / f"{PROCESS}.json").write_text(json.dumps(found), encoding="utf-8")
