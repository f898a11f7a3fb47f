"""Tests of other people's samplers: kernels, paths and estimators are asked on tiny problems with exact answers."""
