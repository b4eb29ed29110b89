"""Games that want to be read soon, because a notice told of them.

A notice can be older than the game, and the first read older than the notice: so the game is read
until it shows what was told, a few times, and then by the next sweep. Source: the protocol page of
Abstract Play, "What bites", 1 and 3.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from bot.errors import HostError, PeerError
from bot.platforms.abstract_play.facts import NotOurs
from bot.platforms.base import GameFacts, GameGone, NotNow
from bot.time_source import TimeSource

WAITS_S: Final = (0.0, 1.0, 5.0, 30.0)
"""Before each read, at least: the platform may want a longer pause."""
AT_ONCE: Final = 4
"""Reads at the same time: many notices may come together, and the platform is slow."""

log = structlog.get_logger()


class Attention:
    """One task a game, however often it is told of; they end with the group of tasks."""

    def __init__(
        self,
        read: Callable[[str], Awaitable[GameFacts]],
        time: TimeSource,
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._read = read
        self._time = time
        self._tasks = tasks
        self._wanted: dict[str, int] = {}
        self._room = asyncio.Semaphore(AT_ONCE)

    def want(self, game_id: str, plies: int) -> None:
        """Read a game that has so many plies, or more."""
        is_new = game_id not in self._wanted
        self._wanted[game_id] = max(plies, self._wanted.get(game_id, 0))
        if is_new:
            self._tasks.create_task(self._look(game_id))

    async def _look(self, game_id: str) -> None:
        try:
            seen, plies = False, -1
            while not seen and self._wanted[game_id] != plies:  # there was another notice
                plies = self._wanted[game_id]
                seen = await self._read_until_shown(game_id)
            if not seen:
                log.warning("notice_not_seen", game=game_id, plies=plies)
        finally:
            del self._wanted[game_id]

    async def _read_until_shown(self, game_id: str) -> bool:
        pause_s = 0.0
        for wait_s in WAITS_S:
            if wait_s:
                await self._time.sleep(max(wait_s, pause_s))
            try:
                facts = await self._read_in_turn(game_id)
            except (NotOurs, GameGone) as error:
                log.info("game_unread", game=game_id, why=error.message)
                return True
            except (PeerError, HostError) as error:
                pause_s = error.retry_after_s if isinstance(error, NotNow) else 0.0
                log.info("game_unread", game=game_id, why=str(error))
            else:
                pause_s = 0.0
                if _shows(facts, self._wanted[game_id]):
                    return True
        return False

    async def _read_in_turn(self, game_id: str) -> GameFacts:
        async with self._room:
            return await self._read(game_id)


def _shows(facts: GameFacts, plies: int) -> bool:
    """Whether the game is where the notice saw it, with us to move, or further."""
    is_due = facts.ply == plies and facts.our_turn
    return facts.outcome is not None or facts.ply > plies or is_due
