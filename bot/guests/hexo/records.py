"""Games of HeXO between our records and the notations of its community.

The opening stone is not written: turn 1 of a notation is the second turn of a record. What a
notation cannot say is left out: kinds of players, engines, playouts, and reasons of a result
other than a win, time, resignation and a draw.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

import engine
from bot.guests.hexo.htttx import (
    USUAL_SETUP,
    Evaluation,
    Move,
    Notation,
    Setup,
    Turn,
    Version,
    write,
)
from bot.guests.hexo.stones import PartialTurn, TooHard, Unreachable, ordered
from bot.guests.hexo.turns import HEXO, OPENING, cells_of, side_of, stones_by_side, with_pair
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult, RecordedTurn
from bot.records.notations import Unplayable
from bot.records.writing import game_record, setup_of
from bot.time_controls import Absolute, Fischer, PlayerClock, TimeControl, Untimed

MOMENT: Final = "%Y-%m-%d %H:%M:%S"
SIDES: Final = ("cross", "circle")
_FINGERPRINT: Final = re.compile(r"-[0-9a-f]{12}$")
"""The end of a read game's id. Sites give many games one name, such as "Duel, game 1 of 2"."""
_TIME: Final = re.compile(r"(?:[A-Za-z]+\s+)?(\d{1,7})(?:\+(\d{1,6}))?")
_WRITTEN: Final = {
    "played_out": "win",
    "time_forfeit": "time",
    "resignation": "resign",
    "draw_agreement": "draw",
}
_READ: Final = {reason: name for name, reason in _WRITTEN.items()}


# ---- from a record -------------------------------------------------------------------------------


def why_not_exported(record: GameRecord) -> str | None:
    """Return why a record has no notation, or None if it has one."""
    if record.game != HEXO:
        return f"the notation is for HeXO, not for {record.game}"
    turns = [turn.turn for turn in record.turns]
    if turns[:1] not in ([], [OPENING]):
        return f"the first turn is {turns[0]}, not {OPENING}"
    try:
        sizes = [len(cells_of(turn)) for turn in turns[1:]]
    except ValueError as error:
        return str(error)
    return "a turn with one stone is not the last" if 1 in sizes[:-1] else None


def game_text(record: GameRecord, version: Version) -> str:
    """Return a game for which `why_not_exported` is None as text."""
    return write(notation_of(record, version))


def notation_of(record: GameRecord, version: Version) -> Notation:
    turns = [
        _turn(number, recorded, version) for number, recorded in enumerate(record.turns[1:], 1)
    ]
    return Notation(version, tuple(_tags(record)), tuple(turns))


def position_text(record: GameRecord, position: engine.Position) -> str:
    """Return a position of a game as a setup of version 2, without turns."""
    x, o = stones_by_side(position)
    setup = Setup(side_of(position.to_play), tuple(x), tuple(o))
    return write(Notation(2, tuple(_tags(record)), (), setup))


def _tags(record: GameRecord) -> Iterator[tuple[str, str]]:
    yield "name", _value(_FINGERPRINT.sub("", record.id))
    yield "platform", _value(record.platform)
    yield "utcdatetime", record.started_at.astimezone(UTC).strftime(MOMENT)
    for side, player in zip(SIDES, record.players, strict=True):
        yield f"player{side}", _value(player.name)
    match record.clock:
        case Fischer(initial_s=base, increment_s=increment):
            yield "timecontrol", f"{round(base)}+{round(increment)}"
        case Absolute(initial_s=base):
            yield "timecontrol", f"{round(base)}"
        case _:
            pass
    result = record.result
    if result is None:
        return
    if result.is_draw:
        yield "endreason", "draw"
    elif result.winner is not None:
        if result.reason in _WRITTEN:
            yield "endreason", _WRITTEN[result.reason]
        yield "winner", SIDES[result.winner - 1]


def _value(text: str) -> str:
    """A value on one line that does not end its own brackets."""
    return " ".join(text.split()).replace("[", "(").replace("]", ")")[:200]


def _turn(number: int, recorded: RecordedTurn, version: Version) -> Turn:
    first, *rest = cells_of(recorded.turn)
    if version == 1:
        return Turn(number, Move(first), Move(rest[0]) if rest else None)
    clock = None if recorded.clock is None else recorded.clock.main_ms
    evaluation = None
    if recorded.value is not None:
        for_x = recorded.value if number % 2 == 0 else 1 - recorded.value
        evaluation = Evaluation("%", round(200 * for_x) - 100)
    if rest:
        return Turn(number, Move(first), Move(rest[0], clock, evaluation))
    return Turn(number, Move(first, clock, evaluation), Move(None))


# ---- to a record ---------------------------------------------------------------------------------


def record_of(notation: Notation, now: datetime) -> GameRecord:
    """Return the main line of a notation as a record; variations are left out.

    Raises Unplayable with the turn that breaks a rule. A notation without a date gets `now`.
    """
    played = _played(notation)
    last = played[-1].position
    name = (notation.tag("name") or "").strip() or "hexo"
    began = _moment(notation.tag("utcdatetime", "datetime")) or now
    turns = [each.recorded for each in played]
    return game_record(
        f"{name}-{_fingerprint(notation)}",
        notation.tag("platform") or "htttx",
        setup_of(last.game, _clock(notation.tag("timecontrol"))),
        (_player(notation, "cross"), _player(notation, "circle")),
        turns,
        _result(notation, last),
        last=last,
        began=began,
        ended=None,
    )


@dataclass(frozen=True)
class _Played:
    recorded: RecordedTurn
    position: engine.Position


def _played(notation: Notation) -> list[_Played]:
    position = engine.game(HEXO, cap=0).start()  # other servers end long games in other ways
    played = list[_Played]()
    for text in _setup_turns(notation.setup or USUAL_SETUP):
        position = position.play(text)
        played.append(_Played(RecordedTurn(turn=text, source="opening"), position))
    for turn in notation.line:
        if position.over:
            raise Unplayable(f"turn {turn.number}: the game is over")
        try:
            after = with_pair(position, turn.stones)
        except engine.IllegalTurn as error:
            if len(turn.stones) == 1 and turn is notation.line[-1] and position.turns:
                break  # the game ended within the turn, for example by time
            raise Unplayable(f"turn {turn.number}: {error.reason}") from None
        played.append(_Played(_recorded(turn, after, position.to_play), after))
        position = after
    return played


def _setup_turns(setup: Setup) -> list[str]:
    try:
        turns = ordered(setup.x, setup.o)
    except (Unreachable, PartialTurn, TooHard) as error:
        raise Unplayable(f"setup: no game leads to it: {error}") from None
    try:
        position = engine.game(HEXO, cap=0).replay(turns)
    except engine.IllegalTurn:  # the turns are legal, but for a win on the way
        position = None
    if position is None or position.over:
        raise Unplayable("setup: a side has six in a row")
    if setup.to_move != side_of(position.to_play):
        raise Unplayable(f"setup: with these stones it is {side_of(position.to_play)}'s turn")
    return turns


def _recorded(turn: Turn, after: engine.Position, mover: int) -> RecordedTurn:
    moves = [turn.first, *([turn.second] if turn.second is not None else [])]
    clocks = [move.clock_ms for move in moves if move.clock_ms is not None]
    evaluations = [move.evaluation for move in moves if move.evaluation is not None]
    return RecordedTurn(
        turn=after.turns[-1],
        clock=PlayerClock(main_ms=clocks[-1]) if clocks else None,
        value=_chance(evaluations[-1], mover) if evaluations else None,
    )


def _chance(evaluation: Evaluation, mover: int) -> float:
    if evaluation.kind == "#":
        return float((evaluation.number > 0) == (mover == 1))
    for_x = min(1.0, max(0.0, (evaluation.number + 100) / 200))
    return for_x if mover == 1 else 1 - for_x


def _player(notation: Notation, side: str) -> RecordedPlayer:
    return RecordedPlayer(name=notation.tag(f"player{side}") or side, kind="person")


def _clock(text: str | None) -> TimeControl:
    found = _TIME.fullmatch((text or "").strip())
    if found is None or int(found[1]) == 0:
        return Untimed()
    base, increment = int(found[1]), int(found[2] or 0)
    return Fischer(initial_s=base, increment_s=increment) if found[2] else Absolute(initial_s=base)


def _moment(text: str | None) -> datetime | None:
    """The moment in UTC, which a time without an offset is in already."""
    try:
        moment = datetime.fromisoformat((text or "").strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # the latter near the years 1 and 9999
        return None


def _result(notation: Notation, last: engine.Position) -> RecordedResult | None:
    named = notation.tag("winner")
    winner: Literal[1, 2] | None = None
    if named in SIDES:
        winner = 1 if named == "cross" else 2
    if last.over:
        return RecordedResult(winner=1 if last.winner == 1 else 2, reason="played_out")
    reason = _READ.get(notation.tag("endreason") or "")
    if winner is not None and reason not in ("draw_agreement", "played_out"):
        return RecordedResult(winner=winner, reason=reason or "abandonment")
    if reason == "draw_agreement":
        return RecordedResult(winner=None, reason=reason)
    return None


def _fingerprint(notation: Notation) -> str:
    return hashlib.sha256(write(notation).encode()).hexdigest()[:12]
