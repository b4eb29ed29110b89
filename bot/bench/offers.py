"""What load tests play: a game as a challenge offers it, and prepared turns."""

import engine
from bot.bench.clients.frames import Json


def as_setup(game: engine.Game, clock: Json) -> Json:
    return {
        "game": game.name,
        "board": game.board.name,
        "rules": game.rule_set,
        "options": {name: str(value) for name, value in game.options},
        "clock": clock,
    }


def prepared(game: engine.Game, count: int) -> list[list[str]]:
    """The turns of so many random games, the longest game first."""
    games = [list(engine.play_out(game, seed=seed).turns) for seed in range(count)]
    return sorted(games, key=len, reverse=True)
