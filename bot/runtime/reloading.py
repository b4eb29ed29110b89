"""Settings that are read again while the program runs."""

from collections.abc import Callable
from typing import Generic, TypeVar

import structlog
from pydantic import BaseModel

from bot.errors import ConfigurationError
from bot.runtime.toml_settings import changed_keys

S = TypeVar("S", bound=BaseModel)

log = structlog.get_logger()


class Reloader(Generic[S]):
    """Call it to read the settings again; a file with errors changes nothing.

    `apply(running, new)` puts into force what can be, and returns what is in force then.
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
