"""`bluestone bot`: run a bot daemon."""

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

    On the first SIGINT or SIGTERM the daemon finishes its live games, for `drain_s` seconds at
    most. On the second one it ends at once. On SIGHUP it reads the configuration again.
    """
    from bot.daemon.run import run_program

    return run_program(config)
