"""Pictures and positions for other sites as a capability of the arena."""

from typing import Final

from bot.arena.capability import Capability, Core, Http, Part
from bot.arena.pictures.pictures import Pictures
from bot.arena.pictures.pictures_api import PicturesApi
from bot.arena.pictures.positions_api import PositionsApi
from bot.arena.pictures.renderer import Renderer


def open_pictures(core: Core) -> Part:
    """Draw positions and games."""
    pictures = Pictures(Renderer(), Renderer(), core.workers)
    check = core.preparation.check

    def add_routes(http: Http) -> None:
        PicturesApi(pictures, core.store, core.menu, check).add_to(http.routes)
        PositionsApi(core.store, core.menu, check, core.workers).add_to(http.routes)

    return Part(add_routes=add_routes, close=pictures.close)


PICTURES: Final = Capability("pictures", open_pictures)
