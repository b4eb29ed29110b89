"""Games between engines, played on our own referee."""
