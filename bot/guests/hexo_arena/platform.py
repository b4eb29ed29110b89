"""HeXO-Arena: the bot keeps a stream open, and a websocket for each of its games.

Protocol: docs/hexo-arena.md.
"""

import random
from collections.abc import Sequence
from pathlib import Path

from pydantic import SecretStr

from bot.errors import HostError, PeerError
from bot.guests.hexo_arena.api import Api
from bot.guests.hexo_arena.connection import Connection
from bot.guests.hexo_arena.streaming import Options, Streaming
from bot.platforms.base import (
    LONGEST_WAIT_S,
    ChallengingPlatform,
    EventSink,
    NoAnswer,
    NotNow,
    Seat,
    Setup,
    TurnInfo,
    unacknowledged,
)
from bot.time_source import TimeSource


class HexoArenaPlatform(ChallengingPlatform):
    """The platform of one bot on the site."""

    def __init__(
        self, options: Options, data: Path, time_source: TimeSource, rng: random.Random
    ) -> None:
        self._streaming = Streaming(options, data, time_source, rng)

    @property
    def last_heard(self) -> float | None:
        return self._streaming.last_heard

    @property
    def overdue_s(self) -> float:
        return self._streaming.overdue_s

    def reconnect(self) -> None:
        """Open the stream again. The websockets of the games stay."""
        self._streaming.reopen()

    def use_token(self, token: SecretStr) -> None:
        self._streaming.use_token(token)

    @property
    def problems(self) -> Sequence[str]:
        problem = self._streaming.store and self._streaming.store.writing.problem
        return [problem] if problem else []

    @property
    def standing(self) -> str | None:
        if self._streaming.connection is None:
            return None
        account = self._streaming.connection.account
        return f"{account.rating:.0f}{' (provisional)' if account.provisional else ''}"

    async def run(self, sink: EventSink) -> None:
        await self._streaming.run(unacknowledged(sink))

    @property
    def _open(self) -> Connection:
        if self._streaming.connection is None:
            raise NoAnswer("not connected")
        return self._streaming.connection

    @property
    def _open_api(self) -> Api:
        if self._streaming.api is None:
            raise NoAnswer("not connected")
        return self._streaming.api

    # ---- calls ---------------------------------------------------------------------------------

    async def accept(self, challenge_id: str) -> None:
        await self._open.accept(challenge_id)

    async def decline(self, challenge_id: str, code: str, sentence: str) -> None:
        del code, sentence  # the server takes no reason
        await self._open_api.answer_challenge(challenge_id, "decline")

    async def offer(self, setup: Setup, opponent: str | None, seat: Seat) -> str:
        """Challenge that bot, or one that the policy of challenges chooses."""
        if not self._streaming.takes_games:
            raise PeerError("draining", "the bot starts no new games")
        try:
            return await self._open.offer(setup, opponent, seat)
        except HostError as error:  # the store keeps what is sent, so nothing is sent without it
            raise NotNow("disk", str(error), LONGEST_WAIT_S) from error

    async def withdraw(self, challenge_id: str) -> None:
        try:
            await self._open_api.answer_challenge(challenge_id, "cancel")
        except PeerError as error:
            if error.code == "not_found":  # it may just have become a game
                raise NoAnswer(error.message) from error
            raise

    async def submit(
        self, game_id: str, ply: int, turn: str, info: TurnInfo, takebacks: int | None = None
    ) -> None:
        del takebacks
        del info  # evaluations would be published after the game
        await self._open.answer(game_id, ply, turn)

    async def resign(self, game_id: str) -> None:
        await self._open.resign(game_id)

    async def watch(self, game_id: str) -> None:
        await self._open.read(game_id)

    async def retire(self) -> None:
        """Open the stream again so that the bot takes no games any more."""
        await self._streaming.retire()
