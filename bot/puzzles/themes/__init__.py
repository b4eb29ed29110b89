"""The themes of a puzzle: short codes of what its solution does, computed by the rules.

`docs/puzzles.md` has the list of codes and what each promises. A theme says what is true on the
board, not what a player thinks.
"""

from collections.abc import Callable, Mapping
from typing import Final

import engine
from bot.puzzles.themes.bluestone import bluestone_themes
from bot.puzzles.themes.captures import CaptureThemes
from bot.puzzles.themes.hexo import hexo_themes
from bot.puzzles.themes.stargazers import stargazers_themes

_OF_GAME: Final[Mapping[str, Callable[[engine.Position, engine.Position], list[str]]]] = {
    "bluestone": bluestone_themes,
    "blooms": CaptureThemes(fills=2),
    "stargazers": stargazers_themes,
    "hexo": hexo_themes,
    "freego": CaptureThemes(fills=1),
}
OPENING_PART, ENDGAME_PART = 0.3, 0.6
"""Parts of the cells with stones: an opening has fewer, an endgame has more."""
OPENING_STONES, ENDGAME_STONES = 16, 48
"""The same as numbers of stones, for boards without an edge."""


def themes_of(before: engine.Position, solution: str, *, proved: bool = False) -> tuple[str, ...]:
    """Return the themes of a puzzle, sorted.

    `before` is the position to solve. `proved`: whether the search has proved that the solution
    wins. Raises engine.IllegalTurn.
    """
    after = before.play(solution)
    found = [_phase(before)]
    if after.winner == before.to_play:
        found.append("win-in-1")
    elif proved:
        found.append("forced-win")
    in_game = _OF_GAME.get(before.game.name)
    own = in_game(before, after) if in_game is not None else []
    if not own and not after.over:
        found.append("quiet")
    return tuple(sorted({*found, *own}))


def _phase(position: engine.Position) -> str:
    stones, cells = len(position.stones), len(position.game.board.cells)
    few, many = OPENING_STONES, ENDGAME_STONES
    if position.game.board.is_bounded:
        few, many = round(OPENING_PART * cells), round(ENDGAME_PART * cells)
    return "opening" if stones < few else "endgame" if stones > many else "middlegame"
