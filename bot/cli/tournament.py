"""`bluestone tournament`: play one that a file describes, and go on with it."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from bot.cli import tournament_views
from bot.cli.many_machines import Dask
from bot.cli.openings import openings
from bot.cli.records import Json

app = App(name="tournament", help="Host tournaments of engines on this machine.")


@app.command
def run(
    file: Annotated[Path, Parameter(name="FILE", help="a TOML file; `bluestone check` reads it")],
    /,
    *,
    out: Annotated[Path, Parameter(help="folder of the ledger, in which all is written down")],
    dask: Dask = None,
    as_json: Json = False,
) -> int:
    """Play a tournament; the same command again goes on where it was ended, however that was.

    Every game that is over is on the disk before it counts. SIGINT and SIGTERM end the running
    games, which are played again later.
    """
    from bot.cli.hosting import host
    from bot.matches.settings import load_settings

    where = "" if dask is None else f" --dask {dask}"
    go_on = f"To go on: bluestone tournament run {file} --out {out}{where}"
    settings = load_settings(file, programs_here=dask is None)
    return host(settings, out, as_json=as_json, go_on=go_on, dask=dask, of_event=True)


tournament_views.register(app)
app.command(openings)
