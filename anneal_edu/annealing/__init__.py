"""Walks along a path that weigh as they go: annealed importance sampling and its kin."""
