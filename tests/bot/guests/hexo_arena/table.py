"""A seat at a table without a server: sockets are scripts, and time is set by hand."""

import asyncio
import json
import random
from collections.abc import Sequence
from typing import Any

from bot.backoff import Backoff
from bot.guests.hexo_arena.facts import KnownGame
from bot.guests.hexo_arena.messages import EngineSession
from bot.guests.hexo_arena.seat import Seat, SeatOptions
from bot.guests.hexo_arena.sockets import CannotDial, SocketClosed
from bot.time_controls import PerTurn
from tests.fakes.time import EPOCH, FakeTime

SETUP = {"type": "setup", "board": {"cells": [{"q": 0, "r": 0, "p": "x"}]}}


def request(number: int, *previous: str, limit: float = 15.0, side: str = "o") -> dict[str, Any]:
    """A request; `previous` are turns, the first of them by o."""
    sides = ("o", "x")
    return {
        "type": "move_request",
        "side": side,
        "previous": [
            {"side": sides[at % 2], "pieces": pieces(turn)} for at, turn in enumerate(previous)
        ],
        "move_time_limit": limit,
        "request_id": number,
    }


def pieces(turn: str) -> list[dict[str, int]]:
    points = [stone.split(":") for stone in turn.split(",")]
    return [{"q": int(q), "r": int(r)} for q, r in points]


def heartbeat(*, waiting: bool) -> dict[str, Any]:
    return {"type": "heartbeat", "waiting": waiting}


class FakeSocket:
    """A websocket: `say` makes the server send a packet, `break_off` ends it."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.closed = False
        self.swallows = False
        self._packets: asyncio.Queue[str | SocketClosed] = asyncio.Queue()

    def say(self, *packets: dict[str, Any]) -> None:
        for packet in packets:
            self._packets.put_nowait(json.dumps(packet))

    def break_off(self, code: int | None = None) -> None:
        self._packets.put_nowait(SocketClosed(f"closed with {code}", code))

    @property
    def is_read(self) -> bool:
        return self._packets.empty()

    async def send(self, text: str) -> None:
        if self.closed:
            raise SocketClosed("closed")
        if self.swallows:
            await asyncio.Event().wait()
        self.sent.append(json.loads(text))

    async def receive(self) -> str:
        packet = await self._packets.get()
        if isinstance(packet, SocketClosed):
            raise packet
        return packet

    async def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.break_off()


class FakeTable:
    """The `Table` of one seat, and the server's end of its sockets."""

    def __init__(self, *refusals: CannotDial) -> None:
        self.time = FakeTime()
        self.sockets: list[FakeSocket] = []
        self.dialled: list[str] = []
        self.requests: list[tuple[int, bool]] = []
        self.tokens_needed = 0
        self.unread: list[str] = []
        self.refusals = list(refusals)
        game = KnownGame("g1", "o", PerTurn(turn_s=15), True, "Ann", "bot", 1500, EPOCH)
        self.seat = Seat(
            game,
            session("first"),
            self.dial,
            self,
            SeatOptions(),
            self.time,
            Backoff(0.2, 5.0, random.Random(1)),
        )

    async def dial(self, session: EngineSession) -> FakeSocket:
        self.dialled.append(session.token)
        if self.refusals:
            raise self.refusals.pop(0)
        self.sockets.append(FakeSocket())
        return self.sockets[-1]

    async def requested(self, seat: Seat, *, again: bool) -> None:
        assert seat.request is not None
        self.requests.append((seat.request.ply, again))

    def need_token(self, game_id: str) -> None:
        assert game_id == "g1"
        self.tokens_needed += 1

    async def unreadable(self, game_id: str, why: str) -> None:
        assert game_id == "g1"
        self.unread.append(why)

    @property
    def socket(self) -> FakeSocket:
        return self.sockets[-1]

    async def after(self, *packets: dict[str, Any]) -> None:
        """Let the server send these packets on the present connection, and the seat read them."""
        socket = self.socket
        socket.say(*packets)
        while not (socket.is_read or socket.closed):
            await self.time.settle()
        await self.time.settle()

    def answers(self, at: int = -1) -> Sequence[dict[str, Any]]:
        return self.sockets[at].sent


def session(token: str) -> EngineSession:
    return EngineSession(socket_url="/api/bot/game/g1/socket", token=token)
