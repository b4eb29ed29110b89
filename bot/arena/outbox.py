# mypy: untyped-calls-exclude="socketio,engineio"
"""An `Announcer` over Socket.IO: each player, each game and everybody is a room."""

from collections.abc import Iterable
from typing import Final

import orjson
import socketio
from pydantic import BaseModel

from bot import wire

EVERYBODY: Final = "everybody"


class Outbox:
    """Sends events to rooms; each connection gets an event once, however many rooms it is in."""

    def __init__(self, server: socketio.AsyncServer) -> None:
        self._server = server

    async def game(self, state: wire.GameState) -> None:
        rooms = [player_room(player.name) for player in state.players]
        await self.send("game", state, [*rooms, game_room(state.game_id)])

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None:
        await self.send("challenge", challenge, [player_room(name) for name in names])

    async def lobby(self, lobby: wire.Lobby) -> None:
        await self.send("lobby", lobby, [EVERYBODY])

    async def send(self, event: str, message: BaseModel, rooms: list[str]) -> None:
        """Send an event to everybody in any of the rooms; a connection is a room of its own."""
        await self._server.emit(event, as_json(message), to=rooms)


def player_room(name: str) -> str:
    return f"player:{name}"


def game_room(game_id: str) -> str:
    return f"game:{game_id}"


def as_json(message: BaseModel) -> orjson.Fragment:
    """A message as JSON text that the packet takes over as it stands."""
    return orjson.Fragment(message.model_dump_json())
