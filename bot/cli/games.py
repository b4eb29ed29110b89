"""Options that name a game and an engine, and the objects that they select."""

from collections.abc import Sequence
from typing import Annotated, Final

from cyclopts import Parameter
from pydantic import ValidationError

import engine
from bot.engines.dialogues import usages
from bot.engines.spec import EngineSpec, fields_of
from bot.errors import ConfigurationError
from bot.records.model import refused_option

_GAMES: Final = ", ".join(known.name for known in engine.games())
GameName = Annotated[str, Parameter(name="--game", help=f"one of {_GAMES}")]
Board = Annotated[
    str | None, Parameter(help="a board of the game, such as pent-8; by default the usual one")
]
Rules = Annotated[str | None, Parameter(help="a rule set of the game; by default the official one")]
GameOptions = Annotated[
    tuple[str, ...],
    Parameter(
        name="--set",
        negative="",
        help="set an option of the game, as NAME=VALUE, such as captures=15",
    ),
]
EngineName = Annotated[
    str,
    Parameter(
        name="--engine",
        help="a built-in engine by its name, a command that speaks UGI" + usages(),
    ),
]
EngineOptions = Annotated[
    tuple[str, ...],
    Parameter(name="--option", negative="", help="set an option of the engine, as NAME=VALUE"),
]

NoSandbox = Annotated[
    bool,
    Parameter(
        name="--no-sandbox",
        negative="",
        help="run the engines outside their box, with all rights of this user",
    ),
]
OUTSIDE: Final = {"enabled": False}
"""The table `sandbox` of an engine that runs outside its box."""


def chosen_game(
    name: str, board: str | None, rules: str | None, options: Sequence[str] = ()
) -> engine.Game:
    """Return the game of these options, with defaults for the rest; `options` are `NAME=VALUE`.

    Raises ConfigurationError, with the possible values, for a value that does not exist.
    """
    chosen = dict(_setting("--set", text) for text in options)
    try:
        return engine.game_of(name, board, rules, chosen)
    except engine.UnknownGame as error:
        raise ConfigurationError(refused_option(name, error)) from error


def typed_position(game: engine.Game, turns: str) -> engine.Position:
    """Return the position after the turns of `--turns`, which are separated by blanks.

    Raises ConfigurationError with the rule that the first illegal turn breaks.
    """
    try:
        return game.replay(turns.split())
    except engine.IllegalTurn as error:
        problem = f"--turns: turn {error.turn_number}: {error} ({error.rule})"
        raise ConfigurationError(problem) from error


def chosen_engine(
    name_or_command: str, settings: Sequence[str], *, no_sandbox: bool = False
) -> EngineSpec:
    """Return the built-in engine of that name, otherwise the program that the command starts.

    A command or an address may begin with another protocol, as in `six:COMMAND`. `settings` are
    options of the engine, each as `NAME=VALUE`.
    """
    from engine.players.installed import known_engines

    fields: dict[str, object] = {"options": dict(_setting("--option", each) for each in settings)}
    if no_sandbox:
        fields["sandbox"] = OUTSIDE
    if name_or_command in known_engines():
        fields |= {"name": name_or_command, "builtin": name_or_command}
    else:
        try:
            found = fields_of(name_or_command)
        except ValueError as error:
            raise ConfigurationError(f"--engine {name_or_command!r}: {error}") from error
        is_plain = "protocol" not in found
        name = " ".join(found["command"]) if is_plain else name_or_command
        fields |= {"name": name[:60], **found}
    try:
        return EngineSpec.model_validate(fields)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"]
        raise ConfigurationError(f"--engine {name_or_command!r}: {problem}") from error


def _setting(parameter: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ConfigurationError(f"{parameter} {text!r}: write it as NAME=VALUE")
    return name, value
