"""`bluestone bench`: what this machine can do, a command for each figure."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter, validators

from bot.cli.games import Board, Rules, chosen_engine, chosen_game
from bot.cli.output import error_console, only_errors_logged, print_json, text_console
from bot.cli.records import Json

if TYPE_CHECKING:
    from bot.bench.summary import Times

app = App(name="bench", help="Measure speed, strength and latency on this machine.")

Seconds = Annotated[float, Parameter(validator=validators.Number(gt=0, lte=3600))]
Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=10_000))]


@app.command
def playouts(
    *boards: Annotated[str, Parameter(help="pent-N, limping-N or hexhex-N; pent-6 if none")],
    rules: Rules = "official",
    seconds: Seconds = 3.0,
    rounds: Count = 3,
    yardstick: Annotated[
        Path | None, Parameter(help="another program, or its C++ source, to run by turns with ours")
    ] = None,
    as_json: Json = False,
) -> None:
    """Uniformly random games a second, on one thread."""
    from bot.bench.playouts import measure

    games = [chosen_game(board, rules) for board in boards or ("pent-6",)]
    speeds = measure(games, seconds, rounds, yardstick, _progress)
    if as_json:
        print_json([asdict(speed) for speed in speeds])
        return
    _print_table(
        ("board", "rules", "playouts/s", "yardstick/s", "ratio"),
        [
            (s.board, s.rules, f"{s.playouts:,}", _or_dash(s.yardstick), _or_dash(s.ratio))
            for s in speeds
        ],
    )


@app.command
def strength(
    *,
    opponent: Annotated[str, Parameter(help="an engine's command line, or a built-in one")],
    player: Annotated[str, Parameter(help="the engine whose score is given")] = "search",
    games: Count = 40,
    time: Annotated[Seconds, Parameter(help="seconds a turn, for both")] = 1.0,
    nodes: Annotated[Count | None, Parameter(help="nodes a turn instead of time")] = None,
    board: Board = "pent-6",
    rules: Rules = "official",
    save: Annotated[Path | None, Parameter(help="add the games to this JSON Lines file")] = None,
    as_json: Json = False,
) -> None:
    """Play a match between two engines, on our referee."""
    from bot.match import MatchGame, TurnLimit, match_score, play_match
    from bot.records.jsonl import append_record
    from bot.time_source import SystemTime

    only_errors_logged()
    specs = chosen_engine(player, ()), chosen_engine(opponent, ())
    limit = TurnLimit(nodes=nodes) if nodes else TurnLimit(movetime_ms=round(time * 1000))
    played: list[MatchGame] = []

    def on_game(game: MatchGame) -> None:
        played.append(game)
        so_far = match_score(played)
        _progress(f"game {so_far.games} of {games}: {so_far.score:.1%}")
        if save is not None:
            append_record(save, game.record)

    match = play_match(specs, chosen_game(board, rules), limit, games, SystemTime(), on_game)
    score = asyncio.run(match)
    if as_json:
        print_json(asdict(score))
        return
    print(
        f"{specs[0].name} against {specs[1].name} on {board}, {limit.budget.go} a turn: "
        f"{score.wins} won, {score.draws} drawn, {score.losses} lost of {score.games}: "
        f"{score.score:.1%} (95 % between {score.low:.1%} and {score.high:.1%})"
    )
    for fault, times in score.faults.items():
        print(f"games lost by a fault, {fault}: {times}")


@app.command
def latency(*, turns: Count = 200, board: Board = "pent-6", as_json: Json = False) -> None:
    """From a turn's arrival at the bot to the `go` of its engine, in milliseconds."""
    from bot.bench.latency import measure

    chosen_game(board, "official")
    _print_times({"arrival to go": asyncio.run(measure(turns, board, _progress))}, as_json)


@app.command
def arena(
    *,
    games: Count = 50,
    seconds: Seconds = 60.0,
    pause: Annotated[Seconds, Parameter(help="mean thinking time before a turn, in seconds")] = 2.0,
    board: Board = "pent-6",
    as_json: Json = False,
) -> None:
    """Many games at once: from a turn sent to its arrival at the opponent, in milliseconds."""
    from bot.bench.arena_load import measure

    chosen_game(board, "official")
    load = asyncio.run(measure(games, seconds, pause, board, _progress))
    if as_json:
        print_json(asdict(load))
        return
    print(f"{load.games} games at once, {load.turns_a_second:g} turns a second")
    times = {"sent to arrival": load.arrival_ms, "sent to acknowledged": load.acknowledged_ms}
    _print_times(times, as_json=False)


@app.command
def startup(*, runs: Count = 3, as_json: Json = False) -> None:
    """From `bluestone up` to a page that can be played on, in seconds."""
    from bot.bench.startup import measure

    times = asyncio.run(measure(runs, _progress))
    if as_json:
        print_json({"seconds": times})
    else:
        print(f"{min(times):.2f} to {max(times):.2f} s in {runs} runs")


def _progress(text: str) -> None:
    error_console().print(text)


def _print_times(times: "Mapping[str, Times]", as_json: bool) -> None:
    if as_json:
        print_json({name: asdict(each) for name, each in times.items()})
        return
    rows = [
        (name, *(f"{figure:g}" for figure in (t.count, t.median, t.p90, t.p99, t.highest)))
        for name, t in times.items()
    ]
    _print_table(("ms", "count", "median", "p90", "p99", "highest"), rows)


def _print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for place, title in enumerate(head):
        table.add_column(title, justify="right" if place else "left")
    for row in rows:
        table.add_row(*row)
    text_console().print(table)


def _or_dash(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,}"
