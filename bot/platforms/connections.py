"""What platforms with a connection share: its loss, the pauses before the next one, and silence."""

import math
import random
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn

import structlog

from bot.backoff import Backoff
from bot.platforms.base import LONGEST_WAIT_S, Disconnected, EventSink, NoAnswer, NotNow
from bot.runtime.tasks import BlockInterrupted, Interruption
from bot.time_source import TimeSource

STEADY_S: Final = 5.0
"""After a connection that lasted this long, the next wait is short again."""

log = structlog.get_logger()


class ConnectionLost(Exception):
    """There is no connection, or it was lost; the text says why."""

    def __init__(self, why: str, retry_after_s: float = 0.0) -> None:
        super().__init__(why)
        self.retry_after_s = retry_after_s


class Reconnection:
    """Connects again after each loss, with pauses that grow from `first_s` to `longest_s`."""

    def __init__(
        self, url: str, first_s: float, longest_s: float, time: TimeSource, rng: random.Random
    ) -> None:
        self._url = url
        self._backoff = Backoff(first_s, longest_s, rng)
        self._time = time
        self._interruption = Interruption()

    @property
    def attempts(self) -> int:
        """The number of failed connections in a row."""
        return self._backoff.attempts

    def interrupt(self) -> None:
        """Give up the present connection of `keep`, if there is one."""
        self._interruption.interrupt()

    async def keep(self, connect: Callable[[], Awaitable[NoReturn]], sink: EventSink) -> NoReturn:
        """Call `connect`, which raises ConnectionLost, NoAnswer or NotNow in the end, again and
        again.

        The sink gets a `Disconnected` after each loss. Other errors end the call.
        """
        while True:
            began = self._time.monotonic()
            try:
                async with self._interruption.admitted():
                    await connect()
            except BlockInterrupted:
                loss: Exception = ConnectionLost("the bot makes a new connection")
            except (ConnectionLost, NoAnswer, NotNow) as error:
                loss = error
            await sink(Disconnected(str(loss)))
            await self.pause(loss, began)

    async def pause(self, loss: Exception, began: float, at_most_s: float = math.inf) -> None:
        """Wait after the loss of a connection that was tried at `began`.

        The server may request more than `at_most_s`.
        """
        if self._time.monotonic() - began >= STEADY_S:
            self._backoff.reset()
        asked_s = loss.retry_after_s if isinstance(loss, ConnectionLost | NotNow) else 0.0
        wait_s = max(min(self._backoff.next(), at_most_s), min(asked_s, LONGEST_WAIT_S))
        log.warning(
            "not_connected",
            url=self._url,
            why=str(loss),
            attempt=self._backoff.attempts,
            wait_s=round(wait_s, 2),
        )
        await self._time.sleep(wait_s)


class Silence:
    """When a server was last heard, and for how long it has been silent since.

    `allowed_s` is the longest time between two messages while all is well.
    """

    def __init__(self, time: TimeSource, allowed_s: float) -> None:
        self.last_heard: float | None = None
        self._time = time
        self._allowed_s = allowed_s
        self._since: float | None = None

    def begin(self) -> None:
        """Await the first message from now on; a second call changes nothing."""
        if self._since is None:
            self._since = self._time.monotonic()

    def heard(self, at: float | None = None) -> None:
        """The server has sent something, just now or `at` another moment."""
        self.last_heard = self._since = self._time.monotonic() if at is None else at

    @property
    def lasts_s(self) -> float:
        """The seconds since the last message, or since `begin`; 0 before that."""
        return 0.0 if self._since is None else self._time.monotonic() - self._since

    @property
    def overdue_s(self) -> float:
        """See `Platform.overdue_s`."""
        return 0.0 if self._since is None else self.lasts_s - self._allowed_s
