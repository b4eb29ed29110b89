"""What the buses over PostgreSQL and Valkey do besides what every bus promises."""

import asyncio
import sys
from pathlib import Path

import pytest

from bot.arena.cluster.bus import Envelope, LocalHub
from bot.arena.cluster.cluster import new_bus
from bot.arena.cluster.connected_bus import BACKLOG_BYTES, LOST, Backlog, ConnectedBus
from bot.arena.cluster.message_parts import PAYLOAD, Joiner, cut
from bot.arena.settings import ArenaSettings, ClusterSettings
from bot.errors import ConfigurationError, HostError
from tests.bot.arena.cluster.wiring import KEY, URL, ServerWire
from tests.fakes.valkey import running_valkey
from tests.fakes.waiting import eventually


def settings(bus: str = "", database: str = URL) -> ArenaSettings:
    return ArenaSettings(database=database, cluster=ClusterSettings(link="x:1", bus=bus))


def test_a_message_of_which_a_part_is_lost_is_dropped_alone() -> None:
    large = Envelope("a", 1, ("t",), bytes(range(256)) * 1000)
    after = Envelope("a", 2, ("t", "u"), b"after")
    parts = [*cut(large), *cut(after)]
    assert max(map(len, parts)) <= PAYLOAD
    assert found(parts) == [large, after]
    assert found(parts[:3] + parts[4:]) == [after]
    assert found(parts[1:]) == [after]


def found(parts: list[str]) -> list[Envelope]:
    joiner = Joiner(lambda _: True)
    return [each for each in map(joiner.joined, parts) if each is not None]


@pytest.mark.parametrize("part", ["", "hello", "a b c d e", "a 1 0 1 !!"])
def test_what_another_program_sends_is_no_message(part: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        Joiner(lambda _: True).joined(part)


async def test_a_backlog_is_bounded_and_tells_of_the_loss() -> None:
    backlog = Backlog("me", KEY)
    accepted = sum(backlog.add(("t",), bytes(100_000)) for _ in range(1000))
    assert accepted * 100_000 <= BACKLOG_BYTES
    backlog.note_loss()
    sent: list[Envelope] = []
    while len(sent) < accepted + 1:
        sent += await backlog.batch()
    assert [each.number for each in sent] == list(range(1, accepted + 2))
    assert [each.topics for each in sent].count((LOST,)) == 1


async def test_a_silent_server_is_noticed_within_seconds(tmp_path: Path) -> None:
    with running_valkey(tmp_path) as server:
        wire = ServerWire(server, URL, server.url)
        bus, gaps = wire.bus("one"), list[bool]()
        assert isinstance(bus, ConnectedBus)
        bus.on_gap = lambda: gaps.append(True)
        await bus.open()
        try:
            server.suspend()
            async with asyncio.timeout(6):
                await eventually(lambda: bus._session is None)
            server.stop()
            server.start()
            await eventually(lambda: bool(gaps))
        finally:
            await bus.close()


async def test_a_password_is_used_and_not_shown(tmp_path: Path) -> None:
    with running_valkey(tmp_path, "hunter2") as server:
        bus = new_bus(settings(server.url), "one", KEY)
        await bus.open()
        await bus.close()
        wrong = new_bus(settings(server.url.replace("hunter2", "hunter3")), "two", KEY)
        with pytest.raises(HostError, match="the bus cannot connect") as caught:
            await wrong.open()
        assert "hunter" not in str(caught.value)


@pytest.mark.parametrize("url", ["valkey://:hun/ter2@host:1", "valkey://:hun@ter@host:hunter"])
def test_a_url_that_cannot_be_read_is_not_shown(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"cluster\.bus: the URL") as caught:
        new_bus(settings(url), "one", KEY)
    assert "hun" not in str(caught.value)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "bot.arena.cluster.valkey_bus", raising=False)
    monkeypatch.setitem(sys.modules, "valkey.asyncio", None)
    with pytest.raises(ConfigurationError, match=r"cluster\.bus: .*pip install .*\[cluster\]"):
        new_bus(settings("valkey://127.0.0.1"), "one", KEY)


@pytest.mark.parametrize("bus", ["valkey://127.0.0.1:1", ""])
async def test_a_server_that_is_away_at_the_start_is_named(bus: str) -> None:
    chosen = settings(bus, "postgresql://anna:hunter2@127.0.0.1:1/arena")
    with pytest.raises(HostError, match=r"127\.0\.0\.1:1.*: the bus cannot connect") as caught:
        await new_bus(chosen, "one", KEY).open()
    assert "hunter2" not in str(caught.value)


async def test_a_hub_loses_what_the_test_says() -> None:
    hub = LocalHub(lambda envelope: envelope.message == b"lost")
    one, two, got = hub.bus("one"), hub.bus("two"), list[bytes]()
    two.on_message = got.append
    two.subscribe("t")
    await one.open()
    await two.open()
    one.publish(["t"], b"lost")
    one.publish(["t"], b"kept")
    await eventually(lambda: bool(got))
    assert got == [b"kept"]
