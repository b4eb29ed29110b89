"""`bluestone bench levels`: how far apart the levels of the built-in engine are."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from bot.cli.bench_options import Count, Seed, progress
from bot.cli.bench_tables import print_table
from bot.cli.games import Board, GameName, GameOptions, Rules, chosen_game
from bot.cli.output import print_json
from bot.cli.records import Json
from bot.errors import ConfigurationError

if TYPE_CHECKING:
    from bot.bench.levels import Rung

LevelNumber = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=10))]


def levels(
    *,
    games: Annotated[Count, Parameter(help="of each level against the one below")] = 60,
    lowest: LevelNumber = 1,
    highest: LevelNumber = 10,
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    game_option: GameOptions = (),
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Each level against the one below it, by playouts and not by time.

    Level 1 plays against random turns, and against a greedy player, who takes the turn after which
    the score looks best. Level 10 has no bound; here it gets twice the playouts of level 9.
    """
    from bot.bench.levels import LadderPlan, measure

    if lowest > highest:
        raise ConfigurationError(f"--lowest {lowest}: is above --highest {highest}")
    plan = LadderPlan(chosen_game(game, board, rules, game_option), games, lowest, highest, seed)
    rungs = measure(plan, progress)
    if as_json:
        print_json([asdict(each) for each in rungs])
    else:
        _print_rungs(rungs)


def _print_rungs(rungs: "list[Rung]") -> None:
    rows = [
        (
            *(str(each.level), each.opponent, str(each.games), f"{each.score:.0%}"),
            *(f"{each.low:.0%} to {each.high:.0%}", f"{each.turns:.0f}"),
        )
        for each in rungs
    ]
    print_table(("level", "against", "games", "score", "95 %", "turns a game"), rows)
