"""Execute notebooks in place and normalise what Jupyter would otherwise change at random.

    python tools/notebooks.py                          every notebook
    python tools/notebooks.py notebooks/02_paths.ipynb   this one

A file is written only if its contents changed; a notebook that fails is left as it was.
"""

import argparse
import hashlib
import subprocess
import sys
import time
from pathlib import Path

import nbformat

from notebook_guard import WIDGET_VIEW, faults

ROOT = Path(__file__).parents[1]
CELL_LIMIT_S = 120
NOTEBOOK_LIMIT_S = 600  # nbclient can hang where no cell does, hence a second limit from outside
CLAIMS = "claims"  # tag of the last cell, which asserts what the text says
EXECUTE = f"""
import sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout={CELL_LIMIT_S}, kernel_name="python3").execute()
nbformat.write(notebook, sys.stdout)
"""


def all_notebooks():
    return sorted(ROOT.glob("notebooks/*.ipynb")) + sorted(ROOT.glob("notebooks/[!.]*/*.ipynb"))


def execute(path, limit_s=NOTEBOOK_LIMIT_S):
    """Return the executed notebook; raise RuntimeError with the traceback of the cell that failed."""
    command = [sys.executable, "-c", EXECUTE, path.name]
    try:
        run = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"not finished after {limit_s} s") from None
    if run.returncode:
        raise RuntimeError(run.stderr.strip())
    return nbformat.reads(run.stdout, as_version=4)


def normalise(notebook):
    """Drop timestamps, random ids, widget state and version numbers, in place."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python", "pygments_lexer": "ipython3"},
        }
    )
    seen = {}
    for cell in notebook.cells:
        digest = hashlib.sha256(cell.source.encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k == "tags"})
        if CLAIMS in cell.metadata.get("tags", []):
            cell.metadata["jupyter"] = {"source_hidden": True}
        if cell.cell_type == "code":
            cell.outputs = joined_streams(cell.outputs)
            for output in cell.outputs:
                drop_dead_widget(output)


def joined_streams(outputs):
    """Join what was printed between two other outputs: how Jupyter cuts it into messages depends on time."""
    joined = []
    for output in outputs:
        is_stream = output.output_type == "stream"
        if is_stream and joined and joined[-1].get("name") == output.name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def drop_dead_widget(output):
    """Keep only the picture of an output that has a picture and a widget view, which needs the kernel."""
    if "image/png" in output.get("data", {}):
        output.data.pop(WIDGET_VIEW, None)


def refresh(path):
    """Execute one notebook and write it if its contents changed; return whether they did."""
    notebook = execute(path)
    normalise(notebook)
    text = nbformat.writes(notebook) + "\n"
    changed = text != path.read_text(encoding="utf-8")
    if changed:
        path.write_text(text, encoding="utf-8")
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks (all of them if none is named)")
    paths = parser.parse_args().paths

    failed = False
    for path in [p.resolve() for p in paths] or all_notebooks():
        start = time.perf_counter()
        try:
            changed = refresh(path)
        except RuntimeError as error:
            print(f"{path.name}: FAILED, file left as it was\n{error}", flush=True)
            failed = True
            continue
        seconds = time.perf_counter() - start
        print(f"{path.name}: {'changed' if changed else 'unchanged'}, {seconds:.0f} s", flush=True)
        for fault in faults(path):
            print(f"    {fault}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
