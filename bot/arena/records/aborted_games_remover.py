"""Deletes aborted games some time after their end: they would fill the disk and the searches."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog
from prometheus_client import Counter

from bot.arena.games.archive import RecordFile
from bot.arena.records.aborted_games import AbortedGames
from bot.errors import HostError
from bot.runtime.alarms import Alarms
from bot.time_source import TimeSource

EVERY_S: Final = 3 * 3600.0
"""How often is looked; the file of records is rewritten if there were any."""

log = structlog.get_logger()


class AbortedGamesRemover:
    """Looks for old aborted games when it starts, and every EVERY_S seconds.

    `deleted` counts the games. `on_deleted` is called with their ids.
    """

    def __init__(
        self,
        store: AbortedGames,
        records: RecordFile | None,
        keep_days: float,
        time: TimeSource,
        deleted: Counter,
    ) -> None:
        self._store = store
        self._records = records
        self._keep = timedelta(days=keep_days)
        self._time = time
        self._deleted = deleted
        self._alarms = Alarms(time)
        self.on_deleted: list[Callable[[list[str]], None]] = []

    def open(self) -> None:
        """Look soon."""
        self._look_at(self._time.monotonic())

    async def close(self) -> None:
        await self._alarms.close()

    def _look_at(self, moment: float) -> None:
        self._alarms.set("look", moment, self._look)

    async def _look(self) -> None:
        self._look_at(self._time.monotonic() + EVERY_S)
        before, deleted = self._time.wall() - self._keep, list[str]()
        while found := await self._store.delete(before):
            deleted += found
        if not deleted:
            return
        self._deleted.inc(len(deleted))
        log.info("aborted_games_deleted", games=len(deleted))
        for listener in self.on_deleted:
            listener(deleted)
        if self._records is not None:
            try:
                await self._records.drop(frozenset(deleted))
            except HostError as error:
                log.warning("records_not_shortened", why=str(error))
