"""log Z from draws that others made: the density of every draw on every rung, and what can be read off it."""
