"""`bluestone static`: write a site that needs no server program."""

from pathlib import Path, PurePosixPath
from typing import Annotated

from cyclopts import Parameter

from bot.runtime.output import note


def static(
    directory: Annotated[Path, Parameter(help="the folder, which is made if it is missing")],
    /,
    *,
    base: Annotated[
        str | None,
        Parameter(help="the path of the folder on its site, such as / or /games: adds 404.html"),
    ] = None,
) -> None:
    """Write a folder that any web server can serve as it is: nothing of Bluestone runs there.

    It has the lessons, the rules, the puzzles, ten levels of each game and the analysis board. The
    visitor's browser plays and searches. After the first visit the site works offline.
    """
    from bot.guests.static_site.folder import write_site
    from bot.guests.static_site.site_files import checked_base, site_files

    files = site_files(None if base is None else checked_base(base))
    write_site(directory, files)
    size = sum(map(len, files.values()))
    note(f"Wrote {len(files)} files, {size / 1e6:.1f} MB, into {directory}.")
    _tell_how_to_look(directory, checked_base(base or "/"))


def _tell_how_to_look(folder: Path, base: str) -> None:
    """With a base the addresses in the site work only there."""
    names = PurePosixPath(base).parts[1:]
    parts = folder.absolute().parts
    if parts[len(parts) - len(names) :] != names:
        note(f"A server must have it at {base}/.")
        return
    top = folder.absolute().parents[len(names) - 1] if names else folder
    note(f"To look at it: python -m http.server --bind 127.0.0.1 --directory {top}")
    note(f"Then open http://127.0.0.1:8000{base}/")
