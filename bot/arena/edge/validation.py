"""Events and credentials of clients, validated: each wrong field is named in a refusal."""

from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot import wire
from bot.arena.edge.packets import Incoming
from bot.arena.players.names import PATTERN, RULE
from bot.arena.refusals import Refused
from bot.arena.request_table import RequestTable
from bot.json_values import in_words
from bot.runtime.settings import did_you_mean, keys_at

SHOWN_PROBLEMS: Final = 3
Message = TypeVar("Message", bound=BaseModel)


def checked(incoming: Incoming, requests: RequestTable) -> BaseModel:
    """The message of an event. Raises Refused if it is not valid."""
    if incoming.problem is not None:
        raise Refused(incoming.problem)
    model = requests.find(incoming.event).model
    return parsed(model, incoming.payload)


def parsed(model: type[Message], payload: object) -> Message:
    """`payload` as a message of that model. Raises Refused, naming each wrong field."""
    if not isinstance(payload, dict):
        raise Refused("not_json")
    _check_version(payload)
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        raise Refused("invalid", _what_is_wrong(error, model)) from error


def _check_version(payload: dict[str, object]) -> None:
    needed = f"the number {wire.VERSION} is needed"
    if "v" not in payload:
        raise Refused("wrong_version", f"`v` is missing; {needed}.")
    version = payload["v"]
    if isinstance(version, bool) or not isinstance(version, int | float):
        raise Refused("wrong_version", f"`v` is {in_words(version)}; {needed}.")
    if version != wire.VERSION:
        spoken = f"this server speaks {wire.VERSION}"
        raise Refused("wrong_version", f"`v` asks for version {version}; {spoken}.")


def _in_words(problem: ErrorDetails, model: type[BaseModel]) -> str:
    if problem["type"] == "extra_forbidden":
        *place, key = problem["loc"]
        return "unknown field" + did_you_mean(str(key)[:40], keys_at(model, tuple(place)))
    if problem["type"] == "missing":
        return "it is missing"
    is_name = problem.get("ctx", {}).get("pattern") == PATTERN
    return RULE if is_name else problem["msg"].removeprefix("Value error, ")


def _what_is_wrong(error: ValidationError, model: type[BaseModel]) -> str:
    problems = error.errors(include_url=False, include_input=False)
    shown = [
        f"{'.'.join(str(part)[:40] for part in each['loc']) or 'message'}: {_in_words(each, model)}"
        for each in problems[:SHOWN_PROBLEMS]
    ]
    if len(problems) > SHOWN_PROBLEMS:
        shown.append(f"and {len(problems) - SHOWN_PROBLEMS} more")
    return "; ".join(shown)
