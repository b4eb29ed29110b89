"""SIGINT, SIGTERM and SIGHUP: stop a program, or read its settings again."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Generic, TypeVar

import structlog
from pydantic import BaseModel

from bot.errors import ConfigurationError
from bot.runtime.settings import changed_keys

STDERR: Final = 2


@contextmanager
def handled(end: Callable[[], None], reload: Callable[[], None] | None = None) -> Iterator[None]:
    """Call `end` on SIGINT and SIGTERM, and `reload`, if given, on SIGHUP, in the running loop.

    A program that was started on a terminal also gets SIGHUP when the terminal is closed; that
    calls `end`.
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


S = TypeVar("S", bound=BaseModel)

log = structlog.get_logger()


class Reloader(Generic[S]):
    """Call it to read the settings again. A file with errors changes nothing.

    `apply(running, new)` applies the changes that it can, and returns the settings that are now in
    effect.
    """

    def __init__(self, settings: S, read: Callable[[], S]) -> None:
        self.apply: Callable[[S, S], S] = lambda running, _new: running
        self._running = settings
        self._read = read

    def __call__(self) -> None:
        try:
            new = self._read()
        except ConfigurationError as error:
            log.error("settings_refused", problems=error.problems)  # noqa: TRY400
            return
        before, self._running = self._running, self.apply(self._running, new)
        log.info(
            "settings_read_again",
            applied=changed_keys(before, self._running),
            need_restart=changed_keys(self._running, new),
        )
