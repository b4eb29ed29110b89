"""Games and positions, the part of the engine that other programs use."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from engine import catalogue
from engine.boards.grid import Board
from engine.catalogue import GameInfo
from engine.errors import IllegalTurn, InvalidOption, Refusal, UnknownGame
from engine.games.choices import Choices
from engine.games.early_end import EarlyEnd
from engine.notation import Placement, placements

if TYPE_CHECKING:
    from engine.games.mechanics import Frame, Mechanics, State
    from engine.games.rules import GameRules
    from engine.kernel.generic import Record


class Stone(NamedTuple):
    """A stone on the board. It is a tuple: `player, kind = stone`."""

    player: int
    """The owner, 1 or 2."""
    kind: int
    """The colour among the owner's stones: 1 or 2 in Blooms, 1 in games with one kind of stone."""


_STONES: Final = {(player, kind): Stone(player, kind) for player in (1, 2) for kind in (1, 2)}


@dataclass(frozen=True, eq=False)
class Game:
    """A game with its board, rule set and options. It holds no position.

    Call `game` to get one. Two calls with equal arguments return the same object, so games can be
    compared with `is`.
    """

    name: str
    """The game's name in the catalogue, such as `bluestone`."""
    board: Board
    """The board as a graph of cells."""
    rule_set: str
    """The name of the rule set, such as `official`."""
    options: tuple[tuple[str, int | str], ...]
    """Name and value of each option that differs from its default, sorted by name."""
    kinds: int
    """How many kinds of stones each player owns, 1 or 2."""
    record: "Record" = field(repr=False)
    """The board record for the compiled functions of `engine.kernel.generic`; read-only."""
    rules: "GameRules" = field(repr=False)
    """The game's notation, reasons and scores in Python; internal to `engine`."""

    @property
    def info(self) -> GameInfo:
        """The game's entry in the catalogue."""
        return catalogue.game_info(self.name)

    @cached_property
    def mechanics(self) -> "Mechanics":
        """Functions on state records, for code that calls the compiled kernel; internal."""
        from engine.games.board_mechanics import BoardMechanics  # loads Numba
        from engine.games.rules import BoardRules, UnboundedRules

        if isinstance(self.rules, UnboundedRules):
            return self.rules.mechanics(self.all_options, self.record)
        assert isinstance(self.rules, BoardRules)
        return BoardMechanics(self.rules, self.board, self.kinds, self.record)

    def start(self) -> "Position":
        """Return the position before the first turn.

        Returns:
            The same `Position` object on every call, as long as anything refers to it.

        Example:
            >>> engine.game("bluestone").start()
            <Position of bluestone on pent-6 after 0 turns>
        """
        known = _starts.get(self)
        start = None if known is None else known()
        if start is None:
            state = self.mechanics.initial_state()
            start = Position(self, (), state, state)
            _starts[self] = ref(start)
        return start

    def replay(self, turns: Sequence[str], known: "Position | None" = None) -> "Position":
        """Return the position after a list of turns.

        Args:
            turns: All turns from the start of the game, as strings.
            known: A position of this game that was computed before. If `turns` begins with its
                turns, only the remaining ones are played.

        Returns:
            The position after the last turn.

        Raises:
            IllegalTurn: A turn breaks a rule. Its `turn_number` says which one, counted from 1.

        Example:
            >>> position = engine.game("bluestone").replay(["5-3", "0-0,5-9"])
            >>> position.turns
            ('5-3', '0-0,5-9')
        """
        position = self.start()
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
        """The notation of each placement in a turn string: the name of the cell.

        With two kinds of stones the digit of the kind comes first, as in `2b4`. The index in this
        tuple is the placement code of the compiled functions. On an unbounded board the tuple is
        empty: a code means another cell in another position.
        """
        return self.mechanics.step_names

    @property
    def most_turns(self) -> int:
        """A number of turns that no sensible game exceeds.

        It is twice the number of cells, because stones may be captured. On an unbounded board it is
        the number after which the game is a draw, or 2,000.
        """
        return self.mechanics.most_turns

    @cached_property
    def all_options(self) -> dict[str, int | str]:
        """Every option with its value, including those at their default."""
        return {**self.rules.default_options(self.board), **dict(self.options)}

    def canonical(self, turn: str) -> str:
        """Return a turn string in the form that `Position.turns` uses.

        That form has lower case, no blanks, and in Blooms the two stones in alphabetical order.

        Args:
            turn: A turn string. It need not be legal.

        Returns:
            The canonical string.

        Example:
            >>> engine.game("blooms").canonical("2B4, 1A1")
            '1a1,2b4'
        """
        return self.rules.canonical("".join(turn.split()).lower())

    def placements(self, turn: str) -> tuple[Placement, ...]:
        """Return the stones that a turn places.

        Args:
            turn: A turn string in canonical form; see `canonical`.

        Returns:
            One `Placement` per stone, in the order of the string; `()` for a pass.

        Example:
            >>> engine.game("blooms").placements("1a1,2b4")
            (Placement(cell='a1', kind=1), Placement(cell='b4', kind=2))
        """
        return placements(turn, self.kinds)


@dataclass(frozen=True, repr=False)
class Position:
    """A position between two turns. It is immutable and hashable; `play` returns a new one.

    Two positions are equal if they have the same game and the same turns.
    """

    game: Game
    """The game that is played."""
    turns: tuple[str, ...]
    """All turns from the start of the game, in canonical form."""
    _state: "State" = field(compare=False)
    _before: "State" = field(compare=False)

    def __repr__(self) -> str:
        name, board = self.game.name, self.game.board.name
        return f"<Position of {name} on {board} after {len(self.turns)} turns>"

    @property
    def to_play(self) -> int:
        """The player to move, 1 or 2."""
        return self.game.mechanics.to_play(self._state)

    @property
    def turn_number(self) -> int:
        """The number of the next turn, counted from 1; passes count as turns."""
        return len(self.turns) + 1

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.mechanics.is_over(self._state)

    @cached_property
    def winner(self) -> int | None:
        """The winner, 1 or 2; None for a draw, and None until the game is over."""
        return (self.game.mechanics.winner(self._state) or None) if self.over else None

    @property
    def has_ended(self) -> bool:
        """Whether a host ends a game here: it is over, or has an `early_end`."""
        return self.over or self.early_end is not None

    @property
    def final_winner(self) -> int | None:
        """The winner of a game that has ended, by an early end too; None for a draw, and before."""
        return self.winner if self.early_end is None else self.early_end.winner

    @cached_property
    def stones(self) -> dict[str, Stone]:
        """The stones on the board by the name of their cell, in the order of `Board.cells`."""
        placed = self.game.mechanics.stones(self._state)
        return {cell: _STONES[player, kind] for cell, player, kind in placed}

    @cached_property
    def captured(self) -> tuple[str, ...]:
        """The cells whose stones the last turn captured, in the order of `Board.cells`."""
        return self.game.mechanics.captured(self._before, self._state)

    @cached_property
    def scores(self) -> tuple[Any, Any]:
        """The scores of player 1 and player 2. Each game defines what a score is.

        - Bluestone: a tuple with the scores of the player's groups, highest first. Groups that
          score 0 are left out; without any scoring group it is `(0,)`.
        - Blooms: the number of stones that the player has captured.
        - Stargazers: the number of the player's own stones that are uninspired.
        - HeXO: the length of the player's longest row.
        - Free Go: the number of stones that the player has captured.
        """
        return self.game.mechanics.scores(self._state)

    @cached_property
    def marks(self) -> dict[str, str]:
        """A word for each stone that has a special state, by the name of its cell.

        In Stargazers the word is `uninspired`. The other games have no marks.
        """
        return dict(self.game.mechanics.marks(self._state))

    @property
    def ko(self) -> str | None:
        """The empty cell on which ko allows no stone now, in Free Go; None without one."""
        return self.game.mechanics.ko(self._state)

    @cached_property
    def final_scores(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """The least and the most that the score of player 1, and of player 2, can be in the end.

        Whatever both players do, the final scores lie between these numbers. They are None in
        games other than Stargazers.
        """
        return self.game.mechanics.final_scores(self._state)

    @cached_property
    def early_end(self) -> EarlyEnd | None:
        """The early end of the game; None without one, as in all games but Stargazers.

        By Stargazers' rule set `official`, hosts end a game as soon as no continuation can change
        its winner. Such a position is not `over`, and `play` accepts turns, because games of
        version 1.0.0 were played on. By the rule set `ludii`, the game is over.
        """
        return self.game.mechanics.early_end(self._state)

    @cached_property
    def shown_board(self) -> Board:
        """The board that a drawing of the position shows.

        It is the game's board, or on an unbounded board the part of it around the stones.

        Example:
            >>> position = engine.game("hexo").start().play("0:0")
            >>> len(position.game.board.cells), len(position.shown_board.cells)
            (0, 19)
        """
        return self.game.mechanics.shown_board(self._state)

    @property
    def room(self) -> int:
        """How many more stones there may be: the number of empty cells.

        On an unbounded board it is an estimate of how many more stones a game lasts.
        """
        return self.game.mechanics.room(self._state)

    @cached_property
    def frame(self) -> "Frame":
        """What the placement codes of `record` stand for; internal to `engine`."""
        return self.game.mechanics.frame(self._state)

    def record(self) -> "Record":
        """Return a copy of the state record for the functions of `engine.kernel.generic`.

        Returns:
            A NumPy structured scalar that the caller may change.
        """
        return self.game.mechanics.record_of(self._state)

    def legal_turns(self) -> Iterator[str]:
        """Iterate over all legal turns.

        Turns are generated lazily: large boards have more than 10,000 of them. Where the order of
        two stones makes no difference to the notation, as in Blooms, each turn appears once.

        Returns:
            An iterator of turn strings in canonical form. It is empty when the game is over.

        Example:
            >>> from itertools import islice
            >>> list(islice(engine.game("bluestone").start().legal_turns(), 3))
            ['0-0', '1-0', '1-1']
        """
        return self.game.mechanics.legal_turns(self._state)

    def choices(self, chosen: Sequence[str] = ()) -> Choices:
        """Return which steps may follow in a turn that a player has begun to compose.

        Args:
            chosen: The steps chosen so far: none, one or two. Each is written as in
                `Game.step_names`; blanks and capitals are accepted.

        Returns:
            The legal next steps, and the reason for each step that is not legal.

        Example:
            >>> after_one = engine.game("bluestone", "pent-3").start().play("2-1").choices(["0-0"])
            >>> after_one.legal
            ('2-0', '2-2', '2-3', '2-4', '2-5', '2-6', '2-7', '2-8', '2-9')
            >>> after_one.illegal["1-0"].reason
            '1-0 would join the group of 0-0'
        """
        steps = ["".join(step.split()).lower() for step in chosen]
        return self.game.mechanics.choices(self._state, steps)

    def random_turn(self, chance: random.Random) -> str:
        """Return a random legal turn. Each stone is drawn uniformly from the legal placements.

        The turn places as many stones as possible. It is a pass only if none can be placed.

        Args:
            chance: The source of random numbers.

        Returns:
            A turn string in canonical form. If the game is over, the result is not a legal turn.
        """
        return self.game.mechanics.random_turn(self._state, chance)

    def likely_turn(self, chance: random.Random) -> str:
        """Return a random turn among those that the search of the engine considers.

        On a fixed board it is a `random_turn`. In HeXO it completes six in a row, answers threats,
        and otherwise stays near the stones.

        Args:
            chance: The source of random numbers.

        Returns:
            A turn string in canonical form. If the game is over, the result is not a legal turn.
        """
        return self.game.mechanics.likely_turn(self._state, chance)

    def is_legal(self, turn: str) -> bool:
        """Return whether `play` would accept a turn.

        Args:
            turn: A turn string.

        Returns:
            True if the turn is legal in this position.
        """
        try:
            self.play(turn)
        except IllegalTurn:
            return False
        return True

    def play(self, turn: str) -> "Position":
        """Return the position after a turn. This position stays as it is.

        Args:
            turn: A step, two steps with a comma between them, or `pass`. Blanks and capitals are
                accepted; `turns` keeps the canonical form.

        Returns:
            The new position.

        Raises:
            IllegalTurn: The turn breaks a rule. The exception names the rule and the cell.

        Example:
            >>> position = engine.game("bluestone").start().play("5-3").play("0-0,5-9")
            >>> position.scores
            ((2,), (2,))
        """
        text = self.game.canonical(turn)
        after = self._unless_refused(turn, self.game.mechanics.play_turn(self._state, text))
        return Position(self.game, (*self.turns, text), after, self._state)

    def begin(self, step: str) -> "Position":
        """Return the position in the middle of a turn, after its first step. Internal to `engine`.

        Only HeXO has such positions, for hosts that ask for the second stone alone.

        Args:
            step: The first step of the turn.

        Returns:
            A `BegunTurn`, or the position after the turn if the step is a whole turn.

        Raises:
            IllegalTurn: No legal turn begins with the step.
        """
        if self.is_legal(step):
            return self.play(step)
        text = self.game.canonical(step)
        after = self._unless_refused(step, self.game.mechanics.begin_turn(self._state, text))
        return BegunTurn(self.game, (*self.turns, text), after, self._state)

    def _unless_refused(self, turn: str, after: "State | Refusal") -> "State":
        if isinstance(after, Refusal):
            raise IllegalTurn(turn, after.rule, after.reason, after.where, self.turn_number)
        return after


@dataclass(frozen=True, repr=False)
class BegunTurn(Position):
    """A position in the middle of a turn; internal to `engine`.

    The last of its `turns` is the step that was played. A turn in it is the step that is missing.
    """

    @property
    def turn_number(self) -> int:
        """The number of the turn that has begun, counted from 1."""
        return len(self.turns)

    def play(self, turn: str) -> Position:
        """Return the position after the whole turn."""
        after = super().play(turn)
        *before, first, second = after.turns
        whole = self.game.canonical(f"{first},{second}")
        return replace(after, turns=(*before, whole), _before=self._before)


def game(name: str, board: str | None = None, rules: str | None = None, **options: object) -> Game:
    """Return a game, on its default board and under its default rule set unless you name others.

    The first call loads Numba. The engine compiles a game's rules on their first use and caches
    the compiled code on disk for later processes.

    Args:
        name: The game's name: `bluestone`, `blooms`, `stargazers` or `hexo`.
        board: The name of a board; None for the first one in `GameInfo.boards`.
        rules: The name of a rule set; None for the first one in `GameInfo.rule_sets`.
        options: Options of the game as keyword arguments, such as `captures=15` for Blooms.

    Returns:
        The game. Equal calls return the same object.

    Raises:
        UnknownGame: The game, board, rule set or option does not exist. `known` lists the choices.
        InvalidOption: An option exists but does not accept this value.

    Example:
        >>> blooms = engine.game("blooms", "hexhex-4", captures=15)
        >>> blooms.all_options
        {'captures': 15, 'handicap_1': 0, 'handicap_2': 0}
    """
    return game_of(name, board, rules, options)


def game_of(name: str, board: str | None, rules: str | None, options: Mapping[str, object]) -> Game:
    """Return a game as `game` does, with the options in a mapping.

    Use it when names and values come from a file or a server.

    Args:
        name: The game's name.
        board: The name of a board, or None for the default.
        rules: The name of a rule set, or None for the default.
        options: Option values by name. A number may be given as text: `"15"` means 15.

    Returns:
        The game, as `game` returns it.

    Raises:
        UnknownGame: As for `game`.
        InvalidOption: As for `game`.
    """
    info = catalogue.game_info(name)
    rule_set = info.rule_sets[0] if rules is None else rules
    if rule_set not in info.rule_sets:
        raise UnknownGame("rule set", rule_set, info.rule_sets)
    known = catalogue.rules_of(info)
    shape = known.board(info.boards[0] if board is None else board)
    defaults = known.default_options(shape)
    chosen = _option_values(info, options)
    _check_together(info, {**defaults, **chosen})
    unusual = {name: value for name, value in chosen.items() if value != defaults[name]}
    return _game(info, shape.name, rule_set, tuple(sorted(unusual.items())))


def _option_values(info: GameInfo, given: Mapping[str, object]) -> dict[str, int | str]:
    known = {option.name: option for option in info.options}
    for name in given:
        if name not in known:
            raise UnknownGame("option", name, known)
    return {name: known[name].value(value) for name, value in given.items()}


def _check_together(info: GameInfo, values: Mapping[str, int | str]) -> None:
    """Raise InvalidOption for a number that is not below that of another option."""
    for option in info.options:
        if option.below is None:
            continue
        value, most = values[option.name], int(values[option.below]) - 1
        if int(value) > most:
            takes = f"a whole number from {option.low} to {most}, below {option.below}"
            raise InvalidOption(option.name, value, takes)


# A game is made once as long as anything refers to it, so that games can be compared with `is`.
# Strangers choose options: the games of all values of HeXO's cap would take 170 MB.
_living: Final = WeakValueDictionary[tuple[object, ...], Game]()
# A game that referred to its start, which refers to the game, would stay until a late collection.
_starts: Final = WeakKeyDictionary[Game, "ref[Position]"]()
_making: Final = Lock()
LATEST: Final = 64
"""The latest games stay although nothing refers to them. They take at most 12 MB."""


@lru_cache(maxsize=LATEST)
def _game(
    info: GameInfo, board: str, rule_set: str, options: tuple[tuple[str, int | str], ...]
) -> Game:
    key = info.name, board, rule_set, options
    with _making:
        game = _living.get(key)
        if game is None:
            game = _living[key] = _made(info, board, rule_set, options)
    return game


def _made(
    info: GameInfo, board: str, rule_set: str, options: tuple[tuple[str, int | str], ...]
) -> Game:
    rules = catalogue.rules_of(info)
    shape = rules.board(board)
    every_option = {**rules.default_options(shape), **dict(options)}
    record = rules.board_record(shape, rule_set, every_option)
    return Game(info.name, shape, rule_set, options, info.kinds, record, rules)


def play_out(game: Game, seed: int = 1) -> Position:
    """Play random turns from the start to the end of a game.

    Each turn places as many stones as possible, and is a pass only if none can be placed.

    Args:
        game: The game to play.
        seed: The seed of the random numbers. The same seed gives the same turns.

    Returns:
        The last position. Its `turns` are the whole game.

    Example:
        >>> last = engine.play_out(engine.game("bluestone", "pent-3"), seed=1)
        >>> last.winner, last.scores
        (2, ((5,), (5, 4)))
    """
    chance = random.Random(seed)
    position = game.start()
    while not position.over:
        position = position.play(position.random_turn(chance))
    return position
