"""`bluestone rehearse abstract-play`: play the bot against a local stand-in for the site."""

import asyncio
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from bot.cli.measurements import Count
from bot.cli.rehearsals import Folder, Games, Kills, Minutes, Seed, WithFaults, report_rehearsal
from bot.errors import ConfigurationError
from bot.rehearsal.verdict import RehearsalVerdict, Show
from bot.runtime.output import Json

Days = Annotated[
    float | None,
    Parameter(
        help="simulate this many days within minutes: --games at once, without real engines, and"
        " with the machine off in the middle",
        validator=validators.Number(gt=0, lte=366),
    ),
]
HoursOff = Annotated[
    float,
    Parameter(
        help="with --days: for how many hours the machine is off",
        validator=validators.Number(gte=0),
    ),
]


def rehearse(
    *,
    games: Games = 50,
    at_once: Annotated[Count, Parameter(help="number of games at the same time")] = 10,
    faults: WithFaults = False,
    kills: Kills = 0,
    days: Days = None,
    hours_off: HoursOff = 48.0,
    minutes: Minutes = 60,
    folder: Folder = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> int:
    """Play against simulated players on a local stand-in for Abstract Play.

    The bot runs as in production: as a process with its own folder. With --days its parts run in
    this process, in simulated time. The exit code is 1 if a finished game has no record, or if the
    bot did something forbidden. Without --days all games must also end.
    """
    from bot.guests.abstract_play.rehearsal import fortnight, run
    from bot.guests.abstract_play.rehearsal.faults import NASTY, NONE
    from bot.guests.abstract_play.rehearsal.plan import RehearsalPlan

    chosen = NASTY if faults else NONE

    def play(made: Path, show: Show) -> RehearsalVerdict:
        plan = RehearsalPlan(
            folder=made,
            games=games,
            at_once=at_once,
            faults=chosen,
            kills=kills,
            seed=seed,
            limit_s=60.0 * minutes,
        )
        return asyncio.run(run.rehearse(plan, show))

    def simulate(made: Path, show: Show) -> RehearsalVerdict:
        assert days is not None
        plan = fortnight.Fortnight(
            folder=made, games=games, days=days, hours_off=hours_off, faults=chosen, seed=seed
        )
        return fortnight.play(plan, show)

    if days is not None:
        _check_times(days, hours_off, kills)
    return report_rehearsal(folder, play if days is None else simulate, as_json=as_json)


def _check_times(days: float, hours_off: float, kills: int) -> None:
    if hours_off >= 24 * days:
        raise ConfigurationError(f"--hours-off {hours_off:g}: this covers all of the {days:g} days")
    if kills:
        raise ConfigurationError("--kills: there is no process to kill in simulated time")
