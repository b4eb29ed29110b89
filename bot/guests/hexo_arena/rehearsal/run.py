"""A rehearsal on the simulated HeXO-Arena: the server in this process, the bot as a process.

Both sides are restarted: the bot is killed with SIGKILL, and the server crashes and comes back.
"""

import asyncio
import random
import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Final

from bot.guests.hexo_arena.rehearsal.evidence import checks, missing_records
from bot.guests.hexo_arena.rehearsal.faults import NASTY, Faults, ServerLimits
from bot.guests.hexo_arena.rehearsal.scenario import Caps, Habits, Scenario
from bot.guests.hexo_arena.rehearsal.server import StandIn
from bot.rehearsal.bot_process import TOKEN_VARIABLE, Kills, quoted, settings_head
from bot.rehearsal.rehearsal import Rehearsal, RehearsalTerms
from bot.rehearsal.verdict import RehearsalVerdict, Show

NAME: Final = "Rehearsing"
LABEL: Final = "hexo"
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
class HexoPlan(RehearsalTerms):
    faults: Faults = NASTY
    limits: ServerLimits = field(default_factory=lambda: ServerLimits(heartbeat_s=2.0))
    habits: Habits = field(default_factory=Habits)
    crashes: int = 0


async def rehearse(plan: HexoPlan, show: Show) -> RehearsalVerdict:
    """Play the plan to its end, or to its limit. Raises HostError if the bot does not start."""
    return await _Rehearsal(plan, show).run()


class _Rehearsal(Rehearsal):
    def __init__(self, plan: HexoPlan, show: Show) -> None:
        self._rehearsed = plan
        self._rng = random.Random(plan.seed)
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
        self._crashes = Kills(plan.crashes, plan.games, random.Random(plan.seed + 2))
        self._game_at = 0.0
        super().__init__(plan, self._stand_in, self._stand_in.audit, token, show)

    @property
    def struck(self) -> int:
        return self.kills.struck + self._crashes.struck

    def configuration(self) -> str:
        return configuration(self._rehearsed, self.url)

    async def is_ready(self) -> bool:
        return self._stand_in.audit.counts["streams opened"] > 0

    def goes_on(self) -> bool:
        """Return whether games are wanted: also after the last one, until all strikes are done."""
        plan = self._rehearsed
        is_struck = self.struck >= plan.kills + plan.crashes
        return self._stand_in.tables.over < plan.games or not is_struck

    async def act(self) -> None:
        self._start_games()
        counts = self._stand_in.audit.counts
        turns, over = counts["turns of the bot"], counts["games over"]
        if self._crashes.due(turns, over, time.monotonic()):
            await self._crash()

    def _start_games(self) -> None:
        """Let others start games: rivals by challenges, and guests unasked.

        They leave a place to the bot's own challenges.
        """
        now, tables, wanted = time.monotonic(), self._stand_in.tables, self._rehearsed.games
        live = len(tables.live)
        if now < self._game_at or live >= max(1, self._rehearsed.at_once - 1):
            return
        if tables.over < wanted <= tables.over + live:
            return
        self._game_at = now + GAME_S
        control = self._rng.choice(CONTROLS[:2])
        if self._rng.random() < 0.6:
            self._stand_in.ladder.rival_challenges(control)
        else:
            self._stand_in.ladder.person_starts(self._rng.choice(CONTROLS))

    async def _crash(self) -> None:
        """Let the server lose everything that runs, and come back at the same address."""
        await self.stop_site()
        self._stand_in.crash()
        await asyncio.sleep(self._rng.uniform(*DOWN_S))
        self.restart_site()

    def unrecorded(self) -> int:
        self._stand_in.ladder.is_closing = True  # no more games are wanted
        missing = missing_records(self._stand_in, self._rehearsed.records)
        return missing + len(self._stand_in.tables.live)

    def verdict(self, seconds: float) -> RehearsalVerdict:
        plan, stand_in = self._rehearsed, self._stand_in
        found = [
            *checks(stand_in, plan.games, plan.records, plan.data / LABEL / "ratings.jsonl"),
            *self.checks_of_run(
                "kills and crashes that did not come about", plan.kills + plan.crashes
            ),
        ]
        counts = {
            "kills of the bot": self.kills.struck,
            "crashes of the server": self._crashes.struck,
            **stand_in.audit.counts,
        }
        return RehearsalVerdict(seconds, stand_in.audit.slowest_s, None, counts, found)


def configuration(plan: HexoPlan, url: str) -> str:
    """Return the settings as TOML; the token is in the environment."""
    lines = [
        *settings_head(plan.data, plan.max_turn_s),
        f"untimed_turn_s = {plan.max_turn_s}",
        "reserve_ms = 1000",
        "[policy]",
        'games = ["hexo"]',
        f"max_games = {plan.at_once}",
        f"max_games_per_opponent = {plan.at_once}",
        "[engines.rehearsing]",
        f"builtin = {quoted(plan.engine)}",
        "processes = 1",
        "[[platforms]]",
        'kind = "hexo_arena"',
        f'name = "{LABEL}"',
        f"url = {quoted(url)}",
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
