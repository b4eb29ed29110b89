"""Who plays: the built-in players, and those that other packages offer."""
