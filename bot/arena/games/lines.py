"""A line: the turns of a game, as a query of an address or a stored game gives them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import engine
from bot import wire
from bot.arena.games.game_rows import StoredGame
from bot.arena.games.referee import Menu
from bot.arena.refusals import Refused, sentence

MOST_TURNS: Final = 600
LONGEST: Final = 8_000
"""The most characters of the turns in a query."""
LONGEST_WORD: Final = 40
OPTION: Final = "o."
"""The start of a parameter that gives an option of the game, such as `o.captures=7`."""
MOST_OPTIONS: Final = 8


@dataclass(frozen=True)
class GameLine:
    """The turns of a game, and how many of them are shown."""

    game: str
    board: str | None
    rules: str | None
    options: tuple[tuple[str, str], ...]
    turns: tuple[str, ...]

    def position(self, ply: int) -> engine.Position:
        """The position after `ply` turns. Raises Refused if there is no such game or turn."""
        try:
            game = engine.game_of(self.game, self.board, self.rules, dict(self.options))
            return game.replay(self.turns[:ply])
        except engine.IllegalTurn as error:
            raise Refused("illegal_turn", sentence(str(error)), error.rule) from error
        except engine.EngineError as error:
            raise Refused("unknown_game", sentence(str(error))) from error


def line_in(stored: StoredGame) -> GameLine:
    """The game and all its turns."""
    setup = stored.setup
    turns = tuple(each.turn for each in stored.turns)
    return GameLine(setup.game, setup.board, setup.rules, tuple(setup.options.items()), turns)


def line_of(query: Mapping[str, str], menu: Menu) -> GameLine:
    """The game and the turns of a query. Raises Refused if they are not valid or not offered."""
    game = query.get("game", wire.GameSetup.model_fields["game"].default)
    if game not in [info.name for info in menu.games]:
        raise Refused("unknown_game", "That game is not offered here.")
    board, rules, text = query.get("board"), query.get("rules"), query.get("turns", "")
    options = tuple(
        sorted(
            (name.removeprefix(OPTION), value)
            for name, value in query.items()
            if name.startswith(OPTION)
        )
    )
    words = [each for pair in options for each in pair]
    words += [each for each in (board, rules) if each]
    if len(options) > MOST_OPTIONS or any(len(word) > LONGEST_WORD for word in words):
        raise Refused("invalid", "There are too many options, or a name is too long.")
    turns = text.split() if len(text) <= LONGEST else None
    if turns is None or len(turns) > MOST_TURNS:
        raise Refused("invalid", f"turns has at most {LONGEST} characters, {MOST_TURNS} turns.")
    return GameLine(game, board or None, rules or None, options, tuple(turns))
