"""Runs a tournament of engines in a folder, from its settings to its end or to a signal."""

import asyncio
import os
import platform
import re
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot import __version__
from bot.matches.host import Host, Watch
from bot.matches.ledger import Ledger
from bot.matches.local_games import Note, OpenedVenue, Venue, this_machine
from bot.matches.openings import opening_lines
from bot.matches.programs import program_hashes
from bot.matches.settings import LocalSettings, settings_warnings
from bot.matches.task import GameTask
from bot.runtime.signals import handled
from bot.time_source import TimeSource
from bot.tournaments.director import Director, StopRule
from bot.tournaments.events import Began
from bot.tournaments.formats.base import Format
from bot.tournaments.formats.choice import format_of, paired_by, takes_forbidden
from bot.tournaments.model import ScheduledGame
from bot.tournaments.openings import LINES, OPENING_LINES, Lines
from bot.tournaments.schedule import Schedule
from bot.tournaments.sprt import Bounds
from bot.tournaments.sprt_run import SprtRun
from bot.tournaments.state import Tournament


def sprt_rule(player: str, opponent: str, bounds: Bounds) -> StopRule:
    """A stop rule that ends the tournament when the test of player against opponent is decided."""
    run = SprtRun(player, opponent, bounds)

    def rule(tournament: Tournament) -> str | None:
        test = run.of(tournament)
        if test.verdict is None:
            return None
        ratio = f"the log-likelihood ratio is {test.ratio:.2f}"
        elo = "nElo" if bounds.model == "normalised" else "Elo"
        if test.verdict == "H1":
            return f"{player} is more than {bounds.elo0:g} {elo} ahead of {opponent}: {ratio}"
        return f"{player} is less than {bounds.elo1:g} {elo} ahead of {opponent}: {ratio}"

    return rule


CPU_INFO: Final = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class LocalEvent:
    """A tournament of engines with its settings and openings."""

    settings: LocalSettings
    openings: Lines

    def began(self) -> Began:
        settings = self.settings
        return Began(
            name=settings.name,
            entrants=tuple(player.entrant for player in settings.players),
            setups=tuple(each.setup() for each in settings.setups),
            seed=settings.seed,
            settings={**settings.model_dump(mode="json"), OPENING_LINES: self.openings},
            software=f"bluestone {__version__}",
            paired_by=paired_by(settings.format.kind),
            machine=machine_words(),
            programs=program_hashes(settings.players),
        )

    def director(self) -> Director:
        settings = self.settings
        schedule = Schedule(
            games_per_pairing=settings.games_per_pairing,
            setups=len(settings.setups),
            mix=settings.mix,
            openings=[[tuple(line) for line in lines] for lines in self.openings],
        )
        return Director(self._format(), schedule, self._stop_rule())

    def _format(self) -> Format:
        settings = self.settings
        kind, options = settings.format.kind, settings.format.options
        if takes_forbidden(kind):
            options["forbidden"] = frozenset(frozenset(pair) for pair in settings.forbidden)
        if kind == "sprt":  # `concurrency` pairings at once change no game of the tournament
            options.setdefault("ahead", settings.concurrency)
        return format_of(kind, **options)

    def _stop_rule(self) -> StopRule | None:
        if self.settings.sprt is None:
            return None
        player, opponent = (each.name for each in self.settings.players[:2])
        return sprt_rule(player, opponent, self.settings.sprt.bounds)

    def task_of(self, game: ScheduledGame) -> GameTask:
        players = {player.name: player for player in self.settings.players}
        one, two = (players[name] for name in game.seats)
        return GameTask(
            tournament=self.settings.name,
            seed=self.settings.seed,
            scheduled=game,
            setup=self.settings.setups[game.setup].setup(),
            engines=(one.spec, two.spec),
            conduct=self.settings.conduct,
            own_limits=(one.own_limit, two.own_limit),
        )


def machine_words(cpu_info: Path = CPU_INFO) -> str:
    """Processor, cores, Python and system of this machine.

    On Linux, `cpu_info` has the name of the processor.
    """
    name = None
    with suppress(OSError):
        name = re.search(
            r"^model name\s*:\s*(.+)$", cpu_info.read_text(errors="replace"), re.MULTILINE
        )
    processor = name[1].strip() if name else platform.processor() or platform.machine()
    return (
        f"{processor}, {os.cpu_count() or 1} cores, "
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.release()} {platform.machine()}"
    )


async def run_event(
    settings: LocalSettings,
    folder: Path,
    time: TimeSource,
    watch: Watch,
    note: Note,
    venue: Venue = this_machine,
) -> Tournament | None:
    """Run a tournament until it ends or a signal stops it. Returns it; None if it did not begin.

    Raises ConfigurationError if an engine does not start (a new tournament then does not begin), or
    if the folder has another tournament. Raises HostError as `Ledger` and `Host` do.
    """
    with Ledger.opened(folder, time) as ledger:
        for text in ledger.notes:
            note(text)
        if ledger.before is not None:
            began = _event(settings, ledger.before).began()
            ledger.begin(began)
            if ledger.before.ended is None:
                games = len(ledger.before.played)
                note(f"continuing after {games} {'game' if games == 1 else 'games'}")
                if began.paired_by != ledger.before.began.paired_by:
                    note(f"rounds from now on are paired by {began.paired_by}")
        else:
            for warning in settings_warnings(settings):
                note(f"warning: {warning}")
        if ledger.before is None or ledger.before.ended is None:
            opened = venue(settings, time, note)
            await _until_interrupted(_play(settings, ledger, time, watch, note, opened))
        return ledger.tournament if ledger.has_begun else None


def _event(settings: LocalSettings, before: Tournament) -> LocalEvent:
    """The event with the openings with which it began: their file may have changed since."""
    lines = before.began.settings.get(OPENING_LINES, [])
    return LocalEvent(settings, LINES.validate_python(lines))


async def _play(
    settings: LocalSettings,
    ledger: Ledger,
    time: TimeSource,
    watch: Watch,
    note: Note,
    venue: OpenedVenue,
) -> None:
    async with venue as (play, concurrency):
        if ledger.before is not None:
            event = _event(settings, ledger.before)
        else:
            event = LocalEvent(settings, await opening_lines(settings, time, note))
            ledger.begin(event.began())
        await Host(ledger, event.director(), event.task_of, play, concurrency, watch).run()


async def _until_interrupted(work: Coroutine[None, None, None]) -> None:
    task = asyncio.create_task(work)

    def end() -> None:
        task.cancel()

    with handled(end):
        await asyncio.wait([task])
    if not task.cancelled():
        task.result()
