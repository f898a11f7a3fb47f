"""Self-checks for the exercises, one file a notebook: ae.check.annealing.…, ae.check.two_paths.…"""
