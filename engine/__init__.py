"""Rules and search of four board games with two stones a turn, and of Free Go.

    >>> import engine
    >>> game = engine.game("bluestone", board="pent-6", rules="official")
    >>> position = game.start().play("5-3").play("0-0,5-9")
    >>> position
    <Position of bluestone on pent-6 after 2 turns>
    >>> position.to_play, position.scores
    (1, ((2,), (2,)))

`game` returns a `Game`, and `Game.start` its first `Position`. A position lists its legal turns,
plays a turn into a new position, and has the stones, the captures, the scores and the winner.
Importing this package is cheap: the compiled kernels are loaded with the first game.

docs/engine-api.md is the reference of everything that this package exports.
"""

# The names `benchmark`, `game` and `games` below are functions: they replace the modules of the
# same names, which are imported first.
from engine.benchmark import benchmark
from engine.boards.grid import BlueStone, Board
from engine.catalogue import GameInfo, OptionInfo, OptionPreset, boards_of, game_info, games
from engine.errors import (
    EngineError,
    IllegalTurn,
    InvalidOption,
    KernelsMissing,
    Refusal,
    UnknownGame,
)
from engine.game import Game, Position, Stone, game, game_of, play_out
from engine.games.choices import Choices
from engine.games.early_end import EarlyEnd
from engine.notation import Placement, stones_of

__all__ = [
    "BlueStone",
    "Board",
    "Choices",
    "EarlyEnd",
    "EngineError",
    "Game",
    "GameInfo",
    "IllegalTurn",
    "InvalidOption",
    "KernelsMissing",
    "OptionInfo",
    "OptionPreset",
    "Placement",
    "Position",
    "Refusal",
    "Stone",
    "UnknownGame",
    "benchmark",
    "boards_of",
    "game",
    "game_info",
    "game_of",
    "games",
    "play_out",
    "stones_of",
]
