"""What the processes of an arena tell each other, in which order."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import orjson
import pytest

from bot import wire
from bot.arena.announcer import GameNews, game_room
from bot.arena.arena_clock import ArenaClock
from bot.arena.cluster.bus import LocalBus, LocalHub
from bot.arena.cluster.events import ARENA, PASSED_ON, ClusterAnnouncer, Delivery, Events
from bot.arena.games.game_views import GameNews as News
from bot.arena.players.presence import Presence
from tests.bot.arena.cluster.members import game_between
from tests.fakes.time import FakeTime

ANNA = wire.Player(id="anna", name="Anna", kind="person")
BEN = wire.Player(id="ben", name="Ben", kind="person")


class NoClients:
    """The delivery of a process without clients."""

    def game(self, news: GameNews) -> None: ...


async def told(bus: LocalBus, news: Sequence[GameNews], into: LocalBus) -> list[Any]:
    """The first lines of what one process tells another about these news."""
    heard: list[Any] = []
    into.on_message = lambda message: heard.append(orjson.loads(message.partition(b"\n")[0]))
    announcer = ClusterAnnouncer(cast("Delivery", NoClients()), bus)
    for each in news:
        announcer.game(each)
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
    heard = await told(one, [News(game, Presence(), clock) for game in games], other)
    assert [each["kind"] for each in heard] == ["game", "game", "ended"]
    assert [each.get("over") for each in heard] == [False, True, None]
    assert {each["game"] for each in heard} == {"g"}


class Clients(NoClients):
    """Notes what clients would get."""

    def __init__(self) -> None:
        self.on_room: Any = None
        self.got: list[str] = []

    def pass_on(self, event: str, rooms: Sequence[str], message: str) -> None:
        del rooms, message
        self.got.append(event)

    def tell(self, event: str, message: object, names: Sequence[str]) -> None: ...


def secrets_in(schema: object) -> set[str]:
    """The fields of a message, however deep, whose name says that they are secret."""
    if isinstance(schema, dict):
        own = {
            name
            for name in schema.get("properties", {})
            if any(word in name for word in ("key", "token", "secret", "password"))
        }
        return own.union(*map(secrets_in, schema.values()))
    if isinstance(schema, list):
        return set().union(*map(secrets_in, schema))
    return set()


def test_the_search_for_secrets_finds_the_key_of_a_guest() -> None:
    assert "guest_key" in secrets_in(wire.Welcome.model_json_schema())


@pytest.mark.parametrize("event", [*wire.SERVER_EVENTS, "reload", "guest_key", "", "Welcome"])
async def test_processes_pass_on_listed_events_only_and_none_with_a_secret(event: str) -> None:
    """Each event of the protocol: one that is new is refused until it is listed."""
    clients = Clients()
    events = Events(cast("Delivery", clients), LocalHub().bus("one"))
    told = {"kind": "event", "event": event, "rooms": ["player:Anna"]}
    events._received(orjson.dumps(told) + b"\n{}")
    assert clients.got == ([event] if event in PASSED_ON else [])
    announcer = ClusterAnnouncer(cast("Delivery", clients), LocalHub().bus("two"))
    if event in PASSED_ON:
        assert secrets_in(wire.SERVER_EVENTS[event].model_json_schema()) == set()
        announcer.tell(event, ANNA, ["Anna"])
    else:
        with pytest.raises(ValueError, match="not an event"):
            announcer.tell(event, ANNA, ["Anna"])
