"""PostgreSQL as a database server of the arena, by the door `bluestone.databases`."""

from typing import TYPE_CHECKING, Final

from bot.arena.store.connection import Hold
from bot.arena.store.servers import DatabaseServer
from bot.errors import ConfigurationError
from bot.runtime.extras import how_to_install

if TYPE_CHECKING:
    from bot.arena.postgres.postgres_database import PostgresDriver

NOT_INSTALLED: Final = (
    f"database: PostgreSQL needs the package psycopg; {how_to_install('postgres')}"
)


def postgres(url: str, hold: Hold = Hold.NONE) -> "PostgresDriver":
    """The driver for a PostgreSQL database. Raises ConfigurationError if psycopg is missing."""
    try:
        from bot.arena.postgres.postgres_database import PostgresDriver
    except ImportError as error:
        raise ConfigurationError(NOT_INSTALLED) from error
    return PostgresDriver(url, hold)


POSTGRES: Final = DatabaseServer(postgres)
