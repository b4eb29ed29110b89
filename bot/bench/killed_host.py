"""A host of a tournament that is killed at random moments and started again."""

import asyncio
import random
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.errors import HostError
from bot.matches.ledger import LEDGER, read_ledger
from bot.runtime.python_modules import PYTHON_M
from bot.tournaments.events import Finished

Note = Callable[[str], None]
TOLD: Final = re.compile(r"^game (\d+): ", re.MULTILINE)
LONGEST_S: Final = 3600.0
"""A run that takes longer has gone wrong."""


SPARE: Final = 6
"""Games that are left for after the last kill; some end while it comes."""


@dataclass
class Losses:
    """What the kills did."""

    kills: int = 0
    without_a_game: int = 0
    """Kills of runs that had told of no game yet."""
    cut: int = 0
    """Lines that a kill had cut off."""
    lost: int = 0
    """Games that were told of or written down, and are not in the ledger any more as they were."""
    changed: int = 0
    """Lines with pairings that are not there any more as they were."""


class Killer:
    """Remembers what was told and written before each kill."""

    def __init__(
        self, file: Path, out: Path, rng: random.Random, delay_s: float, note: Note
    ) -> None:
        self.losses = Losses()
        self._file = file
        self._out = out
        self._rng = rng
        self._delay_s = delay_s
        self._note = note
        self._told: set[int] = set()
        self._before = b""

    async def play(self, games: int, kills: int) -> None:
        """To the end of the tournament, which has so many games. Raises HostError."""
        for left in range(kills, 0, -1):
            if not await self._run_and_kill(self._most(games, left)):
                break
            self._look()
        self._told |= await run_to_its_end(self._file, self._out)
        self._look()

    def _most(self, games: int, kills_left: int) -> int:
        """Games that the next run may play, so that there are some left for all kills after it."""
        left = games - len(self._told)
        return max(0, min(2 * left // (kills_left + 1), left - SPARE))

    async def _run_and_kill(self, most: int) -> bool:
        """False if it ended by itself before it was killed. Raises HostError if it failed."""
        process = await _started(self._file, self._out)
        told: set[int] = set()
        try:
            async with asyncio.timeout(LONGEST_S):
                await _hear(process, told, self._rng.randint(0, most))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._rng.uniform(0, self._delay_s)):
                    await _hear(process, told, most + 1)
        finally:
            killed = process.returncode is None
            if killed:
                process.kill()
            rest, _ = await process.communicate()
        if not killed and process.returncode:
            raise HostError(f"a run ended by itself: {rest.decode(errors='replace').strip()}")
        told |= games_told(rest)
        self._told |= told
        self.losses.kills += killed
        self.losses.without_a_game += killed and not told
        self._note(f"kill {self.losses.kills} after {len(told)} games, {len(self._told)} in all")
        return killed

    def _look(self) -> None:
        """What was whole before is there unchanged, but for a line that was cut off."""
        path = self._out / LEDGER
        data = path.read_bytes() if path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        self.losses.cut += whole != data
        if not whole.startswith(self._before):
            kept = set(whole.splitlines())
            gone = [line for line in self._before.splitlines() if line not in kept]
            self.losses.lost += sum(b'"finished"' in line for line in gone)
            self.losses.changed += sum(b'"paired"' in line for line in gone)
        self._before = whole
        written = _finished_in(path)
        self.losses.lost += len(self._told - written)
        self._told &= written


async def _started(file: Path, out: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(*PYTHON_M, "bot", "tournament", "run", str(file), "--out", str(out)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def run_to_its_end(file: Path, out: Path) -> set[int]:
    """The games that it told of. Raises HostError."""
    process = await _started(file, out)
    try:
        said, _ = await asyncio.wait_for(process.communicate(), LONGEST_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise HostError(f"the tournament did not end: {said.decode(errors='replace')[-500:]}")
    return games_told(said)


async def _hear(process: asyncio.subprocess.Process, told: set[int], most: int) -> None:
    """Add the games that it tells of to those `told`, until they are so many or it has ended."""
    assert process.stdout is not None
    while len(told) < most and (line := await process.stdout.readline()):
        told |= games_told(line)


def games_told(said: bytes) -> set[int]:
    return {int(number) for number in TOLD.findall(said.decode(errors="replace"))}


def _finished_in(path: Path) -> set[int]:
    events = (entry.event for entry in read_ledger(path).entries)
    return {event.game for event in events if isinstance(event, Finished)}
