"""Two games with puzzles: four in a row, which one turn makes six, and the end of a game."""

from typing import Final

import engine
from bot.puzzles.model import Puzzle
from bot.puzzles.symmetry import puzzle_id

TURNS: Final = ("0:0", "4:0,5:4", "1:0,2:0", "6:6,7:6", "3:0,-7:3", "7:7,9:9")
SOLUTION: Final = "-2:0,-1:0"
ENDGAME: Final = (
    "0-0",
    "2-2,1-3",
    "3-3,2-1",
    "1-2,3-5",
    "3-13,3-4",
    "3-11,1-1",
    "2-9,3-2",
    "3-6,3-12",
    "3-9,3-7",
    "2-4,3-10",
    "3-0,2-6",
    "1-0,3-14",
    "1-4,3-1",
)
"""A game of Bluestone on pent-4. Its last turn is a mistake, which ENDGAME_SOLUTION punishes."""
ENDGAME_SOLUTION: Final = "2-0,3-8"


def sample_puzzle() -> Puzzle:
    position = engine.game("hexo").replay(TURNS)
    return Puzzle(
        id=puzzle_id(position),
        game="hexo",
        board="plane",
        rules="official",
        turns=TURNS,
        solver=1,
        solution=position.play(SOLUTION).turns[-1],
        before=0.4,
        chance=1.0,
        second=0.3,
        second_turn="-1:0,9:8",
        themes=("opening", "win-in-1"),
        rating=700,
        source="sample/1",
    )
