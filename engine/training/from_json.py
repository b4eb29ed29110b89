"""Makes dataclasses of JSON objects, and checks their fields: a person may have edited the file."""

from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import TypeVar, get_args, get_origin

Record = TypeVar("Record")


def record_of(kind: type[Record], found: Mapping[str, object]) -> Record:
    """Return a dataclass of that kind with the fields `found`.

    Raises TypeError for a field that is missing, unknown or of another type.
    """
    wanted = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in found.items():
        if name in wanted and not _is_a(value, wanted[name]):
            raise TypeError(f"{name} is {value!r}")
    return kind(**found)


def _is_a(value: object, wanted: object) -> bool:
    """Whether `value` is of the type `wanted`; types of elements are not checked."""
    origin = get_origin(wanted)
    if origin is UnionType:
        return any(_is_a(value, each) for each in get_args(wanted))
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if wanted is float:
        return isinstance(value, int | float)
    plain = origin or wanted
    assert isinstance(plain, type)
    return isinstance(value, plain)
