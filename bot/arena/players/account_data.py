"""What the arena stores about one person: exported on request, and erased.

A table that gets rows about people belongs into `EXPORTED`, and into `ERASED` if the rows go with
the account. An erased account keeps its row and its games, because the opponents' games and the
tables of tournaments refer to them. They get a neutral name.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final

import orjson

from bot.arena.players import mutes
from bot.arena.players.names import skeleton
from bot.arena.store import orders, reports
from bot.arena.store.connection import Connection
from bot.arena.store.database import Database, as_text
from bot.arena.store.reports import without_name

EXPORTED: Final[Sequence[tuple[str, str, str]]] = (
    ("account", "id name kind created_at seen_at registered_at", "accounts WHERE id = :account"),
    ("former_names", "name until", "former_names WHERE account = :account"),
    (
        "devices",
        "id label created_at used_at ends_at",
        "sessions WHERE account = :account ORDER BY created_at",
    ),
    (
        "passkeys",
        "id public_key sign_count transports label created_at used_at",
        "passkeys WHERE account = :account ORDER BY created_at",
    ),
    (
        "notifications",
        "endpoint language created_at",
        "push_subscriptions WHERE account = :account ORDER BY created_at",
    ),
    (
        "ignored_players",
        "name since",
        """ignores JOIN accounts ON accounts.id = ignores.ignored
        WHERE account = :account ORDER BY since""",
    ),
    ("ratings", "game rating deviation games rated_at", "ratings WHERE account = :account"),
    (
        "rating_changes",
        "game_id game board score ended_at before rating",
        "rating_changes WHERE account = :account ORDER BY ended_at, game_id",
    ),
    (
        "puzzle_ratings",
        "game rating deviation tried solved rated_at",
        "puzzle_solvers WHERE account = :account",
    ),
    (
        "puzzle_answers",
        "puzzle solved answered_at",
        "puzzle_answers WHERE account = :account ORDER BY answered_at",
    ),
    ("puzzle_days", "last_day streak", "puzzle_days WHERE account = :account"),
    ("recovery_link", "created_at used_at", "recovery_links WHERE account = :account"),
    ("may_host_tournaments", "since", "hosts WHERE account = :account"),
    ("hosted_tournaments", "id settings created_at", "tournaments WHERE host = :account"),
    ("tournaments", "tournament player", "tournament_entrants WHERE account = :account"),
    (
        "chat",
        "game_id kind body at",
        """chat JOIN games ON games.id = game_id
        WHERE (seat = 1 AND player_1 = :account) OR (seat = 2 AND player_2 = :account)
        ORDER BY at""",
    ),
    (
        "running_games",
        "id setup players created_at",
        "games WHERE (player_1 = :account OR player_2 = :account) AND running",
    ),
)
"""The name of a part, its columns, and where they come from."""
ERASED: Final = (
    *("passkeys", "recovery_links", "ceremonies", "former_names", "hosts"),
    *("push_subscriptions", "puzzle_solvers", "puzzle_answers", "puzzle_days"),
    "ignores",
)
"""Tables whose rows of an `account` are deleted with it."""
NAMING: Final = frozenset({"name", "player", "players", "seats", "bots", "host", "forbidden"})
"""The keys of names in a tournament. All other words, such as `kind`, may look like a name."""
TELLING: Final = frozenset({"message", "why"})
"""The keys of sentences in a tournament, which may contain names."""
BATCH: Final = 20
"""Games that are read or changed in one transaction: turns of other games wait for it."""

_GAMES: Final = """
SELECT id FROM games WHERE (player_1 = :account OR player_2 = :account) AND NOT running
ORDER BY ended_at, id"""
_RECORD: Final = "SELECT record FROM games WHERE id = ?"
_GAME: Final = "SELECT players, result, record FROM games WHERE id = ?"
_CHANGE_GAME: Final = "UPDATE games SET players = ?, result = ?, record = ? WHERE id = ?"
_FORGET_CHAT: Final = "DELETE FROM chat WHERE game_id = ? AND seat = ?"
_TEXTS: Final = "SELECT id, body FROM chat WHERE game_id = ? AND kind = 'text'"
_CHANGE_TEXT: Final = "UPDATE chat SET body = ? WHERE id = ?"
_END_SESSIONS: Final = """
UPDATE sessions SET label = '', ends_at = coalesce(ends_at, ?) WHERE account = ?"""
_END_IGNORES: Final = "DELETE FROM ignores WHERE ignored = ?"
_NAME: Final = "SELECT name, created_at FROM accounts WHERE id = ?"
_FORMER: Final = "SELECT name FROM former_names WHERE account = ?"
_FORGET: Final = """
UPDATE accounts SET name = ?, skeleton = ?, kind = 'guest', origin = NULL, engine = NULL,
    registered_at = NULL WHERE id = ?"""
_ENTERED: Final = "SELECT tournament, player FROM tournament_entrants WHERE account = ?"
_HOSTED: Final = "SELECT id FROM tournaments WHERE host = ?"
_CHANGE_ENTRANT: Final = """
UPDATE tournament_entrants SET player = ? WHERE tournament = ? AND account = ?"""
_TOURNAMENT: Final = "SELECT settings, summary FROM tournaments WHERE id = ?"
_CHANGE_TOURNAMENT: Final = "UPDATE tournaments SET settings = ?, summary = ? WHERE id = ?"
_EVENTS: Final = "SELECT number, event FROM tournament_events WHERE tournament = ?"
_CHANGE_EVENT: Final = """
UPDATE tournament_events SET event = ? WHERE tournament = ? AND number = ?"""


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
    for part, listed, source in EXPORTED:
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
    for table in ERASED:
        connection.execute(f"DELETE FROM {table} WHERE account = ?", (account,))  # noqa: S608
    mutes.remove(connection, account)
    connection.execute(_END_IGNORES, (account,))
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
    await database.write(lambda connection: _redact_tournaments(connection, account, neutral))


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
            connection.execute(_FORGET_CHAT, (game, seat))
            reports.redact(connection, game, account, neutral)
        if player["id"] == account and (former := player["name"]) != neutral:
            player.update(name=neutral, kind="guest")
            for line in connection.execute(_TEXTS, (game,)).fetchall():
                body = without_name(line["body"], former, neutral, in_any_case=True)
                connection.execute(_CHANGE_TEXT, (body, line["id"]))
            for told in (result, record and record["result"]):
                if told is not None:
                    told["message"] = without_name(told["message"], former, neutral)
    for player in [] if record is None else record["players"]:
        if player["user_id"] == account:
            player.update(name=neutral, kind="guest")
    written = [None if each is None else orjson.dumps(each).decode() for each in (result, record)]
    connection.execute(_CHANGE_GAME, (orjson.dumps(players).decode(), *written, game))


def _redact_tournaments(connection: Connection, account: str, neutral: str) -> None:
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
