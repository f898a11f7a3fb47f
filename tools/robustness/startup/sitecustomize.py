"""Runs in every Python whose PYTHONPATH names this folder: where a seed shift was asked for, it is in force at once."""

import os

import seed_shift

if shift := int(os.environ.get(seed_shift.VARIABLE, 0)):
    seed_shift.install(shift)
