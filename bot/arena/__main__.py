"""`python -m bot.arena`: the arena alone, without the rest of the command line."""

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from bot.arena.server import serve
from bot.arena.settings import ArenaSettings, load_settings
from bot.errors import BluestoneError


def main() -> int:
    """Run until interrupted; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bot.arena")
    for option in ("--config", "--host", "--port", "--data"):
        parser.add_argument(option)
    options = vars(parser.parse_args())
    try:
        asyncio.run(_run(load_settings(_path(options.pop("config")), **options)))
    except BluestoneError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


async def _run(settings: ArenaSettings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await serve(settings, stop, lambda address: print(address, flush=True))


if __name__ == "__main__":
    sys.exit(main())
