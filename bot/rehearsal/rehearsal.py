"""A rehearsal: the stand-in in this process, the bot as a process that is killed and restarted."""

import asyncio
import os
import random
import socket
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

from bot.errors import HostError
from bot.rehearsal.bot_process import TOKEN_VARIABLE, Kills, RehearsedProgram
from bot.rehearsal.evidence import Violation
from bot.rehearsal.verdict import Condition, RehearsalProgress, RehearsalVerdict, Show
from bot.runtime.children import PYTHON_M
from bot.runtime.listening import address_of, bound
from bot.runtime.tasks import cancelled

READY_S: Final = 240.0
"""A bot may have to compile its kernels first."""
RECORDS_S: Final = 60.0
END_S: Final = 20.0
LOOK_S: Final = 0.1
RESTART_S: Final = 1.0
MOST_ENDS: Final = 5
"""A bot that has ended this often by itself is not restarted."""
RECORDS: Final = "records.jsonl"


@dataclass(frozen=True)
class RehearsalTerms:
    """`engine` is a built-in one. Times are in seconds."""

    folder: Path
    games: int = 50
    at_once: int = 4
    kills: int = 0
    seed: int = 1
    limit_s: float = 3_600.0
    engine: str = "search"
    max_turn_s: float = 0.1

    @property
    def data(self) -> Path:
        """The folder of the bot's own files."""
        return self.folder / "bot"

    @property
    def records(self) -> Path:
        return self.data / RECORDS


class Audit(Protocol):
    """What the stand-in has seen of the bot."""

    counts: Counter[str]

    @property
    def violations(self) -> Sequence[Violation]: ...


class Site(Protocol):
    """A stand-in."""

    async def run(self, listening: socket.socket) -> None:
        """Serve until cancelled."""


class Rehearsal(ABC):
    """A base class: each site is a subclass. `secret` is the bot's token or secret there."""

    def __init__(
        self, plan: RehearsalTerms, site: Site, audit: Audit, secret: str, show: Show
    ) -> None:
        listening = bound("127.0.0.1", 0)
        self.url = address_of(listening)
        self.kills = Kills(plan.kills, plan.games, random.Random(plan.seed + 1))
        self._plan, self._site, self._audit, self._show = plan, site, audit, show
        self._serving = asyncio.create_task(site.run(listening))
        self._settings, self._log = plan.folder / "bot.toml", plan.folder / "bot.log"
        guarded = (*PYTHON_M, "bot.cli.guarded", str(os.getpid()), "bot", "--config")
        command = (*guarded, str(self._settings))
        self._child = RehearsedProgram(command, {TOKEN_VARIABLE: secret}, self._log)
        self._own_ends: list[int] = []
        self._began = time.monotonic()
        self._too_long = False

    # ---- what a site knows -----------------------------------------------------------------------

    @abstractmethod
    def configuration(self) -> str:
        """Return the bot's settings as TOML; the secret is in the environment."""

    @abstractmethod
    async def is_ready(self) -> bool:
        """Return whether the bot has reached the stand-in."""

    @abstractmethod
    def goes_on(self) -> bool:
        """Return whether games are wanted."""

    @abstractmethod
    async def act(self) -> None:
        """Do what is due on the site, such as starting a game."""

    @abstractmethod
    def unrecorded(self) -> int:
        """Return the number of games that the bot must still end or record."""

    @abstractmethod
    def verdict(self, seconds: float) -> RehearsalVerdict: ...

    # ---- the same on all sites -------------------------------------------------------------------

    async def run(self) -> RehearsalVerdict:
        """Play the plan to its end, or to its limit. Raises HostError if the bot does not start."""
        try:
            self._write_settings()
            await self._child.start()
            await self._until_ready()
            async with asyncio.timeout(self._plan.limit_s):
                await self._play()
                await self._until_recorded()
        except TimeoutError:
            self._too_long = True
        finally:
            await self._child.end(END_S)
            await self.stop_site()
        return self.verdict(time.monotonic() - self._began)

    @property
    def struck(self) -> int:
        """How often the bot was killed so far."""
        return self.kills.struck

    def checks_of_run(self, missed: str, wanted: int) -> list[Condition]:
        """Return the checks of the process; `missed` names those of `wanted` strikes that failed
        to come.
        """
        ends = tuple(f"exit status {status}" for status in self._own_ends[:3])
        return [
            Condition("ends of the bot by itself", len(self._own_ends), ends),
            Condition(missed, wanted - self.struck),
            Condition("time limit reached", int(self._too_long)),
        ]

    async def stop_site(self) -> None:
        await cancelled(self._serving)

    def restart_site(self) -> None:
        """Let the server come back at the same address."""
        port = urlsplit(self.url).port or 0
        self._serving = asyncio.create_task(self._site.run(bound("127.0.0.1", port)))

    def _write_settings(self) -> None:
        try:
            self._settings.write_text(self.configuration(), encoding="utf-8")
        except OSError as error:
            raise HostError(f"{self._plan.folder}: cannot be written: {error.strerror}") from error

    async def _until_ready(self) -> None:
        """Raises HostError if the bot does not reach the stand-in."""
        deadline = time.monotonic() + READY_S
        while not await self.is_ready():
            if (status := self._child.status) is not None:
                raise HostError(f"the bot ended with status {status}; its log is {self._log}")
            if time.monotonic() > deadline:
                raise HostError(f"the bot was not ready in {READY_S:g} s; its log is {self._log}")
            await asyncio.sleep(LOOK_S)

    async def _play(self) -> None:
        while self.goes_on() and len(self._own_ends) < MOST_ENDS:
            if self._serving.done():
                self._serving.result()
            await self.act()
            await self._strike()
            self._show(self._progress())
            await asyncio.sleep(LOOK_S)

    async def _strike(self) -> None:
        """Kill the bot if it is time, and restart it, however it ended."""
        counts = self._audit.counts
        if self.kills.due(counts["turns of the bot"], counts["games over"], time.monotonic()):
            await self._child.kill()
        elif self._child.status is not None:
            self._own_ends.append(self._child.status)
            await asyncio.sleep(RESTART_S)
        else:
            return
        await self._child.start()

    async def _until_recorded(self) -> None:
        """Give the bot the time to notice finished games, and to write down what it learns."""
        with suppress(TimeoutError):
            async with asyncio.timeout(RECORDS_S):
                while self.unrecorded():
                    self._show(self._progress())
                    await asyncio.sleep(1.0)
                await asyncio.sleep(1.0)  # a rating may be read after the record is written

    def _progress(self) -> RehearsalProgress:
        counts, violations = dict(self._audit.counts), len(self._audit.violations)
        seconds = time.monotonic() - self._began
        return RehearsalProgress(seconds, self._plan.games, self.struck, violations, counts)
