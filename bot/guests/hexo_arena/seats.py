"""The seats in the games that run, each with the task that keeps its websocket."""

import asyncio
import random
from collections.abc import Iterator
from typing import Final

import structlog

from bot.backoff import Backoff
from bot.guests.hexo_arena.facts import KnownGame
from bot.guests.hexo_arena.messages import EngineSession
from bot.guests.hexo_arena.seat import Seat, SeatHost, SeatOptions
from bot.guests.hexo_arena.sockets import Dial
from bot.runtime.tasks import OwnedTasks, cancelled
from bot.time_source import TimeSource

REDIAL_FIRST_S: Final = 0.2
REDIAL_LIMIT_S: Final = 5.0

log = structlog.get_logger()


class Seats:
    """One seat per game, from `sit_down` to `leave`. `tasks` has the tasks of all seats."""

    def __init__(
        self,
        dial: Dial,
        options: SeatOptions,
        time: TimeSource,
        rng: random.Random,
        tasks: OwnedTasks,
    ) -> None:
        self._dial = dial
        self._options = options
        self._time = time
        self._rng = rng
        self._tasks = tasks
        self._seats: dict[str, Seat] = {}
        self._keeping: dict[str, asyncio.Task[None]] = {}
        self._announced: dict[str, asyncio.Event] = {}

    def __len__(self) -> int:
        return len(self._seats)

    def __iter__(self) -> Iterator[Seat]:
        return iter(self._seats.values())

    def seat_in(self, game_id: str) -> Seat | None:
        return self._seats.get(game_id)

    def sit_down(self, game: KnownGame, session: EngineSession, table: SeatHost) -> None:
        """Take the seat and dial. Its requests wait for `announced`."""
        self._announced[game.game_id] = asyncio.Event()
        retry = Backoff(REDIAL_FIRST_S, REDIAL_LIMIT_S, self._rng)
        seat = Seat(game, session, self._dial, table, self._options, self._time, retry)
        self._seats[game.game_id] = seat
        self._keeping[game.game_id] = self._tasks.create_task(self._keep(seat))

    def announced(self, game_id: str) -> None:
        """Let the requests of this game through: the daemon knows the game."""
        if (event := self._announced.get(game_id)) is not None:
            event.set()

    async def until_announced(self, game_id: str) -> None:
        if (event := self._announced.get(game_id)) is not None:
            await event.wait()

    async def leave(self, game_id: str) -> None:
        """End the seat, if there is one. Returns when its task has ended."""
        seat, keeping = self._seats.pop(game_id, None), self._keeping.pop(game_id, None)
        self._announced.pop(game_id, None)
        if seat is not None:
            seat.end()
        if keeping is not None:
            await cancelled(keeping)

    async def _keep(self, seat: Seat) -> None:
        """Run a seat to the end of its game. A bug of ours is logged, and the seat runs again."""
        while not seat.is_over:
            try:
                await seat.run()
            except Exception:
                log.exception("seat_failed", game=seat.game.game_id)
                await self._time.sleep(REDIAL_LIMIT_S)
