"""A static site, served as `python -m http.server` serves a folder."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import engine
from bot.arena.web.engine_files import ENGINE, engine_files, games_in
from bot.arena.web.page_bundle import FOLDER
from bot.guests.static_site.folder import write_site
from bot.guests.static_site.site_files import site_files
from tests.ahead import built

PLACE = "games/blue-stone"
"""The folder of the site below the top of the server."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


def page_with_engine(folder: Path) -> Path:
    """A copy of the page with the engine of all games, which is built if it must be."""
    page, names = folder / "page", [info.name for info in engine.games()]
    shutil.copytree(FOLDER, page)
    if set(games_in(engine_files(FOLDER))) != set(names):
        shutil.rmtree(page / ENGINE, ignore_errors=True)
        (page / ENGINE).mkdir()
        for name in names:
            for file in built(name).glob(f"{name}[.-]*"):
                shutil.copy(file, page / ENGINE)
    return page


def write_static_site(folder: Path) -> Path:
    """Write the site below a folder. Returns the top of the server."""
    top = folder / "served"
    write_site(top / PLACE, site_files(folder=page_with_engine(folder)))
    return top


@contextmanager
def served(top: Path) -> Iterator[str]:
    """Serve a folder. Gives the address of the site in it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(top)))
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/{PLACE}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
