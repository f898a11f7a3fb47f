"""Open the student's own copies of the lessons in JupyterLab: `make lab`.

    python tools/open_lab.py                 copy what is not there yet into my_lessons/, then open the first lesson
    python tools/open_lab.py --allow-root    the same; arguments are handed on to jupyter-lab

A copy is never overwritten, so that what a student has written stays, and an update by git meets no changed file.
"""

import hashlib
import json
import os
import sys
from contextlib import closing
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary

ROOT = Path(__file__).parents[1]
ORIGINALS = ROOT / "notebooks"
OWN = ROOT / "my_lessons"
SETTINGS = Path(__file__).with_name("lab_settings")
FIRST = "00_start_here.ipynb"


class Copies:
    """The student's folder, with a record of the originals that its lessons were copied from.

    Parameters
    ----------
    originals, own : Path
        The folder of the course, and the student's.
    """

    def __init__(self, originals: Path, own: Path):
        self.originals, self.own, self.hidden = originals, own, hidden(own)
        self.hidden.mkdir(parents=True, exist_ok=True)
        self._file = self.hidden / "copied.json"
        self._digests = self._recorded()

    def _recorded(self) -> dict[str, str]:
        """Lesson → digest of the original that it was copied from, as far as the record can be read."""
        try:
            return dict(json.loads(self._file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return {}

    def bring(self) -> list[str]:
        """Copy every lesson that the student does not have; return sentences for the student."""
        found = sorted([*self.originals.glob("*.ipynb"), *self.originals.glob("[!.]*/*.ipynb")])
        newer, broken = [], []
        for original in found:
            name, contents = str(original.relative_to(self.originals)), original.read_bytes()
            digest = hashlib.sha256(contents).hexdigest()
            there = os.path.lexists(self.own / name)
            if there and self._digests.setdefault(name, digest) == digest:
                continue
            notebook = read_notebook(contents)
            if notebook is None:
                broken.append(name)
            elif there:
                newer.append(name)
            else:
                self._copy(name, contents, notebook)
                self._digests[name] = digest
        gone = sorted(self._digests.keys() - {str(original.relative_to(self.originals)) for original in found})
        self._digests = {name: digest for name, digest in self._digests.items() if name not in gone}
        self._file.write_text(json.dumps(self._digests, indent=1) + "\n", encoding="utf-8")
        return self._words(newer, broken, gone)

    def _copy(self, name: str, contents: bytes, notebook: nbformat.NotebookNode) -> None:
        """Put a lesson in its place and sign it: JupyterLab shows saved widgets only in trusted notebooks."""
        part = self.hidden / "part"
        part.write_bytes(contents)
        (self.own / name).parent.mkdir(exist_ok=True)
        part.rename(self.own / name)
        notary = NotebookNotary(data_dir=str(self.hidden))
        with closing(notary.store):
            notary.sign(notebook)

    def _words(self, newer: list[str], broken: list[str], gone: list[str]) -> list[str]:
        words = []
        if newer:
            words.append(
                f"The course has a newer version of {', '.join(newer)}. Your copies stay as they are; for a fresh one, "
                f"rename or delete yours in {self.own.name}/ and start again."
            )
        if broken:
            words.append(f"Not a readable notebook, so not copied: {', '.join(broken)} (in {self.originals}).")
        if gone:
            words.append(f"No longer in the course under this name: {', '.join(gone)}. Your copies stay.")
        return words


def read_notebook(contents: bytes) -> nbformat.NotebookNode | None:
    """The notebook in a file, or None if the file is no notebook, as after a merge conflict."""
    try:
        found = json.loads(contents)
    except ValueError:
        return None
    whole = isinstance(found, dict) and {"nbformat", "nbformat_minor", "metadata", "cells"} <= found.keys()
    return nbformat.from_dict(found) if whole else None


def hidden(own: Path) -> Path:
    """The folder that JupyterLab's file browser hides, for the record and the signatures of notebooks."""
    return own / ".lab"


def environment(given: dict[str, str]) -> dict[str, str]:
    """The environment for JupyterLab: lessons keep their panels, saved or exported; small matrix products do not stall.

    A panel that was exported to HTML as a widget would be blank without the network: there its picture comes first.
    """
    names = ("JUPYTER_CONFIG_PATH", "JUPYTER_PATH")
    paths = {name: os.pathsep.join([str(SETTINGS), *filter(None, [given.get(name)])]) for name in names}
    return {"OPENBLAS_NUM_THREADS": "1"} | given | paths


def trusting(own: Path) -> str:
    """The option that makes JupyterLab trust the copies and keep its signatures beside them."""
    return f"--NotebookNotary.data_dir={hidden(own)}"


def main() -> None:
    """Copy the lessons, print what the student should know, and start JupyterLab in place of this process."""
    try:
        for sentence in Copies(ORIGINALS, OWN).bring():
            print(sentence, flush=True)
    except OSError as error:
        sys.exit(f"The lessons cannot be copied to {OWN}: {error.strerror}. Copy the course to a folder of your own.")
    command = [sys.executable, "-m", "jupyterlab", str(OWN / FIRST), trusting(OWN), *sys.argv[1:]]
    os.execve(sys.executable, command, environment(dict(os.environ)))


if __name__ == "__main__":
    main()
