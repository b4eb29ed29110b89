"""The table in which finished games are searched.

`game_index` has three rows for each finished game: one for each player, and one with an empty
`player` for searches in all games. So each search, for any player, reads one range of
an index. `outcome` is the result for the player of the row; in the row for all games it is the seat
that won.
"""

from contextlib import suppress
from typing import Final

from bot import wire
from bot.arena.store.connection import Connection
from bot.arena.store.tables import EndedGame

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
_FINISHED: Final = """
SELECT id, setup, player_1, player_2, result, ended_at FROM games
WHERE ended_at IS NOT NULL AND id > ? ORDER BY id LIMIT ?"""


def note_end(connection: Connection, game: EndedGame) -> None:
    """Let searches find a game that ends."""
    connection.executemany(_INSERT, _rows(*game))


def note_end_elsewhere(connection: Connection, game: EndedGame) -> None:
    """Let searches in the games of its players find a game that was not played on this arena.

    Lists of all games and the opening book leave it out.
    """
    _of_all, *of_players = _rows(*game)
    connection.executemany(_INSERT, of_players)


def index_all(connection: Connection) -> None:
    """Make all finished games searchable, within the transaction that is open.

    Games that cannot be read are left out.
    """
    last = ""
    while found := connection.execute(_FINISHED, (last, STEP)).fetchall():
        rows: list[tuple[object, ...]] = []
        for game_id, setup, one, two, result, ended_at in found:
            with suppress(ValueError):  # a damaged row; pydantic's ValidationError too
                read = wire.Result.model_validate_json(result)
                what = wire.GameSetup.model_validate_json(setup)
                rows += _rows(game_id, what, (one, two), read, ended_at)
        connection.executemany(_INSERT, rows)
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
