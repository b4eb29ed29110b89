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


def status(
    *,
    config: Annotated[Path, Parameter(help="the TOML file with which the daemon was started")],
    as_json: Json = False,
) -> int:
    """Tell how a bot daemon is: its games, whose turn, deadlines, open work, alarms.

    The daemon is asked by its health port; if it does not answer, its journal is read. Exit code 1
    if it does not answer.
    """
    from bot.daemon.inspection import inspect
    from bot.daemon.settings_file import read_whereabouts

    found = asyncio.run(inspect(read_whereabouts(config), datetime.now(UTC)))
    if as_json:
        print_json(_document(found))
    else:
        from bot.cli.status_tables import overview

        text_console().print(overview(found))
    return 0 if found.daemon is not None else 1


def _document(found: "Inspection") -> dict[str, object]:
    daemon = found.daemon
    return {
        **asdict(found),
        "daemon": daemon and {"ready": daemon.ready, **daemon.model_dump(exclude={"work"})},
        "work": [each.model_dump() for each in found.work],
    }
