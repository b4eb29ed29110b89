"""The status of a daemon, requested from its health port, else read from its journal."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from bot.daemon.data_folder import noted_health
from bot.daemon.journal import JOURNAL, read_open_work, work_status
from bot.daemon.settings_file import Whereabouts
from bot.errors import HostError
from bot.runtime.health import DaemonStatus, WorkStatus
from bot.runtime.http_client import NoResponse, fetch, open_session
from bot.runtime.listening import local_address

ANSWER_S: Final = 10.0
LARGEST_ANSWER: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Inspection:
    """The result of an inspection. `daemon` is its own report; None if it did not answer, with the
    reason in `silence`.

    `unread` says why the journal could not be read.
    """

    daemon: DaemonStatus | None
    silence: str | None
    work: list[WorkStatus]
    unread: str | None = None


class _Silence(Exception):
    """The daemon does not answer; the text says why."""


async def inspect(where: Whereabouts, now: datetime) -> Inspection:
    try:
        daemon = await _ask(where)
    except _Silence as silence:
        return _by_its_journal(where.daemon.data.absolute() / JOURNAL, str(silence), now)
    return Inspection(daemon, None, daemon.work)


def _by_its_journal(journal: Path, silence: str, now: datetime) -> Inspection:
    try:
        work = [work_status(each, now) for each in read_open_work(journal)]
        is_there = journal.exists()
    except HostError as error:
        why = f"{error}; run this command as the daemon's user, or as root"
        return Inspection(None, silence, [], why)
    if not is_there:
        return Inspection(None, silence, [], f"there is no journal at {journal}")
    return Inspection(None, silence, work)


async def _ask(where: Whereabouts) -> DaemonStatus:
    """Raises _Silence."""
    host, port = where.health.host, where.health.port
    address = local_address(host, port) if port else noted_health(where.daemon.data.absolute())
    if address is None:
        raise _Silence("its settings have no health.port, and its data folder notes none")
    url = f"{address}/readyz"
    try:
        async with open_session() as session:
            answer = await fetch(session, "GET", url, deadline_s=ANSWER_S, limit=LARGEST_ANSWER)
    except NoResponse as error:
        raise _Silence(f"{url}: {error.message}") from error
    try:
        return DaemonStatus.model_validate_json(answer.body)
    except ValidationError as error:
        raise _Silence(f"{url}: the answer is not from a daemon of this version") from error
