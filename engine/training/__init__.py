"""How the networks of `engine.neural` are made: games against itself, learning, matches."""
