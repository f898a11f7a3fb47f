"""What the lessons need beside the library: figures, panels, checks of exercises, and the papers' experiments."""
