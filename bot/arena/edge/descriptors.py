"""File descriptors: the limit of this process, and the number of connections that it allows."""

import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from bot.errors import HostError

RESERVE: Final = 64
"""Descriptors kept free for the database, the records and other files."""
FEWEST: Final = 32
"""With room for fewer connections the arena does not start."""
FEWEST_FOR_HTTP: Final = 256
SHARE_OF_SOCKETS: Final = 0.75
"""If descriptors are scarce, this share of the room is for sockets, the rest for HTTP."""
ENOUGH: Final = 1 << 20
"""The assumed limit on a system without one."""

log = structlog.get_logger()


@dataclass(frozen=True)
class DescriptorLimits:
    """The most TCP connections, and how many of them may be WebSockets."""

    connections: int
    sockets: int


def raise_limit() -> None:
    """Raise the soft limit of descriptors to the hard one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (_finite(hard), hard))


def descriptor_limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _finite(soft)


def hard_limit() -> int:
    """The limit to which a program may raise its own."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _finite(hard)


def open_descriptors() -> int:
    # Listing the folder opens one descriptor itself.
    return sum(1 for _ in Path("/dev/fd").iterdir()) - 1


def capacity(sockets: int, limit: int, in_use: int) -> DescriptorLimits:
    """The room for that many sockets and as many pages, or for as many as fit.

    `limit` and `in_use` are numbers of descriptors. Raises HostError if fewer than `FEWEST` fit.
    """
    wanted = sockets + max(sockets, FEWEST_FOR_HTTP)
    room = limit - in_use - RESERVE
    if room < FEWEST:
        message = f"the limit of open files is {limit}; the arena needs {limit - room + FEWEST}"
        raise HostError(f"{message} or more (see `ulimit -n`)")
    if room >= wanted:
        return DescriptorLimits(wanted, sockets)
    fit = min(sockets, int(room * SHARE_OF_SOCKETS))
    if fit < sockets:
        log.warning("few_descriptors", limit=limit, connections=sockets, room_for=fit)
    return DescriptorLimits(room, fit)


def _finite(limit: int) -> int:
    return ENOUGH if limit == resource.RLIM_INFINITY else min(limit, ENOUGH)
