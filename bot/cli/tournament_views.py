"""`bluestone tournament show|report|export`: what became of a tournament, while it goes on too."""

from pathlib import Path
from time import sleep as wait
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import App, Parameter

from bot.cli.files import output_file
from bot.cli.output import note, print_json, text_console
from bot.errors import ConfigurationError
from bot.runtime.collecting import no_collecting

if TYPE_CHECKING:
    from rich.console import Console

    from bot.matches.report import Chronicle

REFRESH_S: Final = 1.0

Folder = Annotated[Path, Parameter(name="DIR", help="the folder of the tournament")]
Output = Annotated[Path | None, Parameter(help="write there instead of to stdout")]


def register(app: App) -> None:
    """Give `bluestone tournament` these commands."""
    for command in (show, report, export):
        app.command(command)


def show(
    folder: Folder,
    /,
    *,
    follow: Annotated[bool, Parameter(negative="", help="go on until the tournament ends")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="", help="print JSON")] = False,
) -> None:
    """Show where a tournament stands."""
    from bot.matches.report import read_chronicle

    if follow and as_json:
        raise ConfigurationError("--follow shows a table that changes: leave --json out, or it")
    if follow:
        _follow(folder, read_chronicle(folder), text_console())
    else:
        _show(folder, as_json=as_json)


@no_collecting()
def _show(folder: Path, *, as_json: bool) -> None:
    from bot.matches.report import read_chronicle

    story = read_chronicle(folder)
    if as_json:
        from bot.matches.report.figures_json import figures

        print_json(figures(story))
    else:
        from bot.cli.tournament_tables import overview

        text_console().print(overview(story))


def _follow(folder: Path, story: "Chronicle", console: "Console") -> None:
    """Until the tournament has ended, or somebody interrupts."""
    from rich.live import Live

    from bot.cli.tournament_tables import overview
    from bot.matches.report import read_chronicle
    from bot.matches.report.chronicle import size_of

    shown = size_of(folder)
    with Live(overview(story), console=console, auto_refresh=False) as live:
        while story.tournament.ended is None:
            wait(REFRESH_S)
            if (size := size_of(folder)) != shown:
                shown, story = size, read_chronicle(folder)
                live.update(overview(story), refresh=True)


@no_collecting()
def report(
    folder: Folder,
    /,
    *,
    output: Annotated[
        Path | None, Parameter(help="the file; report.html in the folder if none is named")
    ] = None,
) -> None:
    """Write one HTML page with the standings, all figures and every game to step through."""
    from bot.matches.report import read_chronicle, report_page

    page = report_page(read_chronicle(folder))
    path = folder / "report.html" if output is None else output
    with output_file(path) as file:
        file.write(page)
    print(f"{path}: {len(page.encode()) / 1000:,.0f} kB")


@no_collecting()
def export(
    folder: Folder,
    /,
    *,
    to_format: Annotated[
        Literal["jsonl", "csv", "sgf"],
        Parameter(
            name="--format",
            help="game records a line each, a table of games, or an SGF collection",
        ),
    ] = "jsonl",
    output: Output = None,
) -> None:
    """Write the games that count in a format that other programs read."""
    from bot.matches.report import read_chronicle
    from bot.matches.report.exports import exported, without_record

    story = read_chronicle(folder)
    if to_format != "csv" and (missing := without_record(story)):
        numbers = ", ".join(map(str, missing))
        note(f"left out, because the ledger has no record of their turns: games {numbers}")
    with output_file(output) as file:
        file.writelines(exported(story, to_format))
