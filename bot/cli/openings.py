"""`bluestone tournament openings`: generates a suite of balanced openings."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

import engine
from bot.cli.games import Board, GameName, GameOptions, Rules, chosen_game
from bot.runtime.output import error_console, note, only_errors_logged, output_file

if TYPE_CHECKING:
    from bot.matches.openings import OpeningSearch

MOST_PLIES = 60


def openings(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    game_option: GameOptions = (),
    plies: Annotated[
        int,
        Parameter(
            help="turns of both players in an opening",
            validator=validators.Number(gte=1, lte=MOST_PLIES),
        ),
    ] = 4,
    count: Annotated[
        int, Parameter(help="number of openings", validator=validators.Number(gte=1, lte=100_000))
    ] = 50,
    seed: Annotated[int, Parameter(help="the same seed makes the same openings")] = 1,
    nodes: Annotated[
        int,
        Parameter(
            help="playouts to evaluate each opening",
            validator=validators.Number(gte=10, lte=10_000_000),
        ),
    ] = 5_000,
    within: Annotated[
        float,
        Parameter(
            help="largest distance of the first player's chance from one half",
            validator=validators.Number(gt=0, lte=0.5),
        ),
    ] = 0.1,
    out: Annotated[Path | None, Parameter(help="write to this file instead of stdout")] = None,
) -> int:
    """Generate random openings in which a short search finds neither side ahead, one per line.

    The exit code is 1 if fewer than --count were found.
    """
    from bot.matches.openings import suite_text
    from bot.terminal.play import ensure_kernels

    only_errors_logged()
    chosen = chosen_game(game, board, rules, game_option)
    ensure_kernels(error_console(), chosen.name)
    search = asyncio.run(_made(chosen, plies, count, seed, nodes, within))
    with output_file(out) as file:
        file.write(suite_text(chosen, plies, seed, search))
    if search.within > within:
        note(f"balanced openings are rare here: chances are up to {search.within:g} from one half")
    if not search.is_complete:
        note(f"found only {len(search.found)} different openings")
    return 0 if search.is_complete else 1


async def _made(
    game: engine.Game, plies: int, count: int, seed: int, nodes: int, within: float
) -> "OpeningSearch":
    from bot.matches.adjudication import ResultJudge
    from bot.matches.openings import made_openings
    from bot.time_source import SystemTime

    judge, console = ResultJudge(SystemTime(), nodes), error_console()
    with console.status("looking for openings") as status:

        def progress(search: "OpeningSearch") -> None:
            status.update(f"{len(search.found)} of {count} openings, {search.tried} tried")

        try:
            return await made_openings(game, plies, count, seed, judge, progress, within)
        finally:
            await judge.close()
