"""`bluestone tournament`: play a tournament that a file describes, and continue it."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from bot.cli import tournament_views
from bot.cli.openings import openings
from bot.cli.tournament_views import Anchor, Log
from bot.cli.venues import NO_VENUE, Venues, elsewhere
from bot.errors import ConfigurationError
from bot.runtime.output import Json

app = App(name="tournament", help="Host tournaments of engines on this machine.")


@app.command
def run(
    file: Annotated[Path, Parameter(name="FILE", help="a TOML file; `bluestone check` checks it")],
    /,
    *,
    out: Annotated[Path, Parameter(help="folder of the ledger, the log of all results")],
    venues: Venues = NO_VENUE,
    anchor: Anchor = None,
    log: Log = None,
    as_json: Json = False,
) -> int:
    """Play a tournament. The same command continues it after any interruption or crash.

    Every finished game is committed to disk before it counts. SIGINT and SIGTERM abort the running
    games, which are played again later.
    """
    from bot.cli.hosting import host
    from bot.matches.settings import load_settings

    where = elsewhere(venues)
    option = "" if where is None else f" {where.option}"
    go_on = f"To continue: bluestone tournament run {file} --out {out}{option}"
    settings = load_settings(file, programs_here=where is None)
    return host(
        settings,
        out,
        as_json=as_json,
        go_on=go_on,
        elsewhere=where,
        anchor=anchor,
        log=log,
        of_event=True,
    )


@app.command
def pair(
    file: Annotated[Path, Parameter(name="FILE.trf", help="a report of the rounds so far")],
    /,
) -> None:
    """Pair the next round of a Swiss event by FIDE's Dutch system, edition of February 2026.

    FILE is TRF16 with XXR and XXC, or TRF26. Prints the number of pairs, then a line `white black`
    for each pair; `player 0` is the bye. Players with a bye or an absence in the next round's
    column are not paired.

    The exit code is 3 if all rounds are paired already, and 78 if the file is wrong or no legal
    pairing exists.
    """
    from bot.tournaments.dutch.card import Unpairable
    from bot.tournaments.dutch.pairing import pair as paired
    from bot.tournaments.trf.reading import read_report

    coming = read_report(_content(file), str(file))
    try:
        pairs = paired(coming)
    except Unpairable:
        why = "no pairing satisfies the absolute criteria of C.04.3"
        raise ConfigurationError(f"{file}: round {coming.number} cannot be paired: {why}") from None
    print(len(pairs))
    for white, black in pairs:
        print(white, black or 0)


def _content(file: Path) -> bytes:
    """Return the content, up to one byte more than a report may have. Raises ConfigurationError."""
    from bot.tournaments.trf.reading import MOST_BYTES

    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from error


tournament_views.register(app)
app.command(openings)
