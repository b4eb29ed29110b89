"""The tables of the arena's SQLite file, and the way to them from those of earlier versions.

Every statement of the arena keeps to SQL that PostgreSQL speaks as well (`ON CONFLICT`, no
row ids), but for the `PRAGMA`s of `bot.arena.store.database`.
"""

import secrets
import sqlite3
import string
from typing import Final

import structlog

from bot.arena.model.names import skeleton

VERSION: Final = 4
COLUMNS: Final = {
    "accounts": "id name skeleton kind secret_hash engine origin created_at seen_at",
    "former_names": "skeleton account name until",
    "games": (
        "id setup players player_1 player_2 running revision plies draw_offer banked_ms "
        "thinking_since result created_at ended_at record tournament place"
    ),
    "turns": "game_id ply played revision thinking_since",
    "facts": "name value",
    "hosts": "account since",
    "tournaments": "id host settings state summary created_at changed_at",
    "tournament_entrants": "tournament account number player",
    "tournament_events": "tournament number event at",
}
"""The columns of each table, in order."""

ID_LETTERS: Final = string.ascii_letters + string.digits

log = structlog.get_logger()

# secret_hash: the SHA-256 of a bot's token or a guest's key: 256 random bits need no slow hash.
# origin: a keyed hash of the address from which a person took their name.
_ACCOUNTS: Final = """
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    skeleton TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    secret_hash TEXT UNIQUE,
    engine TEXT,
    origin TEXT,
    created_at TEXT NOT NULL,
    seen_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX accounts_origin ON accounts (origin);
CREATE TABLE former_names (
    skeleton TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    until TEXT NOT NULL
) WITHOUT ROWID;
"""

# thinking_since: when the player to move began to think, on the arena's own clock (seconds that
# the arena has run, `bot.arena.service.arena_clock`). A turn is one row and nothing else: what
# changes with each of them stands there, and the game's own row is as it was after `plies` turns.
_GAMES: Final = """
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    setup TEXT NOT NULL,
    players TEXT NOT NULL,
    player_1 TEXT NOT NULL REFERENCES accounts (id),
    player_2 TEXT NOT NULL REFERENCES accounts (id),
    running INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    draw_offer INTEGER,
    banked_ms INTEGER NOT NULL,
    thinking_since REAL,
    result TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT,
    record TEXT,
    tournament TEXT,
    place TEXT
);
"""
_TURNS: Final = """
CREATE TABLE turns (
    game_id TEXT NOT NULL REFERENCES games (id),
    ply INTEGER NOT NULL,
    played TEXT NOT NULL,
    revision INTEGER,
    thinking_since REAL,
    PRIMARY KEY (game_id, ply)
) WITHOUT ROWID;
"""
_FACTS: Final = "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
# host: who may make tournaments. player: as the entrant was when they entered. A tournament's
# events (`bot.tournaments.events`) are numbered from 0, `began` is the first: while there is none,
# it is open for entrants. Of its games the place says which of them each is.
_TOURNAMENTS: Final = """
CREATE TABLE hosts (
    account TEXT PRIMARY KEY REFERENCES accounts (id),
    since TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE tournaments (
    id TEXT PRIMARY KEY,
    host TEXT NOT NULL REFERENCES accounts (id),
    settings TEXT NOT NULL,
    state TEXT NOT NULL,
    summary TEXT,
    created_at TEXT NOT NULL,
    changed_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE tournament_entrants (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    account TEXT NOT NULL REFERENCES accounts (id),
    number INTEGER NOT NULL,
    player TEXT NOT NULL,
    PRIMARY KEY (tournament, account)
) WITHOUT ROWID;
CREATE TABLE tournament_events (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (tournament, number)
) WITHOUT ROWID;
CREATE INDEX games_tournament ON games (tournament) WHERE tournament IS NOT NULL;
CREATE INDEX tournaments_created ON tournaments (created_at);
"""
_GAMES_OF_2: Final = """
ALTER TABLE games ADD COLUMN tournament TEXT;
ALTER TABLE games ADD COLUMN place TEXT
"""
_INDEXES: Final = """
CREATE INDEX games_running ON games (running) WHERE running;
CREATE INDEX games_ended ON games (ended_at);
CREATE INDEX games_player_1 ON games (player_1, ended_at);
CREATE INDEX games_player_2 ON games (player_2, ended_at);
"""
_INDEXES_OF_3: Final = """
DROP INDEX games_player_1;
DROP INDEX games_player_2;
CREATE INDEX games_player_1 ON games (player_1, ended_at);
CREATE INDEX games_player_2 ON games (player_2, ended_at);
"""


def new_id() -> str:
    """A name for an account, a game or a challenge that nobody can guess or meet twice."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(12))


def create(connection: sqlite3.Connection) -> None:
    """Make all tables, within the transaction that is open."""
    _run(connection, _ACCOUNTS + _GAMES + _TURNS + _FACTS + _INDEXES + _TOURNAMENTS)


def missing(connection: sqlite3.Connection) -> list[str]:
    """The columns, as `table.column`, that the file lacks."""
    lacking = []
    for table, columns in COLUMNS.items():
        present = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        lacking += [f"{table}.{name}" for name in columns.split() if name not in present]
    return lacking


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring the tables of an earlier version to this one, within the transaction that is open.

    Foreign keys must not be enforced meanwhile.
    """
    if version == 1:
        _from_1(connection)
    else:
        if version == 2:
            _run(connection, _GAMES_OF_2)
        _run(connection, _INDEXES_OF_3)
    if version < 3:
        _run(connection, _TOURNAMENTS)


def _run(connection: sqlite3.Connection, script: str) -> None:
    """`executescript` would commit what went before."""
    for statement in script.split(";"):
        if statement.strip():
            connection.execute(statement)


_MOVE_ASIDE: Final = """
ALTER TABLE accounts RENAME TO accounts_1;
ALTER TABLE games RENAME TO games_1;
ALTER TABLE turns RENAME TO turns_1;
ALTER TABLE facts RENAME TO facts_1;
DROP INDEX games_running;
DROP INDEX games_ended
"""

_ACCOUNTS_OF_1: Final = """
SELECT name, kind, secret_hash, engine, created_at, seen_at FROM accounts_1 ORDER BY created_at"""
# Nothing enforced that a game's players have accounts.
_WITHOUT_ACCOUNT: Final = """
SELECT name, 'guest', NULL, NULL, min(created_at), max(created_at) FROM (
    SELECT player_1 AS name, created_at FROM games_1
    UNION ALL
    SELECT player_2, created_at FROM games_1)
WHERE name NOT IN (SELECT name FROM accounts_1) GROUP BY name"""

# Version 1 noted the wall's time: what the player to move had thought until the last sign of
# life is banked once and for all. Damaged JSON stays as it is: it costs its own game alone.
_COPY_FROM_1: Final = """
INSERT INTO games
SELECT g.id, g.setup,
    CASE WHEN json_valid(g.players)
        THEN json_set(g.players, '$[0].id', one.id, '$[1].id', two.id) ELSE g.players END,
    one.id, two.id,
    g.running, g.revision, g.plies, g.draw_offer,
    g.banked_ms + coalesce(max(0, round((julianday(alive.value) - julianday(g.thinking_since))
        * 86400000)), 0),
    NULL, g.result, g.created_at, g.ended_at,
    CASE WHEN json_valid(g.record)
        THEN json_set(g.record, '$.players[0].user_id', one.id, '$.players[1].user_id', two.id)
        ELSE g.record END,
    NULL, NULL
FROM games_1 g JOIN accounts one ON one.name = g.player_1 JOIN accounts two ON two.name = g.player_2
    LEFT JOIN facts_1 alive ON alive.name = 'alive_at';
INSERT INTO turns SELECT game_id, ply, played, NULL, NULL FROM turns_1;
DROP TABLE turns_1;
DROP TABLE games_1;
DROP TABLE accounts_1;
DROP TABLE facts_1
"""


def _from_1(connection: sqlite3.Connection) -> None:
    """Version 1 knew players by their names, which were unique but for capitals."""
    _run(connection, _MOVE_ASIDE)
    _run(connection, _ACCOUNTS + _GAMES + _TURNS + _FACTS)
    rows = connection.execute(_ACCOUNTS_OF_1).fetchall()
    lacking = connection.execute(_WITHOUT_ACCOUNT).fetchall()
    if lacking:
        log.warning("accounts_made_for_games", names=[row[0] for row in lacking])
    taken: set[str] = set()
    for name, kind, secret_hash, engine, created_at, seen_at in [*rows, *lacking]:
        key, looks_like = new_id(), skeleton(name)
        if looks_like in taken:
            looks_like += f"#{key}"  # two who look alike, from when that was allowed, keep theirs
        taken.add(looks_like)
        connection.execute(
            "INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?)",
            (key, name, looks_like, kind, secret_hash, engine, created_at, seen_at),
        )
    _run(connection, _COPY_FROM_1)
    _run(connection, _INDEXES)
