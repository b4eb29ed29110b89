"""What is played, and by which engine, as a person names it on a command line."""

import shlex
from typing import Annotated

from cyclopts import Parameter
from pydantic import ValidationError

import engine
from bot.engines.spec import EngineSpec
from bot.errors import ConfigurationError

Board = Annotated[str, Parameter(help="pent-N, limping-N or hexhex-N")]
Rules = Annotated[str, Parameter(help="official or abstractplay")]
EngineName = Annotated[
    str,
    Parameter(name="--engine", help="a built-in engine by its name, or a command that speaks UGI"),
]
EngineOptions = Annotated[
    tuple[str, ...],
    Parameter(name="--option", negative="", help="an option of the engine as NAME=VALUE"),
]


def chosen_game(board: str, rules: str) -> engine.Game:
    """Raises ConfigurationError, with the known names, for what does not exist."""
    try:
        return engine.game("bluestone", board=board, rules=rules)
    except engine.UnknownGame as error:
        raise ConfigurationError(str(error)) from error


def chosen_engine(name_or_command: str, settings: tuple[str, ...]) -> EngineSpec:
    """The built-in engine of that name, else the program that the command line starts.

    `settings` are options of the engine, each as `NAME=VALUE`.
    """
    from engine.ugi import known_engines

    fields: dict[str, object] = {"options": dict(_setting(text) for text in settings)}
    if name_or_command in known_engines():
        fields |= {"name": name_or_command, "builtin": name_or_command}
    else:
        try:
            command = shlex.split(name_or_command)
        except ValueError as error:
            raise ConfigurationError(f"--engine {name_or_command!r}: {error}") from error
        fields |= {"name": " ".join(command)[:60], "command": command}
    try:
        return EngineSpec.model_validate(fields)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"]
        raise ConfigurationError(f"--engine {name_or_command!r}: {problem}") from error


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ConfigurationError(f"--option {text!r}: write it as NAME=VALUE")
    return name, value
