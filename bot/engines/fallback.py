"""A built-in mover that always has a legal turn, when an engine has none in time.

It knows what every game's API tells, captures, scores and the winner, and looks one turn ahead.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from engine import Position

LISTED_TURNS = 20_000
"""About what the largest Bluestone boards have. Where two kinds of stones make more, turns are
drawn at random."""
WEIGHED_TURNS = 2_000
CAPTURE_WORTH = 3.0
PASSING = "pass"


def fallback_turn(
    position: Position, monotonic: Callable[[], float], chance: random.Random, seconds: float = 0.03
) -> str:
    """The best turn found in about `seconds`, pass only if nothing else is legal or it wins.

    Raises ValueError if the game is over.
    """
    end = monotonic() + seconds
    turns = list(islice(position.legal_turns(), LISTED_TURNS))
    if not turns:
        raise ValueError("the game is over: no turn is legal")
    if PASSING in turns and (len(turns) == 1 or _wins(position, PASSING)):
        return PASSING
    best, best_worth = "", float("-inf")
    for turn in islice(_in_random_order(position, turns, chance), WEIGHED_TURNS):
        worth = _worth(position, turn)
        if worth > best_worth:
            best, best_worth = turn, worth
        if monotonic() >= end:
            break
    return best


def _in_random_order(position: Position, listed: list[str], chance: random.Random) -> Iterator[str]:
    if len(listed) < LISTED_TURNS:
        chance.shuffle(listed)
        yield from (turn for turn in listed if turn != PASSING)
        return
    while True:
        yield position.random_turn(chance)


def only_turn(position: Position) -> str | None:
    """The turn, if there is no choice."""
    first_two = list(islice(position.legal_turns(), 2))
    return first_two[0] if len(first_two) == 1 else None


def _wins(position: Position, turn: str) -> bool:
    return position.play(turn).winner == position.to_play


def _worth(position: Position, turn: str) -> float:
    """What a turn gains by the mover's own count; squares, since a group outranks its parts."""
    mover = position.to_play
    after = position.play(turn)
    if after.over:
        return {mover: 1e9, None: 0.0}.get(after.winner, -1e9)
    mine, theirs = (_strength(after.scores[seat - 1]) for seat in (mover, 3 - mover))
    lead = mine - theirs
    return CAPTURE_WORTH * len(after.captured) + (-lead if position.game.info.fewer_wins else lead)


def _strength(score: int | Iterable[int]) -> float:
    groups = [score] if isinstance(score, int) else score
    return float(sum(group * group for group in groups))
