"""Time management: `plan` turns the limits of a search into a plan for one turn.

A plan has a minimum, a recommended and a maximum time, as in KataGo. The bot allows for network
delay; this module subtracts only the engine's own reserve. Time that a turn does not use stays on
the clock, so all later turns share it.
"""

from dataclasses import dataclass

from engine.contract import Limits

RESERVE = 0.03
"""Seconds reserved for reading the tree and printing the answer."""
LARGEST_RESERVE = 0.4
"""The largest part of the time that a busy machine's delays may reserve."""
SHORTEST = 0.005
"""Seconds that a turn gets at least, even when the clock has run out."""
LARGEST_SHARE = 0.5
"""The largest part of the clock that one turn may use."""
INCREMENT_SHARE = 0.8
"""The part of the increment that a turn plans to use."""
MINIMUM = 0.2
"""The part of the recommended time that a turn always uses if there is more than one turn."""
EXTENSION = 2.0
"""The maximum time as a multiple of the recommended time, for a best turn that is in doubt."""
FEWEST_TURNS, MOST_TURNS = 6, 40
"""Bounds of the estimate of a player's own turns left."""
STEPS_PER_TURN = 3.0
"""Legal steps divided by a player's own turns left. Each player places two stones per turn, some
cells are never played and some are played twice.
"""


@dataclass(frozen=True)
class TurnPlan:
    """Seconds and playouts for one turn; None means no limit.

    - After `minimum` the search answers if no other turn can overtake the best one within the
      recommended time.
    - After `recommended` it answers unless the best turn is in doubt.
    - At `maximum` it always answers.

    If the caller sets a time per turn, all three are that time less the reserve, and the search
    uses all of it. It answers a solved position at once.
    """

    minimum: float = 0.0
    recommended: float | None = None
    maximum: float | None = None
    nodes: int | None = None


def plan(limits: Limits, legal_steps: int, overrun: float = 0.0) -> TurnPlan:
    """Return the plan for a turn in a position with `legal_steps` legal first steps.

    `overrun` is how many seconds after the maximum of their plans recent answers came. It raises
    the reserve on a busy machine.
    """
    if limits.turn_time is not None:
        usual = min(RESERVE, limits.turn_time / 10)
        reserve = max(usual, min(overrun, limits.turn_time * LARGEST_RESERVE))
        seconds = max(SHORTEST, limits.turn_time - reserve)
        return TurnPlan(seconds, seconds, seconds, limits.nodes)
    if limits.clock is None:
        return TurnPlan(nodes=limits.nodes)
    usable = max(0.0, limits.clock - max(RESERVE, min(overrun, limits.clock * LARGEST_RESERVE)))
    most = max(SHORTEST, usable * LARGEST_SHARE)
    if limits.turns_to_go == 1:
        most = max(SHORTEST, usable)
    share = usable / turns_left(limits, legal_steps) + INCREMENT_SHARE * limits.increment
    recommended = max(SHORTEST, min(share, most))
    maximum = min(recommended * EXTENSION, most)
    return TurnPlan(recommended * MINIMUM, recommended, maximum, limits.nodes)


def turns_left(limits: Limits, legal_steps: int) -> float:
    """Return for how many of the player's own turns the clock must last.

    This is an estimate from `legal_steps`, at most `limits.turns_to_go` if that is given.
    """
    expected = min(max(legal_steps / STEPS_PER_TURN, FEWEST_TURNS), MOST_TURNS)
    if limits.turns_to_go is None:
        return expected
    return min(expected, max(1, limits.turns_to_go))
