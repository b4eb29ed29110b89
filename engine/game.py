"""Games and positions, as programs use them."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine import catalogue
from engine.boards.grid import Board
from engine.catalogue import GameInfo
from engine.errors import IllegalTurn, UnknownGame
from engine.games.choices import Choices
from engine.games.refusal import Refusal
from engine.notation import Placement, placements

if TYPE_CHECKING:
    from engine.games.mechanics import Mechanics
    from engine.games.rules import GameRules
    from engine.kernel.generic import Record


class Stone(NamedTuple):
    """A stone on the board; `kind` is 1 in games whose players have one kind of stone."""

    player: int
    kind: int


_STONES: Final = {(player, kind): Stone(player, kind) for player in (1, 2) for kind in (1, 2)}


@dataclass(frozen=True, eq=False)
class Game:
    """A game on a board under a rule set. Made by `game`; two equal requests give the same object.

    `options` holds those that are not at their default, `kinds` is the number of kinds of stones
    that a player owns. `record` is the board record for the compiled functions of
    `engine.kernel.generic`; treat it as read-only.
    """

    name: str
    board: Board
    rule_set: str
    options: tuple[tuple[str, int | str], ...]
    kinds: int
    record: "Record" = field(repr=False)
    rules: "GameRules" = field(repr=False)

    @property
    def info(self) -> GameInfo:
        """What a menu shows of the game."""
        return catalogue.game_info(self.name)

    @cached_property
    def mechanics(self) -> "Mechanics":
        """How positions follow from one another, for those who work on state records."""
        from engine.games.mechanics import Mechanics  # loads Numba

        return Mechanics(self.rules, self.board, self.kinds, self.record)

    def start(self) -> "Position":
        """The position before the first turn."""
        return self._start

    @cached_property
    def _start(self) -> "Position":
        state = self.mechanics.start()
        return Position(self, (), state, state)

    def replay(self, turns: Sequence[str], known: "Position | None" = None) -> "Position":
        """The position after `turns`; IllegalTurn says which of them breaks which rule.

        Goes on from `known`, a position of this game, where its turns are the first of these;
        replaying takes 50 us a turn.
        """
        position = self._start
        if (
            known is not None
            and known.game is self
            and known.turns == tuple(turns[: len(known.turns)])
        ):
            position = known
        for turn in turns[len(position.turns) :]:
            position = position.play(turn)
        return position

    @property
    def step_names(self) -> tuple[str, ...]:
        """How a turn string writes each placement code of the kernel: the cell, with the digit of
        the stone's kind before it where there are two.
        """
        return self.mechanics.step_names

    @cached_property
    def all_options(self) -> dict[str, int | str]:
        """Every option of the game with its value, those at their default too."""
        return {**self.rules.default_options(self.board), **dict(self.options)}

    def canonical(self, turn: str) -> str:
        """The form in which `Position.turns` keeps a turn, which need not be legal: lower case, no
        blanks, and what else the game says.
        """
        return self.rules.canonical("".join(turn.split()).lower())

    def placements(self, turn: str) -> tuple[Placement, ...]:
        """The stones that a turn in canonical form places; none if it is a pass."""
        return placements(turn, self.kinds)


@dataclass(frozen=True, repr=False)
class Position:
    """A position between two turns. Never changes; `play` makes a new one."""

    game: Game
    turns: tuple[str, ...]
    _state: "Record" = field(compare=False)
    _before: "Record" = field(compare=False)

    def __repr__(self) -> str:
        name, board = self.game.name, self.game.board.name
        return f"<Position of {name} on {board} after {len(self.turns)} turns>"

    @property
    def to_play(self) -> int:
        """The player to move, 1 or 2."""
        return int(self._state["player"])

    @property
    def turn_number(self) -> int:
        """The number of the turn to be played, from 1; passes count."""
        return len(self.turns) + 1

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._state["over"])

    @cached_property
    def winner(self) -> int | None:
        """The winner, 1 or 2; None for a draw and while the game goes on."""
        return (self.game.mechanics.outcome(self._state) or None) if self.over else None

    @cached_property
    def stones(self) -> dict[str, Stone]:
        """What stands on the board: cell to stone, in canonical order of the cells."""
        names = self.game.board.cells
        placed = self.game.rules.stones(self._state)
        return {names[cell]: _STONES[player, kind] for cell, player, kind in placed}

    @cached_property
    def captured(self) -> tuple[str, ...]:
        """The cells whose stones the last turn captured, in canonical order."""
        names = self.game.board.cells
        cells = self.game.rules.captured(self._before, self._state)
        return tuple(names[cell] for cell in cells)

    @cached_property
    def scores(self) -> tuple[Any, Any]:
        """The score of each player; what one looks like is the game's affair.

        Bluestone: the scores of the player's groups from high to low, groups without a score left
        out, `(0,)` if none scores. Blooms: how many stones the player has captured. Stargazers: how
        many of the player's stones are uninspired.
        """
        return self.game.rules.scores(self.game.board, self._state)

    @cached_property
    def marks(self) -> dict[str, str]:
        """Cells of stones that need a word to be understood; Stargazers: `uninspired`."""
        names = self.game.board.cells
        found = self.game.rules.marks(self.game.record, self._state)
        return {names[cell]: word for cell, word in found.items()}

    def record(self) -> "Record":
        """A copy of the state record, for the compiled functions of `engine.kernel.generic`."""
        return self.game.mechanics.copy_of(self._state)

    def legal_turns(self) -> Iterator[str]:
        """Every legal turn, computed as it is asked for; none once the game is over."""
        return self.game.mechanics.legal_turns(self._state)

    def choices(self, chosen: Sequence[str] = ()) -> Choices:
        """What may be chosen next while a turn is put together, of which `chosen` are the first
        steps, written as in `Game.step_names`; blanks and capitals are accepted.
        """
        from engine.games.choosing import choices_after  # loads Numba

        steps = ["".join(step.split()).lower() for step in chosen]
        return choices_after(self.game.mechanics, self._state, steps)

    def random_turn(self, chance: random.Random) -> str:
        """A uniformly random stone after the other; fewer than two, or a pass, if nothing more is
        possible. The game is not over.
        """
        return self.game.mechanics.random_turn(self._state, chance)

    def is_legal(self, turn: str) -> bool:
        """Whether `play` would accept the turn."""
        try:
            self.play(turn)
        except IllegalTurn:
            return False
        return True

    def play(self, turn: str) -> "Position":
        """The position after a turn; IllegalTurn says which rule it breaks, and where.

        Blanks and capitals are accepted; `turns` keeps the string in canonical form.
        """
        text = self.game.canonical(turn)
        after = self.game.mechanics.play_turn(self._state, text)
        if isinstance(after, Refusal):
            raise IllegalTurn(turn, after.rule, after.reason, after.where, self.turn_number)
        return Position(self.game, (*self.turns, text), after, self._state)


def game(name: str, board: str | None = None, rules: str | None = None, **options: object) -> Game:
    """The game of that name, on its usual board and under its first rule set unless told otherwise.

    UnknownGame names the known ones if the name, the board, the rule set or an option does not
    exist; InvalidOption, a kind of it, says what an option takes.
    """
    return game_of(name, board, rules, options)


def game_of(name: str, board: str | None, rules: str | None, options: Mapping[str, object]) -> Game:
    """`game` for options that come from a file or a server, whatever their names are."""
    info = catalogue.game_info(name)
    rule_set = info.rule_sets[0] if rules is None else rules
    if rule_set not in info.rule_sets:
        raise UnknownGame("rule set", rule_set, info.rule_sets)
    known = catalogue.rules_of(info)
    shape = known.board(info.boards[0] if board is None else board)
    defaults = known.default_options(shape)
    chosen = _option_values(info, options)
    unusual = {name: value for name, value in chosen.items() if value != defaults[name]}
    return _game(info, shape.name, rule_set, tuple(sorted(unusual.items())))


def _option_values(info: GameInfo, given: Mapping[str, object]) -> dict[str, int | str]:
    known = {option.name: option for option in info.options}
    for name in given:
        if name not in known:
            raise UnknownGame("option", name, known)
    return {name: known[name].value(value) for name, value in given.items()}


@cache
def _game(
    info: GameInfo, board: str, rule_set: str, options: tuple[tuple[str, int | str], ...]
) -> Game:
    rules = catalogue.rules_of(info)
    shape = rules.board(board)
    every_option = {**rules.default_options(shape), **dict(options)}
    record = rules.board_record(shape, rule_set, every_option)
    return Game(info.name, shape, rule_set, options, info.kinds, record, rules)


def play_out(game: Game, seed: int = 1) -> Position:
    """A uniformly random finished game, as its last position; the same one for the same seed.

    Nobody passes, or places one stone, while more is possible.
    """
    chance = random.Random(seed)
    position = game.start()
    while not position.over:
        position = position.play(position.random_turn(chance))
    return position
