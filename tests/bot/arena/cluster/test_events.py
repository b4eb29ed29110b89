"""What the processes of an arena tell each other, in which order."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import orjson

from bot import wire
from bot.arena.cluster.bus import LocalBus, LocalHub
from bot.arena.cluster.events import ARENA, ClusterAnnouncer, Delivery
from bot.arena.service.announcer import game_room
from bot.arena.service.arena_clock import ArenaClock
from bot.arena.service.game_views import state_of
from bot.arena.service.presence import Presence
from tests.bot.arena.store.members import game_between
from tests.fakes.time import FakeTime

ANNA = wire.Player(id="anna", name="Anna", kind="person")
BEN = wire.Player(id="ben", name="Ben", kind="person")


class NoClients:
    """The delivery of a process without clients."""

    async def game(self, state: wire.GameState, change: wire.GameChange | None = None) -> None: ...


async def told(bus: LocalBus, states: Sequence[wire.GameState], into: LocalBus) -> list[Any]:
    """The first lines of what one process tells another about these states."""
    heard: list[Any] = []
    into.on_message = lambda message: heard.append(orjson.loads(message.partition(b"\n")[0]))
    announcer = ClusterAnnouncer(cast("Delivery", NoClients()), bus)
    for state in states:
        await announcer.game(state)
    await asyncio.sleep(0)
    return heard


async def test_the_end_of_a_game_is_told_behind_its_last_event() -> None:
    hub, clock = LocalHub(), ArenaClock(FakeTime())
    one, other = hub.bus("one"), hub.bus("other")
    await one.open()
    await other.open()
    running = game_between((ANNA, BEN), "g")
    games = [running, running.play(1, 0, "0-0", 1.0).act(2, "resign", 2.0)]
    for topic in (ARENA, game_room("g")):
        other.subscribe(topic)
    heard = await told(one, [state_of(game, Presence(), clock) for game in games], other)
    assert [each["kind"] for each in heard] == ["game", "game", "ended"]
    assert [each.get("over") for each in heard] == [False, True, None]
    assert {each["game"] for each in heard} == {"g"}
