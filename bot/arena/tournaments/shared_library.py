"""The documents of tournaments in every process of an arena: the one with the hall makes them."""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any, Final

from pydantic import TypeAdapter

from bot.arena.hall import Hall
from bot.arena.tournaments.tournament_library import TournamentLibrary, TournamentPage

PAGE: Final = TypeAdapter(TournamentPage)


class SharedLibrary:
    """The `TournamentLibrary` of the hall, for all processes."""

    def __init__(self, library: TournamentLibrary, hall: Hall) -> None:
        self._library = library
        self._hall = hall
        hall.answer_with("before", self._answer_before)
        hall.answer_with("revision", self._answer_revision)
        hall.answer_with("newest", lambda asked: library.newest(asked["id"]))
        hall.answer_with("rounds", lambda asked: library.rounds(asked["id"], asked["before"]))
        hall.answer_with("records", lambda asked: library.records_from(asked["id"], asked["start"]))

    async def before(self, before: datetime | None, limit: int) -> TournamentPage:
        """See `TournamentLibrary`."""
        text = None if before is None else before.isoformat()
        answer = await self._hall.ask("before", {"before": text, "limit": limit})
        if answer is None:
            return await self._library.before(before, limit)
        return PAGE.validate_json(answer)

    async def revision(self, tournament_id: str) -> int:
        """See `TournamentLibrary`."""
        answer = await self._hall.ask("revision", {"id": tournament_id})
        return await self._library.revision(tournament_id) if answer is None else int(answer)

    async def newest(self, tournament_id: str) -> bytes:
        """See `TournamentLibrary`."""
        answer = await self._hall.ask("newest", {"id": tournament_id})
        return await self._library.newest(tournament_id) if answer is None else answer

    async def rounds(self, tournament_id: str, before: int) -> bytes:
        """See `TournamentLibrary`."""
        answer = await self._hall.ask("rounds", {"id": tournament_id, "before": before})
        return await self._library.rounds(tournament_id, before) if answer is None else answer

    async def records(self, tournament_id: str) -> AsyncIterator[bytes]:
        """The records of the games that count, in the order of their numbers.

        Each has the result that counts; a game that was not played has a record without turns.
        Yields many lines of JSON at a time. Raises Refused before the first line.
        """
        start = 0
        while lines := await self._records_from(tournament_id, start):
            start += lines.count(b"\n")
            yield lines

    async def _records_from(self, tournament_id: str, start: int) -> bytes:
        answer = await self._hall.ask("records", {"id": tournament_id, "start": start})
        if answer is None:
            return await self._library.records_from(tournament_id, start)
        return answer

    async def _answer_before(self, asked: Mapping[str, Any]) -> bytes:
        before = asked["before"] and datetime.fromisoformat(asked["before"])
        return PAGE.dump_json(await self._library.before(before, asked["limit"]))

    async def _answer_revision(self, asked: Mapping[str, Any]) -> bytes:
        return str(await self._library.revision(asked["id"])).encode()
