"""The rules of each game, and the mechanics of positions that all games share."""
