"""`bluestone rehearse hexo-arena`: play the bot against a local stand-in for the site."""

import asyncio
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from bot.cli.rehearsals import Folder, Games, Kills, Minutes, Seed, WithFaults, report_rehearsal
from bot.rehearsal.verdict import RehearsalVerdict, Show
from bot.runtime.output import Json

Crashes = Annotated[
    int,
    Parameter(
        help="let the server crash and come back this many times",
        validator=validators.Number(gte=0, lte=1_000),
    ),
]
AtOnce = Annotated[
    int,
    Parameter(
        help="number of games at the same time; a bot plays at most 4 there",
        validator=validators.Number(gte=1, lte=4),
    ),
]


def rehearse(
    *,
    games: Games = 50,
    at_once: AtOnce = 4,
    faults: WithFaults = False,
    kills: Kills = 0,
    crashes: Crashes = 0,
    minutes: Minutes = 60,
    folder: Folder = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> int:
    """Play against simulated players on a local stand-in for HeXO-Arena.

    The bot runs as in production: as a process with its own folder. The exit code is 1 if a game
    does not end, if a finished game has no record, or if the bot did something forbidden.
    """
    from bot.guests.hexo_arena.rehearsal import run
    from bot.guests.hexo_arena.rehearsal.faults import NASTY, NONE

    def play(made: Path, show: Show) -> RehearsalVerdict:
        plan = run.HexoPlan(
            folder=made,
            games=games,
            at_once=at_once,
            faults=NASTY if faults else NONE,
            kills=kills,
            crashes=crashes,
            seed=seed,
            limit_s=60.0 * minutes,
        )
        return asyncio.run(run.rehearse(plan, show))

    return report_rehearsal(folder, play, as_json=as_json)
