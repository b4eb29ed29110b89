"""`bluestone bench`: what this machine can do, a command for each figure."""

import asyncio
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter, validators

import engine
from bot.cli.bench_distributed import distributed
from bot.cli.bench_host import host, resume
from bot.cli.bench_online import online
from bot.cli.bench_swiss import swiss
from bot.cli.bench_tables import (
    print_abuse,
    print_capacity,
    print_coverage,
    print_load,
    print_review_noise,
    print_sprt_errors,
    print_table,
    print_times,
)
from bot.cli.files import output_file
from bot.cli.games import Board, GameName, GameOptions, Rules, chosen_engine, chosen_game
from bot.cli.output import error_console, only_errors_logged, print_json
from bot.cli.records import Json
from bot.errors import ConfigurationError

if TYPE_CHECKING:
    from bot.engines.spec import EngineSpec
    from bot.matches.summary import PlayerSummary
    from bot.records.model import GameRecord

app = App(name="bench", help="Measure speed, strength and latency on this machine.")
app.command(swiss)
app.command(distributed)
app.command(host)
app.command(resume)
app.command(online)

Seconds = Annotated[float, Parameter(validator=validators.Number(gt=0, lte=3600))]
Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=10_000))]
Warmup = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=3600))]
Crowd = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=10_000))]
Share = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=1))]
Seed = Annotated[
    int, Parameter(help="other random numbers", validator=validators.Number(gte=0, lte=10**9))
]
ArenaCommand = Annotated[
    str | None,
    Parameter(help="another arena, such as 'env PYTHONPATH=../older python -m bot arena'"),
]
PlayerOptions = Annotated[
    tuple[str, ...], Parameter(negative="", help="an option of --player as NAME=VALUE")
]
OpponentOptions = Annotated[
    tuple[str, ...], Parameter(negative="", help="an option of --opponent as NAME=VALUE")
]


@app.command
def playouts(
    *boards: Annotated[str, Parameter(help="boards of the game; all its usual ones if none")],
    game: Annotated[str | None, Parameter(help="only this game; every game without it")] = None,
    rules: Rules = None,
    game_option: GameOptions = (),
    seconds: Seconds = 3.0,
    rounds: Count = 3,
    yardstick: Annotated[
        Path | None, Parameter(help="another program, or its C++ source, to run by turns with ours")
    ] = None,
    plot: Annotated[Path | None, Parameter(help="also draw the figures into this SVG file")] = None,
    as_json: Json = False,
) -> None:
    """Uniformly random games a second, on one thread."""
    from bot.bench.playouts import measure

    games = [
        chosen_game(name, board, rules, game_option) for name, board in _to_measure(game, boards)
    ]
    speeds = measure(games, seconds, rounds, yardstick, _progress)
    if as_json:
        print_json([asdict(speed) for speed in speeds])
    else:
        print_table(
            ("game", "board", "rules", "playouts/s", "yardstick/s", "ratio"),
            [
                (
                    s.game,
                    s.board,
                    s.rules,
                    f"{s.playouts:,}",
                    _or_dash(s.yardstick),
                    _or_dash(s.ratio),
                )
                for s in speeds
            ],
        )
    if plot is not None:
        from bot.bench.playouts_plot import speed_chart

        with output_file(plot) as target:
            target.write(speed_chart(speeds))


def _to_measure(game: str | None, boards: Sequence[str]) -> list[tuple[str, str]]:
    """Boards without a game are Bluestone's, as everywhere on the command line."""
    if boards:
        return [(game or "bluestone", board) for board in boards]
    return [
        (known.name, board)
        for known in engine.games()
        if game in (None, known.name)
        for board in known.boards
    ] or [(game or "", "")]


@app.command
def strength(
    *,
    opponent: Annotated[str, Parameter(help="an engine's command line, or a built-in one")],
    opponent_option: OpponentOptions = (),
    player: Annotated[str, Parameter(help="the engine whose score is given")] = "search",
    player_option: PlayerOptions = (),
    games: Count = 40,
    time: Annotated[Seconds, Parameter(help="seconds a turn, for both")] = 1.0,
    nodes: Annotated[Count | None, Parameter(help="nodes a turn instead of time")] = None,
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    game_option: GameOptions = (),
    seed: Annotated[
        int,
        Parameter(help="other random numbers", validator=validators.Number(gte=0, lte=10**9)),
    ] = 0,
    save: Annotated[Path | None, Parameter(help="add the games to this JSON Lines file")] = None,
    as_json: Json = False,
) -> None:
    """Play a match between two engines, on our referee."""
    from bot.matches.strength import TurnLimit, measure_strength
    from bot.records.jsonl import append_record
    from bot.time_source import SystemTime

    only_errors_logged()
    specs = chosen_engine(player, player_option), chosen_engine(opponent, opponent_option)
    match_on = chosen_game(game, board, rules, game_option)
    limit = TurnLimit(nodes=nodes) if nodes else TurnLimit(movetime_ms=round(time * 1000))

    def on_game(record: "GameRecord", so_far: "PlayerSummary") -> None:
        _progress(f"game {so_far.games} of {games}: {so_far.score:.1%}")
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


@app.command
def review(
    *,
    game: Annotated[str | None, Parameter(help="only this game; every game without it")] = None,
    board: Board = None,
    turns: Annotated[Count, Parameter(help="positions of each game")] = 100,
    nodes: Annotated[
        tuple[int, ...],
        Parameter(
            negative="", help="playouts a search", validator=validators.Number(gte=100, lte=10**7)
        ),
    ] = (1_000, 4_000, 16_000),
    longer: Annotated[
        Count, Parameter(help="so many times the most playouts find out which turn is good")
    ] = 8,
    as_json: Json = False,
) -> None:
    """What noise makes good turns lose in `bluestone analyze GAME`, and which turns it marks."""
    from bot.bench.review_noise import measure

    names = [known.name for known in engine.games()] if game is None else [game]
    played = [chosen_game(name, board, None) for name in names]
    found = measure(played, turns, nodes, longer, _progress)
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        print_review_noise(found)


@app.command
def latency(
    *,
    turns: Count = 200,
    game: GameName = "bluestone",
    board: Board = None,
    as_json: Json = False,
) -> None:
    """From a turn's arrival at the bot to the `go` of its engine, in milliseconds."""
    from bot.bench.latency import measure

    played = chosen_game(game, board, None)
    times = {"arrival to go": asyncio.run(measure(turns, played, _progress))}
    if as_json:
        print_json({name: asdict(each) for name, each in times.items()})
    else:
        print_times(times)


@app.command
def arena(
    *,
    games: Count = 50,
    seconds: Seconds = 60.0,
    pause: Annotated[Seconds, Parameter(help="mean thinking time before a turn, in seconds")] = 1.0,
    warmup: Annotated[Warmup, Parameter(help="seconds of play that are not measured")] = 5.0,
    spectators: Annotated[Crowd, Parameter(help="so many more follow one of the games")] = 0,
    late: Annotated[
        bool, Parameter(negative="", help="spectators come all at once when the clock starts")
    ] = False,
    clients: Annotated[Count, Parameter(help="processes among which the games are divided")] = 1,
    capacity: Annotated[
        bool,
        Parameter(negative="", help="shorten the pause until turns come late, SECONDS a step"),
    ] = False,
    command: ArenaCommand = None,
    game: GameName = "bluestone",
    board: Board = None,
    as_json: Json = False,
) -> None:
    """Many games at once: from a turn sent to its arrival at the opponent, in milliseconds.

    Starts an arena on an empty folder, with limits that this many clients do not reach; --command
    starts another one instead, and gets --port, --data and --config.
    """
    from bot.bench import arena_load
    from bot.bench import capacity as arena_capacity
    from bot.bench.crowd import LoadPlan

    plan = LoadPlan(
        game=chosen_game(game, board, None),
        games=games,
        seconds=seconds,
        pause_s=pause,
        warmup_s=warmup,
        spectators=spectators,
        spectators_come_late=late,
        clients=clients,
        command=_words(command),
    )
    if capacity:
        borne = asyncio.run(arena_capacity.measure(plan, _progress))
        print_json(borne) if as_json else print_capacity(borne)
    else:
        load = asyncio.run(arena_load.measure(plan, _progress))
        print_json(load) if as_json else print_load(load)


def _words(command: str | None) -> tuple[str, ...] | None:
    if command is None:
        return None
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise ConfigurationError(f"--command: {error}") from error
    if not words:
        raise ConfigurationError("--command: is empty")
    return words


@app.command
def abuse(
    *,
    seconds: Annotated[Seconds, Parameter(help="how long each abuse lasts")] = 30.0,
    rest: Annotated[Seconds, Parameter(help="how long after it things are looked at")] = 10.0,
    share: Annotated[
        float,
        Parameter(
            help="of the usual numbers of connections, such as 0.1",
            validator=validators.Number(gt=0, lte=1),
        ),
    ] = 1.0,
    command: ArenaCommand = None,
    game: GameName = "bluestone",
    board: Board = None,
    as_json: Json = False,
) -> int:
    """Ten honest players beside abuse on an arena with its usual limits: what do they notice?

    Ends with 1 if one of them was refused anything, needed a second to log in or waited 250 ms for
    a turn, or if the arena's memory stayed more than 10 % higher.
    """
    from bot.bench.abuse import AbusePlan, measure

    played = chosen_game(game, board, None)
    plan = AbusePlan(played, seconds, rest, share=share, command=_words(command))
    outcomes = asyncio.run(measure(plan, _progress))
    if as_json:
        print_json([{**asdict(each), "broken": each.broken} for each in outcomes])
    else:
        print_abuse(outcomes)
    return int(any(each.broken for each in outcomes))


@app.command
def ratings(
    *,
    players: Annotated[int, Parameter(validator=validators.Number(gte=2, lte=200))] = 20,
    simulations: Count = 500,
    event: Annotated[
        Literal["round-robin", "swiss"] | None,
        Parameter(name="--format", help="only this one; both without it"),
    ] = None,
    rounds: Annotated[
        Count | None, Parameter(help="9 of a Swiss, 1 of a round-robin without it")
    ] = None,
    spread: Annotated[
        float,
        Parameter(
            help="standard deviation of the true ratings, in Elo",
            validator=validators.Number(gte=0, lte=1000),
        ),
    ] = 150.0,
    opening: Annotated[Share, Parameter(help="share of a game's luck that its opening has")] = 0.5,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """How often 95 % intervals of ratings hold the truth, in simulated tournaments.

    Pairs of games with one opening, which favours a seat; a first-player advantage of 40 Elo; a
    sixth of the games between equals drawn. Beside it: what games taken one by one would give.
    """
    from bot.bench.interval_coverage import USUAL_ROUNDS, measure
    from bot.bench.synthetic import World

    world = World(spread=spread, opening=opening)
    found = [
        measure(name, players, rounds or usual, simulations, seed, world, _progress)
        for name, usual in USUAL_ROUNDS.items()
        if event in (None, name)
    ]
    print_json([asdict(each) for each in found]) if as_json else print_coverage(found)


@app.command
def sprt(
    *,
    elo0: Annotated[float, Parameter(validator=validators.Number(gte=-1000, lte=1000))] = 0.0,
    elo1: Annotated[float, Parameter(validator=validators.Number(gte=-1000, lte=1000))] = 20.0,
    alpha: Annotated[float, Parameter(validator=validators.Number(gt=0, lt=1))] = 0.05,
    beta: Annotated[float, Parameter(validator=validators.Number(gt=0, lt=1))] = 0.05,
    simulations: Count = 2000,
    most: Annotated[
        int,
        Parameter(
            help="pairs after which a test is given up",
            validator=validators.Number(gte=1, lte=10**6),
        ),
    ] = 20_000,
    opening: Annotated[Share, Parameter(help="share of a game's luck that its opening has")] = 0.5,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """How often a sequential test is wrong, and how many pairs it takes, in simulated matches."""
    from bot.bench.sprt_errors import measure
    from bot.bench.synthetic import World
    from bot.tournaments.sprt import Bounds

    try:
        bounds = Bounds(elo0, elo1, alpha, beta)
    except ValueError as error:
        raise ConfigurationError(str(error)) from error
    found = measure(bounds, simulations, most, seed, World(opening=opening), _progress)
    print_json([asdict(each) for each in found]) if as_json else print_sprt_errors(found)


@app.command
def startup(*, runs: Count = 3, as_json: Json = False) -> None:
    """From `bluestone up` to a page that can be played on, in seconds."""
    from bot.bench.startup import measure

    times = asyncio.run(measure(runs, _progress))
    if as_json:
        print_json({"seconds": times})
    else:
        print(f"{min(times):.2f} to {max(times):.2f} s in {runs} runs")


def _described(spec: "EngineSpec") -> str:
    options = ", ".join(f"{name}={value}" for name, value in spec.options.items())
    return f"{spec.name} ({options})" if options else spec.name


def _progress(text: str) -> None:
    error_console().print(text)


def _or_dash(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,}"
