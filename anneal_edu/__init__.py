"""Partition functions by annealing and tempering, small enough to read in an afternoon."""
