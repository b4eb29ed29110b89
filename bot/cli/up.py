"""`bluestone up`: what `make run` calls."""

import asyncio
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from bot.cli.output import text_console
from bot.cli.records import DEFAULT_DATA


def up(
    *,
    host: Annotated[
        str, Parameter(help="address to listen on; 0.0.0.0 for every one of this machine")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        Parameter(
            help="port to listen on, 0 for any free one; without it 8765, or a free one",
            validator=validators.Number(gte=0, lte=65535),
        ),
    ] = None,
    data: Annotated[Path, Parameter(help="folder of the games, the bots and the logs")] = (
        DEFAULT_DATA
    ),
) -> int:
    """Start an arena and ten bots, one for each level, and print the address at which to play.

    Ends with Ctrl-C; running games go on at the next start.
    """
    from bot.up.launcher import UpOptions
    from bot.up.launcher import up as bring_up

    return asyncio.run(bring_up(UpOptions(host, port, data), text_console()))
