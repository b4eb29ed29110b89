"""What the commands `bluestone rehearse PLATFORM` share: options, progress and report."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter, validators

from bot.cli.measurements import Count, FigureTable, MeasurementReport, print_report, verdict_report
from bot.rehearsal.verdict import (
    RehearsalProgress,
    RehearsalVerdict,
    Show,
    happened,
    line,
    must_hold,
)
from bot.runtime.files import make_folder
from bot.runtime.output import error_console, note, only_errors_logged

Games = Annotated[Count, Parameter(help="number of games to play")]
WithFaults = Annotated[
    bool,
    Parameter(
        negative="",
        help=(
            "add faults: messages that are lost, duplicated, late or stale; answers that are "
            "cut or wrong; connections that break"
        ),
    ),
]
Kills = Annotated[
    int,
    Parameter(
        help="kill the bot with SIGKILL this many times, at random moments",
        validator=validators.Number(gte=0, lte=1_000),
    ),
]
Minutes = Annotated[Count, Parameter(help="minutes after which the rehearsal fails")]
Folder = Annotated[
    Path | None,
    Parameter(help="folder for the bot's files and its log; by default a temporary one"),
]
Seed = Annotated[int, Parameter(help="seed of the random numbers")]

NOTE_EVERY_S: Final = 30.0
"""How often progress is printed to a pipe; a terminal shows a line that changes."""


def report_rehearsal(
    folder: Path | None, play: Callable[[Path, Show], RehearsalVerdict], *, as_json: bool
) -> int:
    """Rehearse, and print the verdict. Returns the exit code.

    `play` gets the folder for the bot's files. A temporary one is removed if all went well.
    """
    only_errors_logged()
    made = folder or Path(tempfile.mkdtemp(prefix="bluestone-rehearsal-"))
    make_folder(made)
    with _live() as show:
        outcome = play(made, show)
    code = print_report(_report(outcome), as_json=as_json)
    if folder is not None or not outcome.fine:
        note(f"the bot's files and its log are in {made}")
    else:
        shutil.rmtree(made, ignore_errors=True)
    return code


@contextmanager
def _live() -> Iterator[Show]:
    """Show counters on stderr: a line that changes on a terminal, otherwise a line at times."""
    console = error_console()
    if console.is_terminal:
        with console.status("starting the bot") as status:
            yield lambda progress: status.update(line(progress))
        return
    shown = 0.0

    def show(progress: RehearsalProgress) -> None:
        nonlocal shown
        if progress.seconds - shown >= NOTE_EVERY_S:
            shown = progress.seconds
            console.print(line(progress))

    yield show


def _report(outcome: RehearsalVerdict) -> MeasurementReport:
    counts = FigureTable(("what happened", ""), happened(outcome))
    checks = FigureTable(("must not happen", "found", "for example"), must_hold(outcome))
    return verdict_report(outcome, [counts, checks])
