"""What the catalogue says of a recorded game, which may be one of another version."""

import engine


def known_game(name: str) -> engine.GameInfo | None:
    """The game of that name, or None if there is none here."""
    return next((known for known in engine.games() if known.name == name), None)
