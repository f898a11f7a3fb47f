"""Tests of kernels, paths and estimators that anyone wrote, on small problems with exact answers."""
