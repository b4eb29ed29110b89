"""Facts about games in words and tables for a terminal."""

from collections.abc import Collection, Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

import engine
from bot.engines.lines import chance_of
from bot.records.model import (
    GameRecord,
    RecordedResult,
    RecordedTurn,
    describe_scores,
    option_words,
    score_lists,
)

GAME_COLUMNS: Final = (
    *("id", "started", "game", "board", "rules", "player 1", "player 2", "clock"),
    *("turns", "result"),
)


def game_row(record: GameRecord) -> tuple[str, ...]:
    """Return the cells of a game in a list with `GAME_COLUMNS`."""
    first, second = record.players
    return (
        *(record.id, f"{record.started_at:%Y-%m-%d %H:%M}"),
        *(record.game, record.board, record.rules),
        *(first.name, second.name, str(record.clock)),
        *(str(len(record.turns)), describe_result(record.result)),
    )


def turns_table(turns: Sequence[RecordedTurn], ply: int, losses: Collection[int] = ()) -> Table:
    """Return a table of the turns with times and evaluations. Turn number `ply` is marked.

    `losses` has the numbers of the turns that captured the player's own stones.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("turn", "player"):
        table.add_column(heading, justify="right")
    table.add_column("stones", no_wrap=True)
    for heading in ("time", "clock", "value", "visits"):
        table.add_column(heading, justify="right")
    table.add_column("captures")
    for number, turn in enumerate(turns, start=1):
        style = "reverse" if number == ply else None
        marker = "> " if number == ply else ""
        table.add_row(
            f"{marker}{number}",
            str(1 + (number - 1) % 2),
            *_turn_cells(turn, "loses " if number in losses else ""),
            style=style,
        )
    return table


def _turn_cells(turn: RecordedTurn, loses: str) -> Sequence[str]:
    value = chance_of(turn.value, turn.visits)
    clock = turn.clock.main_ms if turn.clock is not None else None
    return (
        turn.turn,
        "" if turn.time_ms is None else f"{turn.time_ms / 1000:.1f}",
        "" if clock is None else f"{clock / 1000:.1f}",
        "" if value is None else f"{value:.1%}",
        "" if turn.visits is None else str(turn.visits),
        loses + " ".join(turn.captured),
    )


def scores_lines(position: engine.Position, names: tuple[str, str] | None = None) -> Text:
    """Return the scores of both players, one line each. The player to move is marked."""
    lines = []
    for seat, scores in enumerate(score_lists(position), start=1):
        mark = ">" if seat == position.to_play and not position.over else " "
        name = "" if names is None else f" {names[seat - 1]}"
        text = describe_scores(position.game.name, scores) + _in_the_end(position, seat)
        lines.append(Text(f"{mark} player {seat}{name}: {text}"))
    return Text("\n").join(lines)


def _in_the_end(position: engine.Position, seat: int) -> str:
    """Describe the bounds of a player's final score, where a game has such bounds."""
    bounds = position.final_scores
    if bounds is None or position.over:
        return ""
    least, most = bounds[seat - 1]
    return f", in the end {least}" if least == most else f", in the end {least} to {most}"


def describe_game(game: engine.Game) -> str:
    """Describe the game, its board, its rules and its options."""
    none = {option.name for option in game.info.options if option.below is not None}
    options = "".join(
        f", {option_words(game.name, name)} {value}"
        for name, value in game.all_options.items()
        if value or name not in none
    )
    return f"{game.name} on {game.board.name}, {game.rule_set} rules{options}"


def describe_value(value: float | None, visits: int | None, seat: int) -> str | None:
    """Describe the chance of player `seat` to win; None if an engine stated none."""
    value = chance_of(value, visits)
    if value is None:
        return None
    seen = "" if visits is None else f" ({visits} visits)"
    return f"player {seat} wins {value:.1%}{seen}"


_NOT_DECIDED: Final = {
    "aborted": "aborted",
    "no_show": "no result, neither player came",
    "unknown": "result unknown",
}


def describe_result(result: RecordedResult | None) -> str:
    """Describe a result."""
    if result is None:
        return "not finished"
    reason = result.reason.replace("_", " ")
    if reason == "unknown":
        reason = "reason unknown"
    if result.winner is not None:
        return f"player {result.winner} won, {reason}"
    return f"draw, {reason}" if result.is_draw else _NOT_DECIDED[result.reason]
