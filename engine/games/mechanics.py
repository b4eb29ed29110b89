"""What positions and the search ask of a game, whatever the game's positions are made of.

A *state* is a game's own description of a position, which only its `Mechanics` understands. A
*state record* is what the compiled kernel sees. In games on a fixed board they are the same
(`engine.games.board_mechanics`). On an unbounded board the kernel sees only a part of the board,
and a state has more than a record.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from engine.boards.grid import Board
from engine.errors import Refusal
from engine.games.choices import Choices
from engine.games.early_end import EarlyEnd
from engine.kernel import calls
from engine.kernel.generic import Memory, Record

PASS_AND_STOP = 2
"""The number of codes that the kernel may list in addition to the placements."""

State: TypeAlias = Any
"""A game's own description of a position. Nobody changes it."""
Bounds: TypeAlias = tuple[int, int]
"""The least and the most that a player's final score can be."""


class Frame(ABC):
    """Which step each placement code of a state record stands for.

    On a fixed board every position has the same frame. On an unbounded board the kernel sees a
    part of it around the last stones, so another position may have another frame. Codes of two
    records, and a search tree with its codes, may be compared if the frames are equal.
    """

    @abstractmethod
    def step_name(self, step: int) -> str:
        """Return the notation of a placement code."""

    @abstractmethod
    def steps_of(self, turn: str) -> tuple[int, ...] | None:
        """Return the step codes of a turn in canonical form; None if one lies outside the frame.

        The turn must be legal in some position.
        """


class Mechanics(ABC):
    """The mechanics of one game on one board.

    `record` holds the board, the rule set and the options for the kernel. A method leaves its
    arguments unchanged, unless its docstring says otherwise.
    """

    record: Record

    @property
    @abstractmethod
    def most_turns(self) -> int:
        """A number of turns that no sensible game exceeds."""

    # State records, for code that calls the compiled kernel.

    @property
    @abstractmethod
    def state_dtype(self) -> np.dtype[Any]:
        """The type of a state record."""

    @property
    def step_names(self) -> tuple[str, ...]:
        """The notation of each placement code; empty if it depends on the position."""
        return ()

    @property
    def n_steps(self) -> int:
        """The number of placement codes."""
        return int(self.record["n_steps"])

    @property
    def usual_steps(self) -> int:
        """The number of placements among which a player usually chooses."""
        return self.n_steps

    @property
    def selects_by_priors(self) -> bool:
        """Whether the search selects steps by the priors of the game, not by AMAF values."""
        return False

    def new_state(self) -> Record:
        """Return a blank state record for the kernel to fill."""
        return np.zeros(1, self.state_dtype)[0]

    def prover_memory(self) -> Memory:
        """Return what `kernel.prove` remembers; an empty array if the game has no prover."""
        return np.zeros(0, np.uint8)

    def copy_of(self, state: Record) -> Record:
        """Return a copy of a state record."""
        # This takes a third of the time of `state.copy()`, which copies field by field.
        copy = np.empty(1, self.state_dtype)
        copy[0] = state
        return copy[0]

    def start(self) -> Record:
        """Return the state record of the initial position."""
        state = self.new_state()
        calls.start(self.record, state)
        return state

    def outcome(self, state: Record) -> int:
        """Return the player who is ahead, 1 or 2, or 0 for a draw."""
        return int(calls.outcome(self.record, state))

    def steps(self, state: Record) -> list[int]:
        """Return the codes of the legal steps in the order of `kernel.legal_steps`."""
        out = np.empty(self.n_steps + PASS_AND_STOP, np.int16)
        count = calls.legal_steps(self.record, state, out)
        steps: list[int] = out[:count].tolist()
        return steps

    def promising_steps(self, state: Record) -> list[int]:
        """Return the codes of the steps that the search considers."""
        out = np.empty(self.n_steps + PASS_AND_STOP, np.int16)
        count = calls.promising_steps(self.record, state, out)
        steps: list[int] = out[:count].tolist()
        return steps

    def try_step(self, state: Record, step: int) -> bool:
        """Play a step in `state` if it is legal; return whether it was. This changes `state`."""
        return bool(calls.try_step(self.record, state, step))

    def playouts(self, seed: int) -> Callable[[int], None]:
        """Return a function of `count` that plays `count` random games from the start."""
        origin, state = self.start(), self.new_state()
        rng, wins = calls.random_source(seed), np.zeros(3, np.int64)

        def run(count: int) -> None:
            calls.playouts(self.record, origin, state, rng, wins, count)

        return run

    # States. `engine.game.Position` is made of one.

    @abstractmethod
    def initial_state(self) -> State:
        """Return the state before the first turn."""

    @abstractmethod
    def record_of(self, state: State) -> Record:
        """Return a new state record of a position, whose codes mean what `frame` says."""

    @abstractmethod
    def frame(self, state: State) -> Frame:
        """Return the frame of the record that `record_of` returns."""

    @abstractmethod
    def to_play(self, state: State) -> int:
        """Return the player to move, 1 or 2."""

    @abstractmethod
    def is_over(self, state: State) -> bool:
        """Return whether the game has ended."""

    @abstractmethod
    def winner(self, state: State) -> int:
        """Return the winner of a game that is over, 1 or 2, or 0 for a draw."""

    @abstractmethod
    def stones(self, state: State) -> Iterable[tuple[str, int, int]]:
        """Return cell, player and kind of each stone, in canonical order of the cells."""

    @abstractmethod
    def captured(self, before: State, after: State) -> tuple[str, ...]:
        """Return the cells whose stones the turn between two states captured."""

    @abstractmethod
    def scores(self, state: State) -> tuple[Any, Any]:
        """Return the current scores of player 1 and player 2."""

    @abstractmethod
    def marks(self, state: State) -> Mapping[str, str]:
        """Return a word for each stone that has a special state, by cell."""

    def ko(self, state: State) -> str | None:  # noqa: ARG002
        """Return the empty cell on which a ko rule allows no stone now; None without one."""
        return None

    def final_scores(self, state: State) -> tuple[Bounds, Bounds] | None:  # noqa: ARG002
        """Return what the final scores of player 1 and player 2 lie between; None if unknown."""
        return None

    def early_end(self, state: State) -> EarlyEnd | None:  # noqa: ARG002
        """Return the early end that the game may have now, or has had; None without one."""
        return None

    @abstractmethod
    def shown_board(self, state: State) -> Board:
        """Return the board that a drawing of the position shows; it has an edge."""

    @abstractmethod
    def room(self, state: State) -> int:
        """Return the number of empty cells, or an estimate of how many more stones follow."""

    @abstractmethod
    def play_turn(self, before: State, turn: str) -> State | Refusal:
        """Return the state after a turn in canonical form, or the reason why it is illegal."""

    def begin_turn(self, before: State, step: str) -> State | Refusal:
        """Return the state after the first step of a turn that needs another one, or why not.

        The other methods are then about the rest of the turn. Only HeXO has this, because only
        hosts of HeXO ask for the second stone alone.
        """
        raise NotImplementedError

    @abstractmethod
    def legal_turns(self, state: State) -> Iterator[str]:
        """Yield every legal turn in the order of the first stone, `pass` last."""

    @abstractmethod
    def random_turn(self, before: State, chance: random.Random) -> str:
        """Return a turn of uniformly random placements, or a pass if no placement is legal."""

    def likely_turn(self, before: State, chance: random.Random) -> str:
        """Return a random turn of steps that the search would consider.

        If the search considers all legal steps, it is a random turn.
        """
        return self.random_turn(before, chance)

    @abstractmethod
    def choices(self, before: State, chosen: Sequence[str]) -> Choices:
        """Return the steps that may follow the steps `chosen`, which are in lower case."""
