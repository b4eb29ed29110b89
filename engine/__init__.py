"""Rules and search of two-stone board games.

    game = engine.game("bluestone", board="pent-6", rules="official")
    position = game.start().play("5-3").play("0-0,5-9")

`game` and `Position` are the heart of it: a position knows its legal turns, plays one into a new
position, and says what stands, what was captured, what it scores, and who has won. Importing this
package is cheap; the compiled kernels (Numba) are loaded when the first game is made.
"""

# `benchmark`, `game` and `games` below are functions; the modules of these names are loaded before.
from engine.benchmark import benchmark
from engine.boards.grid import BlueStone, Board
from engine.catalogue import GameInfo, OptionInfo, boards_of, game_info, games
from engine.errors import EngineError, IllegalTurn, InvalidOption, UnknownGame
from engine.game import Game, Position, Stone, game, game_of, play_out
from engine.games.choices import Choices
from engine.games.refusal import Refusal
from engine.notation import Placement, stones_of

__all__ = [
    "BlueStone",
    "Board",
    "Choices",
    "EngineError",
    "Game",
    "GameInfo",
    "IllegalTurn",
    "InvalidOption",
    "OptionInfo",
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
