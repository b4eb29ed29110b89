"""`bluestone bot`: runs a bot daemon."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def run_bot(
    *,
    config: Annotated[
        Path, Parameter(help="the TOML file of the bot; `bluestone check` checks it")
    ],
) -> int:
    """Run a bot daemon until interrupted.

    The first SIGINT or SIGTERM lets live games end, for `drain_s` seconds at most; the second one
    ends the daemon at once. SIGHUP reads the configuration again.
    """
    from bot.daemon.run import run_program

    return run_program(config)
