"""The tables of the arena: each room brings its own by the door `bluestone.tables`.

A set of tables says how they are created, how older ones are brought up to date, and what in them
is about a person. The store knows what is in none of them, so a room can be removed with its
tables. A database that lacks a whole set that is not of the core gets it at the next start.

No set is left out in silence: without its tables, a room would lose what it must store when a game
ends. A database without the tables of the core could never be used again.

The scripts use the types of PostgreSQL and SQL that SQLite and PostgreSQL accept (`ON CONFLICT`, no
row ids, an alias for each subquery after `FROM`). A `Dialect` replaces what one system calls
otherwise.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import Final, NamedTuple

from bot import wire
from bot.arena.store.connection import Connection
from bot.arena.store.personal_data import PersonalData
from bot.errors import ConfigurationError
from bot.runtime.doors import Door

CORE: Final = ("store", "players", "games", "lobby")
"""The sets that every database has."""
INSTALL_AGAIN: Final = "install Bluestone again (in a checkout: make install)"

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

Step = Callable[[Connection, Dialect], None]


class EndedGame(NamedTuple):
    """A game that ends in a transaction: its players are ids of accounts."""

    game_id: str
    setup: wire.GameSetup
    players: tuple[str, str]
    result: wire.Result
    ended_at: str


class Restorable(NamedTuple):
    """How many rows an arena restores at its start, and why some cannot be, by their ids."""

    total: int
    damaged: Mapping[str, str]


Role = Callable[[Connection, str, str], None]
"""Gives a role to an account: the transaction, the id of the account, and the time as text."""


@dataclass(frozen=True)
class Tables:
    """The tables of one room.

    `script` creates them as they are today. `after` names the sets to which they refer. `steps`
    bring older tables up to date, by the number of the schema to which a step leads. `fill` is
    called once if the set is added to a database that has games already. `at_end` writes into the
    tables in the transaction that ends a game, before the game's own row says so. `restorable`
    reads what is restored at the start, by its word in the singular; parsing it may take seconds.
    `roles` write what lets an account do more, by names such as `analyst`.
    """

    name: str
    script: str
    after: Sequence[str] = ()
    steps: Mapping[int, Step] = field(default_factory=dict)
    fill: Callable[[Connection], None] | None = None
    at_end: Callable[[Connection, EndedGame], None] | None = None
    restorable: Mapping[str, Callable[[Connection], Restorable]] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    personal: PersonalData = field(default_factory=PersonalData)

    @property
    def is_core(self) -> bool:
        """Whether every database has these tables."""
        return self.name in CORE

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        """The columns of each table, in order, with their types."""
        return {name: dict(_columns(body)) for name, body in _TABLE.findall(self.script)}


def script_of(script: str, *tables: str) -> str:
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
    """Return the sets of all installed rooms; each comes after those to which it refers.

    Raises ConfigurationError if a set cannot be imported, or does not go with the others.
    """
    return in_order(TABLES.every().values())


def find_role(name: str) -> Role | None:
    """Return what gives a role to an account; None if no installed room has that role."""
    return next((each.roles[name] for each in all_tables() if name in each.roles), None)


def in_order(sets: Iterable[Tables]) -> tuple[Tables, ...]:
    """Return sets of tables so that each comes after those to which it refers.

    Raises ConfigurationError, which names the set.
    """
    found: dict[str, Tables] = {}
    owners: dict[str, str] = {}
    for each in sorted(sets, key=lambda each: not each.is_core):  # the others are to blame
        if found.setdefault(each.name, each) is not each:
            raise ConfigurationError(f"two sets of tables have the name {each.name!r}")
        for table in each.columns:
            if (other := owners.setdefault(table, each.name)) != each.name:
                raise ConfigurationError(
                    f"the tables of {each.name!r}: {table!r} is a table of {other!r} already"
                )
    if lacking := [name for name in CORE if name not in found]:
        raise ConfigurationError(
            f"the installed package names no tables of {', '.join(lacking)}: {INSTALL_AGAIN}"
        )
    for each in found.values():
        if unknown := [name for name in each.after if name not in found]:
            raise ConfigurationError(
                f"the tables of {each.name!r} refer to {unknown[0]!r}, which is not installed"
            )
    before = {name: sorted(found[name].after) for name in sorted(found)}
    try:
        return tuple(found[name] for name in TopologicalSorter(before).static_order())
    except CycleError as error:
        circle = ", ".join(error.args[1])
        raise ConfigurationError(f"sets of tables refer to each other: {circle}") from error


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
