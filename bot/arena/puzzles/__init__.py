"""Puzzles: which one comes next, the answers of players, and their ratings."""
