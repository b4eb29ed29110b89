"""The tables of the lobby: players who ignore others, and open challenges."""

from typing import Final

from bot.arena.store.connection import Connection
from bot.arena.store.personal_data import Exported, PersonalData
from bot.arena.store.tables import Tables, script_of

# ignores: the player of `account` accepts no challenges and no chat from the player `ignored`.
# challenges: the open ones (`bot.arena.lobby.challenge`) of an arena with several processes.
SCRIPT: Final = """
CREATE TABLE ignores (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ignored TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    since TEXT NOT NULL,
    PRIMARY KEY (account, ignored)
) WITHOUT ROWID;
CREATE INDEX ignores_ignored ON ignores (ignored);
CREATE TABLE challenges (id TEXT PRIMARY KEY, challenge TEXT NOT NULL) WITHOUT ROWID;
"""

_FORGET_IGNORED: Final = "DELETE FROM ignores WHERE ignored = ?"


def _forget_who_is_ignored(connection: Connection, account: str) -> None:
    connection.execute(_FORGET_IGNORED, (account,))


TABLES: Final = Tables(
    "lobby",
    SCRIPT,
    after=("players",),
    steps={
        6: lambda connection, dialect: dialect.run(connection, script_of(SCRIPT, "challenges")),
        8: lambda connection, dialect: dialect.run(connection, script_of(SCRIPT, "ignores")),
    },
    personal=PersonalData(
        exported=[
            Exported(
                "ignored_players",
                "name since",
                """ignores JOIN accounts ON accounts.id = ignores.ignored
                WHERE account = :account ORDER BY since""",
            ),
        ],
        erased=["ignores"],
        forget=_forget_who_is_ignored,
    ),
)
