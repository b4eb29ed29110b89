"""Slots for engine processes, turns that wait for one, and the order in which they are served.

`bot.engines.slots` explains the design. Everything here is data, or reads it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import engine
from bot.engines.pondering import Pondering
from bot.engines.process import EngineProcess
from bot.engines.questions import Patience, can_wait
from bot.time_source import TimeSource


@dataclass(frozen=True)
class EngineTask:
    """A user's turns in one game. A process is kept for a task."""

    user: str
    game_id: str


@dataclass(frozen=True, eq=False)
class Waiting:
    """A turn in `position` that has no process yet."""

    task: EngineTask
    position: engine.Position
    patience: Patience | None


@dataclass(eq=False)
class Slot:
    """A place for one process; `process` is None while it is being started.

    `task` and `game` are what the process last worked on. `patience` is that of the turn it works
    on now, `pondering` its search on the opponent's time. It is `breaking` while it stops such a
    search for a turn that waits.
    """

    process: EngineProcess | None = None
    busy: bool = False
    task: EngineTask | None = None
    game: engine.Game | None = None
    patience: Patience | None = None
    pondering: Pondering | None = None
    breaking: bool = False

    @property
    def free(self) -> bool:
        return self.process is not None and not self.busy and self.pondering is None

    @property
    def ponders(self) -> bool:
        """Whether it only searches on the opponent's time."""
        return self.pondering is not None and not self.busy


class Precedence:
    """Decides which waiting turn is next, from the slots of a pool of `size` and past service.

    Urgent turns come first, in the order of how few processes their users hold, then of when they
    are due, then of how long ago their users were served. Turns that can wait follow, earliest
    `due` first.
    """

    def __init__(self, slots: Sequence[Slot], size: int, time: TimeSource) -> None:
        self.users: set[str] = set()
        """The names of all registered users."""
        self.queue: list[Waiting] = []
        self._slots = slots
        self._size = size
        self._time = time
        self._last_served: list[str] = []

    @property
    def next(self) -> Waiting | None:
        """The waiting turn that is served first; None if no user may have one more process."""
        return min(filter(self.may, self.queue), key=self._rank, default=None)

    @property
    def idle(self) -> list[Slot]:
        """The free slots that know no game."""
        return [slot for slot in self._slots if slot.free and slot.task is None]

    def own_of(self, waiting: Waiting) -> list[Slot]:
        """Return the slots that know the game and that the turn could get, first one that
        ponders.
        """
        mine = (slot for slot in self._slots if slot.task == waiting.task)
        own = [slot for slot in mine if slot.free or slot.ponders or slot.breaking]
        return sorted(own, key=lambda slot: not slot.ponders)

    def pick(self, waiting: Waiting) -> Slot | None:
        """The slot that the turn gets now: the game's own, an idle one, or the longest unused.

        None if there is none, or if it is another turn's. Reads only, and expects that a search
        about another position than the waiting one has been ended.
        """
        if not self.may(waiting):
            return None
        own = self.own_of(waiting)
        if own and own[0].ponders:
            return own[0]  # it ponders on this very position, so no other turn can use it
        if self.next is not waiting or any(slot.breaking for slot in own):
            return None
        free = (slot for slot in self._slots if slot.free)
        return next(iter([*own, *self.idle, *free]), None)

    def may(self, waiting: Waiting) -> bool:
        """Return whether one more process is within the user's share."""
        firmly = not can_wait(waiting.patience, self._time.monotonic())
        return self._held_by(waiting.task.user, firmly=firmly) < self.share

    def before(self, waiting: Waiting) -> int:
        """Return how many searches end before that of an urgent turn begins, as things are now."""
        order = sorted(self.queue, key=self._rank)
        served = order[: order.index(waiting) + 1]
        of_user = [each for each in served if each.task.user == waiting.task.user]
        within_share = self.share - self._held_by(waiting.task.user, firmly=True)
        coming = sum(slot.free or slot.breaking or slot.process is None for slot in self._slots)
        coming += self._size - len(self._slots)
        return max(0, len(served) - coming, len(of_user) - within_share)

    def note_service(self, user: str) -> None:
        self._last_served = [each for each in self._last_served if each != user] + [user]

    @property
    def is_shared(self) -> bool:
        return len(self.users) > 1

    @property
    def share(self) -> int:
        """How many processes one user may hold at once.

        With several users, one process is left for the others: a live search is never interrupted.
        """
        return max(1, self._size - 1) if self.is_shared else self._size

    def _held_by(self, user: str, *, firmly: bool) -> int:
        """Count the processes that a user holds; `firmly` excludes those on turns that can wait."""
        now = self._time.monotonic()
        return sum(
            each.busy
            and not each.breaking
            and each.task is not None
            and each.task.user == user
            and not (firmly and can_wait(each.patience, now))
            for each in self._slots
        )

    def _rank(self, waiting: Waiting) -> tuple[bool, int, float, int]:
        """Return the sort key of the queue; the smallest is served first."""
        patience, user = waiting.patience, waiting.task.user
        if patience is not None and can_wait(patience, self._time.monotonic()):
            return True, 0, patience.due, 0
        due = math.inf if patience is None else patience.due
        return False, self._held_by(user, firmly=True), due, self._served(user)

    def _served(self, user: str) -> int:
        """Return a greater number for users who were served later; -1 for a user never served."""
        return self._last_served.index(user) if user in self._last_served else -1
