"""The bot under rehearsal: its process, and the moments at which it is killed."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bot.runtime.children import ChildProcess

TOKEN_VARIABLE = "BLUESTONE_TOKEN"  # noqa: S105 - a name, not a secret
TURNS_A_GAME: Final = 25
"""The bot's turns in an average game.

A finished game counts as this many, even if it was shorter.
"""
AGAIN: Final = 0.25
"""The chance that the bot is killed again before it can have started."""
SHORTLY_S: Final = 3.0
TURN_S: Final = 1.0
"""The kill comes within this many seconds after the bot's turn."""


class Kills:
    """`due` returns whether to kill now; `struck` counts.

    All kills come before the last game is over.
    """

    def __init__(self, number: int, games: int, rng: random.Random) -> None:
        self._rng = rng
        self._games = games
        last = max(games - 1, 0.3) / games
        self._shares = sorted(rng.uniform(0, last) for _ in range(number))
        self._at: float | None = None
        self.struck = 0

    def due(self, turns: int, over: int, now: float) -> bool:
        """Return whether to kill now (in seconds), after these numbers of turns of the bot and
        finished games.
        """
        share = max(turns / TURNS_A_GAME, over) / self._games
        if self._at is None and self._shares and share >= self._shares[0]:
            self._at = now + self._rng.uniform(0, TURN_S)
        if self._at is None or now < self._at:
            return False
        self._shares.pop(0)
        self.struck += 1
        again = bool(self._shares) and self._rng.random() < AGAIN
        self._at = now + self._rng.uniform(0, SHORTLY_S) if again else None
        return True


class RehearsedProgram:
    """A program that is killed and restarted. Both its outputs are appended to `log`."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], log: Path) -> None:
        self._command = command
        self._environ = environ
        self._log = log
        self._process: ChildProcess | None = None

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return None if self._process is None else self._process.status

    async def start(self) -> None:
        """Raises HostError if the program cannot be started."""
        self._process = await ChildProcess.start_logged(self._command, self._log, self._environ)

    async def kill(self) -> None:
        """Send SIGKILL to the process alone; its children must end by themselves."""
        if self._process is not None:
            self._process.kill()
            await self._process.wait()

    async def end(self, seconds: float) -> int | None:
        """Ask the process to end, then kill its whole group. Return its exit status."""
        return None if self._process is None else await self._process.end(seconds)


def settings_head(data: Path, max_turn_s: float) -> list[str]:
    """Return the first lines of the bot's settings. Its games are not drained at the end."""
    return [
        "[daemon]",
        f"data = {quoted(data)}",
        "drain_s = 0",
        "[logging]",
        'format = "json"',
        "[time]",
        f"max_turn_s = {max_turn_s}",
    ]


def quoted(text: object) -> str:
    """Return a TOML basic string, which has the escapes of JSON."""
    return json.dumps(str(text), ensure_ascii=False)
