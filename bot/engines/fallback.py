"""The fallback player: a legal turn for every position, when an engine has none in time.

It uses captures, scores and the winner, which every game's API provides, and looks one turn ahead.
"""

import random
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice

from bot.records.model import own_losses
from engine import Position, stones_of

LISTED_TURNS = 20_000
"""About as many turns as the largest Bluestone boards have.

If two kinds of stones make more turns, a random sample is used.
"""
WEIGHED_TURNS = 2_000
CAPTURE_WORTH = 3.0
PASSING = "pass"


class NoTurnLeft(Exception):
    """Every legal turn is excluded."""


def fallback_turn(
    position: Position,
    monotonic: Callable[[], float],
    chance: random.Random,
    seconds: float = 0.03,
    excluded: Collection[str] = (),
) -> str:
    """Return the best turn found in about `seconds`. Pass only if nothing else is legal or it wins.

    Turns in `excluded` are not returned, in any order of their stones. Raises ValueError if the
    game is over, and NothingLeft.
    """
    end = monotonic() + seconds
    if position.over:
        raise ValueError("the game is over: no turn is legal")
    without = frozenset(map(stones_of, excluded))
    turns = list(islice(_legal_turns(position, without), LISTED_TURNS))
    if not turns:
        raise NoTurnLeft
    if PASSING in turns and (len(turns) == 1 or _wins(position, PASSING)):
        return PASSING
    best, best_worth = turns[0], float("-inf")
    drawn = islice(_in_random_order(position, turns, chance), WEIGHED_TURNS)
    for turn in (each for each in drawn if stones_of(each) not in without):
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
        yield position.likely_turn(chance)


def _legal_turns(position: Position, without: Collection[frozenset[str]]) -> Iterator[str]:
    return (turn for turn in position.legal_turns() if stones_of(turn) not in without)


def only_turn(position: Position, excluded: Collection[str] = ()) -> str | None:
    """The turn, if there is no choice. Raises NothingLeft."""
    without = frozenset(map(stones_of, excluded))
    first_two = list(islice(_legal_turns(position, without), 2))
    if not first_two:
        raise NoTurnLeft
    return first_two[0] if len(first_two) == 1 else None


def _wins(position: Position, turn: str) -> bool:
    return position.play(turn).winner == position.to_play


def _worth(position: Position, turn: str) -> float:
    """Return the gain of a turn by the mover's score; squares, since a group outranks its parts."""
    mover = position.to_play
    after = position.play(turn)
    if after.over:
        return {mover: 1e9, None: 0.0}.get(after.winner, -1e9)
    mine, theirs = (_strength(after.scores[seat - 1]) for seat in (mover, 3 - mover))
    lead = mine - theirs
    captures = len(after.captured) - 2 * len(own_losses(position, after))
    return CAPTURE_WORTH * captures + (-lead if position.game.info.fewer_wins else lead)


def _strength(score: int | Iterable[int]) -> float:
    groups = [score] if isinstance(score, int) else score
    return float(sum(group * group for group in groups))
