"""The built-in players, and the lookup of players that other packages offer."""
