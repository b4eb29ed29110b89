"""Formats by name, with options as a settings file has them."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field, TypeAdapter, ValidationError

from bot.errors import ConfigurationError
from bot.tournaments.formats.free_for_all import FreeForAll
from bot.tournaments.formats.gauntlet import Gauntlet
from bot.tournaments.formats.knockout import DoubleKnockout, Knockout
from bot.tournaments.formats.round_robin import RoundRobin
from bot.tournaments.formats.sequential import Sequential
from bot.tournaments.formats.swiss import Swiss

AnyFormat = Annotated[
    RoundRobin | Gauntlet | Swiss | Knockout | DoubleKnockout | Sequential | FreeForAll,
    Field(discriminator="kind"),
]
"""A format as a table of a settings file, with its name under `kind`."""
FEWEST: Final = 2
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


def doubts_about(form: AnyFormat, players: int) -> list[str]:
    """What so many players can begin with, and will not play to its end; a sentence each."""
    most = players - 1 + players % 2
    if isinstance(form, Swiss) and form.rounds > most:
        least = (
            f"{form.rounds} rounds of a Swiss are more than {players} players have opponents for"
        )
        return [f"{least}: it ends after {most} at the latest"]
    return []


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
