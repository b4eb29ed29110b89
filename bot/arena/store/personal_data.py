"""What a set of tables has about one person: exported on request, and erased."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bot.arena.store.connection import Connection


class Exported(NamedTuple):
    """A part of a person's export: its name, its columns, and where they come from.

    `source` is what follows FROM; `:account` in it is the id of the account.
    """

    part: str
    columns: str
    source: str


class RedactedGame(NamedTuple):
    """A finished game of a person whose account is erased; `former` is the name in this game."""

    game_id: str
    seat: int
    account: str
    former: str
    neutral: str


@dataclass(frozen=True)
class PersonalData:
    """What tables have about a person.

    The rows of an `account` in the tables `erased` are deleted with it, and `forget` does what more
    is needed in the same transaction. `redact` gets the id of the account and its neutral name, and
    writes that name into what others still need. `redact_game` does so in what belongs to a
    finished game. Repeating them changes nothing. A guest with an `account` in one of the tables
    `needed` is not forgotten.
    """

    exported: Sequence[Exported] = ()
    erased: Sequence[str] = ()
    needed: Sequence[str] = ()
    forget: Callable[[Connection, str], None] | None = None
    redact: Callable[[Connection, str, str], None] | None = None
    redact_game: Callable[[Connection, RedactedGame], None] | None = None
