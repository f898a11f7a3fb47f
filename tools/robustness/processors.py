"""Run the tests and the notebooks as other processors would, and print a table.

    python tools/robustness/processors.py                           every processor, one and two BLAS threads (an hour)
    python tools/robustness/processors.py --as Nehalem own --threads 1 --only tests
    python tools/robustness/processors.py --shifts 11 12 13 14      each shift of the seeds on the next processor

OPENBLAS_CORETYPE chooses the kernels of numpy's and scipy's matrix products, NPY_DISABLE_CPU_FEATURES the
instructions of numpy's own loops. Another choice rounds otherwise, and after a thousand steps of a chain that is
another seed. What this processor cannot run is left out, in words. Rows seen green at this commit are not run again.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from itertools import cycle, product
from pathlib import Path

ROOT = Path(__file__).parents[2]
WIDTHS = 9, 8, 13, 7, 6, 9, 12, 7
KEPT = ROOT / "build" / "processors.json"
OWN = "own"
KERNELS, LESS_THAN_ALL = "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"
AVX2 = {"AVX", "F16C", "FMA3", "AVX2", "X86_V3"}
AVX512 = {"AVX512F", "AVX512CD", "AVX512_SKX", "X86_V4"}
LOOPS = {"Nehalem": set(), "Haswell": AVX2, "SkylakeX": AVX2 | AVX512}  # beside those that every numpy has
NEEDS = {"Nehalem": set(), "Haswell": {"AVX2", "FMA3"}, "SkylakeX": {"AVX512F", "AVX512BW", "AVX512VL"}}

LOOK = """
import json, numpy as np, scipy.linalg
from threadpoolctl import threadpool_info
from numpy._core import _multiarray_umath as loops
features = loops.__cpu_features__
print(json.dumps({
    "kernels": sorted({info["architecture"] for info in threadpool_info() if info["internal_api"] == "openblas"}),
    "dispatch": [name for name in loops.__cpu_dispatch__ if features[name]],
    "features": [name for name, there in features.items() if there],
}))
"""
STAGES = {
    "tests": ["-n", "{jobs}", "--dist", "worksteal", "--thorough", "--ignore", "tests/browser"],
    "notebooks": ["-n", "{jobs}", "--dist", "loadscope", "--nbval", "--nbval-current-env", "--nbval-cell-timeout=300"],
}


def seen_by(environment):
    """The kernels and instructions that OpenBLAS and numpy choose in that environment."""
    run = subprocess.run([sys.executable, "-c", LOOK], env=environment, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def environment_of(processor, n_threads):
    """The environment in which a process computes like that processor; None if this one lacks its instructions."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": str(n_threads)}
    if processor == OWN:
        return environment
    own = {name: value for name, value in environment.items() if name not in (KERNELS, LESS_THAN_ALL)}
    here = seen_by(own)
    if platform.machine().lower() not in {"x86_64", "amd64"} or not NEEDS[processor] <= set(here["features"]):
        return None
    too_new = [name for name in here["dispatch"] if name not in LOOPS[processor]]
    return own | {KERNELS: processor, LESS_THAN_ALL: " ".join(too_new)}


def notebooks():
    return [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("notebooks/**/*.ipynb"))]


def run(stage, environment, jobs, shift=0):
    """Run one stage with shifted seeds; return pytest's counts, the names of failed tests, and the seconds."""
    arguments = [part.format(jobs=jobs) for part in STAGES[stage]] + (notebooks() if stage == "notebooks" else [])
    start = time.perf_counter()
    shifted = [f"--seed-shift={shift}"] if shift else []
    command = [sys.executable, "-m", "pytest", "-q", "--tb=line", *arguments, *shifted]
    outcome = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    last_line = outcome.stdout.rstrip().rsplit("\n", 1)[-1]
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|error)", last_line)}
    fell = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", outcome.stdout, re.MULTILINE)
    return {
        "green": outcome.returncode == 0,
        "said": f"{counts.get('passed', 0)} of {sum(counts.values())}",
        "fell": fell if fell or outcome.returncode == 0 else [outcome.stdout[-2000:] + outcome.stderr[-2000:]],
        "seconds": round(time.perf_counter() - start),
    }


def clean_commit():
    """The commit, or None where files differ from it."""
    git = ["git", "-C", str(ROOT)]
    dirty = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True).stdout.strip()
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    return None if dirty else commit


def runs(processors, threads, shifts):
    """Every processor with every number of threads and unshifted seeds; or one of these per shift, in turn."""
    machines = list(product(threads, processors))
    if shifts is None:
        return [(processor, n_threads, 0) for n_threads, processor in machines]
    return [(processor, n_threads, shift) for shift, (n_threads, processor) in zip(shifts, cycle(machines))]


def row(*columns):
    return "| " + " | ".join(str(column).ljust(width) for column, width in zip(columns, WIDTHS, strict=True)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    names = [*LOOPS, OWN]
    parser.add_argument("--as", nargs="+", choices=names, default=names, dest="processors", help="processors (all)")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], help="BLAS threads (1 2)")
    parser.add_argument("--shifts", nargs="+", type=int, help="shifts of the seeds, dealt to the processors in turn")
    parser.add_argument("--only", nargs="+", choices=[*STAGES], default=[*STAGES], dest="stages", help="stages (both)")
    parser.add_argument("--jobs", type=int, default=2, help="files at once (2)")
    arguments = parser.parse_args()

    commit, kept = clean_commit(), json.loads(KEPT.read_text()) if KEPT.exists() else {}
    KEPT.parent.mkdir(exist_ok=True)
    print(row("processor", "kernels", "numpy's loops", "threads", "shift", "stage", "passed", "seconds"))
    print(row(*("-" * width for width in WIDTHS)), flush=True)
    all_green = True
    asked = runs(arguments.processors, arguments.threads, arguments.shifts)
    for (processor, n_threads, shift), stage in product(asked, arguments.stages):
        environment = environment_of(processor, n_threads)
        if environment is None:
            print(row(processor, *["not here"] * 2, n_threads, shift, stage, "", ""), flush=True)
            continue
        key, seen = f"{commit} {processor} {n_threads} {shift} {stage}", seen_by(environment)
        if commit is None or not kept.get(key, {}).get("green"):
            kept[key] = run(stage, environment, arguments.jobs, shift)
            KEPT.write_text(json.dumps(kept, indent=1))
        found, loops = kept[key], ["baseline", *seen["dispatch"]][-1]
        machine = processor, "+".join(seen["kernels"]), loops, n_threads
        print(row(*machine, shift, stage, found["said"], found["seconds"]))
        print(*(f"    {name}\n" for name in found["fell"]), sep="", end="", flush=True)
        all_green &= found["green"]
    sys.exit(not all_green)


if __name__ == "__main__":
    main()
