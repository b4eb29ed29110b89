"""What the arena stores about one person: exported on request, and erased.

Each set of tables says what it has about people (`bot.arena.store.personal_data`). An erased
account keeps its row and its games, because the opponents' games and the tables of tournaments
refer to them. They get a neutral name.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import orjson

from bot.arena.players import mutes
from bot.arena.players.names import skeleton
from bot.arena.store import orders, reports
from bot.arena.store.connection import Connection
from bot.arena.store.database import Database, as_text
from bot.arena.store.personal_data import PersonalData, RedactedGame
from bot.arena.store.reports import without_name
from bot.arena.store.tables import all_tables

BATCH: Final = 20
"""Games that are read or changed in one transaction: turns of other games wait for it."""

_GAMES: Final = """
SELECT id FROM games WHERE (player_1 = :account OR player_2 = :account) AND NOT running
ORDER BY ended_at, id"""
_RECORD: Final = "SELECT record FROM games WHERE id = ?"
_GAME: Final = "SELECT players, result, record FROM games WHERE id = ?"
_CHANGE_GAME: Final = "UPDATE games SET players = ?, result = ?, record = ? WHERE id = ?"
_END_SESSIONS: Final = """
UPDATE sessions SET label = '', ends_at = coalesce(ends_at, ?) WHERE account = ?"""
_NAME: Final = "SELECT name, created_at FROM accounts WHERE id = ?"
_FORMER: Final = "SELECT name FROM former_names WHERE account = ?"
_FORGET: Final = """
UPDATE accounts SET name = ?, skeleton = ?, kind = 'guest', origin = NULL, engine = NULL,
    registered_at = NULL WHERE id = ?"""


async def exported(database: Database, account: str) -> AsyncIterator[bytes]:
    """Everything about a person as JSON Lines: first the account, then each finished game."""
    yield orjson.dumps(await database.read(lambda connection: _facts(connection, account))) + b"\n"
    for ids in _batches(await _games_of(database, account)):

        def records(connection: Connection, ids: Sequence[str] = ids) -> list[str]:
            rows = [connection.execute(_RECORD, (each,)).fetchone() for each in ids]
            return [row["record"] for row in rows if row is not None and row["record"]]

        lines = await database.read(records)
        yield b"".join(b'{"game":%b}\n' % line.encode() for line in lines)


def _facts(connection: Connection, account: str) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for each in _personal():
        for part, listed, source in each.exported:
            columns = listed.split()
            query = f"SELECT {', '.join(columns)} FROM {source}"  # noqa: S608 - constants
            rows = connection.execute(query, {"account": account}).fetchall()
            found[part] = [{name: row[name] for name in columns} for row in rows]
    mute = mutes.find(connection, account)
    found["mute"] = [] if mute is None else [mute.model_dump(mode="json")]
    return found


def forget(connection: Connection, account: str, neutral: str, now: datetime) -> str | None:
    """Delete what only concerns the person, and give the account a neutral name.

    Returns the former name; None if this was done before, or there is no such account.
    """
    row = connection.execute(_NAME, (account,)).fetchone()
    if row is None or row["name"] == neutral:
        return None
    names = [row["name"], *(each["name"] for each in connection.execute(_FORMER, (account,)))]
    orders.redact_names(connection, names, neutral, row["created_at"])
    for each in _personal():
        for table in each.erased:
            connection.execute(f"DELETE FROM {table} WHERE account = ?", (account,))  # noqa: S608
        if each.forget is not None:
            each.forget(connection, account)
    mutes.remove(connection, account)
    connection.execute(_END_SESSIONS, (as_text(now), account))
    connection.execute(_FORGET, (neutral, skeleton(neutral), account))
    orders.note_change(connection, f"{account} {neutral}")
    return str(row["name"])


async def redact(database: Database, account: str, neutral: str) -> None:
    """Write the neutral name into the person's finished games and tournaments.

    Repeating this changes nothing, so that it can be continued after a crash.
    """
    for ids in _batches(await _games_of(database, account)):

        def work(connection: Connection, ids: Sequence[str] = ids) -> None:
            for each in ids:
                _redact_game(connection, each, account, neutral)

        await database.write(work)
    for each in _personal():
        if (redact_rest := each.redact) is not None:
            await database.write(partial(_redacted, redact_rest, account, neutral))


def _redacted(
    redact_rest: Callable[[Connection, str, str], None],
    account: str,
    neutral: str,
    connection: Connection,
) -> None:
    redact_rest(connection, account, neutral)


def _personal() -> Sequence[PersonalData]:
    return [each.personal for each in all_tables()]


async def _games_of(database: Database, account: str) -> list[str]:
    rows = await database.read(
        lambda connection: connection.execute(_GAMES, {"account": account}).fetchall()
    )
    return [row["id"] for row in rows]


def _batches(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]


def _redact_game(connection: Connection, game: str, account: str, neutral: str) -> None:
    row = connection.execute(_GAME, (game,)).fetchone()
    players = orjson.loads(row["players"])
    result = None if row["result"] is None else orjson.loads(row["result"])
    record = None if row["record"] is None else orjson.loads(row["record"])
    for seat, player in enumerate(players, 1):
        if player["id"] == account:
            redacted = RedactedGame(game, seat, account, player["name"], neutral)
            for each in _personal():
                if each.redact_game is not None:
                    each.redact_game(connection, redacted)
            reports.redact(connection, game, account, neutral)
        if player["id"] == account and (former := player["name"]) != neutral:
            player.update(name=neutral, kind="guest")
            for told in (result, record and record["result"]):
                if told is not None:
                    told["message"] = without_name(told["message"], former, neutral)
    for player in [] if record is None else record["players"]:
        if player["user_id"] == account:
            player.update(name=neutral, kind="guest")
    written = [None if each is None else orjson.dumps(each).decode() for each in (result, record)]
    connection.execute(_CHANGE_GAME, (orjson.dumps(players).decode(), *written, game))
