"""Games survive the server: a start restores them, and heartbeats record the end of a run.

While the server is down, no clock runs.
"""

from dataclasses import replace
from typing import Final

import structlog

from bot.arena.arena_clock import ArenaClock
from bot.arena.games.game_rows import DamagedGame, StoredGame
from bot.arena.games.game_store import GameStore
from bot.arena.games.games_in_play import GamesInPlay
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from bot.errors import HostError
from bot.runtime.alarms import Alarms

SIGN_OF_LIFE_S: Final = 2.0

log = structlog.get_logger()


class Restart:
    """Restores the games of the last run, and writes heartbeats for the next one."""

    def __init__(
        self, playing: GamesInPlay, store: GameStore, allowances: Allowances, clock: ArenaClock
    ) -> None:
        self._playing = playing
        self._store = store
        self._allowances = allowances
        self._clock = clock
        self._alarms = Alarms(clock)

    async def open(self, reconnect_grace_s: float) -> None:
        """Restore the games that were running; their clocks are stopped for that many seconds."""
        for stored in await self._store.running():
            try:
                await self._restore(stored, self._clock.monotonic() + reconnect_grace_s)
            except Refused as refused:
                why = refused.message
                log.error("game_not_restored", game=stored.game_id, why=why)  # noqa: TRY400
        if self._playing.count:
            log.info("games_restored", games=self._playing.count)
        await self._show_life()

    async def close(self) -> None:
        """Store until when the clocks have run."""
        await self._alarms.close()
        try:
            await self._store.show_life(self._clock.monotonic())
        except HostError as error:
            log.warning("last_sign_of_life_not_written", why=str(error))

    async def _restore(self, stored: StoredGame | DamagedGame, resume_at: float) -> None:
        """Raises Refused if the game cannot be read, or one of its turns is illegal."""
        if isinstance(stored, DamagedGame):
            raise Refused("server_error", stored.why)
        now = self._clock.monotonic()
        game = replace(
            stored.revived(self._allowances),
            banked_ms=stored.thought_ms,
            resume_at=resume_at,
            away_since=(now, now),
            revision=stored.revision + 1,
        )
        await self._store.save(game, game, None)
        self._playing.adopt(game)

    async def _show_life(self) -> None:
        if self._playing.count:
            await self._store.show_life(self._clock.monotonic())
        self._alarms.set("life", self._clock.monotonic() + SIGN_OF_LIFE_S, self._show_life)
