"""The command line: anneal-edu, or python -m anneal_edu.

anneal-edu experiment --help      the papers' experiments
anneal-edu log-z MODEL.npz        log Z of your RBM, and the likelihood of your data
anneal-edu models                 the stored models; models NAME --folder DIR trains one again
"""

from __future__ import annotations

import io
import sys
from importlib import import_module

COMMANDS = {
    "experiment": "anneal_edu.course.experiments.__main__",
    "log-z": "anneal_edu.models.cli_log_z",
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
        elif command in COMMANDS:
            import_module(COMMANDS[command]).main(rest)
        else:
            raise SystemExit(f"no command is called {command!r}; there are {', '.join(COMMANDS)}")
    except KeyboardInterrupt:
        print("\ninterrupted: what was not finished is not kept", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
