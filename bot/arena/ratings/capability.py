"""Ratings as a capability of the arena."""

from typing import Final

from bot.arena.capability import Capability, Core, Http, Part
from bot.arena.ratings.profiles import Profiles
from bot.arena.ratings.rating_api import RatingApi
from bot.arena.ratings.rating_service import Ratings
from bot.arena.ratings.rating_store import RatingStore


def open_ratings(core: Core) -> Part:
    """Rate games that have ended, and show players with their ratings."""
    store, profiles = RatingStore(core.database), Profiles(core.database)
    ratings = Ratings(store, core.accounts, core.time, core.metrics.games_rated)
    core.rated_play.ratings = ratings

    def subscribe() -> None:
        core.on_game_over.append(lambda over: ratings.game_ended(over.setup))
        ratings.on_change.append(core.lobby.changed)

    async def open_hall() -> None:
        store.duty = core.hall.duty
        ratings.open()

    def add_routes(http: Http) -> None:
        RatingApi(store, profiles, core.presence.player, core.time).add_to(http.routes)

    return Part(
        add_routes=add_routes, subscribe=subscribe, open_hall=open_hall, close_hall=ratings.close
    )


RATINGS: Final = Capability("ratings", open_ratings)
