"""Checks of where the programs listen: ports, and the arena's Unix socket."""

from collections.abc import AsyncIterator, Iterator
from typing import Final

from bot.arena.settings import UNIX_PEER, ArenaSettings
from bot.daemon.inspection import inspect
from bot.doctor.examination import Case, DoctorFinding, fail, ok, warn
from bot.doctor.machine import holders
from bot.doctor.processes import Process, are_known, listener_on
from bot.doctor.programs import health_of
from bot.errors import HostError
from bot.runtime.listening import PortInUse, unused
from bot.runtime.unix_sockets import is_listened_on
from bot.time_source import SystemTime

OTHERS_MAY_CONNECT: Final = 0o002


async def ports(case: Case) -> AsyncIterator[DoctorFinding]:
    running = holders(case)
    if (arena := case.arena) is not None and arena.socket_file is not None:
        for finding in _socket(arena, await health_of(arena) is not None, running.get("arena")):
            yield finding
    elif arena is not None and arena.port:
        is_ours = await health_of(arena) is not None
        yield _port(arena.host, arena.port, "arena", is_ours, running.get("arena"))
    if case.place is not None and case.place.health.port:
        place = case.place.health
        is_ours = (await inspect(case.place, SystemTime().wall())).daemon is not None
        yield _port(place.host, place.port or 0, "bot", is_ours, running.get("bot"))


def _port(host: str, port: int, program: str, is_ours: bool, runs: Process | None) -> DoctorFinding:
    """`is_ours`: an arena or a bot answers there; `runs`: the one that uses the data folder."""
    text = f"port {port} on {host}, of the {program}"
    try:
        unused(host, port)
    except PortInUse:
        user = listener_on(port)
        name = "another program" if user is None else str(user)
        if is_ours and (runs is not None or not are_known()):
            return ok(f"{text}: used by this {program} ({name})")
        if runs is not None and user == runs:
            return ok(f"{text}: used by this {program} ({name}), which does not answer")
        if is_ours:
            advice = "stop it, or choose another port or data folder for one of them"
            return fail(f"{text}: used by another {program} ({name})", advice)
        return fail(f"{text}: used by {name}", "stop that program, or choose another port")
    except HostError as error:
        return fail(f"{text}: {error}", "correct host or port, or run the program with that right")
    if runs is not None:
        advice = "name the settings file that it runs with, or restart it"
        return warn(f"{text}: free, although the {program} runs", advice)
    return ok(f"{text}: free")


def _socket(arena: ArenaSettings, is_ours: bool, runs: Process | None) -> Iterator[DoctorFinding]:
    """Whether the Unix socket can be used, and by whom."""
    file = arena.socket_file
    assert file is not None
    text = f"Unix socket {file}, of the arena"
    try:
        is_open = is_listened_on(file)
    except PermissionError:
        yield warn(f"{text}: this user may not connect", "run this command as root")
        return
    except OSError as error:
        yield fail(f"{text}: {error.strerror}", "choose another path")
        return
    if not file.parent.is_dir():
        advice = "make it, or let systemd do so: RuntimeDirectory= in the unit"
        yield fail(f"{text}: there is no folder {file.parent}", advice)
    elif is_open and is_ours:
        yield ok(f"{text}: used by this arena")
    elif is_open:
        yield fail(f"{text}: used by another program", "stop that program, or choose another path")
    elif runs is not None:
        advice = "name the settings file that it runs with, or restart it"
        yield warn(f"{text}: nothing listens there, although the arena runs", advice)
    else:
        yield ok(f"{text}: free")
    if UNIX_PEER not in arena.trusted_proxies:
        advice = 'add "unix" to `trusted_proxies`, and restart'
        yield warn(f"{text}: the proxy is not trusted, so all visitors count as one", advice)
    elif int(arena.socket_mode, 8) & OTHERS_MAY_CONNECT:
        advice = 'set `socket_mode = "0660"`, and let the proxy\'s group own the socket'
        yield warn(f"{text}: every user of this machine can invent addresses of visitors", advice)
