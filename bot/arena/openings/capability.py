"""The opening book as a capability of the arena."""

from typing import Final

from bot.arena.capability import Capability, Core, Http, Part
from bot.arena.openings.opening_book import OpeningBook
from bot.arena.openings.openings_api import OpeningsApi


def open_openings(core: Core) -> Part:
    """Count the turns of finished games, and show them."""
    check = core.preparation.check
    book = OpeningBook(core.database, core.time, core.menu, check)

    def subscribe() -> None:
        core.on_game_over.append(book.wake)
        core.preparation.on_change.append(book.wake)

    def add_routes(http: Http) -> None:
        api = OpeningsApi(book, core.menu, check, core.all_games, http.keys, core.workers)
        api.add_to(http.routes)

    return Part(add_routes=add_routes, subscribe=subscribe, close=book.close)


OPENINGS: Final = Capability("openings", open_openings)
