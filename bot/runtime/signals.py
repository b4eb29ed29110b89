"""What SIGINT, SIGTERM and SIGHUP mean to a program that serves until it is told to stop."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

STDERR: Final = 2


@contextmanager
def handled(end: Callable[[], None], reload: Callable[[], None] | None = None) -> Iterator[None]:
    """In the running loop: SIGINT and SIGTERM call `end`, SIGHUP calls `reload` if there is one.

    A program that was started on a terminal gets SIGHUP also when that is closed; that is an end.
    """
    had_terminal = os.isatty(STDERR)

    def on_hangup() -> None:
        if reload is None or (had_terminal and not os.isatty(STDERR)):
            end()
        else:
            reload()

    loop = asyncio.get_running_loop()
    handlers = {signal.SIGINT: end, signal.SIGTERM: end, signal.SIGHUP: on_hangup}
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)
