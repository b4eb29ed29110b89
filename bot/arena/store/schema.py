"""The tables of the arena, and the steps that bring older tables up to date.

The tables are described once, with the types of PostgreSQL; a `Dialect` replaces what one system
calls otherwise. The statements of the arena keep to SQL that SQLite and PostgreSQL accept
(`ON CONFLICT`, no row ids, an alias for each subquery after `FROM`).
"""

import re
import secrets
import string
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

from bot.arena.store.connection import Connection
from bot.errors import DataError

VERSION: Final = 6
"""The number of today's tables: `PRAGMA user_version` of a file, and the row of
`schema_version` in PostgreSQL."""


@dataclass(frozen=True)
class Dialect:
    """The words of a database system for some words of the tables' description."""

    words: Mapping[str, str]

    def spelled(self, script: str) -> str:
        pattern = "|".join(rf"\b{re.escape(word)}\b" for word in self.words)
        return re.sub(pattern, lambda found: self.words[found[0]], script)


SQLITE: Final = Dialect({"BIGINT": "INTEGER", "BOOLEAN": "INTEGER", "DOUBLE PRECISION": "REAL"})
# The order of texts must not depend on the locale of the server: moments are compared as texts.
POSTGRES: Final = Dialect({"TEXT": 'TEXT COLLATE "C"', "WITHOUT ROWID": ""})

COLUMNS: Final = {
    "accounts": "id name skeleton kind secret_hash engine origin created_at seen_at",
    "former_names": "skeleton account name until",
    "games": (
        "id setup players player_1 player_2 running revision plies draw_offer banked_ms "
        "thinking_since result created_at ended_at record tournament place owner epoch"
    ),
    "turns": "game_id ply played revision thinking_since",
    "facts": "name value",
    "hosts": "account since",
    "tournaments": "id host settings state summary created_at changed_at",
    "tournament_entrants": "tournament account number player",
    "tournament_events": "tournament number event at",
    "tokens": "id account secret_hash created_at used_at ends_at",
    "blocks": "id account network until reason created_at",
    "closed_names": "skeleton name since",
    "orders": "id at action subject detail reason who done_at ok outcome",
    "processes": ("id address pid version lease_until clock_s presence_revision started_at ended"),
    "duties": "name owner epoch",
    "presence": "process name player",
    "challenges": "id challenge",
}
"""The columns of each table, in order."""

ID_LETTERS: Final = string.ascii_letters + string.digits

# secret_hash: the SHA-256 of a person's key; bots have tokens. Keys have 256 random bits, so that a
# slow hash is unnecessary.
# origin: a keyed hash of the address from which a person chose a name.
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

# thinking_since: when the player to move started to think, in seconds of the arena's own clock
# (`bot.arena.service.arena_clock`). A turn inserts one row and changes no other: its row has the
# revision and the time, and the row of the game describes the game as it was after `plies` turns.
# owner: the process that plays the game, of an arena with several; its clock is the one of
# `thinking_since`. epoch: how often the game changed its owner; see `bot.arena.store.fences`.
_GAMES: Final = """
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    setup TEXT NOT NULL,
    players TEXT NOT NULL,
    player_1 TEXT NOT NULL REFERENCES accounts (id),
    player_2 TEXT NOT NULL REFERENCES accounts (id),
    running BOOLEAN NOT NULL,
    revision BIGINT NOT NULL,
    plies BIGINT NOT NULL,
    draw_offer BIGINT,
    banked_ms BIGINT NOT NULL,
    thinking_since DOUBLE PRECISION,
    result TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT,
    record TEXT,
    tournament TEXT,
    place TEXT,
    owner TEXT,
    epoch BIGINT NOT NULL DEFAULT 0
);
"""
_TURNS: Final = """
CREATE TABLE turns (
    game_id TEXT NOT NULL REFERENCES games (id),
    ply BIGINT NOT NULL,
    played TEXT NOT NULL,
    revision BIGINT,
    thinking_since DOUBLE PRECISION,
    PRIMARY KEY (game_id, ply)
) WITHOUT ROWID;
"""
_FACTS: Final = "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
# hosts: the accounts that may create tournaments. tournament_entrants.player: the entrant's
# `wire.Player` at the time of entry. tournament_events: the events (`bot.tournaments.events`) of a
# tournament, numbered from 0. The first is `began`; without it the tournament still takes entrants.
# games.place: which game of the tournament it is (`wire.TournamentPlace`).
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
    number BIGINT NOT NULL,
    player TEXT NOT NULL,
    PRIMARY KEY (tournament, account)
) WITHOUT ROWID;
CREATE TABLE tournament_events (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    number BIGINT NOT NULL,
    event TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (tournament, number)
) WITHOUT ROWID;
CREATE INDEX games_tournament ON games (tournament) WHERE tournament IS NOT NULL;
CREATE INDEX tournaments_created ON tournaments (created_at);
"""
# tokens: the secrets of bots, several for each; one that ended is kept so that its open connections
# can be found. blocks: either an account or a network in CIDR notation. closed_names: names that
# nobody may have. orders: what the operator did, and what the arena must still do (`done_at` is
# NULL); see `bot.arena.store.orders`.
_MODERATION: Final = """
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    secret_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    used_at TEXT,
    ends_at TEXT
) WITHOUT ROWID;
CREATE INDEX tokens_account ON tokens (account);
CREATE TABLE blocks (
    id TEXT PRIMARY KEY,
    account TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    network TEXT,
    until TEXT,
    reason TEXT NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE closed_names (
    skeleton TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    since TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT,
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    done_at TEXT,
    ok BIGINT,
    outcome TEXT
) WITHOUT ROWID;
CREATE INDEX orders_pending ON orders (at) WHERE done_at IS NULL;
"""
# processes: those of an arena with several. lease_until: in seconds since 1970 of the database's
# clock. clock_s: the process's own arena clock at its last renewal. duties: what only one process
# does, and which one; epoch: how often that changed. presence: who is connected to which process;
# player: a `wire.Player`. challenges: the open ones (`bot.arena.model.challenge`).
_PROCESSES: Final = """
CREATE TABLE processes (
    id TEXT PRIMARY KEY,
    address TEXT,
    pid BIGINT,
    version TEXT,
    lease_until DOUBLE PRECISION NOT NULL,
    clock_s DOUBLE PRECISION NOT NULL,
    presence_revision BIGINT NOT NULL,
    started_at TEXT,
    ended BOOLEAN NOT NULL
) WITHOUT ROWID;
CREATE TABLE duties (
    name TEXT PRIMARY KEY,
    owner TEXT,
    epoch BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE presence (
    process TEXT NOT NULL REFERENCES processes (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    player TEXT NOT NULL,
    PRIMARY KEY (process, name)
) WITHOUT ROWID;
CREATE TABLE challenges (id TEXT PRIMARY KEY, challenge TEXT NOT NULL) WITHOUT ROWID;
"""
_INDEXES: Final = """
CREATE INDEX games_running ON games (running) WHERE running;
CREATE INDEX games_ended ON games (ended_at);
CREATE INDEX games_player_1 ON games (player_1, ended_at);
CREATE INDEX games_player_2 ON games (player_2, ended_at);
"""


def new_id() -> str:
    """A random id for an account, a game or a challenge: about 71 bits, so that none repeats."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(12))


def new_short_id() -> str:
    """A random id for a token or a block, short enough to be typed by an operator."""
    return new_id()[:8]


def create(connection: Connection, dialect: Dialect) -> None:
    """Create all tables, within the transaction that is open."""
    games = _ACCOUNTS + _GAMES + _TURNS + _FACTS + _INDEXES
    _run(connection, games + _TOURNAMENTS + _MODERATION + _PROCESSES, dialect)


def missing(present: Mapping[str, Collection[str]]) -> list[str]:
    """The columns that a database lacks, as `table.column`; `present` are those that it has."""
    return [
        f"{table}.{name}"
        for table, columns in COLUMNS.items()
        for name in columns.split()
        if name not in present.get(table, ())
    ]


def check_version(version: int, name: str, place: str = "data folder") -> None:
    """Raises DataError if this program cannot use tables of that version.

    `name` is that of the database, and another `place` may have another one.
    """
    if version > VERSION:
        raise DataError(
            f"{name}: made by a newer version of Bluestone (schema {version}, this version knows "
            f"{VERSION}); update Bluestone, or choose another {place}"
        )
    if is_too_old(version):
        raise DataError(
            f"{name}: made by a version of Bluestone before the first release (schema {version}, "
            f"this version needs {VERSION}), which cannot be brought up to date; "
            f"move the file away to start with an empty database, or choose another {place}"
        )


def is_too_old(version: int) -> bool:
    """Return whether no steps lead from the tables of this version to today's; 0 is an
    empty file.
    """
    return 0 < version < VERSION and any(each not in STEPS for each in range(version, VERSION))


def migrate(connection: Connection, version: int, dialect: Dialect) -> None:
    """Bring the tables of an older version up to date, within the transaction that is open.

    Foreign keys must not be enforced during that time.
    """
    for each in range(version, VERSION):
        STEPS[each](connection, dialect)


def _run(connection: Connection, script: str, dialect: Dialect) -> None:
    """Run several statements; sqlite3's `executescript` would commit the open transaction first."""
    for statement in dialect.spelled(script).split(";"):
        if statement.strip():
            connection.execute(statement)


def _to_5(connection: Connection, dialect: Dialect) -> None:
    """Add the tables of moderation; the secret of each bot becomes its first token."""
    _run(connection, _MODERATION, dialect)
    bots = connection.execute(
        "SELECT id, secret_hash, created_at, seen_at FROM accounts"
        " WHERE kind = 'bot' AND secret_hash IS NOT NULL"
    ).fetchall()
    connection.executemany(
        "INSERT INTO tokens (id, account, secret_hash, created_at, used_at, ends_at)"
        " VALUES (?, ?, ?, ?, ?, NULL)",
        [(new_short_id(), *bot) for bot in bots],
    )
    connection.execute("UPDATE accounts SET secret_hash = NULL WHERE kind = 'bot'")


def _to_6(connection: Connection, dialect: Dialect) -> None:
    """Add the tables of an arena with several processes, and the owners of games."""
    owners = """
    ALTER TABLE games ADD COLUMN owner TEXT;
    ALTER TABLE games ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0"""
    _run(connection, owners + ";" + _PROCESSES, dialect)


STEPS: Final[Mapping[int, Callable[[Connection, Dialect], None]]] = {4: _to_5, 5: _to_6}
"""The change to the next version, by the version that it starts from.

A released version must stay readable: a change of the tables raises `VERSION` and adds a step.
"""
