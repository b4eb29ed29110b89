"""From settings to what a host needs: how it begins, who directs it, and its games as tasks."""

import os
import platform
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot import __version__
from bot.matches.settings import LocalSettings
from bot.matches.stopping import sprt_rule
from bot.matches.task import GameTask
from bot.tournaments.director import Director, StopRule
from bot.tournaments.events import Began
from bot.tournaments.formats.base import Format
from bot.tournaments.formats.choice import format_of, paired_by, takes_forbidden
from bot.tournaments.model import ScheduledGame
from bot.tournaments.openings import OPENING_LINES, Lines
from bot.tournaments.schedule import Schedule

CPU_INFO: Final = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class LocalEvent:
    """A tournament of engines, as it is set."""

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
        if kind == "sprt":  # no game is another one for it
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
    """Processor, cores, Python and system of this machine. The processor's name is in `cpu_info`
    on Linux.
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
