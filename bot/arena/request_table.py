"""Requests of clients: each event with its cost, and with what carries it out.

Rooms declare their requests, and the arena has one table of them. So an event is known only where
the room that carries it out is installed.
"""

from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel

from bot import wire
from bot.arena.answers import Answer
from bot.arena.http.costs import Cost
from bot.arena.refusals import Refused
from bot.errors import ConfigurationError

A = TypeVar("A", bound=Answer)


class Caller(NamedTuple):
    """Who sends a request: the player, the client's address, and the arena's clock at arrival."""

    player: wire.Player
    address: str
    arrived: float


Handler = Callable[[Caller, Any], Coroutine[Any, Any, Answer]]
Place = Literal["owner", "hall", "anywhere"]
"""The process that carries out a request, in an arena of several: the owner of the message's game,
the one that has the hall, or any."""


@dataclass(frozen=True)
class Request:
    """An event of the protocol, and what carries it out.

    `handler` may raise Refused. A request that `writes` is answered after its effects are
    committed. One that `may_repeat` takes effect once, even if it is sent again after its answer
    was lost. `message` is the model of an event that is not in the arena protocol.
    """

    event: str
    handler: Handler
    cost: Cost
    writes: bool = False
    place: Place = "hall"
    may_repeat: bool = False
    message: type[BaseModel] | None = None

    @property
    def model(self) -> type[BaseModel]:
        """The model of the event's messages."""
        return self.message or wire.CLIENT_EVENTS[self.event][0]


def of_player(method: Callable[[wire.Player, Any], Coroutine[Any, Any, A]]) -> Handler:
    """Return the handler for a method that needs only the player and the message."""

    async def handle(caller: Caller, message: object) -> Answer:
        return await method(caller.player, message)

    return handle


class RequestTable:
    """The requests of all installed rooms, by their events.

    Raises ConfigurationError if two rooms carry out one event: a package could take over turns.
    """

    def __init__(self, requests: Iterable[Request]) -> None:
        self._requests: dict[str, Request] = {}
        for each in requests:
            if self._requests.setdefault(each.event, each) is not each:
                raise ConfigurationError(f"two capabilities carry out the event {each.event!r}")

    @property
    def events(self) -> frozenset[str]:
        """The events that this arena knows."""
        return frozenset(self._requests)

    def is_question(self, event: str) -> bool:
        """Return whether the only effect of an event is its answer; so it is of unknown ones."""
        found = self._requests.get(event)
        return found is None or found.cost.is_question

    def find(self, event: str) -> Request:
        """Return the request of an event. Raises Refused if no room carries it out."""
        found = self._requests.get(event)
        if found is None:
            raise Refused("unknown_event", f"There is no event {event[:40]!r}.")
        return found
