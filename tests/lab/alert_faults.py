"""For each alert of arenas, and of any program, the fault that it is for.

A fault is caused at the start of its block, and ended at the block's end.
"""

import asyncio
import itertools
import json
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Final

import aiohttp

from bot.arena.games.archive import FILE_NAME as RECORDS
from bot.arena.players.accounts import issue_token
from bot.arena.players.hosts import issue_key
from bot.arena.store.sqlite_database import FILE_NAME as DATABASE
from bot.bench.clients.frames import Connection, Json
from bot.errors import HostError, PeerError
from tests.chaos.faults import locked
from tests.chaos.scene import Scene, background

Fault = Callable[[Scene], AbstractAsyncContextManager[None]]

CROWDED: Final = """
[connections]
connections = 1000
sockets_per_address = 1000
new_guests_burst = 2000
new_guests_per_s = 100
messages_per_s = 1000
messages_burst = 1000
ping_interval_s = 2
[play]
names_per_address = 100000
"""
SMALL: Final = """
[connections]
connections = 100
sockets_per_address = 200
new_guests_per_s = 100
[play]
names_per_address = 1000
"""
RESTARTS: Final = 3
STOPPED_S: Final = 5.0
DESCRIPTORS: Final = 150
CROWD: Final = 400
ARRIVALS_PER_S: Final = 20
READERS: Final = 40
RECEIVED_BYTES: Final = 4096
PACKET_BYTES: Final = 1460
REQUESTS: Final = 2000
LARGE_FILE: Final = 600_000_000
PACE_S: Final = 0.1


@asynccontextmanager
async def killed_arena(scene: Scene) -> AsyncIterator[None]:
    await scene.arena.kill()
    yield
    await scene.start_arena()


@asynccontextmanager
async def restarts(scene: Scene) -> AsyncIterator[None]:
    for _ in range(RESTARTS):
        await scene.arena.kill()
        await scene.start_arena()
        await asyncio.sleep(2)  # a scrape of each start
    yield


@asynccontextmanager
async def few_descriptors(scene: Scene) -> AsyncIterator[None]:
    pid, kind = scene.arena.pid, resource.RLIMIT_NOFILE
    before = resource.prlimit(pid, kind)
    used = len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208
    resource.prlimit(pid, kind, (used + DESCRIPTORS + 10, before[1]))
    try:
        async with crowd(scene, DESCRIPTORS):
            yield
    finally:
        resource.prlimit(pid, kind, before)


@asynccontextmanager
async def large_crowd(scene: Scene) -> AsyncIterator[None]:
    """End it as the page says: by a restart."""
    async with crowd(scene, CROWD):
        yield
    await scene.arena.kill()
    await scene.start_arena()


@asynccontextmanager
async def growing_crowd(scene: Scene) -> AsyncIterator[None]:
    async def grow(http: aiohttp.ClientSession, inside: list[Connection]) -> None:
        while True:
            inside.append(await guest(http, scene.proxy.port))
            await asyncio.sleep(1 / ARRIVALS_PER_S)

    inside: list[Connection] = []
    async with crowd_session() as http:
        async with background() as start:
            start(grow(http, inside))
            yield
        # They stay: memory that no longer grows is no fault.
        await _closed(inside)


@asynccontextmanager
async def locked_database(scene: Scene) -> AsyncIterator[None]:
    with locked(scene.data / DATABASE):
        yield


@asynccontextmanager
async def stopped_for_a_while(scene: Scene) -> AsyncIterator[None]:
    os.kill(scene.arena.pid, signal.SIGSTOP)
    await asyncio.sleep(STOPPED_S)
    os.kill(scene.arena.pid, signal.SIGCONT)
    yield


@asynccontextmanager
async def full_arena(scene: Scene) -> AsyncIterator[None]:
    async with crowd(scene, 80):
        yield


@asynccontextmanager
async def slow_readers(scene: Scene) -> AsyncIterator[None]:
    """Clients that request much and read nothing, and come back when they are cut."""
    async with crowd_session(is_remote=True) as http, background() as start:
        for _ in range(READERS):
            start(_read_nothing(http, scene))
        yield


async def _read_nothing(http: aiohttp.ClientSession, scene: Scene) -> None:
    while True:
        with suppress(PeerError, aiohttp.ClientError, OSError):
            connection = await guest(http, scene.proxy.port)
            try:
                await _request_without_reading(connection, scene)
            finally:
                await connection.close()
        await asyncio.sleep(PACE_S)


async def _request_without_reading(connection: Connection, scene: Scene) -> None:
    """Request running games until the arena cuts the connection."""
    transport = _transport(connection)
    transport.pause_reading()
    socket = connection._socket
    games = list(scene.ledger.games)
    for number, game_id in enumerate(itertools.cycle(games)):
        request = {"v": 1, "game_id": game_id, "follow": False}
        await socket.send_str(f'42{number}["game.watch",{json.dumps(request)}]')
        await asyncio.sleep(PACE_S / 10)
        if number > REQUESTS or transport.is_closing():
            return


def _transport(connection: Connection) -> asyncio.Transport:
    below = connection._socket._response.connection
    assert below is not None
    assert isinstance(below.transport, asyncio.Transport)
    return below.transport


@asynccontextmanager
async def lost_table(scene: Scene) -> AsyncIterator[None]:
    """Another program takes a table away, and a login fails."""
    token = await issue_token(scene.data, "Stone-1")
    _rename(scene.data / DATABASE, "tokens", "lost")
    try:
        async with crowd_session() as http:
            with suppress(PeerError):
                await guest(http, scene.proxy.port, token=token, engine="random")
        yield
    finally:
        _rename(scene.data / DATABASE, "lost", "tokens")


def _rename(path: Path, old: str, new: str) -> None:
    with closing(sqlite3.connect(path, timeout=20)) as database:
        database.execute(f"ALTER TABLE {old} RENAME TO {new}")


@asynccontextmanager
async def unwritable_records(scene: Scene) -> AsyncIterator[None]:
    records = scene.data / RECORDS
    aside = records.with_suffix(".aside")
    if records.exists():
        records.rename(aside)
    records.mkdir()
    yield
    records.rmdir()
    if aside.exists():
        aside.rename(records)


@asynccontextmanager
async def stalled_tournament(scene: Scene) -> AsyncIterator[None]:
    """The players of a tournament enter it and leave; its host ends it."""
    names = ("Stone-1", "Stone-2")
    tokens = [await issue_token(scene.data, name) for name in names]
    key = await issue_key(scene.data, "Hanna")
    settings: Json = {
        "name": "Stalled",
        "format": {"kind": "swiss", "rounds": 1},
        "setups": [{"game": "bluestone", "board": "pent-3", "clock": "60+1"}],
        "no_show_s": 3600,
    }
    async with crowd_session() as http:
        host = await guest(http, scene.proxy.port, guest_key=key)
        created = await host.ask("tournament.create", {"v": 1, "settings": settings})
        asked = {"v": 1, "tournament_id": created.fields["tournament"]["tournament_id"]}
        for token in tokens:
            player = await guest(http, scene.proxy.port, token=token, engine="random")
            await player.ask("tournament.enter", asked)
            await player.close()
        await host.ask("tournament.start", asked)
        yield
        await host.ask("tournament.end", {**asked, "why": "its players are away"})
        await host.close()


@asynccontextmanager
async def large_file(scene: Scene) -> AsyncIterator[None]:
    path = scene.data / "large"
    with path.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, LARGE_FILE)
    yield
    path.unlink()


def free_bytes(scene: Scene) -> int:
    return shutil.disk_usage(scene.data).free


def memory(scene: Scene) -> int:
    """Return the arena's resident memory in bytes."""
    pages = Path(f"/proc/{scene.arena.pid}/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


# ---- a slow disk -------------------------------------------------------------------------------

DELAY: Final = "delay"
SHIM: Final = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static void wait_for_disk(void) {
    FILE *file = fopen(getenv("SLOW_DISK"), "r");
    double seconds = 0;
    if (!file) return;
    if (fscanf(file, "%lf", &seconds) == 1) usleep((useconds_t)(seconds * 1e6));
    fclose(file);
}
int fsync(int fd) { wait_for_disk(); return syscall(SYS_fsync, fd); }
int fdatasync(int fd) { wait_for_disk(); return syscall(SYS_fdatasync, fd); }
"""
"""A library that the arena loads before its own: each flush waits for the seconds in a file."""


def with_slow_disk(folder: Path, command: Sequence[str]) -> list[str]:
    """Return the command with a disk that `slow` can slow down. Raises HostError without cc."""
    source, library = folder / "slow_disk.c", folder / "slow_disk.so"
    source.write_text(SHIM)
    try:
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise HostError(f"a slow disk needs a C compiler: {error}") from error
    return ["env", f"LD_PRELOAD={library}", f"SLOW_DISK={folder / DELAY}", *command]


def slow_disk(seconds: float) -> Fault:
    @asynccontextmanager
    async def slow(scene: Scene) -> AsyncIterator[None]:
        file = scene.data.parent / DELAY
        file.write_text(str(seconds))
        try:
            yield
        finally:
            file.unlink()

    return slow


# ---- crowds ------------------------------------------------------------------------------------


@asynccontextmanager
async def crowd(scene: Scene, size: int) -> AsyncIterator[None]:
    """Guests who do nothing. Those that the arena refuses stay outside."""
    inside: list[Connection] = []
    async with crowd_session() as http:
        for _ in range(size):
            with suppress(PeerError):
                inside.append(await guest(http, scene.proxy.port))
        yield
        await _closed(inside)


async def _closed(connections: Sequence[Connection]) -> None:
    for connection in connections:
        await connection.close()


def crowd_session(*, is_remote: bool = False) -> aiohttp.ClientSession:
    """Sessions that are remote have the packets and buffers of a network, not of one machine."""

    def made(_address: tuple[object, ...]) -> socket.socket:
        client = socket.socket()
        client.setblocking(False)
        if is_remote:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED_BYTES)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, PACKET_BYTES)
        return client

    connector = aiohttp.TCPConnector(limit=0, socket_factory=made)
    return aiohttp.ClientSession(connector=connector)


_numbers = itertools.count(1)


async def guest(http: aiohttp.ClientSession, port: int, **login: str) -> Connection:
    """Raises Refused or ConnectionLost."""
    auth = {"v": 1, **(login or {"name": f"Visitor-{next(_numbers)}"})}
    return await Connection.open(http, f"http://127.0.0.1:{port}", auth, lambda _text, _at: None)
