"""Answers that are JSON already, so that the event loop need not encode them."""

from dataclasses import dataclass

import engine
from bot import wire
from bot.arena.games import referee


@dataclass(frozen=True)
class Encoded:
    """A message that is JSON already: another process or a thread has made it, or most of it was
    kept from an earlier answer.
    """

    text: str

    def model_dump_json(self) -> str:
        """The message as JSON."""
        return self.text


Answer = wire.Done | Encoded


def with_part(name: str, text: str) -> Encoded:
    """A `wire.Done` with one more field, whose JSON text is known."""
    return Encoded(f'{{"v":{wire.VERSION},"ok":true,"{name}":{text}}}')


def encoded_welcome(welcome: wire.Welcome | Encoded) -> Encoded:
    """The welcome as JSON, with the games as they were encoded for earlier answers."""
    return welcome if isinstance(welcome, Encoded) else Encoded(welcome.as_json())


def encoded_position(position: engine.Position) -> Encoded:
    """The answer with a position; call this in a thread."""
    return with_part("position", referee.view(position).as_json)


def encoded_legal(position: engine.Position, chosen: tuple[str, ...], about: str | None) -> Encoded:
    """The answer with the legal steps; call this in a thread."""
    return with_part("legal", referee.legal_view(position, chosen, about).model_dump_json())
