"""Measures what a turn of ours costs on the network, by the server's own clock."""

# Problem. The server's clock also runs while its state travels to us and our turn travels back. The
# operator can only guess that time, and a clock without an increment pays it at every turn: with a
# guess that is half a second too low, a minute is gone after 120 turns without any thinking.
#
# Idea. The server tells our clock before a turn and after it. What the clock lost beyond the time
# between arrival and sending was spent on the way, and in the server.
#
# Rejected: the round trip of a ping. It has neither the way of a large state nor the server's work.

import math
from collections import deque
from typing import Final

from bot.daemon.time_manager import TimePolicy
from bot.platforms.base import GameFacts
from bot.time_controls import Absolute, Fischer, TimeControl

KEPT: Final = 8
SHARE: Final = 0.75
"""Of the last turns, at least this share was no longer on the network than is planned for."""
LONGEST_MS: Final = 2000
"""The greatest delay that is planned for; longer ones are interruptions."""


class NetworkDelay:
    """The delay of the last turns in one game."""

    def __init__(self) -> None:
        self._measured: deque[int] = deque(maxlen=KEPT)

    def note(self, before: GameFacts, thought_s: float, after: GameFacts) -> None:
        """Measure a turn of ours that was due in `before`, and that `after` shows.

        `thought_s` is the time from the arrival of `before` until the turn was sent. Clocks that
        are not told to the millisecond for each turn measure nothing.
        """
        added_ms = _added_ms(before.setup.control)
        left, rest = (facts.clocks[facts.seat - 1].main_ms for facts in (before, after))
        if added_ms is None or left is None or rest is None or after.outcome is not None:
            return
        delay_ms = left + added_ms - rest - round(thought_s * 1000)
        self._measured.append(min(max(0, delay_ms), LONGEST_MS))

    def applied_to(self, policy: TimePolicy) -> TimePolicy:
        """Return the policy, with the measured delay if that is longer than the one expected."""
        if not self._measured:
            return policy
        ranked = sorted(self._measured)
        delay_ms = ranked[math.ceil(SHARE * len(ranked)) - 1]
        if delay_ms <= policy.network_overhead_ms:
            return policy
        return policy.model_copy(update={"network_overhead_ms": delay_ms})


def _added_ms(control: TimeControl) -> int | None:
    """Return what each turn adds to the clock; None if the clock is not a plain sum."""
    match control:
        case Absolute():
            return 0
        case Fischer(increment_s=increment):
            return round(increment * 1000)
        case _:
            return None
