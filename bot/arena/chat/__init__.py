"""Chat between the players of a game, and reports about it."""
