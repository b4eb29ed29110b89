"""How puzzles are made: searches of recorded games for positions with one best turn."""
