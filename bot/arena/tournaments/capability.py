"""Tournaments as a capability of the arena."""

from typing import Final

from bot.arena.capability import Capability, Core, Http, Part
from bot.arena.store.orders import Order
from bot.arena.tournaments.shared_library import SharedLibrary
from bot.arena.tournaments.tournament_api import TournamentApi
from bot.arena.tournaments.tournament_book import TournamentBook
from bot.arena.tournaments.tournament_library import TournamentLibrary
from bot.arena.tournaments.tournament_preview import described_by
from bot.arena.tournaments.tournament_readings import tournament_readings
from bot.arena.tournaments.tournament_requests import tournament_requests
from bot.arena.tournaments.tournament_runner import TournamentRunner
from bot.arena.tournaments.tournament_service import Tournaments
from bot.arena.tournaments.tournament_store import TournamentStore
from bot.arena.tournaments.tournament_views import TournamentNews, TournamentViews


def open_tournaments(core: Core) -> Part:
    """Let hosts run tournaments between connected players."""
    store, clock = TournamentStore(core.database, core.time), core.clock
    book, views = TournamentBook(store, clock), TournamentViews(core.presence, clock)
    core.presence.on_renamed.append(book.player_renamed)
    news = TournamentNews(views, core.announcer, core.time)
    runner = TournamentRunner(
        book, store, core.all_games, core.starter, core.presence, views, clock, core.metrics
    )
    library = TournamentLibrary(book, store, views, core.workers)
    tournaments = Tournaments(
        book,
        runner,
        views,
        store,
        core.hosts,
        core.menu,
        core.settings.play,
        clock,
        core.workers,
        library,
    )
    shared = SharedLibrary(library, core.hall)
    core.lobby.tournaments = tournaments.current
    core.name_keepers.append(tournaments)
    core.alarm_failures["tournaments"] = lambda: runner.alarm_failures

    async def end(order: Order) -> str:
        why = f"The operator ended the tournament: {order.by.reason}"
        name = await tournaments.end_by_operator(order.subject, why)
        return f"{name} is ended; games that run are played to their end"

    core.moderation.handlers["end-tournament"] = end

    def subscribe() -> None:
        core.on_game_over.append(lambda over: runner.game_ended(over.tournament_id, over.names))
        core.database.on_trouble.append(
            lambda why: runner.everything_changed() if why is None else None
        )
        for changes in (core.preparation.on_change, core.maintenance.on_change):
            changes.append(runner.everything_changed)
        book.on_change += [lambda _hosted, is_news: core.lobby.changed(is_news), news.changed]
        core.presence.on_came.append(runner.player_came_or_left)
        core.presence.on_left.append(runner.player_came_or_left)

    async def open_hall() -> None:
        store.duty = core.hall.duty
        await book.open()
        runner.everything_changed()

    async def close_hall() -> None:
        await news.close()
        await runner.close()

    def add_routes(http: Http) -> None:
        TournamentApi(shared, http.documents).add_to(http.routes)
        http.previews.add("tournament", described_by(core.database))

    return Part(
        requests=tournament_requests(tournaments, library),
        add_routes=add_routes,
        readings=tournament_readings(book, clock),
        welcome=lambda player: {"tournaments": tournaments.of_player(player)},
        subscribe=subscribe,
        open_hall=open_hall,
        close_hall=close_hall,
    )


TOURNAMENTS: Final = Capability("tournaments", open_tournaments)
