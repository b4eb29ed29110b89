"""Blooms, by Nick Bentley, 2018."""
