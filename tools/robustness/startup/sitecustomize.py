"""Shift the seeds of every Python whose PYTHONPATH names this folder, if a shift is asked for."""

import os

import seed_shift

if shift := int(os.environ.get(seed_shift.VARIABLE, 0)):
    seed_shift.install(shift)
