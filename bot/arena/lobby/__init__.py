"""The lobby: challenges between players, the starts of games, and what everybody sees."""
