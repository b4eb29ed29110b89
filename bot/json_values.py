"""Strict JSON values: a text is not a number, and neither is `true`."""

import json
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

SHOWN_LENGTH: Final = 20
LARGEST_WHOLE: Final = 2**53
"""Above this some languages cannot represent every whole number."""


def first_problem(error: ValidationError) -> str:
    """Return where the first problem of a message is, and what it is."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place or 'message'}: {first['msg']}"


def in_words(value: object) -> str:
    """Describe the kind of a JSON value, and the value if it is short."""
    match value:
        case None | bool() | int() | float():
            return json.dumps(value)
        case str():
            short = value if len(value) <= SHOWN_LENGTH else f"{value[:SHOWN_LENGTH]}…"
            return f"the text {json.dumps(short, ensure_ascii=False)}"
        case list():
            return "a list"
        case _:
            return "an object"


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("number", f"a number is needed, not {in_words(value)}")
    return value


def _text(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_WHOLE:
        return str(value)
    raise PydanticCustomError("text", f"a text or a whole number is needed, not {in_words(value)}")


IS_NUMBER: Final = BeforeValidator(_number)
"""Must be last in an `Annotated[int, ...]`, which accepts 1.0 as 1, or `Annotated[float, ...]`."""
TrueOrFalse = Annotated[bool, Field(strict=True)]

_ShortText = Annotated[str, Field(max_length=40)]
_Whole = Annotated[int, Field(ge=-LARGEST_WHOLE, le=LARGEST_WHOLE)]
TextOrWhole = Annotated[
    _ShortText, BeforeValidator(_text, json_schema_input_type=_Whole | _ShortText)
]
"""A short text. A whole number is accepted as its digits."""
