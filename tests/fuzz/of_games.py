"""Games, turns and clocks as text."""

from typing import Final

import engine
from bot.time_controls import parse_time_control
from tests.fuzz.target import Target, text_of

BOARDS: Final = (
    ("bluestone", "pent-3"),
    ("blooms", "hexhex-4"),
    ("stargazers", None),
)


def _turns(data: bytes) -> None:
    """A game: its turns, one per line; the first byte chooses it."""
    name, board = BOARDS[data[0] % len(BOARDS) if data else 0]
    game = engine.game(name, board)
    position = game.start()
    for line in text_of(data[1:]).split("\n")[:60]:
        turn = game.canonical(line)
        assert game.canonical(turn) == turn
        if not position.over:
            position = position.play(line)
            game.placements(position.turns[-1])
    assert game.replay(position.turns) == position


def _setups(data: bytes) -> None:
    """A game by the texts of a server: name, board, rules and options, one per line."""
    name, board, rules, *rest = [*text_of(data).split("\n"), "", "", ""]
    options = dict(text.partition("=")[::2] for text in rest if text)
    game = engine.game_of(name, board or None, rules or None, options)
    assert engine.game_of(name, game.board.name, game.rule_set, game.all_options) == game


def _clocks(data: bytes) -> None:
    control = parse_time_control(text_of(data))
    assert parse_time_control(str(control)) == control


TARGETS: Final = (
    Target("turns", _turns, (engine.IllegalTurn,), ("pass", ",", "-", "0-0", "1a1")),
    Target("setups", _setups, (engine.UnknownGame,), ("pent-", "hexhex-", "blooms", "captures=")),
    Target("clocks", _clocks, (ValueError,), ("none", "/turn", "+", "x", "e9", "inf", "nan")),
)
