"""Events between processes: what this one announces reaches the clients of the others.

Problem. A game is played in one process, and its players and watchers may be connected to others.
The bus between them may lose messages, and a whole game is too large to be sent after each turn.

Idea. An event goes to this process's own clients directly, and over the bus to the other processes
that have a client for it: the topics of the bus are the rooms of the clients. An event of a game
has its revision and the change, as clients get it. A process that has clients for whole games asks
the owner for one. A lost event of a game is found by its revision: by the client, which cannot
apply the next change, and by `Watch`, which compares what was delivered with the database.

Rejected:

- Every process subscribes to all events: the work of each grows with the size of the arena.
- Whole games on the bus: 30 kB after each turn of a long game.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

import orjson
import structlog
from pydantic import BaseModel

from bot import wire
from bot.arena.announcer import (
    EVERYBODY,
    Announcer,
    GameNews,
    game_room,
    player_room,
    tournament_room,
)
from bot.arena.cluster.bus import Bus

ARENA: Final = "arena"
"""The topic of all processes."""

SHOWN: Final = 40
PASSED_ON: Final = frozenset(
    {"analysis", "challenge", "chat", "game_analysis", "lobby", "queue", "tournament"}
)
"""The events that processes pass on to each other's clients. None of them has a secret: `welcome`,
which may have a person's key, is for one connection and stays in the process of that connection."""

log = structlog.get_logger()

Listener = Callable[[dict[str, Any], str], None]
"""Gets a message: its facts, and the text of an event for clients."""


class Delivery(Announcer, Protocol):
    """Sends events to the clients of this process."""

    on_room: Callable[[str, bool], None]
    """Called when a room gets its first connection, and when it loses the last one."""

    def pass_on_change(self, game_id: str, names: Sequence[str], change: str) -> bool:
        """Send a change to those who get changes; returns whether others need the whole game."""

    def pass_on_game(
        self, game_id: str, names: Sequence[str], game: str, *, to_all: bool = True
    ) -> None:
        """Send a whole game; unless `to_all`, only to those who get no changes."""

    def pass_on(self, event: str, rooms: Iterable[str], message: str) -> None:
        """Send an event to the connections in these rooms."""

    def has_members(self, rooms: Iterable[str]) -> bool:
        """Return whether any of these rooms has a connection."""


class ClusterAnnouncer:
    """The `Announcer` of an arena of several processes."""

    def __init__(self, delivery: Delivery, bus: Bus) -> None:
        self._delivery = delivery
        self._bus = bus

    def game(self, news: GameNews) -> None:
        """See `Announcer`."""
        self._delivery.game(news)
        message: dict[str, object] = {
            "kind": "game",
            "game": news.game_id,
            "names": news.names,
            "revision": news.revision,
            "plies": news.plies,
            "form": "change" if news.has_change else "whole",
            "over": news.is_over,
        }
        topics = [game_room(news.game_id), *map(player_room, news.names)]
        body = news.change() if news.has_change else news.whole()
        self._bus.publish(topics, _encoded(message, body))
        if news.is_over:
            # After the event: a process that gets the end first would fetch the whole game,
            # and deliver the end twice, the second time perhaps during the players' next game.
            self._bus.publish([ARENA], _encoded({"kind": "ended", "game": news.game_id}))

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None:
        """See `Announcer`."""
        names = list(names)
        await self._delivery.challenge(challenge, names)
        rooms = [player_room(name) for name in names]
        self._pass_on("challenge", rooms, challenge.model_dump_json())

    async def lobby(self, lobby: wire.Lobby) -> None:
        """See `Announcer`."""
        await self._delivery.lobby(lobby)
        self._pass_on("lobby", [EVERYBODY], lobby.model_dump_json())

    async def tournament(self, tournament: wire.TournamentState) -> int:
        """See `Announcer`."""
        size = await self._delivery.tournament(tournament)
        room = tournament_room(tournament.tournament_id)
        self._pass_on("tournament", [room], tournament.model_dump_json())
        return size

    def tell(self, event: str, message: BaseModel, names: Iterable[str]) -> None:
        """See `Announcer`."""
        names = list(names)
        self._delivery.tell(event, message, names)
        rooms = [player_room(name) for name in names]
        if rooms:
            self._pass_on(event, rooms, message.model_dump_json())

    def followers(self, tournament_id: str) -> int:
        """The followers at this process, and one more, who may be at another one."""
        return self._delivery.followers(tournament_id) + 1

    def _pass_on(self, event: str, rooms: Sequence[str], message: str) -> None:
        if event not in PASSED_ON:
            raise ValueError(f"{event} is not an event that processes pass on")
        told = {"kind": "event", "event": event, "rooms": rooms}
        self._bus.publish(rooms, _encoded(told, message))


class Events:
    """Receives what the other processes publish, and publishes what all must know."""

    def __init__(self, delivery: Delivery, bus: Bus) -> None:
        self._delivery = delivery
        self._bus = bus
        self._listeners: dict[str, Listener] = {"event": self._event}
        self.last_lobby: str | None = None
        bus.on_message = self._received
        delivery.on_room = self._room_changed

    async def open(self) -> None:
        """Subscribe to what concerns every process."""
        self._bus.subscribe(ARENA)
        self._bus.subscribe(EVERYBODY)
        await self._bus.settle()

    async def settle(self) -> None:
        """Return when the rooms of this process's clients are subscribed."""
        await self._bus.settle()

    def on(self, kind: str, listener: Listener) -> None:
        """Call `listener` with each message of that kind."""
        self._listeners[kind] = listener

    def tell_all(self, kind: str, **facts: object) -> None:
        """Publish a message to all other processes."""
        self._bus.publish([ARENA], _encoded({"kind": kind, **facts}))

    def _room_changed(self, room: str, is_open: bool) -> None:
        if room != EVERYBODY:
            (self._bus.subscribe if is_open else self._bus.unsubscribe)(room)

    def _received(self, message: bytes) -> None:
        """Handle a message. One that makes no sense is logged: the next poll repairs the loss."""
        try:
            head, _, body = message.partition(b"\n")
            told = orjson.loads(head)
            listener = self._listeners.get(told["kind"])
            if listener is not None:
                listener(told, body.decode())
        except Exception:
            log.exception("cluster_event_failed")

    def _event(self, told: dict[str, Any], text: str) -> None:
        event, rooms = told["event"], told["rooms"]
        if event not in PASSED_ON:
            log.warning("cluster_event_refused", event_name=str(event)[:SHOWN])
            return
        if event == "lobby":
            self.last_lobby = text
        if rooms:
            self._delivery.pass_on(event, rooms, text)


def _encoded(facts: Mapping[str, object], text: str = "") -> bytes:
    """A message: its facts on the first line, and a text that is passed on as it is."""
    return orjson.dumps(facts) + b"\n" + text.encode()
