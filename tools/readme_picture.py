"""Draw the picture of the README: python tools/readme_picture.py"""

from pathlib import Path

import anneal_edu as ae

if __name__ == "__main__":
    picture = Path(__file__).parents[1] / "docs" / "two_paths.png"
    picture.parent.mkdir(exist_ok=True)
    picture.write_bytes(ae.panels.TwoPaths().figure.png())
