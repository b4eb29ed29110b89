"""The games: what there is to choose from, and where each game's rules are found.

A new game is a folder of `engine.games` and one entry in `GAMES`; docs/adding-a-game.md tells how.
Nothing is imported from there until a game is made, so that this table can be read without loading
Numba.
"""

import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from engine.boards.grid import KNOWN_BOARDS
from engine.errors import InvalidOption, UnknownGame

if TYPE_CHECKING:
    from engine.games.rules import GameRules


@dataclass(frozen=True)
class OptionInfo:
    """A choice that a game leaves to its players; who does not choose gets the game's default.

    Either one of the words in `choices` or a whole number from `low` to `high`. `usual` is the
    default on the game's first board; on others it may differ.
    """

    name: str
    title: str
    note: str
    usual: int | str
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None

    def value(self, given: object) -> int | str:
        """`given` as a word or a number; InvalidOption says what would be accepted."""
        text = str(given)
        if self.choices:
            if text not in self.choices:
                raise InvalidOption(self.name, given, f"one of {', '.join(self.choices)}")
            return text
        assert self.low is not None
        assert self.high is not None
        if not re.fullmatch(r"[0-9]{1,9}", text) or not self.low <= int(text) <= self.high:
            raise InvalidOption(self.name, given, f"a whole number from {self.low} to {self.high}")
        return int(text)


@dataclass(frozen=True)
class GameInfo:
    """A game as a menu shows it: the first board and the first rule set are the defaults.

    `boards` are the usual ones, `board_forms` say in words which others exist. `kinds` is how many
    kinds of stones a player owns. `score` is a word for what `Position.scores` counts, which the
    page puts behind the numbers; it shows more of the blue stones of each of a player's `groups`,
    the stones that they captured (`captures`), and those of theirs that are `uninspired`.
    `fewer_wins` where the lower score is the better one. In words, `score_word` stands before the
    numbers, `counted`, where there is one number, is what one of them stands for, and `ties` say by
    rule set what decides between equal scores. `note` is what a player should know before they
    choose. `sgf_number` is the game's GM in the Smart Game Format.
    """

    name: str
    title: str
    boards: tuple[str, ...]
    board_forms: tuple[str, ...]
    rule_sets: tuple[str, ...]
    kinds: int
    score: str
    score_word: str
    options: tuple[OptionInfo, ...]
    note: str
    rules_module: str
    counted: str | None = None
    fewer_wins: bool = False
    ties: tuple[tuple[str, str], ...] = ()
    sgf_number: int | None = None


GAMES: Final = (
    GameInfo(
        name="bluestone",
        title="Bluestone",
        boards=("pent-6", "pent-8", "limping-7", "hexhex-7", "pent-4"),
        board_forms=KNOWN_BOARDS,
        rule_sets=("official", "abstractplay"),
        kinds=1,
        score="groups",
        score_word="groups",
        options=(),
        note="Build the group that touches the most blue stones; a turn is two stones.",
        rules_module="engine.games.bluestone.rules",
        sgf_number=1000,
    ),
    GameInfo(
        name="blooms",
        title="Blooms",
        boards=tuple(f"hexhex-{size}" for size in (5, 4, 6, 7, 8, 9, 10)),
        board_forms=("hexhex-N with N = 4..10",),
        rule_sets=("official", "abstractplay"),
        kinds=2,
        score="captures",
        score_word="captured",
        options=(
            OptionInfo(
                name="captures",
                title="Captures to win",
                note="On hexhex-N the default is 5N; 15 on hexhex-4 makes a short game.",
                usual=25,
                low=1,
                high=1000,
            ),
        ),
        note="Each player owns two colours; the first to capture enough stones wins.",
        rules_module="engine.games.blooms.rules",
        counted="captured stone",
        sgf_number=1001,
    ),
    GameInfo(
        name="stargazers",
        title="Stargazers",
        boards=("stars-39", "stars-63", "stars-111"),
        board_forms=("stars-39", "stars-63", "stars-111"),
        rule_sets=("official", "ludii"),
        kinds=1,
        score="uninspired",
        score_word="uninspired",
        options=(
            OptionInfo(
                name="protocol",
                title="Stones a turn",
                note="122: one stone, then two a turn; alternating: one a turn.",
                usual="122",
                choices=("122", "alternating"),
            ),
        ),
        note="Who has fewer uninspired stones when somebody cannot place wins.",
        rules_module="engine.games.stargazers.rules",
        counted="uninspired stone",
        fewer_wins=True,
        ties=(("official", "the last to place wins"), ("ludii", "who cannot place loses")),
        sgf_number=1002,
    ),
)


def games() -> tuple[GameInfo, ...]:
    """Every game that can be played, the best known first."""
    return GAMES


def game_info(name: str) -> GameInfo:
    """The game of that name, or UnknownGame."""
    for known in GAMES:
        if known.name == name:
            return known
    raise UnknownGame("game", name, [known.name for known in GAMES])


def boards_of(known: GameInfo) -> tuple[str, ...]:
    """The name of every board that the game can be played on."""
    return tuple(name for form in known.board_forms for name in _boards_in(form))


def _boards_in(form: str) -> list[str]:
    """The names that a form such as `pent-N with N = 3..13` stands for."""
    sizes = re.fullmatch(r"(\w+)-N with N = (\d+)\.\.(\d+)", form)
    if sizes is None:
        return [form]
    kind, least, most = sizes.groups()
    return [f"{kind}-{size}" for size in range(int(least), int(most) + 1)]


def rules_of(known: GameInfo) -> "GameRules":
    """The rules of a game; loads its compiled kernel."""
    rules: GameRules = import_module(known.rules_module).RULES
    return rules
