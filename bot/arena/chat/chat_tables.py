"""The table of chat."""

from typing import Final

from bot.arena.store.connection import Connection
from bot.arena.store.personal_data import Exported, PersonalData, RedactedGame
from bot.arena.store.reports import without_name
from bot.arena.store.tables import Tables

# What the players of a game said to each other; kind: see `bot.wire.chat.ChatLine`.
SCRIPT: Final = """
CREATE TABLE chat (
    id TEXT PRIMARY KEY,
    game_id TEXT NOT NULL REFERENCES games (id),
    seat BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX chat_game ON chat (game_id, at);
"""

_FORGET: Final = "DELETE FROM chat WHERE game_id = ? AND seat = ?"
_TEXTS: Final = "SELECT id, body FROM chat WHERE game_id = ? AND kind = 'text'"
_CHANGE_TEXT: Final = "UPDATE chat SET body = ? WHERE id = ?"


def _redact_game(connection: Connection, game: RedactedGame) -> None:
    """Delete what the person said, and the person's name in what the opponent said."""
    connection.execute(_FORGET, (game.game_id, game.seat))
    if game.former == game.neutral:
        return
    for line in connection.execute(_TEXTS, (game.game_id,)).fetchall():
        body = without_name(line["body"], game.former, game.neutral, in_any_case=True)
        connection.execute(_CHANGE_TEXT, (body, line["id"]))


TABLES: Final = Tables(
    "chat",
    SCRIPT,
    after=("games",),
    personal=PersonalData(
        exported=[
            Exported(
                "chat",
                "game_id kind body at",
                """chat JOIN games ON games.id = game_id
                WHERE (seat = 1 AND player_1 = :account) OR (seat = 2 AND player_2 = :account)
                ORDER BY at""",
            ),
        ],
        redact_game=_redact_game,
    ),
)
