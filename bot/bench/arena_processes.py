"""Arenas for measurements: one process on SQLite, or one or several on a database server.

Several processes share one port, as those of `bluestone up --processes` do. The system divides the
connections among them. The database server starts on an empty folder for the measurement.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from bot.arena.settings import VARIABLES
from bot.bench.processes import Program, running
from bot.bench.usage import ProcessUsage, added, usage_of_family
from bot.errors import ConfigurationError
from bot.runtime.listening import reserved
from bot.up.embedded_postgres import EmbeddedPostgres
from bot.up.launcher import environment_of_several

HOST: Final = "127.0.0.1"
NO_LINK: Final = "--bus: only --processes 2 or more need a bus"


@dataclass(frozen=True)
class ArenaKind:
    """What serves the arena: `processes` on a database server, or one on SQLite if it is None.

    One process has no link to others. `bus` is the URL of a Valkey server that carries events
    between several processes; without it PostgreSQL does. Raises ConfigurationError for a bus
    without several processes.
    """

    processes: int | None = None
    bus: str | None = None

    def __post_init__(self) -> None:
        if self.bus is not None and (self.processes or 1) == 1:
            raise ConfigurationError(NO_LINK)


ON_SQLITE: Final = ArenaKind()


class MeasuredArena(Protocol):
    """An arena that runs: `Program`, or `ArenaProcesses`."""

    @property
    def address(self) -> str: ...

    def check_it_runs(self) -> None:
        """Raise HostError if a process has ended, which makes the measurement invalid."""

    def usage(self) -> ProcessUsage | None:
        """Return the usage of all processes of the arena; None if the system does not know it."""

    def database_usage(self) -> ProcessUsage | None:
        """Return the usage of the database server; None if there is none."""


@dataclass(frozen=True)
class ArenaProcesses:
    """The processes of one arena, and the server of their database."""

    programs: Sequence[Program]
    database: EmbeddedPostgres

    @property
    def address(self) -> str:
        return self.programs[0].address

    def check_it_runs(self) -> None:
        """See `MeasuredArena`."""
        for program in self.programs:
            program.check_it_runs()

    def usage(self) -> ProcessUsage | None:
        """See `MeasuredArena`."""
        return added([program.usage() for program in self.programs])

    def database_usage(self) -> ProcessUsage | None:
        """See `MeasuredArena`. Memory counts what its processes share once for each of them."""
        return None if self.database.pid is None else usage_of_family(self.database.pid)


@asynccontextmanager
async def arena_processes(
    command: Sequence[str],
    folder: Path,
    config: Path,
    environment: Mapping[str, str],
    kind: ArenaKind,
) -> AsyncIterator[ArenaProcesses]:
    """Run a database server and `kind.processes` of an arena with it, until the end of the block.

    Raises HostError if one of them does not start.
    """
    async with AsyncExitStack() as stack:
        database = EmbeddedPostgres(folder / "postgres", folder / "postgres.log")
        stack.push_async_callback(database.end)
        await database.start()
        port, settings = 0, {f"{VARIABLES}DATABASE": database.url}
        if kind.processes != 1:
            port = stack.enter_context(reserved(HOST, 0)).getsockname()[1]
            settings = environment_of_several(database.url, "")
            settings[f"{VARIABLES}CLUSTER__BUS"] = kind.bus or ""

        async def started(number: int) -> Program:
            data = folder / f"process-{number}"
            place = ("--port", str(port), "--data", str(data), "--config", str(config))
            process = running([*command, *place], {**environment, **settings})
            return await stack.enter_async_context(process)

        # The first process makes the tables; a stack takes one process at a time.
        programs = [await started(number + 1) for number in range(kind.processes or 1)]
        yield ArenaProcesses(programs, database)
