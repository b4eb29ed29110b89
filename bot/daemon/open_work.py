"""Turns that are ours to play and that no server has shown as played, as the journal has them."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, cast

from bot.daemon.journal_schema import VERSION
from bot.errors import HostError
from bot.runtime.database import version_of
from bot.runtime.health import WorkStatus

State = Literal["accepted", "thinking", "submitted", "confirmed", "given_up"]
"""accepted: it is known to be ours; thinking: an engine is at it; submitted: the turn is chosen,
and may have been sent; confirmed: the server has shown the ply as played; given_up: a person has
to look at it.
"""

JOURNAL: Final = "journal.db"
"""The file's name in the folder of the data."""
OPEN_WORK: Final = (
    "SELECT platform, game, ply, state, since, turn, reason FROM work"
    " WHERE state <> 'confirmed' ORDER BY since, platform, game, ply"
)


@dataclass(frozen=True, slots=True)
class OpenWork:
    """`since` is when it came into its state, `reason` why it was given up or refused."""

    platform: str
    game: str
    ply: int
    state: State
    since: datetime
    turn: str | None
    reason: str | None


def work_status(work: OpenWork, now: datetime) -> WorkStatus:
    return WorkStatus(
        platform=work.platform,
        game_id=work.game,
        ply=work.ply,
        state=work.state,
        for_s=round(max(0.0, (now - work.since).total_seconds()), 1),
        turn=work.turn,
        reason=work.reason,
    )


def open_work_of(row: tuple[object, ...]) -> OpenWork:
    """A row of `OPEN_WORK`."""
    platform, game, ply, state, since, turn, reason = row
    return OpenWork(
        str(platform),
        str(game),
        int(str(ply)),
        cast("State", state),
        datetime.fromtimestamp(float(str(since)), UTC),
        None if turn is None else str(turn),
        None if reason is None else str(reason),
    )


def read_open_work(path: Path) -> list[OpenWork]:
    """What a journal has open, without writing to it; none if there is no such file.

    Raises HostError, also for a file of another version.
    """
    try:
        if not path.exists():
            return []
    except OSError as error:  # a folder on the way is closed to us
        raise HostError(f"{path}: {error.strerror}") from error
    # Without a log nobody has it open. SQLite would leave files beside it, which may then belong to
    # somebody else than the daemon.
    has_log = path.with_name(f"{path.name}-wal").exists()
    address = f"{path.absolute().as_uri()}?mode=ro" + ("" if has_log else "&immutable=1")
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            if version_of(database) != VERSION:
                raise HostError(f"{path}: a journal of another version; a daemon's start mends it")
            return [open_work_of(row) for row in database.execute(OPEN_WORK)]
    except sqlite3.Error as error:
        raise HostError(f"{path}: the journal cannot be read: {error}") from error
