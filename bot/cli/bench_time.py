"""`bluestone bench pondering` and `bluestone bench clocks`: what ways to use time are worth, with
playouts for seconds.
"""

from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter, validators

from bot.cli.bench_options import Count, Seed, progress
from bot.cli.games import Board, GameName, chosen_game
from bot.cli.output import print_json
from bot.cli.records import Json

Nodes = Annotated[
    int, Parameter(help="playouts a turn", validator=validators.Number(gte=10, lte=10**7))
]


def pondering(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    games: Count = 20,
    nodes: Nodes = 2_000,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """How often the engine's opponent, which is the engine itself, plays the turn that it expects,
    and what there is to gain by thinking about that turn or about all.
    """
    from bot.bench.time_use import measure_pondering

    found = measure_pondering(chosen_game(game, board, None), nodes, games, seed, progress)
    if as_json:
        print_json(asdict(found))
        return
    print(
        f"{found.game} on {found.board}, {nodes:,} playouts a turn: {found.hits} of {found.turns} "
        f"turns were expected, {found.share:.0%} (95 % between {found.low:.0%} and "
        f"{found.high:.0%}); {nodes:,} playouts on the opponent's time are worth "
        f"{found.gained:,.0f} a turn on the expected one, {found.gained_of_all:,.0f} on all"
    )


def clocks(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    games: Annotated[Count, Parameter(help="in pairs from one opening")] = 60,
    nodes: Nodes = 1_000,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """The engine's own use of a clock against the same share of it for every turn."""
    from bot.bench.time_use import measure_clocks

    found = measure_clocks(chosen_game(game, board, None), nodes, games, seed, progress)
    if as_json:
        print_json(asdict(found))
        return
    ours, theirs = found.playouts
    print(
        f"managed plans against even division, {found.game} on {found.board}, "
        f"{nodes:,} playouts a turn on the clock: "
        f"{found.wins} won, {found.draws} drawn, {found.losses} lost: "
        f"{found.score:.1%} (95 % between {found.low:.1%} and {found.high:.1%}); "
        f"used {ours:,} and {theirs:,} a game, {found.own_turns:.0f} turns each"
    )
