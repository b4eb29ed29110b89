"""Weeks on Abstract Play in minutes: correspondence games, platform faults, and a machine outage.

The parts of the daemon play on the stand-in, in simulated time (`bot.runtime.simulated_time`).
The verdict fails above all if a deadline passed that the bot could have met.
"""

import asyncio
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.guests.abstract_play.rehearsal.audit import Violation
from bot.guests.abstract_play.rehearsal.credentials import Credentials
from bot.guests.abstract_play.rehearsal.evidence import checks
from bot.guests.abstract_play.rehearsal.faults import NASTY, Faults
from bot.guests.abstract_play.rehearsal.opponents import Habits, Wanted
from bot.guests.abstract_play.rehearsal.simulated_bot import SWEEP_S, BotPlan, SimulatedBot
from bot.guests.abstract_play.rehearsal.simulated_site import SimulatedSite
from bot.guests.abstract_play.rehearsal.site import HostedGame
from bot.guests.abstract_play.rehearsal.stand_in import Scenario
from bot.rehearsal.verdict import Condition, RehearsalProgress, RehearsalVerdict, Show
from bot.runtime.simulated_time import SimulatedLoop, SimulatedTime

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


class TurnWaits:
    """Listens to the site and times the bot's turns, in milliseconds. Outages do not count."""

    def __init__(self, bot_id: str) -> None:
        self._bot_id = bot_id
        self._on_since: int | None = 0
        self._took: list[int] = []

    def off(self) -> None:
        """The machine is off from now on, so turns are not counted."""
        self._on_since = None

    def on_again(self, now: int) -> None:
        """The machine was off until now."""
        self._on_since = now

    def __call__(self, game: HostedGame, now: int) -> None:
        before = game.before
        if before is game.now or before.to_move is None or self._on_since is None:
            return
        if before.terms.players[before.to_move] == self._bot_id:
            self._took.append(now - max(before.moved_at, self._on_since))

    @property
    def slowest_ms(self) -> int:
        return max(self._took, default=0)

    @property
    def counts(self) -> dict[str, int]:
        return {
            "turns of the bot after more than a minute": self._longer_than(MINUTE_MS),
            "turns of the bot after more than an hour": self._longer_than(HOUR_MS),
        }

    def _longer_than(self, milliseconds: int) -> int:
        return sum(took > milliseconds for took in self._took)


HOUR_S: Final = 3600.0
SHOW_S: Final = 12 * HOUR_S
CREDENTIALS: Final = Credentials("simulated-bot", "its-secret", "rehearsal/communicate")
MOST_GAMES: Final = 1_000_000
"""A number of games that is never reached in practice: a new game starts when one ends."""
LAST_SWEEPS: Final = 3
"""Sweeps of the bot after the last moment at which a game can end."""
BACK_S: Final = 120.0
"""A game whose clock runs out this many seconds after an outage could not be saved."""
WHILE_OFF: Final = "deadlines passed while the machine was off"
JUST_AFTER: Final = f"deadlines passed within {BACK_S:g} s after"


@dataclass(frozen=True)
class Fortnight:
    """`games` at once, for `days`. In the middle the machine is off for `hours_off`.

    `turn_s` is the longest time for a turn, more than the engines have for this number of games.
    """

    folder: Path
    games: int = 60
    days: float = 14.0
    hours_off: float = 48.0
    faults: Faults = NASTY
    seed: int = 1
    turn_s: float = 600.0
    habits: Habits = field(default_factory=Habits)

    @property
    def seconds(self) -> float:
        return self.days * 24 * HOUR_S


def play(plan: Fortnight, show: Show) -> RehearsalVerdict:
    """Run the whole plan in a simulated event loop."""
    loop = SimulatedLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(_Play(plan, show, loop).run())


class _Play:
    def __init__(self, plan: Fortnight, show: Show, loop: SimulatedLoop) -> None:
        self._plan = plan
        self._show = show
        self._time = SimulatedTime(loop)
        self._site = SimulatedSite(_scenario(plan), self._time)
        self._world = self._site.world
        self._waits = TurnWaits(CREDENTIALS.client_id)
        self._world.site.listeners.append(self._waits)
        about = BotPlan(CREDENTIALS, plan.games, plan.turn_s, plan.seed)
        self._bot = SimulatedBot(about, plan.folder / "bot", self._site, loop)
        self._off = self._on_again = 0

    async def run(self) -> RehearsalVerdict:
        living = asyncio.create_task(self._site.live())
        off_s = self._plan.hours_off * HOUR_S
        first_s = (self._plan.seconds - off_s) / 2
        try:
            self._bot.start()
            await self._pass(first_s)
            if off_s:
                await self._outage(off_s)
            await self._pass(self._plan.seconds - self._time.monotonic())
            await self._last_sweeps()
            self._bot.check()
            # The verdict is taken before the kill, which can come at any moment of the bot's work.
            found = self._verdict()
            await self._bot.kill()
        finally:
            living.cancel()
            await asyncio.gather(living, return_exceptions=True)
        return found

    async def _outage(self, seconds: float) -> None:
        """Turn the machine off. Deadlines that pass in that time are not the bot's fault."""
        await self._bot.kill()
        self._waits.off()
        self._off, self._on_again = self._site.now(), sys.maxsize
        await self._pass(seconds)
        self._on_again = self._site.now()
        self._waits.on_again(self._on_again)
        self._bot.start()

    async def _pass(self, seconds: float) -> None:
        end = self._time.monotonic() + seconds
        while (left := end - self._time.monotonic()) > 0:
            await self._time.sleep(min(left, SHOW_S))
            self._bot.check()
            self._show(self._progress())

    async def _last_sweeps(self) -> None:
        """Freeze the platform, and give the bot time to record all games that have ended."""
        self._site.freeze()
        await self._pass(LAST_SWEEPS * SWEEP_S)

    def _progress(self) -> RehearsalProgress:
        audit = self._world.audit
        violations = len(audit.violations) - len(self._while_off()) - len(self._just_after())
        games = len(self._world.site.games)
        return RehearsalProgress(self._time.monotonic(), games, 0, violations, dict(audit.counts))

    # ---- the verdict ---------------------------------------------------------------------------

    def _while_off(self) -> list[Violation]:
        return self._missed(self._off, self._on_again)

    def _just_after(self) -> list[Violation]:
        return self._missed(self._on_again, self._on_again + round(BACK_S * 1000))

    def _missed(self, begin: int, end: int) -> list[Violation]:
        """Return violations whose deadline is in that span, regardless of when they were
        noticed.
        """
        missed = self._world.audit.violations
        return [each for each in missed if each.due is not None and begin <= each.due < end]

    def _verdict(self) -> RehearsalVerdict:
        audit, site = self._world.audit, self._world.site
        while_off, just_after = self._while_off(), self._just_after()
        counts = {
            **audit.counts,
            "games begun": len(site.games),
            "games running at the end": len(site.running()),
            WHILE_OFF: len(while_off),
            JUST_AFTER: len(just_after),
            **self._waits.counts,
        }
        excused = {*while_off, *just_after}
        audit.violations = [each for each in audit.violations if each not in excused]
        found = [
            *checks(self._world, CREDENTIALS.client_id, 0, self._bot.records),
            self._overdue(),
            Condition("no game was played to its end", int(not counts.get("ended by played out"))),
        ]
        slowest_s = self._waits.slowest_ms / 1000
        return RehearsalVerdict(
            self._time.monotonic(), slowest_s, audit.slowest_call_ms, counts, found
        )

    def _overdue(self) -> Condition:
        """Return running games whose clock has run out, with the bot to move."""
        now = self._site.now()
        overdue = tuple(
            game.terms.game_id
            for game in self._world.site.running()
            if game.mover == CREDENTIALS.client_id and (game.now.deadline or now) < now
        )
        return Condition("running games past their clock", len(overdue), overdue[:3])


def _scenario(plan: Fortnight) -> Scenario:
    return Scenario(
        CREDENTIALS,
        Wanted(MOST_GAMES, plan.games),
        plan.habits,
        plan.faults,
        people=plan.games,
        seed=plan.seed,
    )
