"""The real programs, started as processes."""
