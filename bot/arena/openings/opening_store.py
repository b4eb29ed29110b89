"""The table of openings: which turns were played in which positions, and with which results."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bot import wire
from bot.arena.openings.opening_tables import make_all_due
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database


@dataclass(frozen=True)
class DueGame:
    """A finished game that is not counted yet. `turns` are its first ones.

    `setup` is None if the game cannot be read.
    """

    game_id: str
    setup: wire.GameSetup | None
    turns: tuple[str, ...]
    winner: int | None
    ended_at: str


@dataclass(frozen=True)
class OpeningTurn:
    """A turn in canonical form, with the results of the games in which it was played.

    `latest` is the id of the latest one.
    """

    turn: str
    wins: tuple[int, int]
    draws: int
    latest: str

    @property
    def games(self) -> int:
        return sum(self.wins) + self.draws


@dataclass(frozen=True)
class CountedGame:
    """A game with the keys of its first positions, and the turn in canonical form in each."""

    game: DueGame
    steps: tuple[tuple[str, str], ...]


class OpeningStore:
    """Counts games in the table of openings, each exactly once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def due(self, most_turns: int, limit: int, after: str = "") -> list[DueGame]:
        """Games that are not counted yet, in the order of their ids, from the id `after` on."""

        def query(connection: Connection) -> list[DueGame]:
            rows = connection.execute(_DUE, (after, limit)).fetchall()
            return [_due(connection, row, most_turns) for row in rows]

        return await self._database.read(query)

    async def count(self, games: Sequence[CountedGame]) -> None:
        """Add games to the table. One that another process has counted meanwhile is left out."""

        def work(connection: Connection) -> None:
            ours = [each for each in games if _claim(connection, each.game.game_id)]
            # In one order, so that two processes cannot wait for each other.
            connection.executemany(_ADD, sorted(_rows(ours)))

        await self._database.write(work)

    async def turns(self, position: str, *, rated: bool | None = None) -> list[OpeningTurn]:
        """The turns that were played in the position of that key, most played first.

        `rated`: only in rated games, or only in unrated ones.
        """
        rows = await self._database.read(
            lambda connection: connection.execute(_TURNS, (position,)).fetchall()
        )
        chosen = [row for row in rows if rated is None or bool(row["rated"]) == rated]
        return sorted(_together(chosen), key=lambda each: (-each.games, each.turn))

    async def start_again(self) -> None:
        """Empty the table, so that all finished games are due."""

        def work(connection: Connection) -> None:
            connection.execute("DELETE FROM openings")
            connection.execute("DELETE FROM openings_due")
            make_all_due(connection)

        await self._database.write(work)

    async def how_many_due(self) -> int:
        """How many games are not counted yet."""
        row = await self._database.read(lambda connection: connection.execute(_COUNT).fetchone())
        return int(row["due"])


# ---- statements ------------------------------------------------------------------------------

_DUE: Final = """
SELECT id, setup, result, ended_at FROM openings_due JOIN games ON games.id = game_id
WHERE game_id > ? ORDER BY game_id LIMIT ?"""
_TURNS_OF: Final = "SELECT played FROM turns WHERE game_id = ? AND ply < ? ORDER BY ply"
_CLAIM: Final = "DELETE FROM openings_due WHERE game_id = ?"
_ADD: Final = """
INSERT INTO openings (position, turn, rated, wins_1, wins_2, draws, latest)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (position, turn, rated) DO UPDATE SET
    wins_1 = openings.wins_1 + excluded.wins_1,
    wins_2 = openings.wins_2 + excluded.wins_2,
    draws = openings.draws + excluded.draws,
    latest = CASE WHEN excluded.latest > openings.latest THEN excluded.latest
        ELSE openings.latest END"""
_TURNS: Final = """
SELECT turn, rated, wins_1, wins_2, draws, latest FROM openings WHERE position = ?"""
_COUNT: Final = "SELECT count(*) AS due FROM openings_due"


def _claim(connection: Connection, game_id: str) -> bool:
    """Return whether the game was still due; it is not due any more."""
    return connection.execute(_CLAIM, (game_id,)).rowcount == 1


def _due(connection: Connection, row: Row, most_turns: int) -> DueGame:
    game_id, ended_at = row["id"], row["ended_at"]
    turns = connection.execute(_TURNS_OF, (game_id, most_turns)).fetchall()
    try:
        played = [wire.PlayedTurn.model_validate_json(each["played"]).turn for each in turns]
        result = wire.Result.model_validate_json(row["result"])
        setup = wire.GameSetup.model_validate_json(row["setup"])
    except ValueError:  # pydantic's ValidationError too
        return DueGame(game_id, None, (), None, ended_at)
    return DueGame(game_id, setup, tuple(played), result.winner, ended_at)


Counts = tuple[int, int, int]
"""Wins of the first player, wins of the second one, and draws."""


def _rows(games: Iterable[CountedGame]) -> list[tuple[object, ...]]:
    """The rows for these games, one for each turn in a position."""
    counts: dict[tuple[str, str, bool], Counter[int]] = {}
    latest: dict[tuple[str, str, bool], str] = {}
    for each in games:
        game = each.game
        for position, turn in each.steps:
            key = (position, turn, game.setup is not None and game.setup.rated)
            counts.setdefault(key, Counter())[game.winner or 0] += 1
            latest[key] = max(latest.get(key, ""), f"{game.ended_at} {game.game_id}")
    return [(*key, found[1], found[2], found[0], latest[key]) for key, found in counts.items()]


def _together(rows: Sequence[Row]) -> list[OpeningTurn]:
    """The turns of these rows; those of rated and unrated games are added."""
    found: dict[str, OpeningTurn] = {}
    for row in sorted(rows, key=lambda row: row["latest"]):
        turn, game_id = row["turn"], row["latest"].partition(" ")[2]
        known = found.get(turn, OpeningTurn(turn, (0, 0), 0, game_id))
        one, two = known.wins
        wins = (one + row["wins_1"], two + row["wins_2"])
        found[turn] = OpeningTurn(turn, wins, known.draws + row["draws"], game_id)
    return list(found.values())
