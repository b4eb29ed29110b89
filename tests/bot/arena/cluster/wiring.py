"""Buses under test, with a server that can be stopped."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pytest

from bot.arena.cluster.bus import Bus, LocalHub, bus_key
from bot.arena.cluster.cluster import new_bus
from bot.arena.settings import ArenaSettings, ClusterSettings
from tests.fakes.postgres import Postgres
from tests.fakes.valkey import ValkeyServer, running_valkey

URL = "postgresql://postgres@localhost/arena"
KEY = bus_key("the secret of the test")


class Wire(Protocol):
    """What connects the buses of a test."""

    def bus(self, process_id: str) -> Bus: ...

    def stop(self) -> None:
        """Break all connections, and allow no new ones."""

    def start(self) -> None: ...


class LocalWire:
    def __init__(self) -> None:
        self.hub = LocalHub()
        self._made: list[str] = []

    def bus(self, process_id: str) -> Bus:
        self._made.append(process_id)
        return self.hub.bus(process_id)

    def stop(self) -> None:
        for each in self._made:
            self.hub.cut(each)

    def start(self) -> None:
        for each in self._made:
            self.hub.restore(each)


class ServerWire:
    """Buses over a server, as the settings choose them."""

    def __init__(self, server: Postgres | ValkeyServer, database: str, bus: str = "") -> None:
        self._server = server
        self.settings = ArenaSettings(
            database=database, cluster=ClusterSettings(link="127.0.0.1:0", bus=bus)
        )

    def bus(self, process_id: str) -> Bus:
        return new_bus(self.settings, process_id, KEY)

    def stop(self) -> None:
        self._server.stop()

    def start(self) -> None:
        self._server.start()


@contextmanager
def wire_of(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[Wire]:
    if kind == "local":
        yield LocalWire()
    elif kind == "valkey":
        with running_valkey(folder) as server:
            yield ServerWire(server, URL, server.url)
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        try:
            yield ServerWire(postgres, postgres.create())
        finally:
            if postgres.process is None:
                postgres.start()
