"""`python -m bot.arena`: the arena alone, without the rest of the command line."""

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from bot.arena.server import serve
from bot.arena.settings import ArenaSettings, load_settings
from bot.errors import BluestoneError
from bot.reloading import Reloader
from bot.signals import handled


def main() -> int:
    """Run until interrupted; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bot.arena")
    for option in ("--config", "--host", "--port", "--data"):
        parser.add_argument(option)
    options = vars(parser.parse_args())
    try:
        file = _path(options.pop("config"))
        asyncio.run(_run(lambda: load_settings(file, **options)))
    except BluestoneError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


async def _run(read: Callable[[], ArenaSettings]) -> None:
    settings, stop = read(), asyncio.Event()
    with handled(stop.set, Reloader(settings, read)):
        await serve(settings, stop, lambda address: print(address, flush=True))


if __name__ == "__main__":
    sys.exit(main())
