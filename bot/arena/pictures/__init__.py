"""Pictures of positions and games."""
