"""Measurements of engines: random playouts, strength, levels, and use of time."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

import engine
from bot.cli.games import Board, GameName, GameOptions, Rules, chosen_engine, chosen_game
from bot.cli.measurements import (
    Chart,
    Count,
    FigureTable,
    MeasurementReport,
    Plot,
    Seconds,
    Seed,
    measurement,
    progress,
)
from bot.runtime.output import only_errors_logged

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


@measurement
def playouts(
    *boards: Annotated[str, Parameter(help="boards of the game; by default all usual ones")],
    game: Annotated[str | None, Parameter(help="only this game; by default all games")] = None,
    rules: Rules = None,
    game_option: GameOptions = (),
    seconds: Annotated[Seconds, Parameter(help="seconds of each measurement")] = 3.0,
    rounds: Annotated[Count, Parameter(help="measurements per board; their median counts")] = 3,
    yardstick: Annotated[
        Path | None,
        Parameter(help="another program, or its C++ source, to run alternately with ours"),
    ] = None,
    plot: Plot = None,
) -> MeasurementReport:
    """Measure the speed of uniformly random games, in games per second on one thread."""
    from bot.bench.playouts import measure, speed_chart

    games = [
        chosen_game(name, board, rules, game_option) for name, board in _to_measure(game, boards)
    ]
    speeds = measure(games, seconds, rounds, yardstick, progress)
    table = FigureTable(
        ("game", "board", "rules", "playouts/s", "yardstick/s", "ratio"),
        [
            (
                *(s.game, s.board, s.rules),
                *(f"{s.playouts:,}", _or_dash(s.yardstick), _or_dash(s.ratio)),
            )
            for s in speeds
        ],
    )
    chart = Chart(plot, lambda: speed_chart(speeds))
    return MeasurementReport([table], [asdict(speed) for speed in speeds], chart=chart)


def _to_measure(game: str | None, boards: Sequence[str]) -> list[tuple[str, str]]:
    """Return the games with their boards. Without --game a board is Bluestone's, as in all
    commands.
    """
    if boards:
        return [(game or "bluestone", board) for board in boards]
    return [
        (known.name, board)
        for known in engine.games()
        if game in (None, known.name)
        for board in known.boards
    ] or [(game or "", "")]


def _or_dash(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,}"


@measurement
def strength(
    *,
    opponent: Annotated[str, Parameter(help="an engine's command line, or a built-in one")],
    opponent_option: OpponentOptions = (),
    player: Annotated[str, Parameter(help="the engine whose score is reported")] = "search",
    player_option: PlayerOptions = (),
    ponder: Annotated[
        bool, Parameter(negative="", help="--player also thinks on the time of --opponent")
    ] = False,
    games: Annotated[Count, Parameter(help="number of games")] = 40,
    time: Annotated[Seconds, Parameter(help="seconds per turn, for both engines")] = 1.0,
    nodes: Annotated[Count | None, Parameter(help="playouts per turn, instead of a time")] = None,
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    game_option: GameOptions = (),
    seed: Seed = 0,
    save: Annotated[Path | None, Parameter(help="add the games to this JSON Lines file")] = None,
) -> MeasurementReport:
    """Play a match between two engines with our referee, and report the score of --player."""
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
    conditions = f"{match_on.name} on {match_on.board.name}, {limit} a turn"
    result = (
        f"{_described(specs[0])} against {_described(specs[1])}, {conditions}: "
        f"{score.wins} won, {score.draws} drawn, {score.losses} lost of {score.games}: "
        f"{score.score:.1%} (95 % between {score.low:.1%} and {score.high:.1%})"
    )
    faults = [line for each in (score, other) for line in _faults(each)]
    return MeasurementReport([result, *faults], {**asdict(score), "opponent": asdict(other)})


def _faults(score: "PlayerScore") -> Iterator[str]:
    for fault, times in score.faults.items():
        yield f"games lost by a fault: {score.name}, {fault.replace('_', ' ')}: {times}"


def _described(spec: "EngineSpec") -> str:
    about = [f"{name}={value}" for name, value in spec.options.items()]
    about += ["pondering"] if spec.ponder else []
    return f"{spec.name} ({', '.join(about)})" if about else spec.name
