"""The table of conditional turns."""

from typing import Final

from bot.arena.store.tables import Tables

# Conditional turns (`bot.arena.plans.plans`); lines: a JSON list of lists of turns.
SCRIPT: Final = """
CREATE TABLE plans (
    game_id TEXT NOT NULL REFERENCES games (id),
    seat BIGINT NOT NULL,
    ply BIGINT NOT NULL,
    takebacks BIGINT NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY (game_id, seat)
) WITHOUT ROWID;
"""

TABLES: Final = Tables(
    "plans",
    SCRIPT,
    after=("games",),
)
