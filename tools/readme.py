"""Renew what the example of the README prints: python tools/readme.py"""

import contextlib
import io
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)\n```", re.DOTALL)


def printed_by(code: str) -> str:
    """What the code prints, without spaces at the ends of lines."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    return "\n".join(line.rstrip() for line in printed.getvalue().strip().splitlines())


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    code, _ = EXAMPLE.search(text).groups()
    output = printed_by(code)
    README.write_text(EXAMPLE.sub(lambda _: f"```python\n{code}```\n\n```text\n{output}\n```", text), encoding="utf-8")
