"""Answers to puzzles in the database, and the ratings of puzzles and solvers."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from bot import wire
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database, as_text
from bot.tournaments.glicko2 import PERIODS_PER_DAY, Rating, after_game

DAY_S: Final = 86_400
PUZZLE_DEVIATION: Final = 150.0
"""Of a puzzle's first rating, which its generator has estimated."""
NEW_SOLVER: Final = Rating(1200.0, 200.0)
"""Puzzles for beginners have about this rating. With the usual deviation of 350, the first wrong
answer would cost 380 points."""

_PUZZLES: Final = "SELECT * FROM puzzle_ratings WHERE puzzle IN ({marks})"
_PUZZLE: Final = "SELECT * FROM puzzle_ratings WHERE puzzle = ?"
_SOLVER: Final = "SELECT * FROM puzzle_solvers WHERE account = ? AND game = ?"
_DAYS: Final = "SELECT * FROM puzzle_days WHERE account = ?"
_ANSWERED: Final = "SELECT puzzle, solved FROM puzzle_answers WHERE account = ?"
_ANSWER: Final = """
INSERT INTO puzzle_answers (account, puzzle, solved, answered_at) VALUES (?, ?, ?, ?)
ON CONFLICT (account, puzzle) DO NOTHING"""
_PUT_PUZZLE: Final = """
INSERT INTO puzzle_ratings (puzzle, rating, deviation, volatility, tried, rated_at)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (puzzle) DO UPDATE SET rating = excluded.rating, deviation = excluded.deviation,
    volatility = excluded.volatility, tried = excluded.tried, rated_at = excluded.rated_at"""
_PUT_SOLVER: Final = """
INSERT INTO puzzle_solvers (account, game, rating, deviation, volatility, tried, solved, rated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (account, game) DO UPDATE SET rating = excluded.rating,
    deviation = excluded.deviation, volatility = excluded.volatility, tried = excluded.tried,
    solved = excluded.solved, rated_at = excluded.rated_at"""
_PUT_DAY: Final = """
INSERT INTO puzzle_days (account, last_day, streak) VALUES (?, ?, ?)
ON CONFLICT (account) DO UPDATE SET last_day = excluded.last_day, streak = excluded.streak"""


@dataclass(frozen=True)
class Rated:
    """The rating of a puzzle or of a solver; `counted` answers made it."""

    rating: Rating
    counted: int = 0
    solved: int = 0
    at: datetime | None = None

    def periods(self, now: datetime) -> float:
        """How many rating periods have passed since the last answer."""
        passed = timedelta() if self.at is None else now - self.at
        return max(0.0, passed / timedelta(seconds=DAY_S)) * PERIODS_PER_DAY


@dataclass(frozen=True)
class SolverProgress:
    """What a player has done: their rating in a game, their answers in all games, their days."""

    solver: Rated
    answers: dict[str, bool]
    streak: int
    solved_today: bool


@dataclass(frozen=True)
class CountedAnswer:
    """An answer that was stored; `change` is that of the rating, None if it did not count."""

    progress: SolverProgress
    change: float | None


class PuzzleStore:
    """Reads and writes answers. The first answer of a player to a puzzle is final."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ratings(self, puzzles: Collection[str]) -> dict[str, Rated]:
        """The ratings of those puzzles that have been answered."""
        if not puzzles:
            return {}
        statement = _PUZZLES.format(marks=", ".join("?" * len(puzzles)))
        rows = await self._database.read(
            lambda connection: connection.execute(statement, list(puzzles)).fetchall()
        )
        return {row["puzzle"]: _rated(row) for row in rows}

    async def progress(self, account: str, game: str, today: date) -> SolverProgress:
        """What a player has done up to that day."""
        return await self._database.read(
            lambda connection: _progress(connection, account, game, today)
        )

    async def answer(
        self, player: wire.Player, puzzle: str, game: str, first: int, solved: bool, now: datetime
    ) -> CountedAnswer:
        """Store an answer. `first` is the puzzle's rating before any answer.

        A puzzle's rating changes only by players with an account: guests are made at will.
        """
        account = player.id
        assert account is not None
        today, before = now.astimezone(UTC).date(), None

        def work(connection: Connection) -> CountedAnswer:
            nonlocal before  # the work may be repeated after a commit whose answer was lost
            row = (account, puzzle, solved, as_text(now))
            is_new = connection.execute(_ANSWER, row).rowcount == 1
            if is_new:
                before = _solver(connection, account, game).rating.rating
                _rate(connection, player, puzzle, game, first, solved, now)
            if solved:
                _note_day(connection, account, today)
            progress = _progress(connection, account, game, today)
            change = None if before is None else progress.solver.rating.rating - before
            return CountedAnswer(progress, change)

        return await self._database.write(work)


def _rate(
    connection: Connection,
    player: wire.Player,
    puzzle: str,
    game: str,
    first: int,
    solved: bool,
    now: datetime,
) -> None:
    account = str(player.id)
    solver = _solver(connection, account, game)
    row = connection.execute(_PUZZLE, (puzzle,)).fetchone()
    known = Rated(Rating(float(first), PUZZLE_DEVIATION)) if row is None else _rated(row)
    new, of_puzzle = after_game(
        solver.rating, known.rating, float(solved), (solver.periods(now), known.periods(now))
    )
    at = as_text(now)
    counts = (solver.counted + 1, solver.solved + int(solved))
    values = (new.rating, new.deviation, new.volatility, *counts, at)
    connection.execute(_PUT_SOLVER, (account, game, *values))
    if player.registered:
        found = (of_puzzle.rating, of_puzzle.deviation, of_puzzle.volatility)
        connection.execute(_PUT_PUZZLE, (puzzle, *found, known.counted + 1, at))


def _note_day(connection: Connection, account: str, today: date) -> None:
    row = connection.execute(_DAYS, (account,)).fetchone()
    last = None if row is None else date.fromisoformat(row["last_day"])
    if last != today:
        streak = row["streak"] + 1 if last == today - timedelta(days=1) else 1
        connection.execute(_PUT_DAY, (account, today.isoformat(), streak))


def _progress(connection: Connection, account: str, game: str, today: date) -> SolverProgress:
    answers = connection.execute(_ANSWERED, (account,)).fetchall()
    day = connection.execute(_DAYS, (account,)).fetchone()
    last = None if day is None else date.fromisoformat(day["last_day"])
    holds = last is not None and today - last <= timedelta(days=1)
    return SolverProgress(
        _solver(connection, account, game),
        {row["puzzle"]: bool(row["solved"]) for row in answers},
        day["streak"] if holds else 0,
        last == today,
    )


def _solver(connection: Connection, account: str, game: str) -> Rated:
    row = connection.execute(_SOLVER, (account, game)).fetchone()
    return Rated(NEW_SOLVER) if row is None else _rated(row, row["solved"])


def _rated(row: Row, solved: int = 0) -> Rated:
    rating = Rating(row["rating"], row["deviation"], row["volatility"])
    return Rated(rating, row["tried"], solved, datetime.fromisoformat(row["rated_at"]))
