"""Games between engines with our own referee, and tournaments of engines."""
