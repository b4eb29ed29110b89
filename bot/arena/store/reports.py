"""Reports of players about each other: how long they are kept, and what a deletion leaves of them.

A report is a row of the audit log (`orders`) with the latest lines of the game's chat. `subject` is
the reported player and `who` the one who reports, both under their names of that time. Its id
says which account has reported, so that names that have changed since do no harm.
"""

import hashlib
import re
from datetime import datetime
from typing import Final

import orjson

from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import as_text

KEPT_DAYS: Final = 180
"""Days for which a report is kept."""
ID_LENGTH: Final = 12

_OF_GAME: Final = "SELECT * FROM orders WHERE action = 'report' AND outcome = ?"
_CHANGE: Final = """
UPDATE orders SET subject = ?, who = ?, reason = ?, detail = ? WHERE id = ?"""
_FORGET: Final = "DELETE FROM orders WHERE action = 'report' AND at < ?"


def report_id(game_id: str, account: str) -> str:
    """The id of the report of that account about its opponent in that game: there is only one."""
    return hashlib.sha256(f"{game_id} {account}".encode()).hexdigest()[:ID_LENGTH]


def outcome_of(game_id: str) -> str:
    """The outcome of a report, by which those of a game are found."""
    return f"reported in game {game_id}"


def forget(connection: Connection, before: datetime) -> None:
    """Delete the reports from before that moment."""
    connection.execute(_FORGET, (as_text(before),))


def redact(connection: Connection, game_id: str, account: str, neutral: str) -> None:
    """Take the name and the lines of a deleted account out of the reports of a game.

    Repeating this changes nothing.
    """
    for row in connection.execute(_OF_GAME, (outcome_of(game_id),)).fetchall():
        has_reported = row["id"] == report_id(game_id, account)
        former = row["who"] if has_reported else row["subject"]
        if former == neutral:
            continue
        names = (row["subject"], neutral) if has_reported else (neutral, row["who"])
        reason = without_name(row["reason"], former, neutral, in_any_case=True)
        changed = (*names, reason, _detail(row, former, neutral))
        connection.execute(_CHANGE, (*changed, row["id"]))


def _detail(row: Row, former: str, neutral: str) -> str | None:
    if row["detail"] is None:
        return None
    detail = orjson.loads(row["detail"])
    detail["chat"] = [
        {**line, "body": without_name(line["body"], former, neutral, in_any_case=True)}
        for line in detail["chat"]
        if line["by"] != former
    ]
    return orjson.dumps(detail).decode()


def without_name(text: str, former: str, neutral: str, *, in_any_case: bool = False) -> str:
    """A sentence with the neutral name instead of the former one.

    People write names `in_any_case`; in sentences of the arena, `time` is not the player `Time`.
    """
    flags = re.IGNORECASE if in_any_case else re.NOFLAG
    return re.sub(rf"(?<![\w.-]){re.escape(former)}(?![\w-])", neutral, text, flags=flags)
