"""The queue of positions that visitors want to be analysed: fair, bounded, without a clock.

Problem. One engine serves many visitors. A visitor who holds an arrow key asks for a position every
50 ms, a school class shares one address, and a crowd behind another address must not wait for them.

Idea. A visitor has one place, whatever they ask: a new position replaces the one that waits, and
keeps its place. Addresses take turns, and so do the visitors of an address. Rejected: a queue by
arrival, which serves those who ask most, and priorities by effort, which starve deep requests.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from bot import wire

MOST_WAITING: Final = 500
EFFORT_S: Final = {"quick": 1.0, "normal": 4.0, "deep": 15.0}
"""Seconds of a search, by what the visitor asked for."""
BUSY: Final = ((15, 0.5), (3, 1.0))
"""A search is at most that long while more than so many visitors wait for each engine."""


@dataclass(frozen=True)
class Ask:
    """What a visitor wants: the position `key`, searched for `seconds`.

    `origin` is the visitor's address. `tries` counts the workers that lost this request.
    """

    visitor: str
    origin: str
    request: str
    key: str
    setup: wire.AnalysisSetup
    turns: tuple[str, ...]
    seconds: float
    tries: int = 0


class QueueFull(Exception):
    """As many visitors wait as may."""


class FairQueue:
    """The requests that wait, at most one of each visitor."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = most
        self._count = 0
        self._origins: OrderedDict[str, OrderedDict[str, Ask]] = OrderedDict()
        self._origin_of: dict[str, str] = {}

    def __len__(self) -> int:
        return self._count

    def find(self, visitor: str) -> Ask | None:
        """The request of a visitor that waits."""
        origin = self._origin_of.get(visitor)
        return None if origin is None else self._origins[origin][visitor]

    def put(self, ask: Ask, *, first: bool = False) -> Ask | None:
        """Add a request, or replace that of the same visitor, which is returned.

        `first` is for a request that a worker has lost. Raises QueueFull.
        """
        former = self.find(ask.visitor)
        if former is not None and former.origin == ask.origin:
            self._origins[ask.origin][ask.visitor] = ask
            return former
        if former is None and self._count >= self._most:
            raise QueueFull
        if former is not None:  # they have come from another address meanwhile
            self.drop(ask.visitor)
        self._count += 1
        self._origin_of[ask.visitor] = ask.origin
        waiting = self._origins.setdefault(ask.origin, OrderedDict())
        waiting[ask.visitor] = ask
        if first:
            waiting.move_to_end(ask.visitor, last=False)
            self._origins.move_to_end(ask.origin, last=False)
        return former

    def drop(self, visitor: str) -> Ask | None:
        """Remove the request of a visitor."""
        origin = self._origin_of.pop(visitor, None)
        if origin is None:
            return None
        self._count -= 1
        waiting = self._origins[origin]
        dropped = waiting.pop(visitor)
        if not waiting:
            del self._origins[origin]
        return dropped

    def pop(self) -> Ask | None:
        """Remove and return the request whose turn it is."""
        if not self._origins:
            return None
        origin, waiting = next(iter(self._origins.items()))
        ask = waiting[next(iter(waiting))]
        self._origins.move_to_end(origin)
        self.drop(ask.visitor)
        return ask

    def take_equal(self, other: Ask) -> list[Ask]:
        """Remove and return all requests that a search for `other` serves as well."""
        found = [
            ask for ask in self.in_order() if ask.key == other.key and ask.seconds <= other.seconds
        ]
        for ask in found:
            self.drop(ask.visitor)
        return found

    def in_order(self) -> list[Ask]:
        """All requests, in the order in which they would be served if no other came."""
        rows = [list(waiting.values()) for waiting in self._origins.values()]
        longest = max(map(len, rows), default=0)
        return [row[number] for number in range(longest) for row in rows if number < len(row)]


def seconds_for(wanted: float, waiting: int, engines: int) -> float:
    """How long to search, if so many others wait for so many engines."""
    for crowd, seconds in BUSY:
        if waiting > crowd * max(1, engines):
            return min(wanted, seconds)
    return wanted
