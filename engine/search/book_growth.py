"""How an opening book grows: a tree search whose playouts are games of the engine against itself.

In every game one player is the reader of the book: he takes turns by their results so far, by PUCT
(Silver et al., Nature 550, 2017). The other doesn't know the book, and takes turns as often as the
engine's search likes them. So a turn counts for as much as it wins from a strong player who must
find the answers himself.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from engine.game import Game
from engine.opening_books import Arrangement, Trial, after, arrangement

DEPTH: Final = 4
"""Turns from the start of the game that the book chooses."""
WIDTH: Final = 12
"""Turns that are tried in a position."""
GAMES_TO_GROW: Final = 10
"""Games through a position before turns are looked for that go on from it."""
EXPLORATION: Final = 1.5
EVEN_SHARE: Final = 0.3
"""The part of a turn's weight that doesn't depend on how much the search likes it."""
UNTRIED: Final = 0.05
"""How much worse than its position a turn is thought to be before it is tried."""


@dataclass(frozen=True)
class Choice:
    """A turn that may be tried. `liked` is how often a player without the book plays it, `hope` the
    weight of trying it for one who has it: flatter, because he is to find better ones.
    """

    turn: str
    liked: float
    hope: float


@dataclass
class Node:
    """A position. `tried` and `won` count the games in which the reader's turn led here."""

    line: tuple[str, ...]
    visits: int = 0
    tried: int = 0
    won: int = 0
    choices: tuple[Choice, ...] = ()
    is_grown: bool = False


@dataclass(frozen=True)
class Opening:
    """The positions of one game's opening, the start of the game first, and who reads the book."""

    nodes: tuple[Node, ...]
    reader: int


class BookTree:
    """The positions of one game's openings, each once, however it comes about."""

    def __init__(self, game: Game, chance: random.Random) -> None:
        self._game = game
        self._chance = chance
        self._nodes: dict[Arrangement, Node] = {}
        self._ends: dict[tuple[str, ...], Node] = {}
        self.root = self._node(())

    def _node(self, line: tuple[str, ...]) -> Node:
        """The node that a line leads to."""
        if line not in self._ends:
            stones, _ = arrangement(after(self._game, line))
            self._ends[line] = self._nodes.setdefault(stones, Node(line))
        return self._ends[line]

    def child(self, node: Node, turn: str) -> Node:
        """The position after a turn."""
        return self._node((*node.line, turn))

    def select(self) -> Opening:
        """The opening of the next game to play.

        It counts as lost until `add` tells how the game ended, so that games that are played side
        by side are different.
        """
        reader = self._chance.choice((1, 2))
        path = [self.root]
        while choices := path[-1].choices:
            if mover(path[-1]) == reader:
                turn = self._hopeful(path[-1])
            else:
                (choice,) = self._chance.choices(choices, [choice.liked for choice in choices])
                turn = choice.turn
            path.append(self.child(path[-1], turn))
        opening = Opening(tuple(path), reader)
        for node in path:
            node.visits += 1
        for node in results_of(opening):
            node.tried += 1
        return opening

    def _hopeful(self, node: Node) -> str:
        """The turn that the reader of the book tries at a node."""
        children = [self.child(node, choice.turn) for choice in node.choices]
        tries = sum(child.tried for child in children)
        value = sum(child.won for child in children) / tries if tries else 0.5

        def promise(place: int) -> float:
            child, hope = children[place], node.choices[place].hope
            known = child.won / child.tried if child.tried else value - UNTRIED
            return known + EXPLORATION * hope * math.sqrt(tries + 1) / (1 + child.tried)

        return node.choices[max(range(len(children)), key=promise)].turn

    def wants_choices(self, node: Node) -> bool:
        """Whether it is time to look for turns that go on from a node; true once."""
        enough = node is self.root or node.visits >= GAMES_TO_GROW
        if node.is_grown or len(node.line) >= DEPTH or not enough:
            return False
        node.is_grown = True
        return True

    def grow(self, node: Node, searched: Sequence[tuple[str, int]]) -> None:
        """Let a node go on with the turns that a search found, given with their visits."""
        visits: dict[int, int] = {}
        turns: dict[int, str] = {}
        for turn, count in searched:
            child = id(self.child(node, turn))
            turns.setdefault(child, turn)
            visits[child] = visits.get(child, 0) + count
        widest = sorted(visits, key=lambda child: -visits[child])[:WIDTH]
        liked = _shares([float(visits[child]) for child in widest])
        hopes = _shares([math.sqrt(visits[child]) for child in widest])
        node.choices = tuple(
            Choice(turns[child], *weights)
            for child, *weights in zip(widest, liked, hopes, strict=True)
        )

    def add(self, opening: Opening, winner: int | None) -> None:
        """Count how a game ended; a draw is not won."""
        for node in results_of(opening):
            node.won += winner == opening.reader

    def trials(self, fewest: int) -> Iterator[Trial]:
        """What was tried at least so many times, from the start of the game on."""
        for node in sorted(self._nodes.values(), key=lambda node: (len(node.line), node.line)):
            for choice in node.choices:
                child = self.child(node, choice.turn)
                if child.tried >= fewest:
                    yield Trial(node.line, choice.turn, child.tried, child.won)


def mover(node: Node) -> int:
    """The player to move; in an opening nobody is left without a turn."""
    return 1 + len(node.line) % 2


def results_of(opening: Opening) -> tuple[Node, ...]:
    """The nodes to which the reader's own turns led."""
    return tuple(node for node in opening.nodes[1:] if mover(node) != opening.reader)


def _shares(weights: Sequence[float]) -> list[float]:
    """Weights as shares of one, a part of which is dealt out evenly."""
    total, even = sum(weights), EVEN_SHARE / max(len(weights), 1)
    return [even + (1 - EVEN_SHARE) * weight / total for weight in weights]
