"""Commands of `bluestone arena` on finished games: export, and the table of openings."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from bot.cli.moderation import NAME_THE_FOLDER, Config, Data, place_of
from bot.errors import ConfigurationError
from bot.runtime.output import note, output_file

if TYPE_CHECKING:
    from bot.arena.store.database import Database

Result = Literal["won", "lost", "drawn", "aborted", "first", "second"]
AT_ONCE = 200


def add_to(app: App) -> None:
    """Add the commands to `bluestone arena`."""
    for command in (export, openings):
        app.command(command)


def export(
    *,
    data: Data = None,
    config: Config = None,
    player: Annotated[str, Parameter(help="only games of this player, by name or id")] = "",
    opponent: Annotated[str, Parameter(help="only those against this player")] = "",
    game: Annotated[str, Parameter(help="only this game, such as blooms")] = "",
    board: Annotated[str, Parameter(help="only this board")] = "",
    rules: Annotated[str, Parameter(help="only this rule set")] = "",
    result: Annotated[
        Result | None,
        Parameter(help="won, lost, drawn or aborted with --player; first or second without"),
    ] = None,
    rated: Annotated[bool | None, Parameter(help="only rated games, or only unrated ones")] = None,
    since: Annotated[str, Parameter(help="only games that ended on this day or later")] = "",
    until: Annotated[str, Parameter(help="only games that ended on this day or earlier")] = "",
    to_format: Annotated[
        Literal["jsonl", "sgf"], Parameter(name="--format", help="records, or an SGF collection")
    ] = "jsonl",
    output: Annotated[Path | None, Parameter(help="write to this file instead of stdout")] = None,
) -> None:
    """Export finished games from the database, the last one first.

    Works while the arena runs, and for an arena of several processes, which has no records.jsonl.
    """
    from bot.arena.records.game_search import GameSearch
    from bot.arena.records.record_query import asked_search, in_form
    from bot.arena.refusals import Refused

    query = {
        "player": player,
        "opponent": opponent,
        "game": game,
        "board": board,
        "rules": rules,
        "result": result or "",
        "since": since,
        "until": until,
        "rated": "" if rated is None else str(rated).lower(),
    }

    async def write() -> None:
        async with _database(data, config) as database:
            games = GameSearch(database)
            try:
                search = await asked_search(games, query)
            except Refused as refused:
                raise ConfigurationError(refused.message) from refused
            with output_file(output) as target:
                async for records in games.records(search):
                    target.write(in_form(records, to_format).decode())

    asyncio.run(write())


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
        async with _database(data, config) as database:
            store, total = OpeningStore(database), 0
            if rebuild:
                await store.start_again()
            while games := await store.due(MOST_TURNS, AT_ONCE):
                await store.count([counted_game(game) for game in games])
                total += len(games)
                note(f"{total:,} games counted")
            return total

    print(f"{asyncio.run(count()):,} games counted")


@asynccontextmanager
async def _database(data: Path | None, config: Path | None) -> AsyncIterator["Database"]:
    """The database of an arena that exists. Raises ConfigurationError if there is no database."""
    from bot.arena.store.connection import Hold
    from bot.arena.store.database import OPEN_S
    from bot.arena.store.opening import name_of, open_database, why_missing

    place = place_of(data, config)
    if (missing := why_missing(place)) is not None:
        raise ConfigurationError(f"{name_of(place)}: {missing}; {NAME_THE_FOLDER}")
    async with open_database(place, OPEN_S, Hold.NONE) as database:
        yield database
