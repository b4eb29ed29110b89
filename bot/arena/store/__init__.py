"""The arena's data on disk, committed before anything is acknowledged."""
