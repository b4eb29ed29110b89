"""Free Go, tested."""
