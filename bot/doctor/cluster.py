"""Checks of an arena of several processes: leases and versions, the links between them, the bus."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from typing import Final

from bot import __version__
from bot.arena.link_address import split_address
from bot.arena.processes import Clustering, Member, installed_clustering
from bot.arena.settings import ArenaSettings
from bot.doctor.examination import Case, DoctorFinding, fail, ok, warn
from bot.doctor.stores import CANNOT_READ, arena_opened
from bot.errors import ConfigurationError, HostError

ANSWER_S: Final = 5.0
BUS_PAGE: Final = "correct `cluster.bus`, or start its server; see docs/scaling.md"
ALONE: Final = "leave `cluster.link` empty"
LINK_PAGE: Final = "let the machines of the arena reach this port; see docs/scaling.md"


async def cluster(case: Case) -> AsyncIterator[DoctorFinding]:
    """Examine what only an arena of several processes has."""
    arena = case.arena
    if arena is None or not arena.cluster.link:
        return
    try:
        clustering = installed_clustering()
    except ConfigurationError as error:
        yield fail(str(error), ALONE)
        return
    yield await _bus(arena, clustering)
    try:
        members = await asyncio.to_thread(_members, arena, clustering)
    except CANNOT_READ:
        yield warn("not read; see the check database", "run `bluestone doctor` again after that")
        return
    for finding in _processes(members):
        yield finding
    for member in members:
        yield await _link(member)


def _members(arena: ArenaSettings, clustering: Clustering) -> Sequence[Member]:
    """Raises an error of `CANNOT_READ`."""
    with arena_opened(arena, time.monotonic() + ANSWER_S) as connection:
        return [] if connection is None else clustering.members(connection)


def _processes(members: Sequence[Member]) -> Iterator[DoctorFinding]:
    if not members:
        yield warn("no process of the arena runs", "start them; see docs/scaling.md")
    elif len(members) == 1:
        text = "one process runs, so nobody takes over its games if it dies"
        yield warn(text, "start another one; see docs/scaling.md")
    else:
        games = sum(member.games for member in members)
        yield ok(f"{len(members)} processes run, with {games} games")
    for member in members:
        text = f"process {member.id} at {member.address}"
        if member.lease_left_s < 0:
            yield fail(f"{text}: its lease is over", "look at its log; restart it if it hangs")
        if member.version != __version__:
            yield warn(f"{text}: version {member.version}", f"restart it with {__version__}")


async def _link(member: Member) -> DoctorFinding:
    text = f"link {member.address}"
    try:
        async with asyncio.timeout(ANSWER_S):
            _, writer = await asyncio.open_connection(*split_address(member.address))
    except TimeoutError:
        return fail(f"{text}: no connection within {ANSWER_S:g} s", LINK_PAGE)
    except (OSError, ConfigurationError) as error:
        return fail(f"{text}: {error}", LINK_PAGE)
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return ok(f"{text}: reachable")


async def _bus(arena: ArenaSettings, clustering: Clustering) -> DoctorFinding:
    name = "bus: PostgreSQL" if not arena.cluster.bus else "bus"
    try:
        async with asyncio.timeout(2 * ANSWER_S):
            await clustering.check_bus(arena)
    except (HostError, ConfigurationError, TimeoutError) as error:
        return fail(f"{name}: {str(error) or 'no answer'}", BUS_PAGE)
    return ok(f"{name}: reachable")
