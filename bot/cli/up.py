"""`bluestone up`: start an arena with bots; `make run` calls it."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter, validators

from bot.cli.records import DEFAULT_DATA
from bot.runtime.output import text_console

SHARED: Final = (
    *("bot.cli.arena", "bot.arena.server", "bot.arena.startup"),
    *("bot.cli.daemon", "bot.daemon.run", "bot.platforms.arena.link"),
    *("bot.cli.analyst", "bot.analyst.searcher", "bot.analyst.worker"),
)
"""The modules of the children's commands, which are imported once for all of them."""


def up(
    *,
    host: Annotated[
        str, Parameter(help="address to listen on; 0.0.0.0 for all addresses of this machine")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        Parameter(
            help="port to listen on, 0 for any free one; by default 8765, or a free one",
            validator=validators.Number(gte=0, lte=65535),
        ),
    ] = None,
    data: Annotated[Path, Parameter(help="folder for the games, the bots and the logs")] = (
        DEFAULT_DATA
    ),
    processes: Annotated[
        int,
        Parameter(
            help="processes of the arena; several share a PostgreSQL database, which is started "
            "too unless BLUESTONE_ARENA_DATABASE names one",
            validator=validators.Number(gte=1, lte=64),
        ),
    ] = 1,
) -> int:
    """Start an arena and ten bots, one for each level, and print the address of the page.

    Ctrl-C ends it. Running games continue after the next start.
    """
    from bot.runtime.service_manager import ServiceManager
    from bot.up.launcher import UpOptions
    from bot.up.launcher import up as bring_up

    manager = ServiceManager.of(os.environ)
    options = UpOptions(host, port, data, processes)
    if sys.platform != "linux":  # elsewhere libraries of the system do not survive a fork
        return asyncio.run(bring_up(options, text_console(), manager))
    from bot.cli import main
    from bot.up.fork_server import fork_server

    with fork_server(SHARED, main) as forks:
        return asyncio.run(bring_up(options, text_console(), manager, forks.start))
