"""Print pip constraints that pin each direct dependency to its lower bound in pyproject.toml."""

import tomllib
from pathlib import Path

project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]

for requirement in project["dependencies"] + extras["lab"] + extras["test"]:
    print(requirement.replace(">=", "=="))
print("pyparsing<3.3")  # with a newer one the oldest matplotlib calls deprecated functions
