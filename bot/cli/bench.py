"""`bluestone bench`: what this machine can do, a command for each figure."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter, validators

import engine
from bot.cli.bench_arena import abuse, arena
from bot.cli.bench_distributed import distributed
from bot.cli.bench_host import host, resume
from bot.cli.bench_levels import levels
from bot.cli.bench_network import calibration, network
from bot.cli.bench_online import online
from bot.cli.bench_options import Count, Seconds, progress
from bot.cli.bench_simulations import ratings, sprt
from bot.cli.bench_strength import strength
from bot.cli.bench_swiss import swiss
from bot.cli.bench_tables import print_review_noise, print_table, print_times
from bot.cli.bench_time import clocks, pondering
from bot.cli.bench_webhooks import webhooks
from bot.cli.games import Board, GameName, GameOptions, Rules, chosen_game
from bot.cli.output import output_file, print_json
from bot.cli.records import Json

app = App(name="bench", help="Measure speed, strength and latency on this machine.")
COMMANDS = (
    strength,
    clocks,
    pondering,
    levels,
    network,
    calibration,
    arena,
    abuse,
    ratings,
    sprt,
    swiss,
    distributed,
    host,
    resume,
    online,
    webhooks,
)
for command in COMMANDS:
    app.command(command)


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
    speeds = measure(games, seconds, rounds, yardstick, progress)
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
    from tests.lab.review_noise import measure

    names = [known.name for known in engine.games()] if game is None else [game]
    played = [chosen_game(name, board, None) for name in names]
    found = measure(played, turns, nodes, longer, progress)
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
    times = {"arrival to go": asyncio.run(measure(turns, played, progress))}
    if as_json:
        print_json({name: asdict(each) for name, each in times.items()})
    else:
        print_times(times)


@app.command
def startup(*, runs: Count = 3, as_json: Json = False) -> None:
    """From `bluestone up` to a page that can be played on, in seconds."""
    from bot.bench.startup import measure

    times = asyncio.run(measure(runs, progress))
    if as_json:
        print_json({"seconds": times})
    else:
        print(f"{min(times):.2f} to {max(times):.2f} s in {runs} runs")


def _or_dash(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,}"
