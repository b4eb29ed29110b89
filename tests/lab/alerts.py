"""Each alert of config/alerts.yml, fired by the fault that it is for, and cleared by its end."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

from cyclopts import Parameter, validators

from bot.cli.measurements import Report, Seed, Table, measurement, progress, verdict_report
from bot.cli.output import error_console, only_errors_logged
from bot.errors import ConfigurationError
from bot.terminal.play import ensure_kernels
from tests.chaos.daemon import BotTerms
from tests.chaos.scene import ARENA, Scene, Terms, playing
from tests.chaos.site import SiteTerms
from tests.docs.pages import ROOT
from tests.lab import alert_faults as of_arena
from tests.lab import alert_faults_bot as of_bot
from tests.lab.alert_faults import Fault
from tests.lab.prometheus import Change, scraping, shortened

ALERTS: Final = ROOT / "config" / "alerts.yml"
LIMIT: Final = 120
"""Samples until an alert must fire, and until it must clear."""
CALM: Final = 5
"""Samples for which it must have been inactive before."""


@dataclass(frozen=True)
class Trial:
    """An alert's fault in words and as code.

    `changes` scales a threshold of the rule, `bot` and `site` limits of the bot; `scaled` says how.

    `arena` has settings of the arena. If it `is_whole`, the scene has the rehearsed platform. With
    `slow_disk`, the arena's disk can be made slow.
    """

    cause: str
    fault: Fault
    changes: Sequence[Change] | Callable[[Scene], Sequence[Change]] = ()
    scaled: str = "-"
    arena: str = ""
    bot: BotTerms = field(default_factory=BotTerms)
    site: SiteTerms = field(default_factory=SiteTerms)
    is_whole: bool = False
    slow_disk: bool = False

    def changes_in(self, scene: Scene) -> Sequence[Change]:
        return self.changes(scene) if callable(self.changes) else self.changes


def less_room(scene: Scene) -> Sequence[Change]:
    limit = of_arena.free_bytes(scene) - of_arena.LARGE_FILE // 2
    return [("disk_free_bytes < 2e9", f"disk_free_bytes < {limit:.3g}")]


def less_memory(scene: Scene) -> Sequence[Change]:
    limit = of_arena.memory(scene) + 12_000_000
    return [('"bluestone-.*"} > 1.5e9', f'"bluestone-.*"}} > {limit:.4g}')]


GROWTH: Final = (
    ("[12h]) * 86400 > 100e6", "[20s]) > 100e3"),
    ('"bluestone-.*"} > 86400', '"bluestone-.*"} > 20'),
    ("for: 6h", "for: 4s"),
)

TRIALS: Final[Mapping[str, Trial]] = {
    "BluestoneDown": Trial("SIGKILL of the arena", of_arena.killed_arena),
    "BluestoneRestarting": Trial("the arena killed and started three times", of_arena.restarts),
    "BluestoneDescriptorsLow": Trial(
        "150 WebSockets under a low `RLIMIT_NOFILE`",
        of_arena.few_descriptors,
        arena=of_arena.CROWDED,
    ),
    "BluestoneMemoryHigh": Trial(
        "400 guests; ended by a restart",
        of_arena.large_crowd,
        less_memory,
        "1.5 GB → 12 MB more than before",
        of_arena.CROWDED,
    ),
    "BluestoneMemoryGrows": Trial(
        "20 guests more per second",
        of_arena.growing_crowd,
        GROWTH,
        "100 MB/day → 100 kB/s",
        of_arena.CROWDED,
    ),
    "BluestoneArenaCannotWrite": Trial(
        "another program locks the database", of_arena.locked_database
    ),
    "BluestoneArenaClocksStopped": Trial(
        "SIGSTOP of the arena for 5 s",
        of_arena.stopped_for_a_while,
        [("seconds_total[10m]) > 60", "seconds_total[10m]) > 1")],
        "60 s → 1 s",
    ),
    "BluestoneArenaWriterSlow": Trial(
        "each flush of the disk takes 9 s", of_arena.slow_disk(9), slow_disk=True
    ),
    "BluestoneArenaTurnsSlow": Trial(
        "each flush of the disk takes 0.7 s", of_arena.slow_disk(0.7), slow_disk=True
    ),
    "BluestoneArenaFull": Trial(
        "guests, until none is admitted",
        of_arena.full_arena,
        scaled="`connections` = 100",
        arena=of_arena.SMALL,
    ),
    "BluestoneArenaSlowConsumers": Trial(
        "40 clients request games and read nothing",
        of_arena.slow_readers,
        arena=of_arena.CROWDED,
    ),
    "BluestoneArenaFails": Trial("a login without the table of tokens", of_arena.lost_table),
    "BluestoneArenaRecordsBehind": Trial(
        "a folder in the place of `records.jsonl`", of_arena.unwritable_records
    ),
    "BluestoneArenaTournamentStalled": Trial(
        "all players of a tournament leave; ended by its host",
        of_arena.stalled_tournament,
        [("waiting_seconds > 3600", "waiting_seconds > 10")],
        "1 h → 10 s",
    ),
    "BluestoneArenaDiskFilling": Trial(
        "a file of 600 MB beside the database",
        of_arena.large_file,
        less_room,
        "2 GB → 300 MB less than free",
    ),
    "BluestoneBotAlarm": Trial(
        "SIGSTOP of the arena",
        of_bot.stopped_arena,
        scaled="`alarm_after_s` = 6",
        bot=of_bot.IMPATIENT,
    ),
    "BluestoneBotRefused": Trial(
        "the bot's token is replaced; ended by the new one in `token_file`",
        of_bot.replaced_token,
    ),
    "BluestoneBotDisconnected": Trial("SIGKILL of the arena", of_arena.killed_arena),
    "BluestoneBotPlatformSilent": Trial(
        "SIGSTOP of the rehearsed platform",
        of_bot.stopped_site,
        [("event_age_seconds > 600", "event_age_seconds > 10")],
        "600 s → 10 s, `alarm_after_s` = 6",
        site=of_bot.IMPATIENT_WITH_SITE,
        is_whole=True,
    ),
    "BluestoneBotTurnUnconfirmed": Trial(
        "the arena's database is locked when the bot submits",
        of_bot.undelivered_turn,
        [("open_work_seconds > 900", "open_work_seconds > 15")],
        "900 s → 15 s",
    ),
    "BluestoneBotCannotWrite": Trial("no file of the bot may grow", of_bot.full_bot_disk),
    "BluestoneBotEngineFails": Trial(
        "engine processes die, and new ones fail", of_bot.broken_engine
    ),
    "BluestoneBotFallbacks": Trial("SIGKILL of engines while they think", of_bot.dying_engines),
    "BluestoneBotClockLow": Trial(
        "challenges to games with one second per turn", of_bot.hasty_games
    ),
    "BluestoneBotGamesUnread": Trial(
        "a game of the platform gets an unknown variant", of_bot.unknown_variant, is_whole=True
    ),
}
UNTRIED: Final = ("BluestoneBackupOld",)
"""Its metric comes from node_exporter, which is no program of ours; promtool tests the rule."""


@dataclass(frozen=True)
class Tried:
    """An alert's trial. Times are in seconds, from the beginning of the fault and of its end; None
    if the alert did not fire, or did not clear.
    """

    alert: str
    cause: str
    scaled: str
    fired_s: float | None
    cleared_s: float | None


@dataclass(frozen=True)
class AlertsVerdict:
    tried: list[Tried]

    @property
    def fine(self) -> bool:
        return all(each.cleared_s is not None for each in self.tried)


async def try_alert(name: str, trial: Trial, folder: Path, every_s: int, seed: int) -> Tried:
    """Run everything that the alert watches, cause the fault, and end it."""
    terms = Terms(trial.arena, trial.bot, trial.site, has_health=True)
    arena = of_arena.with_slow_disk(folder, ARENA) if trial.slow_disk else ARENA
    async with playing(
        folder, random.Random(seed), 1, arena, is_whole=trial.is_whole, terms=terms
    ) as scene:
        changes = trial.changes_in(scene)
        rules = shortened(ALERTS.read_text(encoding="utf-8"), every_s, changes)
        limit_s = LIMIT * every_s
        targets = {
            "bluestone-arena": f"127.0.0.1:{scene.proxy.port}",
            "bluestone-bot": scene.the_bot.health,
        }
        async with scraping(folder / "prometheus", rules, targets, every_s) as prometheus:
            await prometheus.until_all_up(len(targets))
            if not await prometheus.until_quiet(name, CALM * every_s, limit_s):
                return Tried(name, f"{trial.cause} (it fired before)", trial.scaled, None, None)
            began = time.monotonic()
            async with trial.fault(scene):
                fires = await prometheus.until(name, firing=True, limit_s=limit_s)
                fired = time.monotonic()
            if not fires:
                return Tried(name, trial.cause, trial.scaled, None, None)
            clears = await prometheus.until(name, firing=False, limit_s=limit_s)
            cleared_s = time.monotonic() - fired if clears else None
            return Tried(name, trial.cause, trial.scaled, fired - began, cleared_s)


async def measure(names: Sequence[str], every_s: int, seed: int) -> AlertsVerdict:
    tried = []
    for name in names:
        with TemporaryDirectory(prefix="bluestone-alerts-") as folder:
            found = await try_alert(name, TRIALS[name], Path(folder), every_s, seed)
        progress(f"{name}: fired after {_shown(found.fired_s)}, cleared {_shown(found.cleared_s)}")
        tried.append(found)
    return AlertsVerdict(tried)


def _shown(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.0f}"


HEAD: Final = ("alert", "fault", "scaled", "fires, s", "clears, s")


def rows(verdict: AlertsVerdict) -> list[tuple[str, ...]]:
    return [
        (
            each.alert,
            each.cause,
            each.scaled,
            _shown(each.fired_s),
            _shown(each.cleared_s),
        )
        for each in verdict.tried
    ]


def _markdown(verdict: AlertsVerdict) -> str:
    lines = [HEAD, ("---", "---", "---", "--:", "--:"), *rows(verdict)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


@measurement
def alerts(
    *,
    only: Annotated[
        list[str] | None,
        Parameter(negative="", help="name of an alert; may be given several times"),
    ] = None,
    as_markdown: Annotated[
        bool, Parameter("--markdown", negative="", help="print the table for a document")
    ] = False,
    every: Annotated[
        int,
        Parameter(
            help="seconds between two samples; more on a busy machine",
            validator=validators.Number(gte=1, lte=60),
        ),
    ] = 1,
    seed: Seed = 1,
) -> Report:
    """Fire each alert of config/alerts.yml by a real fault under a real Prometheus, and clear it.

    A fresh arena, bot and Prometheus (Debian's package) run for each alert, in a temporary folder.
    A minute of the rules lasts as long as --every. The exit code is 1 if an alert does not fire, or
    does not clear.
    """
    only_errors_logged()
    names = only or list(TRIALS)
    if unknown := [name for name in names if name not in TRIALS]:
        raise ConfigurationError(f"unknown alerts: {', '.join(unknown)}")
    ensure_kernels(error_console(), "bluestone")
    ensure_kernels(error_console(), "blooms")
    verdict = asyncio.run(measure(names, every, seed))
    table = _markdown(verdict) if as_markdown else Table(HEAD, rows(verdict))
    note = f"A minute of the rules took {every} s; no window was shorter than 10 of them."
    return verdict_report(verdict, [table, note])
