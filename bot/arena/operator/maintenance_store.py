"""Maintenance of the arena: whether it is planned, since when, why, and which games still run.

The plan is one row of `facts`, written in the transaction of the operator's order, so that it
survives a restart and each process of the arena notices it.
"""

from dataclasses import dataclass
from typing import Final

import orjson
from pydantic import ValidationError

from bot import wire
from bot.arena.store import facts
from bot.arena.store.connection import Connection

FACT: Final = "maintenance"
SLOW: Final = frozenset({"correspondence", "none"})
"""Kinds of clocks of games that no command waits for."""

_RUNNING: Final = "SELECT setup FROM games WHERE running"


@dataclass(frozen=True)
class GamesLeft:
    """Games that run: those with a clock for one sitting, and the others, which take days."""

    live: int
    slow: int


def planned(connection: Connection) -> wire.Maintenance | None:
    """The maintenance that is planned or under way."""
    found = facts.find(connection, FACT)
    if found is None:
        return None
    try:
        return wire.Maintenance.model_validate_json(found)
    except ValidationError:  # of a later version, whose operator ends it there
        return None


def plan(connection: Connection, maintenance: wire.Maintenance) -> None:
    """Plan it within the transaction that is open; it replaces an earlier plan."""
    facts.put(connection, FACT, maintenance.model_dump_json())


def end(connection: Connection) -> bool:
    """End it within the transaction that is open; returns whether there was one."""
    return facts.remove(connection, FACT)


def games_left(connection: Connection) -> GamesLeft:
    """Count the games that run, in all processes of the arena."""
    setups = [orjson.loads(row["setup"]) for row in connection.execute(_RUNNING).fetchall()]
    live = sum(setup["clock"]["kind"] not in SLOW for setup in setups)
    return GamesLeft(live, len(setups) - live)
