"""The catalogue of games: their names, boards, rule sets, options and rules modules.

A new game is a folder of `engine.games` and one entry in `GAMES`; docs/adding-a-game.md explains
how to add one. The table can be read without loading Numba: a game's rules are imported when the
game is made.
"""

import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from engine.boards.grid import KNOWN_BOARDS
from engine.boards.square import KNOWN_SQUARES
from engine.errors import InvalidOption, UnknownGame

if TYPE_CHECKING:
    from engine.games.rules import GameRules


@dataclass(frozen=True)
class OptionPreset:
    """A value of an option that its game's designer or its players recommend on a board."""

    board: str
    """The name of the board."""
    value: int | str
    """The value."""
    word: str
    """What the value is for, such as `beginners`; the arena's page shows it in other words."""


@dataclass(frozen=True)
class OptionInfo:
    """An option of a game: one of several words, or a whole number within bounds."""

    name: str
    """The option's name, such as `captures`."""
    title: str
    """A label for menus, such as `Captures to win`."""
    note: str
    """A sentence for players about the values."""
    usual: int | str
    """The default on the game's first board. Other boards may have another default."""
    choices: tuple[str, ...] = ()
    """The words to choose from; empty for an option with a number."""
    low: int | None = None
    """The smallest number allowed; None for an option with words."""
    high: int | None = None
    """The largest number allowed; None for an option with words."""
    below: str | None = None
    """The name of an option whose number must be larger; None if there is no such option."""
    presets: tuple[OptionPreset, ...] = ()
    """Values that menus offer."""

    def value(self, given: object) -> int | str:
        """Check a value for this option and convert it.

        Args:
            given: A word, a number, or a number as text.

        Returns:
            The word or the number.

        Raises:
            InvalidOption: The option does not accept this value.

        Example:
            >>> engine.game_info("blooms").options[0].value("15")
            15
        """
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
    """A game's entry in the catalogue. The bot, the arena and the terminal read it."""

    name: str
    """The name that programs use, such as `bluestone`."""
    title: str
    """The name that people see, such as `Bluestone`."""
    boards: tuple[str, ...]
    """The boards that menus offer. The first one is the default."""
    board_forms: tuple[str, ...]
    """All boards, each as a name or as a form such as `pent-N with N = 3..13`."""
    rule_sets: tuple[str, ...]
    """The names of the rule sets. The first one is the default."""
    kinds: int
    """How many kinds of stones each player owns, 1 or 2."""
    score: str
    """What `Position.scores` counts: a word that the arena's page shows after the numbers.

    For `groups`, `captures` and `uninspired` the page shows more than the numbers. A game with
    `captures` has an option of that name, the number of captured stones that wins.
    """
    score_word: str
    """The word before the numbers in the terminal and in exported records, such as `captured`."""
    options: tuple[OptionInfo, ...]
    """The game's options; empty if it has none."""
    note: str
    """A sentence that helps a player to choose between the games."""
    rules_module: str
    """The module with the game's rules. It has a variable `RULES`."""
    counted: str | None = None
    """What one point stands for in result messages, in the singular, such as `captured stone`.

    None if a player's score has several numbers, as in Bluestone.
    """
    fewer_wins: bool = False
    """True if the player with the lower score is ahead."""
    ties: tuple[tuple[str, str], ...] = ()
    """For each rule set that breaks ties: its name, and what decides between equal scores."""
    sgf_number: int | None = None
    """The value of `GM` in Smart Game Format files; None writes the number for other games."""


def _handicap(player: int, name: str) -> OptionInfo:
    """Return the option for captures that a player has from the start."""
    return OptionInfo(
        name=f"handicap_{player}",
        title=f"Points ahead for {name}",
        note=f"Captured stones that {name} has from the start; fewer than win.",
        usual=0,
        low=0,
        high=999,
        below="captures",
    )


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
                presets=(
                    OptionPreset("hexhex-4", 15, "beginners"),
                    OptionPreset("hexhex-4", 20, "original"),
                    OptionPreset("hexhex-5", 20, "quick"),
                    OptionPreset("hexhex-5", 25, "original"),
                ),
            ),
            *(_handicap(player, name) for player, name in ((1, "Black"), (2, "White"))),
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
                title="Stones per turn",
                note="122: one stone, then two per turn; alternating: one per turn.",
                usual="122",
                choices=("122", "alternating"),
            ),
        ),
        note="When a player cannot place a stone, the one with fewer uninspired stones wins.",
        rules_module="engine.games.stargazers.rules",
        counted="uninspired stone",
        fewer_wins=True,
        ties=(
            ("official", "the last to place wins"),
            ("ludii", "the player who cannot place loses"),
        ),
        sgf_number=1002,
    ),
    GameInfo(
        name="hexo",
        title="HeXO",
        boards=("plane",),
        board_forms=("plane",),
        rule_sets=("official",),
        kinds=1,
        score="row",
        score_word="row",
        options=(
            OptionInfo(
                name="cap",
                title="Turns until a draw",
                note="After this many turns the game is a draw; 0, not on an arena, for no limit.",
                usual=300,
                low=0,
                high=2000,
            ),
        ),
        note="Six in a row on a board without an edge; a turn is two stones.",
        rules_module="engine.games.hexo.rules",
        counted="stone in a row",
        sgf_number=1003,
    ),
    GameInfo(
        name="freego",
        title="Free Go",
        boards=("square-9", "square-7", "square-13", "square-19"),
        board_forms=KNOWN_SQUARES,
        rule_sets=("official",),
        kinds=1,
        score="captures",
        score_word="captured",
        options=(
            OptionInfo(
                name="captures",
                title="Captures to win",
                note="On square-N the default is 2N; 1 is capture Go for beginners.",
                usual=18,
                low=1,
                high=1000,
            ),
        ),
        note="Go without passing: the first to capture enough stones wins; a turn is one stone.",
        rules_module="engine.games.freego.rules",
        counted="captured stone",
        sgf_number=1,
    ),
)


def games() -> tuple[GameInfo, ...]:
    """Return every game that can be played.

    Returns:
        The catalogue's entries, in the order in which menus show them.

    Example:
        >>> engine.games()[0].title
        'Bluestone'
    """
    return GAMES


def game_info(name: str) -> GameInfo:
    """Return the catalogue entry of a game.

    Args:
        name: The game's name.

    Returns:
        The entry of that name.

    Raises:
        UnknownGame: There is no game of that name. `known` lists the names.

    Example:
        >>> engine.game_info("blooms").rule_sets
        ('official', 'abstractplay')
    """
    for known in GAMES:
        if known.name == name:
            return known
    raise UnknownGame("game", name, [known.name for known in GAMES])


def boards_of(known: GameInfo) -> tuple[str, ...]:
    """Return the names of all boards that a game can be played on.

    Args:
        known: The game's entry in the catalogue.

    Returns:
        Board names, including those that menus do not offer.

    Example:
        >>> engine.boards_of(engine.game_info("stargazers"))
        ('stars-39', 'stars-63', 'stars-111')
    """
    return tuple(name for form in known.board_forms for name in _boards_in(form))


def _boards_in(form: str) -> list[str]:
    """Return the names that a form such as `pent-N with N = 3..13` stands for."""
    sizes = re.fullmatch(r"(\w+)-N with N = (\d+)\.\.(\d+)", form)
    if sizes is None:
        return [form]
    kind, least, most = sizes.groups()
    return [f"{kind}-{size}" for size in range(int(least), int(most) + 1)]


def rules_of(known: GameInfo) -> "GameRules":
    """Return the rules of a game. This imports its compiled kernel."""
    rules: GameRules = import_module(known.rules_module).RULES
    return rules
