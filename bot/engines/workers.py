"""The processes of a pool: started when needed, kept for their game, restarted when they fail."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass

import structlog

import engine
from bot.engines.deadline import within
from bot.engines.process import EngineProcess
from bot.engines.spec import EngineSpec
from bot.errors import EngineDied, EngineError, EngineProtocolError, EngineStartError, EngineTimeout
from bot.time_source import TimeSource

LONGEST_PAUSE_S = 60.0
UNHEALTHY_AFTER = 3
"""Failures in a row after which nobody waits for the engine any more."""

_KINDS: dict[type[EngineError], str] = {
    EngineStartError: "start",
    EngineDied: "died",
    EngineTimeout: "late",
    EngineProtocolError: "protocol",
}


def kind_of_failure(error: EngineError) -> str:
    return _KINDS.get(type(error), "other")


class Failures:
    """What went wrong with one engine, and how long to wait before it is started again."""

    def __init__(self) -> None:
        self.by_kind: Counter[str] = Counter()
        self.consecutive = 0
        self.last: str | None = None

    def add(self, error: EngineError) -> None:
        self.by_kind[kind_of_failure(error)] += 1
        self.consecutive += 1
        self.last = error.message

    def succeeded(self) -> None:
        self.consecutive = 0

    @property
    def healthy(self) -> bool:
        return self.consecutive < UNHEALTHY_AFTER

    @property
    def pause_s(self) -> float:
        """Nothing after a first failure, which may be a single one; then 1, 2, 4, ... seconds."""
        if self.consecutive <= 1:
            return 0.0
        return float(min(LONGEST_PAUSE_S, 2.0 ** min(self.consecutive - 2, 10)))


@dataclass(frozen=True)
class Task:
    """Whose turn a process is asked for, and in which game."""

    user: str
    game_id: str


@dataclass(eq=False)
class Worker:
    """A place for one process; `process` is None while it is being started."""

    process: EngineProcess | None = None
    busy: bool = False
    task: Task | None = None
    game: engine.Game | None = None

    @property
    def free(self) -> bool:
        return self.process is not None and not self.busy


class Workers:
    def __init__(self, spec: EngineSpec, size: int, time: TimeSource) -> None:
        self.failures = Failures()
        self.users: set[str] = set()
        """Those who are known to share the processes."""
        self._spec = spec
        self._size = size
        self._time = time
        self._workers: list[Worker] = []
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._killings: set[asyncio.Task[None]] = set()
        self._queue: list[Task] = []
        self._last_served: list[str] = []
        self._closing = False
        self._log = structlog.get_logger().bind(engine=spec.name)

    @property
    def alive(self) -> int:
        return sum(worker.process is not None and worker.process.alive for worker in self._workers)

    def open(self) -> None:
        """Have one process ready before the first question."""
        self._add_worker()

    async def close(self) -> None:
        """End every process."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._killings, return_exceptions=True)
        processes = [worker.process for worker in self._workers if worker.process is not None]
        await asyncio.gather(*(process.close() for process in processes))

    async def acquire(self, task: Task, seconds: float) -> tuple[Worker, EngineProcess] | None:
        """A free process, rather the one that knows this game; None if there is none in time.

        Of those who wait, the next one goes to whoever has the fewest, and was not served last.
        """
        self._queue.append(task)
        try:
            worker = await self._wait_for_one(task, seconds)
        finally:
            self._queue.remove(task)
            self._announce()  # somebody else is next
        if worker is None:
            return None
        assert worker.process is not None
        worker.busy = True
        self._note_service(task.user)
        if worker.task != task:
            worker.task, worker.game = task, None
        self._workers.remove(worker)
        self._workers.append(worker)
        self._keep_one_spare()
        return worker, worker.process

    async def _wait_for_one(self, task: Task, seconds: float) -> Worker | None:
        end = self._time.monotonic() + seconds
        while (worker := self._pick(task)) is None:
            left = end - self._time.monotonic()
            if left <= 0 or not (self.alive or self.failures.healthy):
                return None
            with suppress(TimeoutError):
                await within(self._time, left, self._changed.wait())
        return worker

    def release(self, worker: Worker) -> None:
        worker.busy = False
        self._announce()

    def restart(self, worker: Worker, error: EngineError, *, is_counted: bool = True) -> None:
        """Kill the process, which is at fault unless it is not counted, and start another."""
        if is_counted:
            self.failures.add(error)
        self._log.warning(
            "engine_failed",
            kind=kind_of_failure(error),
            reason=error.message,
            consecutive=self.failures.consecutive,
            game_id=worker.task and worker.task.game_id,
        )
        dead, worker.process = worker.process, None
        worker.task = worker.game = None
        worker.busy = False
        self._spawn(self._start(worker, dead))

    def quiet(self, worker: Worker) -> None:
        """Take back a process whose question was cancelled, as soon as it has stopped."""
        self._spawn(self._settle(worker))

    def forget(self, task: Task) -> None:
        """The game is over: its process may serve another."""
        for worker in self._workers:
            if worker.task == task and not worker.busy:
                worker.task = worker.game = None

    # ---- inside ----------------------------------------------------------------------------

    def _held_by(self, user: str) -> int:
        return sum(
            each.busy and each.task is not None and each.task.user == user for each in self._workers
        )

    @property
    def _share(self) -> int:
        """How many processes one user may have at once.

        Where several share them one is left for the others: a long search is not interrupted.
        """
        return max(1, self._size - 1) if len(self.users) > 1 else self._size

    def _is_next(self, task: Task) -> bool:
        held = {user: self._held_by(user) for user in {each.user for each in self._queue}}
        waiting = [each for each in self._queue if held[each.user] < self._share]
        first = min(
            waiting, key=lambda each: (held[each.user], self._served(each.user)), default=None
        )
        return first == task

    def _served(self, user: str) -> int:
        """The greater, the later they were served."""
        return self._last_served.index(user) if user in self._last_served else -1

    def _note_service(self, user: str) -> None:
        self._last_served = [each for each in self._last_served if each != user] + [user]

    def _pick(self, task: Task) -> Worker | None:
        """The game's own, else one without a game, else a new one, else the longest unused.

        None if somebody else is next.
        """
        for worker in self._workers:
            if worker.free and worker.process is not None and not worker.process.alive:
                self.restart(worker, EngineDied(self._spec.name, "ended while it was idle"))
        free = [worker for worker in self._workers if worker.free]
        own = [worker for worker in free if worker.task == task]
        idle = [worker for worker in free if worker.task is None]
        starting = sum(worker.process is None for worker in self._workers)
        if not (own or idle) and len(self._workers) < self._size and starting < len(self._queue):
            self._add_worker()
        return next(iter([*own, *idle, *free]), None) if self._is_next(task) else None

    def _keep_one_spare(self) -> None:
        """Where several share the processes, have one ready before the next of them asks."""
        is_spare = any(not worker.busy for worker in self._workers)
        if len(self.users) > 1 and len(self._workers) < self._size and not is_spare:
            self._add_worker()

    def _add_worker(self) -> None:
        worker = Worker()
        self._workers.append(worker)
        self._spawn(self._start(worker, None))

    async def _start(self, worker: Worker, dead: EngineProcess | None) -> None:
        if dead is not None:
            await self._kill(dead)
        while True:
            await self._time.sleep(self.failures.pause_s)
            try:
                worker.process = await EngineProcess.start(self._spec, self._time)
            except EngineStartError as error:
                self.failures.add(error)
                self._log.warning("engine_does_not_start", reason=error.message)
                self._announce()
            else:
                break
        self._log.info("engine_started", program=worker.process.settings.name)
        self._announce()

    async def _kill(self, process: EngineProcess) -> None:
        """To its end, also if the pool is closed meanwhile."""
        killing = asyncio.create_task(process.kill())
        self._killings.add(killing)
        killing.add_done_callback(self._killings.discard)
        await asyncio.shield(killing)

    async def _settle(self, worker: Worker) -> None:
        assert worker.process is not None
        try:
            await worker.process.settle()
        except EngineError as error:
            self.restart(worker, error)
        else:
            self.release(worker)

    def _announce(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        if self._closing:
            work.close()
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.error("engine_pool_bug", exc_info=error)
