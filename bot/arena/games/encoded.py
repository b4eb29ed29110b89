"""Positions and legal steps as answers that are JSON already."""

import engine
from bot import wire
from bot.arena.answers import Encoded, with_part
from bot.arena.games import referee


def encoded_welcome(welcome: wire.Welcome | Encoded) -> Encoded:
    """The welcome as JSON, with the games as they were encoded for earlier answers."""
    return welcome if isinstance(welcome, Encoded) else Encoded(welcome.as_json())


def encoded_position(position: engine.Position) -> Encoded:
    """The answer with a position; call this in a thread."""
    return with_part("position", referee.view(position).as_json)


def encoded_legal(position: engine.Position, chosen: tuple[str, ...], about: str | None) -> Encoded:
    """The answer with the legal steps; call this in a thread."""
    return with_part("legal", referee.legal_view(position, chosen, about).model_dump_json())
