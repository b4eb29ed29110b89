"""The platform as the bot calls it: games and moves over HTTP, each with a deadline."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Protocol

import structlog
from pydantic import SecretStr

from bot.errors import PeerError
from bot.guests.abstract_play.answers import Conclusion, Verdict, conclusion, message_in
from bot.guests.abstract_play.calls import (
    CALL_S,
    HttpPoster,
    HttpResponse,
    PatientPoster,
    Poster,
    Throttled,
    Waits,
)
from bot.guests.abstract_play.facts import RESIGN, is_move
from bot.guests.abstract_play.messages import (
    MAX_ANSWER_BYTES,
    GameRecord,
    ListedGame,
    game_answer,
    listed_games,
)
from bot.guests.abstract_play.tokens import Credentials, Tokens
from bot.platforms.base import GameGone, NoAnswer, NotNow
from bot.runtime.bounded import BoundedMemory
from bot.runtime.http_client import open_session
from bot.time_source import TimeSource

# When a game that the platform does not find counts as gone. The platform has one answer for "no
# such game" and for failures of its own, so a single answer proves nothing.

GONE_AFTER_S: Final = 600.0
GONE_AFTER_MISSES: Final = 3
REMEMBERED_BYTES: Final = 1_000_000


@dataclass(slots=True)
class _Absence:
    first_at: float
    counted_at: float
    misses: int = 1


class Absences:
    """Counts how often each game was not found.

    A miss counts only if the platform has answered other queries since the one before.
    """

    def __init__(self, time_source: TimeSource) -> None:
        self._time = time_source
        self._answered_at: float | None = None
        self._missing: BoundedMemory[str, _Absence] = BoundedMemory(REMEMBERED_BYTES)

    def answered(self, *seen: str) -> None:
        """Record that a query was answered, and that it showed those games."""
        self._answered_at = self._time.monotonic()
        for game_id in seen:
            self._missing.forget(game_id)

    def missed(self, game_id: str) -> bool:
        """Record that the game was not found, and return whether it counts as gone."""
        now = self._time.monotonic()
        absence = self._missing.get(game_id)
        if absence is None:
            self._missing.put(game_id, _Absence(now, now))
            return False
        if self._answered_at is not None and self._answered_at > absence.counted_at:
            absence.misses += 1
            absence.counted_at = now
        return absence.misses >= GONE_AFTER_MISSES and now - absence.first_at >= GONE_AFTER_S


RETRY_S: Final = 5.0
"""The shortest pause after a query that failed, also after `Retry-After: 0`."""
JSON: Final = {"Content-Type": "application/json"}

log = structlog.get_logger()


class Api(Protocol):
    """The calls to the platform."""

    def use_secret(self, secret: SecretStr) -> None:
        """Request the next token with this secret."""

    async def authorize(self) -> None:
        """Make sure that moves can be sent. Raises RefusedByServer, NoAnswer and NotNow."""

    async def submit(self, game_id: str, meta_game: str, move: str) -> Conclusion:
        """Send a move, or `resign`, and return the conclusion. Raises nothing."""

    async def games(self, meta_game: str) -> list[ListedGame]:
        """Return the running games of a kind; the list may be incomplete.

        Raises NoAnswer, NotNow.
        """

    async def game(self, meta_game: str, game_id: str) -> GameRecord:
        """Return a running or finished game. Raises NoAnswer, NotNow and GameGone."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """The addresses of the platform and our credentials; `answer_s` is the deadline of a call."""

    base: str
    token_url: str
    scope: str
    client_id: str
    secret: SecretStr
    answer_s: float = CALL_S

    @property
    def credentials(self) -> Credentials:
        return Credentials(self.token_url, self.client_id, self.secret, self.scope)


class Client:
    """An `Api` over HTTP. A move takes up to four calls: a token, the move, and both again."""

    def __init__(
        self, options: ClientOptions, poster: Poster, waits: Waits, time_source: TimeSource
    ) -> None:
        base = options.base.rstrip("/")
        self._moves_url, self._queries_url = f"{base}/botQuery", f"{base}/query"
        self._moves = PatientPoster("moves", poster, waits, time_source)
        self._queries = PatientPoster("queries", poster, waits, time_source)
        asks = PatientPoster("tokens", poster, waits, time_source)
        self._tokens = Tokens(options.credentials, asks, time_source)
        self._absences = Absences(time_source)

    # ---- moves -------------------------------------------------------------------------------

    def use_secret(self, secret: SecretStr) -> None:
        self._tokens.use_secret(secret)

    async def authorize(self) -> None:
        await self._tokens.get()

    async def submit(self, game_id: str, meta_game: str, move: str) -> Conclusion:
        # The platform answers an empty move with 200, plays nothing, and credits the clock.
        assert is_move(move) or move == RESIGN
        request = {"verb": "move", "gameid": game_id, "metaGame": meta_game, "move": move}
        try:
            result = await self._send(request)
            if result.verdict is Verdict.NEW_TOKEN:
                result = await self._send(request)
        except PeerError as error:  # no token, or a pause
            pause_s = error.pause_s if isinstance(error, Throttled) else None
            return Conclusion(Verdict.NOT_SENT, str(error), retry_after_s=pause_s)
        if result.record is not None and result.record.id != game_id:
            return Conclusion(Verdict.READ_THE_GAME, f"the answer has game {result.record.id}")
        return result

    async def _send(self, request: Mapping[str, str]) -> Conclusion:
        """Raises the errors of `Tokens.get`, and Throttled if a pause prevented the request."""
        token = await self._tokens.get()
        headers = {**JSON, "Authorization": f"Bearer {token.get_secret_value()}"}
        try:
            answer = await self._moves.post(
                self._moves_url, _body(request), headers, MAX_ANSWER_BYTES
            )
        except NoAnswer as error:
            return Conclusion(Verdict.READ_THE_GAME, error.message)
        result = conclusion(answer.status, answer.body, answer.retry_after_s)
        if result.verdict is Verdict.NEW_TOKEN:
            self._tokens.drop(token)
        return result

    # ---- games -------------------------------------------------------------------------------

    async def games(self, meta_game: str) -> list[ListedGame]:
        answer = await self._ask("games", {"metaGame": meta_game, "type": "current"})
        if answer.status != HTTPStatus.OK:
            raise _failure("games", answer)
        try:
            # Parsing a long list takes longer than a webhook call may wait.
            games, unread = await asyncio.to_thread(listed_games, answer.body)
        except ValueError as error:
            raise NoAnswer(f"games: {error}") from error
        self._absences.answered(*[each.id for each in games])
        ours = [each for each in games if each.meta_game == meta_game]
        if unread or len(ours) < len(games):
            log.warning(
                "games_unread", meta_game=meta_game, unread=unread, others=len(games) - len(ours)
            )
        return ours

    async def game(self, meta_game: str, game_id: str) -> GameRecord:
        """Raises GameGone only if the game was not found for long while other queries succeeded."""
        answer = await self._ask("get_game", {"metaGame": meta_game, "id": game_id, "cbit": 0})
        if answer.status == HTTPStatus.INTERNAL_SERVER_ERROR and self._absences.missed(game_id):
            raise GameGone("gone", f"game {game_id}: {message_in(answer.body)}")
        if answer.status != HTTPStatus.OK:
            raise _failure(f"game {game_id}", answer)
        try:
            record = game_answer(answer.body)
        except ValueError as error:
            raise NoAnswer(f"game {game_id}: {error}") from error
        if (record.id, record.meta_game) != (game_id, meta_game):
            raise NoAnswer(f"game {game_id}: the answer has {record.meta_game} game {record.id}")
        self._absences.answered(game_id)
        return record

    async def _ask(self, query: str, pars: Mapping[str, str | int]) -> HttpResponse:
        body = _body({"query": query, "pars": pars})
        return await self._queries.post(self._queries_url, body, JSON, MAX_ANSWER_BYTES)


@asynccontextmanager
async def open_client(
    options: ClientOptions, waits: Waits, time_source: TimeSource
) -> AsyncIterator[Client]:
    """Open a client with its own connections."""
    async with open_session() as session:
        yield Client(
            options, HttpPoster(session, time_source, options.answer_s), waits, time_source
        )


def _failure(what: str, answer: HttpResponse) -> PeerError:
    """Return the error for a failed query.

    A query changes nothing, so it may always be repeated.
    """
    why = f"{what}: HTTP {answer.status}: {message_in(answer.body)}"
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        return Throttled(why, answer.retry_after_s)
    if answer.status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return NoAnswer(why)
    return NotNow("unavailable", why, max(RETRY_S, answer.retry_after_s or 0.0))


def _body(request: Mapping[str, object]) -> bytes:
    return json.dumps(request, separators=(",", ":")).encode()
