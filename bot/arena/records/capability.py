"""Searches, downloads and the deletion of aborted games as a capability of the arena."""

from typing import Final

from bot.arena.capability import Capability, Core, Http, Part
from bot.arena.records.aborted_games import AbortedGames
from bot.arena.records.aborted_games_remover import AbortedGamesRemover
from bot.arena.records.game_search import GameSearch
from bot.arena.records.records_api import RecordsApi


def open_records(core: Core) -> Part:
    """Let visitors search finished games, and delete those that were aborted."""
    aborted = AbortedGamesRemover(
        AbortedGames(core.database),
        core.records,
        core.settings.play.keep_aborted_days,
        core.time,
        core.metrics.aborted_games_deleted,
    )
    aborted.on_deleted.append(core.finished.forget)

    def subscribe() -> None:
        aborted.on_deleted.append(lambda _ids: core.lobby.game_changed(is_news=True))

    async def open_hall() -> None:
        aborted.open()

    def add_routes(http: Http) -> None:
        RecordsApi(core.store, GameSearch(core.database), core.workers).add_to(http.routes)

    return Part(
        add_routes=add_routes,
        subscribe=subscribe,
        open_hall=open_hall,
        close_hall=aborted.close,
    )


RECORDS: Final = Capability("records", open_records)
