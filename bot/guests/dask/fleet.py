"""The hired workers, and the queue of games that wait for one."""

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from bot.guests.dask.cluster import WorkerFacts
from bot.matches.venues import WorkerFigures
from bot.time_source import TimeSource


class HiredWorker:
    """A hired worker. `lacks` has the engines that it cannot start, with the reasons.

    Times are those of the host's monotonic clock, in seconds.
    """

    def __init__(self, facts: WorkerFacts, lacks: dict[str, str], now: float) -> None:
        self.facts = facts
        self.lacks = dict(lacks)
        self.heard_at = now
        self.running: dict[int, float] = {}
        """The numbers of its running games, and when each began."""
        self.games = 0
        self.seconds = 0.0
        """The total duration of its finished games."""
        self.lost = 0
        """The number of games that it began and did not finish."""
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Done when the worker is lost; the value is the reason."""

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
        """Update the worker with the scheduler's description of it."""
        if facts.heard_at != self.facts.heard_at:
            self.heard_at = now
        self.facts = facts


SLOW_FACTOR = 2.0
SLOW_GAMES = 3
"""A worker is slow if it has played at least `SLOW_GAMES` games, and their mean duration is more
than `SLOW_FACTOR` times the mean of all workers."""


def figures(members: Iterable[HiredWorker], now: float) -> list[WorkerFigures]:
    """The figures of all workers that are connected or have played, most games first."""
    known = sorted(members, key=lambda each: -each.games)
    games = sum(each.games for each in known)
    mean = sum(each.seconds for each in known) / games if games else 0.0
    shown = (each for each in known if each.games or each.lost or not each.ended.done())
    return [_figures(each, mean, now) for each in shown]


def _figures(member: HiredWorker, mean_of_all: float, now: float) -> WorkerFigures:
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


@dataclass(eq=False)
class _Waiting:
    """A game that waits for a worker. Workers in `avoided` have failed it before."""

    game: int
    engines: Collection[str]
    avoided: Collection[str]
    place: asyncio.Future[HiredWorker]


class Fleet:
    """Gives each slot of each worker one game at a time; the longest waiting game comes first."""

    def __init__(self, time: TimeSource) -> None:
        self.members: dict[str, HiredWorker] = {}
        """The connected workers, by address."""
        self._gone: list[HiredWorker] = []
        self._time = time
        self._waiting: list[_Waiting] = []
        self._failure: Exception | None = None

    # ---- games ---------------------------------------------------------------------------------

    async def take(
        self, game: int, engines: Collection[str], avoided: Collection[str] = ()
    ) -> HiredWorker:
        """Wait for a free worker with these engines. The caller must return it with `give_back`.

        Raises the error of `fail`.
        """
        if self._failure is not None:
            raise self._failure
        place: asyncio.Future[HiredWorker] = asyncio.get_running_loop().create_future()
        waiting = _Waiting(game, engines, avoided, place)
        self._waiting.append(waiting)
        self.hand_out()
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self.give_back(place.result(), game)
            raise
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)

    def give_back(self, member: HiredWorker, game: int) -> None:
        member.running.pop(game, None)
        self.hand_out()

    def hand_out(self) -> None:
        """Assign free slots to waiting games. Must be called whenever a slot may become free."""
        for waiting in list(self._waiting):
            member = None if waiting.place.done() else self._best_for(waiting)
            if member is not None:
                member.running[waiting.game] = self._time.monotonic()
                waiting.place.set_result(member)
                self._waiting.remove(waiting)

    def fail(self, error: Exception) -> None:
        """Raise this error in all present and future calls of `take`."""
        self._failure = error
        for waiting in self._waiting:
            if not waiting.place.done():
                waiting.place.set_exception(error)

    def _best_for(self, waiting: _Waiting) -> HiredWorker | None:
        """The able worker with the most free slots; None if none is free.

        Workers that failed the game before are used only if there are no others, free or not.
        """
        able = [each for each in self.members.values() if each.can_play(waiting.engines)]
        fresh = [each for each in able if each.address not in waiting.avoided]
        free = [each for each in fresh or able if each.free]
        return max(free, key=lambda each: each.free, default=None)

    # ---- workers -------------------------------------------------------------------------------

    def add(self, member: HiredWorker) -> None:
        self.members[member.address] = member
        self.hand_out()

    def remove(self, address: str, why: str) -> HiredWorker | None:
        """Remove a lost worker; its `ended` gets the reason. Returns None if it is unknown."""
        member = self.members.pop(address, None)
        if member is not None:
            member.ended.set_result(why)
            self._gone.append(member)
        return member

    # ---- state ---------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def figures(self) -> list[WorkerFigures]:
        return figures([*self.members.values(), *self._gone], self._time.monotonic())

    def stuck(self) -> str | None:
        """Why waiting games cannot be played by any connected worker; None if all can."""
        if not self._waiting:
            return None
        if not self.members:
            return "no worker is connected"
        lacking = {
            name: why
            for waiting in self._waiting
            if not any(each.can_play(waiting.engines) for each in self.members.values())
            for name, why in self._lacking(waiting.engines).items()
        }
        return (
            "; ".join(f"no worker can start {name}: {why}" for name, why in lacking.items()) or None
        )

    def _lacking(self, engines: Collection[str]) -> dict[str, str]:
        members = self.members.values()
        return {
            name: why for each in members for name, why in each.lacks.items() if name in engines
        }
