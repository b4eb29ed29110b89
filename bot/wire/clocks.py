"""The clocks that a challenge may request.

Their bounds are narrower than those of `bot.time_controls`, which also reads games from other
servers and games between engines on one machine. Times are rounded to whole milliseconds.
"""

from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from bot.json_values import IS_NUMBER
from bot.time_controls import (
    ANY_CONTROL,
    DAY_S,
    MAXIMUM_S,
    Absolute,
    ByoYomi,
    Correspondence,
    Fischer,
    PerTurn,
    TimeControl,
    Untimed,
)

LEAST_S: Final = 1
HOUR_S: Final = 3600
_MS: Final = AfterValidator(lambda seconds: round(seconds, 3))

_Live = Annotated[float, Field(ge=LEAST_S, le=DAY_S), IS_NUMBER, _MS]
_LiveOrNone = Annotated[float, Field(ge=0, le=DAY_S), IS_NUMBER, _MS]
_Period = Annotated[float, Field(ge=LEAST_S, le=HOUR_S), IS_NUMBER, _MS]
_Increment = Annotated[float, Field(ge=0, le=HOUR_S), IS_NUMBER, _MS]
_Long = Annotated[float, Field(ge=HOUR_S, le=MAXIMUM_S), IS_NUMBER, _MS]
_LongIncrement = Annotated[float, Field(ge=0, le=MAXIMUM_S), IS_NUMBER, _MS]


class OfferedFischer(Fischer):
    initial_s: _Live
    increment_s: _Increment


class OfferedByoYomi(ByoYomi):
    main_s: _LiveOrNone
    period_s: _Period


class OfferedPerTurn(PerTurn):
    turn_s: _Live


class OfferedAbsolute(Absolute):
    initial_s: _Live


class OfferedCorrespondence(Correspondence):
    initial_s: _Long
    increment_s: _LongIncrement
    maximum_s: _Long


OfferedClock = Annotated[
    OfferedFischer
    | OfferedByoYomi
    | OfferedPerTurn
    | OfferedAbsolute
    | OfferedCorrespondence
    | Untimed,
    Field(discriminator="kind"),
]
_OFFERED: TypeAdapter[OfferedClock] = TypeAdapter(OfferedClock)


def offered(control: TimeControl) -> OfferedClock:
    """Return the clock of a challenge. Raise ValueError if no challenge may request this clock."""
    try:
        return _OFFERED.validate_python(control.model_dump())
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        why = f"{first['loc'][-1]}: {first['msg']}"
        raise ValueError(f"no challenge can request the clock {control} ({why})") from error


def settled(clock: OfferedClock) -> TimeControl:
    """Return the time control of the game that an accepted challenge starts."""
    fields: dict[str, Any] = clock.model_dump()
    return ANY_CONTROL.validate_python(fields)
