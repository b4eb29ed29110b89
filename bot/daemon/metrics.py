"""The metrics of a bot daemon for Prometheus; docs/monitoring.md explains each of them.

What happens is counted where it happens, through `IdentityMetrics`. Everything else is read at each
scrape from the daemon's status, which is taken once before, and from the engine pools.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, get_args

from aiohttp import web
from prometheus_client import CollectorRegistry, Histogram

from bot.daemon.submission import Submission
from bot.engines.failures import CAUSES
from bot.engines.pool import EnginePool
from bot.engines.questions import PonderOutcome
from bot.platforms.base import GameFacts
from bot.records.model import is_draw
from bot.runtime.health import DaemonStatus, PlatformStatus
from bot.runtime.metrics import ClosedCounter, Reading, Readings, latency, metrics_handler
from bot.time_controls import time_left_ms

PREFIX: Final = "bluestone_bot_"
ENGINE: Final = ("engine",)
RESULTS: Final = ("won", "lost", "drawn", "aborted", "unknown")
SUBMISSIONS: Final = ("acknowledged", "postponed", "unanswered", "refused", "illegal")
SOURCES: Final = ("engine", "fallback", "forced")
REASONS: Final = (
    *("draining", "disk", "itself", "blocked", "not_allowed", "no_bots", "no_persons"),
    *("no_guests", "open_challenge", "game", "board", "rules", "not_playable", "warming"),
    *("clock_kind", "clock_too_short", "clock_too_long", "increment_too_short"),
    *("increment_too_long", "casual_only", "rated_only", "too_many_games", "too_many_with_you"),
)
"""Codes of declined challenges; open challenges that the bot leaves alone are not counted."""
LONG_BUCKETS: Final = (
    *(0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 300.0, 900.0),
    *(3600.0, 14_400.0, 86_400.0, 604_800.0),
)
"""Upper bounds in seconds for thinking, and for time on a clock: from 10 ms to a week."""


@dataclass(frozen=True)
class BotMetrics:
    """The counters and histograms of one daemon. `platform` is the name of an identity."""

    games_finished: ClosedCounter
    challenges_accepted: ClosedCounter
    challenges_declined: ClosedCounter
    turns: ClosedCounter
    submissions: ClosedCounter
    pondered: ClosedCounter
    turn_go: Histogram
    turn_submitted: Histogram
    turn_confirmed: Histogram
    clock_reserve: Histogram

    def identity(self, platform: str) -> "IdentityMetrics":
        return IdentityMetrics(self, platform)


def bot_metrics(registry: CollectorRegistry, platforms: Iterable[str]) -> BotMetrics:
    """Make what is counted, for identities of these names."""
    names = list(platforms)

    def counter(name: str, text: str, **labels: Iterable[str]) -> ClosedCounter:
        return ClosedCounter(registry, f"{PREFIX}{name}_total", text, platform=names, **labels)

    def long(name: str, text: str) -> Histogram:
        name = f"{PREFIX}{name}_seconds"
        return Histogram(name, text, registry=registry, buckets=LONG_BUCKETS)

    return BotMetrics(
        games_finished=counter(
            "games_finished", "Games that ended, by result for the bot.", result=RESULTS
        ),
        challenges_accepted=counter("challenges_accepted", "Challenges that were accepted."),
        challenges_declined=counter(
            "challenges_declined", "Challenges that were declined.", reason=REASONS
        ),
        turns=counter("turns", "Turns of the bot that a server shows.", source=SOURCES),
        submissions=counter(
            "turn_submissions", "Attempts to submit a turn, by outcome.", outcome=SUBMISSIONS
        ),
        pondered=counter(
            "pondered", "Turns before which an engine pondered.", outcome=get_args(PonderOutcome)
        ),
        turn_go=latency(
            registry,
            f"{PREFIX}turn_go_seconds",
            "From the arrival of the opponent's turn to the engine's go.",
        ),
        turn_submitted=long(
            "turn_submitted", "From the arrival of the opponent's turn to the first submission."
        ),
        turn_confirmed=long(
            "turn_confirmed", "From the first submission of a turn until a server shows it."
        ),
        clock_reserve=long(
            "clock_reserve", "Time left on the bot's clock when it first submits a turn."
        ),
    )


class IdentityMetrics:
    """The metrics of one identity."""

    def __init__(self, metrics: BotMetrics, platform: str) -> None:
        self._metrics = metrics
        self._platform = platform

    def game_finished(self, facts: GameFacts) -> None:
        outcome = facts.outcome
        if outcome is None:
            return
        if outcome.winner is None:
            is_drawn = is_draw(outcome.winner, outcome.reason)
            is_aborted = outcome.reason == "aborted"
            result = "drawn" if is_drawn else "aborted" if is_aborted else "unknown"
        else:
            result = "won" if outcome.winner == facts.seat else "lost"
        self._metrics.games_finished.inc(self._platform, result)

    def challenge_answered(self, declined: str | None) -> None:
        """Count a challenge; `declined` is the reason, None if it was accepted."""
        if declined is None:
            self._metrics.challenges_accepted.inc(self._platform)
        else:
            self._metrics.challenges_declined.inc(self._platform, declined)

    def turn_sent(self, submission: Submission, facts: GameFacts, now: float) -> None:
        """Count the times of a turn that is sent for the first time."""
        since = now - submission.arrived
        self._metrics.turn_submitted.observe(since)
        if submission.go_after_ms is not None:
            self._metrics.turn_go.observe(submission.go_after_ms / 1000)
        left_ms = time_left_ms(facts.setup.control, facts.clocks[facts.seat - 1])
        if left_ms is not None:
            used_s = now - facts.arrived
            self._metrics.clock_reserve.observe(max(0.0, left_ms / 1000 - used_s))

    def submission_ended(self, outcome: str) -> None:
        self._metrics.submissions.inc(self._platform, outcome)

    def turn_confirmed(self, submission: Submission, now: float) -> None:
        self._metrics.turns.inc(self._platform, submission.chosen.info.source or "")
        if submission.sent_at is not None:
            self._metrics.turn_confirmed.observe(now - submission.sent_at)
        if submission.answer is not None and submission.answer.pondered is not None:
            self._metrics.pondered.inc(self._platform, submission.answer.pondered)


@cache
def unmeasured() -> IdentityMetrics:
    """Metrics that no page shows."""
    return bot_metrics(CollectorRegistry(), ["arena"]).identity("arena")


# ---- what is read ------------------------------------------------------------------------------


class StatusSnapshot:
    """The daemon's `status` at the last scrape, as metrics."""

    def __init__(self, registry: CollectorRegistry, pools: Mapping[str, EnginePool]) -> None:
        self.status: DaemonStatus | None = None
        self._expose = metrics_handler(registry)
        Readings(registry, [*self._of_status(), *_of_engines(pools)])

    def page(
        self, status: Callable[[], Awaitable[DaemonStatus]]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """The handler for GET /metrics."""

        async def metrics(request: web.Request) -> web.StreamResponse:
            self.status = await status()
            return await self._expose(request)

        return metrics

    def _of_status(self) -> list[Reading]:
        def of_daemon(name: str, text: str, read: Callable[[DaemonStatus], float]) -> Reading:
            return Reading(
                PREFIX + name, text, lambda: None if self.status is None else read(self.status)
            )

        def of_platforms(
            name: str, text: str, read: Callable[[PlatformStatus], float | None]
        ) -> Reading:
            def by_platform() -> dict[str | tuple[str, ...], float]:
                platforms = () if self.status is None else self.status.platforms
                found = ((each.name, read(each)) for each in platforms)
                return {name: value for name, value in found if value is not None}

            return Reading(PREFIX + name, text, by_platform, ("platform",))

        return [
            of_platforms("games", "Games that the bot plays now.", lambda it: len(it.games)),
            of_platforms(
                "unread_games", "Games that the bot cannot read.", lambda it: len(it.unread)
            ),
            of_platforms(
                "platform_connected", "1 while the server is connected.", lambda it: it.connected
            ),
            of_platforms(
                "platform_refused",
                "1 while the server refuses the bot.",
                lambda it: it.refused is not None,
            ),
            of_platforms(
                "platform_last_event_age_seconds",
                "Time since the server last sent anything.",
                lambda it: it.last_event_age_s,
            ),
            of_daemon("alarms", "Problems that wait for a person.", lambda it: it.alarms),
            of_daemon("problems", "Files that cannot be written now.", lambda it: len(it.problems)),
            of_daemon("draining", "1 while the daemon is stopping.", lambda it: it.draining),
            of_daemon("ready", "1 while the daemon is ready.", lambda it: it.ready),
            of_daemon(
                "journal_open_work",
                "Turns of the bot that no server has shown yet.",
                lambda it: len(it.work),
            ),
            of_daemon(
                "journal_oldest_open_work_seconds",
                "Age of the oldest of them; 0 if there is none.",
                lambda it: max((each.for_s for each in it.work), default=0.0),
            ),
        ]


def _of_engines(pools: Mapping[str, EnginePool]) -> list[Reading]:
    def gauge(name: str, text: str, read: Callable[[EnginePool], float]) -> Reading:
        return Reading(
            PREFIX + name, text, lambda: {key: read(pool) for key, pool in pools.items()}, ENGINE
        )

    def counter(name: str, text: str, read: Callable[[EnginePool], float]) -> Reading:
        return Reading(
            f"{PREFIX}{name}_total",
            text,
            lambda: {key: read(pool) for key, pool in pools.items()},
            ENGINE,
            "counter",
        )

    def by_cause(name: str, text: str, read: Callable[[EnginePool], Mapping[str, int]]) -> Reading:
        def found() -> dict[str | tuple[str, ...], float]:
            counted = {key: read(pool) for key, pool in pools.items()}
            return {
                (key, cause): of.get(cause, 0) for key, of in counted.items() for cause in CAUSES
            }

        return Reading(f"{PREFIX}{name}_total", text, found, (*ENGINE, "cause"), "counter")

    return [
        gauge("engine_healthy", "1 while the engine works.", lambda it: it.health.healthy),
        gauge("engine_processes", "Processes that run.", lambda it: it.health.alive),
        counter("engines_started", "Processes that have started.", lambda it: it.started),
        counter("engines_killed", "Processes killed after a failure.", lambda it: it.killed),
        by_cause("engine_failures", "Failures of an engine.", lambda it: it.health.failures),
        by_cause(
            "fallback_turns", "Turns that the fallback chose instead.", lambda it: it.fallbacks
        ),
    ]
