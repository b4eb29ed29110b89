"""Documents over HTTP: JSON answers, pages of lists, and a cache of compressed documents."""

import asyncio
import gzip
import hashlib
import math
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import orjson
from aiohttp import web

from bot.arena.refusals import RATE_LIMITED, UNAVAILABLE, Refused
from bot.runtime.bounded import BoundedMemory
from bot.runtime.fair_places import FairPlaces
from bot.runtime.workers import worked_for

PAGE_SIZE: Final = 50
DAY_S: Final = 86_400
WORTH_COMPRESSING: Final = 1_000
"""In bytes; a shorter answer fits into one packet."""


def json_answer(data: object, status: int = 200, max_age_s: int | None = None) -> web.Response:
    caching = "no-store" if max_age_s is None else f"public, max-age={max_age_s}"
    body = orjson.dumps(data)
    response = web.Response(
        body=body,
        status=status,
        content_type="application/json",
        headers={"Cache-Control": caching, "Vary": "Accept-Encoding"},
    )
    if len(body) >= WORTH_COMPRESSING:
        response.enable_compression()
    return response


STATUSES: Final = {
    "invalid": 400,
    "illegal_turn": 400,
    "bad_guest_key": 401,
    "in_game": 403,
    "blocked": 403,
    RATE_LIMITED: 429,
    "unknown_game": 404,
    "unknown_game_id": 404,
    "unknown_player": 404,
    "unknown_tournament": 404,
    UNAVAILABLE: 503,
}
"""The statuses of refusals; that of all others is 500."""


def refusal(refused: Refused) -> web.Response:
    """The answer to a request that is refused."""
    response = problem(STATUSES.get(refused.code, 500), refused.code, refused.message)
    if refused.retry_after_s is not None:
        response.headers["Retry-After"] = str(math.ceil(refused.retry_after_s))
    return response


def problem(status: int, code: str, message: str) -> web.Response:
    return json_answer({"code": code, "message": message}, status=status)


def moment(at: datetime) -> str:
    """A time as in messages, with `Z`: a `+` in a URL would be read as a blank."""
    return at.isoformat().replace("+00:00", "Z")


@dataclass(frozen=True)
class PageRequest:
    """A request for the `limit` items before a moment, by default the latest ones."""

    limit: int
    before: datetime | None


def requested_page(request: web.Request) -> PageRequest | web.Response:
    """Return the page that the request's query names, or an error response."""
    try:
        limit = int(request.query.get("limit", str(PAGE_SIZE)))
        text = request.query.get("before")
        before = None if text is None else _in_utc(text)
    except (ValueError, OverflowError):  # a time zone may lead out of the calendar
        return problem(400, "invalid", "limit must be a number, before a time as in `next`.")
    if not 1 <= limit <= PAGE_SIZE or (before is not None and before.tzinfo is None):
        return problem(400, "invalid", f"limit must be 1 to {PAGE_SIZE}, before needs a time zone.")
    return PageRequest(limit, before)


def _in_utc(text: str) -> datetime:
    """The time in UTC; without a zone it stays as it is. Raises ValueError or OverflowError."""
    at = datetime.fromisoformat(text)
    return at if at.tzinfo is None else at.astimezone(UTC)


KEPT_BYTES: Final = 32_000_000
TAG_LENGTH: Final = 32
GZIP_LEVEL: Final = 6
IDENTITY: Final = "identity"
COMPRESSED_TYPES: Final = frozenset({"image/png", "image/gif"})
"""Types whose bodies are compressed already."""
NO_CACHE: Final = "no-cache"
"""A browser may keep the document, but asks each time whether it is current."""


@dataclass(frozen=True, slots=True)
class Document:
    """One content in several content codings, the smallest first; `tag` is its ETag."""

    bodies: Mapping[str, bytes]
    tag: str
    content_type: str

    @property
    def size(self) -> int:
        return sum(map(len, self.bodies.values()))


def document(body: bytes, content_type: str = "application/json") -> Document:
    """A document with this body. Compression takes time: call this in a thread for large bodies."""
    bodies = {IDENTITY: body}
    if content_type not in COMPRESSED_TYPES:
        bodies = {"gzip": gzip.compress(body, GZIP_LEVEL, mtime=0), **bodies}
    return Document(bodies, hashlib.sha256(body).hexdigest()[:TAG_LENGTH], content_type)


def answer(request: web.Request, found: Document, caching: str = NO_CACHE) -> web.Response:
    """The document in a coding that the client accepts, or 304 if the client has this version."""
    headers = {"Cache-Control": caching, "ETag": f'W/"{found.tag}"', "Vary": "Accept-Encoding"}
    if any(known.value == found.tag for known in request.if_none_match or ()):
        return web.Response(status=304, content_type=found.content_type, headers=headers)
    coding = _coding(request.headers.get("Accept-Encoding", ""), found.bodies)
    if coding != IDENTITY:
        headers["Content-Encoding"] = coding
    return web.Response(body=found.bodies[coding], content_type=found.content_type, headers=headers)


def _coding(accepted: str, bodies: Mapping[str, bytes]) -> str:
    """The first coding in `bodies` that the client names and does not exclude by `q=0`."""
    named = set()
    for part in accepted.lower().split(","):
        name, _, quality = part.partition(";")
        if quality.replace(" ", "").rstrip("0.") != "q=":
            named.add(name.strip())
    return next((coding for coding in bodies if coding in named), IDENTITY)


class DocumentCache:
    """Documents by key and version, made one at a time: concurrent requests cost one.

    The addresses whose requests wait for new documents take turns.
    """

    def __init__(self, most_bytes: int = KEPT_BYTES, most_waiting: int | None = None) -> None:
        """If `most_waiting` requests wait for new documents, further ones are refused."""
        self._most_waiting = most_waiting
        self._waiting = 0
        self._kept: BoundedMemory[Hashable, tuple[Hashable, Document]] = BoundedMemory(most_bytes)
        self._making = FairPlaces(1)

    async def get(
        self,
        key: Hashable,
        version: Hashable,
        make: Callable[[], Awaitable[bytes]],
        content_type: str = "application/json",
    ) -> Document:
        """The document of that version; `make` makes its body if it is not cached.

        Raises what `make` raises, and Refused if too many wait.
        """
        if (known := self._find(key, version)) is not None:
            return known
        if self._waiting == self._most_waiting:
            raise Refused(UNAVAILABLE, "Too many requests wait for this; try again in a moment.")
        self._waiting += 1
        try:
            async with self._making.taken(worked_for()):
                return await self._made(key, version, make, content_type)
        finally:
            self._waiting -= 1

    async def _made(
        self,
        key: Hashable,
        version: Hashable,
        make: Callable[[], Awaitable[bytes]],
        content_type: str,
    ) -> Document:
        if (known := self._find(key, version)) is not None:
            return known  # an earlier request has made it
        made = await asyncio.to_thread(document, await make(), content_type)
        self._kept.put(key, (version, made))
        return made

    def _find(self, key: Hashable, version: Hashable) -> Document | None:
        kept = self._kept.get(key)
        if kept is None or kept[0] != version:
            return None
        self._kept.refresh(key)
        return kept[1]
