"""A game of Stargazers that is decided three turns before its end, as version 1.0.0 played it."""

from typing import Final

import engine

_TEXT: Final = """
i6 j3,j9 k6,d5 g6,h5 m4,f7 h7,i4 n7,l7 i8,e6 g8,h3 l3,c6 k8,d7 n3,i2 j5,b5 c4,f3 o4,l9 g4,d3
m6,m8 h9,k2 l5
"""
TURNS: Final = (*_TEXT.split(),)
DECIDED: Final = 16
"""After so many turns the second player is certain to win: 3 stones against at most 2."""


def whole_game() -> engine.Position:
    return engine.game("stargazers").replay(TURNS)


def decided_game() -> engine.Position:
    return engine.game("stargazers").replay(TURNS[:DECIDED])


def to_its_end(last: engine.Position) -> engine.Position:
    """A game as hosts play it: up to its early end, if it has one."""
    position = last.game.start()
    for turn in last.turns:
        if not position.has_ended:
            position = position.play(turn)
    return position
