"""All tournaments that there ever were, for those who look things up."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot import wire
from bot.arena.model.tournament import HostedTournament
from bot.arena.service.tournament_book import TournamentBook
from bot.arena.service.tournament_views import TournamentViews
from bot.arena.store.archive import PLATFORM, SOFTWARE
from bot.arena.store.tournaments import TournamentStore
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult
from bot.records.writing import RecordedSetup, game_record
from bot.tournaments.model import Result
from bot.tournaments.state import PlayedGame


@dataclass(frozen=True)
class TournamentPage:
    """Some tournaments and when they were made; those made before `next` follow."""

    listed: list[tuple[wire.TournamentSummary, datetime]]
    next: datetime | None


class TournamentLibrary:
    def __init__(
        self, book: TournamentBook, store: TournamentStore, views: TournamentViews
    ) -> None:
        self._book = book
        self._store = store
        self._views = views

    async def before(self, before: datetime | None, limit: int) -> TournamentPage:
        """Tournaments made before that moment, the latest first."""
        # One more than asked for tells whether another page follows.
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
        """As it is now, or as it was when it was over."""
        table = self._book.table(tournament_id)
        return last if table is None else self._views.summary(table.hosted)

    async def whole(self, tournament_id: str) -> wire.TournamentState:
        """With all its rounds; Refused if there is none of that id."""
        return self._views.state(await self._book.find(tournament_id))

    async def records(self, tournament_id: str) -> list[GameRecord]:
        """Games that count, by number, each with the result that counts; of one that nobody played
        a record without turns.
        """
        hosted = await self._book.find(tournament_id)
        if hosted.core is None:
            return []
        played = sorted(hosted.core.played.items())
        stored = await self._store.records(tournament_id)
        return [
            _counting(stored[game.game_id], game)
            if game.game_id in stored
            else _unplayed(hosted, number, game)
            for number, game in played
        ]


def _counting(record: GameRecord, game: PlayedGame) -> GameRecord:
    if game.replaced is None:
        return record
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


def _result(result: Result) -> RecordedResult:
    return RecordedResult(winner=result.winner, reason=result.reason, message=result.message)
