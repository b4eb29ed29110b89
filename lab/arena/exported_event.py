"""A tournament as the arena exports it, and its standings computed from that export."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, get_args

import aiohttp
import orjson
from pydantic import ValidationError

from bot import wire
from bot.errors import HostError
from bot.records.model import GameRecord
from bot.records.writing import verify
from bot.tournaments.events import Began, Finished, Paired, Withdrew
from bot.tournaments.model import (
    Bye,
    Entrant,
    GameResult,
    MatchSetup,
    Pairing,
    Reason,
    ScheduledGame,
)
from bot.tournaments.standings import SWISS_ORDER, Standing, standings
from bot.tournaments.state import ImpossibleEvent, Tournament

ANSWER_S: Final = 60.0
OTHER_NAMES: Final = {"abandonment": "disconnect"}
"""Reasons that have other names in games than in tournaments."""


@dataclass(frozen=True)
class ExportedEvent:
    """The content of `/api/tournaments/{id}`, and the records of `games.jsonl`."""

    state: wire.TournamentState
    records: Sequence[GameRecord]

    def games(self) -> list[wire.TournamentGame]:
        """All games that were paired, by number."""
        rounds = (each.pairings for each in self.state.rounds)
        games = (game for pairings in rounds for each in pairings for game in each.games)
        return sorted(games, key=lambda game: game.number)

    def exported(self) -> Iterator[tuple[wire.TournamentGame, GameRecord]]:
        """Yield finished games with their records, by number; stop at a record of another game."""
        finished = (game for game in self.games() if game.state == "finished")
        for game, record in zip_longest(finished, self.records):
            if game is None or record is None or not _belongs(record, game):
                return
            yield game, record

    def once(self) -> int:
        """Count the games that are finished, and have a record of their own that differs from all
        others.
        """
        times = Counter(record.id for record in self.records)
        return sum(times[record.id] == 1 for _, record in self.exported())

    def met_twice(self) -> int:
        """Count the pairs that played more than once. After a no-show they may be paired again."""
        pairs = Counter(
            frozenset(each.players)
            for each in self._pairings()
            if any(game.game_id for game in each.games)
        )
        return sum(times > 1 for times in pairs.values())

    def byes(self) -> Counter[str]:
        """Byes by player."""
        return Counter(bye.player for each in self.state.rounds for bye in each.byes)

    def ends(self) -> Counter[str]:
        """Count finished games by the displayed reason of their end."""
        return Counter(game.reason or "" for game in self.games() if game.state == "finished")

    def contradictions(self) -> int:
        """Count records that do not replay by the rules."""
        return sum(bool(verify(record)) for record in self.records if record.turns)

    def has_same_standings(self) -> bool:
        """Return whether the displayed standings equal those computed from the records."""
        try:
            tournament = self._replayed()
        except (ImpossibleEvent, ValidationError):
            return False
        return has_rows_of(tournament, self.state)

    def _pairings(self) -> Iterator[wire.TournamentPairing]:
        for each in self.state.rounds:
            yield from each.pairings

    def _replayed(self) -> Tournament:
        """Return the displayed pairings with the results of the records."""
        tournament = Tournament(self._began())
        for each in self.state.rounds:
            tournament.apply(_paired(each))
        for game, record in self.exported():
            tournament.apply(_finished(game, record))
        for entrant in self.state.entrants:
            if entrant.withdrawn is not None:
                tournament.apply(Withdrew(player=entrant.name, why=entrant.withdrawn))
        return tournament

    def _began(self) -> Began:
        settings = self.state.settings
        return Began(
            name=settings.name,
            entrants=tuple(Entrant(name=each.name) for each in self.state.entrants),
            setups=tuple(
                MatchSetup(game=each.game, board=each.board, rules=each.rules)
                for each in settings.setups
            ),
            seed=settings.seed,
            settings={},
            software="exported",
        )


def has_rows_of(tournament: Tournament, shown: wire.TournamentState) -> bool:
    """Return whether the displayed standings are those of a Swiss tournament."""
    found = standings(tournament, SWISS_ORDER, is_swiss=True)
    games = _games_by_points(tournament)
    rows = [_row(each, games[each.name]) for each in found]
    return rows == [_shown(each) for each in shown.standings]


async def fetched(
    session: aiohttp.ClientSession, address: str, tournament_id: str
) -> ExportedEvent:
    """Fetch a tournament. Raises HostError if the arena does not answer as documented."""
    url = f"{address}/api/tournaments/{tournament_id}"
    try:
        state = wire.TournamentState.model_validate_json(await _body(session, url))
        earlier = await _rounds(session, url, state.round - len(state.rounds) + 1)
        lines = (await _body(session, f"{url}/games.jsonl")).splitlines()
        return ExportedEvent(
            state.model_copy(update={"rounds": [*earlier, *state.rounds]}),
            [GameRecord.model_validate_json(line) for line in lines],
        )
    except ValidationError as error:
        raise HostError(f"{url}: {error}") from error


async def _rounds(
    session: aiohttp.ClientSession, url: str, before: int
) -> list[wire.TournamentRound]:
    """Return all rounds before that one, in order."""
    found: list[wire.TournamentRound] = []
    following: int | None = before
    while following is not None and following > 1:
        page = orjson.loads(await _body(session, f"{url}/rounds?before={following}"))
        found = [*map(wire.TournamentRound.model_validate, page["rounds"]), *found]
        following = page["next"]
    return found


async def _body(session: aiohttp.ClientSession, url: str) -> bytes:
    try:
        timeout = aiohttp.ClientTimeout(total=ANSWER_S)
        async with session.get(url, timeout=timeout, raise_for_status=True) as answer:
            return await answer.read()
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise HostError(f"{url}: {error}") from error


def _belongs(record: GameRecord, game: wire.TournamentGame) -> bool:
    names = tuple(player.name for player in record.players)
    return names == game.seats and game.game_id in (None, record.id)


def _paired(shown: wire.TournamentRound) -> Paired:
    return Paired(
        pairings=tuple(_pairing(each, shown.number) for each in shown.pairings),
        byes=tuple(
            Bye(round=shown.number, player=bye.player, points=bye.points) for bye in shown.byes
        ),
    )


def _pairing(shown: wire.TournamentPairing, of_round: int) -> Pairing:
    games = tuple(
        ScheduledGame(number=game.number, pair=game.number, seats=game.seats, setup=game.setup)
        for game in shown.games
    )
    return Pairing(number=shown.number, round=of_round, players=shown.players, games=games)


def _finished(game: wire.TournamentGame, record: GameRecord) -> Finished:
    assert record.result is not None
    reason = _reason(record.result.reason)
    result = GameResult(winner=record.result.winner, reason=reason)
    return Finished(
        game=game.number,
        game_id=game.game_id or "",
        result=result,
        plies=len(record.turns),
        fingerprint="",
    )


def _reason(of_record: str) -> Reason:
    """Return the tournament's reason. Raises ImpossibleEvent if its games cannot end for it."""
    known: tuple[Reason, ...] = get_args(Reason)
    for reason in known:
        if OTHER_NAMES.get(of_record, of_record) == reason:
            return reason
    raise ImpossibleEvent(f"a game ended by {of_record}")


def _games_by_points(tournament: Tournament) -> defaultdict[str, Counter[float]]:
    found: defaultdict[str, Counter[float]] = defaultdict(Counter)
    for game in tournament.played.values():
        for seat, name in enumerate(game.scheduled.seats, start=1):
            found[name][game.result.points(seat)] += 1
    return found


def _row(row: Standing, games: Counter[float]) -> tuple[object, ...]:
    counts = (row.games, games[1.0], games[0.5], games[0.0])
    return row.rank, row.name, row.points, row.game_points, counts, row.tie_breaks


def _shown(row: wire.TournamentStanding) -> tuple[object, ...]:
    counts = (row.played, row.wins, row.draws, row.losses)
    return row.rank, row.player, row.points, row.game_points, counts, row.tie_breaks
