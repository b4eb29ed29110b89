"""The stores of an arena over its data folder, opened in order."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta

import structlog

from bot.arena.games.archive import RecordFile
from bot.arena.games.game_store import GameStore
from bot.arena.lobby.challenge_store import ChallengeStore
from bot.arena.players.accounts import Accounts
from bot.arena.players.hosts import Hosts
from bot.arena.settings import ArenaSettings
from bot.arena.store import reports
from bot.arena.store.connection import Hold
from bot.arena.store.data_folder import sole_user
from bot.arena.store.database import Database
from bot.arena.store.opening import open_database
from bot.arena.store.sqlite_database import FILE_NAME
from bot.runtime.kernels import Kernels, compiled_behind
from bot.time_source import TimeSource

log = structlog.get_logger()


@dataclass(frozen=True)
class Stores:
    """The stores on disk, and the compiled rules."""

    database: Database
    kernels: Kernels
    accounts: Accounts
    games: GameStore
    records: RecordFile | None
    hosts: Hosts
    challenges: ChallengeStore | None
    """None if the arena is one process."""


async def open_stores(
    stack: AsyncExitStack, settings: ArenaSettings, time: TimeSource, process_id: str | None
) -> Stores:
    """Lock the data folder, open its files, and start to compile the rules of the games.

    A process of several has an id, and no file of records: they are in the database.
    """
    stack.enter_context(sole_user(settings.data))
    hold = Hold.SOLE if process_id is None else Hold.SHARED
    database = await stack.enter_async_context(open_database(settings.place, hold=hold))
    if settings.database and (unused := settings.data / FILE_NAME).exists():
        log.warning("database_file_unused", file=str(unused))
    kernels = await stack.enter_async_context(
        compiled_behind([offered.name for offered in settings.offered])
    )
    accounts = Accounts(database, time, settings.play)
    games = GameStore(database, process_id)
    await accounts.forget_guests(timedelta(days=settings.play.forget_guests_days))
    reported_before = time.wall() - timedelta(days=reports.KEPT_DAYS)
    await database.write(lambda connection: reports.forget(connection, reported_before))
    records = None
    if process_id is None:
        records = RecordFile(settings.data, games, time)
        stack.push_async_callback(records.close)
        await records.open()
    challenges = None if process_id is None else ChallengeStore(database)
    return Stores(
        database=database,
        kernels=kernels,
        accounts=accounts,
        games=games,
        records=records,
        hosts=Hosts(database, accounts, time),
        challenges=challenges,
    )
