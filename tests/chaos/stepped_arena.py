"""`python -m tests.chaos.stepped_arena`: the arena, with a wall clock that a file sets.

Setting the machine's own clock needs root, and disturbs all other programs.
"""

import argparse
import asyncio
from datetime import datetime, timedelta
from pathlib import Path

from bot.arena.server import running_arena
from bot.arena.settings import load_settings
from bot.runtime.logs import configure_logging
from bot.runtime.signals import handled
from bot.time_source import SystemTime

STEP_FILE = "wall-step"


class SteppedTime(SystemTime):
    """The system's clocks, with a wall clock that differs by the seconds in a file."""

    def __init__(self, step: Path) -> None:
        self._step = step

    def wall(self) -> datetime:
        return super().wall() + timedelta(seconds=step_in(self._step))


def step_in(file: Path) -> float:
    return float(file.read_text()) if file.exists() else 0.0


async def _serve(data: Path, port: int, config: Path | None) -> None:
    stop = asyncio.Event()
    time_source = SteppedTime(data / STEP_FILE)
    settings = load_settings(config, port=port, data=data)
    with handled(stop.set):
        async with running_arena(settings, time_source) as address:
            print(address, flush=True)
            await stop.wait()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--config", type=Path)
    options = parser.parse_args()
    configure_logging()
    asyncio.run(_serve(options.data, options.port, options.config))


if __name__ == "__main__":
    main()
