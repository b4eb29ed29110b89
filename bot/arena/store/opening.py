"""Opens the database of an arena: the file in its data folder, or the one of the settings."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.arena.store.connection import Driver
from bot.arena.store.database import Database
from bot.arena.store.sqlite_database import FILE_NAME, SqliteDriver, prepare
from bot.runtime.files import made


@asynccontextmanager
async def open_database(
    folder: Path, patience_s: float | None = None, *, beside_arena: bool = False
) -> AsyncIterator[Database]:
    """Open the arena's database in a data folder, or create it.

    `patience_s` is for `Database.write`. `beside_arena` says that the caller does not hold the
    folder (`sole_user`), so that an arena of an older version may be running on it.

    Raises HostError if the database cannot be used, or if its tables are out of date and an arena
    uses them; DataError if it is damaged, or if a newer or a much older version of Bluestone made
    it.
    """
    path = folder / FILE_NAME
    made(folder)
    driver: Driver = SqliteDriver(path)
    try:
        await asyncio.to_thread(prepare, path, beside_arena=beside_arena)
        database = Database(driver, patience_s)
    except driver.errors as error:
        raise driver.failure("cannot be used as the arena's database", error) from error
    try:
        yield database
    finally:
        await database.close()
