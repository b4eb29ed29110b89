"""`bluestone status`: how a bot daemon is, what it plays, and what a person should look at."""

import asyncio
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.output import print_json, text_console
from bot.cli.records import Json

if TYPE_CHECKING:
    from bot.daemon.inspection import Inspection
    from bot.runtime.health import DaemonStatus


def status(
    *,
    config: Annotated[Path, Parameter(help="the TOML file with which the daemon was started")],
    as_json: Json = False,
) -> int:
    """Tell how a bot daemon is: its games, whose turn, deadlines, open work, alarms.

    The daemon is asked by its health port; if it does not answer, its journal is read. Exit code 0
    if it is ready, 1 if it is not, or does not answer.
    """
    from bot.daemon.inspection import inspect
    from bot.daemon.settings_file import read_whereabouts

    found = asyncio.run(inspect(read_whereabouts(config), datetime.now(UTC)))
    if as_json:
        print_json(_document(found))
    else:
        from bot.cli.status_tables import overview

        text_console().print(overview(found))
    return 0 if found.daemon is not None and found.daemon.ready else 1


def _document(found: "Inspection") -> dict[str, object]:
    daemon = found.daemon
    return {
        **asdict(found),
        "daemon": daemon and _daemon(daemon),
        "work": [each.model_dump() for each in found.work],
    }


def _daemon(daemon: "DaemonStatus") -> dict[str, object]:
    told = daemon.model_dump(exclude={"work"})
    return {"ready": daemon.ready, "why_not_ready": daemon.why_not_ready, **told}
