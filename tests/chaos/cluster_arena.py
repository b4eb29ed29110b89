"""An arena of several processes on one PostgreSQL server, all of which can be killed."""

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import psycopg

from tests.chaos.programs import OURS, Program
from tests.fakes.cut_connection import Relay, relay
from tests.fakes.postgres import Postgres, running_postgres
from tests.fakes.valkey import ValkeyServer, running_valkey

DATABASE_S: Final = 30.0
"""How long a question may wait for a database that was killed."""
AGAIN_S: Final = 0.1

_AUDIT: Final = """
CREATE TABLE audit (
    n BIGSERIAL PRIMARY KEY, process TEXT, game TEXT, ply BIGINT, turn TEXT, owner TEXT
);
CREATE FUNCTION note_turn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit (process, game, ply, turn) VALUES (
        current_setting('application_name'), NEW.game_id, NEW.ply, NEW.played::json ->> 'turn'
    );
    RETURN NEW;
END $$;
CREATE TRIGGER note_turn AFTER INSERT OR UPDATE ON turns
    FOR EACH ROW EXECUTE FUNCTION note_turn();
CREATE FUNCTION note_owner() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit (process, game, owner) VALUES (
        current_setting('application_name'), NEW.id, NEW.owner
    );
    RETURN NEW;
END $$;
CREATE TRIGGER note_owner AFTER UPDATE OF owner ON games
    FOR EACH ROW WHEN (OLD.owner IS DISTINCT FROM NEW.owner) EXECUTE FUNCTION note_owner();
"""


@dataclass(frozen=True)
class Audited:
    """A turn that a process wrote, or a new owner of a game; `turn` is None for an owner."""

    process: str
    game: str
    ply: int | None
    turn: str | None


@dataclass(frozen=True)
class Owned:
    """The owner of a running game: the number of its process, None if that is unknown."""

    process: int | None
    epoch: int


class Tables:
    """Questions to the database, over connections that no fault cuts."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows. Waits while the database is away. Raises psycopg.Error after that."""
        deadline = time.monotonic() + DATABASE_S
        while True:
            try:
                return await asyncio.to_thread(self.rows_now, statement, *values)
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(AGAIN_S)

    def rows_now(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows. Raises psycopg.Error."""
        with psycopg.connect(self.url) as connection:
            return connection.execute(statement.encode(), values).fetchall()

    async def audit(self) -> None:
        """Let the database note who writes turns, and each new owner of a game."""

        def make() -> None:
            with psycopg.connect(self.url) as connection:
                connection.execute(_AUDIT.encode())

        await asyncio.to_thread(make)

    async def audited(self, games: Iterable[str]) -> list[Audited]:
        """Return what was noted about these games, in order."""
        statement = "SELECT process, game, ply, turn FROM audit WHERE game = ANY(%s) ORDER BY n"
        return [Audited(*row) for row in await self.rows(statement, list(games))]

    async def turns(self, games: Iterable[str]) -> dict[str, dict[int, str]]:
        """Return the turns of these games by ply."""
        found: dict[str, dict[int, str]] = {game: {} for game in games}
        statement = """
            SELECT game_id, ply, played::json ->> 'turn' FROM turns
            WHERE game_id = ANY(%s) ORDER BY game_id, ply"""
        for game, ply, turn in await self.rows(statement, list(found)):
            found[game][ply] = turn
        return found

    async def owners(self, addresses: Mapping[int, int]) -> dict[str, Owned]:
        """Return the owners of the running games; `addresses` has process numbers by pid."""
        statement = """
            SELECT games.id, processes.pid, games.epoch FROM games
            LEFT JOIN processes ON processes.id = games.owner AND NOT processes.ended
            WHERE running"""
        return {
            game: Owned(addresses.get(pid), epoch)
            for game, pid, epoch in await self.rows(statement)
        }


class ArenaProcess:
    """One process. It keeps its port when it is started again."""

    def __init__(self, number: int, folder: Path, settings: str) -> None:
        self.number = number
        self.is_up = False
        self.address = ""
        self._port = 0
        folder.mkdir()
        config = folder / "arena.toml"
        config.write_text(settings)
        command = [*OURS, "arena", "--config", str(config), "--data", str(folder)]
        self.program = Program(command)

    @property
    def name(self) -> str:
        """What the database calls its connections."""
        return process_name(self.number)

    async def start(self) -> None:
        """Start the process, and wait until people can play. Raises DidNotStartError."""
        await self.program.spawn("--port", str(self._port))
        self.address = await self.program.says("http://")
        self._port = urlsplit(self.address).port or 0
        self.is_up = True

    async def kill(self) -> None:
        self.is_up = False
        await self.program.kill()

    async def stop(self) -> int:
        """Send SIGTERM, and return the exit status."""
        self.is_up = False
        return await self.program.stop()

    async def ended(self, within_s: float) -> int:
        """Return the exit status of a process that ends itself, -9 if it does not."""
        self.is_up = False
        return await self.program.ended(within_s)

    def suspend(self) -> None:
        self.is_up = False
        os.kill(self.program.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.program.pid, signal.SIGCONT)


@dataclass
class ClusterArena:
    """Made by `running_cluster`."""

    postgres: Postgres
    tables: Tables
    processes: list[ArenaProcess]
    relays: list[Relay] = field(default_factory=list)
    valkey: ValkeyServer | None = None

    def living(self) -> list[ArenaProcess]:
        return [each for each in self.processes if each.is_up]

    def any_address(self, rng: random.Random) -> str:
        """Return the address of a living process, or that of any if none lives."""
        return rng.choice(self.living() or self.processes).address

    async def owners(self) -> dict[str, Owned]:
        """Return the owners of the running games."""
        pids = {each.program.pid: each.number for each in self.processes if each.program.is_running}
        return await self.tables.owners(pids)

    def kill_postgres(self) -> None:
        """Send SIGKILL to the server and to all of its children."""
        process = self.postgres.process
        assert process is not None
        children = _children(process.pid)
        process.kill()
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        process.wait(DATABASE_S)
        self.postgres.process = None

    async def start_postgres(self) -> None:
        await asyncio.to_thread(self.postgres.start)


def process_name(number: int) -> str:
    return f"arena-{number}"


def _children(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(") ")[2].split()
            if int(fields[1]) == pid:
                found.append(int(stat.parent.name))
    return found


@dataclass(frozen=True)
class ClusterTerms:
    """How an arena of several processes runs; `bus` is "postgres" or "valkey"."""

    count: int = 3
    bus: str = "postgres"
    lease_s: float = 6.0
    renew_s: float = 2.0
    more: str = ""
    is_audited: bool = False
    has_relays: bool = False


@asynccontextmanager
async def running_cluster(folder: Path, terms: ClusterTerms) -> AsyncIterator[ClusterArena]:
    """Run the processes of an arena, an empty database and a bus until the end of the block."""
    async with AsyncExitStack() as stack:
        postgres = stack.enter_context(running_postgres())
        url = postgres.create()
        valkey = None
        if terms.bus == "valkey":
            valkey = stack.enter_context(running_valkey(folder))
        arena = ClusterArena(postgres, Tables(url), [], valkey=valkey)
        for number in range(terms.count):
            own = f"{url}&application_name={process_name(number)}"
            if terms.has_relays:
                between = stack.enter_context(relay(postgres.socket))
                arena.relays.append(between)
                database = urlsplit(url).path
                own = f"postgresql://postgres@127.0.0.1:{between.port}{database}"
                own += f"?application_name={process_name(number)}"
            settings = _settings(terms, own, valkey)
            process = ArenaProcess(number, folder / process_name(number), settings)
            arena.processes.append(process)
            stack.push_async_callback(process.kill)
            await process.start()
            if number == 0 and terms.is_audited:
                await arena.tables.audit()
        yield arena


def _settings(terms: ClusterTerms, url: str, valkey: ValkeyServer | None) -> str:
    return f"""
database = "{url}"
{terms.more}
[cluster]
link = "127.0.0.1:0"
bus = "{"" if valkey is None else valkey.url}"
lease_s = {terms.lease_s}
renew_s = {terms.renew_s}
"""
