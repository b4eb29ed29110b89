"""How the engine is compiled ahead of time."""
