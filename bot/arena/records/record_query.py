"""Searches in finished games as texts name them, and records in the forms of downloads."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from bot.arena.http.queries import truth_in
from bot.arena.records.game_search import GameSearch, Search
from bot.arena.refusals import Refused
from bot.records.model import GameRecord
from bot.records.sgf import sgf_game

LONGEST: Final = 80
"""The most characters of a value in a search."""
OF_PLAYER: Final = ("won", "lost", "drawn", "aborted")
OF_SEATS: Final = ("first", "second", "drawn", "aborted")
TEXTS: Final = ("game", "board", "rules")


async def asked_search(search: GameSearch, query: Mapping[str, str]) -> Search:
    """The search that a query describes: see docs/arena-protocol.md for its words.

    Raises Refused if a value is not valid.
    """
    if any(len(value) > LONGEST for value in query.values()):
        raise Refused("invalid", f"A value has at most {LONGEST} characters.")
    player, opponent = query.get("player"), query.get("opponent")
    if opponent and not player:
        raise Refused("invalid", "An opponent needs a player.")

    async def player_id(text: str | None) -> str | None:
        """The id of the player with this id or name; the text itself if both are unknown."""
        return (await search.player_id(text) or text) if text else None

    return Search(
        player=await player_id(player),
        opponent=await player_id(opponent),
        **{name: query.get(name) or None for name in TEXTS},
        outcome=_outcome(query.get("result"), OF_PLAYER if player else OF_SEATS),
        rated=truth_in(query, "rated"),
        since=_at("since", query.get("since")),
        until=_at("until", query.get("until"), whole_day=True),
    )


def _outcome(text: str | None, known: Sequence[str]) -> str | None:
    if text and text not in known:
        raise Refused("invalid", f"result is {', '.join(known[:-1])} or {known[-1]} here.")
    return text or None


def _at(name: str, text: str | None, *, whole_day: bool = False) -> datetime | None:
    """The moment of a date or a time. A date is the start of the day, or its end, in UTC."""
    if not text:
        return None
    with suppress(ValueError, OverflowError):  # a time zone may lead out of the calendar
        if len(text) == len("2026-01-31"):
            day = date.fromisoformat(text) + timedelta(days=whole_day)
            return datetime.combine(day, time(), UTC)
        at = datetime.fromisoformat(text)
        if at.tzinfo is not None:
            return at.astimezone(UTC)
    raise Refused("invalid", f"{name} is a date, or a time with a time zone.")


def in_form(records: Sequence[str], form: str) -> bytes:
    """Records in the form of a download; in SGF, damaged ones are left out."""
    if form == "jsonl":
        return "".join(f"{record}\n" for record in records).encode()
    found = []
    for text in records:
        with suppress(ValueError):
            found.append(sgf_game(GameRecord.model_validate_json(text)))
    return "".join(found).encode()
