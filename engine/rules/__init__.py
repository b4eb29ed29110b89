"""The games: what there is to choose from, and where each game's rules are found.

A new game is one kernel module with its records, one `GameRules` adapter, and one entry in `GAMES`.
Nothing is imported from there until a game is made, so that this table can be read without loading
Numba.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from engine.boards import KNOWN_BOARDS
from engine.errors import UnknownGame

if TYPE_CHECKING:
    from engine.rules.adapter import GameRules


@dataclass(frozen=True)
class GameInfo:
    """A game as a menu shows it: the first board and the first rule set are the defaults.

    `boards` are the usual ones, `board_forms` say in words which others exist. `note` is what a
    player should know before he chooses.
    """

    name: str
    title: str
    boards: tuple[str, ...]
    board_forms: tuple[str, ...]
    rules: tuple[str, ...]
    options: tuple[str, ...]
    note: str
    adapter: str


GAMES: Final = (
    GameInfo(
        name="bluestone",
        title="Bluestone",
        boards=("pent-6", "pent-8", "limping-7", "hexhex-7", "pent-4"),
        board_forms=KNOWN_BOARDS,
        rules=("official", "abstractplay"),
        options=(),
        note="On pent-N with an odd N the blue stones are even in number, and games can be drawn.",
        adapter="engine.rules.bluestone_adapter",
    ),
)


def games() -> tuple[GameInfo, ...]:
    """Every game that can be played, the best known first."""
    return GAMES


def info(name: str) -> GameInfo:
    """The game of that name, or UnknownGame."""
    for known in GAMES:
        if known.name == name:
            return known
    raise UnknownGame("game", name, [known.name for known in GAMES])


def load(known: GameInfo) -> "GameRules":
    """The rules of a game; loads its compiled kernel."""
    rules: GameRules = import_module(known.adapter).RULES
    return rules
