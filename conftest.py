"""Import the package before pytest imports its files one by one, so that ae.ais stays the function, not the file."""

import anneal_edu  # noqa: F401
