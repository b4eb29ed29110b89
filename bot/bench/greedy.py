"""A player that looks one turn ahead at the scores alone: what a child would do."""

import random
from collections.abc import Sequence
from typing import Final

import engine

TURNS_SEEN: Final = 150
"""So many legal turns it looks at, drawn by lot where there are more."""


def greedy_turn(position: engine.Position, chance: random.Random) -> str:
    """The turn after which the player's score is furthest ahead; ties by lot."""
    turns = list(position.legal_turns())
    seen = chance.sample(turns, min(TURNS_SEEN, len(turns)))
    return max(seen, key=lambda turn: lead(position.play(turn), position.to_play))


def lead(position: engine.Position, player: int) -> tuple[float, ...]:
    """How far ahead the player is, to be compared: a result first, then score by score."""
    if position.over:
        won = 0.5 if position.winner is None else float(position.winner == player)
        return (3 * won - 1.5,)
    mine, theirs = (_listed(position.scores[seat - 1]) for seat in (player, 3 - player))
    length = max(len(mine), len(theirs))
    sign = -1 if position.game.info.fewer_wins else 1
    ahead = zip(_filled(mine, length), _filled(theirs, length), strict=True)
    return (0.0, *(sign * (own - other) for own, other in ahead))


def _listed(score: int | tuple[int, ...]) -> Sequence[int]:
    return score if isinstance(score, tuple) else (score,)


def _filled(scores: Sequence[int], length: int) -> list[int]:
    return [*scores, *([0] * (length - len(scores)))]
