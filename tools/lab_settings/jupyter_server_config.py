"""What `make lab` adds to the configuration of JupyterLab."""

import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from saved_panels import keep_panels

warnings.filterwarnings("ignore", message="Overriding existing pre_save_hook")  # Jupyter reads this file twice
c = get_config()  # noqa: F821 (given by Jupyter)
c.ContentsManager.pre_save_hook = keep_panels
