"""Games that the bot asks for by itself, so that it is never without an opponent."""

import asyncio
import random
from typing import Final, Protocol

import structlog

from bot.backoff import Backoff
from bot.errors import PeerError
from bot.platforms.base import ChallengeGone, ChallengingPlatform, Seat, Setup
from bot.settings_model import SeekSettings
from bot.time_source import TimeSource
from engine.rules import info

FIRST_WAIT_S: Final = 2.0
LONGEST_WAIT_S: Final = 900.0
"""Whoever declines is asked again ever less often, up to this."""

log = structlog.get_logger()


class SeekingPlayer(Protocol):
    """The identity for which games are sought."""

    @property
    def platform(self) -> ChallengingPlatform: ...

    async def until_free(self) -> None:
        """Connected, not about to stop, and with room for one more game."""

    def promise(self, challenge_id: str, opponent: str) -> None:
        """Keep room for the game that this challenge may become."""

    async def fate_of(self, challenge_id: str) -> ChallengeGone: ...

    async def end_of(self, game_id: str) -> None: ...


class Seeker:
    """Offers `at_once` games at a time, in alternate seats, until `games` were played."""

    def __init__(
        self,
        settings: SeekSettings,
        player: SeekingPlayer,
        time_source: TimeSource,
        rng: random.Random,
    ) -> None:
        self._settings = settings
        self._player = player
        self._time = time_source
        self._rng = rng
        self._begun = 0
        self._played = 0
        self._asking = asyncio.Lock()

    async def run(self) -> None:
        """Ends when the games are played."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(self._settings.at_once):
                tasks.create_task(self._one_after_the_other())
        log.info("seek_finished", games=self._played)

    async def _one_after_the_other(self) -> None:
        backoff = Backoff(FIRST_WAIT_S, LONGEST_WAIT_S, self._rng)
        while self._settings.games is None or self._begun < self._settings.games:
            number = self._begun
            self._begun += 1
            if await self._play(1 if number % 2 == 0 else 2):
                self._played += 1
                backoff.reset()
            else:
                self._begun -= 1
                await self._time.sleep(backoff.next())

    async def _play(self, seat: Seat) -> bool:
        """Offer a game and wait for its end; false if it did not come about."""
        player, seek = self._player, self._settings
        try:
            async with self._asking:  # two at a time would both take the last free place
                await player.until_free()
                challenge_id = await player.platform.offer(_setup(seek), seek.opponent, seat)
                player.promise(challenge_id, seek.opponent or "")
        except PeerError as error:
            log.warning("seek_refused", code=error.code, why=error.message)
            return False
        gone = await player.fate_of(challenge_id)
        if gone.game_id is None:
            log.info("seek_failed", state=gone.state, code=gone.code, why=gone.message)
            return False
        await player.end_of(gone.game_id)
        return True


def _setup(seek: SeekSettings) -> Setup:
    board = seek.board or info(seek.game).boards[0]
    return Setup(seek.game, board, seek.rules, seek.clock, seek.options, seek.rated)
