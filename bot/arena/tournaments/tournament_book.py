"""The tournaments of this arena: in memory until they are over, then read on request."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import structlog

from bot import wire
from bot.arena.refusals import Refused
from bot.arena.tournaments.tournament import HostedTournament
from bot.arena.tournaments.tournament_store import (
    DamagedTournament,
    StoredTournament,
    TournamentStore,
)
from bot.runtime.bounded import BoundedMemory
from bot.runtime.collecting import no_collecting
from bot.time_source import TimeSource
from bot.tournaments.state import ImpossibleEvent

OVER_BYTES: Final = 60_000_000
"""For tournaments that are over. A larger one stays alone, because reading it takes seconds."""
EVENT_BYTES: Final = 5_000
"""What a tournament takes for each event."""
EMPTY_BYTES: Final = 50_000
"""What a tournament without events takes at most."""

log = structlog.get_logger()


@dataclass
class CurrentTournament:
    """A tournament that is not over, and the lock under which it changes.

    `changed_at` is when the last news came, on the arena's clock. `is_queued` is true while a run
    of `TournamentRunner` waits for the lock.
    """

    hosted: HostedTournament
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_queued: bool = False
    changed_at: float = 0.0


class TournamentBook:
    """Finds tournaments.

    `on_change` is called after each change, with the tournament and whether the change is news:
    more than the progress of games.
    """

    def __init__(self, store: TournamentStore, time: TimeSource) -> None:
        self._store = store
        self._time = time
        self._current: dict[str, CurrentTournament] = {}
        self._over: BoundedMemory[str, HostedTournament] = BoundedMemory(OVER_BYTES, _taken_by)
        self._finding = asyncio.Lock()
        self._renamings = 0
        self._last_revision = 0
        """The highest revision of tournaments that were dropped from memory."""
        self.on_change: list[Callable[[HostedTournament, bool], None]] = []

    async def open(self) -> None:
        """Restore the tournaments that were open or running; damaged ones are logged."""
        self._forget_over()  # another process may have had the hall since
        for stored in await self._store.unfinished():
            try:
                self.add(self._revived(stored))
            except Refused as refused:
                why = refused.message
                log.error("tournament_not_restored", tournament=stored.tournament_id, why=why)  # noqa: TRY400

    def add(self, hosted: HostedTournament) -> None:
        self._current[hosted.tournament_id] = CurrentTournament(hosted)
        self._current[hosted.tournament_id].changed_at = self._time.monotonic()

    def changed(self, hosted: HostedTournament, *, is_news: bool = True) -> None:
        """Count a change and call the listeners; a tournament that is over leaves `current`."""
        hosted.revision += 1
        current = self._current.get(hosted.tournament_id)
        if is_news and current is not None:
            current.changed_at = self._time.monotonic()
        if hosted.is_over and self._current.pop(hosted.tournament_id, None) is not None:
            self._over.put(hosted.tournament_id, hosted)
        for listener in self.on_change:
            listener(hosted, is_news)

    def longest_wait_s(self, now: float) -> float:
        """The longest time for which a tournament has waited; 0 if no tournament waits.

        A tournament waits if it is running, but no game is, and no event has come. The pause
        after a round and the time for corrections do not count.
        """
        waiting = [
            now - each.changed_at
            for each in self._current.values()
            if each.hosted.is_going_on
            and not each.hosted.live
            and not each.hosted.is_played
            and not each.hosted.is_between_rounds(now)
        ]
        return max(waiting, default=0.0)

    @property
    def current(self) -> list[HostedTournament]:
        """The tournaments that are not over, oldest first."""
        return [current.hosted for current in self._current.values()]

    def find_current(self, tournament_id: str) -> CurrentTournament | None:
        """The tournament of that id if it is not over, else None."""
        return self._current.get(tournament_id)

    def of_player(self, name: str) -> Iterator[HostedTournament]:
        """The tournaments that are not over in which the player plays."""
        return (hosted for hosted in self.current if hosted.is_player(name))

    async def find(self, tournament_id: str) -> HostedTournament:
        """Any tournament. Raises Refused if the id is unknown, or it cannot be read."""
        if (current := self._current.get(tournament_id)) is not None:
            return current.hosted
        async with self._finding:
            if (known := self._over.get(tournament_id)) is not None:
                return known
            found = await self._read(tournament_id)
            self._over.put(tournament_id, found)
            return found

    async def _read(self, tournament_id: str) -> HostedTournament:
        """A tournament that is over, read again if a player was renamed in the meantime."""
        with no_collecting():  # a collection would stop all threads for a tenth of a second
            while True:
                renamings = self._renamings
                stored = await self._store.find(tournament_id)
                if stored is None:
                    raise Refused("unknown_tournament")
                found = await asyncio.to_thread(self._revived, stored)
                if renamings == self._renamings:
                    return found

    def player_renamed(self, _former: str, _player: wire.Player) -> None:
        """Read tournaments that are over again: an erased account has another name in them."""
        self._forget_over()

    def _forget_over(self) -> None:
        self._renamings += 1
        revisions = (hosted.revision for hosted in self._over.values())
        self._last_revision = max(self._last_revision, *revisions, 0)
        self._over.clear()

    def _revived(self, stored: StoredTournament | DamagedTournament) -> HostedTournament:
        """Raises Refused if it cannot be read, or contradicts itself."""
        if isinstance(stored, DamagedTournament):
            raise Refused("server_error", stored.why)
        try:
            # Documents are cached by revision, so it grows also within a millisecond.
            revision = max(first_revision(self._time), self._last_revision + 1)
            return revived(stored, revision)
        except ImpossibleEvent as error:
            raise Refused("server_error", str(error)) from error


def _taken_by(hosted: HostedTournament) -> int:
    whole_budget = OVER_BYTES - 1_000  # with its key
    return min(EMPTY_BYTES + hosted.events * EVENT_BYTES, whole_budget)


def first_revision(time: TimeSource) -> int:
    """A number greater than every revision of an earlier run of the server."""
    return round(time.wall().timestamp() * 1000)


def revived(stored: StoredTournament, revision: int) -> HostedTournament:
    """Restore a tournament. Games that have started and whose end is not stored are live.

    Raises ImpossibleEvent or Refused if the events contradict each other.
    """
    hosted = HostedTournament(
        stored.tournament_id, stored.host, stored.settings, stored.created_at, revision
    )
    hosted.entrants = {player.name: player for player in stored.entrants}
    hosted.entered = len(stored.entrants)
    for event in stored.events:
        hosted.apply(event)
    hosted.stage, hosted.why = stored.stage, stored.why
    if hosted.core is not None:
        for number, ids in stored.games.items():
            if number not in hosted.core.played and len(ids) > hosted.core.voids[number]:
                hosted.live[number] = ids[-1]
    return hosted


def place_of(hosted: HostedTournament, number: int) -> wire.TournamentPlace:
    """The place of the game of that number in its tournament, for messages and the store."""
    assert hosted.core is not None
    pairing = hosted.core.pairing_of(number)
    return wire.TournamentPlace(
        tournament_id=hosted.tournament_id,
        name=hosted.settings.name,
        round=pairing.round,
        pairing=pairing.number,
        game=number,
    )
