"""Several processes of one arena, each with its own connection to one PostgreSQL database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final

import psycopg

from bot import wire
from bot.arena.cluster.leases import Claimed, Leases
from bot.arena.cluster.presence_store import PresenceStore
from bot.arena.games.game import Game
from bot.arena.games.game_rows import StoredGame
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.players.accounts import Accounts
from bot.arena.settings import Allowances, Place
from bot.arena.store.connection import Hold
from bot.arena.store.database import Database
from bot.arena.store.opening import open_database
from bot.arena.tournaments.tournament_store import TournamentStore
from bot.time_controls import parse_time_control
from tests.fakes.time import EPOCH, FakeTime

LEASE_S: Final = 60.0
SETUP: Final = wire.GameSetup(board="pent-3", clock=parse_time_control("600+2"))


@dataclass
class Process:
    """A process that has joined, and its stores."""

    id: str
    database: Database
    leases: Leases
    games: GameStore
    tournaments: TournamentStore
    presence: PresenceStore

    async def join(self, clock_s: float = 0.0) -> None:
        await self.leases.join(f"{self.id}.example:9765", 1, "1.0", clock_s)


@asynccontextmanager
async def processes(
    place: Place, names: Sequence[str] = ("a", "b")
) -> AsyncIterator[list[Process]]:
    async with AsyncExitStack() as stack:
        made = []
        for name in names:
            database = await stack.enter_async_context(open_database(place, None, Hold.SHARED))
            process = Process(
                name,
                database,
                Leases(database, name, LEASE_S),
                GameStore(database, name),
                TournamentStore(database, FakeTime()),
                PresenceStore(database, name),
            )
            await process.join()
            made.append(process)
        yield made


async def players_in(database: Database) -> tuple[wire.Player, wire.Player]:
    accounts = Accounts(database, FakeTime())
    one, two = [(await accounts.log_in(wire.Credentials(v=1))).player for _ in range(2)]
    return one, two


async def started(process: Process, name: str = "g", now: float = 0.0) -> Game:
    """A game that this process has begun."""
    game = game_between(await players_in(process.database), name, now)
    await process.games.begin(game)
    return game


def game_between(players: tuple[wire.Player, wire.Player], name: str, now: float = 0.0) -> Game:
    """A new game in its first epoch."""
    return replace(new_game(name, SETUP, players, Allowances(), EPOCH, now), epoch=1)


def expire(place: Place, process: Process) -> None:
    """Let the lease of the process be over."""
    run(place, f"UPDATE processes SET lease_until = 0 WHERE id = '{process.id}'")


def run(place: Place, statement: str) -> list[tuple[object, ...]]:
    assert place.database is not None
    with psycopg.connect(place.database, autocommit=True) as connection:
        found = connection.execute(statement.encode())
        return found.fetchall() if found.description else []


def stored(claimed: Claimed) -> StoredGame:
    assert isinstance(claimed.game, StoredGame)
    return claimed.game
