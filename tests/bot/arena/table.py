"""Two players at a table of a real arena, for tests that begin with a running game."""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from socketio.exceptions import ConnectionError as NotConnected

from bot import wire
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.time_source import TimeSource
from tests.fakes.arena_client import ArenaClient, connected

CLOCK = {"kind": "fischer", "initial_s": 300, "increment_s": 5}


def setup(**changes: Any) -> dict[str, Any]:
    """A small board with an ordinary clock."""
    return {"board": "pent-3", "clock": CLOCK, **changes}


def settings(folder: Path, **changes: Any) -> ArenaSettings:
    return ArenaSettings(port=0, data=folder, **changes)


@dataclass
class Table:
    """Anna sits on seat 1, Ben on seat 2."""

    url: str
    one: ArenaClient
    two: ArenaClient
    game_id: str

    async def play(self, ply: int, turn: str) -> wire.TurnDone:
        """Play as whoever is to move."""
        mover = self.two if ply % 2 else self.one
        done: wire.TurnDone = await mover.do("game.turn", game_id=self.game_id, ply=ply, turn=turn)
        return done

    async def both_see(self, condition: Any) -> wire.GameState:
        await self.two.game(self.game_id, condition)
        return await self.one.game(self.game_id, condition)


async def begin(one: ArenaClient, two: ArenaClient, **setup_changes: Any) -> str:
    """Start a game between two connections; its id."""
    names = [client.all_of(wire.Welcome)[-1].you.name for client in (one, two)]
    created = await one.do("challenge.create", setup=setup(**setup_changes), seats=names)
    challenge_id = created.challenge.challenge_id
    accepted = await two.do("challenge.accept", challenge_id=challenge_id)
    game_id: str = accepted.challenge.game_id
    for client in (one, two):
        await client.game(game_id)
    return game_id


async def play_first(one: ArenaClient, two: ArenaClient, game_id: str) -> None:
    """Play a turn of both players, so that the result of a rated game counts."""
    for ply, (client, turn) in enumerate(((one, "0-0"), (two, "2-0,2-2"))):
        await client.do("game.turn", game_id=game_id, ply=ply, turn=turn)


@asynccontextmanager
async def table(
    folder: Path,
    time: TimeSource | None = None,
    connections: dict[str, Any] | None = None,
    **changes: Any,
) -> AsyncIterator[Table]:
    """An arena with one game that has just begun."""
    async with AsyncExitStack() as stack:
        chosen = settings(folder, connections=connections or {})
        url = await stack.enter_async_context(running_arena(chosen, time, random.Random(1)))
        one = await stack.enter_async_context(connected(url, name="Anna"))
        two = await stack.enter_async_context(connected(url, name="Ben"))
        yield Table(url, one, two, await begin(one, two, **changes))


async def refusal(url: str, auth: object) -> wire.Refusal:
    """What a connection is refused with."""
    client = ArenaClient()
    with pytest.raises(NotConnected):
        await client.connect(url, auth)
    await client.close()
    refusal = wire.Refusal.model_validate(client.refusal["data"])
    assert refusal.message == client.refusal["message"]
    return refusal
