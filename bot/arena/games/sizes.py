"""What positions and games take in memory, for the memories that keep them."""

import engine
from bot.arena.games.game import Game
from bot.runtime.sizes import size_of


def position_bytes(position: engine.Position) -> int:
    """The bytes of a position, with everything that messages read from it, which it keeps then."""
    _ = (position.stones, position.captured, position.marks, position.scores, position.winner)
    return size_of(position, shared=_shared(position.game))


def game_bytes(game: Game) -> int:
    """The bytes of a game of this arena, with all texts that states of it need."""
    taken = size_of(game, shared=[game.allowances, *_shared(game.position.game)])
    # Each turn keeps its text, and itself and its text without the engine's line, once a state was
    # sent. A text takes at most a quarter of its object.
    return taken * 3 // 2


def _shared(game: engine.Game) -> list[object]:
    """There are few boards, and few games without options. Strangers choose options."""
    return [game.board] if game.options else [game.board, game]
