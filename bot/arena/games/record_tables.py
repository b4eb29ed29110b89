"""The tables in which finished games are searched, and the table of openings.

`game_index` has three rows for each finished game: one for each player, and one with an empty
`player` for searches in all games. So each search, for any player, reads one range of
an index. `outcome` is the result for the player of the row; in the row for all games it is the seat
that won.

`openings` has a row for each turn that was played in a position up to symmetry
(`bot.records.symmetry`). `openings_due` has the finished games that are not counted there yet.
"""

from contextlib import suppress
from typing import Final

from bot import wire
from bot.arena.store.connection import Connection

COLUMNS: Final = {
    "game_index": "player ended_at game_id opponent game board rules rated outcome",
    "openings": "position turn rated wins_1 wins_2 draws latest",
    "openings_due": "game_id",
}
"""The columns of each table, in order."""

# openings.latest: the end and the id of the latest game with this turn, with a blank between them.
TABLES: Final = """
CREATE TABLE game_index (
    player TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    game_id TEXT NOT NULL REFERENCES games (id),
    opponent TEXT NOT NULL,
    game TEXT NOT NULL,
    board TEXT NOT NULL,
    rules TEXT NOT NULL,
    rated BOOLEAN NOT NULL,
    outcome TEXT NOT NULL,
    PRIMARY KEY (player, ended_at, game_id)
) WITHOUT ROWID;
CREATE INDEX game_index_opponent ON game_index (player, opponent, ended_at);
CREATE INDEX game_index_game ON game_index (player, game, board, ended_at);
CREATE TABLE openings (
    position TEXT NOT NULL,
    turn TEXT NOT NULL,
    rated BOOLEAN NOT NULL,
    wins_1 BIGINT NOT NULL,
    wins_2 BIGINT NOT NULL,
    draws BIGINT NOT NULL,
    latest TEXT NOT NULL,
    PRIMARY KEY (position, turn, rated)
) WITHOUT ROWID;
CREATE TABLE openings_due (game_id TEXT PRIMARY KEY REFERENCES games (id)) WITHOUT ROWID;
"""

EVERYBODY: Final = ""
"""The `player` of the rows for searches in all games."""
ABORTED: Final = "aborted"
"""The outcome of a game that does not count."""
STEP: Final = 1_000
"""Games that are indexed together when older tables are brought up to date."""

_INSERT: Final = """
INSERT INTO game_index (
    player, ended_at, game_id, opponent, game, board, rules, rated, outcome
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (player, ended_at, game_id) DO NOTHING"""
_DUE: Final = """
INSERT INTO openings_due (game_id) VALUES (?) ON CONFLICT (game_id) DO NOTHING"""
# A repeated end finds a game that does not run, so that the game is not counted twice.
_DUE_IF_RUNNING: Final = """
INSERT INTO openings_due (game_id) SELECT id FROM games WHERE id = ? AND running
ON CONFLICT (game_id) DO NOTHING"""
_FINISHED: Final = """
SELECT id, setup, player_1, player_2, result, ended_at FROM games
WHERE ended_at IS NOT NULL AND id > ? ORDER BY id LIMIT ?"""


def note_end(
    connection: Connection,
    game_id: str,
    setup: wire.GameSetup,
    players: tuple[str, str],
    result: wire.Result,
    ended_at: str,
) -> None:
    """Let searches find a game that ends, and have it counted among the openings.

    `players` are the ids of accounts. The caller marks the game as ended in the same transaction,
    after this.
    """
    connection.executemany(_INSERT, _rows(game_id, setup, players, result, ended_at))
    if result.reason != ABORTED:
        connection.execute(_DUE_IF_RUNNING, (game_id,))


def index_all(connection: Connection) -> None:
    """Make all finished games searchable, within the transaction that is open.

    Games that cannot be read are left out.
    """
    last = ""
    while found := connection.execute(_FINISHED, (last, STEP)).fetchall():
        rows: list[tuple[object, ...]] = []
        due = []
        for game_id, setup, one, two, result, ended_at in found:
            with suppress(ValueError):  # a damaged row; pydantic's ValidationError too
                read = wire.Result.model_validate_json(result)
                what = wire.GameSetup.model_validate_json(setup)
                rows += _rows(game_id, what, (one, two), read, ended_at)
                due += [(game_id,)] if read.reason != ABORTED else []
        connection.executemany(_INSERT, rows)
        connection.executemany(_DUE, due)
        last = found[-1][0]


def _rows(
    game_id: str,
    setup: wire.GameSetup,
    players: tuple[str, str],
    result: wire.Result,
    ended_at: str,
) -> list[tuple[object, ...]]:
    facts = (setup.game, setup.board, setup.rules, setup.rated)
    one, two = players
    first, second, of_all = _outcomes(result)
    return [
        (EVERYBODY, ended_at, game_id, EVERYBODY, *facts, of_all),
        (one, ended_at, game_id, two, *facts, first),
        (two, ended_at, game_id, one, *facts, second),
    ]


def _outcomes(result: wire.Result) -> tuple[str, str, str]:
    """The outcome for each player, and the one for all games."""
    if result.reason == ABORTED:
        return ABORTED, ABORTED, ABORTED
    if result.winner is None:
        return "drawn", "drawn", "drawn"
    return ("won", "lost", "first") if result.winner == 1 else ("lost", "won", "second")
