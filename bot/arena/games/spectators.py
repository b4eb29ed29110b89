"""How many connections follow each game, apart from those of its players.

A count changes with every visitor, and an event for each would go to all the others. So a game is
looked at once a second at most, and its count goes out with the next state of the game, which is
not stored (`sub_revision`).

In an arena of several processes each one counts its own connections and tells all others what has
changed, and every `RETELL_S` seconds everything. The owner of a game adds up what it was told. A
process that was silent for `FORGET_S` has ended, and its counts are dropped.
"""

from collections.abc import Callable, Mapping
from typing import Final

from bot.arena.games.game_service import Games
from bot.runtime.alarms import Alarms
from bot.time_source import TimeSource

PAUSE_S: Final = 1.0
RETELL_S: Final = 10.0
FORGET_S: Final = 30.0

Tell = Callable[[Mapping[str, int], bool], None]
"""Announces counts by game to all other processes. With the flag, games that are missing have 0."""


class Spectators:
    """Counts the spectators of games; `count_here` counts those of a game at this process."""

    def __init__(
        self,
        games: Games,
        count_here: Callable[[str], int],
        time: TimeSource,
        tell: Tell | None = None,
    ) -> None:
        """`tell` is None if the arena is one process."""
        self._games = games
        self._count_here = count_here
        self._time = time
        self._tell = tell
        self._alarms = Alarms(time)
        self._changed: set[str] = set()
        self._here: dict[str, int] = {}
        self._elsewhere: dict[str, dict[str, int]] = {}
        self._heard: dict[str, float] = {}
        self._last = -PAUSE_S
        if tell is not None:
            self._alarms.set("retell", time.monotonic() + RETELL_S, self._retell)

    async def close(self) -> None:
        await self._alarms.close()

    def changed(self, game_id: str) -> None:
        """Count the spectators of a game soon."""
        if not self._changed:
            at = max(self._time.monotonic(), self._last + PAUSE_S)
            self._alarms.set("count", at, self._count)
        self._changed.add(game_id)

    def heard(self, process: str, counts: Mapping[str, int], *, is_all: bool) -> None:
        """Store the counts that another process has announced."""
        known = self._elsewhere.setdefault(process, {})
        self._heard[process] = self._time.monotonic()
        gone = known.keys() - counts.keys() if is_all else set[str]()
        for game_id, count in [*counts.items(), *((each, 0) for each in gone)]:
            if known.get(game_id, 0) != count:
                self.changed(game_id)
            _put(known, game_id, count)

    async def _count(self) -> None:
        self._last = self._time.monotonic()
        changed, self._changed = self._changed, set()
        told: dict[str, int] = {}
        for game_id in changed:
            count = self._count_here(game_id)
            if count != self._here.get(game_id, 0):
                _put(self._here, game_id, count)
                told[game_id] = count
        if told and self._tell is not None:
            self._tell(told, False)
        for game_id in changed:
            await self._games.note_spectators(game_id, self._total(game_id))

    def _total(self, game_id: str) -> int:
        elsewhere = sum(counts.get(game_id, 0) for counts in self._elsewhere.values())
        return self._here.get(game_id, 0) + elsewhere

    async def _retell(self) -> None:
        now = self._time.monotonic()
        assert self._tell is not None
        self._tell(self._here, True)
        for process in [each for each, at in self._heard.items() if now - at > FORGET_S]:
            del self._heard[process]
            for game_id in self._elsewhere.pop(process):
                self.changed(game_id)
        self._alarms.set("retell", now + RETELL_S, self._retell)


def _put(counts: dict[str, int], game_id: str, count: int) -> None:
    if count:
        counts[game_id] = count
    else:
        counts.pop(game_id, None)
