"""The [format] table of a tournament's settings: all that is wrong with it, each with its place."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from bot.runtime.settings import Problem, did_you_mean
from bot.tournaments.formats.choice import AnyFormat

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
