"""How long to think: the limits of a search turned into a plan.

The plan has the shape that serves other engines well: a time after which an answer may be given,
and a time at which it must be. Network delay is the bot's business; only the engine's own reserve
is taken off here.
"""

from dataclasses import dataclass

from engine.contract import Limits

RESERVE = 0.03
"""Seconds kept for reading the tree and printing the answer."""
SHORTEST = 0.005
LARGEST_SHARE = 0.5
"""The part of a clock that one turn may use up at most."""
INCREMENT_SHARE = 0.8
EXTENSION = 2.0
"""How far a turn that is still in doubt may go beyond its share of the clock."""
FEWEST_TURNS, MOST_TURNS = 6, 40
STEPS_PER_TURN = 3.0
"""Own turns left, from the legal steps: two stones a turn for each player, some cells never played,
some twice.
"""


@dataclass(frozen=True)
class Plan:
    """Seconds and playouts for one turn; None means no limit.

    Only a plan made from a clock is `managed`: the search may then answer before `target` once
    no other turn can overtake the best, and go on to `deadline` while the best turn is in doubt. A
    time or a number of playouts asked for by the caller is used up, save that a solved position is
    answered at once.
    """

    target: float | None = None
    deadline: float | None = None
    nodes: int | None = None
    managed: bool = False


def plan(limits: Limits, legal_steps: int) -> Plan:
    """The plan for a turn in a position with so many legal first steps."""
    if limits.turn_time is not None:
        seconds = max(SHORTEST, limits.turn_time - min(RESERVE, limits.turn_time / 10))
        return Plan(seconds, seconds, limits.nodes)
    if limits.clock is None:
        return Plan(nodes=limits.nodes)
    usable = max(0.0, limits.clock - RESERVE)
    most = max(SHORTEST, usable * LARGEST_SHARE)
    if limits.turns_to_go == 1:
        most = max(SHORTEST, usable)
    share = usable / turns_left(limits, legal_steps) + INCREMENT_SHARE * limits.increment
    target = max(SHORTEST, min(share, most))
    return Plan(target, min(target * EXTENSION, most), limits.nodes, managed=True)


def turns_left(limits: Limits, legal_steps: int) -> float:
    """How many turns the clock has to last."""
    expected = min(max(legal_steps / STEPS_PER_TURN, FEWEST_TURNS), MOST_TURNS)
    if limits.turns_to_go is None:
        return expected
    return min(expected, max(1, limits.turns_to_go))
