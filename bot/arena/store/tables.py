"""The tables of the arena: each room brings its own by the door `bluestone.tables`.

A set of tables says how they are created, how older ones are brought up to date, and what in them
is about a person. The store knows none of them, so a room can be removed with its tables. A
database that lacks a whole set that is not of the core gets it at the next start.

The scripts use the types of PostgreSQL and SQL that SQLite and PostgreSQL accept (`ON CONFLICT`, no
row ids, an alias for each subquery after `FROM`). A `Dialect` replaces what one system calls
otherwise.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from graphlib import TopologicalSorter
from typing import Final, NamedTuple

from bot import wire
from bot.arena.store.connection import Connection
from bot.arena.store.personal_data import PersonalData
from bot.runtime.doors import Door

_TABLE: Final = re.compile(r"CREATE TABLE (\w+) \((.*?)\)(?: WITHOUT ROWID)?;", re.DOTALL)
_PARTS: Final = re.compile(r",(?![^(]*\))")
_CONSTRAINTS: Final = frozenset({"PRIMARY", "FOREIGN", "UNIQUE", "CHECK"})


@dataclass(frozen=True)
class Dialect:
    """The words of a database system for some words of the tables' description."""

    words: Mapping[str, str]

    def spelled(self, script: str) -> str:
        """Return the script in the words of this system."""
        pattern = "|".join(rf"\b{re.escape(word)}\b" for word in self.words)
        return re.sub(pattern, lambda found: self.words[found[0]], script)

    def run(self, connection: Connection, script: str) -> None:
        """Run several statements in the open transaction; `executescript` would commit it first."""
        for statement in self.spelled(script).split(";"):
            if statement.strip():
                connection.execute(statement)


SQLITE: Final = Dialect({"BIGINT": "INTEGER", "BOOLEAN": "INTEGER", "DOUBLE PRECISION": "REAL"})
# The order of texts must not depend on the locale of the server: moments are compared as texts.
POSTGRES: Final = Dialect({"TEXT": 'TEXT COLLATE "C"', "WITHOUT ROWID": ""})

Step = Callable[[Connection, Dialect], None]


class EndedGame(NamedTuple):
    """A game that ends in a transaction: its players are ids of accounts."""

    game_id: str
    setup: wire.GameSetup
    players: tuple[str, str]
    result: wire.Result
    ended_at: str


@dataclass(frozen=True)
class Tables:
    """The tables of one room.

    `script` creates them as they are today. `after` names the sets to which they refer. `steps`
    bring older tables up to date, by the number of the schema to which a step leads. `fill` is
    called once if the set is added to a database that has games already. `at_end` writes into the
    tables in the transaction that ends a game, before the game's own row says so. Only sets of the
    core (`is_core`) belong to every database.
    """

    name: str
    script: str
    after: Sequence[str] = ()
    is_core: bool = False
    steps: Mapping[int, Step] = field(default_factory=dict)
    fill: Callable[[Connection], None] | None = None
    at_end: Callable[[Connection, EndedGame], None] | None = None
    personal: PersonalData = field(default_factory=PersonalData)

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        """The columns of each table, in order, with their types."""
        return {name: dict(_columns(body)) for name, body in _TABLE.findall(self.script)}


def tables_of(script: str, *tables: str) -> str:
    """Return the statements of a script that create some of its tables, with their indexes."""
    kept = [
        statement
        for statement in script.split(";")
        if any(re.search(rf"(?:TABLE|ON) {table} \(", statement) for table in tables)
    ]
    return ";".join([*kept, ""])


def _columns(body: str) -> Iterator[tuple[str, str]]:
    for part in _PARTS.split(body):
        name, _, kind = part.strip().partition(" ")
        if name not in _CONSTRAINTS:
            yield name, kind


TABLES: Final[Door[Tables]] = Door("bluestone.tables", "set of tables", Tables)


@cache
def all_tables() -> tuple[Tables, ...]:
    """Return the sets of all installed rooms; each comes after those to which it refers."""
    found = {each.name: each for each in TABLES.usable().values()}
    before = {name: sorted(found[name].after) for name in sorted(found)}
    return tuple(found[name] for name in TopologicalSorter(before).static_order())


@cache
def all_columns() -> dict[str, dict[str, str]]:
    """Return the columns of each table of the arena, in order, with their types."""
    return {name: kinds for each in all_tables() for name, kinds in each.columns.items()}


def tables_of_games() -> list[str]:
    """Return the tables whose rows belong to a game; each comes after those to which it refers."""
    return [
        name
        for name, kinds in all_columns().items()
        if "REFERENCES games" in kinds.get("game_id", "")
    ]
