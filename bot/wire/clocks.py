"""Clocks as a challenge may ask for them: those under which two players can play.

They are narrower than `bot.time_controls`, which also has to read what was played elsewhere, or
between two engines on one machine. Times are whole milliseconds; what is finer is rounded.
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
    """A time control in a challenge. ValueError says why none may ask for it."""
    try:
        return _OFFERED.validate_python(control.model_dump())
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        why = f"{first['loc'][-1]}: {first['msg']}"
        raise ValueError(f"no challenge can ask for the clock {control} ({why})") from error


def settled(clock: OfferedClock) -> TimeControl:
    """What is played under, once the challenge is accepted."""
    fields: dict[str, Any] = clock.model_dump()
    return ANY_CONTROL.validate_python(fields)
