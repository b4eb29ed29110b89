"""Tournaments whose hosts are killed, and the rules that pairings must obey."""
