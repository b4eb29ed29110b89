"""One game of the stand-in: its board, its clock, its seats and their connections."""

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from bot.guests.hexo_arena.rehearsal.board import Point, Side, SimulatedBoard, other

MOST_STRAYS: Final = 10
MOST_TURNS: Final = 500


@dataclass(eq=False)
class SeatSession:
    """A websocket of a seat. `told` is how many turns it has been told."""

    socket: web.WebSocketResponse
    transport: asyncio.Transport
    told: int = 0
    strays: int = 0


@dataclass(eq=False)
class SeatState:
    """A seat: the name of its player, and what the bot needs to take it."""

    name: str
    is_bot: bool = True
    token: str | None = None
    token_until: float = 0.0
    session: SeatSession | None = None
    orphaned_at: float | None = None


@dataclass
class Clock:
    """`control` as on the wire; `left` are seconds by side, None without a clock."""

    control: dict[str, Any]
    left: dict[Side, float | None] = field(default_factory=dict)
    since: float = 0.0

    def start(self, now: float) -> None:
        match self.control["mode"]:
            case "turn":
                full: float | None = self.control["turnTimeMs"] / 1000
            case "match":
                full = self.control["mainTimeMs"] / 1000
            case _:
                full = None
        self.left = {"x": full, "o": full}
        self.since = now

    def limit(self, side: Side, now: float) -> float | None:
        """Return the seconds that the player to move has left."""
        left = self.left[side]
        return None if left is None else max(0.0, left - (now - self.since))

    def moved(self, side: Side, now: float) -> None:
        if self.control["mode"] == "match":
            left = self.limit(side, now)
            assert left is not None
            self.left[side] = left + self.control["incrementMs"] / 1000
        self.since = now


@dataclass(eq=False)
class SimulatedGame:
    """A game, running or over. `turns` are those that the server tells; the origin is not one."""

    game_id: str
    seats: dict[Side, SeatState]
    clock: Clock
    opening_plies: int
    board: SimulatedBoard
    turns: list[tuple[Side, list[Point]]]
    rated: bool
    pending: int | None = None
    counter: int = 0
    winner: Side | None = None
    reason: str | None = None
    was_dialled: bool = False
    """Whether the bot under rehearsal has ever dialled, and so knows of the game."""

    @property
    def is_over(self) -> bool:
        return self.reason is not None

    def side_of(self, name: str) -> Side | None:
        sides: tuple[Side, Side] = ("x", "o")
        return next((side for side in sides if self.seats[side].name == name), None)

    def request(self, session: SeatSession, *, again: bool = False) -> str:
        """Return the packet that requests a turn, with the turns that this session lacks."""
        now = time.monotonic()
        side = self.board.to_move
        previous = self.turns[session.told :]
        if not again:
            session.told = len(self.turns)
        packet: dict[str, Any] = {
            "type": "move_request",
            "side": side,
            "previous": [
                {"side": by, "pieces": [{"q": q, "r": r} for q, r in pieces]}
                for by, pieces in previous
            ],
            "request_id": self.pending,
        }
        if (limit := self.clock.limit(side, now)) is not None:
            packet["move_time_limit"] = limit
        return json.dumps(packet)

    def snapshot(self, ratings: dict[str, float]) -> dict[str, Any]:
        """Return the game as everybody can read it."""
        shown: dict[str, Any] = {
            "gameId": self.game_id,
            "players": {
                side: {
                    "name": seat.name,
                    "rating": ratings.get(seat.name) if seat.is_bot else None,
                    "provisional": True,
                    "kind": "bot" if seat.is_bot else "guest",
                }
                for side, seat in self.seats.items()
            },
            "openingPlies": self.opening_plies,
            "timeControl": self.clock.control,
            "board": {
                "cells": [
                    {"x": q + r, "y": -r, "side": side}
                    for (q, r), side in self.board.stones.items()
                ]
            },
        }
        if self.is_over:
            return {**shown, "status": "finished", "winner": self.winner, "reason": self.reason}
        return {**shown, "status": "in-progress", "toMove": self.board.to_move}

    def loser(self) -> Side | None:
        return None if self.winner is None else other(self.winner)
