"""A rehearsal on the simulated HeXO-Arena: the server in this process, the bot as a process.

Both sides are restarted: the bot is killed with SIGKILL, and the server crashes and comes back.
"""

import asyncio
import json
import os
import random
import secrets
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bot.errors import HostError
from bot.guests.hexo_arena.rehearsal.evidence import checks, missing_records
from bot.guests.hexo_arena.rehearsal.faults import NASTY, Faults, Limits
from bot.guests.hexo_arena.rehearsal.scenario import Caps, Habits, Scenario
from bot.guests.hexo_arena.rehearsal.server import StandIn
from bot.rehearsal.bot_process import TOKEN_VARIABLE, Child, Kills
from bot.rehearsal.verdict import Check, Progress, RehearsalVerdict, Show
from bot.runtime.children import PYTHON_M
from bot.runtime.listening import address_of, bound
from bot.runtime.tasks import cancelled

NAME: Final = "Rehearsing"
LABEL: Final = "hexo"
READY_S: Final = 240.0
"""A bot may have to compile its kernels first."""
RECORDS_S: Final = 60.0
END_S: Final = 20.0
LOOK_S: Final = 0.1
RESTART_S: Final = 0.5
MOST_ENDS: Final = 5
DOWN_S: Final = (0.5, 4.0)
"""For how long a crashed server is away, in seconds."""
GAME_S: Final = 0.3
"""Seconds between two attempts to start a game."""
MANY: Final = 1_000_000
CONTROLS: Final[tuple[dict[str, Any], ...]] = (
    {"mode": "turn", "turnTimeMs": 45_000},
    {"mode": "match", "mainTimeMs": 240_000, "incrementMs": 2_000},
    {"mode": "unlimited"},
)
"""Clocks that leave a killed bot the time to come back: the server's clocks do not wait for it."""


@dataclass(frozen=True)
class HexoPlan:
    """`engine` is a built-in one. Times are in seconds."""

    folder: Path
    games: int = 50
    at_once: int = 4
    faults: Faults = NASTY
    limits: Limits = field(default_factory=lambda: Limits(heartbeat_s=2.0))
    habits: Habits = field(default_factory=Habits)
    kills: int = 0
    crashes: int = 0
    seed: int = 1
    limit_s: float = 3_600.0
    engine: str = "search"
    max_turn_s: float = 0.1


async def rehearse(plan: HexoPlan, show: Show) -> RehearsalVerdict:
    """Play the plan to its end, or to its limit. Raises HostError if the bot does not start."""
    return await _Rehearsal(plan, show).run()


class _Rehearsal:
    def __init__(self, plan: HexoPlan, show: Show) -> None:
        self._plan = plan
        self._show = show
        self._rng = random.Random(plan.seed)
        self._listening = bound("127.0.0.1", 0)
        self._port: int = self._listening.getsockname()[1]
        self._url = address_of(self._listening)
        token = f"hxo_{secrets.token_urlsafe(32)}"
        self._stand_in = StandIn(
            Scenario(
                NAME,
                token,
                plan.faults,
                plan.limits,
                plan.habits,
                Caps(challenges=MANY, games=MANY, pair=MANY),
                seed=plan.seed,
            )
        )
        guarded = (*PYTHON_M, "bot.cli.guarded", str(os.getpid()), "bot", "--config")
        command = (*guarded, str(plan.folder / "bot.toml"))
        self._child = Child(command, {TOKEN_VARIABLE: token}, plan.folder / "bot.log")
        self._kills = Kills(plan.kills, plan.games, random.Random(plan.seed + 1))
        self._crashes = Kills(plan.crashes, plan.games, random.Random(plan.seed + 2))
        self._own_ends: list[int] = []
        self._serving: asyncio.Task[None] | None = None
        self._began = time.monotonic()
        self._game_at = 0.0
        self._too_long = False

    async def run(self) -> RehearsalVerdict:
        self._write_settings()
        self._serve(self._listening)
        try:
            await self._child.start()
            await self._ready()
            async with asyncio.timeout(self._plan.limit_s):
                await self._play()
                self._stand_in.ladder.is_closing = True
                await self._all_recorded()
        except TimeoutError:
            self._too_long = True
        finally:
            await self._child.end(END_S)
            await self._stop_serving()
        return self._verdict()

    def _serve(self, listening: socket.socket) -> None:
        self._serving = asyncio.create_task(self._stand_in.run(listening))

    async def _stop_serving(self) -> None:
        if self._serving is not None:
            await cancelled(self._serving)

    def _write_settings(self) -> None:
        plan = self._plan
        try:
            (plan.folder / "bot.toml").write_text(configuration(plan, self._url), encoding="utf-8")
        except OSError as error:
            raise HostError(f"{plan.folder}: cannot be written: {error.strerror}") from error

    async def _ready(self) -> None:
        """Wait until the bot has opened its stream. Raises HostError if it does not."""
        deadline = time.monotonic() + READY_S
        while self._stand_in.audit.counts["streams opened"] == 0:
            status, log = self._child.status, self._plan.folder / "bot.log"
            if status is not None:
                raise HostError(f"the bot ended with status {status}; its log is {log}")
            if time.monotonic() > deadline:
                raise HostError(f"the bot was not ready within {READY_S:g} s; its log is {log}")
            await asyncio.sleep(LOOK_S)

    async def _play(self) -> None:
        while self._goes_on() and len(self._own_ends) < MOST_ENDS:
            if self._serving is not None and self._serving.done():
                self._serving.result()
            self._start_games()
            await self._strike()
            self._show(self._progress())
            await asyncio.sleep(LOOK_S)

    def _goes_on(self) -> bool:
        """Return whether games are wanted: also after the last one, until all strikes are done."""
        plan = self._plan
        is_struck = self._kills.struck >= plan.kills and self._crashes.struck >= plan.crashes
        return self._stand_in.tables.over < plan.games or not is_struck

    def _start_games(self) -> None:
        """Let others start games: rivals by challenges, and guests unasked.

        They leave a place to the bot's own challenges.
        """
        now, tables, wanted = time.monotonic(), self._stand_in.tables, self._plan.games
        live = len(tables.live)
        if now < self._game_at or live >= max(1, self._plan.at_once - 1):
            return
        if tables.over < wanted <= tables.over + live:
            return
        self._game_at = now + GAME_S
        control = self._rng.choice(CONTROLS[:2])
        if self._rng.random() < 0.6:
            self._stand_in.ladder.rival_challenges(control)
        else:
            self._stand_in.ladder.person_starts(self._rng.choice(CONTROLS))

    async def _strike(self) -> None:
        """Kill the bot or the server if it is time, and restart the bot, however it ended."""
        counts, now = self._stand_in.audit.counts, time.monotonic()
        turns, over = counts["turns of the bot"], counts["games over"]
        if self._crashes.due(turns, over, now):
            await self._crash()
        if self._kills.due(turns, over, now):
            await self._child.kill()
        elif self._child.status is not None:
            self._own_ends.append(self._child.status)
            await asyncio.sleep(RESTART_S)
        else:
            return
        await self._child.start()

    async def _crash(self) -> None:
        """Let the server lose everything that runs, and come back at the same address."""
        await self._stop_serving()
        self._stand_in.crash()
        await asyncio.sleep(self._rng.uniform(*DOWN_S))
        self._serve(bound("127.0.0.1", self._port))

    async def _all_recorded(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(RECORDS_S):
                while self._unrecorded() or self._stand_in.tables.live:
                    self._show(self._progress())
                    await asyncio.sleep(1.0)
                await asyncio.sleep(1.0)  # the rating is read after the record is written

    def _unrecorded(self) -> int:
        return missing_records(self._stand_in, self._records)

    @property
    def _records(self) -> Path:
        return self._plan.folder / "bot" / "records.jsonl"

    def _progress(self) -> Progress:
        audit = self._stand_in.audit
        seconds = time.monotonic() - self._began
        struck = self._kills.struck + self._crashes.struck
        return Progress(
            seconds, self._plan.games, struck, len(audit.violations), dict(audit.counts)
        )

    def _verdict(self) -> RehearsalVerdict:
        plan, stand_in = self._plan, self._stand_in
        ratings = plan.folder / "bot" / LABEL / "ratings.jsonl"
        ends = tuple(f"exit status {status}" for status in self._own_ends[:3])
        missed = plan.kills - self._kills.struck + plan.crashes - self._crashes.struck
        found = [
            *checks(stand_in, plan.games, self._records, ratings),
            Check("ends of the bot by itself", len(self._own_ends), ends),
            Check("kills and crashes that did not come about", missed),
            Check("time limit reached", int(self._too_long)),
        ]
        counts = {
            "kills of the bot": self._kills.struck,
            "crashes of the server": self._crashes.struck,
            **stand_in.audit.counts,
        }
        seconds = time.monotonic() - self._began
        return RehearsalVerdict(seconds, stand_in.audit.slowest_s, None, counts, found)


def configuration(plan: HexoPlan, url: str) -> str:
    """Return the settings as TOML; the token is in the environment."""
    lines = [
        "[daemon]",
        f"data = {_quoted(plan.folder / 'bot')}",
        "drain_s = 0",
        "[logging]",
        'format = "json"',
        "[time]",
        f"max_turn_s = {plan.max_turn_s}",
        f"untimed_turn_s = {plan.max_turn_s}",
        "reserve_ms = 1000",
        "[policy]",
        'games = ["hexo"]',
        f"max_games = {plan.at_once}",
        f"max_games_per_opponent = {plan.at_once}",
        "[engines.rehearsing]",
        f"builtin = {_quoted(plan.engine)}",
        "processes = 1",
        "[[platforms]]",
        'kind = "hexo_arena"',
        f'name = "{LABEL}"',
        f"url = {_quoted(url)}",
        f'token_env = "{TOKEN_VARIABLE}"',
        'engine = "rehearsing"',
        'about = "plays in a rehearsal"',
        "accepts = { turn_s = [5, 600], match = true, unlimited = true }",
        "[platforms.challenges]",
        'clocks = ["45/turn", "240+2"]',
        "every_s = 1",
        "rest_s = 1",
        "per_day = 100",
        "per_opponent = 20",
        "directory_s = 10",
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: object) -> str:
    """Return a TOML basic string, which has the escapes of JSON."""
    return json.dumps(str(text), ensure_ascii=False)
