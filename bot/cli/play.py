"""`bluestone play`: play against an engine in the terminal."""

import getpass
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from bot.cli.games import (
    Board,
    EngineName,
    EngineOptions,
    GameName,
    GameOptions,
    Rules,
    chosen_engine,
    chosen_game,
)
from bot.runtime.output import error_console, note, only_errors_logged, text_console


def play(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    game_option: GameOptions = (),
    seat: Annotated[
        Literal[1, 2], Parameter(help="your seat; player 1 plays first, with a single stone")
    ] = 1,
    level: Annotated[
        int | None,
        Parameter(
            help="playing strength, 1 to 10; by default full strength",
            validator=validators.Number(gte=1, lte=10),
        ),
    ] = None,
    time: Annotated[
        float,
        Parameter(
            help="seconds per turn of the engine",
            validator=validators.Number(gte=0.05, lte=3600),
        ),
    ] = 2.0,
    engine: EngineName = "search",
    option: EngineOptions = (),
    save: Annotated[Path | None, Parameter(help="append the game to this JSON Lines file")] = None,
) -> None:
    """Play against an engine in the terminal. Type `help` there for the commands."""
    from bot.records.jsonl import append_record
    from bot.terminal.game import TerminalGame
    from bot.terminal.opponent import EngineOpponent
    from bot.terminal.play import Conversation, ensure_kernels

    only_errors_logged()
    chosen = chosen_game(game, board, rules, game_option)
    spec = chosen_engine(engine, option if level is None else (*option, f"Level={level}"))
    began = datetime.now(UTC)
    if spec.is_builtin:
        ensure_kernels(error_console(), chosen.name)
    with EngineOpponent(spec, chosen, time) as opponent:
        for name in spec.options.keys() - opponent.settings.options.keys():
            note(f"the engine has no option {name} and ignores it")
        table = TerminalGame(chosen.start(), seat, getpass.getuser(), opponent.settings, began)
        result = Conversation(table, opponent, text_console(), input).run()
    if save is not None:
        game_id = f"{began:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        append_record(save, table.record(game_id, result, datetime.now(UTC)))
        error_console().print(f"saved as {game_id} in {save}")
