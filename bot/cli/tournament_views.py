"""`bluestone tournament show|report|export`: a running or finished tournament."""

from pathlib import Path
from time import sleep as wait
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import App, Parameter

from bot.errors import ConfigurationError
from bot.runtime.collecting import no_collecting
from bot.runtime.output import note, output_file, print_json, text_console

if TYPE_CHECKING:
    from rich.console import Console

    from bot.matches.report import Chronicle

REFRESH_S: Final = 1.0

Folder = Annotated[Path, Parameter(name="DIR", help="the folder of the tournament")]
Anchor = Annotated[
    str | None, Parameter(help="the player whose Elo is set to 0; by default the mean is 0")
]
Log = Annotated[
    Path | None,
    Parameter(help="folder for a text file of each game with all lines to and from the engines"),
]
Output = Annotated[Path | None, Parameter(help="write to this file instead of stdout")]


def register(app: App) -> None:
    """Add these commands to `bluestone tournament`."""
    for command in (show, report, export):
        app.command(command)


def show(
    folder: Folder,
    /,
    *,
    follow: Annotated[
        bool, Parameter(negative="", help="keep the table up to date until the tournament ends")
    ] = False,
    anchor: Anchor = None,
    as_json: Annotated[bool, Parameter(name="--json", negative="", help="print JSON")] = False,
) -> None:
    """Show the standings of a tournament."""
    if follow and as_json:
        raise ConfigurationError(
            "--follow shows a table that changes, so it does not work with --json"
        )
    if follow:
        _follow(folder, _begun(folder), text_console(), anchor)
    else:
        _show(folder, anchor, as_json=as_json)


@no_collecting()
def _show(folder: Path, anchor: str | None, *, as_json: bool) -> None:
    from bot.matches.report import read_chronicle

    story = read_chronicle(folder)
    if as_json:
        from bot.matches.report.exports import figures

        print_json(figures(story, anchor))
    else:
        from bot.cli.tournament_tables import overview

        text_console().print(overview(story, anchor))


def _begun(folder: Path) -> "Chronicle":
    """Wait until the tournament has started. Its host may still be starting engines."""
    from bot.matches.ledger import LEDGER, read_ledger
    from bot.matches.report import read_chronicle

    path = folder / LEDGER
    if not path.exists():
        note(f"waiting for a tournament to start in {folder}")
    while not path.exists() or read_ledger(path).tournament is None:
        wait(REFRESH_S)
    return read_chronicle(folder)


def _follow(folder: Path, story: "Chronicle", console: "Console", anchor: str | None) -> None:
    """Show the tournament until it has ended, or until Ctrl-C."""
    from rich.live import Live

    from bot.cli.tournament_tables import overview
    from bot.matches.report import read_chronicle
    from bot.matches.report.chronicle import size_of

    shown = size_of(folder)
    with Live(overview(story, anchor), console=console, auto_refresh=False) as live:
        while story.tournament.ended is None:
            wait(REFRESH_S)
            if (size := size_of(folder)) != shown:
                shown, story = size, read_chronicle(folder)
                live.update(overview(story, anchor), refresh=True)


@no_collecting()
def report(
    folder: Folder,
    /,
    *,
    output: Annotated[
        Path | None, Parameter(help="the file; by default report.html in the folder")
    ] = None,
    anchor: Anchor = None,
) -> None:
    """Write one HTML page with the standings, all statistics, and every game to replay."""
    from bot.matches.report import read_chronicle, report_page

    page = report_page(read_chronicle(folder), anchor)
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
        Literal["jsonl", "csv", "sgf", "standings", "trf"],
        Parameter(
            name="--format",
            help="game records, one per line; a CSV table of games and byes; an SGF collection; a"
            " table of standings; or the rounds of a Swiss as a FIDE report (TRF16)",
        ),
    ] = "jsonl",
    output: Output = None,
) -> None:
    """Export the games that count in a format for other programs."""
    from bot.matches.report import read_chronicle
    from bot.matches.report.exports import exported, without_record

    story = read_chronicle(folder)
    if to_format == "trf":
        _export_report(story, output)
        return
    if to_format in {"jsonl", "sgf"} and (missing := without_record(story)):
        numbers = ", ".join(map(str, missing))
        note(f"left out, because the ledger has no record of their turns: games {numbers}")
    with output_file(output) as file:
        file.writelines(exported(story, to_format))


def _export_report(story: "Chronicle", output: Path | None) -> None:
    from bot.matches.report.exports import swiss_report

    text = swiss_report(story)
    if not story.tournament.is_round_complete():
        note(f"left out, because it is not finished: round {story.tournament.round}")
    with output_file(output) as file:
        file.write(text)
