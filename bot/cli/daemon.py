"""`bluestone bot`: a bot daemon by its configuration."""

import asyncio
import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def run_bot(
    *, config: Annotated[Path, Parameter(help="a TOML file; `bluestone check` reads it, too")]
) -> int:
    """Run a bot daemon until interrupted.

    The first SIGINT or SIGTERM lets running games end, for as long as the configuration says; the
    second ends at once.
    """
    from bot.daemon import run_until_signalled
    from bot.logs import configure_logging
    from bot.settings import load_settings

    settings = load_settings(config)
    secrets = [table.read_token(os.environ).get_secret_value() for table in settings.platforms]
    configure_logging(settings.logging.level, settings.logging.format, secrets=secrets)
    return asyncio.run(run_until_signalled(settings))
