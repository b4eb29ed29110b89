"""Fences: a process that was replaced as the owner of a game or of a duty cannot write it any more.

Problem. Several processes share one database. One of them may be stopped for a minute while another
one takes its games over. When it wakes, its writes are on their way, and it does not know yet. A
check before the write comes too early, and one after it too late.

Idea. Each takeover raises the epoch in the row of the game or the duty, and each write names the
owner and the epoch that its process believes in. The statement that writes locks that row and fails
if they differ. The lock lasts until the commit, so that a takeover comes before the write or after
its commit, never between.

- A turn is inserted with the id of its game as a sub-select finds it, and with NULL if that finds
  no row. The column forbids NULL, so that the statement itself fails.
- An update of a game sets the revision, which must not be NULL either, to NULL.
- The writes of a duty are of many kinds, and one of them deletes. A statement before them divides
  by the number of rows that it could lock.

The error concerns one job of a group, so that the writer fails only that one
(`bot.arena.store.writer`), and `Driver.is_fenced` recognises it.

Rejected:

- The number of changed rows: it must be awaited within the group, which costs a round trip for each
  turn.
- A trigger: the rule would be in the database, where no reader of the stores looks for it.
- One lock for all games of a process: each takeover would wait for the process's group of writes.
"""

from functools import lru_cache
from typing import Final

from bot.arena.store.connection import Connection

COLUMNS: Final = frozenset({("turns", "game_id"), ("games", "revision")})
"""The columns, by their tables, that a fence leaves without a value."""
HALL: Final = "hall"
"""The duty of the one process that has challenges, the lobby and the tournaments."""

ON_SAME_PLY: Final = """\
ON CONFLICT (game_id, ply) DO UPDATE SET played = excluded.played,
    revision = excluded.revision, thinking_since = excluded.thinking_since"""
PLAY: Final = f"""
INSERT INTO turns (game_id, ply, played, revision, thinking_since) VALUES (
    (SELECT id FROM games WHERE id = ? AND owner = ? AND epoch = ? FOR NO KEY UPDATE), ?, ?, ?, ?
) {ON_SAME_PLY}"""  # noqa: S608 - constants
"""Insert a turn of a game; the values are the game's id, owner and epoch, and the turn's."""
_HOLD_DUTY: Final = """
SELECT 1 / count(*) FROM (
    SELECT 1 FROM duties WHERE name = ? AND owner = ? AND epoch = ? FOR SHARE
) AS held"""
_REVISION: Final = "revision = :revision"


@lru_cache
def fenced(update: str) -> str:
    """This update of one game, with a fence; it also needs the values `owner` and `epoch`."""
    assert _REVISION in update
    is_ours = "owner = :owner AND epoch = :epoch"
    return update.replace(_REVISION, f"revision = CASE WHEN {is_ours} THEN :revision END")


def hold_hall(connection: Connection, duty: tuple[str, int]) -> None:
    """Let the transaction fail unless that process has the hall in that epoch."""
    connection.execute(_HOLD_DUTY, (HALL, *duty))
