"""Time controls, and how turns are charged to a player's clock under each.

Times on clocks are whole milliseconds; times in a control are seconds. Nothing here reads a clock:
callers pass the elapsed time.
"""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from bot.json_values import IS_NUMBER

DAY_S = 86_400
MAXIMUM_S = 366 * DAY_S
MINIMUM_S = 0.001
"""Shorter times would be 0 on a clock, which has whole milliseconds."""


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _plain(number: float) -> str:
    """Return the number exactly with as few digits as possible, and without an exponent."""
    text = format(Decimal(repr(float(number))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


Seconds = Annotated[float, Field(ge=0, le=MAXIMUM_S, allow_inf_nan=False), IS_NUMBER]
PositiveSeconds = Annotated[
    float, Field(ge=MINIMUM_S, le=MAXIMUM_S, allow_inf_nan=False), IS_NUMBER
]


def _kind_is_required(schema: dict[str, Any]) -> None:
    """Make `kind` required in the schema. The default is only for Python code."""
    others = [name for name in schema.get("required", []) if name != "kind"]
    schema["required"] = ["kind", *others]


class _Control(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_kind_is_required)


class Fischer(_Control):
    """`initial_s` for the game, and `increment_s` added after each turn."""

    kind: Literal["fischer"] = "fischer"
    initial_s: PositiveSeconds
    increment_s: Seconds

    def __str__(self) -> str:
        return f"{_plain(self.initial_s)}+{_plain(self.increment_s)}"


class ByoYomi(_Control):
    """`main_s`, then `periods` periods; a turn within a period does not use it up (Japanese)."""

    kind: Literal["byoyomi"] = "byoyomi"
    main_s: Seconds
    period_s: PositiveSeconds
    periods: Annotated[int, Field(ge=1, le=100), IS_NUMBER]

    def __str__(self) -> str:
        return f"{_plain(self.main_s)}/{self.periods}x{_plain(self.period_s)}"


class PerTurn(_Control):
    """`turn_s` for every turn; unused time is lost."""

    kind: Literal["per_turn"] = "per_turn"
    turn_s: PositiveSeconds

    def __str__(self) -> str:
        return f"{_plain(self.turn_s)}/turn"


class Absolute(_Control):
    """`initial_s` for the whole game."""

    kind: Literal["absolute"] = "absolute"
    initial_s: PositiveSeconds

    def __str__(self) -> str:
        return _plain(self.initial_s)


class Correspondence(_Control):
    """Fischer in days, with at most `maximum_s` on the clock."""

    kind: Literal["correspondence"] = "correspondence"
    initial_s: PositiveSeconds
    increment_s: Seconds
    maximum_s: PositiveSeconds

    def __str__(self) -> str:
        parts = (self.initial_s, self.increment_s, self.maximum_s)
        return "{}d+{}d:{}d".format(*(_plain(part / DAY_S) for part in parts))


class Untimed(_Control):
    """No clock."""

    kind: Literal["none"] = "none"

    def __str__(self) -> str:
        return "none"


TimeControl = Annotated[
    Fischer | ByoYomi | PerTurn | Absolute | Correspondence | Untimed, Field(discriminator="kind")
]
ANY_CONTROL: TypeAdapter[TimeControl] = TypeAdapter(TimeControl)

_NUMBER = r"(\d+(?:\.\d+)?)"
_FORMS = "300+5, 300/3x30, 10/turn, 600, 3d+1d:7d or none"


def parse_time_control(text: str) -> TimeControl:
    """Parse the short form that `str` of a control returns.

    Raises ValueError, with the known forms, for anything else.
    """
    fields = _read_form(text.strip().lower())
    if fields is None:
        raise ValueError(f"{text!r} is not a time control; write one as {_FORMS}")
    return ANY_CONTROL.validate_python(fields)


def _read_form(text: str) -> dict[str, object] | None:
    if text == "none":
        return {"kind": "none"}
    if m := re.fullmatch(rf"{_NUMBER}d\+{_NUMBER}d:{_NUMBER}d", text):
        initial, increment, maximum = (round(float(g) * DAY_S, 3) for g in m.groups())
        names = {"initial_s": initial, "increment_s": increment, "maximum_s": maximum}
        return {"kind": "correspondence", **names}
    if m := re.fullmatch(rf"{_NUMBER}\+{_NUMBER}", text):
        return {"kind": "fischer", "initial_s": float(m[1]), "increment_s": float(m[2])}
    if m := re.fullmatch(rf"{_NUMBER}/(\d+)x{_NUMBER}", text):
        main, periods, period = float(m[1]), int(m[2]), float(m[3])
        return {"kind": "byoyomi", "main_s": main, "periods": periods, "period_s": period}
    if m := re.fullmatch(rf"{_NUMBER}/turn", text):
        return {"kind": "per_turn", "turn_s": float(m[1])}
    if m := re.fullmatch(_NUMBER, text):
        return {"kind": "absolute", "initial_s": float(m[1])}
    return None


class PlayerClock(BaseModel):
    """One player's clock: `main_ms` left, and byo-yomi periods left.

    `main_ms` is None in an untimed game. `period_used_ms` is the part of its byo-yomi period that a
    running turn has used, 0 between turns. `flagged` is set if the clock has run out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    main_ms: int | None
    periods: int = 0
    period_used_ms: int = 0
    flagged: bool = False


def full_clock(control: TimeControl) -> PlayerClock:
    """Return the clock of a player who has not moved yet."""
    match control:
        case Fischer(initial_s=initial) | Absolute(initial_s=initial):
            return PlayerClock(main_ms=_ms(initial))
        case Correspondence(initial_s=initial, maximum_s=maximum):
            return PlayerClock(main_ms=_ms(min(initial, maximum)))
        case ByoYomi(main_s=main, periods=periods):
            return PlayerClock(main_ms=_ms(main), periods=periods)
        case PerTurn(turn_s=turn):
            return PlayerClock(main_ms=_ms(turn))
        case Untimed():
            return PlayerClock(main_ms=None)


def time_left_ms(control: TimeControl, clock: PlayerClock) -> int | None:
    """Return how long the player may think before the clock runs out; None without a clock."""
    if clock.main_ms is None:
        return None
    if isinstance(control, ByoYomi):
        return clock.main_ms + clock.periods * _ms(control.period_s) - clock.period_used_ms
    return clock.main_ms


def charge(control: TimeControl, clock: PlayerClock, elapsed_ms: int) -> PlayerClock:
    """Return the clock after a turn that took `elapsed_ms`, with the time that the control adds."""
    spent = run_down(control, clock, elapsed_ms)
    if spent.flagged or spent.main_ms is None:
        return spent
    match control:
        case Fischer(increment_s=increment):
            return spent.model_copy(update={"main_ms": spent.main_ms + _ms(increment)})
        case Correspondence(increment_s=increment, maximum_s=maximum):
            main = min(spent.main_ms + _ms(increment), _ms(maximum))
            return spent.model_copy(update={"main_ms": main})
        case PerTurn():
            return full_clock(control)
        case ByoYomi():
            return spent.model_copy(update={"period_used_ms": 0})
        case Absolute() | Untimed():
            return spent


def increment_ms(control: TimeControl) -> int:
    """Return what the control adds after a turn; a clock at its maximum gets less."""
    match control:
        case Fischer(increment_s=increment) | Correspondence(increment_s=increment):
            return _ms(increment)
        case _:
            return 0


def run_down(control: TimeControl, clock: PlayerClock, elapsed_ms: int) -> PlayerClock:
    """Return the clock `elapsed_ms` further into a turn that is not finished.

    In byo-yomi, fully used periods are gone, and `period_used_ms` is the used part of the next one.
    If the turn ended now, `charge` by 0 ms would give that part back.
    """
    left = time_left_ms(control, clock)
    if left is None or clock.main_ms is None or (elapsed_ms == 0 and left > 0):
        return clock
    if elapsed_ms >= left:
        return PlayerClock(main_ms=0, periods=0, flagged=True)
    if not isinstance(control, ByoYomi) or elapsed_ms <= clock.main_ms:
        return clock.model_copy(update={"main_ms": clock.main_ms - elapsed_ms})
    in_periods = elapsed_ms - clock.main_ms + clock.period_used_ms
    used, part = divmod(in_periods, _ms(control.period_s))
    return PlayerClock(main_ms=0, periods=clock.periods - used, period_used_ms=part)
