"""Formats by name, with options as a settings file has them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, get_args

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from bot.errors import ConfigurationError
from bot.runtime.settings import Problem, did_you_mean
from bot.tournaments.formats.base import FEWEST
from bot.tournaments.formats.free_for_all import FreeForAll
from bot.tournaments.formats.knockout import DoubleKnockout, Knockout
from bot.tournaments.formats.sequential import Sequential
from bot.tournaments.formats.swiss import PAIRED_BY, Swiss
from bot.tournaments.formats.tabled import Gauntlet, RoundRobin

AnyFormat = Annotated[
    RoundRobin | Gauntlet | Swiss | Knockout | DoubleKnockout | Sequential | FreeForAll,
    Field(discriminator="kind"),
]
"""A format as a table of a settings file, with its name under `kind`."""
_ANY_FORMAT: TypeAdapter[AnyFormat] = TypeAdapter(AnyFormat)


def problems_with(form: AnyFormat, names: Sequence[str]) -> list[str]:
    """Why these entrants cannot play in this format, a sentence each."""
    found = [
        f"forbidden: {name} is nobody who plays" for name in sorted(_kept_apart(form) - {*names})
    ]
    if len(names) < FEWEST:
        found.append(f"at least {FEWEST} players are needed")
    if isinstance(form, Sequential) and len(names) > FEWEST:
        found.append(f"a sequential match is between two players, and these are {len(names)}")
    if isinstance(form, Gauntlet) and form.seeds >= len(names):
        found.append(f"seeds: {form.seeds} of {len(names)} players leave them no opponents")
    return found


def format_warnings(form: AnyFormat, players: int) -> list[str]:
    """Why a valid format may end early with this number of players, a sentence each."""
    if not isinstance(form, Swiss) or 2 * form.rounds <= players:
        return []
    most = players - 1 + players % 2
    if form.rounds > most:
        end = f"the Swiss ends after round {most} at the latest, because no two players meet twice"
        return [f"format.rounds: {form.rounds} rounds are too many for {players} players: {end}"]
    end = "the Swiss may end early, when no legal pairing is left"
    return [f"format.rounds: {form.rounds} rounds are more than half of {players} players: {end}"]


def paired_by(kind: str) -> str | None:
    """The pairing system, its edition and the program, for a format that has editions."""
    return PAIRED_BY if kind == "swiss" else None


def most_pairings(form: AnyFormat, players: int) -> int | None:
    """An upper bound of the pairings of so many players; None for a format that has none."""
    match form:
        case RoundRobin():
            return form.cycles * players * (players - 1) // 2
        case Gauntlet():
            return form.cycles * form.seeds * max(0, players - form.seeds)
        case Swiss():
            return form.rounds * (players // 2)
        case Knockout() | DoubleKnockout():
            # Each match puts one defeat on somebody, and may be repeated as a tie-break.
            return form.lives * players * (1 + form.tie_breaks)
        case Sequential():
            return form.most
        case FreeForAll():
            return None if form.each is None else form.each * players


def _kept_apart(form: AnyFormat) -> frozenset[str]:
    pairs = getattr(form, "forbidden", frozenset[frozenset[str]]())
    return frozenset[str]().union(*pairs)


def format_of(kind: str, **options: object) -> AnyFormat:
    """Raises ConfigurationError with all that is wrong."""
    try:
        return _ANY_FORMAT.validate_python({"kind": kind, **options})
    except ValidationError as error:
        raise ConfigurationError(
            [
                ": ".join([*map(str, detail["loc"]), detail["msg"]])
                for detail in error.errors(include_url=False)
            ]
        ) from error


GIVEN: Final = frozenset({"kind", "forbidden"})
"""What a format is told, but not by options of its own."""
_OF_KIND: Final[Mapping[str, type[BaseModel]]] = {
    each.model_fields["kind"].default: each for each in get_args(get_args(AnyFormat)[0])
}


def format_problems(kind: str, options: Mapping[str, Any]) -> Iterator[Problem]:
    """Places are those in the table."""
    if kind not in _OF_KIND:
        known = ", ".join(_OF_KIND)
        yield ("kind",), f"no format {kind!r}{did_you_mean(kind, _OF_KIND)} (known: {known})"
        return
    own = [key for key in _OF_KIND[kind].model_fields if key not in GIVEN]
    for key in options.keys() - set(own):
        yield (key,), f"unknown key for {kind}{did_you_mean(key, own)}"
    yield from _wrong_values(_OF_KIND[kind], {key: options[key] for key in own if key in options})


def _wrong_values(chosen: type[BaseModel], options: Mapping[str, Any]) -> Iterator[Problem]:
    try:
        chosen.model_validate(options)
    except ValidationError as error:
        for each in error.errors(include_url=False):
            yield each["loc"], each["msg"].removeprefix("Value error, ")


def is_known(kind: str) -> bool:
    return kind in _OF_KIND


def takes_forbidden(kind: str) -> bool:
    """Whether pairs can be told not to meet."""
    return "forbidden" in _OF_KIND[kind].model_fields
