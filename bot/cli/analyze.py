"""`bluestone analyze`: an engine's evaluation of a position, or of each turn of a game."""

from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, validators
from rich.console import Console
from rich.table import Table

import engine as rules_engine
from bot.cli.games import (
    Board,
    EngineName,
    EngineOptions,
    GameName,
    GameOptions,
    Rules,
    chosen_engine,
    chosen_game,
    typed_position,
)
from bot.cli.records import DEFAULT_DATA, Data, File, noted, readable
from bot.errors import ConfigurationError
from bot.runtime.output import Json, error_console, only_errors_logged, print_json, text_console

if TYPE_CHECKING:
    from bot.engines.lines import EngineLine
    from bot.records.model import GameRecord
    from bot.terminal.analysis import Analysis, Analyst, SearchEffort
    from bot.terminal.review import ReviewedTurn
    from bot.terminal.review_report import ReviewSummary

POSITION_SECONDS = 5.0
GAME_SECONDS = 1.0
SECONDS_FOR_NODES = 3600.0
POSITION_LINES = 5


def analyze(
    game_id: Annotated[
        str | None, Parameter(name="ID", help="id of a recorded game, or the start of the id")
    ] = None,
    /,
    *,
    turns: Annotated[
        str | None, Parameter(help="the turns that lead to a position: '0-0 1-1,3-2 pass'")
    ] = None,
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    game_option: GameOptions = (),
    ply: Annotated[
        int | None,
        Parameter(help="evaluate only the position after this many turns of the recorded game"),
    ] = None,
    time: Annotated[
        float | None,
        Parameter(
            help=(
                "seconds per position; by default 5 for one position, and 1 for each position of "
                "a game. A turn that differs from the engine's choice costs a second search"
            ),
            validator=validators.Number(gt=0, lte=86400),
        ),
    ] = None,
    nodes: Annotated[
        int | None,
        Parameter(
            help="playouts per position, instead of a time", validator=validators.Number(gt=0)
        ),
    ] = None,
    lines: Annotated[
        int | None,
        Parameter(
            help="how many of the best turns to show, up to 10, each with value, visits and line; "
            "by default 5 for one position and none for a game",
            validator=validators.Number(gte=1),
        ),
    ] = None,
    engine: EngineName = "search",
    option: EngineOptions = (),
    data: Data = DEFAULT_DATA,
    file: File = None,
    as_json: Json = False,
) -> None:
    """Evaluate a position, or every turn of a recorded game without --ply.

    Each turn of a game is compared with the engine's choice: the positions after both are searched
    for the same time. With --lines, the best turns before it are shown as well. An external engine
    shows several turns if it has the option MultiPV, otherwise its best one. A value with ~ rests
    on less than 2 % of the playouts of the best line: do not rely on it.
    """
    from bot.terminal.analysis import SearchEffort, analyst
    from bot.terminal.replay import position_after

    only_errors_logged()
    recorded = game_id is not None or file is not None
    if recorded and turns is not None:
        raise ConfigurationError("--turns: give either a recorded game or turns")
    if ply is not None and not recorded:
        raise ConfigurationError("--ply: needs a recorded game; give its id")
    record = _record(game_id, ply, data, file) if recorded else None
    if record is not None:
        position = position_after(record, len(record.turns) if ply is None else ply)
    else:
        position = typed_position(chosen_game(game, board, rules, game_option), turns or "")
    review_game = record is not None and ply is None
    default = SECONDS_FOR_NODES if nodes else GAME_SECONDS if review_game else POSITION_SECONDS
    effort = SearchEffort(default if time is None else time, nodes)
    spec = chosen_engine(engine, option)
    if spec.is_builtin:
        from bot.terminal.play import ensure_kernels

        ensure_kernels(error_console(), position.game.name)
    if lines is None:
        lines = 0 if review_game else POSITION_LINES
    with analyst(spec, position.game, max(1, lines)) as searcher:
        if record is not None and ply is None:
            _analyze_game(searcher, position, record, effort, lines, as_json)
        else:
            _analyze_position(searcher, position, effort, lines, as_json)


def _record(game_id: str | None, ply: int | None, data: Path, file: Path | None) -> "GameRecord":
    from bot.records.source import find_records, record_source

    # Every id starts with the empty text, so without an id the only game of the file is found.
    record = noted(find_records(readable(record_source(data, file)), game_id or ""))
    if ply is not None and not 0 <= ply <= len(record.turns):
        raise ConfigurationError(f"--ply {ply}: the game has plies 0 to {len(record.turns)}")
    return record


# ---- one position --------------------------------------------------------------------------


def _analyze_position(
    searcher: "Analyst",
    position: rules_engine.Position,
    effort: "SearchEffort",
    lines: int,
    as_json: bool,
) -> None:
    from bot.terminal.progress import position_progress

    analysis = None
    if not position.over:
        with position_progress(error_console(), searcher, effort) as analyse:
            analysis = analyse(position)
    if as_json:
        print_json(_position_fields(position, analysis, lines))
        return
    from bot.records.model import early_end_words
    from bot.terminal.replay import print_board
    from bot.terminal.report import scores_lines

    console = text_console()
    print_board(console, position)
    console.print(scores_lines(position))
    if why := early_end_words(position, ("player 1", "player 2")):
        console.print(why)
    if analysis is None:
        won = "no player won" if position.winner is None else f"player {position.winner} won"
        console.print(f"the game is over: {won}")
    else:
        _print_analysis(console, position, analysis, lines)


def _print_analysis(
    console: Console, position: rules_engine.Position, analysis: "Analysis", lines: int
) -> None:
    from bot.terminal.report import describe_value

    if words := describe_value(analysis.value, None, position.to_play):
        console.print(words, style="bold")
    seen = "" if analysis.nodes is None else f"{analysis.nodes} playouts in "
    console.print(f"{seen}{analysis.seconds:.1f} s", style="dim")
    console.print(_lines_table(analysis.lines[:lines]))


def _lines_table(lines: "tuple[EngineLine, ...]") -> Table:
    from bot.terminal.review_report import lines_cells

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("turn", no_wrap=True)
    for heading in ("value", "visits"):
        table.add_column(heading, justify="right")
    table.add_column("expected turns")
    for cells in lines_cells(lines):
        table.add_row(*cells)
    return table


def _position_fields(
    position: rules_engine.Position, analysis: "Analysis | None", lines: int
) -> dict[str, Any]:
    from bot.records.model import score_lists

    fields: dict[str, Any] = {
        "game": position.game.name,
        "board": position.game.board.name,
        "rules": position.game.rule_set,
        "options": dict(position.game.options),
        "turns": list(position.turns),
        "to_play": position.to_play,
        "scores": score_lists(position),
        "over": position.over,
        "winner": position.winner,
    }
    if analysis is not None:
        fields |= {"value": analysis.value, "nodes": analysis.nodes, "seconds": analysis.seconds}
        fields["lines"] = [asdict(line) for line in analysis.lines[:lines]]
    return fields


# ---- a game --------------------------------------------------------------------------------


def _analyze_game(
    searcher: "Analyst",
    last: rules_engine.Position,
    record: "GameRecord",
    effort: "SearchEffort",
    lines: int,
    as_json: bool,
) -> None:
    from bot.terminal.progress import game_progress
    from bot.terminal.review import positions_of, review
    from bot.terminal.review_report import summarize

    positions = positions_of(last)
    with game_progress(error_console(), searcher, effort, positions, monotonic) as analyse:
        turns = [replace(turn, lines=turn.lines[:lines]) for turn in review(positions, analyse)]
    winner = None if record.result is None else record.result.winner
    summary = summarize(turns, winner)
    if as_json:
        marked = [
            {**asdict(turn), "loss": turn.loss, "mark": summary.thresholds.mark(turn.loss)}
            for turn in turns
        ]
        print_json({"turns": marked, "summary": asdict(summary)})
    else:
        _print_review(turns, summary, record, lines)


def _print_review(
    turns: "list[ReviewedTurn]", summary: "ReviewSummary", record: "GameRecord", lines: int
) -> None:
    from bot.terminal.review_report import lines_table, review_table, summary_table, summary_text

    first, second = record.players
    console = text_console()
    console.print(review_table(turns, summary.thresholds))
    console.print()
    if lines:
        console.print(lines_table(turns, lines))
        console.print()
    console.print(summary_table(summary, (first.name, second.name)))
    console.print()
    console.print(summary_text(summary))
