"""Requests to HeXO-Arena: one attempt each, with a deadline, and one error for each meaning."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Literal, NoReturn, TypeVar
from urllib.parse import quote, urljoin, urlsplit

import aiohttp
from pydantic import BaseModel, SecretStr

from bot import __version__
from bot.errors import PeerError, RefusedByServer
from bot.guests.hexo_arena.messages import (
    MAX_ANSWER,
    MAX_FRAME,
    Account,
    BotListing,
    Challenge,
    Clock,
    Refusal,
    Snapshot,
    read,
    read_directory,
)
from bot.platforms.base import GameGone, NoAnswer, NotNow, TokenRefused
from bot.runtime.http_client import NoResponse, Response, fetch
from bot.time_source import TimeSource

JSON: Final = {"Content-Type": "application/json"}
USER_AGENT: Final = {"User-Agent": f"Bluestone/{__version__}"}
PAUSED_S: Final = 60.0
"""Seconds before a retry if the server pauses, or throttles, and does not name a time."""
Method = Literal["GET", "POST", "PATCH"]
M = TypeVar("M", bound=BaseModel)


class DailyCap(NotNow):
    """A cap of the server for this day. `until_s` is not cut to the longest wait of `NotNow`."""

    def __init__(self, code: str, message: str, until_s: float) -> None:
        super().__init__(code, message, until_s)
        self.until_s = until_s


@dataclass(frozen=True, slots=True)
class ApiOptions:
    """`url` is the address of the site, `answer_s` the deadline of a request."""

    url: str
    answer_s: float = 10.0


class Api:
    """The requests of one bot. `heard_at` is when the server last answered."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        options: ApiOptions,
        token: SecretStr,
        time: TimeSource,
    ) -> None:
        self.heard_at: float | None = None
        self.session = session
        self.options = options
        self._token = token
        self._time = time

    def use_token(self, token: SecretStr) -> None:
        self._token = token

    # ---- our account -----------------------------------------------------------------------

    async def account(self) -> Account:
        return self._read(Account, await self._ask("GET", "/api/bot/account"))

    async def declare(self, fields: Mapping[str, object]) -> Account:
        return self._read(Account, await self._ask("PATCH", "/api/bot/account", fields))

    async def directory(self) -> list[BotListing]:
        """Return the bots that are online. Needs no token."""
        answer = await self._ask("GET", "/api/bots?online=1", headers=USER_AGENT)
        try:
            return read_directory(answer.body)
        except ValueError as error:
            raise NoAnswer(f"/api/bots: {error}") from error

    # ---- challenges ------------------------------------------------------------------------

    async def challenge(
        self, opponent: str, clock: Clock, opening: int, first: str, request: str
    ) -> Challenge:
        """Challenge a bot, once for each `request`, however often it is sent."""
        body = {
            "timeControl": clock.model_dump(by_alias=True),
            "openingPlies": opening,
            "firstPlayer": first,
            "requestId": request,
        }
        answer = await self._ask("POST", f"/api/bot/challenge/{quote(opponent, safe='')}", body)
        return self._read(Challenge, answer)

    async def answer_challenge(
        self, challenge_id: str, answer: Literal["accept", "decline", "cancel"]
    ) -> None:
        await self._ask("POST", f"/api/bot/challenge/{quote(challenge_id, safe='')}/{answer}")

    # ---- games -----------------------------------------------------------------------------

    async def game(self, game_id: str) -> Snapshot:
        """Read a game as everybody can. Raises GameGone, and NoAnswer if it cannot be parsed."""
        try:
            answer = await self._ask(
                "GET", f"/api/games/{quote(game_id, safe='')}", headers=USER_AGENT
            )
        except PeerError as error:
            if error.code == "not_found":
                raise GameGone(error.code, error.message) from error
            raise
        return self._read(Snapshot, answer)

    async def resign(self, game_id: str, game_token: str) -> None:
        path = f"/api/bot/game/{quote(game_id, safe='')}/resign"
        try:
            await self._ask("POST", path, headers=_with_token(game_token))
        except RefusedByServer as error:  # the game's token, not the bot's
            raise PeerError(error.code, error.message) from error

    # ---- inside ----------------------------------------------------------------------------

    def address(self, path: str) -> str:
        """Return the address of a path. Raises PeerError if it leads to another server."""
        base = self.options.url.rstrip("/") + "/"
        url = urljoin(base, path.lstrip("/") if not urlsplit(path).scheme else path)
        if urlsplit(url)[:2] != urlsplit(base)[:2]:
            raise PeerError("bad_address", "the server names an address on another server")
        return url

    @property
    def own_headers(self) -> dict[str, str]:
        """The headers with the bot's token."""
        return _with_token(self._token.get_secret_value())

    async def _ask(
        self,
        method: Method,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Send a request, with the bot's token unless there are other `headers`."""
        headers = self.own_headers if headers is None else headers
        data = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        assert data is None or len(data) <= MAX_FRAME
        try:
            answer = await fetch(
                self.session,
                method,
                self.address(path),
                deadline_s=self.options.answer_s,
                limit=MAX_ANSWER,
                body=data,
                headers=headers if data is None else {**headers, **JSON},
            )
        except NoResponse as error:
            raise NoAnswer(f"{path}: {error.message}") from error
        self.heard_at = self._time.monotonic()
        if answer.status // 100 != 2:
            raise_refusal(path, answer.status, answer.headers, answer.body)
        return answer

    def _read(self, model: type[M], answer: Response) -> M:
        try:
            return read(model, answer.body)
        except ValueError as error:
            raise NoAnswer(f"{model.__name__}: {error}") from error


def _with_token(token: str) -> dict[str, str]:
    return {**USER_AGENT, "Authorization": f"Bearer {token}"}


def raise_refusal(path: str, status: int, headers: Mapping[str, str], body: bytes) -> NoReturn:
    """Raise the error that a refused request means."""
    refusal = _refusal(body)
    code = refusal.code or f"http_{status}"
    why = f"{path}: HTTP {status}: {refusal.error[:200] or code}"
    wait_s = retry_after_s(headers)
    match status:
        case HTTPStatus.UNAUTHORIZED:
            raise TokenRefused(code, why)
        case HTTPStatus.FORBIDDEN if code == "banned":
            raise RefusedByServer(code, why)
        case HTTPStatus.TOO_MANY_REQUESTS if code.startswith("daily_"):
            raise DailyCap(code, why, PAUSED_S if wait_s is None else wait_s)
        case HTTPStatus.TOO_MANY_REQUESTS | HTTPStatus.SERVICE_UNAVAILABLE:
            raise NotNow(code, why, PAUSED_S if wait_s is None else wait_s)
        case _ if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status // 100 == 3:
            raise NoAnswer(why)
        case _:
            raise PeerError(code, why)


def _refusal(body: bytes) -> Refusal:
    try:
        return read(Refusal, body)
    except ValueError:
        return Refusal()


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a response requests; None if it requests none."""
    text = headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 8 else None
