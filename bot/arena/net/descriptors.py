"""File descriptors: how many this process may have, and how many connections fit into that."""

import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from bot.errors import HostError

RESERVE: Final = 64
"""For the database, the records, and what else opens files while connections come."""
FEWEST: Final = 32
"""With room for fewer connections there is no use in starting."""
FEWEST_FOR_HTTP: Final = 256
SHARE_OF_SOCKETS: Final = 0.75
"""Where descriptors are scarce, so much of the room is for sockets, the rest for HTTP."""
ENOUGH: Final = 1 << 20
"""What stands for no limit at all."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Capacity:
    """How many TCP connections there may be, and how many of these may be sockets."""

    connections: int
    sockets: int


def raise_limit() -> None:
    """Allow this process as many descriptors as it may allow itself."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (_finite(hard), hard))


def descriptor_limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _finite(soft)


def open_descriptors() -> int:
    # The listing itself needs one.
    return sum(1 for _ in Path("/dev/fd").iterdir()) - 1


def capacity(sockets: int, limit: int, in_use: int) -> Capacity:
    """The room for that many sockets and for pages beside them, or for as many as fit.

    Raises HostError if the limit leaves no room worth the name.
    """
    wanted = sockets + max(sockets, FEWEST_FOR_HTTP)
    room = limit - in_use - RESERVE
    if room < FEWEST:
        message = f"the limit of open files is {limit}; the arena needs {limit - room + FEWEST}"
        raise HostError(f"{message} or more (see `ulimit -n`)")
    if room >= wanted:
        return Capacity(wanted, sockets)
    fit = min(sockets, int(room * SHARE_OF_SOCKETS))
    if fit < sockets:
        log.warning("few_descriptors", limit=limit, connections=sockets, room_for=fit)
    return Capacity(room, fit)


def _finite(limit: int) -> int:
    return ENOUGH if limit == resource.RLIM_INFINITY else min(limit, ENOUGH)
