"""How long to think: the limits of a search turned into a plan.

A plan has a minimum, a recommended and a maximum time, as in KataGo. Network delay is the bot's
business; only the engine's own reserve is taken off here. Time that a turn leaves stays on the
clock, so that all later ones get their share of it.
"""

from dataclasses import dataclass

from engine.contract import Limits

RESERVE = 0.03
"""Seconds kept for reading the tree and printing the answer."""
SHORTEST = 0.005
LARGEST_SHARE = 0.5
"""The part of a clock that one turn may use up at most."""
INCREMENT_SHARE = 0.8
MINIMUM = 0.2
"""The part of the recommended time that is always used, if there is more than one turn."""
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

    From the `minimum` on the search may answer, once no other turn can overtake the best in the
    recommended time; from the `recommended` time on it does, unless the best turn is in doubt; at
    the `maximum` in any case. A time that the caller has asked for is all three, and used up, save
    that a solved position is answered at once.
    """

    minimum: float = 0.0
    recommended: float | None = None
    maximum: float | None = None
    nodes: int | None = None


def plan(limits: Limits, legal_steps: int) -> Plan:
    """The plan for a turn in a position with so many legal first steps."""
    if limits.turn_time is not None:
        seconds = max(SHORTEST, limits.turn_time - min(RESERVE, limits.turn_time / 10))
        return Plan(seconds, seconds, seconds, limits.nodes)
    if limits.clock is None:
        return Plan(nodes=limits.nodes)
    usable = max(0.0, limits.clock - RESERVE)
    most = max(SHORTEST, usable * LARGEST_SHARE)
    if limits.turns_to_go == 1:
        most = max(SHORTEST, usable)
    share = usable / turns_left(limits, legal_steps) + INCREMENT_SHARE * limits.increment
    recommended = max(SHORTEST, min(share, most))
    maximum = min(recommended * EXTENSION, most)
    return Plan(recommended * MINIMUM, recommended, maximum, limits.nodes)


def turns_left(limits: Limits, legal_steps: int) -> float:
    """How many turns the clock has to last."""
    expected = min(max(legal_steps / STEPS_PER_TURN, FEWEST_TURNS), MOST_TURNS)
    if limits.turns_to_go is None:
        return expected
    return min(expected, max(1, limits.turns_to_go))
