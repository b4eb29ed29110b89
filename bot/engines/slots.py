"""The processes of a pool: started when needed, kept for their game, restarted when they fail."""

# Slots and precedence
#
# The problem. A daemon plays many games with few engine processes. A live turn must have a process
# within milliseconds. A correspondence turn may wait for hours, but must not starve. Of two bots
# that share an engine, neither may take all processes. A process that knows a game is worth most to
# that game, since it keeps its tree. An idle process may search on an opponent's time, and must
# stop when a turn needs it. Processes die, hang, and take up to minutes to start. Each of these
# events changes who is served next.
#
# The idea. There are three parts, and only one of them acts.
#
# - Facts: a `Slot` is a place for one process, with what it does now. `Waiting` is a turn without a
#   process. All of them are in one list and one queue.
# - Questions: `Precedence` reads these facts and the clock. `next` is the turn that is served
#   first: urgent turns before those that can wait, then the user with the fewest processes, then
#   the turn that is due first, then the user served longest ago. `pick` is the slot that a turn
#   gets now. Both change nothing, so they can be asked at any time and in any order.
# - Actions: `_reconcile` compares the facts with what they should be, and starts, ends or
#   interrupts what differs. It runs on every change, and when a turn that could wait becomes
#   urgent. It never awaits: actions that take time run as tasks, mark their slot first (`process`
#   None: starting; `breaking`: stopping), and report a change when they end. So `_reconcile` can
#   run twice in a row without doing anything twice.
#
# Each waiting turn is its own task. It asks `pick`, and sleeps until the next change if it gets
# nothing. A slot is occupied in the step in which it is picked, without an await in between, so two
# turns never get the same slot.
#
# Rejected:
#
# - `asyncio.PriorityQueue` of turns and a semaphore of processes. The order changes while turns
#   wait (a turn becomes urgent, a user gets a process), and which process a turn gets matters too.
# - One scheduler task with a mailbox. Every cancelled question would need a message to it and an
#   answer from it, and a bug there would stop all games instead of one.
# - Interrupting a live search for another live turn. Both would lose time; instead no user may hold
#   all of two or more processes (`Precedence.share`), so one is always left for the others.
# - Stopping a search on the opponent's time with the turn that needs the process. It takes the
#   engine up to a second to stop, so it is ended as soon as a turn waits, and a new process is
#   started at the same time if there is room.

import asyncio
from collections.abc import Awaitable, Callable, Coroutine

import structlog

import engine
from bot.engines.failures import Failures, kind_of_failure
from bot.engines.pondering import Pondering
from bot.engines.process import EngineProcess
from bot.engines.questions import URGENT_S, Patience, can_wait
from bot.engines.spec import EngineSpec
from bot.engines.waiting import EngineTask, Precedence, Slot, Waiting
from bot.errors import EngineDied, EngineFailure, EngineStartError
from bot.runtime.tasks import OwnedTasks, cancelled, within
from bot.time_source import TimeSource

LEAST_WAIT_S = 0.001
PONDER_FAILURES = 3
"""After this many failed searches on the opponent's time in a row, the pool stops pondering."""

Start = Callable[[EngineSpec, TimeSource], Awaitable[EngineProcess]]
"""Start a process. Raises EngineStartError."""


class Slots:
    def __init__(self, spec: EngineSpec, size: int, time: TimeSource, start: Start) -> None:
        self.failures = Failures()
        self._spec = spec
        self._size = size
        self._time = time
        self._start_process = start
        self._slots: list[Slot] = []
        self.precedence = Precedence(self._slots, size, time)
        self._change = asyncio.Event()
        self._tasks = OwnedTasks("engine_pool_bug", engine=spec.name)
        self._killings = OwnedTasks("engine_pool_bug", engine=spec.name)
        self.started = self.killed = 0
        self._ponder_failures = 0
        self._closing = False
        self._log = structlog.get_logger().bind(engine=spec.name)

    @property
    def alive(self) -> int:
        return sum(slot.process is not None and slot.process.alive for slot in self._slots)

    def open(self) -> None:
        """Start one process before the first question."""
        self._add_slot()

    async def close(self) -> None:
        """End every process, and return when all are gone."""
        self._closing = True
        ponders = [slot.pondering.task for slot in self._slots if slot.pondering is not None]
        await asyncio.gather(self._tasks.cancel(), cancelled(*ponders), self._killings.wait())
        processes = [slot.process for slot in self._slots if slot.process is not None]
        await asyncio.gather(*(process.close() for process in processes))

    async def acquire(
        self,
        task: EngineTask,
        position: engine.Position,
        seconds: float,
        patience: Patience | None = None,
    ) -> tuple[Slot, EngineProcess] | None:
        """Wait up to `seconds` for a process; None if none becomes free in that time.

        A process that ponders about this very position comes with that search, any other without
        one. For a live turn the wait ends at once if no process lives and the engine fails; for
        another one with `patience` it continues while the engine is restarted.
        """
        waiting = Waiting(task, position, patience)
        self.precedence.queue.append(waiting)
        try:
            slot = await self._wait_for_one(waiting, seconds)
            if slot is not None:
                self._occupy(slot, waiting)
        finally:
            self.precedence.queue.remove(waiting)
            self._changed()
        if slot is None:
            return None
        assert slot.process is not None
        return slot, slot.process

    async def _wait_for_one(self, waiting: Waiting, seconds: float) -> Slot | None:
        end, patience = self._time.monotonic() + seconds, waiting.patience
        may_restart = patience is not None and not patience.is_live
        self._reconcile()
        while (slot := self.precedence.pick(waiting)) is None:
            now = self._time.monotonic()
            left = end - now
            if left <= 0 or not (may_restart or self.alive or self.failures.healthy):
                return None
            if patience is not None and patience.is_live:
                patience.waits(self.precedence.before(waiting))
            if patience is not None and can_wait(patience, now):
                left = min(left, max(patience.due - URGENT_S - now, LEAST_WAIT_S))
            try:
                await within(self._time, left, self._change.wait())
            except TimeoutError:
                self._reconcile()  # a turn that could wait may be urgent now
        return slot

    def _occupy(self, slot: Slot, waiting: Waiting) -> None:
        slot.busy, slot.patience = True, waiting.patience
        self.precedence.note_service(waiting.task.user)
        if slot.task != waiting.task:
            slot.task, slot.game = waiting.task, None
        self._slots.remove(slot)
        self._slots.append(slot)  # the slot at the front has been unused for longest
        self._keep_one_spare()

    def release(self, slot: Slot) -> None:
        if slot.pondering is not None:
            self.quiet(slot)
            return
        slot.busy, slot.breaking, slot.patience = False, False, None
        self._changed()

    def restart(self, slot: Slot, error: EngineFailure, *, is_counted: bool = True) -> None:
        """Kill the process and start another one.

        By default the failure counts against the engine.
        """
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
        self.killed += 1
        self._spawn(self._start(slot, dead))

    def quiet(self, slot: Slot) -> None:
        """Free the slot of a cancelled question once its search has stopped."""
        pondering, slot.pondering, slot.patience = slot.pondering, None, None
        if pondering is not None:
            pondering.task.cancel()
        self._spawn(self._settle(slot, pondering))

    def ponder(
        self, task: EngineTask, begin: Callable[[EngineProcess], Pondering]
    ) -> Pondering | None:
        """Start a search on the opponent's time in the game's own process.

        None if that process is not free, if a turn waits for a process, or if too many such
        searches have failed.
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
        """Count failures in a row. An engine that cannot ponder is no longer asked to."""
        if pondering is None:
            return
        self._ponder_failures = 0 if is_well else self._ponder_failures + 1
        if self._ponder_failures == PONDER_FAILURES:
            self._log.warning("pondering_given_up", failures=PONDER_FAILURES)

    def forget(self, task: EngineTask) -> None:
        """Free the process of a finished game for other games."""
        for slot in self._slots:
            if slot.task == task and not slot.busy:
                slot.task = slot.game = None
                if slot.ponders:
                    self._break_off(slot)

    def end_pondering(self, task: EngineTask) -> None:
        """End the game's search on the opponent's time, because its next turn does not need an
        engine.
        """
        for slot in self._slots:
            if slot.task == task and slot.ponders:
                self._break_off(slot)

    # ---- inside ----------------------------------------------------------------------------

    def _changed(self) -> None:
        """Act on a change of the slots or of the queue, and wake those who wait."""
        self._reconcile()
        self._change.set()
        self._change = asyncio.Event()

    def _reconcile(self) -> None:
        """Make the processes match the queue. Each step does nothing if nothing is due."""
        self._restart_dead()
        self._end_outdated_ponders()
        self._end_ponders_for_waiting()
        self._start_for_waiting()
        self._interrupt_for_next()

    def _restart_dead(self) -> None:
        for slot in self._slots:
            if slot.free and slot.process is not None and not slot.process.alive:
                self.restart(slot, EngineDied(self._spec.name, "ended while it was idle"))

    def _end_outdated_ponders(self) -> None:
        """End each search of a game that asks about another position than the expected one."""
        for waiting in self.precedence.queue:
            for slot in self._slots:
                if slot.task == waiting.task and slot.ponders:
                    assert slot.pondering is not None
                    if not slot.pondering.is_about(waiting.position):
                        self._break_off(slot)

    def _end_ponders_for_waiting(self) -> None:
        """End as many other searches on the opponent's time as waiting turns need processes."""
        ponder = [slot for slot in self._slots if slot.ponders]
        if not ponder:
            return
        awaited = {slot.task for slot in ponder} & {
            each.task for each in filter(self.precedence.may, self.precedence.queue)
        }
        waiting = sum(each.task not in awaited for each in self.precedence.queue)
        available = sum(slot.free or slot.breaking for slot in self._slots)
        others = [slot for slot in ponder if slot.task not in awaited]
        for slot in others[: max(0, waiting - available)]:
            self._break_off(slot)

    def _start_for_waiting(self) -> None:
        """Add a slot for each turn that finds neither its own process nor one without a game."""
        for waiting in self.precedence.queue:
            starting = sum(slot.process is None for slot in self._slots)
            if len(self._slots) >= self._size or starting >= len(self.precedence.queue):
                return
            if not self.precedence.own_of(waiting) and not self.precedence.idle:
                self._add_slot()

    def _interrupt_for_next(self) -> None:
        """If the next turn is urgent and finds nothing, interrupt the turn that can wait longest.

        Nothing is interrupted while a process starts or stops: the next turn gets that one.
        """
        waiting, now = self.precedence.next, self._time.monotonic()
        if waiting is None or can_wait(waiting.patience, now):
            return
        is_one_coming = any(slot.process is None or slot.breaking for slot in self._slots)
        if is_one_coming or self.precedence.pick(waiting) is not None:
            return
        held = [slot.patience for slot in self._slots if slot.patience is not None]
        interruptible = [patience for patience in held if can_wait(patience, now)]
        if interruptible and not any(patience.wanted.is_set() for patience in held):
            max(interruptible, key=lambda patience: patience.due).wanted.set()

    def _break_off(self, slot: Slot) -> None:
        slot.busy = slot.breaking = True
        self.quiet(slot)

    def _keep_one_spare(self) -> None:
        """In a pool with several users, start a process before the next user asks for one."""
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
                self._changed()
            else:
                break
        self.started += 1
        self._log.info("engine_started", program=slot.process.settings.name)
        self._changed()

    async def _kill(self, process: EngineProcess) -> None:
        """Kill the process and wait until it is gone, also if the pool is closed in between."""
        await asyncio.shield(self._killings.create_task(process.kill()))

    async def _settle(self, slot: Slot, pondering: Pondering | None) -> None:
        assert slot.process is not None
        try:
            failure = await _stopped(slot.process, pondering)
        except Exception:  # OwnedTasks logs the bug; the slot needs a new process
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
        """Handle a search on the opponent's time that ended before its position was reached."""
        if slot.pondering is not pondering or slot.busy or self._closing:
            return
        error = None if pondering.task.cancelled() else pondering.task.exception()
        if isinstance(error, EngineFailure):
            self.restart(slot, error)
        elif error is not None:
            self._break_off(slot)

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        if self._closing:
            work.close()
            return
        self._tasks.start(work)


async def _stopped(process: EngineProcess, pondering: Pondering | None) -> EngineFailure | None:
    """Wait until the process has stopped searching. Return its failure, if any."""
    try:
        failure = None if pondering is None else await pondering.end()
        if failure is None:
            await process.settle()
    except EngineFailure as error:
        return error
    return failure
