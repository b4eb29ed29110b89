"""`bluestone rehearse`: play the bot against a local stand-in for a platform."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter, validators

from bot.cli.measurements import Count, Report, Table, print_report, verdict_report
from bot.cli.output import error_console, note, only_errors_logged
from bot.cli.records import Json
from bot.errors import ConfigurationError
from bot.runtime.files import make_folder

if TYPE_CHECKING:
    from bot.rehearsal.fortnight import Fortnight
    from bot.rehearsal.hexo_arena.run import HexoPlan
    from bot.rehearsal.plan import Progress, RehearsalPlan, RehearsalVerdict

Times = Annotated[
    int,
    Parameter(
        help="kill the bot with SIGKILL this many times, at random moments",
        validator=validators.Number(gte=0, lte=1_000),
    ),
]

Crashes = Annotated[
    int,
    Parameter(
        help="hexo-arena only: let the server crash and come back this many times",
        validator=validators.Number(gte=0, lte=1_000),
    ),
]
AtOnce = Annotated[
    Count | None,
    Parameter(help="number of games at the same time; by default 10, and 4 on hexo-arena"),
]

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

NOTE_EVERY_S: Final = 30.0
"""How often progress is printed to a pipe; a terminal shows a line that changes."""


def rehearse(
    platform: Literal["abstract-play", "hexo-arena"],
    /,
    *,
    games: Annotated[Count, Parameter(help="number of games to play")] = 50,
    at_once: AtOnce = None,
    faults: Annotated[
        bool,
        Parameter(
            negative="",
            help=(
                "add faults: messages that are lost, duplicated, late or stale; answers that are "
                "cut or wrong; connections that break"
            ),
        ),
    ] = False,
    kills: Times = 0,
    crashes: Crashes = 0,
    days: Days = None,
    hours_off: HoursOff = 48.0,
    minutes: Annotated[Count, Parameter(help="minutes after which the rehearsal fails")] = 60,
    folder: Annotated[
        Path | None,
        Parameter(help="folder for the bot's files and its log; by default a temporary one"),
    ] = None,
    seed: Annotated[int, Parameter(help="seed of the random numbers")] = 1,
    as_json: Json = False,
) -> int:
    """Play against simulated players on a local stand-in for the platform.

    The bot runs as in production: as a process with its own folder. With --days its parts run in
    this process, in simulated time. The exit code is 1 if a finished game has no record, or if the
    bot did something forbidden. Without --days all games must also end.
    """
    from bot.rehearsal.faults import NASTY, NONE
    from bot.rehearsal.fortnight import Fortnight
    from bot.rehearsal.hexo_arena import faults as hexo_faults
    from bot.rehearsal.hexo_arena.run import HexoPlan
    from bot.rehearsal.plan import RehearsalPlan

    only_errors_logged()
    _check_platform(platform, days, crashes, at_once)
    if days is not None:
        _check_times(days, hours_off, kills)
    made = folder or Path(tempfile.mkdtemp(prefix="bluestone-rehearsal-"))
    make_folder(made)
    chosen = NASTY if faults else NONE
    if platform == "hexo-arena":
        outcome = _on_hexo_arena(
            HexoPlan(
                folder=made,
                games=games,
                at_once=at_once or 4,
                faults=hexo_faults.NASTY if faults else hexo_faults.NONE,
                kills=kills,
                crashes=crashes,
                seed=seed,
                limit_s=60.0 * minutes,
            )
        )
    elif days is None:
        plan = RehearsalPlan(
            folder=made,
            games=games,
            at_once=at_once or 10,
            faults=chosen,
            kills=kills,
            seed=seed,
            limit_s=60.0 * minutes,
        )
        outcome = _rehearsed(plan)
    else:
        fortnight = Fortnight(
            folder=made,
            games=games,
            days=days,
            hours_off=hours_off,
            faults=chosen,
            seed=seed,
        )
        outcome = _simulated(fortnight)
    code = print_report(_report(outcome), as_json=as_json)
    if folder is not None or not outcome.fine:
        note(f"the bot's files and its log are in {made}")
    else:
        shutil.rmtree(made, ignore_errors=True)
    return code


def _check_platform(platform: str, days: float | None, crashes: int, at_once: int | None) -> None:
    if platform == "hexo-arena":
        if days is not None:
            raise ConfigurationError("--days: this works on abstract-play only")
        if at_once is not None and at_once > 4:
            raise ConfigurationError("--at-once: a bot plays at most 4 games at once there")
    elif crashes:
        raise ConfigurationError("--crashes: this works on hexo-arena only")


def _check_times(days: float, hours_off: float, kills: int) -> None:
    if hours_off >= 24 * days:
        raise ConfigurationError(f"--hours-off {hours_off:g}: this covers all of the {days:g} days")
    if kills:
        raise ConfigurationError("--kills: there is no process to kill in simulated time")


def _rehearsed(plan: "RehearsalPlan") -> "RehearsalVerdict":
    from bot.rehearsal.run import rehearse as play

    with _live() as show:
        return asyncio.run(play(plan, show))


def _on_hexo_arena(plan: "HexoPlan") -> "RehearsalVerdict":
    from bot.rehearsal.hexo_arena.run import rehearse as play

    with _live() as show:
        return asyncio.run(play(plan, show))


def _simulated(fortnight: "Fortnight") -> "RehearsalVerdict":
    from bot.rehearsal.fortnight import play

    with _live() as show:
        return play(fortnight, show)


@contextmanager
def _live() -> "Iterator[Callable[[Progress], None]]":
    """Show counters on stderr: a line that changes on a terminal, otherwise a line at times."""
    from bot.rehearsal.plan import line

    console = error_console()
    if console.is_terminal:
        with console.status("starting the bot") as status:
            yield lambda progress: status.update(line(progress))
        return
    shown = 0.0

    def show(progress: "Progress") -> None:
        nonlocal shown
        if progress.seconds - shown >= NOTE_EVERY_S:
            shown = progress.seconds
            console.print(line(progress))

    yield show


def _report(outcome: "RehearsalVerdict") -> Report:
    from bot.rehearsal.plan import happened, must_hold

    counts = Table(("what happened", ""), happened(outcome))
    checks = Table(("must not happen", "found", "for example"), must_hold(outcome))
    return verdict_report(outcome, [counts, checks])
