"""Bluestone, by Craig Duncan, 2025."""
