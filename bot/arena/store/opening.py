"""Opens the database of an arena: the file in its data folder, or the one of the settings."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from bot.arena.settings import Place
from bot.arena.store.connection import Driver, Hold
from bot.arena.store.data_folder import address_of_arena
from bot.arena.store.database import Database
from bot.arena.store.servers import driver_of
from bot.arena.store.sqlite_database import FILE_NAME, SqliteDriver, prepare
from bot.runtime.files import made


@asynccontextmanager
async def open_database(
    where: Path | Place, patience_s: float | None = None, hold: Hold = Hold.SOLE
) -> AsyncIterator[Database]:
    """Open the arena's database, or create it: a file in that data folder, or as the place says.

    `patience_s` is for `Database.write`. `Hold.NONE` says that the caller is not the arena itself:
    it does not hold the folder (`sole_user`), so that an arena may be running on it, also one of an
    older version. `Hold.SHARED` needs a database of a server.

    Raises HostError if the database cannot be used, if its tables are out of date and an arena uses
    them, or if another arena uses a server's database; DataError if it is damaged, or if a newer or
    a much older version of Bluestone made it; ConfigurationError if no installed package opens the
    place's URL.
    """
    place = where if isinstance(where, Place) else Place(where)
    driver, prepared = _chosen(place, hold)
    try:
        await asyncio.to_thread(prepared)
        database = Database(driver, patience_s)
    except driver.errors as error:
        raise driver.failure("cannot be used as the arena's database", error) from error
    try:
        yield database
    finally:
        await database.close()


def _chosen(place: Place, hold: Hold) -> tuple[Driver, Callable[[], None]]:
    """The driver, and the function that prepares the tables for it."""
    if place.database is None or hold is not Hold.NONE:
        made(place.folder)  # a command on a server's database needs no folder
    if place.database is not None:
        server = driver_of(place.database, hold)
        return server, server.prepare
    assert hold is not Hold.SHARED
    path = place.folder / FILE_NAME
    return SqliteDriver(path), partial(prepare, path, beside_arena=hold is Hold.NONE)


def name_of(place: Place) -> str:
    """What messages call the database: its folder, or its URL without the password."""
    if place.database is None:
        return str(place.folder)
    return driver_of(place.database).name


def why_missing(place: Place) -> str | None:
    """Why the database of the arena is missing; None if it exists.

    Raises HostError if a server cannot be asked.
    """
    if place.database is None:
        is_there = (place.folder / FILE_NAME).exists()
        return None if is_there else f"there is no {FILE_NAME} here"
    is_there = driver_of(place.database).has_tables()
    return None if is_there else "there are no tables of an arena"


def arena_runs(place: Place) -> bool:
    """Whether an arena uses this place now. Raises HostError if a server cannot be asked."""
    if place.database is None:
        return address_of_arena(place.folder) is not None
    return driver_of(place.database).is_held()
