"""The tables of puzzles."""

from typing import Final

from bot.arena.store.personal_data import Exported, PersonalData
from bot.arena.store.tables import Tables

# puzzle_ratings: the ratings that puzzles have by answers; others have the one of their file.
# puzzle_solvers: how players do at the puzzles of each game. puzzle_answers: the first answer of a
# player to a puzzle, which alone counts. puzzle_days: days in a row with a solved puzzle, in UTC.
SCRIPT: Final = """
CREATE TABLE puzzle_ratings (
    puzzle TEXT PRIMARY KEY,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    tried BIGINT NOT NULL,
    rated_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE puzzle_solvers (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game TEXT NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    tried BIGINT NOT NULL,
    solved BIGINT NOT NULL,
    rated_at TEXT NOT NULL,
    PRIMARY KEY (account, game)
) WITHOUT ROWID;
CREATE TABLE puzzle_answers (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    puzzle TEXT NOT NULL,
    solved BOOLEAN NOT NULL,
    answered_at TEXT NOT NULL,
    PRIMARY KEY (account, puzzle)
) WITHOUT ROWID;
CREATE TABLE puzzle_days (
    account TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    last_day TEXT NOT NULL,
    streak BIGINT NOT NULL
) WITHOUT ROWID;
"""

TABLES: Final = Tables(
    "puzzles",
    SCRIPT,
    after=("players",),
    personal=PersonalData(
        exported=[
            Exported(
                "puzzle_ratings",
                "game rating deviation tried solved rated_at",
                "puzzle_solvers WHERE account = :account",
            ),
            Exported(
                "puzzle_answers",
                "puzzle solved answered_at",
                "puzzle_answers WHERE account = :account ORDER BY answered_at",
            ),
            Exported("puzzle_days", "last_day streak", "puzzle_days WHERE account = :account"),
        ],
        erased=["puzzle_solvers", "puzzle_answers", "puzzle_days"],
    ),
)
