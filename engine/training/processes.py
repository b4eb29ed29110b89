"""Runs tasks in many processes and yields their results as they arrive."""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import active_children, connection, get_context, parent_process
from typing import Final, TypeVar

from engine.training.errors import TrainingError

POLL_S: Final = 0.5
"""Longest time until `stop` is noticed."""
PATIENCE_S: Final = 5.0
"""Time for a process to end after it is terminated."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class Crew:
    """An executor of `concurrent.futures`; `size` is the number of tasks that it runs at once."""

    def __init__(self, executor: Executor, size: int) -> None:
        self._executor = executor
        self._size = size

    def results(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        stop: Callable[[], bool],
    ) -> Iterator[tuple[Task, Result]]:
        """Yield each task with its result, in the order of completion.

        Once `stop` returns true, the remaining tasks are not run. Raises what a task raises.
        """
        waiting, running = iter(tasks), dict[Future[Result], Task]()
        while not stop():
            for task in islice(waiting, 2 * self._size - len(running)):
                running[self._executor.submit(function, task)] = task
            if not running:
                return
            done, _ = wait(running, POLL_S, FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()


@contextmanager
def local_crew(processes: int) -> Iterator[Crew]:
    """Yield a crew of local processes; on exit they are terminated, even in the middle of a task.

    Raises TrainingError instead of BrokenProcessPool if a process was ended from outside.
    """
    others = set(active_children())
    executor = ProcessPoolExecutor(processes, get_context("spawn"), _begin)
    try:
        yield Crew(executor, processes)
    except BrokenProcessPool as error:
        raise TrainingError("a process that played was ended: is there enough memory?") from error
    finally:
        workers = [each for each in active_children() if each not in others]
        executor.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join(PATIENCE_S)


def _begin() -> None:
    """Ignore Ctrl-C, which the parent handles, and end this process when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
