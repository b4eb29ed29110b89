"""Conditional turns, which the arena plays for a player."""
