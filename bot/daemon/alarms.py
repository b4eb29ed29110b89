"""What only a person can put right: told in the log, and counted for the health page."""

import structlog

log = structlog.get_logger()


class Alarms:
    """The alarms of one identity; `count` since the daemon was started."""

    def __init__(self) -> None:
        self.count = 0

    def sound(self, why: str, **about: object) -> None:
        self.count += 1
        log.error("alarm", why=why, **about)
