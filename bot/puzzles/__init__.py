"""Puzzles from recorded games: what a puzzle is, the shipped ones, and how they are made.

`model`, `library`, `symmetry` and `themes` are for every program. `making` searches games for
puzzles and verifies them; only the command `bluestone puzzles` imports it.
"""
