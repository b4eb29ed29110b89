"""Formats by name, with options as a settings file has them."""

from typing import Annotated

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
_ANY_FORMAT: TypeAdapter[AnyFormat] = TypeAdapter(AnyFormat)


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
