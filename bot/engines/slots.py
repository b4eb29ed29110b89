"""The processes of a pool: started when needed, kept for their game, restarted when they fail.

One that nobody needs may think on an opponent's time; whoever is due takes it at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress

import structlog

import engine
from bot.engines.failures import Failures, kind_of_failure
from bot.engines.pondering import Pondering
from bot.engines.process import EngineProcess
from bot.engines.questions import URGENT_S, Patience, can_wait
from bot.engines.spec import EngineSpec
from bot.engines.waiting import Precedence, Slot, Task, Waiting
from bot.errors import EngineDied, EngineFailure, EngineStartError
from bot.runtime.tasks import OwnedTasks, cancelled, within
from bot.time_source import TimeSource

LEAST_WAIT_S = 0.001
PONDER_FAILURES = 3
"""So many searches on the opponent's time may fail in a row, and then there are no more."""

Start = Callable[[EngineSpec, TimeSource], Awaitable[EngineProcess]]
"""Starts a process. Raises EngineStartError."""


class Slots:
    def __init__(self, spec: EngineSpec, size: int, time: TimeSource, start: Start) -> None:
        self.failures = Failures()
        self._spec = spec
        self._size = size
        self._time = time
        self._start_process = start
        self._slots: list[Slot] = []
        self.precedence = Precedence(self._slots, size, time)
        self._changed = asyncio.Event()
        self._tasks = OwnedTasks("engine_pool_bug", engine=spec.name)
        self._killings = OwnedTasks("engine_pool_bug", engine=spec.name)
        self._ponder_failures = 0
        self._closing = False
        self._log = structlog.get_logger().bind(engine=spec.name)

    @property
    def alive(self) -> int:
        return sum(slot.process is not None and slot.process.alive for slot in self._slots)

    def open(self) -> None:
        """Have one process ready before the first question."""
        self._add_slot()

    async def close(self) -> None:
        """End every process."""
        self._closing = True
        ponders = [slot.pondering.task for slot in self._slots if slot.pondering is not None]
        await asyncio.gather(self._tasks.cancel(), cancelled(*ponders), self._killings.wait())
        processes = [slot.process for slot in self._slots if slot.process is not None]
        await asyncio.gather(*(process.close() for process in processes))

    async def acquire(
        self,
        task: Task,
        position: engine.Position,
        seconds: float,
        patience: Patience | None = None,
    ) -> tuple[Slot, EngineProcess] | None:
        """A free process, rather the one that knows this game; None if there is none in time.

        One that ponders about this very position is given with that search, others without.
        See `Precedence` for who is next. For somebody who cannot wait, a process is taken from
        somebody who can, if need be; those wait for one that is being mended, too.
        """
        waiting = Waiting(task, position, patience)
        self.precedence.queue.append(waiting)
        try:
            slot = await self._wait_for_one(waiting, seconds)
        finally:
            self.precedence.queue.remove(waiting)
            self._announce()  # somebody else is next
        if slot is None:
            return None
        assert slot.process is not None
        slot.busy, slot.patience = True, patience
        self.precedence.note_service(task.user)
        if slot.task != task:
            slot.task, slot.game = task, None
        self._slots.remove(slot)
        self._slots.append(slot)
        self._keep_one_spare()
        return slot, slot.process

    async def _wait_for_one(self, waiting: Waiting, seconds: float) -> Slot | None:
        end, patience = self._time.monotonic() + seconds, waiting.patience
        while (slot := self._pick(waiting)) is None:
            now = self._time.monotonic()
            left = end - now
            if left <= 0 or not (patience or self.alive or self.failures.healthy):
                return None
            if patience is not None and can_wait(patience, now):
                left = min(left, max(patience.due - URGENT_S - now, LEAST_WAIT_S))
            with suppress(TimeoutError):
                await within(self._time, left, self._changed.wait())
        return slot

    def release(self, slot: Slot) -> None:
        if slot.pondering is not None:
            self.quiet(slot)
            return
        slot.busy, slot.breaking, slot.patience = False, False, None
        self._announce()

    def restart(self, slot: Slot, error: EngineFailure, *, is_counted: bool = True) -> None:
        """Kill the process, which is at fault unless it is not counted, and start another."""
        if is_counted:
            self.failures.add(error)
        self.note_pondering(slot.pondering, is_well=False)
        self._log.warning(
            "engine_failed",
            kind=kind_of_failure(error),
            reason=error.message,
            consecutive=self.failures.consecutive,
            game_id=slot.task and slot.task.game_id,
        )
        dead, slot.process = slot.process, None
        slot.task = slot.game = slot.patience = slot.pondering = None
        slot.busy = slot.breaking = False
        self._spawn(self._start(slot, dead))

    def quiet(self, slot: Slot) -> None:
        """Take back a process whose question was cancelled, as soon as it has stopped."""
        pondering, slot.pondering, slot.patience = slot.pondering, None, None
        if pondering is not None:
            pondering.task.cancel()
        self._spawn(self._settle(slot, pondering))

    def ponder(self, task: Task, begin: Callable[[EngineProcess], Pondering]) -> Pondering | None:
        """Have the game's own process think on the opponent's time; None if it is not free, or
        somebody waits for one.
        """
        if self.precedence.queue or self._closing or self._ponder_failures >= PONDER_FAILURES:
            return None
        own = (slot for slot in self._slots if slot.free and slot.task == task)
        slot = next(own, None)
        if slot is None or slot.process is None or not slot.process.alive:
            return None
        pondering = slot.pondering = begin(slot.process)
        pondering.task.add_done_callback(lambda _: self._ponder_failed(slot, pondering))
        return pondering

    def note_pondering(self, pondering: Pondering | None, *, is_well: bool) -> None:
        """An engine that cannot do it is spared it, rather than killed again and again."""
        if pondering is None:
            return
        self._ponder_failures = 0 if is_well else self._ponder_failures + 1
        if self._ponder_failures == PONDER_FAILURES:
            self._log.warning("pondering_given_up", failures=PONDER_FAILURES)

    def forget(self, task: Task) -> None:
        """The game is over: its process may serve another."""
        for slot in self._slots:
            if slot.task == task and not slot.busy:
                slot.task = slot.game = None
                if slot.ponders:
                    self._break_off(slot)

    def end_pondering(self, task: Task) -> None:
        """Nobody will ask what it is about."""
        for slot in self._slots:
            if slot.task == task and slot.ponders:
                self._break_off(slot)

    # ---- inside ----------------------------------------------------------------------------

    def _pick(self, waiting: Waiting) -> Slot | None:
        """The game's own, else one without a game, else a new one, else the longest unused.

        None if somebody else is next.
        """
        for slot in self._slots:
            if slot.free and slot.process is not None and not slot.process.alive:
                self.restart(slot, EngineDied(self._spec.name, "ended while it was idle"))
        own = self._own_of(waiting)
        self._break_off_others()
        if own and own[0].ponders and self.precedence.may(waiting):
            return own[0]  # it thinks about this very position: nobody else is to have it
        free = [slot for slot in self._slots if slot.free]
        idle = [slot for slot in free if slot.task is None]
        starting = sum(slot.process is None for slot in self._slots)
        if (
            not (own or idle)
            and len(self._slots) < self._size
            and starting < len(self.precedence.queue)
        ):
            self._add_slot()
        if not self.precedence.is_next(waiting) or any(slot.breaking for slot in own):
            return None
        found = [*own, *idle, *free]
        if not found and not starting and not any(slot.breaking for slot in self._slots):
            self._want_one(waiting)
        return next(iter(found), None)

    def _own_of(self, waiting: Waiting) -> list[Slot]:
        """Those that know the game, of which one may ponder about the very position, and one may
        have to stop.
        """
        mine = [slot for slot in self._slots if slot.task == waiting.task]
        for slot in mine:
            if slot.ponders and slot.pondering and not slot.pondering.is_about(waiting.position):
                self._break_off(slot)
        own = [slot for slot in mine if slot.free or slot.ponders or slot.breaking]
        return sorted(own, key=lambda slot: not slot.ponders)

    def _break_off_others(self) -> None:
        """End as many searches on the opponent's time as there are others who wait."""
        ponder = [slot for slot in self._slots if slot.ponders]
        if not ponder:
            return
        mine = {slot.task for slot in ponder} & {
            each.task for each in filter(self.precedence.may, self.precedence.queue)
        }
        waiting = sum(each.task not in mine for each in self.precedence.queue)
        there = sum(slot.free or slot.breaking for slot in self._slots)
        others = [slot for slot in ponder if slot.task not in mine]
        for slot in others[: max(0, waiting - there)]:
            self._break_off(slot)

    def _break_off(self, slot: Slot) -> None:
        slot.busy = slot.breaking = True
        self.quiet(slot)

    def _want_one(self, waiting: Waiting) -> None:
        """Have a process given up by who can best wait, for somebody who cannot."""
        now = self._time.monotonic()
        held = [each.patience for each in self._slots if each.patience is not None]
        if can_wait(waiting.patience, now) or any(each.wanted.is_set() for each in held):
            return
        if can := [each for each in held if can_wait(each, now)]:
            max(can, key=lambda each: each.due).wanted.set()

    def _keep_one_spare(self) -> None:
        """Where several share the processes, have one ready before the next of them asks."""
        is_spare = any(not slot.busy for slot in self._slots)
        if self.precedence.is_shared and len(self._slots) < self._size and not is_spare:
            self._add_slot()

    def _add_slot(self) -> None:
        slot = Slot()
        self._slots.append(slot)
        self._spawn(self._start(slot, None))

    async def _start(self, slot: Slot, dead: EngineProcess | None) -> None:
        if dead is not None:
            await self._kill(dead)
        while True:
            await self._time.sleep(self.failures.pause_s)
            try:
                slot.process = await self._start_process(self._spec, self._time)
            except EngineStartError as error:
                self.failures.add(error)
                self._log.warning("engine_does_not_start", reason=error.message)
                self._announce()
            else:
                break
        self._log.info("engine_started", program=slot.process.settings.name)
        self._announce()

    async def _kill(self, process: EngineProcess) -> None:
        """To its end, also if the pool is closed meanwhile."""
        await asyncio.shield(self._killings.create_task(process.kill()))

    async def _settle(self, slot: Slot, pondering: Pondering | None) -> None:
        assert slot.process is not None
        try:
            failure = await _stopped(slot.process, pondering)
        except Exception:  # a bug is logged where the task ends; the process is needed again
            self.note_pondering(pondering, is_well=False)
            died = EngineDied(self._spec.name, "given up after a bug in the bot")
            self.restart(slot, died, is_counted=False)
            raise
        self.note_pondering(pondering, is_well=failure is None)
        if failure is None:
            self.release(slot)
        else:
            self.restart(slot, failure)

    def _ponder_failed(self, slot: Slot, pondering: Pondering) -> None:
        """It has ended by itself, while nobody waited for it."""
        if slot.pondering is not pondering or slot.busy or self._closing:
            return
        error = None if pondering.task.cancelled() else pondering.task.exception()
        if isinstance(error, EngineFailure):
            self.restart(slot, error)
        elif error is not None:
            self._break_off(slot)

    def _announce(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        if self._closing:
            work.close()
            return
        self._tasks.start(work)


async def _stopped(process: EngineProcess, pondering: Pondering | None) -> EngineFailure | None:
    """Once it searches no more: how it has failed, if it has."""
    try:
        failure = None if pondering is None else await pondering.end()
        if failure is None:
            await process.settle()
    except EngineFailure as error:
        return error
    return failure
