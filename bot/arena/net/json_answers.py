"""Answers of the HTTP side: JSON documents, pages of lists, and what is wrong with a question."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import orjson
from aiohttp import web

PAGE_SIZE: Final = 50
WORTH_COMPRESSING: Final = 1_000
"""Bytes; a shorter answer fits into one packet."""


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


def problem(status: int, code: str, message: str) -> web.Response:
    return json_answer({"code": code, "message": message}, status=status)


def moment(at: datetime) -> str:
    """As in messages; a `+` in an address would be read as a blank."""
    return at.isoformat().replace("+00:00", "Z")


@dataclass(frozen=True)
class Page:
    """So many of what is older than that moment, or of the latest."""

    limit: int
    before: datetime | None


def page_asked(request: web.Request) -> Page | web.Response:
    """Which page of a list is asked for, or what is wrong with how it is."""
    try:
        limit = int(request.query.get("limit", str(PAGE_SIZE)))
        text = request.query.get("before")
        before = None if text is None else _in_utc(text)
    except (ValueError, OverflowError):  # a time zone may lead out of the calendar
        return problem(400, "invalid", "limit is a number, before a time as `next` gives it.")
    if not 1 <= limit <= PAGE_SIZE or (before is not None and before.tzinfo is None):
        return problem(400, "invalid", f"limit is 1 to {PAGE_SIZE}, before has a time zone.")
    return Page(limit, before)


def _in_utc(text: str) -> datetime:
    """A time without a zone stays as it is. Raises ValueError or OverflowError."""
    at = datetime.fromisoformat(text)
    return at if at.tzinfo is None else at.astimezone(UTC)
