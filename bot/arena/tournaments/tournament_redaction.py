"""The neutral name of an erased account in the tournaments of the person."""

from typing import Final

import orjson

from bot.arena.store.connection import Connection
from bot.arena.store.reports import without_name

NAMING: Final = frozenset({"name", "player", "players", "seats", "bots", "host", "forbidden"})
"""The keys of names in a tournament. All other words, such as `kind`, may look like a name."""
TELLING: Final = frozenset({"message", "why"})
"""The keys of sentences in a tournament, which may contain names."""

_ENTERED: Final = "SELECT tournament, player FROM tournament_entrants WHERE account = ?"
_HOSTED: Final = "SELECT id FROM tournaments WHERE host = ?"
_CHANGE_ENTRANT: Final = """
UPDATE tournament_entrants SET player = ? WHERE tournament = ? AND account = ?"""
_TOURNAMENT: Final = "SELECT settings, summary FROM tournaments WHERE id = ?"
_CHANGE_TOURNAMENT: Final = "UPDATE tournaments SET settings = ?, summary = ? WHERE id = ?"
_EVENTS: Final = "SELECT number, event FROM tournament_events WHERE tournament = ?"
_CHANGE_EVENT: Final = """
UPDATE tournament_events SET event = ? WHERE tournament = ? AND number = ?"""


def redact_names(connection: Connection, account: str, neutral: str) -> None:
    """The name of each entrant is the one of that time, and identifies the entrant in all events.

    Tournaments that are over are meant: in all others the account could not be erased.
    """
    for row in connection.execute(_ENTERED, (account,)).fetchall():
        player = orjson.loads(row["player"])
        tournament, former = row["tournament"], player["name"]
        if former == neutral:
            continue
        player.update(name=neutral, kind="guest")
        entrant = orjson.dumps(player).decode()
        connection.execute(_CHANGE_ENTRANT, (entrant, tournament, account))
        _rename_in_tournament(connection, tournament, former, neutral)
    for row in connection.execute(_HOSTED, (account,)).fetchall():
        found = connection.execute(_TOURNAMENT, (row["id"],)).fetchone()
        former = None if found["summary"] is None else orjson.loads(found["summary"])["host"]
        if former not in {None, neutral}:
            _rename_in_tournament(connection, row["id"], former, neutral)


def _rename_in_tournament(
    connection: Connection, tournament: str, former: str, neutral: str
) -> None:
    for event in connection.execute(_EVENTS, (tournament,)).fetchall():
        written = _renamed(event["event"], former, neutral)
        connection.execute(_CHANGE_EVENT, (written, tournament, event["number"]))
    found = connection.execute(_TOURNAMENT, (tournament,)).fetchone()
    texts = [_renamed(found[column], former, neutral) for column in ("settings", "summary")]
    connection.execute(_CHANGE_TOURNAMENT, (*texts, tournament))


def _renamed(text: str | None, former: str, neutral: str) -> str | None:
    """A JSON document with the neutral name, both where names are listed and in sentences.

    A host may have listed the name in other letters, such as `ANNA`.
    """

    def walk(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {name: walk(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [walk(each, key) for each in value]
        if isinstance(value, str) and key in TELLING:
            return without_name(value, former, neutral)
        is_name = isinstance(value, str) and key in NAMING and value.lower() == former.lower()
        return neutral if is_name else value

    return None if text is None else orjson.dumps(walk(orjson.loads(text))).decode()
