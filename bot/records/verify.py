"""Does a record replay? The rules engine decides, whoever wrote the record."""

from collections.abc import Iterator

import engine
from bot.records.model import GameRecord, RecordedResult, RecordedTurn, score_lists


def verify(record: GameRecord) -> list[str]:
    """Everything in the record that the rules contradict, a sentence each; empty if it replays."""
    try:
        game = engine.game_of(record.game, record.board, record.rules, record.options)
    except engine.UnknownGame as error:
        return [str(error)]
    return list(_contradictions(record, game.start()))


def _contradictions(record: GameRecord, position: engine.Position) -> Iterator[str]:
    for number, turn in enumerate(record.turns, start=1):
        try:
            position = position.play(turn.turn)
        except engine.IllegalTurn as error:
            yield f"turn {number}: {error}"
            return
        yield from _wrong_captures(number, turn, position)
    scores = score_lists(position)
    if record.scores is not None and scores != record.scores:
        yield f"scores: {record.scores} is recorded, {scores} is on the board"
    if record.result is not None:
        yield from _wrong_result(record.result, position)


def _wrong_captures(number: int, turn: RecordedTurn, after: engine.Position) -> Iterator[str]:
    if sorted(turn.captured) != sorted(after.captured):
        recorded, real = (" ".join(cells) or "nothing" for cells in (turn.captured, after.captured))
        yield f"turn {number} ({turn.turn}): captures {real}, recorded is {recorded}"


def _wrong_result(result: RecordedResult, last: engine.Position) -> Iterator[str]:
    match result.reason:
        case "played_out":
            if not last.over:
                yield "result: recorded as played out, but the game is not over"
            elif last.winner != result.winner:
                recorded, real = _named(result.winner), _named(last.winner)
                yield f"result: {recorded} is recorded, {real} by the rules"
        case "draw_agreement" | "aborted":
            if result.winner is not None:
                yield f"result: {result.reason} with {_named(result.winner)}"
        case _:
            if result.winner is None:
                yield f"result: {result.reason} without a winner"
            elif last.over:
                yield f"result: {result.reason}, but the game was over already"


def _named(winner: int | None) -> str:
    return "a draw" if winner is None else f"a win of player {winner}"
