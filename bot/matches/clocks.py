"""The host's clocks of one game. They make the arguments of `go` and detect time forfeits.

Times are whole milliseconds.
"""

from collections import deque
from typing import Final, Protocol

from bot.engines.questions import Budget
from bot.time_controls import (
    Absolute,
    ByoYomi,
    Correspondence,
    Fischer,
    PerTurn,
    PlayerClock,
    charge,
    full_clock,
    time_left_ms,
)
from bot.time_source import TimeSource
from bot.tournaments.model import Limit

GRACE_MS: Final = 2_000
"""How long the host waits for an engine after `stop`. The engine has lost by then, and its answer
only shows by how much it is late. A longer wait would delay other games. A shorter one might kill
an engine that answers late because the machine is busy."""


class GameClocks:
    """The clocks of both seats, with one limit each.

    A turn may come `margin_ms` late. `patience_ms` limits turns without a clock.
    """

    def __init__(self, limits: tuple[Limit, Limit], margin_ms: int, patience_ms: int) -> None:
        self._controls = tuple(limit.control for limit in limits)
        self._nodes = tuple(limit.nodes for limit in limits)
        self._margin_ms = margin_ms
        self._patience_ms = patience_ms
        self._clocks = [full_clock(control) for control in self._controls]

    def clock(self, seat: int) -> PlayerClock | None:
        """The clock of a seat; None if it has no clock."""
        clock = self._clocks[seat - 1]
        return None if clock.main_ms is None else clock

    def left_ms(self, seat: int) -> int | None:
        """The most time that the next turn of a seat may use; None without a clock."""
        return time_left_ms(self._controls[seat - 1], self._clocks[seat - 1])

    def budget(self, seat: int) -> Budget:
        """The budget of the seat's next turn. The engine gets `stop` when its flag falls.

        Raises ValueError if neither a clock nor nodes limit the turn.
        """
        if (nodes := self._nodes[seat - 1]) is not None:
            return Budget(self._patience_ms, self._patience_ms, f"nodes {nodes}")
        left = self.left_ms(seat)
        if left is None:
            raise ValueError("a turn needs a limit: a clock, or nodes")
        stop = left + self._margin_ms
        return Budget(left, stop + GRACE_MS, self._words(seat), stop)

    def overrun_ms(self, seat: int, used_ms: int, host_late_ms: int = 0) -> int:
        """By how much the turn exceeded the clock, if that loses the game; otherwise 0.

        `host_late_ms` is the possible delay of the host in reading the turn.
        """
        left = self.left_ms(seat)
        if left is None or used_ms <= left + self._margin_ms + host_late_ms:
            return 0
        return used_ms - left

    def charge(self, seat: int, used_ms: int) -> None:
        """Charge a turn that was in time, and add the increment of the time control."""
        left = self.left_ms(seat)
        if left is not None:  # within the margin, one millisecond stays on the clock
            spent = max(0, min(used_ms, left - 1))
            clock = self._clocks[seat - 1]
            self._clocks[seat - 1] = charge(self._controls[seat - 1], clock, spent)

    # ---- inside ----------------------------------------------------------------------------

    def _words(self, seat: int) -> str:
        """The arguments of `go`.

        The protocol has no byo-yomi. With main time left, a period is sent as an increment. After
        that, a turn has the time of one period.
        """
        match self._controls[seat - 1]:
            case Fischer() | Correspondence() | Absolute():
                return self._clock_words()
            case ByoYomi() if self._clocks[seat - 1].main_ms:
                return self._clock_words()
            case ByoYomi(period_s=period):
                return f"movetime {round(period * 1000)}"
            case _:
                return f"movetime {self.left_ms(seat)}"

    def _clock_words(self) -> str:
        (one, one_gains), (two, two_gains) = (self._planned_ms(seat) for seat in (1, 2))
        return f"p1time {one} p2time {two} p1inc {one_gains} p2inc {two_gains}"

    def _planned_ms(self, seat: int) -> tuple[int, int]:
        """The time of a seat and its increment, as sent to an engine."""
        main = self._clocks[seat - 1].main_ms or 0
        match self._controls[seat - 1]:
            case Fischer(increment_s=increment) | Correspondence(increment_s=increment):
                return main, round(increment * 1000)
            case ByoYomi(period_s=period):
                return main + round(period * 1000), round(period * 1000)
            case PerTurn(turn_s=turn):
                return round(turn * 1000), 0
            case _:
                return main, 0


STEP_S: Final = 0.02
NOTICED_MS: Final = 5
REMEMBERED: Final = 1000


class Delays(Protocol):
    """Measures delays of this program; `Lateness` is the implementation."""

    def worst_ms(self, since: float) -> int:
        """The longest delay of this program since a moment of `time.monotonic()`."""


class Lateness:
    """Measures delays: it sleeps for short times, and remembers sleeps that took much longer."""

    def __init__(self, time: TimeSource) -> None:
        self._time = time
        self._late: deque[tuple[float, int]] = deque(maxlen=REMEMBERED)

    async def watch(self) -> None:
        """Run until cancelled. One task serves all games of the program."""
        while True:
            began = self._time.monotonic()
            await self._time.sleep(STEP_S)
            now = self._time.monotonic()
            late = round((now - began - STEP_S) * 1000)
            if late >= NOTICED_MS:
                self._late.append((now, late))

    def worst_ms(self, since: float) -> int:
        """See `Delays`."""
        return max((late for moment, late in self._late if moment >= since), default=0)
