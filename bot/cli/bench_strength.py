"""`bluestone bench strength`: one engine against another."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.bench_options import Count, Seconds, Seed, progress
from bot.cli.games import Board, GameName, GameOptions, Rules, chosen_engine, chosen_game
from bot.cli.output import only_errors_logged, print_json
from bot.cli.records import Json

if TYPE_CHECKING:
    from bot.engines.spec import EngineSpec
    from bot.matches.summary import PlayerScore
    from bot.records.model import GameRecord

PlayerOptions = Annotated[
    tuple[str, ...], Parameter(negative="", help="an option of --player as NAME=VALUE")
]
OpponentOptions = Annotated[
    tuple[str, ...], Parameter(negative="", help="an option of --opponent as NAME=VALUE")
]


def strength(
    *,
    opponent: Annotated[str, Parameter(help="an engine's command line, or a built-in one")],
    opponent_option: OpponentOptions = (),
    player: Annotated[str, Parameter(help="the engine whose score is given")] = "search",
    player_option: PlayerOptions = (),
    ponder: Annotated[
        bool, Parameter(negative="", help="--player also thinks on the time of --opponent")
    ] = False,
    games: Count = 40,
    time: Annotated[Seconds, Parameter(help="seconds a turn, for both")] = 1.0,
    nodes: Annotated[Count | None, Parameter(help="nodes a turn instead of time")] = None,
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    game_option: GameOptions = (),
    seed: Seed = 0,
    save: Annotated[Path | None, Parameter(help="add the games to this JSON Lines file")] = None,
    as_json: Json = False,
) -> None:
    """Play a match between two engines, on our referee."""
    from bot.matches.strength import TurnLimit, measure_strength
    from bot.records.jsonl import append_record
    from bot.time_source import SystemTime

    only_errors_logged()
    specs = chosen_engine(player, player_option), chosen_engine(opponent, opponent_option)
    if ponder:
        specs = specs[0].model_copy(update={"ponder": True}), specs[1]
    match_on = chosen_game(game, board, rules, game_option)
    limit = TurnLimit(nodes=nodes) if nodes else TurnLimit(movetime_ms=round(time * 1000))

    def on_game(record: "GameRecord", so_far: "PlayerScore") -> None:
        progress(f"game {so_far.games} of {games}: {so_far.score:.1%}")
        if save is not None:
            append_record(save, record)

    score, other = asyncio.run(
        measure_strength(*specs, match_on, limit, games, SystemTime(), on_game, seed)
    )
    if as_json:
        print_json({**asdict(score), "opponent": asdict(other)})
        return
    print(
        f"{_described(specs[0])} against {_described(specs[1])}, {match_on.name} on "
        f"{match_on.board.name}, {limit} a turn: "
        f"{score.wins} won, {score.draws} drawn, {score.losses} lost of {score.games}: "
        f"{score.score:.1%} (95 % between {score.low:.1%} and {score.high:.1%})"
    )
    for each in (score, other):
        for fault, times in each.faults.items():
            print(f"games lost by a fault, {each.name}, {fault.replace('_', ' ')}: {times}")


def _described(spec: "EngineSpec") -> str:
    about = [f"{name}={value}" for name, value in spec.options.items()]
    about += ["pondering"] if spec.ponder else []
    return f"{spec.name} ({', '.join(about)})" if about else spec.name
