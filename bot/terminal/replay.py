"""Positions of a recorded game, replayed by the rules and drawn."""

from typing import Any

from rich.console import Console

import engine
from bot.errors import ConfigurationError
from bot.records.model import GameRecord, own_losses, score_lists
from bot.terminal.board import draw_board, legend, symbols_for
from bot.terminal.report import (
    describe_game,
    describe_result,
    describe_value,
    scores_lines,
    turns_table,
)


def position_after(record: GameRecord, ply: int) -> engine.Position:
    """Return the position after `ply` turns of the record.

    Raises ConfigurationError if the rules do not know the game, or forbid one of those turns.
    """
    try:
        game = engine.game_of(record.game, record.board, record.rules, record.options)
    except engine.UnknownGame as error:
        raise ConfigurationError(f"{record.id}: {error}") from error
    try:
        return game.replay([turn.turn for turn in record.turns[:ply]])
    except engine.IllegalTurn as error:
        problem = f"{record.id}: turn {error.turn_number}: {error}"
        raise ConfigurationError(problem) from error


def _turns_with_losses(record: GameRecord, position: engine.Position) -> set[int]:
    """Return the numbers of the turns that captured the player's own stones."""
    found, before = set[int](), position.game.start()
    for number, turn in enumerate(record.turns, start=1):
        try:
            after = before.play(turn.turn)
        except engine.IllegalTurn:
            break
        if own_losses(before, after):
            found.add(number)
        before = after
    return found


def position_fields(position: engine.Position) -> dict[str, Any]:
    """Return the fields of a position for programs."""
    return {
        "to_play": position.to_play,
        "stones": {cell: stone.player for cell, stone in position.stones.items()},
        **_more_of_stones(position),
        "captured": list(position.captured),
        "position_scores": score_lists(position),
        "over": position.over,
    }


def _more_of_stones(position: engine.Position) -> dict[str, Any]:
    """Return the fields that only some games have: kinds of stones, and marks."""
    fields: dict[str, Any] = {}
    if position.game.kinds > 1:
        fields["kinds"] = {cell: stone.kind for cell, stone in position.stones.items()}
    if position.marks:
        fields["marks"] = position.marks
    return fields


def print_position(console: Console, record: GameRecord, position: engine.Position) -> None:
    """Print the position, with the record's data about it."""
    ply = len(position.turns)
    symbols = symbols_for(console.encoding)
    first, second = record.players
    console.print(f"{record.id}: {first.name} - {second.name}", style="bold")
    console.print(
        f"{describe_game(position.game)}, clock {record.clock}, {describe_result(record.result)}"
    )
    if record.result is not None and record.result.message:
        console.print(record.result.message)
    print_board(console, position)
    console.print(legend(position, symbols), soft_wrap=True)
    console.print(scores_lines(position, (first.name, second.name)))
    turn = record.turns[ply - 1] if ply else None
    if turn and (words := describe_value(turn.value, turn.visits, 1 + (ply - 1) % 2)):
        console.print(words)
    console.print(f"\nafter turn {ply} of {len(record.turns)}")
    console.print(turns_table(record.turns, ply, _turns_with_losses(record, position)))


def print_board(console: Console, position: engine.Position) -> None:
    """Print the board without wrapping: a narrow terminal cuts it off."""
    console.print()
    console.print(draw_board(position, symbols_for(console.encoding)), no_wrap=True, crop=False)
    console.print()
