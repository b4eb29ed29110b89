"""Presence across processes: told by a bus that may lose messages, and read from the database."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from bot import wire
from bot.arena.cluster.bus import LocalHub
from bot.arena.cluster.events import Events
from bot.arena.cluster.leases import LeasedProcess
from bot.arena.cluster.presence_store import PresenceStore
from bot.arena.cluster.presence_sync import RENAMED_LOOKS, PresenceSync
from bot.arena.games.game_service import Games
from bot.arena.players.presence import Presence
from tests.bot.arena.cluster.fakes import FakeDelivery, player
from tests.fakes.time import FakeTime

ANNA, BEN = player("Anna"), player("Ben")
MEMBER = LeasedProcess("b", "", 1, "1.0", 6.0, 0, 0)


@dataclass
class Rows:
    """The rows of all processes in a database."""

    players: dict[str, dict[str, wire.Player]] = field(default_factory=dict)
    revisions: dict[str, int] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)
    renamed: list[tuple[str, wire.Player]] = field(default_factory=list)

    def change(self, process: str, left: str | None, came: wire.Player | None) -> int:
        held = self.players.setdefault(process, {})
        if left is not None:
            held.pop(left, None)
        if came is not None:
            held[came.name] = came
        self.revisions[process] = self.revisions.get(process, 0) + 1
        return self.revisions[process]

    def members(self, *ids: str) -> list[LeasedProcess]:
        return [
            replace(MEMBER, id=each, presence_revision=self.revisions.get(each, 0)) for each in ids
        ]


@dataclass
class Store:
    """The `PresenceStore` of a process."""

    rows: Rows
    process_id: str

    async def came(self, came: wire.Player) -> int:
        return self.rows.change(self.process_id, None, came)

    async def left(self, name: str) -> int:
        return self.rows.change(self.process_id, name, None)

    async def renamed(self, former: str, now: wire.Player) -> int:
        return self.rows.change(self.process_id, former, now)

    async def of(self, process: str) -> tuple[int, list[wire.Player]]:
        self.rows.reads.append(process)
        held = self.rows.players.get(process, {})
        return self.rows.revisions.get(process, 0), list(held.values())

    async def renamed_since(self) -> Sequence[tuple[str, wire.Player]]:
        return self.rows.renamed


class Process:
    """A process with its presence; it notes whose games it has looked at."""

    def __init__(self, name: str, hub: LocalHub, rows: Rows) -> None:
        self.name, self.bus, self.presence = name, hub.bus(name), Presence()
        self.looked_at: list[str] = []
        self.renamed: list[tuple[str, str]] = []
        self.missed: list[str] = []
        self.events = Events(FakeDelivery(), self.bus)
        self.sync = PresenceSync(
            self.presence,
            cast("PresenceStore", Store(rows, name)),
            cast("Games", self),
            self.events,
            name,
            lambda former, now: self.renamed.append((former, now.name)),
            self.missed.append,
        )

    async def player_came_or_left(self, name: str) -> None:
        self.looked_at.append(name)

    def sees(self) -> list[str]:
        return [each.name for each in self.presence.players]


@dataclass
class Bench:
    """Processes `a` and `b`; the bus loses everything while `is_deaf`."""

    rows: Rows = field(default_factory=Rows)
    is_deaf: bool = False

    async def open(self) -> None:
        hub = LocalHub(lambda _envelope: self.is_deaf)
        self.a, self.b = (Process(name, hub, self.rows) for name in "ab")
        for process in (self.a, self.b):
            await process.bus.open()
            await process.events.open()
            await process.sync.compare(self.rows.members("a", "b"))
        self.rows.reads.clear()


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    await made.open()
    yield made
    for process in (made.a, made.b):
        await process.sync.close()
        await process.bus.close()


async def test_players_who_come_and_leave_are_known_by_the_bus(bench: Bench) -> None:
    heard: list[Any] = []
    bench.b.presence.on_came.append(lambda name: heard.append(("came", name)))
    bench.b.presence.on_left.append(lambda name: heard.append(("left", name)))
    bench.a.presence.add(ANNA, "c1")
    bench.a.presence.add(BEN, "c2")
    await FakeTime.settle()
    assert bench.b.sees() == ["Anna", "Ben"]
    bench.a.presence.remove("Anna", "c1")
    await FakeTime.settle()
    assert bench.b.sees() == ["Ben"]
    assert heard == [("came", "Anna"), ("came", "Ben"), ("left", "Anna")]
    assert bench.b.looked_at == ["Anna", "Ben", "Anna"]
    assert not bench.rows.reads


async def test_a_player_of_two_processes_leaves_with_the_last_connection(bench: Bench) -> None:
    bench.a.presence.add(ANNA, "c1")
    bench.b.presence.add(ANNA, "c2")
    await FakeTime.settle()
    bench.a.presence.remove("Anna", "c1")
    await FakeTime.settle()
    assert bench.a.sees() == bench.b.sees() == ["Anna"]
    bench.b.presence.remove("Anna", "c2")
    await FakeTime.settle()
    assert bench.a.sees() == bench.b.sees() == []


async def test_after_a_lost_message_the_next_one_makes_it_read_the_list(bench: Bench) -> None:
    bench.is_deaf = True
    bench.a.presence.add(ANNA, "c1")
    await FakeTime.settle()
    assert bench.b.sees() == []
    bench.is_deaf = False
    bench.a.presence.add(BEN, "c2")
    await FakeTime.settle()
    assert bench.b.sees() == ["Anna", "Ben"]
    assert bench.rows.reads == ["a"]


async def test_a_lost_last_message_is_found_by_the_revision(bench: Bench) -> None:
    bench.is_deaf = True
    bench.a.presence.add(ANNA, "c1")
    await FakeTime.settle()
    for _ in range(2):
        await bench.b.sync.compare(bench.rows.members("a", "b"))
    assert bench.b.sees() == ["Anna"]
    assert bench.rows.reads == ["a"]
    assert bench.b.missed == ["Anna"]


async def test_players_of_an_ended_process_are_gone(bench: Bench) -> None:
    bench.a.presence.add(ANNA, "c1")
    bench.b.presence.add(BEN, "c2")
    await FakeTime.settle()
    await bench.b.sync.compare(bench.rows.members("b"))
    await FakeTime.settle()
    assert bench.b.sees() == ["Ben"]
    assert bench.b.looked_at == ["Anna", "Anna"]


async def test_a_renamed_player_has_the_new_name_everywhere(bench: Bench) -> None:
    bench.a.presence.add(ANNA, "c1")
    await FakeTime.settle()
    for process in (bench.a, bench.b):
        process.presence.rename("Anna", player("Annabel", "id-of-Anna"))
    await FakeTime.settle()
    assert bench.a.sees() == bench.b.sees() == ["Annabel"]
    assert list(bench.rows.players["a"]) == ["Annabel"]


async def test_a_new_name_that_nobody_told_is_found(bench: Bench) -> None:
    bench.a.presence.add(ANNA, "c1")
    bench.rows.renamed = [("Anna", player("Annabel")), ("Carl", player("Carlo"))]
    for _ in range(RENAMED_LOOKS):
        await bench.a.sync.compare(bench.rows.members("a", "b"))
    assert bench.a.renamed == [("Anna", "Annabel")]
