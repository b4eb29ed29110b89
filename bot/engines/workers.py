"""The processes of a pool: started when needed, kept for their game, restarted when they fail."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
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


@dataclass(eq=False)
class Worker:
    """A place for one process; `process` is None while it is being started."""

    process: EngineProcess | None = None
    busy: bool = False
    game_id: str | None = None
    game: engine.Game | None = None

    @property
    def free(self) -> bool:
        return self.process is not None and not self.busy


class Workers:
    def __init__(self, spec: EngineSpec, size: int, time: TimeSource) -> None:
        self.failures = Failures()
        self._spec = spec
        self._size = size
        self._time = time
        self._workers: list[Worker] = []
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._killings: set[asyncio.Task[None]] = set()
        self._waiting = 0
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

    async def acquire(self, game_id: str, seconds: float) -> tuple[Worker, EngineProcess] | None:
        """A free process, rather the one that knows this game; None if there is none in time."""
        end = self._time.monotonic() + seconds
        while (worker := self._pick(game_id)) is None:
            left = end - self._time.monotonic()
            if left <= 0 or not (self.alive or self.failures.healthy):
                return None
            self._waiting += 1
            try:
                await within(self._time, left, self._changed.wait())
            except TimeoutError:
                pass
            finally:
                self._waiting -= 1
        assert worker.process is not None
        worker.busy = True
        if worker.game_id != game_id:
            worker.game_id, worker.game = game_id, None
        self._workers.remove(worker)
        self._workers.append(worker)
        return worker, worker.process

    def release(self, worker: Worker) -> None:
        worker.busy = False
        self._announce()

    def restart(self, worker: Worker, error: EngineError) -> None:
        """Kill the process, which is at fault, and start another in its place."""
        self.failures.add(error)
        self._log.warning(
            "engine_failed",
            kind=kind_of_failure(error),
            reason=error.message,
            consecutive=self.failures.consecutive,
            game_id=worker.game_id,
        )
        dead, worker.process = worker.process, None
        worker.game_id = worker.game = None
        worker.busy = False
        self._spawn(self._start(worker, dead))

    def quiet(self, worker: Worker) -> None:
        """Take back a process whose question was cancelled, as soon as it has stopped."""
        self._spawn(self._settle(worker))

    def forget(self, game_id: str) -> None:
        """The game is over: its process may serve another."""
        for worker in self._workers:
            if worker.game_id == game_id and not worker.busy:
                worker.game_id = worker.game = None

    # ---- inside ----------------------------------------------------------------------------

    def _pick(self, game_id: str) -> Worker | None:
        """The game's own, else one without a game, else a new one, else the longest unused."""
        for worker in self._workers:
            if worker.free and worker.process is not None and not worker.process.alive:
                self.restart(worker, EngineDied(self._spec.name, "ended while it was idle"))
        free = [worker for worker in self._workers if worker.free]
        for worker in free:
            if worker.game_id == game_id:
                return worker
        for worker in free:
            if worker.game_id is None:
                return worker
        starting = sum(worker.process is None for worker in self._workers)
        if len(self._workers) < self._size and starting <= self._waiting:
            self._add_worker()
        return free[0] if free else None

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
