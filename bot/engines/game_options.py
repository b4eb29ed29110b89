"""What is played, as options of the engine protocol."""

import engine


def game_options(game: engine.Game) -> dict[str, str]:
    """The options by which an engine is told what is played; all, since it keeps the last ones."""
    own = {name: str(value) for name, value in game.all_options.items()}
    return {"Game": game.name, "Board": game.board.name, "Rules": game.rule_set, **own}
