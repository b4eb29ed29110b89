"""Growing an opening book on several cores: `engine.search.book_growth` with games side by side."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

import engine
from engine.search.book_growth import BookTree, Node, Opening
from engine.search.self_play import liked_turns, play_on

LIKED_FACTOR = 20
"""How much longer than for a turn of a game it is searched for turns that a book may try."""


@dataclass(frozen=True)
class Effort:
    """`games` in all, `workers` of them at a time, with `nodes` playouts a turn."""

    games: int
    nodes: int
    workers: int
    seed: int


@dataclass(frozen=True)
class GameKey:
    """What a worker needs to know to have the game for itself."""

    name: str
    board: str
    rules: str
    options: tuple[tuple[str, int | str], ...]

    def game(self) -> engine.Game:
        return engine.game_of(self.name, self.board, self.rules, dict(self.options))


def grow_book(
    game: engine.Game, effort: Effort, on_game: Callable[[int, BookTree], None]
) -> BookTree:
    """Play so many games and return the tree; `on_game` is told after each."""
    chance = random.Random(effort.seed)
    tree = BookTree(game, chance)
    key = GameKey(game.name, game.board.name, game.rules, game.options)
    played, begun = 0, 0
    under_way: dict[Future[int | None], Opening] = {}
    with _workers(effort.workers) as pool:

        def look_further(node: Node) -> None:
            if tree.wants_choices(node):
                seed = chance.getrandbits(31)
                nodes = effort.nodes * LIKED_FACTOR
                tree.grow(node, pool.submit(_liked, key, node.line, nodes, seed).result())

        look_further(tree.root)
        while played < effort.games:
            while begun < effort.games and len(under_way) < 2 * effort.workers:
                opening = tree.select()
                line, seed = opening.nodes[-1].line, chance.getrandbits(31)
                under_way[pool.submit(_play, key, line, effort.nodes, seed)] = opening
                begun += 1
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                opening = under_way.pop(future)
                tree.add(opening, future.result())
                look_further(opening.nodes[-1])
                played += 1
                on_game(played, tree)
    return tree


@contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that are given up at once when something goes wrong, or the user has enough."""
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _play(key: GameKey, line: tuple[str, ...], nodes: int, seed: int) -> int | None:
    return play_on(key.game(), line, nodes, seed)


def _liked(key: GameKey, line: tuple[str, ...], nodes: int, seed: int) -> list[tuple[str, int]]:
    return liked_turns(key.game(), line, nodes, seed)
