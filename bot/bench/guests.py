"""Guests on an arena who play what they are told, and note when things arrive."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Self

import socketio

import engine
from bot import wire
from bot.errors import PeerError

PATIENCE_S = 60.0

Json = dict[str, Any]
OnGame = Callable[[Json, float], None]


class Guest:
    """One connection; `on_game` gets each state of a game with the moment of its arrival."""

    def __init__(self, on_game: OnGame) -> None:
        self.name = ""
        self._on_game = on_game
        self._welcomed = asyncio.Event()
        self._client = socketio.AsyncClient(reconnection=False, handle_sigint=False)
        self._client.on("welcome", self._welcome)
        self._client.on("challenge", self._challenge)
        self._client.on("game", self._game)

    async def enter(self, address: str) -> Self:
        auth = {"v": wire.VERSION}
        await self._client.connect(address, auth=auth, transports=["websocket"])
        async with asyncio.timeout(PATIENCE_S):
            await self._welcomed.wait()
        return self

    async def leave(self) -> None:
        await self._client.disconnect()
        await self._client.shutdown()

    async def ask(self, event: str, **fields: object) -> Json:
        """Send an event; its acknowledgement. Raises PeerError if it is refused."""
        message = {"v": wire.VERSION, **fields}
        answer: Json = await self._client.call(event, message, timeout=PATIENCE_S)
        if not answer["ok"]:
            raise PeerError(answer["code"], answer["message"])
        return answer

    async def challenge(self, opponent: str, game: engine.Game, clock: Json) -> None:
        setup = {
            "game": game.name,
            "board": game.board.name,
            "rules": game.rules,
            "options": {name: str(value) for name, value in game.options},
            "clock": clock,
        }
        await self.ask("challenge.create", setup=setup, seats=[self.name, opponent])

    async def _welcome(self, data: Json) -> None:
        self.name = data["you"]["name"]
        self._welcomed.set()

    async def _challenge(self, data: Json) -> None:
        waits_for_us = data["state"] == "open" and self.name not in data["accepted"]
        if waits_for_us and self.name in data["seats"]:
            await self.ask("challenge.accept", challenge_id=data["challenge_id"])

    async def _game(self, data: Json) -> None:
        self._on_game(data, time.monotonic())
