"""Database servers: how an arena gets one instead of its SQLite file.

The settings name a server's database by a URL. The package that has its driver comes by the door
`bluestone.databases`, with an entry for each scheme of such URLs. So the arena, the commands of the
operator and `bluestone doctor` name no database system, and SQLite works without any.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from bot.arena.store.connection import Connection, Driver, Hold
from bot.errors import ConfigurationError
from bot.runtime.doors import Door

T = TypeVar("T")


class Target(Connection, Protocol):
    """A connection that takes the rows of another database."""

    def copy_in(
        self, table: str, columns: Iterable[str], rows: Iterable[Sequence[object]], /
    ) -> None:
        """Add many rows to a table."""
        ...

    def stream(self, sql: str, /) -> Iterable[Iterable[object]]:
        """Read many rows within a transaction, without having all of them in memory."""
        ...


class ServerDriver(Driver, Protocol):
    """A driver for one database of a server, which is reached by a URL.

    Its methods raise HostError if the server cannot be asked.
    """

    def prepare(self) -> None:
        """Create the tables or bring them up to date.

        Raises HostError if the server cannot be used, or if the tables are out of date and an arena
        uses them; DataError if the tables are damaged, or if a newer version of Bluestone made
        them; an error of `errors`.
        """
        ...

    def has_tables(self) -> bool:
        """Whether an arena has made its tables."""
        ...

    def is_held(self) -> bool:
        """Whether an arena uses the database now."""
        ...

    def examined(self) -> tuple[int, list[str]]:
        """The version of the tables, and the columns that they lack."""
        ...

    def one_moment(self, within_s: float) -> AbstractContextManager[Connection]:
        """A connection that sees one state of the database, for so many seconds."""
        ...

    def fill(self, work: Callable[[Target], T]) -> T:
        """Create the tables and run `work` in one transaction, while no arena uses the database.

        Returns the result of `work`; an exception leaves the database as it was.
        """
        ...

    def parameters(self, application: str) -> dict[str, Any]:
        """Parameters for another kind of connection, with the password among them.

        `application` is what the server's lists of connections call it.
        """
        ...


@dataclass(frozen=True)
class DatabaseServer:
    """A kind of server. `driver` gets a URL, and how the program holds the database.

    It raises ConfigurationError if it cannot understand the URL, or lacks a package.
    """

    driver: Callable[[str, Hold], ServerDriver]


SERVERS: Final[Door[DatabaseServer]] = Door(
    "bluestone.databases", "database server", DatabaseServer
)


def driver_of(url: str, hold: Hold = Hold.NONE) -> ServerDriver:
    """The driver for the database of a URL.

    Raises ConfigurationError if no installed package knows such URLs, or if a package is missing.
    """
    scheme = url.partition("://")[0]
    if scheme not in SERVERS.names:
        known = "".join(f", {each}://..." for each in SERVERS.names)
        raise ConfigurationError(
            f"database: no installed package opens {scheme}://...; "
            f"possible are a SQLite file (without the setting){known}"
        )
    return SERVERS.load(scheme).driver(url, hold)
