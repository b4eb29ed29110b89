"""The workers that play, and the games that wait for one."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from bot.matches.distributed.member import Member, WorkerFigures, figures
from bot.time_source import TimeSource


@dataclass(eq=False)
class _Waiting:
    """A game that waits for a worker, rather for one that has not failed it before."""

    game: int
    engines: Collection[str]
    avoided: Collection[str]
    place: asyncio.Future[Member]


class Fleet:
    """Gives each slot of each worker one game at a time, those first that wait longest."""

    def __init__(self, time: TimeSource) -> None:
        self.members: dict[str, Member] = {}
        """Those that are there, by address."""
        self._gone: list[Member] = []
        self._time = time
        self._waiting: list[_Waiting] = []
        self._failure: Exception | None = None

    # ---- games ---------------------------------------------------------------------------------

    async def take(
        self, game: int, engines: Collection[str], avoided: Collection[str] = ()
    ) -> Member:
        """A free worker that has these engines, as soon as there is one; to be given back.

        Raises what `fail` was told.
        """
        if self._failure is not None:
            raise self._failure
        place: asyncio.Future[Member] = asyncio.get_running_loop().create_future()
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

    def give_back(self, member: Member, game: int) -> None:
        member.running.pop(game, None)
        self.hand_out()

    def hand_out(self) -> None:
        """Free slots to games that wait; to be called whenever there may be more of them."""
        for waiting in list(self._waiting):
            member = None if waiting.place.done() else self._best_for(waiting)
            if member is not None:
                member.running[waiting.game] = self._time.monotonic()
                waiting.place.set_result(member)
                self._waiting.remove(waiting)

    def fail(self, error: Exception) -> None:
        """No game will be played any more: all who wait are told, and all who come."""
        self._failure = error
        for waiting in self._waiting:
            if not waiting.place.done():
                waiting.place.set_exception(error)

    def _best_for(self, waiting: _Waiting) -> Member | None:
        """The one with the most free slots."""
        able = [each for each in self.members.values() if each.can_play(waiting.engines)]
        fresh = [each for each in able if each.address not in waiting.avoided]
        free = [each for each in fresh or able if each.free]
        return max(free, key=lambda each: each.free, default=None)

    # ---- workers -------------------------------------------------------------------------------

    def add(self, member: Member) -> None:
        self.members[member.address] = member
        self.hand_out()

    def remove(self, address: str, why: str) -> Member | None:
        """The worker is gone, and those who wait for its games are told. None if none was there."""
        member = self.members.pop(address, None)
        if member is not None:
            member.ended.set_result(why)
            self._gone.append(member)
        return member

    # ---- what is asked about them --------------------------------------------------------------

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def figures(self) -> list[WorkerFigures]:
        return figures([*self.members.values(), *self._gone], self._time.monotonic())

    def stuck(self) -> str | None:
        """Why games wait that nobody who is there can play; None if none does."""
        if not self._waiting:
            return None
        if not self.members:
            return "no worker is there"
        lacking = {
            name: why
            for waiting in self._waiting
            if not any(each.can_play(waiting.engines) for each in self.members.values())
            for name, why in self._lacking(waiting.engines).items()
        }
        return "; ".join(f"no worker has {name}: {why}" for name, why in lacking.items()) or None

    def _lacking(self, engines: Collection[str]) -> dict[str, str]:
        members = self.members.values()
        return {
            name: why for each in members for name, why in each.lacks.items() if name in engines
        }
