"""Games of the search against itself from a given opening, by numbers of playouts: the same seed
gives the same game.
"""

from engine.game import Game, Position
from engine.opening_books import after
from engine.search.searcher import Searcher

MEGABYTES = 128
MOST_LIKED = 60
"""Turns of which it is told how much a search liked them: enough to leave a dozen when those are
taken together that are equal by symmetry."""


def play_on(game: Game, line: tuple[str, ...], nodes: int, seed: int) -> int | None:
    """The winner of a game that begins with a line, at so many playouts a turn; None for a draw.

    Both players have a searcher of their own. The game ends when its result is proved.
    """
    sides = [_searcher(game, 2 * seed + side) for side in (0, 1)]
    position = after(game, line)
    while not position.over:
        searcher = sides[position.to_play - 1]
        _search(searcher, position, nodes)
        best = searcher.candidates(1)[0]
        if searcher.solved and best.result is not None:
            return {1.0: position.to_play, 0.0: 3 - position.to_play}.get(best.result)
        position = position.play(best.turn)
    return position.winner


def liked_turns(game: Game, line: tuple[str, ...], nodes: int, seed: int) -> list[tuple[str, int]]:
    """The turns that a search visited most after a line, with the visits; none once it is over."""
    position = after(game, line)
    if position.over:
        return []
    searcher = _searcher(game, seed)
    _search(searcher, position, nodes)
    return [(each.turn, each.visits) for each in searcher.candidates(MOST_LIKED) if each.visits]


def _searcher(game: Game, seed: int) -> Searcher:
    return Searcher(game, megabytes=MEGABYTES, threads=1, seed=seed)


def _search(searcher: Searcher, position: Position, nodes: int) -> None:
    """Search so many playouts, and on until some turn was seen to its end."""
    searcher.move_to(position)
    searcher.grow(nodes)
    while not searcher.candidates(1):
        searcher.grow(nodes)
