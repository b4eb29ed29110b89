"""`bluestone bot`: a bot daemon by its configuration."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def run_bot(
    *, config: Annotated[Path, Parameter(help="a TOML file; `bluestone check` reads it, too")]
) -> int:
    """Run a bot daemon until interrupted.

    The first SIGINT or SIGTERM lets running games end, for as long as the configuration says; the
    second ends at once. SIGHUP reads the configuration again.
    """
    from bot.daemon.run import run_program

    return run_program(config)
