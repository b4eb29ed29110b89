"""Free Go, by Nick Bentley and Luis Bolaños Mures."""
