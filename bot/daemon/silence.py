"""A server that has stopped answering: reconnect, then restart the identity, then call a person.

A platform reconnects by itself after each loss that it notices. The watch is for the rest: a loss
that nobody notices, a defect of ours that a new start repairs, and a server that stays away.
"""

import math
from dataclasses import dataclass
from typing import Final

import structlog

from bot.daemon.status import IdentityStatus
from bot.platforms.base import Platform
from bot.time_source import TimeSource

LOOK_S: Final = 5.0
"""Seconds between two looks during a silence; they also show that it is over."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SilencePatience:
    """Seconds of silence before each step, counted from when an answer was due."""

    reconnect_s: float = 60.0
    restart_s: float = 300.0
    alarm_s: float = 900.0


USUAL: Final = SilencePatience()


class SilenceWatch:
    """Watches one platform. While a silence lasts, the steps keep their order and distances.

    So a step has time to help, even if the whole process was stopped for an hour. After the alarm
    the identity is restarted once every `alarm_s`, for as long as the silence lasts.
    """

    def __init__(
        self,
        platform: Platform,
        status: IdentityStatus,
        patience: SilencePatience,
        time: TimeSource,
    ) -> None:
        self._platform = platform
        self._status = status
        self._patience = patience
        self._time = time
        self._steps = 0
        self._stepped_at = -math.inf

    async def until_restart(self) -> None:
        """Reconnect and raise alarms. Return when the identity must be restarted."""
        while True:
            if self._steps and self._platform.overdue_s < self._patience.reconnect_s:
                self._end()
            wait_s = self._wait_s()
            if wait_s > 0:
                await self._time.sleep(min(wait_s, LOOK_S) if self._steps else wait_s)
            elif self._step():
                return

    def _wait_s(self) -> float:
        """Return the seconds until the next step."""
        patience, silent_s = self._patience, self._platform.overdue_s
        since_step_s = self._time.monotonic() - self._stepped_at
        match self._steps:
            case 0:
                return patience.reconnect_s - silent_s
            case 1:
                at_s, before_s = patience.restart_s, patience.reconnect_s
            case 2:
                at_s, before_s = patience.alarm_s, patience.restart_s
            case _:
                return patience.alarm_s - since_step_s
        return max(at_s - silent_s, at_s - before_s - since_step_s)

    def _step(self) -> bool:
        """Take the next step, and return whether it is a restart."""
        silent_s = round(self._platform.overdue_s, 1)
        self._steps += 1
        self._stepped_at = self._time.monotonic()
        match self._steps:
            case 1:
                log.warning("platform_silent", for_s=silent_s, step="reconnect")
                self._platform.reconnect()
            case 3:
                self._status.alarm = (
                    "the server does not answer; reconnecting and restarting did not help"
                )
                log.error("alarm", why=self._status.alarm, for_s=silent_s)
            case _:
                log.warning("platform_silent", for_s=silent_s, step="restart")
                return True
        return False

    def _end(self) -> None:
        self._steps, self._status.alarm = 0, None
        log.info("platform_heard_again")
