"""Data sets that need no network, and the user's own files."""

from anneal_edu.data.digits import digit_labels, digits
from anneal_edu.data.files import load_idx, load_rbm, save_rbm

__all__ = ["digit_labels", "digits", "load_idx", "load_rbm", "save_rbm"]
