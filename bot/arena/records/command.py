"""`bluestone arena export`: finished games as records or SGF."""

import asyncio
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from bot.arena.operator.command_line import Config, Data, existing_database
from bot.errors import ConfigurationError
from bot.runtime.doors import Command
from bot.runtime.output import output_file

Result = Literal["won", "lost", "drawn", "aborted", "first", "second"]


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
        async with existing_database(data, config) as database:
            games = GameSearch(database)
            try:
                search = await asked_search(games, query)
            except Refused as refused:
                raise ConfigurationError(refused.message) from refused
            with output_file(output) as target:
                async for records in games.records(search):
                    target.write(in_form(records, to_format).decode())

    asyncio.run(write())


EXPORT: Final = Command(f"{__name__}:export")
