"""Tournaments on the arena: entries, rounds, results, and who may host them."""
