"""One door to what runs from the command line: the command anneal-edu, or python -m anneal_edu.

anneal-edu experiment --help      the papers' experiments
anneal-edu log-z MODEL.npz        log Z of an RBM of yours, and how likely your data are under it
anneal-edu models                 the stored models; models NAME --folder DIR trains one again
"""

from __future__ import annotations

import io
import sys
from importlib import import_module

DOORS = {
    "experiment": "anneal_edu.course.experiments.__main__",
    "log-z": "anneal_edu.models.log_z_door",
    "models": "anneal_edu.models.__main__",
}


def main(argv: list[str] | None = None) -> None:
    """Hand the arguments after the first to the command that it names."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an output that has no ± prints "?" in its place
    command, *rest = (sys.argv[1:] if argv is None else argv) or ["--help"]
    try:
        if command in ("-h", "--help"):
            print(__doc__)
        elif command in DOORS:
            import_module(DOORS[command]).main(rest)
        else:
            raise SystemExit(f"no command is called {command!r}; there are {', '.join(DOORS)}")
    except KeyboardInterrupt:
        print("\ninterrupted: what was not finished is not kept", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
