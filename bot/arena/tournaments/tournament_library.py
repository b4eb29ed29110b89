"""All tournaments, past ones included, for the HTTP API."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import orjson

from bot import wire
from bot.arena.games.archive import PLATFORM, SOFTWARE
from bot.arena.tournaments.tournament import HostedTournament
from bot.arena.tournaments.tournament_book import TournamentBook
from bot.arena.tournaments.tournament_store import TournamentStore
from bot.arena.tournaments.tournament_views import TournamentViews
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult
from bot.records.writing import RecordedSetup, game_record
from bot.runtime.collecting import no_collecting
from bot.runtime.workers import Workers
from bot.tournaments.model import GameResult
from bot.tournaments.state import PlayedGame

RECORDS_AT_ONCE: Final = 100


@dataclass(frozen=True)
class TournamentPage:
    """Some tournaments with their times of creation; the following page starts before `next`."""

    listed: list[tuple[wire.TournamentSummary, datetime]]
    next: datetime | None


class TournamentLibrary:
    """Lists tournaments and makes their documents."""

    def __init__(
        self,
        book: TournamentBook,
        store: TournamentStore,
        views: TournamentViews,
        workers: Workers,
    ) -> None:
        self._book = book
        self._workers = workers
        self._store = store
        self._views = views

    async def before(self, before: datetime | None, limit: int) -> TournamentPage:
        """Tournaments created before that moment, the last one first."""
        # One more than requested shows whether another page follows.
        rows = await self._store.summaries_before(before, limit + 1)
        shown = rows[:limit]
        found = [
            (summary, each.created_at)
            for each in shown
            if (summary := self._summary(each.tournament_id, each.summary)) is not None
        ]
        return TournamentPage(found, shown[-1].created_at if len(rows) > limit else None)

    def _summary(
        self, tournament_id: str, last: wire.TournamentSummary | None
    ) -> wire.TournamentSummary | None:
        """The present summary; of a tournament that is over, the last one."""
        current = self._book.find_current(tournament_id)
        return last if current is None else self._views.summary(current.hosted)

    async def revision(self, tournament_id: str) -> int:
        """A number that grows with each change. Raises Refused if the id is unknown."""
        return (await self._book.find(tournament_id)).revision

    async def newest(self, tournament_id: str) -> bytes:
        """The tournament with its last rounds, as JSON. Raises Refused if the id is unknown."""
        async with self._unchanged(tournament_id) as hosted:
            return await self.encoded(hosted)

    async def encoded(self, hosted: HostedTournament) -> bytes:
        """The same of a tournament whose lock the caller holds."""
        # After a long read, a collection stops all threads for a tenth of a second.
        with no_collecting():
            await self._views.reckon(hosted)
        return await self._workers.run(lambda: _whole(self._views.state(hosted)))

    async def rounds(self, tournament_id: str, before: int) -> bytes:
        """The rounds before that one, as JSON, with the number for the following page."""
        async with self._unchanged(tournament_id) as hosted:
            return await self._workers.run(lambda: _page(self._views.rounds(hosted, before)))

    @asynccontextmanager
    async def _unchanged(self, tournament_id: str) -> AsyncIterator[HostedTournament]:
        """Hold a tournament unchanged, so that a thread can read it."""
        hosted = await self._book.find(tournament_id)
        current = self._book.find_current(tournament_id)
        async with nullcontext() if current is None else current.lock:
            yield hosted

    async def records_from(self, tournament_id: str, start: int) -> bytes:
        """The records of `RECORDS_AT_ONCE` games that count, after the first `start` ones.

        A line of JSON for each, in the order of their numbers; none at the end.
        """
        hosted = await self._book.find(tournament_id)
        played = [] if hosted.core is None else sorted(hosted.core.played.items())
        some = played[start : start + RECORDS_AT_ONCE]
        stored = await self._store.records([game.game_id for _, game in some])
        return await self._workers.run(_lines, hosted, some, stored)


def _whole(state: wire.TournamentState) -> bytes:
    """The state as JSON, made pairing by pairing, so that the thread blocks others only briefly."""
    head = orjson.loads(state.model_copy(update={"rounds": []}).model_dump_json())
    return orjson.dumps({**head, "rounds": [_round(each) for each in state.rounds]})


def _page(rounds: Sequence[wire.TournamentRound]) -> bytes:
    first = rounds[0].number if rounds else 1
    following = first if first > 1 else None
    return orjson.dumps({"rounds": [_round(each) for each in rounds], "next": following})


def _round(shown: wire.TournamentRound) -> dict[str, object]:
    pairings = [orjson.Fragment(each.model_dump_json()) for each in shown.pairings]
    byes = [bye.model_dump() for bye in shown.byes]
    return {"number": shown.number, "pairings": pairings, "byes": byes}


def _lines(
    hosted: HostedTournament, played: Sequence[tuple[int, PlayedGame]], stored: Mapping[str, str]
) -> bytes:
    lines = (_line(hosted, number, game, stored.get(game.game_id)) for number, game in played)
    return "".join(f"{line}\n" for line in lines).encode()


def _line(hosted: HostedTournament, number: int, game: PlayedGame, stored: str | None) -> str:
    """The stored record; a record without turns if it is missing or damaged."""
    if stored is not None:
        with suppress(ValueError):
            record = GameRecord.model_validate_json(stored)
            return stored if game.replaced is None else _counting(record, game).model_dump_json()
    return _unplayed(hosted, number, game).model_dump_json()


def _counting(record: GameRecord, game: PlayedGame) -> GameRecord:
    return record.model_copy(update={"result": _result(game.result)})


def _unplayed(hosted: HostedTournament, number: int, game: PlayedGame) -> GameRecord:
    setup = hosted.settings.setups[game.scheduled.setup]
    one, two = (hosted.entrants[name] for name in game.scheduled.seats)
    at = hosted.created_at + timedelta(microseconds=number)
    return game_record(
        f"{hosted.tournament_id}-{number}",
        PLATFORM,
        RecordedSetup(
            setup.game, setup.board, setup.rules, setup.clock, setup.options, setup.rated
        ),
        (_player(one), _player(two)),
        [],
        _result(game.result),
        last=None,
        began=at,
        ended=at,
        software=SOFTWARE,
    )


def _player(player: wire.Player) -> RecordedPlayer:
    return RecordedPlayer(name=player.name, kind=player.kind, user_id=player.id)


def _result(result: GameResult) -> RecordedResult:
    return RecordedResult(winner=result.winner, reason=result.reason, message=result.message)
