"""Games that change their owner, in the database of an arena with several processes.

Each process has an arena clock of its own, and the times of a game are on the clock of its owner.
So a game that changes its owner gets its clock stopped: the time thought about the turn in progress
is stored as a number of milliseconds. It is counted up to the last sign of life of the old owner.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.arena.games import game_rows
from bot.arena.games.game_rows import DamagedGame, StoredGame
from bot.arena.store import facts
from bot.arena.store.connection import Connection, Row
from bot.arena.store.tables import all_columns

SIGN_OF_LIFE: Final = "clock_s"
"""The fact with the clock of an arena that has one process."""


@dataclass(frozen=True)
class Claimed:
    """A game of this process, as stored, and its epoch."""

    game: StoredGame | DamagedGame
    epoch: int


def clocks_of(connection: Connection) -> dict[str | None, float]:
    """The clock of each owner of games at its last sign of life; None is an arena of one process.

    A turn may be newer than the last heartbeat.
    """
    clocks = _heartbeats(connection)
    for owner, latest in connection.execute(_LATEST_TURNS).fetchall():
        clocks[owner] = max(clocks.get(owner, 0.0), latest or 0.0)
    return clocks


def has_owners(connection: Connection) -> bool:
    """Whether a running game has an owner."""
    return connection.execute(_HAS_OWNERS).fetchone() is not None


def release_games(connection: Connection) -> None:
    """Make all running games ownerless, for an arena of one process; no other process may run."""
    take(connection, connection.execute(_OWNED).fetchall(), None)


def take(connection: Connection, rows: Sequence[Row], owner: str | None) -> list[Claimed]:
    """Make `owner` the owner of the games of these rows, which the transaction has locked."""
    if not rows:
        return []
    found = [replace_epoch(each, each.epoch + 1) for each in load(connection, rows)]
    stored = [each.game for each in found if isinstance(each.game, StoredGame)]
    connection.executemany(_TAKE, [(owner, each.epoch, each.game.game_id) for each in found])
    connection.executemany(
        _STOP_CLOCK,
        [
            (
                len(each.turns),
                each.revision,
                each.takeback_offer,
                game_rows.clocks_text(each),
                each.thought_ms,
                each.game_id,
            )
            for each in stored
        ],
    )
    return found


def load(connection: Connection, rows: Sequence[Row]) -> list[Claimed]:
    """The games of these rows, with their turns. Needs PostgreSQL."""
    turns: dict[str, list[Row]] = defaultdict(list)
    for turn in connection.execute(_TURNS, ([row["id"] for row in rows],)).fetchall():
        turns[turn["game_id"]].append(turn)
    clocks = _heartbeats(connection)
    # Not over all games of the owners: a takeover would conflict with every turn meanwhile.
    for row in rows:
        ends = [each["thinking_since"] or 0.0 for each in turns[row["id"]][row["plies"] :]]
        latest = max(row["thinking_since"] or 0.0, *ends, 0.0)
        clocks[row["owner"]] = max(clocks.get(row["owner"], 0.0), latest)
    return [_loaded(row, turns[row["id"]], clocks) for row in rows]


def replace_epoch(claimed: Claimed, epoch: int) -> Claimed:
    """The same game in another epoch."""
    game = claimed.game
    return Claimed(replace(game, epoch=epoch) if isinstance(game, StoredGame) else game, epoch)


def _loaded(row: Row, turns: Sequence[Row], clocks: Mapping[str | None, float]) -> Claimed:
    try:
        game = game_rows.load(row, turns, clocks[row["owner"]])
    except ValueError as error:
        return Claimed(DamagedGame(row["id"], str(error)), row["epoch"])
    return Claimed(game, row["epoch"])


def _heartbeats(connection: Connection) -> dict[str | None, float]:
    alone = float(facts.find(connection, SIGN_OF_LIFE) or 0)
    if "processes" not in all_columns():  # no arena of this installation has several
        return {None: alone}
    clocks = connection.execute("SELECT id, clock_s FROM processes").fetchall()
    return {None: alone} | {row["id"]: row["clock_s"] for row in clocks}


# ---- statements ------------------------------------------------------------------------------

# Turns that the row of the game includes may have times of an earlier owner's clock.
_LATEST_TURNS: Final = """
SELECT owner, max(thinking_since) FROM (
    SELECT owner, thinking_since FROM games WHERE running
    UNION ALL
    SELECT owner, turns.thinking_since FROM turns JOIN games ON games.id = game_id
    WHERE running AND ply >= plies
) AS latest GROUP BY owner"""
_HAS_OWNERS: Final = "SELECT 1 FROM games WHERE running AND owner IS NOT NULL LIMIT 1"
_OWNED: Final = "SELECT * FROM games WHERE running AND owner IS NOT NULL FOR NO KEY UPDATE"
_TURNS: Final = "SELECT * FROM turns WHERE game_id = ANY(?) ORDER BY game_id, ply"
_TAKE: Final = "UPDATE games SET owner = ?, epoch = ? WHERE id = ?"
_STOP_CLOCK: Final = """
UPDATE games SET plies = ?, revision = ?, takeback_offer = ?, clocks = ?, banked_ms = ?,
    thinking_since = NULL WHERE id = ?"""
