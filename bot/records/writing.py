"""Converts a played game to its record, and verifies a record by the rules."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import engine
from bot import __version__
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult, RecordedTurn, score_lists
from bot.time_controls import TimeControl


@dataclass(frozen=True, slots=True)
class RecordedSetup:
    """What was played. The rules may not know a server's game, board or rule set."""

    game: str
    board: str
    rules: str
    clock: TimeControl
    options: Mapping[str, str] = field(default_factory=dict)
    rated: bool = False


def setup_of(game: engine.Game, clock: TimeControl) -> RecordedSetup:
    """Return the setup of a game of our engine."""
    options = {name: str(value) for name, value in game.options}
    return RecordedSetup(game.name, game.board.name, game.rule_set, clock, options)


MAY_HAVE_NO_WINNER: Final = frozenset({"adjudication", "no_show"})
"""Reasons for a win, and for the end of a game that nobody wins."""


def game_record(
    game_id: str,
    platform: str,
    setup: RecordedSetup,
    players: tuple[RecordedPlayer, RecordedPlayer],
    turns: Sequence[RecordedTurn],
    result: RecordedResult | None,
    *,
    last: engine.Position | None,
    began: datetime,
    ended: datetime | None,
    software: str = "bluestone",
) -> GameRecord:
    """Make a record. `last` is the position after all turns; None if our rules cannot replay them.

    `software` is the program that writes the record.
    """
    return GameRecord(
        id=game_id,
        platform=platform,
        game=setup.game,
        board=setup.board,
        rules=setup.rules,
        options=dict(setup.options),
        rated=setup.rated,
        clock=setup.clock,
        players=players,
        turns=list(turns),
        result=result,
        scores=None if last is None else score_lists(last),
        started_at=began,
        ended_at=ended,
        software=f"{software} {__version__}",
    )


def verify(record: GameRecord) -> list[str]:
    """Return everything in the record that contradicts the rules, one sentence each.

    The list is empty if the record replays.
    """
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
        yield f"scores: {record.scores} is recorded, the board has {scores}"
    if record.result is not None:
        yield from _wrong_result(record.result, position)


def _wrong_captures(number: int, turn: RecordedTurn, after: engine.Position) -> Iterator[str]:
    if sorted(turn.captured) != sorted(after.captured):
        recorded, real = (" ".join(cells) or "nothing" for cells in (turn.captured, after.captured))
        yield f"turn {number} ({turn.turn}): captures {real}, recorded is {recorded}"


def _wrong_result(result: RecordedResult, last: engine.Position) -> Iterator[str]:
    match result.reason:
        case "played_out":
            if not last.has_ended:
                yield "result: recorded as played out, but the game is not over"
            elif last.final_winner != result.winner:
                recorded, real = _named(result.winner), _named(last.final_winner)
                yield f"result: {recorded} is recorded, {real} by the rules"
        case "unknown":  # a site may tell who won, and not why
            if result.winner is not None and last.over and last.winner != result.winner:
                recorded, real = _named(result.winner), _named(last.winner)
                yield f"result: {recorded} is recorded, {real} by the rules"
        case "draw_agreement" | "aborted":
            if result.winner is not None:
                yield f"result: {result.reason} with {_named(result.winner)}"
        case _:
            if result.winner is None and result.reason not in MAY_HAVE_NO_WINNER:
                yield f"result: {result.reason} without a winner"
            elif last.over:
                yield f"result: {result.reason}, but the game was over already"


def _named(winner: int | None) -> str:
    return "a draw" if winner is None else f"a win of player {winner}"
