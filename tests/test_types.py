"""Which distribution fits which protocol, at run time and for a type checker that reads a user's code."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu import distributions
from anneal_edu.distributions import protocol

ROOT = Path(__file__).parents[1]

ONE = np.ones((1, 1))
START = {"Distribution", "Start"}
RBM = START | {"ExponentialFamily", "FitsMoments"}
TABLE = {
    "Gaussian": (lambda: ae.Gaussian([0.0], ONE), START | {"ExponentialFamily", "MomentAverages"}),
    "BinaryRBM": (lambda: ae.BinaryRBM(ONE, [0.0], [0.0]), RBM),
    "JointRBM": (lambda: ae.JointRBM(ae.uniform_rbm(2, 1)), START),
    "GaussianBernoulli": (lambda: distributions.GaussianBernoulli([0.0], ONE, ONE, [0.0]), RBM),
    "GaussianRBM": (lambda: ae.GaussianRBM(ONE, [0.0], [0.0], [1.0]), RBM),
    "ProductOfExperts": (lambda: ae.ProductOfExperts(ONE), START),
    "MeanCovarianceRBM": (lambda: ae.MeanCovarianceRBM(ONE, -ONE, [0.0], ONE, [0.0], [0.0]), {"Distribution"}),
    "LinearGenerative": (lambda: ae.LinearGenerative(ONE), START | {"Generative"}),
    "BilinearGenerative": (lambda: ae.BilinearGenerative(ONE, ONE, ONE), {"Generative"}),  # p(x) is out of reach
    "LatentPosterior": (lambda: distributions.LatentPosterior(ae.LinearGenerative(ONE), ONE), {"Distribution"}),
    "Unnormalized": (lambda: ae.Unnormalized(lambda x: -np.abs(x).sum(-1), 1), {"Distribution"}),
    "GeometricBridge": (
        lambda: distributions.GeometricBridge(ae.Gaussian([0.0], ONE), ae.ProductOfExperts(ONE), 0.5),
        {"Distribution"},
    ),
}
PROTOCOLS = [
    name
    for name, thing in vars(protocol).items()
    if getattr(thing, "_is_runtime_protocol", False) and thing.__module__ == protocol.__name__
]

OWN = """
import numpy as np
import anneal_edu as ae
from anneal_edu import distributions

class Own:
    dim = 3
    def log_density(self, x: np.ndarray) -> np.ndarray:
        return -np.abs(x).sum(-1)

class OwnStart(Own):
    def log_z(self) -> float:
        return float(3 * np.log(2))
    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return rng.laplace(size=(n, 3))

class NoDensity:
    dim = 3

class OddDensity(Own):
    def log_density(self, x: str) -> str:  # refused
        return x

def moved(p: ae.distributions.Distribution, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x

path = ae.geometric_path(OwnStart(), Own())
ae.geometric_path(OwnStart(), NoDensity())  # refused
ae.ais(path, ae.linear_schedule(10), 100, kernel=moved, rng=np.random.default_rng(0)).log_z.is_integer()
ae.ais(path, ae.linear_schedule(10), 100, kernel=len, rng=np.random.default_rng(0))  # refused
ae.no_such_name()  # refused
own: distributions.Start = OwnStart()
less: distributions.Start = Own()  # refused
"""


def test_every_public_name_is_exported():
    """What a module imports is public to a type checker only where ``__all__`` says so."""
    tree = ast.parse((ROOT / "anneal_edu" / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module.startswith("anneal_edu")]
    assert sorted(ae.__all__) == sorted(alias.name for node in imports for alias in node.names)


def test_the_table_names_every_distribution():
    classes = {name for name in distributions.__all__ if isinstance(getattr(distributions, name), type)}
    assert classes - set(PROTOCOLS) == TABLE.keys()


@pytest.mark.parametrize("name", TABLE)
def test_a_distribution_fits_its_protocols_and_no_other(name):
    make, fits = TABLE[name]
    assert {protocol for protocol in PROTOCOLS if isinstance(make(), getattr(distributions, protocol))} == fits


def test_a_type_checker_sees_the_same(tmp_path):
    api = pytest.importorskip("mypy.api")
    lines = OWN.splitlines()
    for name, (_, fits) in TABLE.items():
        for wanted in PROTOCOLS:
            mark = "" if wanted in fits else "  # refused"
            lines.append(f"def {name}_{wanted}(p: distributions.{name}) -> distributions.{wanted}:")
            lines.append(f"    return p{mark}")
    file = tmp_path / "own.py"
    file.write_text("\n".join(lines), encoding="utf-8")
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    options += ["--allow-any-generics"]  # the oldest numpy has no default for the type of an array's entries
    said, trouble, _ = api.run([*options, str(file)])
    refused = {int(line) for line in re.findall(r"own\.py:(\d+): error", said)}
    assert not trouble
    assert refused == {number for number, line in enumerate(lines, start=1) if "# refused" in line}, said
