"""Formats: who is to play whom next, given what was played."""
