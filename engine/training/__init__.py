"""Trains the networks of `engine.neural` by self-play, learning and matches."""
