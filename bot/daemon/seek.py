"""Seeks games: the bot offers them itself, so that it always has an opponent."""

import asyncio
import random
from typing import Final

import structlog

import engine
from bot.backoff import Backoff
from bot.daemon.offers import Offers
from bot.daemon.settings import SeekSettings
from bot.errors import PeerError
from bot.platforms.base import ChallengingPlatform, GameFacts, NotNow, Seat, Setup, patiently
from bot.time_source import TimeSource

FIRST_WAIT_S: Final = 2.0
LONGEST_WAIT_S: Final = 900.0
"""Seconds. After each declined offer the wait doubles, up to this."""

log = structlog.get_logger()


class Seeker:
    """Offers `at_once` games at a time, in alternating seats, until `games` were played.

    Games of the sought kind that already run count as well.
    """

    def __init__(
        self,
        settings: SeekSettings,
        platform: ChallengingPlatform,
        offers: Offers,
        time_source: TimeSource,
        rng: random.Random,
    ) -> None:
        self._settings = settings
        self._platform = platform
        self._offers = offers
        self._time = time_source
        self._rng = rng
        self._begun = 0
        self._played = 0
        self._followed: set[str] = set()
        self._asking = asyncio.Lock()
        self._why_not: str | None = None

    async def run(self) -> None:
        """Returns when the games are played. It may run again after it was cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(self._settings.at_once):
                tasks.create_task(self._one_after_the_other())
        log.info("seek_finished", games=self._played)

    async def _one_after_the_other(self) -> None:
        backoff = Backoff(FIRST_WAIT_S, LONGEST_WAIT_S, self._rng)
        while self._settings.games is None or self._begun < self._settings.games:
            if await self._play_counted():
                backoff.reset()
            else:
                await self._time.sleep(backoff.next())

    async def _play_counted(self) -> bool:
        number, is_played = self._begun, False
        self._begun += 1
        try:
            is_played = await self._play(1 if number % 2 == 0 else 2)
        finally:
            if not is_played:
                self._begun -= 1
        self._played += is_played
        return is_played

    async def _play(self, seat: Seat) -> bool:
        """Play one game to its end. Return false if no game started."""
        game_id = await self._game(seat)
        if game_id is None:
            return False
        self._followed.add(game_id)
        try:
            await self._offers.end_of(game_id)
        finally:
            self._followed.discard(game_id)
        return True

    async def _game(self, seat: Seat) -> str | None:
        """Return a running game that is not followed yet, else a new one that is offered."""
        offers, seek = self._offers, self._settings
        try:
            async with self._asking:  # two tasks would both take the last free place
                await offers.until_free()
                if (running := self._running()) is not None:
                    self._followed.add(running)
                    return running
                challenge_id = await patiently(
                    lambda: self._platform.offer(_setup(seek), seek.opponent, seat),
                    self._time,
                    on_wait=self._waits,
                )
                offers.promise(challenge_id, seek.opponent or "")
        except PeerError as error:
            log.warning("seek_refused", code=error.code, why=error.message)
            return None
        finally:
            self._waits(None)
        gone = await offers.fate_of(challenge_id)
        if gone.game_id is None:
            log.info("seek_failed", state=gone.state, code=gone.code, why=gone.message)
        return None if gone.game_id in self._followed else gone.game_id

    def _waits(self, refusal: NotNow | None) -> None:
        """Note why no offer is made now; log it once."""
        why = None if refusal is None else refusal.message
        if why is not None and why != self._why_not:
            log.info("seek_waits", why=why)
        self._why_not = why
        self._offers.note_seeking(why)

    def _running(self) -> str | None:
        """Return a running game of the sought kind that is not followed yet."""
        found = (
            game.game_id
            for game in self._offers.own_games()
            if game.game_id not in self._followed and _is_sought(self._settings, game)
        )
        return next(found, None)


def _is_sought(seek: SeekSettings, game: GameFacts) -> bool:
    if seek.opponent and seek.opponent.casefold() != game.opponent.name.casefold():
        return False
    wanted, setup = _setup(seek), game.setup
    alike = (wanted.control, wanted.rated) == (setup.control, setup.rated)
    return alike and _what(wanted) == _what(setup)


def _what(setup: Setup) -> engine.Game | None:
    """Return the game, the same object for all spellings of it; None for an unknown game."""
    try:
        return engine.game_of(setup.game, setup.board, setup.rules, setup.options)
    except engine.UnknownGame:
        return None


def _setup(seek: SeekSettings) -> Setup:
    board = seek.board or engine.game_info(seek.game).boards[0]
    return Setup(seek.game, board, seek.rules, seek.clock, seek.options, seek.rated)
