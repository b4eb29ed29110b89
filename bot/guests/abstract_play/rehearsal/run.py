"""A rehearsal: the stand-in on a port of this machine, and the bot as a process."""

import asyncio
import os
import random
import secrets
import time
from contextlib import suppress
from typing import Final

from bot.errors import HostError
from bot.guests.abstract_play.rehearsal.bot_settings import Places, configuration
from bot.guests.abstract_play.rehearsal.credentials import Credentials
from bot.guests.abstract_play.rehearsal.evidence import checks, missing_records
from bot.guests.abstract_play.rehearsal.opponents import Wanted
from bot.guests.abstract_play.rehearsal.plan import RehearsalPlan
from bot.guests.abstract_play.rehearsal.stand_in import Scenario, StandIn
from bot.rehearsal.bot_process import TOKEN_VARIABLE, Child, Kills
from bot.rehearsal.verdict import Check, Progress, RehearsalVerdict, Show
from bot.runtime.children import PYTHON_M
from bot.runtime.http_client import is_ok_within
from bot.runtime.listening import address_of, bound
from bot.time_source import SystemTime

READY_S: Final = 180.0
"""A bot may have to compile its kernels first."""
RECORDS_S: Final = 60.0
END_S: Final = 20.0
LOOK_S: Final = 0.1
RESTART_S: Final = 1.0
MOST_ENDS: Final = 5
"""A bot that has ended this often by itself is not restarted."""
SCOPE: Final = "rehearsal/communicate"
RECORDS: Final = "records.jsonl"


async def rehearse(plan: RehearsalPlan, show: Show) -> RehearsalVerdict:
    """Play the plan to its end, or to its limit. Raises HostError if the bot does not start."""
    return await _Rehearsal(plan, show).run()


class _Rehearsal:
    def __init__(self, plan: RehearsalPlan, show: Show) -> None:
        self._plan = plan
        self._show = show
        self._listening = bound("127.0.0.1", 0)
        base = address_of(self._listening) + "/"
        self._places = Places(plan.folder / "bot", base, _free_port())
        self._credentials = Credentials("rehearsing-bot", secrets.token_hex(16), SCOPE)
        self._stand_in = StandIn(self._scenario(), self._places.webhook, SystemTime())
        self._world = self._stand_in.world
        self._child = self._bot()
        self._kills = Kills(plan.kills, plan.games, random.Random(plan.seed + 1))
        self._own_ends: list[int] = []
        self._began = time.monotonic()
        self._too_long = False

    def _scenario(self) -> Scenario:
        plan = self._plan
        wanted = Wanted(plan.games, plan.at_once)
        return Scenario(
            self._credentials,
            wanted,
            plan.habits,
            plan.faults,
            people=plan.at_once,
            seed=plan.seed,
        )

    def _bot(self) -> Child:
        guarded = (*PYTHON_M, "bot.cli.guarded", str(os.getpid()), "bot", "--config")
        command = (*guarded, str(self._plan.folder / "bot.toml"))
        environ = {TOKEN_VARIABLE: self._credentials.client_secret}
        return Child(command, environ, self._plan.folder / "bot.log")

    async def run(self) -> RehearsalVerdict:
        self._write_settings()
        serving = asyncio.create_task(self._stand_in.run(self._listening))
        try:
            await self._child.start()
            await self._ready()
            self._stand_in.people_come()
            async with asyncio.timeout(self._plan.limit_s):
                await self._play(serving)
                await self._all_recorded()
        except TimeoutError:
            self._too_long = True
        finally:
            await self._child.end(END_S)
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
        return self._verdict()

    def _write_settings(self) -> None:
        plan = self._plan
        text = configuration(
            self._places,
            self._credentials,
            plan.at_once,
            sweep_s=plan.sweep_s,
            max_turn_s=plan.max_turn_s,
            engine=plan.engine,
        )
        try:
            (plan.folder / "bot.toml").write_text(text, encoding="utf-8")
        except OSError as error:
            raise HostError(f"{plan.folder}: cannot be written: {error.strerror}") from error

    async def _ready(self) -> None:
        """Wait until the webhook answers. Raises HostError if it does not."""
        webhook, child = self._places.webhook, self._child
        if await is_ok_within(webhook, READY_S, lambda: child.status is None):
            return
        status, log = self._child.status, self._plan.folder / "bot.log"
        how = (
            f"was not ready within {READY_S:g} s"
            if status is None
            else f"ended with status {status}"
        )
        raise HostError(f"the bot {how}; its log is {log}")

    async def _play(self, serving: "asyncio.Task[None]") -> None:
        while not self._world.finished and len(self._own_ends) < MOST_ENDS:
            if serving.done():
                serving.result()
            await self._strike()
            self._show(self._progress())
            await asyncio.sleep(LOOK_S)

    async def _strike(self) -> None:
        """Kill the bot if it is time, and restart it, however it ended."""
        counts = self._world.audit.counts
        if self._kills.due(counts["turns of the bot"], counts["games over"], time.monotonic()):
            await self._child.kill()
        elif self._child.status is not None:
            self._own_ends.append(self._child.status)
            await asyncio.sleep(RESTART_S)
        else:
            return
        await self._child.start()

    async def _all_recorded(self) -> None:
        """Give the bot the time of some sweeps to notice finished games."""
        with suppress(TimeoutError):
            async with asyncio.timeout(RECORDS_S):
                while self._unrecorded():
                    self._show(self._progress())
                    await asyncio.sleep(1.0)

    def _unrecorded(self) -> int:
        return missing_records(
            self._world, self._credentials.client_id, self._places.data / RECORDS
        )

    def _progress(self) -> Progress:
        return Progress(
            time.monotonic() - self._began,
            self._plan.games,
            self._kills.struck,
            len(self._world.audit.violations),
            dict(self._world.audit.counts),
        )

    def _verdict(self) -> RehearsalVerdict:
        audit = self._world.audit
        found = [
            *checks(
                self._world,
                self._credentials.client_id,
                self._plan.games,
                self._places.data / RECORDS,
            ),
            Check("ends of the bot by itself", len(self._own_ends), _statuses(self._own_ends)),
            Check("kills that did not come about", self._plan.kills - self._kills.struck),
            Check("time limit reached", int(self._too_long)),
        ]
        counts = {"kills": self._kills.struck, **audit.counts}
        seconds = time.monotonic() - self._began
        return RehearsalVerdict(
            seconds, audit.slowest_ms / 1000, audit.slowest_call_ms, counts, found
        )


def _statuses(ends: list[int]) -> tuple[str, ...]:
    return tuple(f"exit status {status}" for status in ends[:3])


def _free_port() -> int:
    """Return a port that is free now: the bot must reuse the same one after each kill."""
    with bound("127.0.0.1", 0) as listening:
        port: int = listening.getsockname()[1]
        return port
