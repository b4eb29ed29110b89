"""`bluestone arena openings`: count the games that the opening book has not counted yet."""

import asyncio
from typing import Annotated, Final

from cyclopts import Parameter

from bot.arena.operator.command_line import Config, Data, existing_database
from bot.runtime.doors import Command
from bot.runtime.output import note

AT_ONCE: Final = 200


def openings(
    *,
    data: Data = None,
    config: Config = None,
    rebuild: Annotated[
        bool, Parameter(negative="", help="empty the table first, and count all games")
    ] = False,
) -> None:
    """Count the finished games that are missing in the table of openings.

    A running arena does this by itself. --rebuild is useful after a game was not offered for a
    while: its games are left out meanwhile.
    """
    from bot.arena.openings.opening_book import MOST_TURNS, counted_game
    from bot.arena.openings.opening_store import OpeningStore

    async def count() -> int:
        async with existing_database(data, config) as database:
            store, total = OpeningStore(database), 0
            if rebuild:
                await store.start_again()
            while games := await store.due(MOST_TURNS, AT_ONCE):
                await store.count([counted_game(game) for game in games])
                total += len(games)
                note(f"{total:,} games counted")
            return total

    print(f"{asyncio.run(count()):,} games counted")


OPENINGS: Final = Command(f"{__name__}:openings")
