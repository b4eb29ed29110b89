"""One worker that may be used, and what it has done."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from bot.matches.distributed.cluster import WorkerFacts


class Member:
    """`lacks` says of engines why it cannot start them. Times are of our own monotonic clock."""

    def __init__(self, facts: WorkerFacts, lacks: dict[str, str], now: float) -> None:
        self.facts = facts
        self.lacks = dict(lacks)
        self.heard_at = now
        self.running: dict[int, float] = {}
        """Its games, and when each began."""
        self.games = 0
        self.seconds = 0.0
        """Of all its games that came to an end."""
        self.lost = 0
        """Games that it was given and did not bring to an end."""
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Why it is not there any more."""

    @property
    def address(self) -> str:
        return self.facts.address

    @property
    def free(self) -> int:
        takes_games = self.facts.takes_games and not self.ended.done()
        return max(0, self.facts.slots - len(self.running)) if takes_games else 0

    def can_play(self, engines: Iterable[str]) -> bool:
        return not any(name in self.lacks for name in engines)

    def hear(self, facts: WorkerFacts, now: float) -> None:
        """What the scheduler says of it now."""
        if facts.heard_at != self.facts.heard_at:
            self.heard_at = now
        self.facts = facts


@dataclass(frozen=True)
class WorkerFigures:
    """A worker as people are shown it. `unheard_s` is how long the scheduler has not heard it."""

    worker: str
    address: str
    is_there: bool
    slots: int
    running: int
    games: int
    lost: int
    mean_s: float | None
    unheard_s: float
    is_slow: bool = False


SLOW_FACTOR = 2.0
SLOW_GAMES = 3
"""A worker is called slow when its games take so many times as long as those of all, on average,
once it has played so many."""


def figures(members: Iterable[Member], now: float) -> list[WorkerFigures]:
    """Of each that is there or has played, who played most first."""
    known = sorted(members, key=lambda each: -each.games)
    games = sum(each.games for each in known)
    mean = sum(each.seconds for each in known) / games if games else 0.0
    shown = (each for each in known if each.games or each.lost or not each.ended.done())
    return [_figures(each, mean, now) for each in shown]


def _figures(member: Member, mean_of_all: float, now: float) -> WorkerFigures:
    mean = member.seconds / member.games if member.games else None
    is_slow = mean is not None and member.games >= SLOW_GAMES and mean > SLOW_FACTOR * mean_of_all
    return WorkerFigures(
        worker=member.facts.name,
        address=member.address,
        is_there=not member.ended.done(),
        slots=member.facts.slots,
        running=len(member.running),
        games=member.games,
        lost=member.lost,
        mean_s=None if mean is None else round(mean, 3),
        unheard_s=round(now - member.heard_at, 1),
        is_slow=is_slow,
    )
