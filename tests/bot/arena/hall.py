"""A tournament on a real arena: a host, players, and what they do."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.players.hosts import issue_key
from bot.arena.server import running_arena
from bot.time_source import TimeSource
from tests.bot.arena.table import settings, setup
from tests.fakes.arena_client import DEADLINE_S, ArenaClient, connected

HOST = "Hanna"


def plan(**changes: Any) -> dict[str, Any]:
    """A short tournament on a small board."""
    return {
        "name": "Autumn cup",
        "format": {"kind": "swiss", "rounds": 2},
        "setups": [setup()],
        **changes,
    }


@dataclass
class Hall:
    """An arena with its host; `secrets` holds the key of the host and the tokens of bots."""

    url: str
    host: ArenaClient
    secrets: dict[str, str]
    stack: AsyncExitStack
    bots: dict[str, ArenaClient] = field(default_factory=dict)
    tournament_id: str = ""

    async def go(self, *names: str) -> None:
        """Bots are gone, and the arena has noticed."""
        for name in names:
            await self.bots.pop(name).close()
        await self.until(lambda s: not any(e.connected for e in s.entrants if e.name in names))

    async def come(self, *names: str) -> None:
        """Bots connect; those that are there already stay."""
        for name in names:
            bot = connected(self.url, token=self.secrets[name])
            self.bots[name] = await self.stack.enter_async_context(bot)

    async def create(self, **changes: Any) -> wire.TournamentState:
        done = await self.host.do("tournament.create", settings=plan(**changes))
        self.tournament_id = done.tournament.tournament_id
        return await self.watch(self.host)

    async def watch(self, client: ArenaClient) -> wire.TournamentState:
        done = await client.do("tournament.watch", tournament_id=self.tournament_id)
        state: wire.TournamentState = done.tournament
        return state

    async def enter(self, *names: str) -> None:
        for name in names:
            await self.bots[name].do("tournament.enter", tournament_id=self.tournament_id)

    async def do(self, what: str, **fields: Any) -> wire.TournamentState:
        """As the host."""
        done = await self.host.do(f"tournament.{what}", tournament_id=self.tournament_id, **fields)
        state: wire.TournamentState = done.tournament
        return state

    async def refused(self, what: str, client: ArenaClient | None = None, **fields: Any) -> str:
        asked = client or self.host
        return await asked.refused(f"tournament.{what}", tournament_id=self.tournament_id, **fields)

    async def until(self, condition: Any) -> wire.TournamentState:
        """The tournament as the host sees it, as soon as that is so; no time passes."""
        async with asyncio.timeout(DEADLINE_S):
            while True:
                state = await self.watch(self.host)
                if condition(state):
                    return state
                await asyncio.sleep(0.05)

    async def resign(self, game: wire.TournamentGame, seat: int) -> None:
        """End a game that runs."""
        name = game.seats[seat - 1]
        await self.bots[name].do("game.action", game_id=game.game_id, action="resign")


@asynccontextmanager
async def hall(
    folder: Path,
    names: Sequence[str] = ("one", "two", "three", "four"),
    time: TimeSource | None = None,
    secrets: dict[str, str] | None = None,
    **changes: Any,
) -> AsyncIterator[Hall]:
    """An arena with a host who is connected, and bots who are too; `secrets` are those of a run
    before.
    """
    known = secrets or {HOST: await issue_key(folder, HOST)}
    if secrets is None:
        known |= {name: await issue_token(folder, name) for name in names}
    async with AsyncExitStack() as stack:
        patient = {"connections": {"messages_burst": 100_000}}  # who waits asks often
        chosen = settings(folder, **(patient | changes))
        url = await stack.enter_async_context(running_arena(chosen, time, random.Random(1)))
        host = await stack.enter_async_context(connected(url, guest_key=known[HOST]))
        opened = Hall(url, host, known, stack)
        await opened.come(*names)
        yield opened


def games(state: wire.TournamentState, in_state: str | None = None) -> list[wire.TournamentGame]:
    """All of the rounds that are shown, or those in one state."""
    return [
        game
        for each in state.rounds
        for pairing in each.pairings
        for game in pairing.games
        if in_state in {None, game.state}
    ]


def points(state: wire.TournamentState) -> dict[str, float]:
    return {each.player: each.points for each in state.standings}
