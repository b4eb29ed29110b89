"""The choice of a format by name, with the options of a settings file."""

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
"""Any format. In a settings file it is a table with its name under `kind`."""
_ANY_FORMAT: TypeAdapter[AnyFormat] = TypeAdapter(AnyFormat)


def problems_with(form: AnyFormat, names: Sequence[str]) -> list[str]:
    """Why these entrants cannot play in this format, a sentence each."""
    found = [f"forbidden: {name} is not a player" for name in sorted(_kept_apart(form) - {*names})]
    if len(names) < FEWEST:
        found.append(f"at least {FEWEST} players are needed")
    if isinstance(form, Sequential) and len(names) > FEWEST:
        found.append(f"a sequential match is between two players, not {len(names)}")
    if isinstance(form, Gauntlet) and form.seeds >= len(names):
        found.append(f"seeds: {form.seeds} of {len(names)} players are seeds and have no opponents")
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
    """An upper bound of the number of pairings; None if the format has no bound."""
    match form:
        case RoundRobin():
            return form.cycles * players * (players - 1) // 2
        case Gauntlet():
            return form.cycles * form.seeds * max(0, players - form.seeds)
        case Swiss():
            return form.rounds * (players // 2)
        case Knockout() | DoubleKnockout():
            # Each match gives one player a defeat, and may be repeated as a tie-break.
            return form.lives * players * (1 + form.tie_breaks)
        case Sequential():
            return form.most
        case FreeForAll():
            return None if form.each is None else form.each * players


def _kept_apart(form: AnyFormat) -> frozenset[str]:
    pairs = getattr(form, "forbidden", frozenset[frozenset[str]]())
    return frozenset[str]().union(*pairs)


def format_of(kind: str, **options: object) -> AnyFormat:
    """The format of that name with these options. Raises ConfigurationError with all errors."""
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
"""The fields of formats that are not options in the table of the format."""
_OF_KIND: Final[Mapping[str, type[BaseModel]]] = {
    each.model_fields["kind"].default: each for each in get_args(get_args(AnyFormat)[0])
}


def format_problems(kind: str, options: Mapping[str, Any]) -> Iterator[Problem]:
    """The errors in the options of a format, each with its place in the table."""
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
    """Whether the format supports forbidden pairs."""
    return "forbidden" in _OF_KIND[kind].model_fields
